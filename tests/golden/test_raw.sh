#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every raw profile of the corpus (MANIFEST, MANIFEST.others) as text, and through indexed files of
# its own LLVM.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/golden/differences.sh
. "$tests/golden/differences.sh"

accepted() {
    run 0 "$anneal" llvm-profdata merge --text "$corpus/$1"
    same_text "$1" "$corpus/$2" out
    expect_no_words "$1"
}

# llvm-profdata 19 gives an empty profile for some of these without a word, and reads beyond the
# counters of the malformed one. anneal says what is the matter.
refused() {
    run 1 "$anneal" merge -o result "$corpus/$1"
    case $2 in
    *malformed*) says 'has no counters' ;;
    *) says 'raw profile without function data' 'merge it with --binary-file or --debug-info' ;;
    esac
    [ ! -e result ] || fail 'a result was written'
}

# What anneal writes for the LLVM that made the file is read by its llvm-profdata. A profile without functions is not
# written, but by the name of LLVM's tool, which writes it.
read_by_its_llvm() {
    if ! grep -q '^# Func Hash' "$corpus/$2"; then
        for command in merge convert; do
            run 1 "$anneal" $command -q -o result "$corpus/$1"
            says 'nothing written: '
            [ ! -e result ]
        done
        run 0 "$anneal" llvm-profdata merge -o result "$corpus/$1"
        run 0 "llvm-profdata-$3" merge -o expected "$corpus/$1"
        same result expected
        return
    fi
    run 0 "$anneal" merge -q --format-version="$(version_for "$3")" -o result "$corpus/$1"
    run 0 "llvm-profdata-$3" merge --text -o text result
    if [[ $1 = *functionentry* ]]; then # neither file has the marker (see differences.sh)
        same text "$corpus/$2"
    else
        expected_text "$1" "$corpus/$2" >expected
        same text expected
    fi
}

# The columns are parted by tabs; some are of no interest here.
while IFS=$'\t' read -r file llvm kinds text verdict _ <&3; do
    case $verdict in
    accept)
        check "$file as text" accepted "$file" "$text"
        check_with "llvm-profdata-$llvm" "$file for llvm-profdata-$llvm" \
            read_by_its_llvm "$file" "$text" "$llvm"
        ;;
    refuse) check "$file is refused" refused "$file" "$kinds" ;;
    esac
done 3<"$corpus/MANIFEST"

# Made by compilers that Debian 12 does not have.
while IFS=$'\t' read -r file _ _ text verdict _ <&3; do
    [ "$verdict" != accept ] || check "$file as text" accepted "$file" "$text"
done 3<"$corpus/MANIFEST.others"
finish
