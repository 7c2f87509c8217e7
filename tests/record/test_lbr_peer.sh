#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What lib/record/lbr.h records of a process is what perf reads of it: the same samples and the same
# records of processes as the library finds, in order, with the build-ids of the files.
#
# usage: test_lbr_peer.sh ANNEAL RECORD_CLOCK LIST_RECORDING
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
record_clock=$(realpath "$2")
list_recording=$(realpath "$3")
export PERF_CONFIG=/dev/null PERF_BUILDID_DIR=$scratch/buildid

# A process that starts threads and other programs all the time, for some tenths of a second.
busy_program() {
    cat >busy.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void *spin(void *unused)
{
    struct timespec now;
    volatile unsigned sum = 0;
    (void)unused;
    do {
        for (unsigned i = 0; i < 10000; i++)
            sum += i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_nsec < 40000000);
    return NULL;
}
int main(void)
{
    char byte;
    if (read(0, &byte, 1) != 1)
        return 1;
    for (int round = 0; round < 5; round++) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, spin, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
        if (system("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done") != 0)
            return 1;
    }
    return 0;
}
END
    gcc -O1 -Wl,--build-id busy.c -o busy -pthread
}

# record OUTPUT OPTION...: of the busy program, from its beginning to its end
record() {
    local output=$1 pid
    shift
    busy_program
    mkfifo go
    head -n 1 go | exec ./busy &
    pid=$!
    "$record_clock" -F 500 -g go "$@" -p $pid "$output" 2>counts
    wait $pid || fail "the program's status is $?"
    rm go
}

# peer SELECTION OPTION...: what perf script prints of data
peer() {
    perf script -i data --ns "$@" 2>>peer.err | sed 's/ *$//; s/^ *//; s/  */ /g'
}

agrees() {
    record data "$@"
    : >peer.err
    peer -F pid,tid,time,period,event,ip | sort >expected
    [ "$(wc -l <expected)" -ge 50 ] || fail "$(cat counts peer.err)"
    expect "$(wc -l <expected)" "$(jq .samples counts)"
    "$list_recording" data | sort >found
    same found expected
    peer -F pid,tid,time --show-mmap-events --show-task-events |
        grep -E 'PERF_RECORD_(MMAP2?|COMM|FORK|EXIT)\b' |
        sed -E 's/^.* ([0-9]+\.[0-9]{9}: PERF_RECORD_)/\1/' | sort >expected
    "$list_recording" -k data | sort >found
    same found expected
    # perf says so when something comes later than the rounds allow
    ! grep -iE 'order|lost|invalid|warn|timestamp' peer.err || fail "$(cat peer.err)"
    perf buildid-list -i data | grep ' /' | sort >found
    for file in "$PWD/busy" $(ldd busy | grep -o '/[^ ]*libc.so[^ ]*' | xargs realpath); do
        echo "$(perf buildid-list -i "$file") $file"
    done >expected
    [ -z "$(comm -13 found <(sort expected))" ] || fail "$(cat found)"
}

of_a_process() {
    agrees
    expect "$(jq -c '[.threads, .processes, .lost]' counts)" '[21,1,0]'
}

of_a_family() {
    agrees -c
    expect "$(jq -c '[.threads, .processes, .lost]' counts)" '[26,6,0]'
    peer -F comm | sort | uniq -c | sort -rn >commands
    [ "$(grep -cE ' (busy|sh)$' commands)" = 2 ] || fail "$(cat commands)"
}

into_a_pipe() {
    record /dev/stdout -c | cat >stream
    cp stream data
    expect "$(head -c 9 data | od -An -tx1 | tr -d ' ')" 50455246494c453210
    expect "$(peer -F ip | wc -l)" "$(jq .samples counts)"
    # shellcheck disable=SC2002 # it is meant to be a pipe
    expect "$(cat data | perf script -i - -F ip 2>/dev/null | wc -l)" "$(jq .samples counts)"
    perf buildid-list -i data | found -F "$PWD/busy"
}

# This shell does nothing meanwhile, and has no branches
if "$record_clock" -p $$ -d 0.1 "$scratch/try" 2>"$scratch/err" || found 'no branches were recorded' <"$scratch/err"; then
    check_with 'gcc perf jq' 'a process with many threads' of_a_process
    check_with 'gcc perf jq' 'a process with its children' of_a_family
    check_with 'gcc perf jq' 'into a pipe' into_a_pipe
else
    skip 'recording' "no event may be opened here: $(head -n 1 "$scratch/err")"
fi
finish
