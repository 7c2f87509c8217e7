#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The runtime with musl for a C library: as it is installed, and compiled with musl's headers.
#
# usage: test_runtime_musl.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
programs=$tests/runtime/programs
unset ANNEAL_PROFILE_FILE LLVM_PROFILE_FILE GCOV_PREFIX GCOV_PREFIX_STRIP

# flags_for WHOSE: what links the runtime that is installed, or one made with musl-gcc
flags_for() {
    local flags source library
    flags=$("$anneal" rt --ldflags)
    if [ "$1" = made ]; then
        mkdir objects
        for source in "$tests"/../runtime/core/*.c "$tests"/../runtime/hosted/*.c; do
            musl-gcc -std=c17 -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -fPIC -fvisibility=hidden \
                -I "$tests/../runtime" -c "$source" -o "objects/$(basename "$source").o"
        done
        ar rcs libanneal_rt.a objects/*.o
        library=$("$anneal" rt --library)
        flags=${flags/$library/$PWD/libanneal_rt.a}
    fi
    echo "$flags"
}

# build COMPILER SOURCE OUTPUT [OPTION...]: clang compiles with musl's headers, and musl-gcc links
build() {
    local object
    object=$3-$(basename "$2" .c).o
    case $1 in
    clang*)
        "$1" -w -O1 -nostdlibinc -isystem /usr/include/x86_64-linux-musl -fprofile-generate -c "$2" -o "$object"
        ;;
    *) musl-gcc -w -O1 -fprofile-generate -c "$2" -o "$object" ;;
    esac
    # shellcheck disable=SC2086 # words are meant
    musl-gcc "${@:4}" "$object" -o "$3" $flags
}

# calls FILE: of f9, which steps.c calls ten times
calls() {
    case $1 in
    *.gcda) gcov-dump-12 -l "$1" | sed -n 's/.*OBJECT_SUMMARY runs=\([0-9]*\).*/\1/p' | awk '{ print 10 * $1 }' ;;
    *) llvm-profdata-19 show --counts --function=f9 "$1" | sed -n 's/.*Block counts: .\([0-9]*\).*/\1/p' ;;
    esac
}

# works COMPILER WHOSE [OPTION...]
works() {
    local compiler=$1 whose=$2 file=all.profraw flags
    shift 2
    flags=$(flags_for "$whose")
    build "$compiler" "$programs/steps.c" steps "$@"
    readelf -p .interp steps | grep musl || [ "$*" = -static ]
    export ANNEAL_PROFILE_FILE=all.profraw
    [ "$compiler" = clang-19 ] || file=steps-steps.gcda
    seq 20 | xargs -P 8 -n 1 ./steps 2>err
    [ ! -s err ]
    expect "$(calls "$file")" 200
    # What is damaged is set aside, and what cannot be written said.
    echo 'no profile' >"$file"
    run 0 ./steps
    says 'moved aside'
    expect "$(cat "$file.damaged")" 'no profile'
    expect "$(calls "$file")" 10
    export ANNEAL_PROFILE_FILE=steps/all.profraw GCOV_PREFIX=$PWD/steps
    run 0 ./steps
    says 'Not a directory'
    unset GCOV_PREFIX
    # Signals, threads, ends.
    export ANNEAL_PROFILE_FILE=guest.profraw ANNEAL_DUMP_SIGNAL=USR2
    build "$compiler" "$programs/guest.c" guest "$@"
    run 0 timeout -s KILL 60 ./guest cancel
    run 0 timeout -s KILL 60 ./guest pipe
}

for compiler in clang-19 gcc-12; do
    for whose in installed made; do
        check_with "musl-gcc $compiler llvm-profdata-19 gcov-dump-12 readelf" \
            "musl, $compiler, the runtime as it is $whose" works $compiler $whose
        check_with "musl-gcc $compiler llvm-profdata-19 gcov-dump-12 readelf" \
            "musl, $compiler, the runtime as it is $whose, static" works $compiler $whose -static
    done
done
finish
