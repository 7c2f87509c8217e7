#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# make-corpus.sh [OUTDIR]
#
# Makes the golden files of this folder again with the real compilers and the
# real llvm-profdata of LLVM 13, 14, 15, 16 and 19. It is written for Debian 12
# on x86-64, which has all of them. OUTDIR is the folder of this script unless
# given. The folders raw, text, indexed, show and proftext/gen of OUTDIR and the
# MANIFEST files are replaced; src and the hand-written proftext files are read.
# See README.md for what is made and why.
#
# It can be run any number of times. Everything runs without address space
# randomisation and gives the same bytes each time, but for the runs named
# "aslr": of these the old file stays when the answer to it is still the same.
#
# Packages:
#   clang-13 clang-14 clang-15 clang-16 clang-19
#   llvm-13 llvm-14 llvm-15 llvm-16 llvm-19
#   libclang-common-13-dev libclang-rt-14-dev libclang-common-15-dev
#   libclang-rt-16-dev libclang-rt-19-dev    (the profile runtimes)
#   libc6-dev g++ binutils util-linux        (setarch is in util-linux)
#   libc6-dev-i386 lib32gcc-12-dev lib32stdc++-12-dev      (for -m32)
#   gcc-s390x-linux-gnu g++-12-s390x-linux-gnu libc6-dev-s390x-cross
#   gcc-powerpc-linux-gnu libc6-dev-powerpc-cross
#   qemu-user-static xz-utils
# (gcc-multilib is not wanted, it conflicts with the cross compilers.)
#
# Two things come from elsewhere:
#   - The profile runtimes for s390x come out of the s390x packages of Debian.
#     They are fetched with apt-get through a private state folder, so that the
#     architectures and package lists of the machine stay as they are.
#   - Nobody packages a profile runtime for powerpc (32-bit, big-endian), so it
#     is compiled from the LLVM sources. The environment variable LLVM_SRC may
#     name a folder with s13, s14 and s19, each with compiler-rt/ in it. Without
#     it the source packages are fetched (scripts/debian-source), some hundred
#     megabytes.
# The environment variable CACHE may name a folder that keeps both for the next
# time.
set -euo pipefail
export LC_ALL=C
unset LLVM_PROFILE_FILE
umask 022

here=$(cd "$(dirname "$0")" && pwd)
src=$here/src
dest=${1:-$here}
mkdir -p "$dest"
dest=$(cd "$dest" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cache=${CACHE:-$work/cache}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
out=$work/out
bin=$work/bin
mkdir -p "$bin" "$out"/{raw,text,indexed,show,proftext/gen}

versions=(13 14 15 16 19)
cross_versions=(13 14 19)
runtime_packages_s390x=(libclang-common-13-dev libclang-rt-14-dev libclang-rt-19-dev)

say() { printf '%s\n' "$*" >&2; }
die() { say "make-corpus.sh: $*"; exit 1; }

# ---------------------------------------------------------------- tools

missing=()
for tool in setarch od awk apt-get dpkg-deb qemu-s390x-static qemu-ppc-static \
    s390x-linux-gnu-gcc s390x-linux-gnu-g++-12 powerpc-linux-gnu-gcc ar xz; do
    command -v "$tool" >/dev/null || missing+=("$tool")
done
for v in "${versions[@]}"; do
    for tool in clang clang++ llvm-profdata; do
        command -v "$tool-$v" >/dev/null || missing+=("$tool-$v")
    done
done
[ ${#missing[@]} -eq 0 ] || die "missing: ${missing[*]} (see the list of packages)"
setarch -R true || die "setarch -R does not work here"

# ------------------------------------------------- runtimes of other targets

fetch_s390x() {
    local a=$cache/apt opts p d
    [ -e "$cache/s390x/done" ] && return
    say "fetching the profile runtimes for s390x"
    mkdir -p "$a/state/lists/partial" "$a/cache/archives/partial" "$a/debs" "$cache/s390x"
    opts=(-q -o "Dir::State=$a/state" -o "Dir::State::status=/var/lib/dpkg/status"
        -o "Dir::Cache=$a/cache" -o "APT::Architectures=amd64,s390x"
        -o "APT::Architectures::=s390x" -o "APT::Sandbox::User=root")
    apt-get "${opts[@]}" update >"$work/apt.log" 2>&1 || die "apt-get update failed"
    for p in "${runtime_packages_s390x[@]}"; do
        (cd "$a/debs" && apt-get "${opts[@]}" download "$p:s390x" >>"$work/apt.log" 2>&1) ||
            die "cannot fetch $p:s390x"
    done
    for d in "$a"/debs/*.deb; do
        dpkg-deb --fsys-tarfile "$d" |
            tar -C "$cache/s390x" -xf - --wildcards '*/libclang_rt.profile-s390x.a'
    done
    rm -rf "$a"
    touch "$cache/s390x/done"
}

# runtime_source VERSION: the folder with compiler-rt of that version
runtime_source() {
    local v=$1 d=$cache/src/s$1 t
    if [ -n "${LLVM_SRC:-}" ] && [ -d "$LLVM_SRC/s$v/compiler-rt" ]; then
        printf '%s\n' "$LLVM_SRC/s$v/compiler-rt"
        return
    fi
    if [ ! -e "$d/done" ]; then
        say "fetching the source of LLVM $v"
        mkdir -p "$d/dl"
        "$here/../../../scripts/debian-source" "llvm-toolchain-$v" "$d/dl" ||
            die "cannot fetch the source of llvm-toolchain-$v"
        for t in "$d"/dl/*.orig.tar.*; do
            tar -C "$d" --strip-components=1 -xf "$t" --wildcards \
                '*/compiler-rt/lib/profile/*' '*/compiler-rt/include/profile/*'
        done
        rm -rf "$d/dl"
        touch "$d/done"
    fi
    printf '%s\n' "$d/compiler-rt"
}

ppc=(--target=powerpc-linux-gnu -isystem /usr/powerpc-linux-gnu/include)
s390x=(--target=s390x-linux-gnu -isystem /usr/s390x-linux-gnu/include/c++/12
    -isystem /usr/s390x-linux-gnu/include/c++/12/s390x-linux-gnu
    -isystem /usr/s390x-linux-gnu/include)

build_ppc_runtime() {
    local v=$1 from o=$work/ppc$1 f
    from=$(runtime_source "$v")
    mkdir -p "$o"
    for f in InstrProfiling InstrProfilingInternal InstrProfilingValue \
        InstrProfilingBuffer InstrProfilingFile InstrProfilingMerge \
        InstrProfilingMergeFile InstrProfilingNameVar InstrProfilingVersionVar \
        InstrProfilingWriter InstrProfilingPlatformLinux \
        InstrProfilingPlatformOther InstrProfilingUtil; do
        "clang-$v" "${ppc[@]}" -O2 -fPIC -w -DCOMPILER_RT_HAS_ATOMICS=1 \
            -DCOMPILER_RT_HAS_FCNTL_LCK=1 -DCOMPILER_RT_HAS_UNAME=1 \
            -I"$from/include" -I"$from/lib" -c "$from/lib/profile/$f.c" -o "$o/$f.o"
    done
    "clang++-$v" "${ppc[@]}" -O2 -fPIC -w -fno-exceptions -fno-rtti \
        -I"$from/include" -I"$from/lib" \
        -c "$from/lib/profile/InstrProfilingRuntime.cpp" -o "$o/InstrProfilingRuntime.o"
    ar rcsD "$o/libprofile.a" "$o"/*.o
}

# ------------------------------------------------------------- compile, run

# All compilers run in src with relative names, so no path of this machine gets
# into a profile. Linking never adds a build id of its own: it would change with
# the libc package.
# cc VERSION OUTPUT ARGUMENT...
cc() {
    local v=$1 o=$2
    shift 2
    (cd "$src" && "clang-$v" "$@" -o "$bin/$o")
}

# cross TARGET VERSION OUTPUT LINK-ARGUMENT -- COMPILE-ARGUMENT... -- SOURCE...
cross() {
    local target=$1 v=$2 o=$3 link=$4 flags=() objects=() f driver=gcc rt
    shift 5
    while [ "$1" != -- ]; do
        flags+=("$1")
        shift
    done
    shift
    case $target in
    s390x)
        flags+=("${s390x[@]}")
        rt=$(echo "$cache/s390x/usr/lib/llvm-$v/lib/clang"/*/lib/linux/libclang_rt.profile-s390x.a)
        ;;
    powerpc)
        flags+=("${ppc[@]}")
        rt=$work/ppc$v/libprofile.a
        ;;
    esac
    for f in "$@"; do
        case $f in *.cpp) driver=g++-12 ;; esac
        (cd "$src" && "clang-$v" "${flags[@]}" -c "$f" -o "$bin/$o.$f.o")
        objects+=("$bin/$o.$f.o")
    done
    "$target-linux-gnu-$driver" -static -no-pie "-Wl,$link" -Wl,--no-warn-rwx-segments \
        -u __llvm_profile_runtime "${objects[@]}" "$rt" -o "$bin/$o"
}

# run NAME PROGRAM ARGUMENT...: gives $work/NAME.profraw
run() {
    local name=$1 program=$2 how=(setarch -R)
    shift 2
    case $name in
    *-s390x-*) how+=(qemu-s390x-static) ;;
    *-powerpc-*) how+=(qemu-ppc-static) ;;
    *aslr*) how=() ;;
    esac
    rm -f "$work/$name.profraw"
    (cd "$work" && LLVM_PROFILE_FILE=${profile_file:-$name.profraw} \
        "${how[@]}" "$bin/$program" "$@" >/dev/null)
}

# Everything the peer reads has a relative name: it prints some of them.
profdata() {
    local v=$1
    shift
    (cd "$out" && "llvm-profdata-$v" "$@")
}

# header FILE: word size and byte order, the version word, and the size of the
# binary ids, which is the third word of the header
header() {
    local magic order layout words
    magic=$(od -An -tx1 -N8 "$1" | tr -d ' \n')
    case $magic in
    8172666f72706cff) order=little layout=64le ;;
    8152666f72706cff) order=little layout=32le ;;
    ff6c70726f667281) order=big layout=64be ;;
    ff6c70726f665281) order=big layout=32be ;;
    *) die "no raw profile: $1" ;;
    esac
    read -ra words < <(od -An -tx8 -N24 --endian=$order -w24 "$1")
    printf '%s %s %s\n' "$layout" "${words[1]}" "${words[2]}"
}

# emit NAME VERSION [FLAG...]: takes $work/NAME.profraw into the corpus with the
# answer of the peer, and writes its line of the manifest.
#   flag "refuse": it should be refused; the peer does, or silently leaves
#                  everything out of its answer
#   flag "malformed": there is no use in asking the peer
emit() {
    local name=$1 v=$2 layout word ids flags=() expect=accept extra old text
    shift 2
    local f=$out/raw/$name.profraw answer=text/$name.profraw.text top
    [ -s "$work/$name.profraw" ] || die "$name.profraw was not written"
    mv "$work/$name.profraw" "$f"
    read -r layout word ids < <(header "$f")
    top=$((16#${word:0:2}))
    if ((top & 2)); then
        flags+=(csir)
    elif ((top & 1)); then
        flags+=(ir)
    else
        flags+=(fe)
    fi
    ((top & 4)) && flags+=(entry_first)
    ((top & 8)) && flags+=(correlate)
    ((top & 16)) && flags+=(single_byte)
    ((top & 32)) && flags+=(function_entry)
    ((top & 128)) && flags+=(temporal)
    [ "$ids" = 0000000000000000 ] || flags+=(binary_ids)
    for extra in "$@"; do
        case $extra in
        refuse) expect=refuse ;;
        *) flags+=("$extra") ;;
        esac
    done
    if [[ " $* " = *" malformed "* ]]; then
        answer=-
    elif profdata "$v" merge --num-threads=1 --text "raw/$name.profraw" -o "$answer" \
        2>"$work/err"; then
        [ ! -s "$work/err" ] || die "$name: $(cat "$work/err")"
        if [ $expect = refuse ]; then
            grep -qv '^[#:]' "$out/$answer" && die "$name: not refused"
            rm -f "$out/$answer"
            answer=-
        fi
    else
        [ $expect = refuse ] || die "$name: $(cat "$work/err")"
        answer=text/$name.profraw.error
        cp "$work/err" "$out/$answer"
    fi
    if [ $expect = accept ]; then
        text=$out/$answer
        [ -e "$text" ] || : >"$text"
        grep -q '^# Num Value Kinds' "$text" && flags+=(values)
        grep -q '^# ValueKind = IPVK_VTableTarget' "$text" && flags+=(vtable)
        grep -q '^# Num Bitmap Bytes' "$text" && flags+=(bitmap)
    fi
    # A run with randomisation gives other addresses each time.
    old=$dest/raw/$name.profraw
    case $name in
    *aslr*)
        flags+=(aslr)
        if [ -f "$old" ] && cmp -s "$dest/$answer" "$out/$answer" &&
            [ "$(stat -c %s "$old")" = "$(stat -c %s "$f")" ]; then
            cp "$old" "$f"
        fi
        ;;
    esac
    printf 'raw/%s.profraw\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$v" \
        "$(
            IFS=,
            echo "${flags[*]}"
        )" "$answer" "$expect" "$layout" "$word" >>"$out/MANIFEST"
}

# indexed NAME VERSION OPTIONS WEIGHT:INPUT...: merges into an indexed file and
# writes that file as text too. OPTIONS is one word, options split by commas, or
# "-" for none.
indexed() {
    local name=$1 v=$2 options=$3 args=() i o=indexed/$1.profdata
    shift 3
    [ "$options" = - ] || IFS=, read -ra args <<<"$options"
    for i in "$@"; do
        if [ "${i%%:*}" = 1 ]; then
            args+=("${i#*:}")
        else
            args+=("--weighted-input=${i%%:*},${i#*:}")
        fi
    done
    profdata "$v" merge --num-threads=1 "${args[@]}" -o "$o" 2>"$work/err" ||
        die "$name: $(cat "$work/err")"
    indexed_row "$o" "$v" "$options" "$*"
}

declare -A known_text=()
indexed_row() {
    local keep=() text sum
    text=text/$(basename "$1").text
    case $3 in *keep-vtable*) keep=(--keep-vtable-symbols) ;; esac
    profdata "$2" merge --num-threads=1 "${keep[@]}" --text "$1" \
        -o "$text" 2>"$work/err2" || die "$1: $(cat "$work/err2")"
    # One file for all which have the same text.
    sum=$(sha256sum <"$out/$text")
    if [ -n "${known_text[$sum]:-}" ]; then
        rm "$out/$text"
        text=${known_text[$sum]}
    else
        known_text[$sum]=$text
    fi
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$text" >>"$out/MANIFEST.indexed"
}

# merges NAME VERSION RUN1 RUN2 [RUN3]: the usual three files of some runs
merges() {
    local name=$1 v=$2 r all=()
    shift 2
    for r in "$@"; do
        all+=("1:raw/$r.profraw")
    done
    indexed "$name.merged" "$v" - "${all[@]}"
    indexed "$name.weighted" "$v" - "3:raw/$1.profraw" "1:raw/$2.profraw"
    indexed "$name.sparse" "$v" --sparse "${all[@]:0:2}"
}

# listing NAME COMMAND ARGUMENT...: the output of a show or overlap of LLVM 19.
# An error message is part of the output, as is the exit status.
listing() {
    local name=$1 status=0
    shift
    profdata 19 "$@" >"$out/show/$name.txt" 2>&1 || status=$?
    printf 'show/%s.txt\t19\t%s\t%s\n' "$name" "$status" "$*" >>"$out/MANIFEST.show"
}

printf '# raw profile\tLLVM version\tkind\ttext of the peer\taccept or refuse\tlayout\tversion word\n' \
    >"$out/MANIFEST"
printf '# indexed profile\tLLVM version\toptions of merge\tinputs as weight:file\tthe same as text\n' \
    >"$out/MANIFEST.indexed"
printf '# output\tLLVM version\texit status\targuments of llvm-profdata\n' >"$out/MANIFEST.show"

# ------------------------------------------------------------ the main matrix

ops=(ops_main.c ops_util.c)
shapes=(shapes_main.cpp shapes_other.cpp -lstdc++)
none=-Wl,--build-id=none

for v in "${versions[@]}"; do
    say "LLVM $v"
    # clang 13 does not make position-independent programs by itself.
    pie=(-fPIE -pie)
    fe=(-O1 -fprofile-instr-generate "${pie[@]}")
    ir=(-O1 -fprofile-generate "${pie[@]}")
    # 14 and 15 write the same raw version as 16: they get fewer kinds.
    case $v in 14 | 15) more=0 ;; *) more=1 ;; esac
    # The front-end programs have a build id of 20 bytes.
    id=-Wl,--build-id=0x00112233445566778899aabbccddeeff0000
    cc "$v" "c-fe$v" "${fe[@]}" "${id}${v}c0" "${ops[@]}"
    cc "$v" "c-ir$v" "${ir[@]}" "$none" "${ops[@]}"
    cc "$v" "cxx-fe$v" "${fe[@]}" "${id}${v}cc" "${shapes[@]}"
    cc "$v" "cxx-ir$v" "${ir[@]}" "$none" "${shapes[@]}"
    for k in c-fe c-ir cxx-fe cxx-ir; do
        n=$k-clang$v
        run "$n-run1" "$k$v" 3
        emit "$n-run1" "$v"
        run "$n-run2" "$k$v" 20 2
        emit "$n-run2" "$v"
        if [ $more = 1 ] || [ $k = c-ir ]; then
            run "$n-run3-aslr" "$k$v" 11 1
            emit "$n-run3-aslr" "$v"
            merges "$n" "$v" "$n-run1" "$n-run2" "$n-run3-aslr"
        else
            indexed "$n.merged" "$v" - "1:raw/$n-run1.profraw" "1:raw/$n-run2.profraw"
        fi
    done

    # Context-sensitive: a profile of -O2, then the second instrumentation.
    cc "$v" "base$v" -O2 -fprofile-generate "${pie[@]}" "$none" "${ops[@]}"
    run "c-base-clang$v-run1" "base$v" 20 2
    emit "c-base-clang$v-run1" "$v"
    profdata "$v" merge -o "$work/base.profdata" "raw/c-base-clang$v-run1.profraw"
    cc "$v" "cs$v" -O2 "-fprofile-use=$work/base.profdata" -fcs-profile-generate \
        "${pie[@]}" "$none" "${ops[@]}"
    run "c-csir-clang$v-run1" "cs$v" 5
    emit "c-csir-clang$v-run1" "$v"
    run "c-csir-clang$v-run2" "cs$v" 20 1
    emit "c-csir-clang$v-run2" "$v"
    if [ $more = 1 ]; then
        merges "c-csir-clang$v" "$v" "c-csir-clang$v-run1" "c-csir-clang$v-run2"
    fi
    indexed "c-base-and-csir-clang$v" "$v" - "1:raw/c-base-clang$v-run1.profraw" \
        "1:raw/c-csir-clang$v-run1.profraw" "1:raw/c-csir-clang$v-run2.profraw"

    # The smallest profile, with a build id of five bytes.
    cc "$v" "tiny$v" "${fe[@]}" -Wl,--build-id=0x0123456789 tiny.c
    run "tiny-fe-clang$v" "tiny$v"
    emit "tiny-fe-clang$v" "$v"

    # Conditions
    cc "$v" "cond$v" "${fe[@]}" "$none" cond.c
    run "cond-fe-clang$v" "cond$v" 1 3 7 12 31
    emit "cond-fe-clang$v" "$v"
    indexed "all-fe-clang$v" "$v" - "1:raw/c-fe-clang$v-run1.profraw" \
        "1:raw/cxx-fe-clang$v-run1.profraw" "1:raw/tiny-fe-clang$v.profraw" \
        "1:raw/cond-fe-clang$v.profraw"

    if [ $more = 1 ]; then
        # Indirect calls in front-end profiles
        cc "$v" "fevp$v" "${fe[@]}" -mllvm -enable-value-profiling "$none" "${ops[@]}"
        run "c-fe-values-clang$v" "fevp$v" 20
        emit "c-fe-values-clang$v" "$v"

        # IR profiles without value data, with names as they are, with the counter of
        # the entry block first
        cc "$v" "novp$v" "${ir[@]}" -mllvm -disable-vp=true "$none" "${ops[@]}"
        run "c-ir-novalues-clang$v" "novp$v" 9
        emit "c-ir-novalues-clang$v" "$v"
        cc "$v" "plain$v" "${ir[@]}" -mllvm -enable-name-compression=false "$none" "${shapes[@]}"
        run "cxx-ir-plainnames-clang$v" "plain$v" 9
        emit "cxx-ir-plainnames-clang$v" "$v" names_plain
        cc "$v" "entry$v" "${ir[@]}" -mllvm -pgo-instrument-entry=true "$none" "${ops[@]}"
        run "c-ir-entry-clang$v-run1" "entry$v" 9
        emit "c-ir-entry-clang$v-run1" "$v"
        run "c-ir-entry-clang$v-run2" "entry$v" 2 1
        emit "c-ir-entry-clang$v-run2" "$v"
        indexed "c-ir-entry-clang$v.merged" "$v" - "1:raw/c-ir-entry-clang$v-run1.profraw" \
            "1:raw/c-ir-entry-clang$v-run2.profraw"

        # Continuous mode: the file is mapped while the program runs.
        cc "$v" "cont$v" "${fe[@]}" -mllvm -runtime-counter-relocation "$none" "${ops[@]}"
        profile_file=%cc-fe-continuous-clang$v.profraw run "c-fe-continuous-clang$v" "cont$v" 9
        emit "c-fe-continuous-clang$v" "$v" continuous

        # Two runs merged by the runtime itself
        mkdir "$work/pool"
        profile_file=pool/%m.profraw run "c-ir-pool-clang$v" "c-ir$v" 3
        profile_file=pool/%m.profraw run "c-ir-pool-clang$v" "c-ir$v" 20 2
        mv "$work"/pool/*.profraw "$work/c-ir-pool-clang$v.profraw"
        rmdir "$work/pool"
        emit "c-ir-pool-clang$v" "$v" pool
    fi

    # A program and its instrumented library write into one file: each runtime
    # appends its own profile. Then files joined by hand.
    (cd "$src" && "clang-$v" -O1 -fprofile-instr-generate -shared -fPIC "${id}${v}11" lib.c \
        -o "$bin/libsteps$v.so")
    cc "$v" "user$v" "${fe[@]}" "${id}${v}12" lib_user.c "-L$bin" "-lsteps$v" "-Wl,-rpath,\$ORIGIN"
    run "lib-fe-concat-clang$v" "user$v" 10
    emit "lib-fe-concat-clang$v" "$v" concat
    if [ $more = 1 ]; then
        cat "$out/raw/c-ir-clang$v-run1.profraw" "$out/raw/cxx-ir-clang$v-run2.profraw" \
            "$out/raw/c-ir-clang$v-run2.profraw" >"$work/all-ir-joined-clang$v.profraw"
        emit "all-ir-joined-clang$v" "$v" concat
    fi
    indexed "concat-clang$v" "$v" - "1:raw/lib-fe-concat-clang$v.profraw" \
        "1:raw/c-fe-clang$v-run2.profraw"

    # Since 14: coverage of function entries, and profiles whose data section is
    # in the debug information only
    if [ "$v" -ge 14 ]; then
        cc "$v" "fec$v" "${ir[@]}" -mllvm -pgo-function-entry-coverage "$none" "${ops[@]}"
        run "c-ir-functionentry-clang$v-run1" "fec$v" 2
        emit "c-ir-functionentry-clang$v-run1" "$v"
        run "c-ir-functionentry-clang$v-run2" "fec$v" 20 2
        emit "c-ir-functionentry-clang$v-run2" "$v"
        indexed "c-ir-functionentry-clang$v.merged" "$v" - \
            "1:raw/c-ir-functionentry-clang$v-run1.profraw" \
            "1:raw/c-ir-functionentry-clang$v-run2.profraw"
        indexed "c-ir-functionentry-clang$v.weighted" "$v" - \
            "3:raw/c-ir-functionentry-clang$v-run1.profraw" \
            "1:raw/c-ir-functionentry-clang$v-run2.profraw"
        cc "$v" "corr$v" "${ir[@]}" -g -mllvm -debug-info-correlate -mllvm -disable-vp=true \
            "$none" "${ops[@]}"
        run "c-ir-correlate-clang$v" "corr$v" 3
        emit "c-ir-correlate-clang$v" "$v" refuse
    fi
done

# ------------------------------------------------------------ only in LLVM 19

say "LLVM 19, more kinds"
ir=(-O1 -fprofile-generate "$none")
fe=(-O1 -fprofile-instr-generate "$none")

# variant NAME COMPILE-ARGUMENT...: two runs and the files of their merge
variant() {
    local name=$1
    shift
    cc 19 "$name" "$@"
    run "$name-clang19-run1" "$name" 2
    emit "$name-clang19-run1" 19
    run "$name-clang19-run2" "$name" 20 2
    emit "$name-clang19-run2" 19
    merges "$name-clang19" 19 "$name-clang19-run1" "$name-clang19-run2"
}

variant c-ir-block "${ir[@]}" -mllvm -pgo-block-coverage "${ops[@]}"
variant c-ir-temporal "${ir[@]}" -mllvm -pgo-temporal-instrumentation "${ops[@]}"
variant c-ir-temporal-block "${ir[@]}" -mllvm -pgo-temporal-instrumentation \
    -mllvm -pgo-block-coverage "${ops[@]}"
# With both of these clang 19 says in the header that there are timestamps, but
# makes no room for them. Its own llvm-profdata reads past the counters and has a
# different answer each time.
cc 19 c-ir-temporal-functionentry "${ir[@]}" -mllvm -pgo-temporal-instrumentation \
    -mllvm -pgo-function-entry-coverage "${ops[@]}"
run c-ir-temporal-functionentry-clang19 c-ir-temporal-functionentry 3
emit c-ir-temporal-functionentry-clang19 19 malformed refuse
variant c-fe-singlebyte "${fe[@]}" -fcoverage-mapping -mllvm -enable-single-byte-coverage "${ops[@]}"
variant cxx-ir-vtable "${ir[@]}" -mllvm -enable-vtable-value-profiling "${shapes[@]}"
indexed cxx-ir-vtable-clang19.keep 19 --keep-vtable-symbols \
    1:raw/cxx-ir-vtable-clang19-run1.profraw 1:raw/cxx-ir-vtable-clang19-run2.profraw

mcdc=(-O1 -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc)
cc 19 mcdc "${mcdc[@]}" "$none" cond.c
run cond-fe-mcdc-clang19-run1 mcdc 1 12
emit cond-fe-mcdc-clang19-run1 19
run cond-fe-mcdc-clang19-run2 mcdc 0 2 3 5 7 14 25 31
emit cond-fe-mcdc-clang19-run2 19
merges cond-fe-mcdc-clang19 19 cond-fe-mcdc-clang19-run1 cond-fe-mcdc-clang19-run2

# Correlation by the binary, and a program without a single counter
cc 19 corrbin "${ir[@]}" -g -mllvm -profile-correlate=binary -mllvm -disable-vp=true "${ops[@]}"
run c-ir-correlatebinary-clang19 corrbin 3
emit c-ir-correlatebinary-clang19 19 refuse
cc 19 empty.o -c -DEMPTY tiny.c
(cd "$bin" && clang-19 "${fe[@]}" empty.o -o empty)
run empty-fe-clang19 empty
emit empty-fe-clang19 19 empty

# Old indexed files through a new peer, and the previous version of the format
indexed c-ir-old-to-19 19 - 1:indexed/c-ir-clang13.merged.profdata \
    1:indexed/c-ir-clang15.merged.profdata 2:indexed/c-ir-clang16.merged.profdata
indexed c-csir-old-to-19 19 - 1:indexed/c-base-and-csir-clang13.profdata \
    1:indexed/c-base-and-csir-clang14.profdata
indexed c-ir-indexed-and-raw 19 - 2:indexed/c-ir-clang19.merged.profdata \
    1:raw/c-ir-clang19-run1.profraw
indexed all-fe-twice 19 - 1:indexed/all-fe-clang19.profdata \
    1:indexed/concat-clang19.profdata 1:indexed/all-fe-clang16.profdata
indexed c-ir-temporal-twice 19 - 2:indexed/c-ir-temporal-clang19.merged.profdata \
    1:raw/c-ir-temporal-clang19-run1.profraw
for n in c-fe c-ir cxx-fe cxx-ir c-csir c-ir-temporal cond-fe-mcdc cxx-ir-vtable; do
    indexed "$n-clang19.previous" 19 --write-prev-version \
        "1:raw/$n-clang19-run1.profraw" "1:raw/$n-clang19-run2.profraw"
done

# ------------------------------------------------ 32 bits, the other byte order

for v in "${cross_versions[@]}"; do
    say "LLVM $v, other targets"
    fetch_s390x
    build_ppc_runtime "$v"
    for kind in fe ir; do
        case $kind in
        fe) flag=-fprofile-instr-generate ;;
        ir) flag=-fprofile-generate ;;
        esac
        id=--build-id=0x00112233445566778899aabbccddeeff0000${v}
        cc "$v" "c-$kind-i386-$v" -m32 -O1 "$flag" "-Wl,${id}a1" "${ops[@]}"
        for target in s390x powerpc; do
            cross $target "$v" "c-$kind-$target-$v" "${id}b2" -- -O1 "$flag" -- "${ops[@]}"
        done
        for target in i386 s390x powerpc; do
            n=c-$kind-$target-clang$v
            run "$n-run1" "c-$kind-$target-$v" 20 2
            emit "$n-run1" "$v"
            if [ "$v" = 19 ]; then
                run "$n-run2" "c-$kind-$target-$v" 3
                emit "$n-run2" "$v"
                indexed "$n.merged" 19 - "1:raw/$n-run1.profraw" "1:raw/$n-run2.profraw"
            fi
        done
    done
done

cc 19 cond-i386 -m32 "${mcdc[@]}" "$none" cond.c
cc 19 vtable-i386 -m32 "${ir[@]}" -mllvm -enable-vtable-value-profiling "${shapes[@]}"
for target in s390x powerpc; do
    cross $target 19 cond-$target --build-id=none -- "${mcdc[@]}" -- cond.c
    cross $target 19 temporal-$target --build-id=none -- -O1 -fprofile-generate \
        -mllvm -pgo-temporal-instrumentation -mllvm -pgo-block-coverage -- "${ops[@]}"
    run c-ir-temporal-block-$target-clang19 temporal-$target 20
    emit c-ir-temporal-block-$target-clang19 19
done
for target in i386 s390x powerpc; do
    run cond-fe-mcdc-$target-clang19 cond-$target 0 2 3 5 7 14 25 31
    emit cond-fe-mcdc-$target-clang19 19
done
cross s390x 19 vtable-s390x --build-id=none -- -O1 -fprofile-generate \
    -mllvm -enable-vtable-value-profiling -- shapes_main.cpp shapes_other.cpp
for target in i386 s390x; do
    run cxx-ir-vtable-$target-clang19 vtable-$target 20
    emit cxx-ir-vtable-$target-clang19 19
done
indexed c-ir-all-layouts-clang19 19 - 1:raw/c-ir-clang19-run2.profraw \
    1:raw/c-ir-i386-clang19-run1.profraw 1:raw/c-ir-s390x-clang19-run1.profraw \
    1:raw/c-ir-powerpc-clang19-run1.profraw

# ------------------------------------------------------------- text profiles

say "text profiles"
cp "$here"/proftext/*.proftext "$out/proftext/"

# Many names: all the buckets of the hash tables, in the order they come.
awk 'BEGIN {
    print "# Two hundred names."
    print ":ir"
    for (i = 1; i <= 200; i++)
        printf "f%d\n%d\n1\n%d\n", i * 37 % 211, i % 3 + 1, i * i % 101
}' >"$out/proftext/gen/many_names.proftext"

# Names of all the lengths at which hash functions change their ways.
awk 'BEGIN {
    print "# Names of many lengths."
    n = split("1 2 3 4 5 7 8 9 12 15 16 17 24 31 32 33 48 63 64 65 96 97 127 128 129 130 144 160 " \
        "191 192 200 239 240 241 255 256 257 300 511 512 513 1023 1024 1025 1088 1100 2049", len, " ")
    s = "abcdefghijklmnopqrstuvwxyz0123456789_.$;:ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for (i = 1; i <= n; i++) {
        name = ""
        while (length(name) < len[i])
            name = name substr(s, (length(name) * 7 + len[i]) % length(s) + 1, 3)
        name = substr(name, 1, len[i])
        if (substr(name, 1, 1) == ":" || substr(name, 1, 1) == "$")
            name = "x" substr(name, 2)
        printf "%s\n%d\n1\n%d\n", name, i, i
    }
}' >"$out/proftext/gen/name_lengths.proftext"

# More values at a site than a file can hold (255), all counts different.
awk 'BEGIN {
    print "# A site with 300 values."
    print ":ir"
    print "many\n1\n1\n9\n1\n1\n2\n300"
    for (i = 1; i <= 300; i++)
        printf "%d:%d\n", i, i * 7 % 307
    print "2\n3:1\n2:9"
}' >"$out/proftext/gen/many_values.proftext"

# Forty values of few different counts: how ties are ordered.
awk 'BEGIN {
    print "# A site with equal counts."
    print ":ir"
    print "ties\n1\n1\n9\n1\n1\n1\n40"
    for (i = 1; i <= 40; i++)
        printf "%d:%d\n", i * 17 % 41, i % 4 + 1
}' >"$out/proftext/gen/ties.proftext"

for f in "$out"/proftext/*.proftext "$out"/proftext/gen/*.proftext; do
    n=$(basename "$f" .proftext)
    for v in "${versions[@]}"; do
        # The order of names changed after 16, the rest is in other files.
        case $f/$v in
        */1[45] | */gen/*/13) continue ;;
        esac
        # The older ones do not know all of the syntax.
        if profdata "$v" merge --num-threads=1 "${f#"$out/"}" \
            -o "indexed/text-$n-llvm$v.profdata" >/dev/null 2>"$work/err"; then
            indexed_row "indexed/text-$n-llvm$v.profdata" "$v" - "1:${f#"$out/"}"
        else
            [ "$v" != 19 ] || die "$n: $(cat "$work/err")"
        fi
    done
done
indexed text-temporal-twice 19 - 1:proftext/temporal.proftext 2:proftext/temporal.proftext
indexed text-bitmap-weighted 19 - 3:proftext/bitmap.proftext
indexed text-vtable-keep 19 --keep-vtable-symbols 1:proftext/vtable.proftext
indexed text-pseudo-weighted 19 - 2:proftext/pseudo.proftext
indexed text-hashes-sparse 19 --sparse 1:proftext/hashes.proftext 1:proftext/ir_values.proftext
indexed text-ties-twice 19 - 1:proftext/gen/ties.proftext 2:proftext/gen/many_values.proftext
for v in 13 16 19; do
    indexed "text-saturate-weighted-llvm$v" "$v" - 3:proftext/saturate.proftext
done

# ------------------------------------------------- show, overlap and errors

say "show and overlap"
full=(--all-functions --counts --ic-targets --memop-sizes --detailed-summary --binary-ids)
for n in c-fe-clang19.merged c-ir-clang13.merged c-ir-clang16.merged c-ir-clang19.merged \
    cxx-ir-clang19.merged cxx-fe-clang19.sparse all-fe-clang19 c-ir-block-clang19.merged \
    cond-fe-mcdc-clang19.merged c-ir-entry-clang19.merged text-ir_values-llvm19 \
    text-pseudo-llvm19; do
    listing "$n" show "${full[@]}" "indexed/$n.profdata"
done
for n in c-ir-clang19-run2 lib-fe-concat-clang19 c-ir-s390x-clang19-run1 \
    c-ir-temporal-block-clang19-run2; do
    listing "$n.raw" show "${full[@]}" "raw/$n.profraw"
done
listing c-csir.plain show "${full[@]}" indexed/c-base-and-csir-clang19.profdata
listing c-csir.cs show --showcs "${full[@]}" indexed/c-base-and-csir-clang19.profdata
listing vtable.keep show "${full[@]}" --show-vtables indexed/cxx-ir-vtable-clang19.keep.profdata
listing vtable.raw show "${full[@]}" --show-vtables raw/cxx-ir-vtable-clang19-run2.profraw
listing temporal.traces show --temporal-profile-traces indexed/c-ir-temporal-clang19.merged.profdata
listing temporal.text show --temporal-profile-traces proftext/temporal.proftext
listing version.12 show --profile-version indexed/c-ir-clang19.merged.profdata
listing version.11 show --profile-version indexed/c-ir-clang19.previous.profdata
listing version.7 show --profile-version indexed/c-ir-clang13.merged.profdata
listing plain show indexed/cxx-ir-clang19.merged.profdata
listing topn show --topn=5 indexed/cxx-ir-clang19.merged.profdata
listing cutoff show --value-cutoff=10 indexed/cxx-ir-clang19.merged.profdata
listing below show --value-cutoff=10 --list-below-cutoff indexed/cxx-ir-clang19.merged.profdata
listing function show --function=helper --counts indexed/c-ir-clang19.merged.profdata
listing covered show --covered indexed/c-ir-block-clang19.merged.profdata
listing covered.counts show --covered indexed/c-ir-clang19.merged.profdata
listing cutoffs show --detailed-summary --detailed-summary-cutoffs=10000,500000,999999 \
    indexed/c-ir-clang19.merged.profdata
listing text show --text --function=classify indexed/c-ir-clang19.merged.profdata
listing many_names show --detailed-summary indexed/text-many_names-llvm19.profdata

listing overlap.runs overlap raw/c-ir-clang19-run1.profraw raw/c-ir-clang19-run2.profraw
listing overlap.same overlap indexed/c-ir-clang19.merged.profdata indexed/c-ir-clang19.merged.profdata
listing overlap.versions overlap indexed/c-ir-clang13.merged.profdata indexed/c-ir-clang19.merged.profdata
listing overlap.programs overlap indexed/c-fe-clang19.merged.profdata indexed/cxx-fe-clang19.merged.profdata
listing overlap.cutoff overlap --value-cutoff=3 raw/cxx-ir-clang19-run1.profraw raw/cxx-ir-clang19-run2.profraw
listing overlap.function overlap --function=classify raw/c-ir-clang19-run1.profraw raw/c-ir-clang19-run2.profraw
listing overlap.cs overlap --cs raw/c-csir-clang19-run1.profraw raw/c-csir-clang19-run2.profraw
listing overlap.csbase overlap indexed/c-base-and-csir-clang19.profdata indexed/c-ir-clang19.merged.profdata
listing error.kinds merge --num-threads=1 --text proftext/basic_fe.proftext proftext/ir_values.proftext
listing error.entry merge --num-threads=1 --text raw/c-ir-entry-clang19-run1.profraw \
    raw/c-ir-functionentry-clang19-run1.profraw
listing mixed.mismatch merge --num-threads=1 --text proftext/ir_values.proftext proftext/mismatch.proftext
listing mixed.kinds merge --num-threads=1 --text raw/tiny-fe-clang19.profraw raw/c-ir-clang19-run1.profraw
listing error.version merge --num-threads=1 --text raw/c-ir-clang16-run1.profraw
listing error.correlate show raw/c-ir-correlate-clang19.profraw
listing overlap.kinds overlap raw/c-fe-clang19-run1.profraw raw/c-ir-clang19-run1.profraw

# ------------------------------------------------------------- check, install

for secret in "$here" "$dest" "$work" "$HOME/"; do
    if grep -rqaF -e "$secret" "$out"; then
        die "a path of this machine is in: $(grep -rlaF -e "$secret" "$out" | head -n 3 | tr '\n' ' ')"
    fi
done

for d in raw text indexed show proftext/gen; do
    rm -rf "${dest:?}/$d"
    mkdir -p "$dest/$(dirname "$d")"
    cp -r "$out/$d" "$dest/$d"
done
cp "$out"/MANIFEST* "$dest/"
if [ "$dest" != "$here" ]; then
    cp "$here"/proftext/*.proftext "$dest/proftext/"
fi
say "done: $(find "$out" -type f | wc -l) files," \
    "$(find "$out" -type f -printf '%s\n' | awk '{ s += $1 } END { print s }') bytes"
