#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Profiles for a certain compiler: which version that is, the hashes of functions that its front end looks for, and the names
# of local functions.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

ir=$corpus/raw/c-ir-clang19-run1.profraw
old_hashes=$corpus/raw/c-fe-clang19-run1.profraw
new_hashes=$corpus/raw/large-fe-clang22-run1.profraw

version_of() {
    od -An -tu4 -j8 -N4 "$1" | tr -d ' '
}

names_say_the_version() {
    local release version
    while read -r release version; do
        for name in clang-$release clang++-$release llvm-$release clang-$release.1.8; do
            run 0 "$anneal" merge --for=$name -o result "$ir"
            says "indexed version $version"
            expect "$(version_of result)" $version
        done
        run 0 "$anneal" convert -q --for=clang-$release -o converted "$ir"
        same converted result
    done <<END_OF_LIST
9 5
11 6
12 7
13 7
14 7
15 8
16 9
17 10
18 11
19 12
20 12
21 12
22 13
23 14
30 14
END_OF_LIST
}

# program NAME LINE: a compiler that says so of itself
program() {
    printf '#!/bin/sh\n[ "$1" = --version ] || exit 1\necho "%s"\n[ "$2" != --verbose ] || echo "LLVM version: 17.0.6"\n' \
        "$2" >"$1"
    chmod +x "$1"
}

programs_are_asked() {
    program cc1 'Debian clang version 22.1.8 (1~deb12u1)'
    run 0 "$anneal" merge -q --for="$PWD/cc1" -o result "$ir"
    expect "$(version_of result)" 13
    program llvm-tool 'LLVM version 15.0.6'
    run 0 "$anneal" merge -q --for=./llvm-tool -o result "$ir"
    expect "$(version_of result)" 8
    program rustc 'rustc 1.75.0 (82e1608df 2023-12-21)'
    PATH=$PWD:$PATH run 0 "$anneal" merge -q --for=rustc -o result "$ir"
    expect "$(version_of result)" 10
    program apple 'Apple clang version 15.0.0 (clang-1500.3.9.4)'
    run 2 "$anneal" merge --for=./apple -o other "$ir"
    says "Apple's clang does not say which LLVM it is" '--format-version'
    program gcc-like 'gcc (Debian 12.2.0-14) 12.2.0'
    run 2 "$anneal" merge --for=./gcc-like -o other "$ir"
    says 'names no release of LLVM' '--for=clang-N'
    run 2 "$anneal" merge --for=no-such-compiler -o other "$ir"
    says 'cannot ask it for its version'
    run 2 "$anneal" merge --for=clang-8 -o other "$ir"
    says 'LLVM 8 is older than 9'
    run 2 "$anneal" merge --for=clang-22 --format-version=12 -o other "$ir"
    says '--for and --format-version cannot be used together'
    [ ! -e other ] || fail 'a result was written'
}

other_families_refuse_it() {
    local gcda=$tests/data/runtime/gcc-16.gcda fdata=$tests/data/branch/fdata/branches-2.fdata
    run 2 "$anneal" merge --for=clang-22 -o other "$gcda"
    says '--for applies only to LLVM profiles'
    run 2 "$anneal" convert --for=clang-22 -o other "$gcda"
    says '--for applies only to LLVM profiles; this is a GCC profile'
    run 2 "$anneal" merge --for=clang-22 -o other "$fdata"
    says '--for applies only to LLVM profiles'
    [ ! -e other ] || fail 'a result was written'
}

# A program is run for what can be done only.
asked_in_the_end() {
    printf '#!/bin/sh\necho run >>asked\necho "clang version 19.1.7"\n' >compiler
    chmod +x compiler
    run 2 "$anneal" merge --for=./compiler --format-version=12 -o other "$ir"
    run 2 "$anneal" merge --for=./compiler --partial -o other "$ir"
    run 2 "$anneal" merge --for=./compiler --no-such-option -o other "$ir"
    run 2 "$anneal" merge --for=./compiler -o other "$tests/data/runtime/gcc-16.gcda"
    run 2 "$anneal" convert --for=./compiler -o other "$tests/data/runtime/gcc-16.gcda"
    run 2 "$anneal" convert --for=./compiler -o other "$ir" "$ir"
    [ ! -e asked ] || fail 'the program was run for nothing'
    run 0 "$anneal" merge -q --for=./compiler -o result "$ir" "$ir"
    expect "$(cat asked)" run
    [ ! -e other ] || fail 'a result was written'
}

# Hashes decide where versions do not say which compiler it was.
hashes_choose_the_version() {
    run 0 "$anneal" merge -o result "$new_hashes"
    says 'indexed version 13'
    never_says warning
    run 0 "$anneal" merge -o result "$old_hashes"
    says 'indexed version 12'
    run 0 "$anneal" merge --for=clang-22 -o result "$old_hashes" # which finds them there, and only there
    says 'indexed version 12'
    never_says warning
    run 0 "$anneal" merge --for=clang-23 -o result "$new_hashes"
    says 'indexed version 14'
    never_says warning
    for file in raw/c-ir-clang22-run1.profraw raw/tiny-fe-clang19.profraw; do
        run 0 "$anneal" merge -o result "$corpus/$file" # nothing in it tells
        says 'indexed version 12'
        never_says warning
    done
}

# The same as text, and through partial results.
inputs_of_any_format_prove_it() {
    run 0 "$anneal" merge -q --text -o text "$new_hashes"
    run 0 "$anneal" merge -q --partial -o part "$new_hashes"
    for file in text part; do
        run 0 "$anneal" merge -q -o result $file
        expect "$(version_of result)" 13
    done
    run 0 "$anneal" merge -q -o first "$corpus/raw/c-ir-clang23-run1.profraw"
    run 0 "$anneal" merge -q --partial -o part "$corpus/raw/c-ir-clang23-run1.profraw"
    run 0 "$anneal" merge -q -o result part
    same result first
    expect "$(version_of result)" 14
    run 0 "$anneal" merge -q -o result part "$ir" # clang 19 reads it, too
    expect "$(version_of result)" 12
}

says_what_is_lost() {
    run 0 "$anneal" merge --for=clang-19 -o result "$new_hashes"
    says 'version 12: clang does not find the counts of 3 functions' 'those of clang 22 and later'
    run 0 "$anneal" convert --format-version=7 -o result "$new_hashes"
    says 'version 7: clang does not find the counts of 3 functions'
    run 0 "$anneal" merge --format-version=14 -o result "$old_hashes"
    never_says 'not find' # the hashes are cut
    run 0 "$anneal" merge -o result "$old_hashes" "$new_hashes"
    says 'version 12: clang does not find the counts of 3 functions'
    run 0 "$anneal" convert --format-version=12 -o result "$corpus/raw/uniform-ir-clang23-run1.profraw"
    says 'version 12 cannot hold the uniformity of 16 functions: left out'
    run 0 "$anneal" convert --text -o result "$corpus/raw/uniform-ir-clang23-run1.profraw"
    says 'text cannot hold the uniformity of 16 functions: left out'
}

uniformity_survives() {
    local raw1=$corpus/raw/uniform-ir-clang23-run1.profraw raw2=$corpus/raw/uniform-ir-clang23-run2.profraw
    run 0 "$anneal" merge -q --partial -o part1 "$raw1"
    run 0 "$anneal" merge -q --partial -o part2 "$raw2"
    run 0 "$anneal" merge -q -o result part2 part1
    same result "$corpus/indexed/uniform-ir-clang23.merged.profdata"
    run 0 "$anneal" show --counts --function='^main$' result
    prints '  uniform no yes no no no no yes no yes no'
    run 0 "$anneal" show --json --counts --function='^main$' result
    prints '"uniform":[false,true,false,false,false,false,true,false,true,false]'
    run 0 "$anneal" llvm-profdata show --counts --function=main result
    prints '    Block uniformity: [D, U, D, D, D, D, U, D, U, D]'
    run 0 "$anneal" llvm-profdata show --counts --function=main "$raw1" # which LLVM does not show it of
    ! grep uniformity out || fail 'uniformity of a raw profile'
}

# ---- local functions ----

with_old_names() { # TEXT
    sed 's/^\(ops_[a-z]*\.c\);/\1:/' "$1"
}

older_compilers_get_old_names() {
    local release
    with_old_names "$corpus/text/c-ir-clang19-run1.profraw.text" >expected
    for release in 14 16 17; do
        run 0 "$anneal" merge -q --for=clang-$release -o result "$ir"
        run 0 "$anneal" llvm-profdata merge --text -o text result
        same text expected
        run 0 "$anneal" merge -q --for=clang-$release --text -o text "$ir"
        same text expected
    done
    run 0 "$anneal" convert -q --format-version=7 -o result "$ir"
    run 0 "$anneal" llvm-profdata merge --text -o text result
    same text expected
    run 0 "$anneal" merge -q --for=clang-18 --text -o text "$ir"
    same text "$corpus/text/c-ir-clang19-run1.profraw.text"
    # a trace names functions, too
    local traced=$corpus/raw/c-ir-temporal-clang19-run1.profraw
    run 0 "$anneal" merge -q --format-version=10 -o result "$traced"
    run 0 "$anneal" merge -q --text -o text result
    sed 's/\(ops_[a-z]*\.c\);/\1:/g' "$corpus/text/c-ir-temporal-clang19-run1.profraw.text" >expected
    same text expected
}

# The peer finds the functions that values name by the hashes of their names.
hashes_are_those_of_the_names() {
    run 0 "$anneal" merge -q --format-version=9 -o result "$ir"
    run 0 llvm-profdata-19 merge --text -o text result
    with_old_names "$corpus/text/c-ir-clang19-run1.profraw.text" >expected
    same text expected
}

# Runs of programs that compilers of several releases made add up, in any order and format.
releases_add_up() {
    local other=$corpus/raw/c-ir-clang16-run1.profraw inputs
    "$anneal" merge -q --text -o old.text "$other"
    "$anneal" merge -q --text -o new.text "$ir"
    "$anneal" merge -q --partial -o old.part "$other"
    "$anneal" merge -q -o old.profdata "$other"
    # the same counts with new names, or twice the old ones
    sed 's/^\(ops_[a-z]*\.c\):/\1;/' old.text >renamed.text
    run 0 "$anneal" merge -q --text -o expected renamed.text "$ir"
    for inputs in "$other $ir" "$ir $other" "old.text $ir" "new.text $other" "old.profdata new.text" "old.part $ir"; do
        # shellcheck disable=SC2086
        run 0 "$anneal" merge -q --text -o result $inputs
        ! grep -q '^ops_[a-z]*\.c:' result || fail "two records of one function: $inputs"
        run 0 "$anneal" diff --json result expected
        prints '"overlap":1.0' '"functions_changed":0' '"functions_only_in_test":0'
    done
    run 0 "$anneal" diff "$other" "$ir"
    prints '100.000%  overlap of counts' '100.000%  overlap of indirect calls'
    ! grep -E '\((gone|new)\)' out || fail 'a local function of both is taken for two'
    run 0 "$anneal" merge -q --for=clang-16 --text -o result "$other" "$ir"
    ! grep -q ';' result || fail 'new names for an old compiler'
    run 0 "$anneal" diff --json result expected
    prints '"overlap":1.0' '"functions_changed":0' '"functions_only_in_test":0'
    # in place of llvm-profdata they stay apart, as there
    run 0 "$anneal" llvm-profdata merge --text -o result "$other" "$ir"
    grep -q '^ops_main.c:helper$' result || fail 'the old name is gone'
    grep -q '^ops_main.c;helper$' result || fail 'the new name is gone'
}

# An old compiler finds counts for the local functions of a profile of a new one.
the_old_compiler_finds_them() { # LLVM
    run 0 "$anneal" merge -q --for=clang-$1 -o "$PWD/profile" "$ir"
    (cd "$corpus/src" && "clang-$1" -O1 -fprofile-use="$OLDPWD/profile" -mllvm -pgo-warn-missing-function \
        -S -emit-llvm -o - ops_util.c) >module.ll 2>messages
    expect "$(grep -c 'no profile data available' messages)" 0
    grep -q 'define internal.*@helper.*!prof' module.ll || fail 'no counts for the local function'
}

check 'names of compilers say the version' names_say_the_version
check 'programs are asked for their version' programs_are_asked
check 'programs are asked when nothing is refused' asked_in_the_end
check 'profiles of other families are not for one' other_families_refuse_it
check 'hashes choose the version' hashes_choose_the_version
check 'inputs of any format prove what they come from' inputs_of_any_format_prove_it
check 'what a version loses is said' says_what_is_lost
check 'uniformity survives partial results' uniformity_survives
check 'older compilers get the old names of local functions' older_compilers_get_old_names
check_with llvm-profdata-19 'hashes are those of the new names' hashes_are_those_of_the_names
check 'profiles of old and new releases add up' releases_add_up
for llvm in 14 16; do
    check_with clang-$llvm "clang $llvm finds local functions of a profile of clang 19" \
        the_old_compiler_finds_them $llvm
done
finish
