#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# llvm-profdata 19 and anneal under its name, asked the same: what they print on either stream, how they end, and what
# they write are the same, byte for byte (tests/support/profdata_table.py). What 22 and 23 answered is compared here; the tools
# themselves are in test_profdata_22.sh and test_profdata_23.sh.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

peer=/usr/lib/llvm-19/bin/llvm-profdata
ln -s "$anneal" "$scratch/llvm-profdata"

for version in 22 23; do
    ln -s "$anneal" "$scratch/llvm-profdata-$version"
done

# told VERSION: what it answered, by itself (tests/data/llvm/README.md)
told() {
    python3 "$tests/support/profdata_table.py" told "$scratch/llvm-profdata-$1" >out
    same out "$tests/data/llvm/profdata-$1.txt"
}

# names: the link says the release, and no other name does
names() {
    run 0 "$scratch/llvm-profdata-22" --version
    prints 'LLVM version 22.1.8 (anneal '
    run 0 "$scratch/llvm-profdata" --version
    prints 'LLVM version 19.1.7 (anneal '
    ln -s "$anneal" llvm-profdata-16
    run 0 ./llvm-profdata-16 --version
    prints 'LLVM version 19.1.7 (anneal '
}

table() {
    python3 "$tests/support/profdata_table.py" "$1" "$scratch/llvm-profdata" $peer "$tests/data/llvm"
}

# The forms in which public scripts call LLVM's tool, read there: LLVM's own build (perf-helper.py), Rust's and cargo-pgo (a
# folder), Chromium's and those taken from it (-sparse=true, lists with weights, the output of last time as an input),
# ClickHouse's, fuzzers' and kernels' (-j in three spellings, options in front and behind), distributions' (--failure-mode=all,
# profiles of both stages).
strangers() {
    local calls=0 program kind words
    mkdir profiles
    cp "$tests/data/llvm/raw/c-ir-clang19-run1.profraw" profiles/default_1_0.profraw
    cp "$tests/data/llvm/raw/c-ir-clang19-run2.profraw" profiles/default_2_0.profraw
    printf '%s\n' profiles/default_1_0.profraw profiles/default_2_0.profraw >inputs.txt
    printf '%s\n' 3,profiles/default_1_0.profraw profiles/default_2_0.profraw >weighted.txt
    "$peer" merge -o merged.profdata profiles
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
merge -o RESULT -sparse=true profiles/default_1_0.profraw profiles/default_2_0.profraw
merge -o RESULT -sparse=true -f weighted.txt
merge -o RESULT -f weighted.txt
merge -o RESULT -sparse=true merged.profdata profiles/default_1_0.profraw profiles/default_2_0.profraw
merge -j=1 -o=RESULT profiles/default_1_0.profraw merged.profdata
merge -j=1 -sparse profiles/default_1_0.profraw -o RESULT
merge -j 32 profiles/default_1_0.profraw profiles/default_2_0.profraw -o RESULT
merge --failure-mode=all -output=RESULT profiles/default_1_0.profraw profiles/default_2_0.profraw
merge -output=RESULT -weighted-input=3,profiles/default_1_0.profraw -weighted-input=1,profiles/default_2_0.profraw
show --instr --all-functions --counts profiles/default_1_0.profraw
show -all-functions profiles/default_1_0.profraw
show --detailed-summary profiles/default_1_0.profraw
show --topn=10 profiles/default_1_0.profraw
show --all-functions merged.profdata
show --all-functions --counts --ic-targets --memop-sizes merged.profdata
show --counts --all-functions merged.profdata
show --binary-ids profiles/default_1_0.profraw
overlap profiles/default_1_0.profraw merged.profdata
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
    expect "$calls" 28
}

check_with $peer 'lines that are read to the letter, and some damaged profiles' table some
check_with $peer "strangers' scripts" strangers
check "the name of the link chooses the release" names
check "what llvm-profdata 22 answered" told 22
check "what llvm-profdata 23 answered" told 23
tier long
check_with $peer 'all options in all spellings' table options
check_with $peer 'all kinds of damage' table damage
finish
