#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# One program, built and run with each clang at hand from 13 to 23: one merge takes the profiles of all of them, and clang 14, 19
# and 23 find the counts of every one. Those of Debian are 13 to 16, 19 and 22 (bookworm) and 21 to 23 (unstable).
#
# usage: test_each_clang.sh ANNEAL
# shellcheck source=tests/golden/matrix.sh
. "$(dirname "$0")/matrix.sh" "$@"

sources=(ops_main.c ops_util.c)

# profile_of LLVM KIND: into the folder of that kind; three runs
profile_of() {
    local llvm=$1 option=-fprofile-instr-generate run
    [ "$2" = fe ] || option=-fprofile-generate
    cp "$corpus"/src/ops* .
    run 0 inside "clang-$llvm" -O1 "$option" -fPIE -pie "${sources[@]}" -o program
    for run in 1 2 3; do
        run 0 inside env LLVM_PROFILE_FILE="$run.profraw" ./program $run 5
        cp "$run.profraw" "$scratch/profiles/$2/clang-$llvm-$run.profraw"
    done
}

# entries: NAME COUNT, of all functions in LLVM's assembly that have a count
entries() {
    awk '/^define/ {
            name = $0
            sub(/^[^@]*@/, "", name)
            sub(/\(.*/, "", name)
            if (match($0, /!prof ![0-9]+/))
                of[substr($0, RSTART + 6, RLENGTH - 6)] = of[substr($0, RSTART + 6, RLENGTH - 6)] " " name
        }
        /"function_entry_count"/ && ($1 in of) {
            split(of[$1], names, " ")
            match($0, /i64 -?[0-9]+/)
            for (n in names)
                print names[n], substr($0, RSTART + 4, RLENGTH - 4)
        }' "$1" | sort
}

# finds_all LLVM KIND: what each compiler's program counted is in the code of this one
finds_all() {
    local llvm=$1 use=-fprofile-instr-use other source profiles=("$scratch/profiles/$2"/*.profraw)
    [ "$2" = fe ] || use=-fprofile-use
    cp "$corpus"/src/ops* .
    run 0 "$anneal" merge --for="clang-$llvm.1" -o all "${profiles[@]}"
    says "merged ${#profiles[@]} of ${#profiles[@]} inputs"
    never_says 'not find'
    run 0 "$anneal" merge -q --for="clang-$llvm.1" -o own "$scratch/profiles/$2/clang-$llvm"-*.profraw
    for source in all own; do
        run 0 inside "clang-$llvm" -O1 -fPIE -Wall -Werror "$use=$source" -S -emit-llvm -o main.ll ops_main.c
        run 0 inside "clang-$llvm" -O1 -fPIE -Wall -Werror "$use=$source" -S -emit-llvm -o util.ll ops_util.c
        cat main.ll util.ll >$source.ll
        entries main.ll >$source.entries
        entries util.ll >>$source.entries
    done
    # Each ran the same: the whole is what one counted, times their number.
    other=$((${#profiles[@]} / 3))
    # What clang inlines before it reads a profile, it scales: one more or less is rounding.
    [ "$(grep -c ' [1-9]' own.entries)" -ge 5 ] || fail "$(cat own.entries)"
    paste -d ' ' own.entries all.entries >both
    awk -v times="$other" '$1 != $3 || $4 - $2 * times > 1 || $2 * times - $4 > 1' both >wrong
    [ ! -s wrong ] || fail "function, counts of one, of all $other: $(cat wrong)"
}

mkdir -p "$scratch/profiles/fe" "$scratch/profiles/ir"
for llvm in {13..23}; do
    compiler "clang-$llvm" "clang-$llvm"
    for kind in fe ir; do
        cell "profiles of $kind" profile_of "$llvm" $kind
    done
done
for llvm in 14 19 23; do
    compiler "clang-$llvm" "clang-$llvm"
    for kind in fe ir; do
        cell "finds the counts of all the others ($kind)" finds_all "$llvm" $kind
    done
done
finish
