#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# make-others.sh CHROOT VERSION|rustc...
#
# Adds golden files of compilers that Debian 12 does not have by default: LLVM 11 (Debian 11), and 17,
# 18, 22 and 23 (later Debians). CHROOT is a system in which clang-VERSION, its profile runtime
# (libclang-common-VERSION-dev or libclang-rt-VERSION-dev) and llvm-VERSION are installed, as
# debootstrap makes it; for rustc, llvm of the version that it is built with. Needs root, for chroot. Writes raw/, text/ and indexed/ here; the lines for
# MANIFEST.others and MANIFEST.others.indexed are printed and have to be put there by hand.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
root=$1
shift
work=$root/tmp/anneal-corpus
rm -rf "$work"
mkdir -p "$work"
cp -r "$here/src" "$work/src"

inside() {
    chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin /bin/sh -ec "cd /tmp/anneal-corpus; $*"
}

manifest() { # RAW VERSION KIND
    local word
    word=$(od -An -tx8 -j8 -N8 "$here/raw/$1" | tr -d ' ')
    printf 'raw/%s\t%s\t%s\ttext/%s.text\taccept\t64le\t%s\n' "$1" "$2" "$3" "$1" "$word"
}

# keep LLVM NAME KIND: the profiles of two runs, and what llvm-profdata makes of them
keep() {
    local v=$1 name=$2 kind=$3 run version
    for run in 1 2; do
        inside "/usr/lib/llvm-$v/bin/llvm-profdata merge --text $name-run$run.profraw -o $name-run$run.profraw.text"
        cp "$work/$name-run$run.profraw" "$here/raw/"
        cp "$work/$name-run$run.profraw.text" "$here/text/"
        manifest "$name-run$run.profraw" "$v" "$kind"
    done
    inside "/usr/lib/llvm-$v/bin/llvm-profdata merge --num-threads=1 $name-run1.profraw $name-run2.profraw -o $name.merged.profdata"
    inside "/usr/lib/llvm-$v/bin/llvm-profdata merge --text $name.merged.profdata -o $name.merged.profdata.text"
    cp "$work/$name.merged.profdata" "$here/indexed/"
    cp "$work/$name.merged.profdata.text" "$here/text/"
    version=$(od -An -tu4 -j8 -N4 "$work/$name.merged.profdata" | tr -d ' ')
    printf 'indexed/%s.merged.profdata\t%s\t%s\t1:raw/%s-run1.profraw 1:raw/%s-run2.profraw\ttext/%s.merged.profdata.text\n' \
        "$name" "$v" "$version" "$name" "$name" "$name"
}

# No GPU is needed for these: the uniform counters are made up.
uniform() { # LLVM
    local run
    for run in 1 2; do
        "$here/make-uniform.py" "$work/c-ir-clang$1-run$run.profraw" $run \
            >"$work/uniform-ir-clang$1-run$run.profraw"
    done
    keep "$1" "uniform-ir-clang$1" ir
}

make() { # LLVM NAME KIND FLAGS SOURCES
    local v=$1 name=$2 run
    inside "cd src; clang-$v -O1 $4 -Wl,--build-id=none $5 -o ../$name"
    for run in 1 2; do
        inside "LLVM_PROFILE_FILE=$name-run$run.profraw setarch -R ./$name $run $((5 * run)) >/dev/null"
    done
    keep "$v" "$name" "$3"
}

# What Debian calls rustc: its own code generator, the profiling runtime in Rust's library.
make_rust() {
    local v release name run
    v=$(inside 'rustc -vV' | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
    release=$(inside 'rustc -V' | sed 's/^rustc \([0-9]*\.[0-9]*\).*/\1/')
    name=rust-ir-rustc$release
    inside "cd src; rustc -O -Ccodegen-units=1 -Csymbol-mangling-version=v0 -Cprofile-generate -Clink-arg=-Wl,--build-id=none \
        generic.rs -o ../$name"
    for run in 1 2; do
        inside "LLVM_PROFILE_FILE=$name-run$run.profraw setarch -R ./$name $run $((5 * run)) 27 >/dev/null"
    done
    keep "$v" "$name" ir
}

for v in "$@"; do
    if [ "$v" = rustc ]; then
        make_rust
        continue
    fi
    frontend=-fprofile-instr-generate
    mcdc=
    [ "$v" -lt 18 ] || mcdc="-fcoverage-mapping -fcoverage-mcdc" # MC/DC came with raw version 9
    make "$v" "c-ir-clang$v" ir -fprofile-generate "ops_main.c ops_util.c"
    make "$v" "c-fe-clang$v" fe "$frontend $mcdc" "ops_main.c ops_util.c"
    [ "$v" -ge 22 ] || continue
    make "$v" "large-fe-clang$v" fe $frontend large.c
    make "$v" "loops-ir-clang$v" ir "-fprofile-generate -mllvm -pgo-instrument-loop-entries" loops.c
    [ "$v" -ge 23 ] || continue
    make "$v" "cond-fe-mcdc-clang$v" fe "$frontend $mcdc" cond.c
    make "$v" "c-ir-block-clang$v" ir "-fprofile-generate -mllvm -pgo-block-coverage" \
        "ops_main.c ops_util.c"
    make "$v" "c-ir-temporal-clang$v" ir "-fprofile-generate -mllvm -pgo-temporal-instrumentation" \
        "ops_main.c ops_util.c"
    uniform "$v"
    make "$v" "cxx-ir-vtable-clang$v" ir \
        "--driver-mode=g++ -fprofile-generate -mllvm -enable-vtable-value-profiling" \
        "shapes_main.cpp shapes_other.cpp"
done
rm -rf "$work"
