#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Recording programs of all kinds: with threads, with children, that load code, replace it, write it
# as they run, that are linked in this way or that. Each is found again in the recording, and goes on
# as if nothing had happened.
#
# usage: test_targets.sh ANNEAL STEP_RECORD KNOWN_BRANCHES LIST_RECORDING
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
step_record=$(realpath "$2")
known_branches=$(realpath "$3")
list_recording=$(realpath "$4")
record=("$anneal" record --overhead=50% --freq=100000)

may_record "$step_record" gcc perf jq

# ---- how it is linked ----

# linked OPTION...: perf finds the functions, position independent or not, with libraries or without
linked() {
    compile_hot hot "$@"
    start ./hot 600
    await runs ./hot "$target"
    run 0 "${record[@]}" -q -o data -b 2000 -w 40 -p "$target"
    has_hot data
    stop
}
check 'position independent' linked -pie -fPIE
check 'at a fixed address' linked -no-pie -fno-pie
check 'without libraries' linked -static
check 'without libraries, position independent' linked -static-pie

# The file may be gone, or another one by now. What is mapped has its old name.
deleted() {
    compile_hot hot
    start ./hot 600
    await runs ./hot "$target"
    rm hot
    run 0 "${record[@]}" -q -o data -b 1000 -p "$target"
    "$list_recording" -k data >tasks
    grep -q 'PERF_RECORD_MMAP2.*/hot (deleted)$' tasks || fail "$(grep MMAP tasks)"
    "$list_recording" -i data | found '/hot (deleted)$' || fail "$("$list_recording" -i data)"
    stop
}
check 'a program whose file was deleted' deleted

# ---- children ----

# work_time: of a program, in seconds; in the tier "long" there are samples of all that it does
work_time() {
    if seen_in_samples; then
        echo 0.7
    else
        echo 0.1
    fi
}

server() {
    cat >server.c <<'EOP'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) static unsigned serve(unsigned x)
{
    for (int i = 0; i < 1000; i++)
        x = x & 64 ? x * 3 + 1 : (x ^ (x >> 3)) + 0x9e37;
    return x;
}
static volatile unsigned sink;
static int work(double seconds)
{
    while (clock() < seconds * CLOCKS_PER_SEC)
        for (int i = 0; i < 100; i++)
            sink = serve(sink);
    return 0;
}
int main(int argc, char **argv)
{
    int children = 0, status, bad = 0;
    for (; children < 3; children++) {
        if (fork() == 0) {
            prctl(PR_SET_NAME, "worker");
            if (children == 2)
                execl("./other", "./other", AS_TEXT, (char *)NULL);
            return work(SECONDS);
        }
    }
    work(SECONDS);
    while (children--)
        bad |= wait(&status) < 0 || (status != 0 && status != 7 << 8);
    return bad;
}
EOP
    gcc -O2 -DSECONDS="$(work_time)" -DAS_TEXT="\"$(work_time)\"" server.c -o server
    compile_hot other
}

with_children() {
    server
    until_recorded 0 data "${record[@]}" --json --children -o data ./server
    expect "$(account processes)" 4
    if seen_in_samples; then
        expect "$("$list_recording" data | cut -d/ -f1 | sort -u | wc -l)" 4
        names data
        grep -q '^serve$' names.of || fail "$(cat names.of)"
        grep -q '^hot_outer$' names.of || fail "$(cat names.of)"
    fi
    "$list_recording" -k data >tasks
    # twice if it happens just while anneal looks
    at_least "$(grep -c 'COMM exec: other' tasks)" 1
    at_least "$(grep -c PERF_RECORD_FORK tasks)" 3
}
check 'children, and what they run' with_children

without_children() {
    server
    until_recorded 0 data "${record[@]}" --json -o data ./server
    expect "$(account processes)" 1
    expect "$("$list_recording" -k data | grep -c 'COMM exec: other')" 0
    seen_in_samples || return 0
    expect "$("$list_recording" data | cut -d/ -f1 | sort -u | wc -l)" 1
    names data
    ! grep -q hot_ names.of || fail "$(cat names.of)"
}
check 'without them' without_children

# have_begun COUNT: so many children of the target
have_begun() {
    [ "$(pgrep -c -P "$target" -x hot)" = "$1" ]
}

# Children that are there already.
older_children() {
    compile_hot hot
    start sh -c './hot 600 & ./hot 600 & wait'
    await have_begun 2
    run 0 "${record[@]}" --json --children -o data -b 2000 -p "$target"
    expect "$(account processes)" 3
    has_hot data
    kill $(pgrep -P "$target")
    wait "$target"
}
check_with pgrep 'children that are older than the recording' older_children

# ---- code that comes while it is recorded ----

execs() {
    compile_hot other
    cat >first.c <<'EOP'
#include <time.h>
#include <unistd.h>
static volatile unsigned sum;
__attribute__((noinline)) void before_exec(void)
{
    for (unsigned i = 0; i < 1000; i++)
        sum += i & 4 ? i : 3;
}
int main(void)
{
    while (clock() < SECONDS * CLOCKS_PER_SEC)
        for (int i = 0; i < 100; i++)
            before_exec();
    execl("./other", "other", AS_TEXT, (char *)NULL);
    return 1;
}
EOP
    # The CPU time of a process goes on over an exec: the second program has as long as the first.
    gcc -O2 -DSECONDS="$(work_time)" -DAS_TEXT="\"$(awk "BEGIN { print 2 * $(work_time) }")\"" first.c -o first
    run 7 "${record[@]}" --json -o data ./first
    "$list_recording" -k data | found 'COMM exec: other'
    seen_in_samples || return 0
    names data
    head -n 3 names.of | sort | tr '\n' ' ' >top
    expect "$(cat top)" 'before_exec hot_inner hot_outer '
}
check 'another program in the same process' execs

loads() {
    cat >plugin.c <<'EOP'
static volatile unsigned sum;
__attribute__((noinline)) void in_the_plugin(void)
{
    for (unsigned i = 0; i < 1000; i++)
        sum += i & 4 ? i : 3;
}
EOP
    cat >loader.c <<'EOP'
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
    usleep(300000);
    void *library = dlopen("./plugin.so", RTLD_NOW);
    if (!library)
        return 1;
    void (*run)(void) = (void (*)(void))dlsym(library, "in_the_plugin");
    while (clock() < SECONDS * CLOCKS_PER_SEC)
        for (int i = 0; i < 100; i++)
            run();
    dlclose(library);
    return 5;
}
EOP
    gcc -O2 -fPIC -shared plugin.c -o plugin.so
    gcc -O2 -DSECONDS="$(work_time)" loader.c -o loader -ldl
    run 5 "${record[@]}" -q -o data ./loader
    "$list_recording" -k data >tasks
    grep -q 'PERF_RECORD_MMAP2.*/plugin.so$' tasks || fail "$(cat tasks)"
    seen_in_samples || return 0
    names data
    expect "$(head -n 1 names.of)" in_the_plugin
}
check 'a library that is loaded later' loads

# Code that is written by the program, and written anew while it runs, at the same address. Each
# version adds another number; a recorder that lets it run what was there before makes sums wrong.
writes_code() {
    cat >jit.c <<'EOP'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
int main(void)
{
    static const unsigned char code[] = {
        0x31, 0xc0,                   /* xor %eax,%eax */
        0xb9, 0x64, 0x00, 0x00, 0x00, /* mov $100,%ecx */
        0x83, 0xc0, 0x01,             /* 1: add $1,%eax */
        0xff, 0xc9,                   /* dec %ecx */
        0x75, 0xf9,                   /* jnz 1b */
        0xc3,
    };
    unsigned char *place = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED)
        return 2;
    memcpy(place, code, sizeof code);
    for (unsigned round = 0; clock() < SECONDS * CLOCKS_PER_SEC; round++) {
        place[9] = round % 100;
        for (unsigned i = 0; i < 50; i++)
            if (((unsigned (*)(void))(void *)place)() != 100 * (round % 100))
                return 1;
    }
    return 0;
}
EOP
    gcc -O2 -DSECONDS="$(work_time)" jit.c -o jit
    for method in emulate step; do
        until_recorded 0 data "${record[@]}" --json --method=$method -o data ./jit
        seen_in_samples || continue
        at_least "$(account samples)" 3
        perf script -F ip,brstack -i data >script 2>script.err
        [ "$(grep -c 0x script)" -ge 3 ] || fail "$(cat script.err)"
    done
}
check 'code that the program writes' writes_code

# ---- what else a program may do ----

# A program that checks itself as it runs, and says so: nothing is changed, by either method.
filtered() {
    cat >filter.c <<'EOP'
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile unsigned sum;
int main(void)
{
    /* from here on, only read, write, exit and sigreturn */
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
        return 3;
    for (unsigned i = 0; i < 400000000; i++)
        sum += i & 4 ? i : 3;
    syscall(SYS_exit, 6);
}
EOP
    gcc -O2 filter.c -o filter
    local status=0
    ./filter || status=$?
    [ $status -ne 3 ] || { echo 'no filters here' && return; }
    run 6 "${record[@]}" --json -o data ./filter
    ! seen_in_samples || at_least "$(account samples)" 3
}
check 'a program that may make few system calls' filtered

# Threads that block or ignore SIGTRAP are never given one, and handlers stay.
masked() {
    cat >mask.c <<'EOP'
#include <signal.h>
#include <stdio.h>
#include <time.h>
static volatile int traps, sum;
static void count(int signal)
{
    traps++;
}
int main(void)
{
    struct sigaction action;
    sigset_t set;
    signal(SIGTRAP, count);
    sigfillset(&set);
    sigprocmask(SIG_SETMASK, &set, NULL);
    while (clock() < CLOCKS_PER_SEC / 5)
        for (int i = 0; i < 1000000; i++)
            sum += i & 4 ? i : 3;
    sigprocmask(SIG_SETMASK, NULL, &set);
    sigaction(SIGTRAP, NULL, &action);
    if (!sigismember(&set, SIGTRAP) || action.sa_handler != count || traps != 0)
        return 1;
    signal(SIGTRAP, SIG_IGN);
    sigemptyset(&set);
    sigprocmask(SIG_SETMASK, &set, NULL);
    while (clock() < CLOCKS_PER_SEC * 2 / 5)
        for (int i = 0; i < 1000000; i++)
            sum += i & 4 ? i : 3;
    sigaction(SIGTRAP, NULL, &action);
    return action.sa_handler == SIG_IGN ? 0 : 2;
}
EOP
    gcc -O2 mask.c -o mask
    run 0 ./mask
    for method in emulate step; do
        records 0 data "${record[@]}" -q --method=$method -o data ./mask
    done
}
check 'a program that blocks or ignores SIGTRAP' masked

# A stopped process stays stopped, and goes on when it is told to.
stopped() {
    start "$known_branches" -s 600
    kill -STOP "$target"
    await is_stopped "$target"
    run 1 "${record[@]}" --json -o data -d 300ms -p "$target"
    says 'no branches were recorded'
    is_stopped "$target" || fail "$(grep State "/proc/$target/status")"
    kill -CONT "$target"
    is_free "$target"
    run 0 "${record[@]}" --json -o data -b 500 -p "$target"
    kill -STOP "$target"
    await is_stopped "$target"
    kill -CONT "$target"
    stop
}
check 'a process that is stopped' stopped

# It is stopped and continued while it is recorded.
stops_and_goes() {
    start "$known_branches" -s 600
    env --default-signal=INT "${record[@]}" -q -o data -p "$target" &
    local front=$!
    await has_begun $front
    for _ in {1..20}; do
        kill -STOP "$target"
        await is_stopped "$target"
        kill -CONT "$target"
        await has_run "$target" $(($(run_time "$target") + 5000000))
    done
    kill -INT $front
    run 0 wait $front
    is_free "$target"
    stop
}
check_with pgrep 'a process that is stopped and continued' stops_and_goes

# The recorder leaves a command its niceness, its limits, its signals and its files.
inherits() {
    cat >show <<'END'
i=0
while [ $i -lt 20000 ]; do i=$((i + 1)); done
nice
ulimit -a
grep -E '^(Sig|Shd|Seccomp|NoNewPrivs|Cap)' /proc/self/status
ls /proc/self/fd
END
    sh show >expected </dev/null 2>/dev/null
    records 0 data "${record[@]}" -q -o data sh show </dev/null
    grep -v '^SigQ' expected >one
    grep -v '^SigQ' out >two
    same two one
}
check 'what a command inherits' inherits

tier long

# ---- what is seen in samples ----

check 'children, and what they run, in samples' with_children
check 'without them, in samples' without_children
check 'another program in the same process, in samples' execs
check 'a library that is loaded later, in samples' loads
check 'code that the program writes, in samples' writes_code
check 'a program that may make few system calls, in samples' filtered

# ---- threads ----

# Threads are met as often as they run. How long each one did, by /proc, is what counts.
run_times() {
    local task
    for task in /proc/"$target"/task/*; do
        echo "$(<"$task"/comm) $(cut -d' ' -f1 "$task"/schedstat)"
    done | sort
}

# in_proportion THREADS WINDOWS OVERHEAD: windows to the time that each of these ran, all within 30% of
# the mean. That is five standard errors when there are 280 windows of each, and not judged when there are fewer. A
# large overhead would decide who runs.
in_proportion() {
    run_times >before
    run 0 "$anneal" record --overhead="$3" -F 100000 --json -o data -p "$target" -b $(($2 * 8)) -w 8 -d 60s
    run_times >after
    perf script -F comm -i data 2>/dev/null | tr -d ' ' | sort | uniq -c | awk '{ print $2, $1 }' >windows
    join before after | join - windows | awk -v threads="$1" '
        { rate[$1] = $4 / ($3 - $2); sum += rate[$1]; n++; print $1, ($3 - $2) / 1e9, $4, rate[$1] }
        END {
            for (name in rate)
                if (rate[name] < 0.7 * sum / n || rate[name] > 1.3 * sum / n)
                    bad = 1
            exit n != threads || bad
        }' >table || echo "thread, seconds, windows, rate:" >bad
    stop
    had "$(awk '{ printf "%s%s windows in %.1f s", (NR > 1 ? ", " : ""), $3, $2 }' table)"
    [ "$(wc -l <table)" = "$1" ] && awk '$3 < 280 { exit 1 }' table || judge_not 'fewer than 280 windows of a thread'
    [ ! -e bad ] || fail "$(cat bad table)"
}

duty_cycles() {
    start "$known_branches" -s 600 -t 10,20,40
    await has_threads "$target" 4
    in_proportion 3 2000 5%
    expect "$(account threads)" 4
}
check 'threads in proportion to the time they run [false alarm: 2e-6]' duty_cycles

# Both are ready to run all the time, and one of them does so thrice as often.
unequal() {
    cat >unequal.c <<'EOP'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
static volatile unsigned sum;
static void *run(void *name)
{
    prctl(PR_SET_NAME, name);
    setpriority(PRIO_PROCESS, gettid(), *(char *)name == 'l' ? 5 : 0);
    for (;;)
        sum += sum & 4 ? 1 : 3;
}
int main(void)
{
    pthread_t thread;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    pthread_create(&thread, NULL, run, "less");
    pthread_create(&thread, NULL, run, "more");
    pause();
}
EOP
    gcc -O2 -pthread unequal.c -o unequal
    start ./unequal
    await has_threads "$target" 3
    in_proportion 2 1200 5%
}
check 'threads that share a processor unequally [false alarm: 1e-6]' unequal

# seen_often COUNT: both functions, at least so many times
seen_often() {
    awk -v least="$1" '/_loop$/ && $1 >= least { n++ } END { exit n != 2 }' symbols
}

# brief KIND OVERHEAD SECONDS: threads, or processes, of 3 ms each, one after the other, beside a thread that
# lasts. "exec": the brief ones are another program. To look at a new process takes a part of its life, and
# of what may be spent: some 200 windows are needed.
brief() {
    cat >brief.c <<'EOP'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
enum { FROM_CHILD = 10, TO_PARENT };
static volatile unsigned sum, other_sum;
static int seconds;
static double cpu(int clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}
__attribute__((noinline)) void brief_loop(void)
{
    for (unsigned i = 0; i < 100000; i++)
        sum += i & 4 ? i : 3;
}
__attribute__((noinline)) void lasting_loop(void)
{
    for (unsigned i = 0; i < 100000; i++)
        other_sum += i & 4 ? i : 5;
}
static void *brief(void *spent)
{
    double start = cpu(CLOCK_THREAD_CPUTIME_ID);
    while (cpu(CLOCK_THREAD_CPUTIME_ID) < start + 0.003)
        brief_loop();
    *(double *)spent += cpu(CLOCK_THREAD_CPUTIME_ID) - start;
    return NULL;
}
static void *lasting(void *spent)
{
    double start = cpu(CLOCK_MONOTONIC);
    while (cpu(CLOCK_MONOTONIC) < start + seconds)
        lasting_loop();
    *(double *)spent = cpu(CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}
/* A process tells its parent for how long it was in the loop: what it took to start does not count. */
static int told(void)
{
    double spent = 0;
    brief(&spent);
    return write(TO_PARENT, &spent, sizeof spent) != sizeof spent;
}
int main(int argc, char **argv)
{
    double spent = 0, its, lasting_spent = 0, start = cpu(CLOCK_MONOTONIC);
    pthread_t one, other;
    int ends[2];
    if (argc < 3)
        return told();
    seconds = atoi(argv[2]);
    if (pipe(ends) || dup2(ends[0], FROM_CHILD) < 0 || dup2(ends[1], TO_PARENT) < 0)
        return 1;
    pthread_create(&one, NULL, lasting, &lasting_spent);
    while (cpu(CLOCK_MONOTONIC) < start + seconds) {
        if (strcmp(argv[1], "threads") == 0) {
            pthread_create(&other, NULL, brief, &spent);
            pthread_join(other, NULL);
            continue;
        }
        if (fork() == 0) {
            if (strcmp(argv[1], "exec") == 0)
                execl("./other", "other", (char *)NULL);
            _exit(told());
        }
        wait(NULL);
        if (read(FROM_CHILD, &its, sizeof its) != sizeof its)
            return 1;
        spent += its;
    }
    pthread_join(one, NULL);
    printf("%.3f %.3f\n", spent, lasting_spent);
}
EOP
    gcc -O2 -no-pie -fno-pie -pthread brief.c -o brief
    gcc -O2 -no-pie -fno-pie -pthread -Wl,-Ttext-segment=0x800000 brief.c -o other
    local seconds
    for seconds in "$3" $((4 * $3)) $((16 * $3)); do # on a busy machine there are fewer windows
        run 0 "$anneal" record --overhead="$2" -F 100000 -w 8 -q --children -o data ./brief "$1" "$seconds"
        perf script -F ip,sym -i data 2>/dev/null | awk '{ print $NF }' | sort | uniq -c >symbols
        ! seen_often 100 || break
    done
    had "$(awk '/_loop$/ { printf "%s%s windows of %s", (n++ ? ", " : ""), $1, $2 }' symbols)"
    seen_often 100 || judge_not "fewer than 100 windows of a function in $seconds s"
    # wrong by more than five standard errors
    awk 'NR == FNR { n[$2] = $1; next }
        { brief = n["brief_loop"] + 0.5; lasting = n["lasting_loop"] + 0.5
          ratio = brief / $1 / (lasting / $2); error = exp(5 * sqrt(1 / brief + 1 / lasting))
          print ratio; exit ratio * error < 0.6 || ratio / error > 1.25 }' symbols out >ratio ||
        fail "windows in a second of CPU time, brief to lasting: $(cat ratio)" "$(cat symbols out)"
}
check 'threads that live for milliseconds [false alarm: 1e-6]' brief threads 3% 6
check 'processes that live for milliseconds [false alarm: 1e-6]' brief fork 10% 16
check 'programs that run for milliseconds [false alarm: 1e-6]' brief exec 10% 16
finish
