#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The runtime with objects of compilers that are not installed, which are there as assembly (data/runtime/make.sh).
#
# usage: test_runtime_compilers.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
data=$tests/data/runtime
unset ANNEAL_PROFILE_FILE GCOV_PREFIX GCOV_PREFIX_STRIP

# build OUTPUT PART...: of main.c, whose own code is not instrumented, and the parts
build() {
    # shellcheck disable=SC2046 # words are meant
    gcc-12 -w -O1 "$data/main.c" "${@:2}" -o "$1" $("$anneal" rt)
}

# Three processes, one file: what llvm-profdata made of three files.
as_llvm_23() {
    local _
    build it "$data/clang-23-$1.s"
    export ANNEAL_PROFILE_FILE=all.profraw
    for _ in 1 2 3; do
        run 0 ./it
        [ ! -s err ]
    done
    expect "$(find . -name '*.profraw')" ./all.profraw
    "$tests/support/raw_agrees.py" all.profraw "$data/clang-23-$1.proftext"
}

# A profile that is written after another one was read: the memory that is used for it is not new.
again_23() {
    cat >again.c <<'END'
int part(int times);
int __llvm_profile_write_file(void);
void __llvm_profile_reset_counters(void);
void __llvm_profile_set_filename(const char *name);
int main(void)
{
    part(10);
    __llvm_profile_set_filename("one-%m.profraw");
    int bad = __llvm_profile_write_file();
    bad |= __llvm_profile_write_file(); /* nothing is added */
    __llvm_profile_set_filename("two-%m.profraw");
    __llvm_profile_reset_counters();
    part(10);
    bad |= __llvm_profile_write_file();
    return bad;
}
END
    # shellcheck disable=SC2046 # words are meant
    gcc-12 -w -O1 again.c "$data/clang-23-$1.s" -o again $("$anneal" rt)
    run 0 ./again
    [ ! -s err ] || fail "$(<err)"
    expect "$(find . -name '*.profraw' | wc -l)" 2
    same one-*.profraw two-*.profraw
}

as_libgcov_16() {
    local _
    build it "$data/gcc-16.s"
    export GCOV_PREFIX=. GCOV_PREFIX_STRIP=1
    for _ in 1 2 3; do
        run 0 ./it
        [ ! -s err ]
    done
    same gcc-16.gcda "$data/gcc-16.gcda"
}

# make_other: other.c, which is parts.c with other names
make_other() {
    sed 's/int part(/int other(/; s/add/more/g; s/twice/doubled/g' "$data/parts.c" >other.c
}

# three_runs LINKED...: of a program of main.c and these with anneal's runtime, which leave all.profraw and say nothing
three_runs() {
    local _
    rm -f ./*.profraw
    build it "$@"
    for _ in 1 2 3; do
        ANNEAL_PROFILE_FILE=all.profraw run 0 ./it
        [ ! -s err ] || fail "$*: $(cat err)"
    done
    expect "$(find . -name '*.profraw')" ./all.profraw
}

# runs_of_peer VERSION OPTION NAME LINKED...: three runs with compiler-rt, as the text NAME
runs_of_peer() {
    local run
    "clang-$1" -w -O1 -c "$data/main.c" -o peer_main.o
    "clang-$1" "$2" peer_main.o "${@:4}" -o peer
    for run in 1 2 3; do
        LLVM_PROFILE_FILE=peer-$run run 0 ./peer
    done
    "llvm-profdata-$1" merge --text peer-[123] -o "$3"
}

# Objects of clang 23 and clang 19 in one program, whichever comes first: all counts, in the format of the newer one.
mixed_23() {
    local option=-fprofile-generate
    [ "$1" = ir ] || option=-fprofile-instr-generate
    make_other
    clang-19 -w -O1 -fPIC $option -c other.c
    gcc-12 -O1 -fPIC -c "$data/parts.c" -o plain.o
    runs_of_peer 19 $option other.proftext plain.o other.o
    gcc-12 -c "$data/clang-23-$1.s" -o parts.o
    for order in 'parts.o other.o' 'other.o parts.o'; do
        # shellcheck disable=SC2086 # words are meant
        three_runs $order
        "$tests/support/raw_agrees.py" all.profraw other.proftext "$data/clang-23-$1.proftext"
    done
}

# The same of other releases, which llvm-profdata-19 can read.
mixed_19() {
    local older=$1 option=$2 order
    make_other
    clang-19 -w -O1 -fPIC "$option" -c other.c -o newer.o
    "clang-$older" -w -O1 -fPIC "$option" -c "$data/parts.c" -o older.o
    gcc-12 -O1 -fPIC -c "$data/parts.c" -o plain.o
    runs_of_peer 19 "$option" newer.proftext plain.o newer.o
    runs_of_peer "$older" "$option" older.proftext older.o
    llvm-profdata-19 merge --text newer.proftext older.proftext -o expected
    for order in 'older.o newer.o' 'newer.o older.o'; do
        # shellcheck disable=SC2086 # words are meant
        three_runs $order
        llvm-profdata-19 merge --text all.profraw -o found
        diff <(sort expected) <(sort found)
    done
}

# make_future NAME: objects of a release to come, raw version 12, whose records have a word more: NAME.o
make_future() {
    awk -v ir="$1" '/^\.L__profd_|^__profd_/ { inside = 1 }
        /^\t\.size/ && inside { print "\t.quad 0"; inside = 0 }
        { sub(/72057594037927947/, "72057594037927948") }
        1' "$data/clang-23-$1.s" >"$1.s"
    gcc-12 -c "$1.s" -o "$1.o"
}

# What is not known is told, in one line and with no harm; what is known is kept.
unknown() {
    local order
    make_future ir
    build it ir.o
    export ANNEAL_PROFILE_FILE=all.profraw
    run 0 ./it
    expect "$(wc -l <err)" 1
    says 'anneal: warning: all.profraw: objects of raw version 12 are not counted (this runtime knows versions 7 to 11)'
    [ -z "$(find . -name '*.profraw*')" ]
    make_other
    clang-19 -w -O1 -fPIC -fprofile-generate -c other.c
    gcc-12 -O1 -fPIC -c "$data/parts.c" -o plain.o
    runs_of_peer 19 -fprofile-generate expected plain.o other.o
    for order in 'ir.o other.o' 'other.o ir.o'; do
        rm -f ./*.profraw
        # shellcheck disable=SC2086 # words are meant
        build it $order
        for _ in 1 2 3; do
            run 0 ./it
            expect "$(wc -l <err)" 1
            says 'are not counted, those of version 10 are (this runtime knows versions 7 to 11)'
        done
        [ "$order" = 'other.o ir.o' ] || says 'objects of raw version 12'
        llvm-profdata-19 merge --text all.profraw -o found
        diff <(sort expected) <(sort found)
    done
    # Nobody says which version it is.
    make_future front-end
    build it front-end.o
    rm -f ./*.profraw
    run 0 ./it
    expect "$(wc -l <err)" 1
    says 'objects of an unknown raw version are not counted'
}

# The same of GCC, whose objects have a file each: those of 12 are counted beside one of 17.
unknown_gcc() {
    sed 's/1110848042/1110913578/' "$data/gcc-16.s" >future.s
    echo 'int other(int x) { return x ? 2 : 3; }' >other.c
    gcc-12 -w --coverage -c other.c
    # shellcheck disable=SC2046 # words are meant
    gcc-12 -w -O1 "$data/main.c" future.s other.o -o it $("$anneal" rt)
    run 0 ./it
    expect "$(wc -l <err)" 1
    says 'gcc-16.gcda: compiled by GCC 17; not counted (this runtime knows GCC 11 to 16)'
    [ ! -e gcc-16.gcda ]
    gcov-dump-12 -l other.gcda | grep 'runs=1,'
}

for kind in ir front-end; do
    check_with 'gcc-12 python3' "clang 23, $kind: as compiler-rt has it" as_llvm_23 $kind
    check_with gcc-12 "clang 23, $kind: written again" again_23 $kind
done
peers='gcc-12 clang-19 llvm-profdata-19'
for kind in ir front-end; do
    check_with "$peers python3" "clang 23 and 19 in one program, $kind" mixed_23 $kind
done
for older in 13 14 16; do
    for option in -fprofile-generate -fprofile-instr-generate; do
        check_with "$peers clang-$older llvm-profdata-$older" "clang $older and 19 in one program, $option" \
            mixed_19 $older $option
    done
done
check_with "$peers" 'objects of a release to come are told, others counted' unknown
check_with 'gcc-12 gcov-dump-12' 'objects of a GCC to come are told, others counted' unknown_gcc
check_with 'gcc-12' 'gcc 16, with conditions and paths: the bytes of libgcov' as_libgcov_16
finish
