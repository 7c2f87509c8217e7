#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The programs that make perf.data files for the other tests and the benchmark: what they write is
# what perf reads, and no trace through a program is one that perf2bolt thinks impossible.
#
# usage: test_makers.sh ANNEAL STEP_RECORD WALK SERVER_FIXED SERVER_PIE
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/support/layouts.sh
. "$tests/support/layouts.sh"
step_record=$(realpath "$2")
walk=$(realpath "$3")
objects=(${4:+"$(realpath "$4")" "$(realpath "$5")"})
perf2bolt=/usr/lib/llvm-19/bin/perf2bolt

cat >"$scratch/program.c" <<'EOP'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int signals;
static unsigned total[8];

static void count(int signal)
{
    signals += signal == SIGUSR1;
}

__attribute__((noinline)) static unsigned choose(unsigned x)
{
    switch (x % 9) {
    case 0: return x + 3;
    case 1: return x * 5;
    case 2: return x ^ 77;
    case 3: return x - 11;
    case 4: return x / 3;
    case 5: return ~x;
    default: return x;
    }
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void *work(void *argument)
{
    unsigned number = (unsigned)(size_t)argument, x = number;
    char text[64], copy[64];
    for (int round = 0; round < ROUNDS; round++) {
        int values[100];
        for (int i = 0; i < 100; i++)
            values[i] = (int)(x = choose(x * 1103515245 + 12345) >> 4);
        qsort(values, 100, sizeof *values, compare);
        snprintf(text, sizeof text, "%d %d", values[0], values[50]);
        memset(copy, 0, sizeof copy);
        memcpy(copy, text, strlen(text));
        total[number] += (unsigned)strlen(copy) + (unsigned)values[7];
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int status;
    signal(SIGUSR1, count);
    for (size_t i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 300; i++) {
        raise(SIGUSR1);
        usleep(100);
    }
    pid_t child = fork();
    if (child == 0) {
        work((void *)4);
        _exit(total[4] % 100);
    }
    waitpid(child, &status, 0);
    work((void *)5);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%u %u %u %d %u %d\n", total[1], total[2], total[3], WEXITSTATUS(status), total[5], signals);
    return 7;
}
EOP

# program OPTION...: builds it as BOLT wants it
program() {
    gcc -O2 -g0 -DROUNDS="${rounds:-10000}" -fno-reorder-blocks-and-partition -Wl,-q -Wl,--build-id "$@" \
        "$scratch/program.c" -o program -pthread
}

# samples FILE: their number, all with 32 branches
samples() {
    perf script -F ip,brstack -i "$1" 2>/dev/null >script
    awk 'NF { samples++; if (NF != 33) exit 1 } END { print samples + 0 }' script
}

# accepted FILE PROCESSES: perf2bolt finds the program by its build-id, and no trace impossible
accepted() {
    run 0 $perf2bolt -p "$1" -o fdata program
    cat err >>out
    prints 'matched build-id and file name' "input binary is associated with $2 PID(s)" \
        'traces mismatching disassembled function contents: 0'
    ! grep -q WARNING out || fail "$(grep WARNING out)"
    [ "$(wc -l <fdata)" -ge "$3" ] || fail "fdata has $(wc -l <fdata) lines, expected $3"
}

walks() {
    program "$@"
    run 0 "$walk" -o data -n 500 --gap 50 program
    expect "$(samples data)" 500
    accepted data 1 10
    grep -q ' choose' fdata || fail "$(cat fdata)"
}
check_with "gcc perf $perf2bolt" 'a walk through a program that is loaded where it says' walks -no-pie -fno-pie
check_with "gcc perf $perf2bolt" 'a walk through a position independent program' walks -pie -fPIE

walks_many() {
    program -pie -fPIE
    run 0 "$walk" -o data -n 300 --pids 3 program
    expect "$(perf script -F pid -i data 2>/dev/null | sort | uniq -c | tr -s ' ' | tr '\n' ,)" \
        ' 100 1000 , 100 1001 , 100 1002 ,'
    accepted data 3 10
}
check_with "gcc perf $perf2bolt" 'a walk of three processes' walks_many

walks_again() {
    program -no-pie
    "$walk" -o one -n 100 program
    "$walk" -o two -n 100 program
    "$walk" -o other -n 100 --seed 2 program
    same one two
    ! cmp -s one other || fail 'another seed, the same file'
}
check_with gcc 'the same seed walks the same way' walks_again

# ---- replaced code ----

# server OBJECT OPTION: a program of 200 functions and two layouts of its code
server() {
    g++ -Wl,-q -Wl,--build-id "$2" "$1" -o program
    make_layouts program 2 -n 1000
}

# The numbers of branches between the files, by the mappings and branches that perf prints.
between() {
    perf script -F brstack --show-mmap-events -i data 2>/dev/null | python3 -c '
import collections, re, sys
ranges, counts = [], collections.Counter()
def home(address):
    return next((file for start, end, file in ranges if start <= address < end), -1)
for line in sys.stdin:
    mapping = re.search(r"\[(0x\w+)\((0x\w+)\).*/program(?:\.c(\d))?$", line)
    if mapping:
        start, size = int(mapping[1], 16), int(mapping[2], 16)
        ranges.append((start, start + size, int(mapping[3] or 0)))
    for source, target in re.findall(r"(0x\w+)/(0x\w+)/", line):
        counts[home(int(source, 16)), home(int(target, 16))] += 1
for (source, target), count in sorted(counts.items()):
    print("between", source, target, count)'
}

# translated LAYOUT FIRST END: of the branches that were come by at these addresses, how many were
# compared, and those that BOLT's translation puts elsewhere in the program
translated() {
    awk -v first="$2" -v end="$3" '/^P/ && $2 "" >= first "" && $2 "" < end "" { print "0x" $2, $3 }' \
        truth >places
    awk '{ print "--translate=" $1 }' places | xargs -n 1000 "$anneal" bat "$1" |
        sed -n 's/^0x[0-9a-f]* -> //p' >said
    { nm program && echo && paste -d' ' places said; } | python3 -c '
import sys
lines = iter(sys.stdin)
starts = {}
for line in lines:
    words = line.split()
    if not words:
        break
    if len(words) == 3:
        starts[words[2]] = int(words[0], 16)
number = 0
for line in lines:
    place, origin, name, _, offset = line.split()
    if starts[name.split(".cold.")[0]] + int(offset, 16) != int(origin, 16):
        print(line)
    number += 1
print(number, "compared")'
}

# Layout 1 comes into force after a quarter of the samples and layout 2 after half of them. What is
# said about the recording is what perf finds in it; perf2bolt follows every trace in the old code;
# and which branches do the same work is what llvm-bolt says of its layouts.
walks_replaced() {
    server "$@"
    run 0 "$walk" -o data -b 31 -n 2000 --layout program.c1 --layout program.c2 --truth truth \
        --call-stack stack program
    says ' 0 of '
    between >expected
    [ "$(wc -l <expected)" -ge 14 ] || fail "$(cat expected)"
    grep '^between' truth | LC_ALL=C sort >actual
    LC_ALL=C sort expected >sorted
    same actual sorted
    expect "$(grep -E '^(samples|branches|lost) ' truth | tr '\n' ' ')" 'samples 2000 branches 62000 lost 0 '
    [ "$(grep -c '^B' truth)" -ge 500 ] || fail "$(head truth)"
    [ "$(wc -l <stack)" -ge 1 ] || fail 'nothing was active when code was replaced'
    accepted data 1 100
    translated program.c1 10000000 20000000 >first
    translated program.c2 20000000 30000000 >second
    [ "$(wc -l <first) $(wc -l <second)" = '1 1' ] || fail "$(head first second)"
    [ "$(cut -d' ' -f1 first)" -ge 500 ] || fail "$(cat first)"
}
check_with "g++ perf python3 $perf2bolt" 'a walk through code that is replaced' walks_replaced "${objects[0]:-}" -no-pie
check_with "g++ perf python3 $perf2bolt" 'the same, position independent' walks_replaced "${objects[1]:-}" -pie

# What is no layout of the program is refused.
walks_no_layout() {
    program -no-pie
    run 1 "$walk" -o data --layout program program
    says 'is it a layout of that?'
}
check_with gcc 'a file that is no layout' walks_no_layout

# In some containers no process may be traced.
may_trace() {
    "$step_record" -o "$scratch/data" -n 1 -- true 2>/dev/null
}

# The program prints the same as without being recorded, and ends the same way; the child's life is
# long enough for it to be seen.
steps() {
    rounds=40000 program "$@"
    ./program >expected || expect $? 7
    run 7 "$step_record" -o data --follow-forks -s 500 -- ./program
    same out expected
    [ "$(samples data)" -ge 10 ] || fail "$(cat err)"
    says "$(samples data) windows"
    accepted data 2 1
    perf script -i data --show-task-events 2>/dev/null >events
    [ "$(grep -c PERF_RECORD_FORK events)" -ge 4 ] || fail "$(grep RECORD events)"
}
steps_fixed() {
    steps -no-pie -fno-pie
}
steps_independent() {
    steps -pie -fPIE
}

# has_threads PID: it has begun with its work
has_threads() {
    [ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l)" -gt 1 ]
}

steps_running() {
    rounds=200000 program -no-pie
    ./program >actual &
    await has_threads $!
    run 0 "$step_record" -o data -n 20 -p $!
    run 7 wait $!
    expect "$(samples data)" 20
    expect "$(cut -d' ' -f6 actual)" 300
}

if may_trace; then
    check_with "gcc perf $perf2bolt" 'recording a program does not disturb it' steps_fixed
    check_with "gcc perf $perf2bolt" 'recording a position independent program' steps_independent
    check_with "gcc perf" 'a process that was running goes on' steps_running
else
    skip 'recording' 'processes may not be traced here'
fi
finish
