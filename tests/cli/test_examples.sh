#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The examples of the reference pages: their commands are run as they stand there, on the interpreter of examples/, and
# print what the page shows. Any number stands for any other, any number of spaces for one, and "..." for anything: other
# machines print other figures. Pages whose examples need a running server, or a cold page cache, are not among them.
#
# usage: test_examples.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
pages=$tests/../docs/reference
interp=$tests/../examples/interp

# commands PAGE: makes NUMBER.command and NUMBER.expected of each command in the page's example
commands() {
    awk '/^## / { inside = $0 == "## Example" } !inside { next }
        /^    \$ / { file = sprintf("%03d", ++n); print substr($0, 7) >(file ".command"); more = /\\$/; printf "" >(file ".expected"); next }
        more { print substr($0, 5) >(file ".command"); more = /\\$/; next }
        file && /^    / { for (; blank > 0; blank--) print "" >(file ".expected"); print substr($0, 5) >(file ".expected"); next }
        file && /^$/ { blank++; next }
        { file = ""; blank = 0 }' "$pages/$1.md"
}

# plain: numbers, spaces and the place of the work as they are compared
plain() {
    sed -E "s#$PWD#/src/interp#g; s/[0-9]+([,.][0-9]+)*/0/g; s/[[:space:]]+/ /g; s/^ //; s/ \$//"
}

# matches EXPECTED ACTUAL
matches() {
    local actual pattern
    actual=$(plain <"$2")
    pattern=$(plain <"$1" | sed 's/[][*?\\]/\\&/g; s/\.\.\./*/g')
    # shellcheck disable=SC2053 # a pattern
    [[ $actual == $pattern ]]
}

# follow PAGE: in this folder, where the sources are
follow() {
    local command status=0 PATH=$scratch/bin:$PATH
    commands "$1"
    [ -e 002.command ] || fail "$1.md has no example"
    for command in *.command; do
        cp "$command" said.sh
        # The shell of the example goes on, so that `echo $?` and variables mean what they mean there.
        # shellcheck disable=SC2015
        { (exit $status); . ./said.sh; } >printed 2>&1 </dev/null && status=0 || status=$?
        [ -s "${command%.command}.expected" ] || continue
        matches "${command%.command}.expected" printed ||
            fail "$1.md: $(cat "$command")
$(diff "${command%.command}.expected" printed)"
    done
}

sources() {
    cp -r "$interp"/*.[ch] "$interp/workloads" .
}

# clang_runs SIZE...: a profile in raw/ for each size of the workload
clang_runs() {
    local size number=0
    # shellcheck disable=SC2035 # the profile has the names as they are given
    clang-19 -O2 -fprofile-generate -o interp-train *.c -lm
    for size; do
        LLVM_PROFILE_FILE=raw/$((++number)).profraw ./interp-train workloads/wordcount.txt "$size" >/dev/null
    done
}

# run1, run2 of words and run3 of numbers: GCC's counters
gcc_runs() {
    mkdir build
    for source in *.c; do
        gcc-12 -O2 -fprofile-generate -ftest-coverage -c -o "build/${source%.c}.o" "$source"
    done
    gcc-12 -fprofile-generate -o build/interp build/*.o -lm
    export GCOV_PREFIX_STRIP
    GCOV_PREFIX_STRIP=$(pwd | tr -cd / | wc -c)
    GCOV_PREFIX=run1 ./build/interp workloads/wordcount.txt 1000 >/dev/null
    GCOV_PREFIX=run2 ./build/interp workloads/wordcount.txt 2000 >/dev/null
    GCOV_PREFIX=run3 ./build/interp workloads/sieve.txt 1000 >/dev/null
}

example_of_train() {
    sources
    follow train
}

# runs: of both compilers, made once for all pages that look at them
runs() {
    if [ ! -e "$scratch/runs" ]; then
        sources
        clang_runs 1500 2000 2500 3000
        gcc_runs
        cp -r . "$scratch/runs"
    else
        cp -r "$scratch/runs/." .
    fi
}

example_of_merge() {
    runs
    head -c 6000 raw/2.profraw >raw/5.profraw
    : >raw/6.profraw
    follow merge
}

# profiles: those that show, diff and convert look at, made once
profiles() {
    if [ -e "$scratch/profiles" ]; then
        cp -r "$scratch/profiles/." .
        return
    fi
    runs
    "$anneal" merge -q -o interp.profdata raw
    "$anneal" merge -q -o total run1 run2
    "$anneal" train -q -o other.profdata ./interp-train {} 2000 ::: workloads/{sieve,strings,wordcount}.txt
    mkdir new
    awk 'BEGIN {
        print "1 vm_run 1c 1 vm_run 40 0 800\n1 vm_run 40 1 heap_alloc 0 0 20"
        print "1 heap_alloc 14 1 heap_alloc 20 0 300\n1 arith.isra.0/1 1a 1 arith.isra.0/1 1c 0 100"
        for (i = 0; i < 99; i++) printf "1 find/1 %x 1 find/1 %x 0 1\n", i, i + 9
    }' >interp.fdata
    cp -r . "$scratch/profiles"
}

example_of_show() {
    profiles
    follow show
}

example_of_diff() {
    profiles
    follow diff
}

example_of_convert() {
    profiles
    follow convert
}

example_of_cov() {
    sources
    follow cov
}

example_of_extract() {
    cp "$tests/data/console/logs/cores.log" .
    follow extract
}

example_of_order() {
    sources
    follow order
}

example_of_cc() {
    sources
    printf '%s\n' 'CC = cc' 'CFLAGS = -O2' 'interp: builtins.o compiler.o disasm.o heap.o main.o map.o vm.o' \
        '	$(CC) $(CFLAGS) -o $@ $^ -lm' 'clean: ; rm -f *.o interp' >Makefile
    ANNEAL_CC=gcc-12 follow cc
}

# The judge is judged first.
finds_differences() {
    pages=$PWD
    mkdir a b
    printf '%s\n' '## Example' '' '    $ true' '    $ echo one 2' '    one 7' >good.md
    (cd a && follow good)
    printf '%s\n' '## Example' '' '    $ true' '    $ echo one two' '    one' >bad.md
    ! (cd b && follow bad) >said || fail 'a difference was not seen'
}

mkdir "$scratch/bin"
ln -s "$anneal" "$scratch/bin/anneal"
check 'differences are found' finds_differences
check_with clang-19 'train' example_of_train
check_with 'clang-19 gcc-12' 'merge' example_of_merge
check_with 'clang-19 gcc-12' 'show' example_of_show
check_with 'clang-19 gcc-12' 'diff' example_of_diff
check_with 'clang-19 gcc-12' 'convert' example_of_convert
check_with gcc-12 'cov' example_of_cov
check 'extract' example_of_extract
check_with 'clang-19 ld.lld-19' 'order' example_of_order
check_with 'gcc-12 make' 'cc' example_of_cc
finish
