#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What does not belong together is refused, and the message names which file is what.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

ir=$corpus/raw/c-ir-clang19-run1.profraw
frontend=$corpus/raw/c-fe-clang19-run1.profraw

# stranger FILE WORDS: is refused beside a profile and alone, by its name
stranger() {
    for command in "merge -o result $ir $1" "merge -o result $1" "merge -o result $1 $ir"; do
        run 1 "$anneal" $command
        says "$1" "not an LLVM instrumentation profile but $2"
    done
    run 0 "$anneal" merge -o result "$1" "$ir" --failure-mode=warn
    says "rejected: $1: at byte 0: not an LLVM instrumentation profile but $2"
}

other_families() {
    printf 'oncg*33B\1\2\3\4' >run.gcno
    stranger run.gcno 'a GCC notes file (gcno)'
    printf 'PERFILE2h\0\0\0\0\0\0\0' >perf.data
    stranger perf.data 'a Linux perf recording (perf.data)'
    cp "$(type -P true)" program
    stranger program 'an ELF program or object file, not its profile'
    gzip -c "$ir" >run.profraw.gz
    stranger run.profraw.gz 'a gzip file; decompress it first'
}

# Whatever comes first, and whatever is to happen with damaged inputs.
llvm_and_bolt() {
    printf '1 main 0 1 main 1c 0 12\n' >run.fdata
    local inputs mode
    for inputs in "run.fdata $ir" "$ir run.fdata"; do
        for mode in any all warn; do
            run 1 "$anneal" merge -o result $inputs --failure-mode=$mode
            says "run.fdata is a BOLT profile (fdata), $ir an LLVM profile" \
                'merge each kind separately'
            [ ! -e result ]
        done
    done
    mkdir folder
    cp "$ir" run.fdata folder
    run 1 "$anneal" merge -o result folder
    says 'is a BOLT profile (fdata), folder/' 'merge each kind separately'
}

gcc_and_others() {
    local inputs mode gcda=$tests/data/gcc/gcc-12/values-1.gcda
    printf '1 main 0 1 main 1c 0 12\n' >run.fdata
    for mode in any all warn; do
        for inputs in "$gcda $ir" "$ir $gcda"; do
            run 1 "$anneal" merge -o result $inputs --failure-mode=$mode
            says "$gcda is a GCC profile (gcda), $ir an LLVM profile" 'merge each kind separately'
        done
        for inputs in "$gcda run.fdata" "run.fdata $gcda"; do
            run 1 "$anneal" merge -o result $inputs --failure-mode=$mode
            says "$gcda is a GCC profile (gcda), run.fdata a BOLT profile (fdata)"
        done
        [ ! -e result ]
    done
    run 1 "$anneal" llvm-profdata show "$gcda"
    says "error: $gcda: truncated profile data" # as LLVM's tool, which takes it for text
}

something_unknown() {
    head -c 100 /dev/zero >zeros
    run 1 "$anneal" merge -o result zeros
    says 'zeros: at byte 0: no profile of a known kind' "LLVM's" fdata gcda
    run 1 "$anneal" show zeros
    says 'zeros: at byte 0: no profile of a known kind' "LLVM's" fdata gcda
}

# first FILE SECOND FILE WORDS...
apart() {
    run 1 "$anneal" merge -o result "$1" "$2"
    shift
    says "$@" 'merge each kind separately'
    [ ! -e result ]
}

ir_and_front_end() {
    apart "$ir" "$frontend" 'front-end (-fprofile-instr-generate) profile' \
        'the inputs before it are IR (-fprofile-generate) profiles'
    apart "$frontend" "$ir" 'IR (-fprofile-generate) profile' \
        'the inputs before it are front-end (-fprofile-instr-generate) profiles'
    apart "$corpus/indexed/c-ir-clang13.merged.profdata" "$corpus/proftext/basic_fe.proftext" \
        'front-end (-fprofile-instr-generate) profile'
}

entries_and_blocks() {
    apart "$corpus/raw/c-ir-entry-clang19-run1.profraw" \
        "$corpus/raw/c-ir-functionentry-clang19-run1.profraw" \
        'profiles of function entries cannot be merged with profiles of all blocks'
}

plain_and_context_sensitive() {
    run 0 "$anneal" merge -q -o result "$corpus/raw/c-base-clang19-run1.profraw" \
        "$corpus/raw/c-csir-clang19-run1.profraw" "$corpus/raw/c-csir-clang19-run2.profraw"
    same result "$corpus/indexed/c-base-and-csir-clang19.profdata"
}

correlation() {
    for name in c-ir-correlate-clang14 c-ir-correlate-clang19 c-ir-correlatebinary-clang19; do
        run 1 "$anneal" merge -o result "$corpus/raw/$name.profraw"
        says "$name" 'raw profile without function data' 'merge it with --binary-file or --debug-info'
        run 1 "$anneal" show "$corpus/raw/$name.profraw"
        says 'raw profile without function data'
    done
}

# What Rust and clang, or several clangs, leave in one folder.
all_raw_versions() {
    run 0 "$anneal" merge -o result "$corpus"/raw/c-fe-clang1[136789]-run1.profraw
    says 'merged 6 of 6 inputs'
    printf '\201rforpl\377\14\0\0\0\0\0\0\0' >newer.profraw
    run 1 "$anneal" merge -o result newer.profraw
    says 'newer.profraw: at byte 8: raw profile version 12, expected 5 to 11' \
        'written by a compiler later than'
    printf '\377lprofi\201\143\0\0\0\0\0\0\0%24s' '' >newer.profdata
    run 1 "$anneal" merge -o result newer.profdata
    says 'newer.profdata: at byte 8: indexed profile version 99, expected 1 to'
}

check 'files of other families' other_families
check 'LLVM and BOLT profiles' llvm_and_bolt
check 'GCC profiles and others' gcc_and_others
check 'something unknown' something_unknown
check 'IR and front-end profiles' ir_and_front_end
check 'function entries and blocks' entries_and_blocks
check 'plain and context-sensitive profiles belong together' plain_and_context_sensitive
check 'profiles for correlation' correlation
check 'all raw versions in one merge, and those to come' all_raw_versions
finish
