#!/usr/bin/env bash
# The profiles of compilers that Debian 12 does not have: LLVM 11, 17, 18, 22 and 23, and rustc (MANIFEST.others).
# Their own answers were kept when they were made, so none of these tools is needed here.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/golden/differences.sh
. "$tests/golden/differences.sh"

as_text() { # FILE TEXT
    run 0 "$anneal" llvm-profdata merge --text "$corpus/$1"
    same out "$corpus/$2"
    expect_no_words "$1"
}

# From version 10 on they are the same bytes; before LLVM 17 the order of functions is another.
written_as_by_its_llvm() { # FILE LLVM VERSION TEXT INPUT...
    local file=$1 llvm=$2 version=$3 text=$4 input inputs=()
    shift 4
    for input; do
        inputs+=("$corpus/${input#*:}")
    done
    run 0 "$anneal" merge -q --format-version="$version" -o result "${inputs[@]}"
    if [ "$llvm" -ge 17 ]; then
        same result "$corpus/$file"
    else
        run 0 "$anneal" llvm-profdata merge --text result
        same out "$corpus/$text"
    fi
}

while IFS=$'\t' read -r file llvm _ text verdict _ <&3; do
    [ "$verdict" = accept ] && check "$file of LLVM $llvm as text" as_text "$file" "$text"
done 3<"$corpus/MANIFEST.others"
while IFS=$'\t' read -r file llvm version inputs text <&3; do
    case $file in '#'*) continue ;; esac
    check "$file as text" as_text "$file" "$text"
    # shellcheck disable=SC2086 # a list
    check "merged as by LLVM $llvm: $file" written_as_by_its_llvm "$file" "$llvm" "$version" "$text" $inputs
done 3<"$corpus/MANIFEST.others.indexed"
finish
