#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal worth, with processes that count their own work: entries are counted exactly, in all threads and all layouts
# of the code; it says what is in the way; and in the long tier the figures are right.
#
# usage: test_worth.sh ANNEAL FORBIDDING
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
forbidding=$(realpath "$2")
program=$scratch/counted
state=$scratch/state
llvm_bolt=/usr/lib/llvm-19/bin/llvm-bolt

if ! have gcc jq mkfifo; then
    check_with 'gcc jq' 'work of a process' true
    finish
fi
gcc -std=gnu17 -O2 -no-pie -fno-pie -fno-reorder-blocks-and-partition -Wl,-q -Wl,--build-id -pthread \
    "$(dirname "$0")/counted.c" -o "$program"

# start_counted ARGUMENT...: the program, until it waits at its gate; a file of this folder
start_counted() {
    mkfifo gate
    touch said
    start "$program" gate "$@"
    await grep -q ready said
}

passes() {
    echo >gate
}

# start_other ARGUMENT...: a second one, $other, which has passed its gate
start_other() {
    mkfifo second-gate
    "$program" second-gate "$@" >second-said &
    other=$!
    await grep -q ready second-said
    echo >second-gate
}

# start_worth ARGUMENT...: in the background, until it counts
start_worth() {
    touch err
    "$anneal" worth -p "$target" "$@" >out 2>err &
    worth=$!
    await counts
    says 'counting entries'
}

# counts: or it has ended
counts() {
    grep -q 'counting entries' err || ! kill -0 "$worth" 2>/dev/null
}

# entries NAME: how many were counted
entries() {
    jq --arg name "$1" '.processes[0].functions[] | select(.name == $name) | .entries' out
}

# Breakpoints are no matter of course: sandboxes and some virtual machines have none.
may_count() {
    start_counted steady
    "$anneal" worth -p "$target" -f serve --interval 10ms -d 60ms >out 2>err
    local status=$?
    stop
    [ $status -eq 0 ] || grep -qvE 'debug register|hardware breakpoint|cannot count' err
}

# ---- counting ----

# exact THREADS CALLS: the process has ended before anneal has
exact() {
    local threads=$1 calls=$2
    start_counted exact "$threads" "$calls"
    start_worth -f work --overhead 100% -d 10m --json
    passes
    wait "$target" || fail "$(cat said)"
    wait "$worth" || : # it may have been too short for a figure
    expect "$(tail -n 1 said)" "calls $((2 * threads * calls))"
    expect "$(entries work)" $((2 * threads * calls))
    expect "$(jq .processes[0].ended out)" true
    is_document out
}

not_those_of_children() {
    start_counted fork 1 3000
    start_worth -f work --overhead 100% -d 10m --json
    passes
    wait "$target"
    wait "$worth" || :
    expect "$(tail -n 1 said)" 'calls 3000'
    expect "$(entries work)" 3000
}

not_those_of_another_program() {
    start_counted exec 1 3000
    start_worth -f work --overhead 100% -d 10m --json
    passes
    wait "$worth" || :
    grep -q sleep "/proc/$target/comm"
    expect "$(entries work)" 3000
    expect "$(jq .processes[0].ended out)" true
    stop
}

# Some calls lead to the new code at once, those through pointers by the old entry: each is counted once.
each_entry_once_in_layouts() {
    start_counted exact 3 1000
    printf '1 %s 0 1 work 0 0 1000\n' call_all parse >profile
    run 0 "$anneal" live -q --state-dir "$state" -p "$target" --profile profile --keep-anyway
    start_worth -f work --overhead 100% -d 10m --json
    passes
    wait "$target"
    wait "$worth" || :
    expect "$(tail -n 1 said)" 'calls 6000'
    expect "$(jq .processes[0].functions[0].places out)" 2
    expect "$(entries work)" 6000
}

# The machine may have no time for the process, or disturb it: then it is tried again.
chooses() {
    start_counted steady
    passes
    await "$anneal" worth -p "$target" --json --interval 50ms -d 1s >out 2>err
    jq -e '.processes[0] | .work.rate > 0 and (.functions | length > 0) and (.over_time | length > 5) and
        all(.functions[]; .name | IN("serve", "parse", "work"))' out >/dev/null || fail "$(cat out err)"
    is_document out
    is_free "$target"
    stop
}

# live ARGUMENT...: for the target
live() {
    "$anneal" live -q --state-dir "$state" -p "$target" "$@"
}

# take_turns: a layout, unless its worth is not known; then the original code again
take_turns() {
    live --profile profile --keep-anyway --worth-time=1.5s --json >out 2>err
    jq -e '.rounds[0].gain' out >/dev/null || { live --revert && false; }
}

# The process's own functions count what a layout is worth, in new and old code.
in_turns() {
    start_counted steady
    printf '1 %s 0 1 work 0 0 1000\n' call_all parse serve >profile
    passes
    await take_turns
    is_document out
    jq -e '.rounds[0] | .unit == "work" and .kept and (.counted | length > 0 and all(IN("serve", "parse", "work"))) and
        .switches >= 12 and .gain.low <= .gain.value and .gain.value <= .gain.high' out >/dev/null || fail "$(cat out err)"
    run 0 live --status --json
    local in_force
    in_force=$(jq .in_force out)
    [ "$in_force" -gt 0 ] || fail "$(cat out)"
    await "$anneal" worth -p "$target" --layouts -d 1500ms --json >out 2>err
    is_document out
    jq -e --argjson layout "$in_force" '.layout == $layout and .switches >= 12 and .gain.low > 0 and
        .gain.low <= .gain.high and (.counted | length > 0)' out >/dev/null || fail "$(cat out err)"
    # by a command: its CPU time is the work that it does in it
    await "$anneal" worth -p "$target" --layouts -d 3s --json \
        --counter "awk '{ print \$14 + \$15 }' /proc/$target/stat" >out 2>err
    jq -e '.counted == [] and .gain.low <= .gain.value and .gain.value <= .gain.high' out >/dev/null || fail "$(cat out err)"
    run 1 "$anneal" worth -p "$target" --layouts --counter false
    says '--counter' 'status 1'
    run 0 live --status --json
    expect "$(jq .in_force out)" "$in_force"
    run 0 live --revert
    run 1 "$anneal" worth -p "$target" --layouts
    says 'runs its original code'
    is_free "$target"
    stop
}

# has_looked TIMES: the watcher, or it has ended
has_looked() {
    [ "$(grep -c 'of the profile is unchanged' watcher.err)" -ge "$1" ] || ! kill -0 "$watcher" 2>/dev/null
}

# has_checked: likewise, by turns
has_checked() {
    jq -es 'any(.[]; .checked)' watcher.out >/dev/null || ! kill -0 "$watcher" 2>/dev/null
}

# Its own functions tell the watcher of a process that it does less than at first.
is_watched() {
    start_counted steady
    passes
    run 0 live --duration 1s --overhead=40% --keep-anyway # it is what the process does: no other round is due
    "$anneal" live --state-dir "$state" -p "$target" --continuous --duration 1s --overhead=40% --interval=1s \
        --threshold=1% --worth-time=3s --json >watcher.out 2>watcher.err &
    watcher=$!
    await has_looked 2 # when the second look has begun, the first one has counted
    kill -USR1 "$target"
    await has_checked
    kill -0 "$watcher" || fail 'it has ended:' "$(cat watcher.err)"
    jq -es 'first(.[] | select(.checked)) | .checked == 1 and .unit == "work" and .change.high < 0.97 and
        (.counted | length > 0)' watcher.out >/dev/null || fail "$(cat watcher.out watcher.err)"
    kill "$watcher"
    wait "$watcher" || :
    run 0 live --revert
    stop
}

tells_on_a_terminal() {
    start_counted steady
    passes
    await eval 'python3 "$tests/support/terminal.py" 100 log -- \
        "$anneal" worth -p "$target" -f serve --interval 100ms -d 2s >screen'
    grep -qE "^process $target \(counted\), 1 thread" screen
    grep -qE '^ +serve +[0-9,]+ +[0-9.]+ +\+-' screen
    grep -qE '^  work +[0-9.]+ +a CPU second' screen
    grep -qE '^  over time +[_.,=+*#-]+  [0-9.]+ to [0-9.]+$' screen || fail "$(cat screen)"
    stop
}

two_processes() {
    start_counted steady
    passes
    local other first=$target
    start_other steady
    await eval '"$anneal" worth -p $first -p $other -f serve --interval 50ms -d 1s --json >out 2>err'
    kill -KILL $other
    jq -e --argjson first $first --argjson other $other '(.difference | .ratio > 0 and .low <= .ratio and .high >= .ratio) and
        [.processes[].pid] == [$first, $other]' out >/dev/null || fail "$(cat out err)"
    is_document out
    stop
}

is_interrupted_in_order() {
    start_counted steady
    passes
    start_worth -f serve -d 1h --interval 50ms --json
    sleep 0.2 # more slices or less: either is told
    kill -TERM "$worth"
    wait "$worth" || :
    expect "$(jq .interrupted out)" true
    is_free "$target"
    stop
}

# ---- traffic ----

# counts_by CLOCK [ARGUMENT]...: the machine may leave it no time, in which traffic is not steady
counts_by() {
    "$anneal" worth -p "$target" --json --interval 50ms -d 1s "${@:2}" >out 2>err &&
        jq -e --arg clock "$1" '.processes[0].counts_by == $clock and .processes[0].work.rate > 0' out >/dev/null
}

# What it reads and writes counts, unless functions are asked for: as many bytes as it says, at no cost.
by_traffic() {
    start_counted relay
    passes
    await counts_by traffic
    jq -e '.processes[0] | .counting_share == 0 and [.functions[] | .name, .use] == ["bytes read", "used", "bytes written", "used"] and
        (.functions[0].entries - 2 * .functions[1].entries | fabs) <= 200' out >/dev/null || fail "$(cat out err)"
    is_document out
    says 'counting bytes read, bytes written'
    stop
}

traffic_of_two_processes() {
    start_counted relay
    passes
    local other first=$target
    start_other relay
    await eval '"$anneal" worth -p $first -p $other --clock=traffic --interval 50ms -d 1s --json >out 2>err'
    kill -KILL $other
    jq -e '(.difference | .ratio > 0 and .low <= .ratio and .high >= .ratio) and
        .processes[0].counts_by == .processes[1].counts_by' out >/dev/null || fail "$(cat out err)"
    stop
}

functions_of_a_server() {
    start_counted relay
    passes
    await counts_by functions --clock=functions
    jq -e '.processes[0] | all(.functions[]; .address > 0)' out >/dev/null || fail "$(cat out err)"
    stop
}

# traffic_takes_turns: as take_turns does
traffic_takes_turns() {
    live --profile profile --keep-anyway --worth-time=3s --json >out 2>err
    jq -e '.rounds[0] | .gain and .counted == ["bytes read", "bytes written"]' out >/dev/null || { live --revert && false; }
}

traffic_in_turns() {
    start_counted relay
    printf '1 %s 0 1 work 0 0 1000\n' call_all parse serve >profile
    passes
    await traffic_takes_turns
    jq -e '.rounds[0] | .unit == "work" and .kept and .switches >= 6 and
        .gain.low <= .gain.value and .gain.value <= .gain.high' out >/dev/null || fail "$(cat out err)"
    run 0 live --revert
    stop
}

no_traffic() {
    start_counted steady
    passes
    run 1 "$anneal" worth -p "$target" --clock=traffic
    says 'too seldom' '--clock=functions'
    stop
}

# ---- what is in the way ----

wrong_usage() {
    run 2 "$anneal" worth
    says 'no process named'
    run 2 "$anneal" worth -p x
    run 2 "$anneal" worth -p 0
    run 2 "$anneal" worth -p -5
    run 2 "$anneal" worth -p 99999999999
    run 2 "$anneal" worth -p 1 -p 1
    says 'named twice'
    run 2 "$anneal" worth -p 1 -p 2 -p 3
    says 'more than two processes'
    run 2 "$anneal" worth -p 1 -f a -f b -f c -f d
    says 'more than 3 functions'
    run 2 "$anneal" worth -p 1 operand
    run 2 "$anneal" worth -p 1 -d 0
    run 2 "$anneal" worth -p 1 --interval 1ms
    says 'at least 10ms'
    run 2 "$anneal" worth -p 1 -d 1s --interval 1s
    says 'at least 6 times'
    run 2 "$anneal" worth -p 1 -d 1000d --interval 10ms
    says 'a million'
    run 2 "$anneal" worth -p 1 --overhead 0
    run 2 "$anneal" worth -p 1 --counter true --counter true
    says 'more counters than processes'
    run 2 "$anneal" worth -p 1 --counter true -f f
    run 2 "$anneal" worth -p 1 --counter true --clock=traffic
    run 2 "$anneal" worth -p 1 --clock=traffic -f f
    run 2 "$anneal" worth -p 1 --clock=sundial
    run 2 "$anneal" worth -p 1 --json -q
}

no_such_process() {
    run 1 "$anneal" worth -p 4194305
    says 'no such process'
    run 1 "$anneal" worth -p 2 # a thread of the kernel, or nothing at all
}

no_such_function() {
    start_counted steady
    run 1 "$anneal" worth -p "$target" -f no_such_function
    says 'has no function called no_such_function'
    run 1 "$anneal" worth -p "$target" -f ''
    run 1 "$anneal" worth -p "$target" -f serve -f serve
    says 'named twice'
    stop
}

entered_too_often() {
    start_counted tiny
    passes
    await eval '! "$anneal" worth -p "$target" -f work --interval 50ms -d 1s 2>err'
    says 'no time of its own' '--counter'
    stop
}

# Counted all the time, it would leave little else: so it is counted for a part of it.
for_a_part_of_the_time() {
    start_counted busy
    passes
    await eval '"$anneal" worth -p "$target" -f work --json --interval 100ms -d 2s >out 2>err'
    jq -e '.duty < 0.5 and .processes[0].work.rate > 0 and .processes[0].functions[0].use == "used"' out >/dev/null ||
        fail "$(cat out err)"
    stop
}

# ---- counters ----

# steps FILE: a counter that stands still for some time in between; it is replaced, so that nobody finds half of it
steps() {
    local count=0
    while sleep 0.03; do
        count=$((count + 7))
        echo "requests: $count" >"$1.new" && mv "$1.new" "$1"
    done
}

# by_page: the same counter, and one that stands still, on pages of a server, behind words
by_page() {
    local server port
    python3 -u -m http.server --bind 127.0.0.1 0 >served 2>requests &
    server=$!
    await grep -q 'port [0-9]' served
    port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' served)
    sed 's/requests/Total Accesses/' count >page
    await eval '"$anneal" worth -p "$target" --counter "http://127.0.0.1:$port/count?auto#requests: " --interval 50ms -d 2s --json >out 2>err'
    jq -e '.processes[0] | .counted > 0 and .counted % 7 == 0' out >/dev/null || fail "$(cat out err)"
    run 1 "$anneal" worth -p "$target" --counter "http://127.0.0.1:$port/page#Total Accesses" --interval 10ms -d 200ms
    says 'has not moved'
    run 1 "$anneal" worth -p "$target" --counter "http://127.0.0.1:$port/none"
    says 'has failed'
    kill $server
    wait $server || :
}

by_counters() {
    start_counted steady
    passes
    echo requests: 0 >count
    steps count &
    local counter=$!
    await eval '"$anneal" worth -p "$target" --counter "file:count#requests" --interval 50ms -d 2s --json >out 2>err'
    jq -e '.processes[0] | .counted > 0 and .counted % 7 == 0 and .steps and .work.rate > 0 and
        (.over_time | length > 5)' out >/dev/null || fail "$(cat out err)"
    is_document out
    await eval '"$anneal" worth -p "$target" --counter "sed s/[^0-9]*// count; kill -0 \$1" --interval 50ms -d 2s >out 2>err'
    grep -q '^  counter ' out && grep -q 'a CPU second' out || fail "$(cat out err)"
    by_page
    # it does not move
    kill $counter
    wait $counter || :
    run 1 "$anneal" worth -p "$target" --counter file:count#requests --interval 10ms -d 200ms
    says 'has not moved'
    run 1 "$anneal" worth -p "$target" --counter file:count#connections
    says "no 'connections'"
    run 1 "$anneal" worth -p "$target" --counter file:no-such-file
    says 'no-such-file'
    run 1 "$anneal" worth -p "$target" --counter 'echo many'
    says 'not printed a number'
    is_free "$target"
    stop
}

two_by_counters() {
    start_counted steady
    passes
    local other first=$target counters
    mkfifo second-gate
    "$program" second-gate steady >second-said &
    other=$!
    await grep -q ready second-said
    echo >second-gate
    echo requests: 0 | tee one >two
    steps one &
    counters=$!
    steps two &
    counters="$counters $!"
    await eval '"$anneal" worth -p $first -p $other --counter file:one#requests --counter file:two#requests \
        --interval 50ms -d 2s --json >out 2>err'
    kill -KILL $other
    # shellcheck disable=SC2086 # two
    kill $counters
    jq -e '(.difference | .ratio > 0 and .low <= .ratio and .high >= .ratio) and
        all(.processes[]; .counted > 0 and .counted % 7 == 0)' out >/dev/null || fail "$(cat out err)"
    stop
}

asleep_and_stopped() {
    start_counted steady
    run 1 "$anneal" worth -p "$target" -f serve --interval 10ms -d 100ms
    says 'it did not run'
    passes
    kill -STOP "$target"
    await is_stopped "$target"
    "$anneal" worth -p "$target" -f serve --interval 10ms -d 100ms >out 2>err && fail 'it has a figure'
    says 'it is stopped'
    kill -CONT "$target"
    stop
}

where_it_is_forbidden() {
    local status=0
    start_counted steady
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" "$forbidding" refuse perf_event_open \
        "$anneal" worth -p "$target" >out 2>err || status=$?
    stop
    [ $status -ne 77 ] || return 0 # no filters here
    expect $status 1
    says 'cannot count entries' 'seccomp filter'
}

check 'says what is wrong with a command line' wrong_usage
check 'says that a process is not there' no_such_process
check 'counts what a server reads and writes' by_traffic
check 'compares two processes by what they read and write' traffic_of_two_processes
check 'says that a process hardly reads or writes' no_traffic
check_with "$llvm_bolt" 'counts what a layout of a server is worth by its traffic' traffic_in_turns
if ! (cd "$scratch" && mkdir may && cd may && may_count); then
    skip 'counts entries' 'no hardware breakpoints here'
    finish
fi
check 'counts each entry, in threads that begin and end' exact 4 3000
check 'counts each entry, in hundreds of threads' exact 200 50
check 'counts no entries of child processes' not_those_of_children
check 'counts no entries of another program' not_those_of_another_program
check_with "$llvm_bolt" 'counts each entry once where code was moved' each_entry_once_in_layouts
check_with "$llvm_bolt" 'counts what a layout is worth, at once and later' in_turns
check 'chooses functions' chooses
check 'chooses functions of a server, too, if asked' functions_of_a_server
check_on_terminal 'draws a line on a terminal' tells_on_a_terminal
check 'compares two processes' two_processes
check 'tells what it has when it is interrupted' is_interrupted_in_order
check 'says that a function is not there' no_such_function
check 'counts for a part of the time what is entered often' for_a_part_of_the_time
check_with 'python3 curl' 'counts by a counter, where it moves' by_counters
check 'compares two processes by their counters' two_by_counters
check 'says that a function is entered too often' entered_too_often
check 'says that a process does not run' asleep_and_stopped
check 'says what a sandbox forbids' where_it_is_forbidden

tier long

# pair PERCENT: two processes, of which the second one does so much more work for the same
pair() {
    local other first
    rm -f gate second-gate
    start_counted steady 0
    first=$target
    passes
    start_other steady "$1"
    "$anneal" worth -p $first -p $other -f serve --json >out 2>err
    kill -KILL $other
    stop
}

# The true difference lies within four half widths of the interval, as those of fifty thousand made-up pairs of
# processes with correlated slices did: a false alarm is rarer than one in ten thousand.
finds_a_difference() {
    local percent=$1
    pair "$percent"
    had "$(jq '.processes[0].over_time | length' out) slices"
    jq -e .difference out >/dev/null || judge_not 'the two processes ran in too few slices for a figure'
    jq -e --argjson percent "$percent" '.difference | ((.high - .low) / 2) as $half |
        (.ratio - 100 / (100 + $percent) | fabs) < 4 * $half' out >/dev/null || fail "$(cat out err)"
}

# work() is entered 200 times for each entry of serve(), whatever counting takes of its time.
counts_what_is_slowed_down() {
    start_counted busy
    passes
    "$anneal" worth -p "$target" -f serve --json >one 2>err
    "$anneal" worth -p "$target" -f work --json >two 2>err ||
        if grep -q 'counting would leave it no time of its own' err; then
            judge_not "an entry costs more here than there is time for: $(<err)"
        else
            fail "$(<err)"
        fi
    stop
    jq -es '[.[].processes[0].work] | (.[0].high - .[0].low) / .[0].rate * 200 + (.[1].high - .[1].low) / .[0].rate < 100
        and (.[1].rate / .[0].rate / 200 | . > 0.7 and . < 1.4)' one two >/dev/null ||
        judge_not "the machine is too busy: $(jq -c '.processes[0].work' one two)"
}

check 'knows what counting takes' counts_what_is_slowed_down
check_with "$llvm_bolt" 'live watches a process by its functions' is_watched
check 'finds no difference where there is none [false alarm: 1e-4]' finds_a_difference 0
check 'finds a difference of five percent [false alarm: 1e-4]' finds_a_difference 5
check 'counts each entry, in two thousand threads' exact 2000 10
finish
