#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Programs of a size that is usual: the interpreter of the demo, and a C++ program with two shared libraries,
# templates, exceptions and virtual calls. Count for count and value for value the profiles are what the
# compiler's own runtime leaves.
#
# usage: test_runtime_same.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
programs=$tests/runtime/programs
example=$tests/../examples/interp
unset ANNEAL_PROFILE_FILE GCOV_PREFIX GCOV_PREFIX_STRIP

# Room for all values: what does not fit is another matter (docs/reference/rt.md).
room='-mllvm -vp-counters-per-site=24'

# compile COMPILER OPTION... SOURCE...: an object of each source
compile() {
    "$1" -w -O2 -fprofile-generate -c "${@:2}"
}

# link COMPILER WHOSE OPTION...
link() {
    local flags=
    [ "$2" = theirs ] || flags=$("$anneal" rt --ldflags)
    # shellcheck disable=SC2086 # words are meant
    "$1" -fprofile-generate "${@:3}" $flags
}

# build_interp COMPILER [OPTION...]: theirs/interp and ours/interp
build_interp() {
    local whose
    compile "$@" -std=gnu17 "$example"/*.c
    for whose in theirs ours; do
        mkdir $whose
        link "$1" $whose ./*.o -o $whose/interp -lm
    done
}

# build_shop COMPILER [OPTION...]: theirs/shop and ours/shop, each with its libraries
build_shop() {
    local whose
    compile "$@" -std=c++17 -fPIC "$programs"/shop/*.cc
    for whose in theirs ours; do
        mkdir $whose
        link "$1" $whose -shared goods.o -o $whose/libgoods.so
        link "$1" $whose -shared prices.o -o $whose/libprices.so
        link "$1" $whose main.o -o $whose/shop -L$whose -lprices -lgoods -Wl,-rpath,'$ORIGIN'
    done
}

# The runs of each: words of a command line.
interp_runs() {
    local workload size
    while read -r workload size; do
        echo "interp $example/workloads/$workload.txt $size"
    done <<<$'fib 12\nsieve 300\nnbody 20\nmatmul 6\nwordcount 100\nquicksort 90\nstrings 12\nqueens 4\nfib 14'
}

shop_runs() {
    printf 'shop %s\n' 50 1 200 50 7
}

# counts VERSION PROFILE...: all that is in them together, sorted; see counts.awk
counts() {
    "llvm-profdata-$1" merge --text "${@:2}" -o text
    awk -f "$tests/support/counts.awk" text | sort
}

# llvm_same VERSION PROGRAM FILES [OPTION...]: as many profiles. compiler-rt has a file for each run and module,
# and its tool adds them up.
llvm_same() {
    local version=$1 program=$2 files=$3 number=0 file
    "build_$program" "clang$([ "$program" = interp ] || echo ++)-$version" $room "${@:4}"
    while read -r words; do
        number=$((number + 1))
        # shellcheck disable=SC2086 # words are meant
        LLVM_PROFILE_FILE=raw/$number-%m.profraw run 0 theirs/$words
        [ ! -s err ]
        mv out expected
        # shellcheck disable=SC2086
        ANNEAL_PROFILE_FILE=all-%m.profraw run 0 ours/$words
        [ ! -s err ]
        same out expected
    done < <("${program}_runs")
    expect "$(find . -name 'all-*' | wc -l)" "$files"
    # Modules are told apart by a function that only one of them has: their numbers are not the same.
    for file in all-*.profraw; do
        counts "$version" "$file" >now
        mv now "ours.$(module now)"
    done
    for file in raw/1-*; do
        counts "$version" raw/*-"${file#raw/1-}" >now
        mv now "theirs.$(module now)"
    done
    expect "$(find . -name 'ours.*' -o -name 'theirs.*' | wc -l)" $((2 * files))
    for file in ours.*; do
        diff "theirs.${file#ours.}" "$file"
        grep -q ^arc "$file"
    done
    grep -q ^call ours.*
    grep -q ^size ours.*
    [ $# -eq 3 ] || grep -q 'table ' ours.*
}

# module COUNTS: a name for the module
module() {
    cut -d ' ' -f 2 "$1" | sed 's/:.*//' | sort -u | sha1sum | cut -c 1-10
}

destroyed() {
    cat >it.cc <<'END_OF_SOURCE'
__attribute__((noinline)) static void work() { __asm__ volatile(""); }
struct Last {
    ~Last() { work(); }
} last;
int main() { work(); }
END_OF_SOURCE
    compile clang++-19 it.cc
    link clang++-19 ours it.o -o it
    ANNEAL_PROFILE_FILE=all.profraw run 0 ./it
    counts 19 all.profraw >found
    grep 'work.* 2$' found
}

# dump VERSION FOLDER [IGNORED]: all that is in its files, but for some kinds of counters
dump() {
    local file
    for file in "$2"/*.gcda; do
        echo "${file##*/}"
        "gcov-dump-$1" -l "$file" | sed 's/^[^:]*://' | awk -v ignored="${3:-none}" '
            /:COUNTERS|:FUNCTION/ { leave = $0 ~ ":COUNTERS (" ignored ")" }
            !leave'
    done
}

# gcc_same VERSION PROGRAM FILES [OPTION...]: byte for byte. Some values are addresses: no randomisation, names of
# one length, for the stack begins below them, and no heap behind the program, which is not of one size. Nor are the
# libraries, above which others lie: so "ior", which has their addresses, is left out.
gcc_same() {
    local version=$1 program=$2 files=$3 whose ignored=
    "build_$program" "g$([ "$program" = interp ] && echo cc || echo ++)-$version" "${@:4}"
    [ "$program" = interp ] || ignored=ior
    mkdir used
    for whose in theirs ours; do
        mv $whose used/it
        while read -r words; do
            # shellcheck disable=SC2086 # words are meant
            GLIBC_TUNABLES=glibc.malloc.mmap_threshold=0 GCOV_PREFIX=$PWD/gcda.now GCOV_PREFIX_STRIP=99 \
                run 0 setarch -R used/it/$words
            [ ! -s err ]
            cat out
        done < <("${program}_runs") >said.$whose
        mv gcda.now gcda.$whose
        mv used/it $whose
        dump "$version" gcda.$whose $ignored >dump.$whose
    done
    same said.ours said.theirs
    diff dump.theirs dump.ours
    [ "$program" != interp ] || diff -r gcda.theirs gcda.ours
    expect "$(find gcda.ours -type f | wc -l)" "$files"
}

for version in 14 16 19; do
    for program in interp shop; do
        files=$([ $program = interp ] && echo 1 || echo 3)
        check_with "clang-$version clang++-$version llvm-profdata-$version" \
            "clang $version: $program as compiler-rt has it" llvm_same $version $program "$files"
    done
done
check_with 'clang++-19 llvm-profdata-19' 'clang 19: shop as compiler-rt has it, with its virtual tables' \
    llvm_same 19 shop 3 -mllvm -enable-vtable-value-profiling
check_with 'clang++-19 llvm-profdata-19' 'clang 19: what destructors of static objects do is counted' destroyed
for version in 11 12; do
    for program in interp shop; do
        files=$([ $program = interp ] && find "$example" -name '*.c' | wc -l || echo 3)
        for update in single atomic; do
            # threads' counters are of the same layout: one of them is quick
            [ $update = single ] || tier long
            check_with "gcc-$version g++-$version gcov-dump-$version setarch" "gcc $version: $program as libgcov has it, $update" \
                gcc_same $version $program "$files" -fprofile-update=$update
            tier check
        done
    done
done
finish
