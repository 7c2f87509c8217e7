#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a switch can overlook: contexts that are on no thread's stack, frames of signals that do not look as
# usual, threads that are none, a process without its first thread. Whatever waits there goes on later as if
# nothing had happened.
#
# usage: test_live_contexts.sh ANNEAL UNDISTURBED STEP_RECORD WALK
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
# shellcheck source=tests/live/live.sh
. "$tests/live/live.sh"

# On a busy machine a short recording may have nothing.
can_be_recorded() {
    await "$anneal" record -q -d 300ms -o recording -p "$target"
}

# withheld REASON: how many places were, in the last round
withheld() {
    jq --arg reason "$1" '.rounds[-1].withheld[$reason] // 0' out
}

# The function is entered again in old code, and has new code once it is free.
inside_an_entry() {
    start_contexts "$1"
    a_round
    expect "$(withheld "$2")" 1
    passes
    a_round
    expect "$(withheld "$2")" 0
    gets_on
    revert
    ends_well
}

kernel_threads() {
    start_contexts ring
    a_round --max-pause=60s
    # A thread that is asked in vain to stop would be in the way of all forty; the worker stands in an entry in one of
    # some dozens.
    jq -e '.rounds[0] | .stops < 20 and .threads == 3' out >/dev/null || fail "$(cat out)"
    a_round
    expect "$(jq -c '.rounds[0].released' out)" 1
    gets_on
    can_be_recorded
    passes
    revert
    ends_well
}

# Whatever /proc tells of the process is under the numbers of other threads.
without_first_thread() {
    start_contexts leader
    grep -q 'zombie' "/proc/$target/status"
    can_be_recorded
    a_round
    gets_on
    [ "$(differing)" -gt 0 ] || fail 'its code is as before'
    a_round
    expect "$(in_force)" 2
    run 0 "$anneal" doctor -q -p "$target"
    passes
    revert
    ends_well
}

# Whoever places a probe of the program's own (USDT) at its address does not see calls of the new code.
own_probes() {
    start_contexts leader
    live 0 --profile "$profile" --keep-anyway
    prints 'USDT probes in moved code' 'anneal:visit'
    a_round
    expect "$(jq -c '.rounds[0].usdt_in_moved_code' out)" '["anneal:visit"]'
    a_round --bolt-option=--skip-funcs=visit/1
    expect "$(jq -c '.rounds[0].usdt_in_moved_code' out)" '[]'
    passes
    ends_well
}

# may_poll: the kernel lets programs have rings that it polls
may_poll() {
    python3 -c '
import ctypes, sys
parameters = (ctypes.c_uint32 * 30)(0, 0, 2)
sys.exit(ctypes.CDLL(None).syscall(425, 8, parameters) < 0)'
}

may_live
check 'a handler that returns by code of its own' inside_an_entry signal 'a thread is there'
check 'a context that sleeps' inside_an_entry context 'something refers to it'
check 'a process without its first thread' without_first_thread
check "the program's own probes" own_probes
if may_poll; then
    check "the kernel's threads" kernel_threads
else
    skip "the kernel's threads" 'the kernel lets nobody have a ring that it polls'
fi
finish
