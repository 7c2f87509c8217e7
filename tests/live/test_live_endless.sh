#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Functions that are entered once and never left, as the main loops of interpreters are: they come to their new code, to
# that of the next layout, and back.
#
# usage: test_live_endless.sh ANNEAL UNDISTURBED STEP_RECORD WALK
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
# shellcheck source=tests/live/live.sh
. "$tests/live/live.sh"

# in_layout COUNT: all of so many threads were in code of a layout when they last said where they are; in_original: in the
# program's own
in_layout() { are_in "$1" "$state/.*/c[0-9]+"; }
in_original() { are_in "$1" "$program"; }

are_in() {
    od -An -v -t u8 -w8 -N $((8 * $1)) places >places.read
    python3 - "/proc/$target/maps" places.read "$2" <<'EOF'
import re, sys
lines = [line.split(None, 5) for line in open(sys.argv[1])]
ranges = [[int(end, 16) for end in line[0].split("-")] for line in lines
          if "x" in line[1] and len(line) == 6 and re.fullmatch(sys.argv[3], line[5].strip())]
places = [int(line) for line in open(sys.argv[2])]
sys.exit(not all(any(start <= place < end for start, end in ranges) for place in places))
EOF
}

# start_endless KIND THREAD...
start_endless() {
    program=$scratch/endless-$1 profile=$scratch/endless-$1.fdata
    if [ ! -e "$profile" ]; then
        build "$1" endless "$program" -Wl,-q
        walk_through
        rm recording
    fi
    rm -f board
    start "$program" "$PWD/board" "$PWD/places" "${@:2}"
    waits_for board
    gets_on
    keep_memory
}

# Nobody is in a layout any more, which is gone then.
is_gone() {
    live 0 -q --revert
    live 0 --status --json
    [ "$(jq '.rounds | length' out)" -eq 0 ]
}

# goes_over_and_back KIND THREAD...
goes_over_and_back() {
    local count=$(($# - 1)) _
    start_endless "$@"
    for _ in 1 2 3; do
        live 0 -q --profile "$profile" --keep-anyway --json
        jq -e '.rounds[0].patches.blocks > 0' out >/dev/null || fail 'no block leads on:' "$(cat out)"
        await in_layout $count
        gets_on
    done
    revert
    await in_original $count
    await is_gone
    gets_on
    ends_well
}

may_live
check 'interpreters and loops (fixed)' goes_over_and_back fixed switch labels loop
# llvm-bolt 19 does not move jumps to labels in a program that may lie anywhere
check 'interpreters and loops (pie)' goes_over_and_back pie switch loop
check 'many threads in one loop' goes_over_and_back fixed loop loop loop loop loop loop switch switch switch switch
finish
