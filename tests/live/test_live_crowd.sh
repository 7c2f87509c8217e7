#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A program of two thousand threads, most of which sleep, with signals on stacks of their own, children all the time
# and 16 GB of sparse memory is given one layout after the other, and its own code back every third time. It goes on,
# all its children end well, no stop is too long, and it has no more memory than it was given.
#
# usage: test_live_crowd.sh ANNEAL UNDISTURBED STEP_RECORD WALK
#
# LIVE_ROUNDS=N: so many rounds and reverts (9); 200 for a long run. MAX_PAUSE=MS: no stop may take more milliseconds
# (1000). REPORT=FILE: keeps what each round brought.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
# shellcheck source=tests/live/live.sh
. "$tests/live/live.sh"
rounds=${LIVE_ROUNDS:-9}
max_pause=${MAX_PAUSE:-1000}
report=${REPORT:-}
sleepers=2000

# kilobytes FILE NAME: of a file of the target's
kilobytes() {
    awk -v name="$2:" '$1 == name { print $2 }' "/proc/$target/$1"
}

# look_at_memory: sets resident, anonymous and tables, in kilobytes
look_at_memory() {
    resident=$(kilobytes smaps_rollup Rss)
    anonymous=$(kilobytes smaps_rollup Anonymous)
    tables=$(kilobytes status VmPTE)
}

# step NUMBER: a round, or a revert, after which the program gets on; sets what, and mapped, the kilobytes of all layouts
step() {
    local status=0 arguments=(--profile "$profile" --keep-anyway)
    what=apply
    if [ $(($1 % 3)) -eq 0 ]; then
        what=revert arguments=(--revert)
    fi
    "$anneal" live -q --state-dir "$state" -p "$target" --max-pause "${max_pause}ms" --json \
        "${arguments[@]}" >out 2>err || status=$?
    if [ $status -ne 0 ]; then # a machine that is too busy is no failure
        says 'max-pause'
        what=none
        echo '{}' >out
    fi
    jq '(.rounds // [.])[0]' out >round
    jq -e --argjson most "$max_pause" '(.pause_ms // 0) <= $most' round >/dev/null ||
        fail 'a long pause:' "$(cat out)"
    gets_on
    [ $what = none ] || mapped=$(jq '.mapped_bytes / 1024' round)
    look_at_memory
    jq -r --arg step "$1 $what" --arg sizes "$mapped $resident $anonymous $tables" \
        '"\($step) \(.pause_ms) \(.stops) \(.threads) \(.released) \($sizes)"' round >>steps
}

# step_surely NUMBER: until the machine allows it
step_surely() {
    step "$1"
    while [ $what = none ]; do
        step "$1"
    done
}

# What finds the way into a library maps pages of its file, once, and what was patched is a copy from then on.
keep_sizes() {
    local patched
    look_at_memory
    local before=$anonymous
    step_surely 1
    patched=$(jq .pages_written round)
    step_surely 3
    at_most "$anonymous" $((before + 4 * patched + calls))
    most_resident=$resident most_tables=$tables
}

# A thread that makes calls for anneal has a frame on its stack; others may be chosen the next time.
calls=64

# has_no_more: than then, and the layouts
has_no_more() {
    at_most "$resident" $((most_resident + mapped + calls))
    at_most "$tables" $((most_tables + (mapped > 0 ? 32 : 0)))
}

# turns: how often the sleepers were woken, twenty at a time
turns() {
    od -An -tu8 -j32 -N8 board | tr -d ' '
}

has_turned() {
    [ "$(turns)" -ge "$1" ]
}

# On a busy machine some stops are given up, and what they look for is released later.
is_released() {
    live 0 -q --max-pause "${max_pause}ms" --revert || return
    [ "$(added_memory)" = '0 0' ]
}

# What was not written to for long may be left on the stack of a thread that sleeps, and looks like an address to
# return to; when all have worked, nothing refers to what they left.
has_its_own_code() {
    expect "$(differing)" 0
    await has_turned $(($(turns) + sleepers / 20 + 2))
    await is_released
    expect "$(find "$state" -mindepth 1)" ''
}

campaign() {
    local round
    start_crowd $sleepers compute signals signals children memory
    [ -z "$report" ] || ln -s "$(realpath "$report")" steps
    keep_sizes
    for ((round = 1; round <= rounds; round++)); do
        step "$round"
        has_no_more
        [ "$what" != revert ] || has_its_own_code
    done
    step_surely 3
    has_its_own_code
    ends_well
}

may_live
tier long
check 'a crowd gets layouts' campaign
finish
