# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the tests of anneal live, behind tap.sh and record/target.sh; the arguments are ANNEAL,
# UNDISTURBED, STEP_RECORD, WALK and what is compiled already for the tier "check" (NAME-KIND.o). Targets, their
# profiles, and whether they go on as if nothing had happened.
# shellcheck shell=bash

live_tests=$tests/live
undisturbed=$(realpath "$2")
walk=$(realpath "$4")
compiled=${5:+$(dirname "$(realpath "$5")")}
llvm_bolt=/usr/lib/llvm-19/bin/llvm-bolt
live_tools="gcc g++ jq python3 $llvm_bolt"
state=$scratch/state

# may_live: the test goes on if its tools are there and processes may be traced; else it says so and
# ends
may_live() {
    # shellcheck disable=SC2086
    if ! have $live_tools; then
        check_with "$live_tools" 'new code for a process' true
        finish
    fi
    if ! "$anneal" doctor --json | found '"tracing":true'; then
        skip 'new code for a process' 'processes may not be traced here'
        finish
    fi
}

# ---- targets ----

# linked_as fixed|pie|static: $linked, the options
linked_as() {
    case $1 in
    fixed) linked=(-no-pie -fno-pie) ;;
    pie) linked=(-pie -fPIE) ;;
    static) linked=(-static -DSTATIC) ;;
    esac
}

# build KIND NAME FILE [OPTION]...: one of the programs of this folder, or undisturbed
build() {
    local linked
    linked_as "$1"
    local source=$live_tests/$2.cpp
    local options=(-O2 -g -fno-reorder-blocks-and-partition -Wl,--build-id -pthread "${linked[@]}")
    if [ "$current_tier" = check ] && [ -n "$compiled" ] && [ -e "$compiled/$2-$1.o" ]; then
        source=$compiled/$2-$1.o
    fi
    case $2 in
    undisturbed)
        gcc -std=gnu17 -D_GNU_SOURCE "${options[@]}" "${@:4}" -I"$tests" \
            "$tests"/support/undisturbed/*.c -o "$3" -lm
        ;;
    server | labels | contexts | frames | assembled | crowd | endless) gcc -std=gnu17 "${options[@]}" "${@:4}" "$live_tests/$2.c" -o "$3" ;;
    sequences)
        gcc -O2 -fPIC -shared "$live_tests/sequences_library.c" -o "$scratch/libsequences.so"
        gcc -std=gnu17 "${options[@]}" "${@:4}" "$live_tests/$2.c" -o "$3" "$scratch/libsequences.so" \
            "-Wl,-rpath,$scratch"
        ;;
    *) g++ -std=c++17 "${options[@]}" "${@:4}" "$source" -o "$3" ;;
    esac
}

# start_target [WITH]...: $program, until it gets on; its board is in this folder
start_target() {
    local arguments=()
    case $program in */server-*) arguments=("$PWD/socket") ;; esac
    rm -f board socket
    start "$@" "$program" "$PWD/board" "${arguments[@]}"
    waits_for board
    gets_on
}

# prepare_called KIND NAME FUNCTION...: $program, made once, and $profile, of what work.h has and these functions
prepare_called() {
    program=$scratch/$2-$1
    profile=$scratch/$2-$1.fdata
    [ ! -e "$profile" ] || return 0
    build "$1" "$2" "$program" -Wl,-q
    sed -nE 's/^HOT .*[ *]([a-z_]+)\(.*/\1/p' "$live_tests/work.h" >"$scratch/called"
    printf '%s\n' "${@:3}" >>"$scratch/called"
    sed 's:.*:1 run/1 0 1 &/1 0 0 1000:' "$scratch/called" >"$profile"
}

# start_crowd SLEEPERS KIND...: crowd, until all of its threads get on
start_crowd() {
    prepare_called pie crowd works_well check_work
    rm -f board
    start "$program" "$PWD/board" "$@"
    waits_for board
    gets_on
    keep_memory
}

# start_contexts KIND: contexts, in which something of this kind waits; passes: it goes on
start_contexts() {
    prepare_called pie contexts visit load
    mkfifo gate
    start "$program" "$PWD/board" "$PWD/gate" "$1"
    waits_for board
    gets_on
    keep_memory
}

passes() {
    echo >gate
    await grep -q passed said
    gets_on
}

# prepare KIND NAME: $program, made once, and $profile, its fdata: of a recording, and in the tier "check", which
# relies on no samples, of a walk through its code
prepare() {
    program=$scratch/$2-$1
    profile=$scratch/$2-$1.fdata
    [ ! -e "$profile" ] || return 0
    build "$1" "$2" "$program" -Wl,-q
    if seen_in_samples; then
        start_target
        record_enough "$2"
        ends_well
        run 0 "$anneal" aggregate -q -p recording -o "$profile" "$program"
    else
        walk_through
    fi
    rm recording
}

# walk_through: $profile, of several walks; a single one may come by few functions, whatever it depends on
walk_through() {
    local seed
    for seed in 1 2 3 4 5 6; do
        run 0 "$walk" -o recording -n 1000 --seed $seed "$program"
        run 0 "$anneal" aggregate -q -p recording -o "walk$seed.fdata" "$program"
    done
    run 0 "$anneal" merge -q -o "$profile" walk?.fdata
    rm walk?.fdata
}

# record_enough NAME: for twice as long each time, until there are two hundred windows. Among fewer there may be
# too few functions: a program that waits has had 13 windows in a second and a half, and 11 functions in them.
record_enough() {
    local seconds=1
    while :; do
        if [ "$1" = server ]; then
            ask $((seconds + 1))
        fi
        run 0 "$anneal" record --json --overhead=40% -F 20000 -d $seconds -o recording -p "$target"
        wait_for_client
        [ "$(jq .windows out)" -lt 200 ] || break
        rm recording
        ((seconds *= 2))
    done
}

# ask SECONDS: the server's client, in the background; wait_for_client: until it has ended well
client=
ask() {
    "$program" --ask "$PWD/socket" "$1" >asked 2>&1 &
    client=$!
}

wait_for_client() {
    local status=0
    [ -n "$client" ] || return 0
    wait "$client" || status=$?
    client=
    [ $status -eq 0 ] || fail "the client ended with status $status:" "$(cat asked)"
}

# make_progress: every thread does, within five minutes; a server has to be asked
make_progress() {
    if [[ $program != */server-* ]] || [ -n "$client" ]; then
        "$undisturbed" --progress board 300000
    else
        ask 0.3
        wait_for_client
    fi
}

gets_on() {
    local status=0
    make_progress && return
    if ! kill -0 "$target"; then
        wait "$target" || status=$?
        fail "the program has ended with status $status:" "$(cat said)"
    fi
    fail 'the program does not get on:' "$(cat said)"
}

# The program checks its sums, and says that all is well.
ends_well() {
    local status=0
    kill -TERM "$target"
    wait "$target" || status=$?
    [ $status -eq 0 ] || fail "the program ended with status $status:" "$(cat said)"
    trap - EXIT
}

# ---- new code ----

# live STATUS ARGUMENT...: for the target
live() {
    run "$1" "$anneal" live --state-dir "$state" -p "$target" "${@:2}" || fail "$(cat said)"
}

# a_round [ARGUMENT]...: of the profile, kept whatever it is worth; at least ten functions are moved
a_round() {
    live 0 -q --profile "$profile" --keep-anyway --json "$@"
    jq -e '.rounds | length > 0 and all(.functions >= 10 and .patches.entries > 0)' out >/dev/null ||
        fail 'little is moved:' "$(cat out err)"
}

# in_force: the number of the round that the program runs now; 0: it is the original
in_force() {
    live 0 --status --json
    jq -r .in_force out
}

# revert: and no byte differs
revert() {
    live 0 -q --revert
    is_free "$target"
    gets_on
    expect "$(differing)" 0
}

# keep_memory: what differing and added_memory compare with
keep_memory() {
    python3 "$live_tests/memory.py" keep "$target" "$(readlink "/proc/$target/exe" || echo "$program")" kept
}

# find_layout: $layout is the file of the oldest layout that the process has
find_layout() {
    live 0 --status --json
    layout=$(jq -r '.rounds[0].file' out)
}

differing() {
    python3 "$live_tests/memory.py" differ "$target" kept
}

# added_memory: mappings that can be run, and their kilobytes
added_memory() {
    python3 "$live_tests/memory.py" added "$target" kept
}
