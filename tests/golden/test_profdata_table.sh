#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# llvm-profdata 19 and anneal under its name, asked the same: what they print on either stream, how they end, and what
# they write are the same, byte for byte (tests/support/profdata_table.py).

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

peer=/usr/lib/llvm-19/bin/llvm-profdata
ln -s "$anneal" "$scratch/llvm-profdata"

table() {
    python3 "$tests/support/profdata_table.py" "$1" "$scratch/llvm-profdata" $peer "$tests/data/llvm"
}

# The forms in which scripts call it that others wrote for LLVM's tool: a folder or names, a list of inputs, flags with
# one dash, with two, and with =true, in front and behind.
strangers() {
    local calls=0 program kind words
    mkdir profiles
    cp "$tests/data/llvm/raw/c-ir-clang19-run1.profraw" profiles/default_1_0.profraw
    cp "$tests/data/llvm/raw/c-ir-clang19-run2.profraw" profiles/default_2_0.profraw
    printf '%s\n' profiles/default_1_0.profraw profiles/default_2_0.profraw >inputs.txt
    cat >calls <<'END_OF_CALLS'
merge -o RESULT profiles
merge -o RESULT profiles/default_1_0.profraw profiles/default_2_0.profraw
merge -output=RESULT profiles/default_1_0.profraw profiles/default_2_0.profraw
merge -output=RESULT -sparse=true profiles/default_1_0.profraw profiles/default_2_0.profraw
merge -o RESULT -sparse=true profiles/default_1_0.profraw
merge -sparse -failure-mode=all -o RESULT profiles/default_1_0.profraw profiles/default_2_0.profraw
merge -sparse -f inputs.txt -o RESULT
merge --sparse --input-files=inputs.txt --output=RESULT --num-threads=1
merge --sparse --output RESULT profiles/default_1_0.profraw
merge -instr profiles/default_1_0.profraw -o RESULT
show --instr --all-functions --counts profiles/default_1_0.profraw
show -all-functions profiles/default_1_0.profraw
show --detailed-summary profiles/default_1_0.profraw
show --topn=10 profiles/default_1_0.profraw
END_OF_CALLS
    while read -r words; do
        for kind in expected result; do
            program=$peer
            [ $kind = expected ] || program=$scratch/llvm-profdata
            rm -f "$kind"
            # shellcheck disable=SC2086
            "$program" ${words/RESULT/$kind} >$kind.out 2>$kind.err || fail "$program $words: status $?"
        done
        same result.out expected.out
        same result.err expected.err
        [ "${words%RESULT*}" = "$words" ] || same result expected
        calls=$((calls + 1))
    done <calls
    expect "$calls" 14
}

check_with $peer 'lines that are read to the letter, and some damaged profiles' table some
check_with $peer "strangers' scripts" strangers
tier long
check_with $peer 'all options in all spellings' table options
check_with $peer 'all kinds of damage' table damage
finish
