#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Whenever anneal live is killed, with all its processes, the program goes on and computes what it has
# to; and a new round, or a revert, goes on from what the killed one left behind.
#
# usage: test_live_killed.sh ANNEAL UNDISTURBED STEP_RECORD WALK
#
# KILLS=N: so many (25); 200 for a long run.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
# shellcheck source=tests/live/live.sh
. "$tests/live/live.sh"
kills=${KILLS:-25}

milliseconds() {
    echo $(($(date +%s%N) / 1000000))
}

# takes COMMAND...: $time, how long it takes
takes() {
    local start
    start=$(milliseconds)
    "$@"
    time=$(($(milliseconds) - start))
}

# begin_live ARGUMENT...: $front, the leader of a session, begun at $start. One that ends by itself
# says when.
begin_live() {
    start=$(milliseconds)
    # shellcheck disable=SC2016 # expanded by the shell that is started
    setsid bash -c '"$@" && date +%s%N >ended' - \
        "$anneal" live --state-dir "$state" -p "$target" -q "$@" >front.out 2>&1 &
    front=$!
}

# in_session: the processes of it that there are
in_session() {
    ps -o pid=,stat= -s "$front" | awk '$2 !~ /^Z/ { print $1 }'
}

none_in_session() {
    [ -z "$(in_session)" ]
}

# kill_all: no process of it is left. When it had ended already, the others come earlier: a tenth before
# its end, however long an earlier one took that was measured on a machine that stood still.
kill_all() {
    local process status=0
    kill -KILL -- "-$front" 2>/dev/null || kill -KILL "$front" 2>/dev/null || :
    wait "$front" 2>/dev/null || status=$?
    for process in $(in_session); do
        kill -KILL "$process" 2>/dev/null || :
    done
    await none_in_session || fail "$(in_session)"
    case $status in
    0) late=$((late + 1)) time=$((($(cat ended) / 1000000 - start) * 9 / 10)) ;;
    137) time=$((time * 21 / 20 + 1)) ;;
    *) fail "killed $moment ms after its start, but status $status:" "$(cat front.out)" ;;
    esac
}

# Any moment, or one of the last fifth, where the process is touched
choose_moment() {
    local part=$((RANDOM % 1000))
    [ $(($1 % 2)) -eq 0 ] || part=$((800 + part / 5))
    moment=$((time * part / 1000))
}

# act round|revert: the arguments for it
act() {
    case $1 in
    round) arguments=(--profile "$profile" --keep-anyway) ;;
    revert) arguments=(--revert) ;;
    esac
}

# killed round|revert KIND NAME: as often as asked for. Those that had ended do not count: how long one
# takes is known better with each of them.
killed() {
    local arguments front i late=0 moment start time times=$((kills / 5))
    prepare "$2" "$3"
    start_target
    keep_memory
    act "$1"
    a_round
    takes live 0 -q "${arguments[@]}"
    for ((i = 0; i - late < times; i++)); do
        [ $late -le $((times * 3)) ] || fail "$late of $i were too late"
        if [ "$1" = revert ]; then
            a_round
            gets_on
        fi
        choose_moment $i
        begin_live "${arguments[@]}"
        sleep "$(printf '%d.%03d' $((moment / 1000)) $((moment % 1000)))"
        kill_all
        is_free "$target"
        gets_on
        if [ $((i % 3)) -eq 0 ]; then
            revert
        else
            a_round
            gets_on
        fi
    done
    revert
    ends_well
}

tier long
may_live
for kind in fixed pie static; do
    check_with 'ps setsid' "killed in a round ($kind)" killed round $kind pointers
done
check_with 'ps setsid' 'killed in a round, with exceptions' killed round fixed thrower
check_with 'ps setsid' 'killed in a revert' killed revert pie pointers
finish
