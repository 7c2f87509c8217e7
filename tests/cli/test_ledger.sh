#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The ledger as JSON: every input is there, and what became of it.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

one=$corpus/raw/c-ir-clang19-run1.profraw
two=$corpus/raw/c-ir-clang19-run2.profraw

# is PATH VALUE: the ledger has this value there
is() {
    expect "$(jq -c "$1" ledger)" "$2"
}

# input NAME FIELD VALUE
input() {
    is ".inputs[] | select(.path == \"$1\") | .$2" "$3"
}

all_kinds_of_inputs() {
    cp "$one" one.profraw
    cp "$two" two.profraw
    ln one.profraw again.profraw
    head -c 1000 two.profraw >cut
    : >empty
    printf ':ir\ndead_branch\n1\n1\n3\n' >thin.proftext
    cp "$(type -P true)" program
    run 0 "$anneal" merge -o result --failure-mode=all --ledger=ledger one.profraw two.profraw cut \
        empty thin.proftext program again.profraw -w 5,two.profraw
    is .inputs_named 8
    is .used 5
    is .rejected 2
    is .empty 1
    is .repeated 2
    is .thin 1
    is '.inputs | length' 8
    is '[.inputs[].path]' '["one.profraw","two.profraw","cut","empty","thin.proftext","program","again.profraw","two.profraw"]'
    local total_one=79 total_two=274 # as llvm-profdata show tells
    is .total_count $((total_one + total_two + 3 + total_one + 5 * total_two))
    is .median_total $total_one
    input one.profraw status '"used"'
    input one.profraw format '"raw"'
    input one.profraw version 10
    input one.profraw weight 1
    input one.profraw total_count $total_one
    input one.profraw bytes "$(stat -c %s one.profraw)"
    input one.profraw repeated false
    input one.profraw thin false
    input again.profraw repeated true
    is '.inputs[7] | [.status, .weight, .repeated]' '["used",5,true]'
    input cut status '"rejected"'
    input cut error.code '"truncated"'
    input cut error.offset 1000
    input cut bytes 1000
    is '.inputs[] | select(.path == "cut") | .error.what | contains("sections")' true
    is '.inputs[] | select(.path == "cut") | .error.hint | length > 0' true
    input program status '"rejected"'
    input program error.code '"unknown-format"'
    is '.inputs[] | select(.path == "program") | .error.what | contains("ELF")' true
    input empty status '"empty"'
    input empty bytes 0
    input thin.proftext thin true
    input thin.proftext format '"text"'
}

also_when_nothing_is_written() {
    head -c 1000 "$two" >cut
    run 1 "$anneal" merge -o result --ledger=ledger "$one" cut
    [ ! -e result ]
    is .rejected 1
    is .used 1
    input cut error.offset 1000
}

to_standard_output() {
    run 0 "$anneal" merge -q -o result --ledger=- "$one"
    cp out ledger
    is .used 1
}

# Names of files are bytes; the ledger has to stay JSON.
odd_names() {
    local name
    for name in 'a "quoted" name' $'a\nline' 'back\slash' $'latin-\xe9' 'ünïcode'; do
        cp "$one" "$name.profraw"
    done
    run 0 "$anneal" merge -q -o result --ledger=ledger .
    is .used 5
    if have python3; then
        python3 -c 'import json; json.load(open("ledger", encoding="utf-8"))'
    fi
    is '[.inputs[].path | select(contains("\"quoted\""))] | length' 1
    is '[.inputs[].path | select(contains("\n"))] | length' 1
    is '[.inputs[].path | select(contains("back\\slash"))] | length' 1
    is '[.inputs[].path | select(contains("ünïcode"))] | length' 1
}

that_cannot_be_written() {
    : >no-folder
    run 1 "$anneal" merge -o result --ledger=no-folder/ledger "$one"
    says no-folder/ledger
}

check_with jq 'all kinds of inputs' all_kinds_of_inputs
check_with jq 'also when nothing is written' also_when_nothing_is_written
check_with jq 'to standard output' to_standard_output
# printed RESULT INPUT...: the same as in the file, and nothing else
printed() {
    run 0 "$anneal" merge --json -o "$1" --ledger=ledger "${@:2}"
    expect "$(cat err)" ''
    cmp out ledger
    is .used $(($# - 1))
}

printed_for_each_family() {
    local gcda
    gcda=$(find "$tests/data/gcc" -name '*.gcda' | sort | first)
    printed result "$one" "$two"
    printed result "$tests/data/branch/fdata/branches-1.fdata" "$tests/data/branch/fdata/branches-2.fdata"
    printed result "$gcda"
    is '.modules | length' 1
}

printed_beside_a_profile() {
    run 0 "$anneal" merge --json --ledger=ledger "$one"
    cmp err ledger
    "$anneal" merge -q "$one" | cmp - out
    : >empty
    run 1 "$anneal" merge --json -o result empty
    expect "$(jq .empty out)" 1
    says 'nothing written'
}

check_with jq 'printed for each family' printed_for_each_family
check_with jq 'printed beside a profile on standard output' printed_beside_a_profile
check_with jq 'odd names of files' odd_names
check 'a ledger that cannot be written' that_cannot_be_written
finish
