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
    export LLVM_PROFILE_FILE=all.profraw
    for _ in 1 2 3; do
        run 0 ./it
        [ ! -s err ]
    done
    expect "$(find . -name '*.profraw')" ./all.profraw
    "$tests/support/raw_agrees.py" all.profraw "$data/clang-23-$1.proftext"
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

for kind in ir front-end; do
    check_with 'gcc-12 python3' "clang 23, $kind: as compiler-rt has it" as_llvm_23 $kind
done
check_with 'gcc-12' 'gcc 16, with conditions and paths: the bytes of libgcov' as_libgcov_16
finish
