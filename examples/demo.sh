#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Shows what a merged profile is worth: builds the interpreter in
# examples/interp, trains it in 64 processes, merges their profiles with
# anneal, rebuilds with the result, and measures both builds side by side.
#
# usage: demo.sh ANNEAL [WORKDIR]
#
# ANNEAL is the anneal program.  WORKDIR keeps all that is made on the way;
# without it, a temporary directory is used and removed at the end.  The
# compiler is $CLANG, or else clang-19 or clang.
set -euo pipefail
export LC_ALL=C

# For each workload: the first training size, the step to the next one (there
# are eight), and the size to measure with.
workloads='
fib        20    1     33
sieve      2000  2000  400000
nbody      300   400   80000
matmul     20    5     150
wordcount  2000  2500  400000
quicksort  1000  2000  350000
strings    100   100   16000
queens     3     1     12
'
rounds=7

fail()
{
    echo "demo: $*" >&2
    exit 1
}

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

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: demo.sh ANNEAL [WORKDIR]" >&2
    exit 2
fi

# The path of a program, which stays right after a change of directory.
program()
{
    local path
    path=$(command -v "$1") || return 1
    case $path in
    /*) echo "$path" ;;
    *) echo "$PWD/$path" ;;
    esac
}

anneal=$(program "$1") || fail "cannot run '$1'"
if [ -n "${CLANG:-}" ]; then
    clang=$(program "$CLANG") ||
        fail "no compiler '$CLANG': run scripts/bootstrap, or change CLANG"
else
    clang=$(program clang-19 || program clang) ||
        fail "no clang found: run scripts/bootstrap, or set CLANG"
fi

if [ $# -eq 2 ]; then
    work=$2
    mkdir -p "$work"
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
trap 'exit 1' HUP INT TERM
work=$(cd "$work" && pwd)
mkdir -p "$work/raw"
rm -f "$work"/raw/*.profraw "$work/app.profdata"

# The sources keep their relative names: the profile mentions them.
cd "$(dirname "$0")/interp"

build()
{
    local output=$work/$1
    shift
    "$clang" -std=c17 -O2 -Wall -Wextra "$@" -o "$output" ./*.c -lm
}

echo "[1/8] building the interpreter with -O2"
build plain || fail "cannot build with $clang: run scripts/bootstrap"

echo "[2/8] building it again with -fprofile-generate"
build instrumented -fprofile-generate ||
    fail "$clang cannot instrument: run scripts/bootstrap"

count=0
pids=

finish_training()
{
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

echo "[3/8] training in 64 processes, four at a time"
each_workload train
finish_training
set -- "$work"/raw/*.profraw
[ $# -eq 64 ] || fail "there should be 64 raw profiles, not $#"

echo "[4/8] merging $# raw profiles with anneal"
"$anneal" merge -o "$work/app.profdata" "$work/raw" || fail "merging failed"

# A profile that does not fit the source is an error here, not a warning.
echo "[5/8] building with -fprofile-use, profile warnings being errors"
build optimised "-fprofile-use=$work/app.profdata" -Werror \
    -Werror=profile-instr-out-of-date -Werror=profile-instr-missing \
    -Werror=profile-instr-unprofiled -Werror=backend-plugin \
    -mllvm -pgo-warn-missing-function ||
    fail "the compiler does not accept the profile"

check()
{
    "$work/plain" "workloads/$1.txt" "$4" >"$work/$1.plain.out" ||
        fail "$1 failed"
    "$work/optimised" "workloads/$1.txt" "$4" >"$work/$1.optimised.out" ||
        fail "$1 failed after optimisation"
    cmp "$work/$1.plain.out" "$work/$1.optimised.out" ||
        fail "the two builds disagree on $1"
    : >"$work/$1.before"
    : >"$work/$1.after"
}

echo "[6/8] checking that both builds print the same"
each_workload check

# Prints the user time of one run in seconds.
user_time()
{
    local TIMEFORMAT=%3U
    { time "$@" >/dev/null 2>&1; } 2>&1
}

measure()
{
    user_time "$work/plain" "workloads/$1.txt" "$4" >>"$work/$1.before"
    user_time "$work/optimised" "workloads/$1.txt" "$4" >>"$work/$1.after"
}

echo "[7/8] measuring the two builds in turn, $rounds rounds"
round=0
while [ $round -lt $rounds ]; do
    round=$((round + 1))
    each_workload measure
done

echo "[8/8] the ten hottest functions of the merged profile"
"$anneal" show --topn=10 "$work/app.profdata" || fail "cannot show the profile"

median()
{
    sort -n "$1" | sed -n "$(((rounds + 1) / 2))p"
}

medians()
{
    echo "$1 $(median "$work/$1.before") $(median "$work/$1.after")"
}

# The last lines are the verdict, and so is the exit status.
echo
echo "median user time of $rounds runs, in seconds:"
each_workload medians | awk '
    function row(name, before, after)
    {
        printf "%-12s %8.3f %8.3f %+9.1f%%\n", name, before, after,
            (before / (after > 0 ? after : 0.001) - 1) * 100
    }
    BEGIN { printf "%-12s %8s %8s %10s\n", "workload", "before", "after",
            "speed-up" }
    { row($1, $2, $3); before += $2; after += $3 }
    END {
        row("total", before, after)
        if (after < before) {
            printf "\nThe profile-guided build is faster: it takes %.1f%% " \
                "less time than plain -O2.\n", (1 - after / before) * 100
            exit 0
        }
        print "\nThe profile-guided build is not faster than plain -O2."
        exit 1
    }'
