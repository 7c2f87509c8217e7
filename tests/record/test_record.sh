#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal record from outside: what it can be told, what it says, what becomes of its output, and what
# it refuses. Kinds of programs are in test_targets.sh.
#
# usage: test_record.sh ANNEAL STEP_RECORD KNOWN_BRANCHES LIST_RECORDING
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
step_record=$(realpath "$2")
known_branches=$(realpath "$3")
list_recording=$(realpath "$4")
record=("$anneal" record --overhead=50% --freq=100000)

may_record "$step_record" gcc jq
compile_hot "$scratch/hot"
hot=$scratch/hot

# readable FILE LEAST: a whole recording with so many samples
readable() {
    "$list_recording" -b "$1" >samples || fail "$1 cannot be read"
    [ "$(wc -l <samples)" -ge "$2" ] || fail "$(wc -l <samples) samples, expected $2"
}

# alone FILE...: nothing else that looks like a recording was left in this folder
alone() {
    expect "$(find . -name '*data*' | sort | tr '\n' ' ')" "$(printf './%s ' "$@")"
}

# ---- what is recorded ----

# recorded FILE LEAST: as readable; a file that is not there has no samples
recorded() {
    if [ -e "$1" ]; then
        readable "$@"
    else
        expect "$2" 0
    fi
}

# commands LEAST SECONDS: each has so many samples at least
commands() {
    for method in emulate step; do
        records 7 data "${record[@]}" --method=$method -o data "$hot" "$2"
        expect "$(cat out)" 'done'
        says 'branches in'
        [ ! -e data ] || says 'wrote data'
        recorded data "$1"
    done
    records 7 perf.data "${record[@]}" -q -- "$hot" "$2"
    recorded perf.data "$1"
    [ ! -e perf.data ] || [ ! -s err ] || fail "$(cat err)"
    expect "$(find . -name '*data*' | grep -vxE './(perf[.])?data')" ''
}
check 'a command: its output and exit status are its own' commands 0 0.05

short_commands() {
    for _ in {1..10}; do
        records 0 data "${record[@]}" -q -o data true
        recorded data 0
        records 1 data "${record[@]}" -q -o data false
    done
    records 0 data "${record[@]}" -q -o data nice
    expect "$(cat out)" "$(nice)"
    records 0 data "${record[@]}" -q -o data -- sh -c 'echo "$1" >&2; read -r word; echo "$word"' sh text <<<word
    expect "$(cat out; grep -v 'no branches' err)" $'word\ntext'
}
check 'commands that end at once' short_commands

no_command() {
    run 127 "${record[@]}" -o data no-such-command
    says no-such-command
    run 127 "${record[@]}" -o data /etc/passwd
    says 'Permission denied'
    [ ! -e data ]
}
check 'commands that cannot be run' no_command

killed_command() {
    records 143 data "${record[@]}" -q -o data -- sh -c 'kill $$'
    recorded data 0
}
check 'a command that dies of a signal' killed_command

attached() {
    start "$known_branches" -s 600
    for method in emulate step; do
        run 0 "${record[@]}" --method=$method -o $method --branches=80 --window=40 -p "$target"
        says "($method)"
        readable $method 2
        is_free "$target"
    done
    stop
}
check 'a process that runs' attached

# ---- until when ----

# lasts LEAST MOST OPTION...: seconds, by the account; in the tier "long" not much more than asked for, in one of five
# times at least. Where a recording of a moment takes long as well, that is the machine's doing.
lasts() {
    local moment busy=
    for _ in 1 2 3 4 5; do
        records 0 data "${record[@]}" --json -o data -p "$target" "${@:3}"
        at_least "$(account seconds)" "$1"
        if [ $current_tier = check ] || at_most "$(account seconds)" "$2" >late; then
            return
        fi
        records 0 moment.data "${record[@]}" --json -o moment.data -p "$target" -d 10ms
        moment=$(account seconds)
        ! at_least "$moment" 0.2 >/dev/null || busy=$moment
    done
    [ -n "$busy" ] || fail "$(cat late)"
    judge_not "a recording of 0.01 s takes $busy s"
}

durations() {
    start "$known_branches" -s 600
    lasts 0.3 0.8 -d 300ms
    lasts 1 1.5 --duration=1
    lasts 1.2 1.7 --duration=1.2s
    stop
}
check 'for a given time' durations

# Its recording is none: what was there before stays.
asleep() {
    start sleep 600
    for method in emulate step; do
        echo before >data
        run 1 "${record[@]}" --method=$method --json --ledger=account -o data -p "$target" -d 20ms
        says 'no branches were recorded: nothing written'
        expect "$(account samples)" 0
        same account out
        expect "$(cat data)" before
        alone data
        is_free "$target"
    done
    stop
    # A command goes on: it sleeps for longer than it is recorded
    records 0 other "${record[@]}" -q -o other -d 20ms -- sh -c 'sleep 0.2; echo whole' </dev/null
    expect "$(cat out)" whole
}
check 'of a process that sleeps nothing is recorded' asleep

enough_branches() {
    start "$known_branches" -s 600
    run 0 "${record[@]}" --json -o data -p "$target" --branches=1000 --window=100
    expect "$(account branches)" 1000
    expect "$(account 'samples, .windows' | tr '\n' ' ')" '10 10 '
    readable data 10
    awk '{ exit NF != 105 }' samples || fail "$(head -n 1 samples)"
    for window in 1 33 127; do
        run 0 "${record[@]}" -q -o data -p "$target" --branches=$((window * 3)) --window=$window
        readable data 3
        awk -v window=$window 'NF != window + 5 { exit 1 }' samples || fail "$(head -n 1 samples)"
    done
    stop
}
check 'until there are enough branches, so many at a time' enough_branches

# Of three windows, each becomes PIECES samples of LEAST branches or one more; where one ends, the next one begins.
long_windows() {
    local window=$1 pieces=$2 least=$3
    start "$known_branches" -s 600
    run 0 "${record[@]}" --json -o data -p "$target" --branches=$((window * 3)) --window=$window
    stop
    expect "$(account branches)" $((window * 3))
    expect "$(account windows)" 3
    expect "$(account samples)" $((pieces * 3))
    readable data $((pieces * 3))
    # a line has the thread, the time, the period, the event, the ip, and the branches, the newest one first
    awk -v pieces="$pieces" -v least="$least" '
        NF != least + 5 && NF != least + 6 { print "branches: " NF - 5 }
        {
            split($NF, oldest, "/")
            if (samples++ % pieces && (time != $2 || ip != substr(oldest[1], 3)))
                print "a sample does not begin where the one before has ended: " ip, $NF
            time = $2
            ip = $5
        }
        END { if (samples != pieces * 3) print samples " samples" }' samples >wrong
    [ ! -s wrong ] || fail "$(head -n 3 wrong)"
}
check 'windows that are too long for a sample' long_windows 128 2 64
check 'the longest windows' long_windows 1024 9 113

end_of_process() {
    start "$hot" 0.3
    records 0 data "${record[@]}" --json -o data -p "$target"
    wait "$target" || expect $? 7
    recorded data 0
}
check 'until the process ends' end_of_process

# command_runs RECORDER: and the recording has begun
command_runs() {
    pgrep -P "$1" -x hot >/dev/null && has_begun "$1"
}

# keys SIGNAL: as the terminal does, to all processes of the group
keys() {
    set -m
    env --default-signal="$1" "${record[@]}" -q -o data -- "$hot" 60 >said 2>&1 &
    local front=$! status=0
    set +m
    await command_runs $front
    kill -"$1" -- -$front
    wait $front || status=$?
    expect $status $((128 + $(kill -l "$1")))
    recorded data 0
    expect "$(find . -name '*data*' ! -name data)" ''
}
check_with pgrep 'Ctrl-C ends the command, and its recording is whole' keys INT
check_with pgrep 'a hang-up does, too' keys HUP

# ---- the account ----

fields() {
    start "$known_branches" -s 600
    run 0 "${record[@]}" --json -o data -p "$target" --branches=300
    is_document out
    for field in samples windows branches stops in_kernel short_windows threads processes compared agreed \
        seconds run_seconds stopped_seconds own_seconds longest_stop overhead; do
        expect "$(account "$field | type")" number
    done
    expect "$(account 'ends | type')" object
    expect "$(account method)" emulate
    expect "$(account 'threads, .processes' | tr '\n' ' ')" '1 1 '
    expect "$(account samples)" "$("$list_recording" data | wc -l)"
    expect "$(account branches)" "$("$list_recording" -b data | grep -o /0x | wc -l)"
    at_least "$(account stops)" "$(account windows)"
    at_most "$(account longest_stop)" "$(account stopped_seconds)"
    [ ! -s err ] || fail "$(cat err)"
    run 0 "${record[@]}" --json -o - -p "$target" --branches=300
    mv out data
    mv err out
    expect "$(account method)" emulate
    readable data 1
    stop
}
check_with jq 'the account as JSON' fields

# A command has its standard output for itself; the account is whole in a file of its own, whatever it prints.
command_json() {
    cat >talk <<END
#!/bin/sh
echo 'a line'; echo '{'; echo '}' >&2
"$hot" 1 >/dev/null
echo 'the last'
END
    chmod +x talk
    until_recorded 0 data "${record[@]}" --json --ledger=account.json --children -o data ./talk
    expect "$(tr '\n' '|' <out)" 'a line|{|the last|'
    jq -e '.recording == "data" and .samples > 0' account.json >/dev/null
    says '"recording":"data"'
    until_recorded 0 data "${record[@]}" -q --ledger=quiet.json --children -o data ./talk
    expect "$(cat err)" '}'
    jq -e .method quiet.json >/dev/null
    run 1 "${record[@]}" -q --ledger=talk/folder --children -o data ./talk
    says talk
}
check_with jq 'JSON and what a command prints do not mix' command_json

# On a terminal of 60 columns: a line while it lasts, which fits, and is gone in the end.
on_a_terminal() {
    start "$known_branches" -s 60
    run 0 python3 "$tests/support/terminal.py" 60 log 'held for' 'columns 60' -- \
        "${record[@]}" -o data -p "$target" -d 2s
    stop
    ! grep -qE '#|[[]|held for [0-9.]*%$' out || fail "progress is left:" "$(cat out)"
    head -n 1 out | found '^anneal: [0-9,]* branches in' || fail "$(cat out)"
    # Interrupted, it ends in order.
    start "$known_branches" -s 60
    run 0 python3 "$tests/support/terminal.py" 60 log 'held for' 'type ^C' -- "${record[@]}" -o data -p "$target"
    stop
    ! grep -qE '#|[[]|held for [0-9.]*%$' out || fail "progress is left:" "$(cat out)"
    # A command has the terminal for itself.
    run 7 python3 "$tests/support/terminal.py" 60 log -- "${record[@]}" -o data "$hot" 2
    ! grep -q $'\r\033' log || fail "progress of a command:" "$(cat out)"
}
check_on_terminal 'progress on a terminal' on_a_terminal

same_seed() {
    run 2 "$anneal" record --seed=x -o data -p $$
    start "$known_branches" -s 600
    run 0 "${record[@]}" -q --seed=5 -o data -p "$target" -b 100
    stop
}
check 'a seed' same_seed

# of a fleet: by the rate of all hosts, and of hardly any
fleet() {
    echo before >data
    start "$known_branches" -s 600
    run 3 "${record[@]}" --fleet-rate=1e-12 -o data -p "$target"
    says 'it is not the turn of'
    expect "$(cat data)" before
    run 3 "${record[@]}" -q --fleet-rate=1e-12 --fleet-host=h1 -o data -p "$target"
    expect "$(cat err)" ''
    run 0 "${record[@]}" --json --fleet-rate=100% --fleet-host=h1 -o data --branches=80 -p "$target"
    readable data 1
    jq -e '.fleet_rate == 1 and .fleet_overhead >= .overhead' out >/dev/null || fail "$(cat out)"
    run 0 "${record[@]}" --fleet-rate=1/1 -o data --branches=80 -p "$target"
    says '100% of the hosts record at a time'
    stop
    # a command is executed in any case
    echo before >data
    run 7 "${record[@]}" --fleet-rate=1e-12 -o data -- sh -c 'echo ran; exit 7'
    expect "$(cat out)" ran
    says 'not recorded'
    run 127 "${record[@]}" --fleet-rate=1e-12 -o data -- no-such-command
    says no-such-command
    expect "$(cat data)" before
    for rate in 0 2 1/0 1/ x -1 101% 1%%; do
        run 2 "${record[@]}" "--fleet-rate=$rate" -o data true
        says "--fleet-rate=$rate: expected a share of the hosts"
    done
    run 2 "${record[@]}" --fleet-host=h1 -o data true
    run 2 "${record[@]}" --fleet-rate=1 --fleet-host= -o data true
    expect "$(cat data)" before
}
check_with jq 'a share of the hosts of a fleet' fleet

# ---- what is refused ----

usage() {
    run 2 "$anneal" record
    says 'nothing to record'
    run 2 "$anneal" record -p $$ true
    run 2 "$anneal" record -p x
    run 2 "$anneal" record -p 0
    run 2 "$anneal" record -p -1
    for wrong in --duration=x --duration=-1s --duration=1y --duration= --overhead=0 --overhead=-2 \
        --overhead=500% --method=magic --branches=0 --window=0 --window=5000 --freq=0 --no-such-option; do
        run 2 "$anneal" record -o data $wrong -p $$
        says "${wrong%%=*}"
    done
    [ ! -e data ]
}
check 'wrong usage' usage

no_process() {
    run 1 "$anneal" record -o data -p 4194303
    says 4194303 'no such process'
    run 0 sh -c 'true & echo $!; wait'
    run 1 "$anneal" record -o data -p "$(cat out)"
    [ ! -e data ]
}
check 'a process that does not exist' no_process

# A process that has ended, and whose parent does not care.
zombie() {
    start python3 -c '
import os, time
child = os.fork()
if child == 0:
    os._exit(0)
print(child, flush=True)
time.sleep(60)'
    waits_for said
    local asked
    for asked in 'record -o data -p' 'live -p' 'worth -p' 'peek' 'dump' 'doctor -p'; do
        # shellcheck disable=SC2086 # words are meant
        run 1 "$anneal" $asked "$(cat said)"
        cat out >>err
        says 'has ended'
        says "$(cat said)"
    done
    [ ! -e data ]
    stop
}
check_with python3 'a process that has ended' zombie

# A thread's number is not a process's, though there is something of that name.
thread() {
    start "$known_branches" -s 600 -t 50,20
    await has_threads "$target" 3
    local tid
    for tid in "/proc/$target/task"/*; do
        tid=${tid##*/}
        [ "$tid" = "$target" ] || break
    done
    run 1 "$anneal" record -o data -d 200ms -p "$tid"
    says "$tid" thread "$target"
    [ ! -e data ]
    stop
}
check 'a thread' thread

kernel_thread() {
    run 1 "$anneal" record -o data -d 300ms -p "$1"
    says "$1" kernel
    [ ! -e data ]
}
kthread=$(ps -o pid= --ppid 2 2>/dev/null | first | tr -d ' ')
if [ -n "$kthread" ] && [ "$(id -u)" = 0 ]; then
    check 'a thread of the kernel' kernel_thread "$kthread"
else
    skip 'a thread of the kernel' 'none can be seen here'
fi

# itself: nobody can trace a process that waits for the tracer
itself() {
    local status=0
    sh -c 'exec timeout 60 "$0" record -q -o data -d 300ms -p $$' "$anneal" >out 2>err || status=$?
    [ $status -ne 124 ] || fail 'it waits for itself'
}
check 'its own parent' itself

# A small tracer of its own, which holds the process as a debugger would.
traced() {
    cat >tracer.c <<'EOP'
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    if (argc < 2 || ptrace(PTRACE_SEIZE, atoi(argv[1]), 0, 0) != 0)
        return 1;
    puts("tracing");
    fflush(stdout);
    pause();
}
EOP
    gcc tracer.c -o tracer
    "$known_branches" -s 600 &
    local traced=$!
    start ./tracer $traced
    waits_for said
    run 1 "$anneal" record -o data -d 300ms -p $traced
    says "$traced" 'traced already' "$target"
    [ ! -e data ]
    stop
    kill $traced
}
check 'a process that is traced by another one' traced

# runs_or_is_gone PROGRAM: the target does
runs_or_is_gone() {
    runs "$1" "$target" || ! kill -0 "$target" 2>/dev/null
}

# A program of 32 bits that runs for ever, made by hand: few systems could compile one.
narrow() {
    python3 - <<'END'
import os, struct
code = bytes.fromhex("89c8" "41" "ebfb")  # 1: mov %ecx,%eax; inc %ecx; jmp 1b
base, head = 0x8048000, 52 + 32
elf = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack(
    "<HHIIIIIHHHHHH", 2, 3, 1, base + head, 52, 0, 0, 52, 32, 1, 0, 0, 0)
program = struct.pack("<8I", 1, 0, base, base, head + len(code), head + len(code), 5, 4096)
open("narrow", "wb").write(elf + program + code)
os.chmod("narrow", 0o755)
END
    start ./narrow
    await runs_or_is_gone ./narrow
    kill -0 "$target" 2>/dev/null || { echo 'no such programs run here' && return; }
    run 1 "$anneal" record -o data -d 300ms -p "$target"
    says '32-bit'
    run 0 "$anneal" record -q -o data2 -d 300ms -p "$target" || :
    kill -0 "$target" || fail 'it did not survive'
    [ ! -e data ]
    stop
}
check_with python3 'a process of 32 bits' narrow

# ---- output ----

full_disk() {
    start "$known_branches" -s 600
    run 1 "${record[@]}" -o /dev/full --branches=200 -p "$target"
    says /dev/full
    local status=0
    "${record[@]}" -q -o - --branches=200 -p "$target" >/dev/full 2>err || status=$?
    expect $status 1
    is_free "$target"
    stop
}
check 'a full disk' full_disk

# small_disk: a file system of 64 KiB, in a mount namespace of its own
small_disk() {
    start "$known_branches" -s 600
    mkdir small
    cat >script <<'END'
mount -t tmpfs -o size=64k none small && echo precious >small/data || exit 99
"$@" 2>err
status=$?
ls -A small >left
cat small/data >>left
exit $status
END
    run 1 unshare -m sh script "${record[@]}" -o small/data -b 8000 -p "$target"
    says 'No space left'
    expect "$(cat left)" $'data\nprecious'
    is_free "$target"
    stop
}
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    check_with unshare 'a disk that fills up: what was there stays' small_disk
else
    skip 'a disk that fills up' 'no namespace of mounts can be made here (unshare --mount)'
fi

no_place() {
    echo precious >data
    run 1 "$anneal" record -o data/below -d 300ms -p $$
    says data/below
    run 1 "$anneal" record -o . -d 300ms -p $$
    says directory
    run 1 "$anneal" record -o data -p 4194303
    expect "$(cat data)" precious
    alone data
}
check 'output that cannot be written; what was there stays' no_place

replaced() {
    start "$known_branches" -s 600
    echo precious >data
    ln data other
    run 0 "${record[@]}" -q -o data --branches=200 -p "$target"
    readable data 1
    expect "$(cat other)" precious
    stop
}
check 'an older recording is replaced' replaced

pipe() {
    start "$known_branches" -s 600
    "${record[@]}" -q -o - --branches=300 -p "$target" | perf script -F ip,brstack -i - >script 2>script.err
    [ "$(grep -c 0x script)" -ge 3 ] || fail "$(cat script.err)"
    mkfifo fifo
    perf script -F ip,brstack -i - <fifo >script 2>script.err &
    run 0 "${record[@]}" -q -o fifo --branches=300 -p "$target"
    wait $!
    [ "$(grep -c 0x script)" -ge 3 ] || fail "$(cat script.err)"
    stop
}
check_with perf 'into perf script through a pipe' pipe

# The reader goes away: that is an end, and not one that hurts.
broken_pipe() {
    start "$known_branches" -s 600
    local status
    set +e
    timeout 300 "${record[@]}" -q -o - -p "$target" 2>err | head -c 1000 >part
    status=${PIPESTATUS[0]}
    set -e
    [ "$status" -ne 0 ] && [ "$status" -ne 124 ] || fail "status $status"
    is_free "$target"
    kill -0 "$target"
    stop
}
check 'a pipe that nobody reads any more' broken_pipe

# ---- users ----

# A user who may use this folder, but has none of root's rights.
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)

own_process() {
    chmod 711 "$scratch"
    chmod 755 .
    mkdir -m 777 folder
    cp "$anneal" anneal
    cp "$known_branches" target
    chmod 755 anneal target
    start "${as_nobody[@]}" ./target -s 600
    await runs ./target "$target"
    run 0 "${as_nobody[@]}" ./anneal record -q --overhead=50% -o folder/data --branches=100 -p "$target"
    readable folder/data 1
    run 0 "${as_nobody[@]}" ./anneal record -q --overhead=50% -o folder/step --branches=32 --method=step -p "$target"
    run 1 "${as_nobody[@]}" ./anneal record -q -o data -d 300ms -p "$target"
    says 'Permission denied'
    expect "$(find . -name '*data*')" ./folder/data
    stop
}

others_process() {
    chmod 711 "$scratch"
    chmod 777 .
    cp "$anneal" anneal
    chmod 755 anneal
    start "$known_branches" -s 600
    run 1 "${as_nobody[@]}" ./anneal record -o data -d 300ms -p "$target"
    says "$target" 'cannot trace'
    [ ! -e data ]
    stop
}

if [ "$(id -u)" = 0 ]; then
    check_with setpriv 'a user records a process of their own' own_process
    check_with setpriv 'but not one of others' others_process
else
    skip 'processes of other users' 'only root can start some'
fi

# ---- bounds on time, and numbers of samples in a given time ----

tier long
check 'a command has samples' commands 1 0.3
check 'for a given time, and not much longer' durations
# Rates are of run time. A program that runs all the time has as much of it as there is.
frequencies() {
    start "$known_branches" -s 600
    local seconds
    for seconds in 2 8 32; do # where others have the processors, it runs for less
        run 0 "$anneal" record --json -o data -p "$target" -d ${seconds}s --overhead=50% -F 50
        had "$(account windows) windows in $(account run_seconds) s of run time"
        ! at_least "$(account run_seconds)" 1.8 || break
    done
    stop
    at_least "$(account run_seconds)" 1.8 || judge_not "it ran for $(account run_seconds) s of $seconds"
    at_most "$(account 'windows / .run_seconds')" 75
    at_least "$(account 'windows / .run_seconds')" 25
}
check 'at most so often [false alarm: 1e-6]' frequencies

# budget METHOD OVERHEAD SECONDS: what is held stays within it, but for one window, which is finished once it has begun:
# where others have the processors, that of single steps may take a quarter of a second
budget() {
    start "$known_branches" -s 60
    run 0 "$anneal" record --json -o data -p "$target" -F 100000 --method="$1" --overhead="$2" -d "$3"
    at_most "$(account 'stopped_seconds as $all | ($all - .longest_stop) / .run_seconds')" \
        "$(awk -v percent="${2%\%}" 'BEGIN { print percent / 100 * 1.1 }')"
    at_least "$(account samples)" 1
    stop
}
check 'the budget' budget emulate 2% 5s
check 'a large budget' budget emulate 20% 3s
check 'the budget of single steps' budget step 5% 5s
finish
