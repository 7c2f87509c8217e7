#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# After any number of rounds a program is the same program: addresses of functions are equal to
# themselves, calls return to where the program expects it, exceptions get where they have to, forks and libraries and signals and contexts are as
# ever, no system call is interrupted, a server's answers are right, and it does not grow.
#
# usage: test_live_same_program.sh ANNEAL UNDISTURBED STEP_RECORD WALK
#
# LIVE_ROUNDS=N: so many rounds (8); 50 for a long run.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
# shellcheck source=tests/live/live.sh
. "$tests/live/live.sh"
rounds=${LIVE_ROUNDS:-8}

# rounds_of KIND NAME COUNT: after each the program gets on; what it has mapped more is in added
rounds_of() {
    prepare "$1" "$2"
    start_target
    keep_memory
    local round
    for ((round = 1; round <= $3; round++)); do
        a_round
        gets_on
        added_memory >>added
    done
}

# After the first four rounds there is hardly more: at most what two older layouts take, which somebody
# may still return to.
does_not_grow() {
    awk 'NR <= 4 { mappings = $1 > mappings ? $1 : mappings; size = $2 > size ? $2 : size }
        NR > 4 && ($1 > mappings + 2 || $2 > 3 * size) { exit 1 }' added ||
        fail 'it grows (mappings, kilobytes after each round):' "$(cat added)"
}

stays_the_same() {
    rounds_of "$@"
    revert
    ends_well
}

stays_small() {
    rounds_of "$@"
    does_not_grow
    revert
    ends_well
}

# All threads run, and any of them may be in a sequence when it is to make calls: what they count is not lost.
keeps_sequences() {
    prepare pie sequences
    start_target
    keep_memory
    local round
    for ((round = 1; round <= rounds; round++)); do
        live 0 -q --profile "$profile" --keep-anyway
        revert
        gets_on
    done
    ends_well
}

# a_small_round: of a program of a few functions
a_small_round() {
    live 0 -q --profile "$profile" --keep-anyway --json
    jq -e '.rounds[0] | .functions > 0 and .patches.entries > 0' out >/dev/null ||
        fail 'nothing is moved:' "$(cat out err)"
}

# What the program's own table of return addresses names stays; the rest is moved.
keeps_frames() {
    prepare "$1" frames
    start_target
    keep_memory
    a_small_round
    expect "$(jq -r '.rounds[0].left_out | sort | join(" ")' out)" 'any/1 even/1 odd/1'
    gets_on
    live 0 --profile "$profile" --keep-anyway
    prints 'left out                          3  (the program names places within them: ' odd/1
    gets_on
    revert
    ends_well
}

address_of() {
    nm "$2" | awk -v name="$1" '$3 == name { print $1 }'
}

# Labels in a table are no return addresses, also those behind calls.
moves_labels() {
    local layout
    prepare fixed labels
    start_target
    keep_memory
    a_small_round
    expect "$(jq -c '.rounds[0].left_out' out)" '[]'
    find_layout
    if [ "$(address_of interpret "$layout")" = "$(address_of interpret "$program")" ]; then
        fail 'the interpreter is not moved'
    fi
    gets_on
    revert
    ends_well
}

# write_records NAME: of the program's loops, as if they had been recorded; a function without a symbol has a name
# of its address
write_records() {
    local name unnamed
    unnamed=__BOLT_FDE_FUNCat$(printf '%x' $((0x$(address_of untyped "$program") + 32)))
    echo "1 run/1 0 1 use/1 0 0 1000"
    for name in untyped "$unnamed"; do
        echo "1 use/1 0 1 $name 0 0 1000"
        echo "1 $name 16 1 $name 8 10 9000"
    done
}

# What has a symbol without a type is moved like others. What has none has no address that could be set back to
# that of its original.
keeps_addresses() {
    program=$PWD/assembled profile=$PWD/profile
    build fixed assembled "$program" -Wl,-q
    write_records >"$profile"
    start_target
    keep_memory
    a_small_round
    expect "$(jq -c '.rounds[0] | [.functions, .patches.entries, .skipped]' out)" '[3,3,1]'
    gets_on
    revert
    ends_well
}

# While a client asks and compares
serves() {
    prepare "$1" server
    start_target
    keep_memory
    ask 600
    local round
    for ((round = 1; round <= $2; round++)); do
        a_round
        gets_on
    done
    kill $client
    wait $client || expect $? 143
    client=
    expect "$(cat asked)" ''
    gets_on
    revert
    ends_well
}

may_live
check 'a server and its client, in one round' serves pie 1
for kind in fixed pie; do
    check "a table of return addresses ($kind)" keeps_frames $kind
done
check 'a table of labels' moves_labels
check 'functions written in assembler' keeps_addresses

tier long
for kind in fixed pie static; do
    check "pointers to functions ($kind)" stays_small $kind pointers "$rounds"
    check "addresses of labels ($kind)" stays_small $kind labels $((rounds / 2))
    check "exceptions and unwinding ($kind)" stays_small $kind thrower "$rounds"
    check "processes, libraries, threads, signals, contexts ($kind)" \
        stays_the_same $kind churn $((rounds / 2))
    check "a server and its client ($kind)" serves $kind $((rounds / 2))
done
check 'restartable sequences of a library' keeps_sequences
for kind in fixed pie; do
    check "waiting in all ways ($kind)" stays_the_same $kind undisturbed $((rounds / 3))
done
finish
