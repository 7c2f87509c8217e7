#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Probes of the kernel (uprobes: perf probe, bpftrace) on functions that have new code: placed and removed before,
# behind and during switches they do no harm.
#
# usage: test_live_probes.sh ANNEAL UNDISTURBED STEP_RECORD WALK
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
# shellcheck source=tests/live/live.sh
. "$tests/live/live.sh"

tracing=$scratch/tracing
group=anneal_$$

# may_probe: a tracefs, and the right to place probes by it
may_probe() {
    mkdir "$tracing"
    mount -t tracefs tracefs "$tracing" 2>/dev/null || return
    trap 'umount "$tracing"; rm -rf "$scratch"' EXIT
    [ -w "$tracing/uprobe_events" ]
}

probes() {
    python3 "$live_tests/probes.py" "$1" "$tracing" "$group" "${@:2}"
}

begin() {
    prepare "$1" pointers
    start_target
    trap 'probes remove; kill -KILL $target 2>/dev/null || :' EXIT
    keep_memory
}

# placed KIND: on all functions that the profile knows; the program runs into them, and gets on
placed() {
    probes place "$1" "$program" "$profile"
    gets_on
    gets_on
    [ "$(probes hits)" -gt 0 ] || fail 'no probe was hit'
}

removed() {
    probes remove
    gets_on
}

# nothing_is_foreign: somebody's probe is in nobody's way
nothing_is_foreign() {
    jq -e '[.rounds[].withheld | keys[]] | index("changed by somebody else") | not' out >/dev/null ||
        fail "$(cat out)"
}

behind_a_switch() {
    begin "$1"
    a_round
    gets_on
    for kind in p r; do
        placed $kind
        removed
    done
    revert
    ends_well
}

before_a_switch() {
    begin pie
    placed p
    a_round
    nothing_is_foreign
    gets_on
    a_round
    nothing_is_foreign
    gets_on
    live 0 -q --revert
    gets_on
    removed
    expect "$(differing)" 0
    ends_well
}

# Where direct calls go: the next round does not call there any more, and the layout may end before its probes do.
on_a_layout() {
    begin pie
    a_round
    local layout
    find_layout
    probes place p "$layout" "$profile"
    gets_on
    gets_on
    [ "$(probes hits)" -gt 0 ] || fail 'no probe was hit'
    a_round
    gets_on
    removed
    a_round
    revert
    ends_well
}

# A function waits that old code has called, and whose return address the kernel has: that is in the first layout.
probed_return() {
    start_contexts return
    trap 'probes remove; kill -KILL $target 2>/dev/null || :' EXIT
    a_round
    gets_on
    probes name r "$program" stay
    echo >gate
    await grep -q uprobes "/proc/$target/maps"
    gets_on
    a_round --max-pause=60s # on a busy machine it would give up looking at the stacks, and know of no return
    expect "$(jq -c '.rounds[0] | [.released, .held_by_probes]' out)" '[0,1]'
    removed
    live 0 --profile "$profile" --keep-anyway --max-pause=60s
    prints '2 older layouts stay mapped'
    passes
    a_round --max-pause=60s
    jq -e '.rounds[0] | .released > 0 and .held_by_probes == 0' out >/dev/null || fail "$(cat out)"
    revert
    ends_well
}

# The jumps, behind first instructions, are no branches of the program.
jumps_are_known() {
    begin pie
    a_round
    local layout
    find_layout
    run 0 "$anneal" record -q --overhead=40% -F 20000 -d 2s -o recording -p "$target"
    run 0 "$anneal" translate -p recording --layout "$layout" -o translated "$program"
    says 'from old entries of functions to new ones'
    ends_well
}

come_and_go() {
    probes place p "$program" "$profile"
    probes remove
}

# Probes come and go during switches: neither undoes what the other does. Not all the time: while the kernel places probes,
# no process of the machine can fork.
during_switches() {
    begin pie
    for _ in {1..10}; do
        come_and_go &
        live 0 -q --profile "$profile" --keep-anyway
        gets_on
        wait $!
        come_and_go &
        live 0 -q --revert
        gets_on
        wait $!
    done
    revert
    ends_well
}

may_live
if ! may_probe; then
    skip 'probes' 'the kernel lets nobody place any here'
    finish
fi
check 'probes behind a switch' behind_a_switch pie
check 'probes before a switch' before_a_switch
check 'probes on a layout' on_a_layout
check 'a return that is probed' probed_return
tier long
check 'probes behind a switch (fixed)' behind_a_switch fixed
check 'jumps in recordings' jumps_are_known
check 'probes that come and go during switches' during_switches
finish
