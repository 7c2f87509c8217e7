#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What llvm-profdata 19 prints, word for word (MANIFEST.show).
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

ln -s "$anneal" "$scratch/llvm-profdata"

prints_the_same() {
    local status=0
    (cd "$corpus" && "$scratch/llvm-profdata" $3) >out 2>&1 || status=$?
    same out "$corpus/$1"
    expect $status "$2"
}

# llvm-profdata merges raw profiles of both kinds without a word.
refuses_to_mix() {
    (cd "$corpus" && ! "$scratch/llvm-profdata" $3) >out 2>err
    says 'Merge IR generated profile with Clang generated profile.' # as it says of text
    expect "$2" 0
}

# llvm-profdata 19 reads version 10 only; anneal reads this one too.
reads_another_version() {
    (cd "$corpus" && "$scratch/llvm-profdata" $3) >out
    same out "$corpus/text/c-ir-clang16-run1.profraw.text"
    expect "$2" 1
}

# llvm-profdata 19 shows an empty profile when there is no function data.
refuses_correlation() {
    (cd "$corpus" && ! "$scratch/llvm-profdata" $3) >out 2>err
    says 'raw profile without function data'
    expect "$2" 0
}

while IFS=$'\t' read -r output _ status arguments <&3; do
    case $output in
    \#*) ;;
    show/mixed.kinds.txt)
        check "$arguments: refused" refuses_to_mix "$output" "$status" "$arguments"
        ;;
    show/error.version.txt)
        check "$arguments: read" reads_another_version "$output" "$status" "$arguments"
        ;;
    show/error.correlate.txt)
        check "$arguments: refused" refuses_correlation "$output" "$status" "$arguments"
        ;;
    *) check "$arguments" prints_the_same "$output" "$status" "$arguments" ;;
    esac
done 3<"$corpus/MANIFEST.show"
finish
