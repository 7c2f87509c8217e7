#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Files that are something else than what a command reads: every command fails, writes nothing, and says what
# the file is, or what would have been right.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

one=$corpus/raw/c-ir-clang19-run1.profraw
recording=$tests/data/branch/perf/big.data
notes=$tests/data/gcc/gcc-12/flow.gcno
counters=$tests/data/gcc/gcc-12/right-a.gcda

# What is no profile, and what is said of it where a profile is expected.
no_profiles() {
    local file said command
    echo '1 main 0 1 main 4 0 1' >app.fdata
    printf 'alice:x:1:1\nbob:x:2:2\n' >passwd
    head -c 100 /dev/zero >zeros
    while IFS='|' read -r file said; do
        for command in 'show' 'merge -o result' 'convert -o result' 'merge -o result -w 2,'; do
            # shellcheck disable=SC2086
            case $command in
            *,) run 1 "$anneal" ${command% *} "2,$file" ;;
            *) run 1 "$anneal" $command "$file" ;;
            esac
            says "$file" "$said"
            never_says 'different kinds'
        done
        run 1 "$anneal" diff "$one" "$file"
        says "$said"
        run 1 "$anneal" peek "$file"
        says "$said"
    done <<END_OF_LIST
passwd|no profile of a known kind (known are LLVM's raw, indexed and text profiles, BOLT's fdata, and GCC's gcda)
zeros|no profile of a known kind
$anneal|name the profiles that the program left when it ran
$recording|anneal aggregate makes a profile of a recording
$notes|the counts are in gcda files
END_OF_LIST
    run 1 "$anneal" merge -o result app.fdata "$recording"
    says 'anneal aggregate makes a profile of a recording'
    run 1 "$anneal" merge -o result app.fdata "$counters" # another family
    says 'merge each kind separately'
    [ ! -e result ]
}

# A text profile that is damaged is told from what is none.
damaged_text() {
    printf ':ir\nmain\nx\n' >begun
    run 1 "$anneal" show begun
    says 'expected a function hash'
    printf 'main\n1\n1\nx\n' >torn
    run 1 "$anneal" show torn
    says 'torn: at byte'
    never_says 'known kind'
}

empty_files() {
    : >empty
    local command
    for command in show 'diff empty' 'convert -o result' 'merge -o result' cov order 'order --hot' \
        extract bat doctor "aggregate -o result $anneal -p" "translate -o result $anneal -p" peek; do
        # shellcheck disable=SC2086
        run 1 "$anneal" $command empty
    done
    [ ! -e result ]
}

empty_folders() {
    mkdir empty
    local command
    for command in show 'merge -o result' 'merge -o result -w 2,empty' cov order 'order --hot' peek; do
        # shellcheck disable=SC2086
        run 1 "$anneal" $command empty
        says 'empty: no '
    done
    run 1 "$anneal" order --hot empty
    says 'no counter files (gcda) in this folder'
    for command in extract bat doctor "aggregate -o result $anneal -p" "aggregate -o result -p $recording"; do
        # shellcheck disable=SC2086
        run 1 "$anneal" $command empty
    done
    [ ! -e result ]
}

no_binaries() {
    run 1 "$anneal" aggregate -p "$anneal" -o result "$recording" # the other way round
    says 'not an ELF file but a big-endian Linux perf recording (perf.data)'
    run 1 "$anneal" bat "$counters"
    says 'not an ELF file but a GCC counter file (gcda)'
    run 1 "$anneal" order -b "$notes" "$one"
    says 'not an ELF file but a GCC notes file (gcno)'
    run 1 "$anneal" bat /etc/passwd
    says 'not an ELF file (name the binary'
    [ ! -e result ]
}

no_recordings() {
    local command
    for command in aggregate translate; do
        run 1 "$anneal" $command -p /etc/passwd -o result "$anneal"
        says 'not a perf recording (perf.data or perf script)'
        run 1 "$anneal" $command -p "$anneal" -o result "$anneal"
        says 'not a perf recording but an ELF program'
        run 1 "$anneal" $command -p "$notes" -o result "$anneal"
        says 'not a perf recording but a GCC notes file'
    done
    [ ! -e result ]
}

no_order() {
    local file
    for file in /etc/passwd "$anneal" "$notes"; do
        run 1 "$anneal" order "$file"
        says "$file" 'expected'
        run 1 "$anneal" order --hot "$file"
        says 'expected'
    done
    run 1 "$anneal" order "$recording"
    says 'name the recorded binary with -b'
}

no_coverage() {
    local file
    for file in /etc/passwd "$anneal" "$recording" "$one"; do
        run 1 "$anneal" cov "$file"
        says "$file" 'not a gcno or gcda file'
    done
}

check 'no profile' no_profiles
check 'damaged text' damaged_text
check 'empty files' empty_files
check 'empty folders' empty_folders
check 'no binary' no_binaries
check 'no recording' no_recordings
check 'nothing with an order in it' no_order
check 'no coverage' no_coverage
finish
