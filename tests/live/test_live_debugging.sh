#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# New code has names: perf tells functions apart by itself; gdb does, and goes up from them to where
# the thread began, once it is told which files are mapped (it only asks the dynamic linker).
#
# usage: test_live_debugging.sh ANNEAL UNDISTURBED STEP_RECORD WALK
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
# shellcheck source=tests/live/live.sh
. "$tests/live/live.sh"

begin() {
    prepare "$1" "$2"
    start_target
    keep_memory
    a_round
    gets_on
}

# add_layouts: options for gdb, one for each file of new code
add_layouts() {
    local bias=0
    if [ "$(readelf -h "$program" | awk '$1 == "Type:" { print $2 }')" = DYN ]; then
        bias=0x$(grep -m 1 -F "$program" "/proc/$target/maps" | cut -d- -f1)
    fi
    live 0 --status --json
    mapfile -t files < <(jq -r '.rounds[].file' out)
    layouts=()
    for file in "${files[@]}"; do
        layouts+=(-ex "add-symbol-file $file -o $bias")
    done
}

# look: what gdb says of all threads
look() {
    local layouts files file
    add_layouts
    gdb -p "$target" -batch -iex 'set debuginfod enabled off' -iex 'set auto-load off' \
        "${layouts[@]}" -ex 'thread apply all backtrace' >stacks 2>gdb.err
    is_free "$target"
}

# In which frames of them are addresses of new code
moved_frames() {
    grep -oE '^#[0-9]+ +0x[0-9a-f]+' stacks | awk '{ print $2 }' |
        python3 "$live_tests/memory.py" inside "$target" kept
}

# All workers' stacks go up to their beginning; no frame of the program is without a name. (gdb may show
# one more, at 0, above clone3.)
stacks_are_whole() {
    expect "$(grep -c ' start_worker (\| in start_worker ' stacks)" "$1"
    ! grep -E '^#[0-9]+ .* \?\? \(\)$' stacks | grep -v ' 0x0* in ' || fail 'without names:' "$(cat stacks)"
    ! grep -E 'corrupt stack|Backtrace stopped' stacks || fail "$(cat stacks)"
}

# With one layout, and with a second one.
stacks() {
    local round seen=0
    begin "$1" thrower
    for round in {1..6}; do
        look
        stacks_are_whole 4
        seen=$((seen + $(moved_frames | wc -l)))
        [ $round != 3 ] || a_round
    done
    [ $seen -ge 20 ] || fail "only $seen frames of new code were seen" "$(cat stacks)"
    gets_on
    revert
    look
    stacks_are_whole 4
    expect "$(moved_frames)" ''
    ends_well
}

# perf_names: lines of share, file and symbol
perf_names() {
    perf record -q -e cpu-clock -F 2000 -p "$target" -o data -- sleep 1 2>perf.err # for a second
    perf report --stdio --no-children -g none --sort dso,symbol -i data 2>>perf.err |
        grep -E '^ *[0-9.]+%' >names
    [ -s names ] || fail 'perf report finds nothing:' "$(cat perf.err)"
}

# Most of the time is spent in new code, of which everything has a name.
profiled() {
    begin "$1" pointers
    perf_names
    awk -v old="${program##*/}" '
        $2 !~ /^\[/ && $2 !~ /^lib/ && $2 != old { new += $1; if ($4 ~ /^0x/) nameless += $1 }
        END { exit !(new > 30 && nameless < new / 50) }' names ||
        fail 'not in new code, or without names:' "$(head -n 30 names)"
    grep -q 'operate' names || fail "$(head -n 30 names)"
    gets_on
    revert
    ends_well
}

tier long
may_live
for kind in fixed pie static; do
    check_with gdb "gdb ($kind)" stacks $kind
    check_with perf "perf ($kind)" profiled $kind
done
finish
