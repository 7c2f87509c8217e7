# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the tests of recording, behind tap.sh: programs to record, and what becomes of them.
# shellcheck shell=bash

export PERF_CONFIG=/dev/null PERF_BUILDID_DIR=$scratch/buildid

# may_trace STEP_RECORD: in some containers no process may be traced
may_trace() {
    "$1" -o "$scratch/may-trace" -n 1 -- true 2>/dev/null
}

# may_record STEP_RECORD TOOL...: the test goes on if there are these tools, and processes may be traced;
# else it says so and ends
may_record() {
    if ! have "${@:2}"; then
        skip 'recording' "missing:$missing; run scripts/bootstrap"
        finish
    fi
    if ! may_trace "$1"; then
        skip 'recording' 'processes may not be traced here'
        finish
    fi
}

# start COMMAND...: runs it in the background; its process is $target, its output in the file said.
# What it reads is what start reads, which a shell would not give it.
target=
start() {
    "$@" >said 2>&1 <&0 &
    target=$!
    trap 'kill -KILL $target 2>/dev/null || :' EXIT
}

# stop: ends it
stop() {
    kill -TERM "$target"
    wait "$target" 2>/dev/null || :
    trap - EXIT
}

# is_free PID: no thread of it is traced or stopped
is_free() {
    await looks_free "$1" || fail "process $1 is still held:" "$(grep -E '^(Name|State|TracerPid)' status)"
    [ -s status ] || fail "process $1 is gone:" "$(cat said)"
}

looks_free() {
    # a thread may end while it is looked at
    cat /proc/"$1"/task/*/status >status 2>/dev/null || :
    ! grep -qE '^(TracerPid:.*[1-9]|State:.*[tT] \()' status
}

# records STATUS FILE RECORDER...: as run, of what may end before a sample is taken of it. Then there is no file, and no
# success either.
records() {
    local wanted=$1 file=$2 status=0
    rm -f "$file"
    "${@:3}" >out 2>err || status=$?
    if [ ! -e "$file" ]; then
        says 'no branches were recorded'
        [ "$wanted" -ne 0 ] || wanted=1
    fi
    expect $status "$wanted"
}

# until_recorded STATUS FILE RECORDER...: the same, again until something was recorded: a program that ends soon may be over
# before a busy machine gives the recorder a turn
until_recorded() {
    local tries
    for ((tries = 0; tries < 30; tries++)); do
        records "$@"
        [ ! -e "$2" ] || return 0
    done
    fail "nothing was recorded $tries times"
}

# waits_for FILE: until it is there and has something in it
waits_for() {
    await [ -s "$1" ]
}

# has_begun PID: a child of the recorder records, to a file in this folder or below; or it has ended
has_begun() {
    local child
    kill -0 "$1" 2>/dev/null || return 0
    for child in $(pgrep -P "$1"); do
        ! find "/proc/$child/fd" -lname "$PWD/*#*" 2>/dev/null | found . || return 0
    done
    return 1
}

# is_stopped PID: by a signal; that of a process that is traced has another letter
is_stopped() {
    grep -qE '^State:.*(T \(stopped|t \(tracing stop)\)' "/proc/$1/status"
}

# runs PROGRAM PID: the process is no shell any more
runs() {
    [ "$(readlink "/proc/$2/exe")" = "$(realpath "$1")" ]
}

# run_time PID: of its first thread, in nanoseconds
run_time() {
    cut -d' ' -f1 "/proc/$1/schedstat"
}

# has_run PID NANOSECONDS
has_run() {
    [ "$(run_time "$1")" -ge "$2" ]
}

# has_threads PID COUNT: at least
has_threads() {
    [ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l)" -ge "$2" ]
}

# seen_in_samples: whether this case may rely on samples of a program that ends by itself. On a machine that has
# other things to do there may be few, or none: the tier "check" does not rely on them.
seen_in_samples() {
    # shellcheck disable=SC2154 # tap.sh has it
    [ "$current_tier" = long ]
}

# A program that computes for SECONDS (of CPU time: for ROUNDS rounds), in functions of known names.
# compile_hot FILE OPTION...
compile_hot() {
    [ -e "$scratch/hot.c" ] || cat >"$scratch/hot.c" <<'EOP'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned seed = 1;

__attribute__((noinline)) unsigned hot_inner(unsigned x)
{
    switch (x % 7) {
    case 0: return x + 3;
    case 1: return x ^ 0x55;
    case 2: return x * 5;
    case 3: return x - 11;
    case 4: return x >> 3;
    default: return ~x;
    }
}

__attribute__((noinline)) unsigned hot_outer(unsigned x)
{
    for (unsigned i = 0; i < 100; i++)
        x = x * 1103515245u + hot_inner(x >> 9 ^ i);
    return x;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    unsigned sum = seed, check = 1;
    for (unsigned i = 0; i < 1000; i++)
        check = hot_outer(check);
    do {
        unsigned again = seed;
        for (unsigned i = 0; i < 1000; i++)
            again = hot_outer(again);
        if (again != check)
            abort();
        sum += again;
    } while (clock() < seconds * CLOCKS_PER_SEC);
    printf("done\n");
    return 7;
}
EOP
    gcc -O2 -g -Wl,-q -Wl,--build-id "${@:2}" "$scratch/hot.c" -o "$1"
}

# names FILE: the functions that perf report finds in a recording, most frequent first
names() {
    perf report --stdio --no-children -g none --sort symbol -i "$1" 2>report.err |
        sed -nE 's/^ *[0-9.]+% +\[\.\] +([^ ]+).*/\1/p' >names.of
    [ -s names.of ] || fail "perf report finds nothing in $1:" "$(cat report.err)"
}

# has_hot FILE: nearly all of the samples are in the functions of the program
has_hot() {
    names "$1"
    head -n 2 names.of | sort | tr '\n' ' ' >top
    expect "$(cat top)" 'hot_inner hot_outer '
}

# account FIELD: of what record --json has printed: to out, or to err where a command is recorded
account() {
    cat out err | sed -n '/^{/,/^}/p' | jq -r ".$1"
}

# at_least VALUE LEAST, at_most VALUE MOST: numbers that may have a point
at_least() {
    awk -v value="$1" -v least="$2" 'BEGIN { exit !(value + 0 >= least + 0) }' ||
        fail "$1, expected at least $2"
}

at_most() {
    awk -v value="$1" -v most="$2" 'BEGIN { exit !(value + 0 <= most + 0) }' ||
        fail "$1, expected at most $2"
}
