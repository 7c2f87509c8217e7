#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What anneal live cannot do it refuses, in one line that says why and what to do, and leaves the
# process as it is.
#
# usage: test_live_refuses.sh ANNEAL UNDISTURBED STEP_RECORD WALK
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
# shellcheck source=tests/live/live.sh
. "$tests/live/live.sh"

# says_in_one_line PATTERN...
says_in_one_line() {
    local pattern
    expect "$(grep -c '' err)" 1
    grep -q '^anneal: error: ' err || fail "$(cat err)"
    for pattern; do
        grep -qE -e "$pattern" err || fail "standard error has no \"$pattern\" but:" "$(cat err)"
    done
}

# refused STATUS PATTERN [ARGUMENT]...: the target is as before
refused() {
    live "$1" --keep-anyway "${@:3}"
    says_in_one_line "$2"
    expect "$(differing)" 0
    expect "$(added_memory)" '0 0'
    is_free "$target"
    gets_on
}

begin() {
    prepare pie pointers
    start_target
    keep_memory
}

# ---- binaries ----

no_relocations() {
    prepare pie pointers
    build pie pointers plain
    program=$PWD/plain
    start_target
    keep_memory
    refused 1 '-Wl,-q|--emit-relocs' --profile "$profile"
    refused 1 '-Wl,-q|--emit-relocs' --duration 1s
    ends_well
}

stripped() {
    prepare fixed pointers
    strip -o stripped "$program"
    program=$PWD/stripped
    start_target
    keep_memory
    refused 1 'strip|symbol|-Wl,-q' --profile "$profile"
    ends_well
}

another_binary() {
    begin
    build pie thrower other -Wl,-q
    refused 1 'build' --binary ./other --profile "$profile"
    refused 1 'no-such-file' --binary ./no-such-file --profile "$profile"
    refused 1 '' --binary "$profile" --profile "$profile"
    ends_well
}

# The program's file is another one by now: either the right one is found, or none is.
replaced() {
    prepare pie pointers
    cp "$program" here
    program=$PWD/here
    start_target
    keep_memory
    build pie thrower other -Wl,-q
    mv other here
    local status=0
    "$anneal" live --state-dir "$state" -p "$target" --profile "$profile" --keep-anyway \
        >out 2>err || status=$?
    gets_on
    if [ $status -eq 0 ]; then
        revert
    else
        says_in_one_line 'here'
        expect "$(differing)" 0
    fi
    ends_well
}

interpreter() {
    start bash -c 'while :; do sleep 0.1; done' # which is all that this program does
    live 1 --duration 300ms
    says_in_one_line '-Wl,-q|--emit-relocs|strip|symbol'
    kill -0 "$target"
    stop
}

runs_or_is_gone() {
    runs ./narrow "$target" || ! kill -0 "$target" 2>/dev/null
}

# A program of 32 bits, without libraries: few systems have them.
narrow() {
    cat >narrow.c <<'EOP'
void _start(void)
{
    for (;;)
        __asm__ volatile("int $0x80" : : "a"(29)); /* pause */
}
EOP
    gcc -m32 -nostdlib -static -fno-pie -no-pie narrow.c -o narrow
    start ./narrow
    await runs_or_is_gone
    kill -0 "$target" 2>/dev/null || { echo 'no such programs run here' && return; }
    live 1 --duration 300ms
    says_in_one_line '32'
    kill -0 "$target"
    stop
}

# ---- processes ----

no_process() {
    true &
    target=$!
    wait "$target"
    live 1
    says_in_one_line "$target"
    live 1 --revert
    says_in_one_line "$target"
    live 1 --status
    says_in_one_line "$target"
}

# A tracer that holds a process as a debugger would, without stopping it.
traced() {
    cat >tracer.c <<'EOP'
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
static volatile sig_atomic_t ended;
static void end(int signal)
{
    ended = signal;
}
int main(int argc, char **argv)
{
    int status;
    pid_t task;
    for (int i = 1; i < argc; i++)
        if (ptrace(PTRACE_SEIZE, atoi(argv[i]), 0, 0) != 0)
            return 1;
    puts("tracing");
    fflush(stdout);
    /* What was told of a signal and ends before it has handed that on has lost it. */
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = end}, NULL);
    while (!ended && ((task = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR))
        if (task > 0)
            ptrace(PTRACE_CONT, task, 0, WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
    return 0;
}
EOP
    gcc tracer.c -o tracer
    begin
    local tasks
    tasks=$(ls "/proc/$target/task")
    # shellcheck disable=SC2086
    ./tracer $tasks >tracing &
    local tracer=$!
    waits_for tracing
    live 1 --profile "$profile" --keep-anyway
    says_in_one_line "traced|$tracer"
    live 0 --status # who only looks does not mind
    expect "$(differing)" 0
    gets_on
    kill $tracer
    wait $tracer || :
    ends_well
}

# What maps new code might be deadly to it.
filtered() {
    cat >filter.c <<'EOP'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog program = {1, &allow};
    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 1;
    return execv(argv[1], argv + 1);
}
EOP
    gcc filter.c -o filter
    prepare pie pointers
    start_target ./filter
    keep_memory
    refused 1 'seccomp' --profile "$profile"
    ends_well
}

as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)

others_process() {
    begin
    chmod 711 "$scratch"
    chmod 777 .
    cp "$anneal" anneal
    cp "$profile" profile
    chmod 755 anneal profile
    run 1 "${as_nobody[@]}" ./anneal live --state-dir "$PWD/own" -p "$target" --profile profile \
        --keep-anyway
    says_in_one_line 'cannot trace|ermission|sudo|user'
    expect "$(differing)" 0
    gets_on
    ends_well
}

# records PID: it, or a child of it, has a file for what it records
records() {
    local process
    for process in "$1" $(pgrep -P "$1"); do
        ! find "/proc/$process/fd" -lname '*#*' 2>/dev/null | found . || return 0
    done
    return 1
}

# It ends while it is recorded.
ends_early() {
    begin
    "$anneal" live --state-dir "$state" -p "$target" -q --duration 300s >out 2>err &
    local front=$! status=0
    await records $front
    ends_well
    wait $front || status=$?
    expect $status 1
    says_in_one_line "$target|ended"
}

# Two at once: one of them may be refused.
at_once() {
    begin
    local one=0 other=0 first
    "$anneal" live --state-dir "$state" -p "$target" -q --profile "$profile" --keep-anyway \
        >first 2>&1 &
    first=$!
    "$anneal" live --state-dir "$state" -p "$target" -q --profile "$profile" --keep-anyway \
        >out 2>err || other=$?
    wait $first || one=$?
    [ $((one + other)) -le 1 ] || fail "status $one and $other" "$(cat first err)"
    gets_on
    live 0 -q --revert
    expect "$(differing)" 0
    gets_on
    ends_well
}

# ---- means ----

no_llvm_bolt() {
    begin
    refused 1 'no llvm-bolt at /nonexistent' --profile "$profile" --bolt /nonexistent
    printf '#!/bin/sh\necho "it does not work" >&2\nexit 1\n' >broken
    chmod +x broken
    refused 1 'llvm-bolt|broken' --profile "$profile" --bolt ./broken
    refused 1 'llvm-bolt|true' --profile "$profile" --bolt /bin/true
    ends_well
}

no_state() {
    begin
    touch file
    state=$PWD/file refused 1 'file' --profile "$profile"
    state=/proc/nothing refused 1 '/proc/nothing' --profile "$profile"
    ends_well
}

no_profile() {
    begin
    refused 1 'no-such-file' --profile no-such-file
    : >empty
    refused 1 'empty' --profile empty
    echo '1 nobody 0 1 nobody 1 0 5' >others
    refused 1 'others|function' --profile others
    head -c 3000 /dev/urandom >noise
    refused 1 'noise|profile' --profile noise
    ends_well
}

usage() {
    begin
    run 2 "$anneal" live
    says '-p'
    run 2 "$anneal" live -p none
    run 2 "$anneal" live -p 0
    live 2 --rounds 0
    live 2 --rounds some
    live 2 --duration 0s
    live 2 --revert --status
    live 2 --no-such-option
    live 2 further
    expect "$(differing)" 0
    gets_on
    ends_well
}

# A program that says of itself that it keeps tables about code.
runtime_with_tables() {
    prepare pie pointers
    echo 'char caml_frametable[8] = {1};' >table.c
    gcc -c table.c -o table.o
    build pie pointers "$PWD/with-table" -Wl,-q "$PWD/table.o"
    program=$PWD/with-table start_target
    keep_memory
    refused 1 'runtime: OCaml: its runtime looks up return addresses'
    ends_well
}

# Three hundred threads take milliseconds, wherever it is; and nothing else is done before that is known.
too_many_threads() {
    start_crowd 300 compute
    refused 1 'has 30[0-9] threads, too many .*--max-pause' --duration 60s --max-pause=0.5ms
    refused 1 'has 30[0-9] threads, too many .*--max-pause' --profile "$profile" --max-pause=0.5ms
    [ ! -e "$state" ] || expect "$(find "$state" -name '*.data')" ''
    live 0 --profile "$profile" --keep-anyway --max-pause=60s --json
    jq -e '.rounds[0].stopped.calls | .count > 0 and .sum_ms >= .longest_ms and .longest_ms > 0' out >/dev/null ||
        fail 'calls for anneal are not in the account:' "$(cat out)"
    live 1 --revert --max-pause=0.5ms
    says_in_one_line 'has 30[0-9] threads, too many .*--max-pause'
    live 0 --revert --max-pause=60s
    ends_well
}

# No stop is that short: nothing is changed, and it says so.
too_short_a_pause() {
    begin
    refused 1 'max-pause' --profile "$profile" --max-pause=0.001ms
    live 0 -q --profile "$profile" --keep-anyway
    live 1 --revert --max-pause=0.001ms
    says_in_one_line 'max-pause'
    is_free "$target"
    live 0 -q --revert
    expect "$(differing)" 0
    ends_well
}

# A process may have any number of words that look like contexts that sleep in an entry: not all are kept.
hostile_words() {
    start_crowd 0 hostile
    refused 1 'more than 16384 words .*nothing was changed.*--skip-funcs' --profile "$profile"
    live 0 -q --profile "$profile" --keep-anyway --bolt-option=--skip-funcs=fold/1
    gets_on
    revert
    ends_well
}

# More code than can be covered in two seconds, each part of it as hot as all others.
thin() {
    {
        printf 'volatile unsigned x;\n'
        for i in $(seq 4000); do
            printf '__attribute__((noinline)) void f%d(void) { if (x %% %d == 1) x += %d; else x ^= %d; ' \
                "$i" "$((i % 61 + 2))" "$i" "$i"
            printf 'if (x & %d) x *= 5; if (x > %d) x -= %d; if (x & 64) x ^= x >> 3; }\n' "$((1 << i % 9))" "$i" "$i"
        done
        printf 'int main(void) { for (;;) {\n'
        printf 'f%d();\n' $(seq 4000)
        printf '} }\n'
    } >wide.c
    gcc -O1 -fno-reorder-blocks-and-partition -Wl,-q wide.c -o wide
    start ./wide
    live 1 --duration 2s
    grep -q '^anneal: error: too thin to lay out by: 0\.[0-9]* branches for each byte of hot code' err
    grep -q -e '--duration=[0-9]*s' err
    live 0 --duration 2s --thin --dry-run
    grep -q 'functions with new code' out
    kill -0 "$target"
    stop
}

may_live
check 'too thin a recording' thin
check 'a pause that is too short' too_short_a_pause
check 'more threads than can be stopped in time' too_many_threads
check 'words without end that could be contexts' hostile_words
check 'a binary without relocations' no_relocations
check 'a runtime that looks up return addresses' runtime_with_tables
check 'a stripped binary' stripped
check 'another binary than the one that runs' another_binary
check 'a binary that was replaced' replaced
check 'an interpreter' interpreter
echo 'int one;' >"$scratch/one.c"
if gcc -m32 -c "$scratch/one.c" -o "$scratch/one.o" 2>/dev/null; then
    check 'a process of 32 bits' narrow
else
    skip 'a process of 32 bits' 'gcc -m32 does not work here'
fi
check 'no such process' no_process
check 'a process that is traced by another one' traced
check 'a process that filters its system calls' filtered
if [ "$(id -u)" = 0 ]; then
    check_with setpriv "another user's process" others_process
else
    skip "another user's process" 'only root can be another user'
fi
check 'a process that ends early' ends_early
check 'two at once' at_once
check 'no llvm-bolt' no_llvm_bolt
check 'nowhere to keep the state' no_state
check 'no profile' no_profile
check 'wrong usage' usage
finish
