#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Interrupting the recorder at any moment leaves the program that it records as it was: running, not
# traced, undisturbed. The program is support/undisturbed, which checks itself.
#
# usage: test_interrupt.sh ANNEAL STEP_RECORD UNDISTURBED LIST_RECORDING
#
# INTERRUPTIONS=N: so many in the tier "long" (200). In the tier "check" there are a few, each when the recorder
# has just begun.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
step_record=$(realpath "$2")
undisturbed=$(realpath "$3")
list_recording=$(realpath "$4")
interruptions=${INTERRUPTIONS:-200}

gets_on() {
    local status=0
    "$undisturbed" --progress board 300000 && return
    if ! kill -0 "$target"; then
        wait "$target" || status=$?
        fail "the program has ended with status $status:" "$(cat said)"
    fi
    fail 'the program does not get on:' "$(cat said)"
}

start_undisturbed() {
    start "$undisturbed" board
    waits_for board
    gets_on
}

# The program checks its sums, and says that all is well.
ends_well() {
    gets_on
    local status=0
    kill -TERM "$target"
    wait "$target" || status=$?
    [ $status -eq 0 ] || fail "the program ended with status $status:" "$(cat said)"
    trap - EXIT
}

stopped_or_gone() {
    is_stopped "$target" 2>/dev/null || ! kill -0 "$target" 2>/dev/null
}

# Stopping and continuing a process makes some calls return EINTR: the program has to notice.
notices() {
    start_undisturbed
    local status=0
    for _ in {1..50}; do
        kill -STOP "$target" 2>/dev/null || break
        await stopped_or_gone
        kill -CONT "$target" 2>/dev/null || break
        "$undisturbed" --progress board 200 >progress 2>&1 || : # it may have ended
    done
    kill -TERM "$target" 2>/dev/null || :
    wait "$target" || status=$?
    expect "$status" 3
    trap - EXIT
}

# begin METHOD: starts the recorder, $front, as the leader of a process group. A shell's background
# processes ignore SIGINT; and a child of the shell loses a signal that comes before it is another
# program, since it still has the shell's handlers.
begin() {
    mkdir rec
    setsid env --default-signal=INT "$anneal" record -q --method="$1" --overhead=60% -F 100000 \
        -o "$PWD/rec/data" -p "$target" >front.out 2>&1 &
    front=$!
    until [ "$(cat "/proc/$front/comm")" = anneal ]; do
        kill -0 "$front"
    done
}

# Nothing is left of a recorder but what it recorded.
no_remains() {
    await none_remains || fail "still there: $(cat remains)"
}

none_remains() {
    # processes may end while they are looked at
    grep -lzF "$PWD/rec/data" /proc/[0-9]*/cmdline >remains 2>/dev/null || :
    [ ! -s remains ]
}

# valid NUMBER: the recording can be read; perf, which takes its time, is asked about every fourth
valid() {
    run 0 "$list_recording" -b rec/data
    if [ $(($1 % 4)) -eq 0 ]; then
        run 0 perf script -F ip,brstack -i rec/data
        [ ! -s err ] || fail 'perf script complains:' "$(cat err)"
    fi
}

# early STATUS: the signal came before the recorder had begun with anything
early() {
    [ "$1" -gt 128 ] && [ ! -e rec/data ]
}

# interrupt SIGNAL NUMBER: $front, and what has to be true then; "group" is a SIGKILL for its process
# group, as a shell sends it for kill -9 %1
interrupt() {
    local status=0
    case $1 in
    group) until kill -KILL -- "-$front" 2>/dev/null; do kill -0 "$front"; done ;; # once it leads one
    *) kill -"$1" "$front" ;;
    esac
    wait "$front" 2>/dev/null || status=$?
    no_remains
    is_free "$target"
    gets_on
    if [ "$1" = KILL ] || [ "$1" = group ]; then
        expect $status 137
    elif early $status; then
        too_early=$((too_early + 1))
    elif [ $status -eq 1 ] && grep -q 'no branches were recorded' front.out; then
        [ ! -e rec/data ] || fail "SIG$1: recorded nothing into a file"
    else
        [ $status -eq 0 ] || fail "SIG$1: status $status:" "$(cat front.out)"
        [ -s rec/data ] || fail "SIG$1: nothing recorded"
    fi
    if [ -e rec/data ]; then
        valid "$2"
    fi
    [ "$(find rec -mindepth 1 | grep -cv '^rec/data$')" = 0 ] || fail "left behind: $(ls -A rec)"
    rm -r rec
}

# interrupted SIGNAL METHOD: many times, from 5 to 150 ms after the start. Signals that come before the recorder
# has begun do not count.
interrupted() {
    local i times=$((interruptions / 8)) too_early=0
    start_undisturbed
    for ((i = 0; i - too_early < times; i++)); do
        [ $i -lt $((10 * times)) ] || fail "$too_early of $i were too early"
        begin "$2"
        sleep "$(printf '0.%03d' $((5 + RANDOM % 146)))" # any moment
        interrupt "$1" $i
    done
    ends_well
}

# interrupted_once SIGNAL METHOD: as soon as there is a file
interrupted_once() {
    local too_early=0
    start_undisturbed
    begin "$2"
    await has_begun $front
    interrupt "$1" 0
    ends_well
}

# Most recordings end by themselves, with some threads on their way into a system call.
# ends_by_itself METHOD TIMES
ends_by_itself() {
    local i
    start_undisturbed
    for ((i = 0; i < $2; i++)); do
        records 0 data "$anneal" record -q --method="$1" --overhead=60% -F 100000 --duration=20ms \
            -o data -p "$target"
    done
    ends_well
}

may_record "$step_record"
check 'the program notices when it is disturbed' notices
for signal in INT TERM KILL; do
    check_with 'perf setsid pgrep' "SIG$signal at the beginning of a recording" interrupted_once $signal emulate
done
check 'some recordings that end by themselves' ends_by_itself emulate 5

tier long
for method in emulate step; do
    for signal in INT TERM KILL; do
        check_with 'perf setsid' "SIG$signal while recording ($method)" interrupted $signal $method
    done
done
check 'many recordings that end by themselves' ends_by_itself emulate "$interruptions"
# A killed tracer may harm a thread (docs/reference/record.md). This one is not in the group.
for method in emulate step; do
    check_with 'perf setsid' "SIGKILL for the process group ($method)" interrupted group $method
done
finish
