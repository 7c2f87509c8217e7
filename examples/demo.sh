#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Shows what a merged profile is worth: builds the interpreter in
# examples/interp, trains it in 64 processes, merges their profiles with
# anneal, rebuilds with the result, and measures both builds in pairs.
#
# usage: demo.sh ANNEAL [WORKDIR]
#
# See common.sh for the arguments.  The compiler is $CLANG, or else clang-19 or
# clang.
set -euo pipefail
export LC_ALL=C
# shellcheck source=examples/common.sh
. "$(dirname "$0")/common.sh"

# For each workload: the first training size, the step to the next one (there
# are eight), and the size to measure with.
workloads='
fib        20    1     31
sieve      2000  2000  200000
nbody      300   400   40000
matmul     20    5     120
wordcount  2000  2500  200000
quicksort  1000  2000  180000
strings    100   100   8000
queens     3     1     11
'
rounds=5

# Calls "$@ NAME FIRST STEP SIZE" for each workload.
each_workload()
{
    while read -r name first step size; do
        if [ -n "$name" ]; then
            "$@" "$name" "$first" "$step" "$size" </dev/null
        fi
    done <<END
$workloads
END
}

prepare "$@"
if [ -n "${CLANG:-}" ]; then
    clang=$(program "$CLANG") ||
        fail "no compiler '$CLANG': run scripts/bootstrap demo, or change CLANG"
else
    clang=$(program clang-19 || program clang) ||
        fail "no clang found: run scripts/bootstrap demo, or set CLANG"
fi
mkdir -p "$work/raw"
rm -f "$work"/raw/*.profraw "$work/app.profdata"

# The sources keep their relative names: the profile mentions them.
cd "$(dirname "$0")/interp"

build()
{
    local output=$work/$1
    shift
    quietly "$clang" -std=c17 -O2 -Wall -Wextra "$@" -o "$output" ./*.c -lm
}

echo
echo "Profile-guided optimization of an interpreter (examples/interp)"
build instrumented -fprofile-generate &
instrumenting=$!
build plain || fail "cannot build with $clang: run scripts/bootstrap demo"
wait $instrumenting || fail "$clang cannot instrument: run scripts/bootstrap demo"
step "$(basename "$clang") -O2, and again with -fprofile-generate"

count=0
pids=

finish_training()
{
    local pid
    for pid in $pids; do
        wait "$pid" || fail "a training run failed"
    done
    pids=
}

train()
{
    local i
    for i in 0 1 2 3 4 5 6 7; do
        count=$((count + 1))
        LLVM_PROFILE_FILE=$(printf '%s/raw/%%p-%02d.profraw' "$work" $count) \
            "$work/instrumented" "workloads/$1.txt" $(($2 + i * $3)) \
            >/dev/null &
        pids="$pids $!"
        if [ $((count % 4)) -eq 0 ]; then
            finish_training
        fi
    done
}

each_workload train
finish_training
set -- "$work"/raw/*.profraw
[ $# -eq 64 ] || fail "there should be 64 raw profiles, not $#"
step "training: $# processes, each of which writes a raw profile"

quietly "$anneal" merge -o "$work/app.profdata" "$work/raw" || fail "merging failed"

# A profile that does not fit the source is an error here, not a warning.
build optimised "-fprofile-use=$work/app.profdata" -Werror \
    -Werror=profile-instr-out-of-date -Werror=profile-instr-missing \
    -Werror=profile-instr-unprofiled -Werror=backend-plugin \
    -mllvm -pgo-warn-missing-function ||
    fail "the compiler does not accept the profile"
step "anneal merge -o app.profdata raw/; $(basename "$clang") -O2 -fprofile-use=app.profdata"

# user_time BUILD WORKLOAD SIZE: of one run, in seconds; what it prints is kept
user_time()
{
    local TIMEFORMAT=%3U
    { time "$work/$1" "workloads/$2.txt" "$3" >"$work/$2.$1.out" 2>>"$log"; } 2>&1
}

# One run of each build, by turns the one and the other first.
measure_pair()
{
    if [ $((round % 2)) -eq 0 ]; then
        user_time plain "$1" "$4" >>"$work/$1.before" &&
            user_time optimised "$1" "$4" >>"$work/$1.after"
    else
        user_time optimised "$1" "$4" >>"$work/$1.after" &&
            user_time plain "$1" "$4" >>"$work/$1.before"
    fi || fail "$1 failed"
    cmp "$work/$1.plain.out" "$work/$1.optimised.out" ||
        fail "the two builds disagree on $1"
}

forget()
{
    : >"$work/$1.before"
    : >"$work/$1.after"
}

each_workload forget
for ((round = 0; round < rounds; round++)); do
    each_workload measure_pair
done
step "both builds print the same; run in $rounds pairs, user time in milliseconds (medians):"

median()
{
    sort -n "$1" | sed -n "$(((rounds + 1) / 2))p"
}

medians()
{
    echo "$1 $(median "$work/$1.before") $(median "$work/$1.after")"
}

# Two workloads on a line, and the verdict.
each_workload medians | awk '
    function less(before, after)
    {
        return before > 0 ? (1 - after / before) * 100 : 0
    }
    {
        text = sprintf("%-10s %5d -> %5d  %+6.1f%%", $1, $2 * 1000, $3 * 1000, -less($2, $3))
        printf NR % 2 ? "    %s" : "          %s\n", text
        before += $2
        after += $3
    }
    END {
        if (after < before * 0.97)
            printf "The build with the profile takes %.1f%% less time than plain -O2.\n",
                less(before, after)
        else
            printf "No gain can be told from noise: the build with the profile takes %+.1f%% time." \
                "\nThe machine may be busy with other work.\n", -less(before, after)
    }'
