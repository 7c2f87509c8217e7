#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every indexed profile of the corpus (MANIFEST.indexed): read, made again from its inputs, and for
# LLVM 19 byte for byte the same; for the older ones, read by the llvm-profdata of that version.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/golden/differences.sh
. "$tests/golden/differences.sh"

# reads FILE TEXT OPTIONS
reads() {
    run 0 "$anneal" llvm-profdata merge --text $3 "$corpus/$1"
    case $1 in
    indexed/text-saturate-*) same out "$corpus/$2" ;; # a count stays what it is in the file
    *) same_text "$1" "$corpus/$2" out ;;
    esac
}

# merges FILE TEXT OPTIONS INPUTS
merges() {
    as_arguments $4
    run 0 "$anneal" llvm-profdata merge --text $3 "${arguments[@]}"
    same_text "$1" "$corpus/$2" out
}

# writes FILE OPTIONS INPUTS
writes() {
    as_arguments $3
    run 0 "$anneal" llvm-profdata merge $2 -o result "${arguments[@]}"
    case $1 in
    # With --write-prev-version llvm-profdata 19 writes sites of virtual tables, a kind of value
    # that the LLVM which reads this version does not know. anneal leaves them out and says so.
    indexed/cxx-ir-vtable-clang19.previous.profdata)
        says 'version 11 cannot hold' 'virtual-table value sites'
        ! cmp -s result "$corpus/$1" || fail 'does not differ any more'
        run 0 "$anneal" llvm-profdata merge --text result
        without_vtables "$corpus/text/cxx-ir-vtable-clang19.merged.profdata.text" >expected
        same out expected
        ;;
    *) same result "$corpus/$1" ;;
    esac
}

# The text of a profile without that kind of value, which comes last in each function.
without_vtables() {
    awk '
        BEGIN { RS = ""; ORS = "\n\n" }
        (at = index($0, "\n# ValueKind = IPVK_VTableTarget:")) {
            $0 = substr($0, 1, at - 1)
            match($0, /# Num Value Kinds:\n[0-9]/)
            kinds = substr($0, RSTART + RLENGTH - 1, 1) - 1
            sub(/\n# Num Value Kinds:\n[0-9]/, kinds ? "\n# Num Value Kinds:\n" kinds : "")
        }
        { print }' "$1"
}

# read_by FILE TEXT OPTIONS INPUTS LLVM
read_by() {
    as_arguments $4
    run 0 "$anneal" merge -q --format-version="$(version_for "$5")" $3 -o result "${arguments[@]}"
    run 0 "llvm-profdata-$5" merge --text -o text result
    case $1 in
    *functionentry*) same text "$corpus/$2" ;; # neither file has the marker (see differences.sh)
    indexed/text-csir-*) # local functions are called as LLVM 17 and later call them, which is no name to older ones
        sed 's/^\([a-z]*\.c\);/\1:/' "$corpus/$2" >expected
        same text expected
        ! cmp -s expected "$corpus/$2" || fail 'it does not differ any more'
        ;;
    *) same_text "$1" "$corpus/$2" text ;;
    esac
}

while IFS=$'\t' read -r file llvm options inputs text <&3; do
    [[ $file != \#* ]] || continue
    [ "$options" != - ] || options=
    keep=
    [[ $options != *keep-vtable* ]] || keep=--keep-vtable-symbols
    check "$file as text" reads "$file" "$text" "$keep"
    check "$file merged again as text" merges "$file" "$text" "${options//,/ }" "$inputs"
    if [ "$llvm" = 19 ]; then
        check "$file merged again" writes "$file" "${options//,/ }" "$inputs"
    else
        check_with "llvm-profdata-$llvm" "$file for llvm-profdata-$llvm" \
            read_by "$file" "$text" "${options//,/ }" "$inputs" "$llvm"
    fi
done 3<"$corpus/MANIFEST.indexed"

# Made by compilers that Debian 12 does not have. What LLVM 17 to 23 write, anneal writes byte for
# byte; LLVM 11 has another order of functions.
# writes_version FILE VERSION INPUTS
writes_version() {
    as_arguments $3
    run 0 "$anneal" merge -q --format-version="$2" -o result "${arguments[@]}"
    case $2 in
    1[0-4]) same result "$corpus/$1" ;;
    *) expect "$(wc -c <result)" "$(wc -c <"$corpus/$1")" ;;
    esac
}

while IFS=$'\t' read -r file llvm version inputs text <&3; do
    [[ $file != \#* ]] || continue
    check "$file as text" reads "$file" "$text" ''
    check "$file merged again as text" merges "$file" "$text" '' "$inputs"
    check "$file merged again" writes_version "$file" "$version" "$inputs"
done 3<"$corpus/MANIFEST.others.indexed"
finish
