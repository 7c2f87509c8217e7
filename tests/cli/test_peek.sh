#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Running programs seen from outside: anneal peek reads their counts, anneal dump has them written.
#
# usage: test_peek.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
programs=$tests/runtime/programs
unset ANNEAL_PROFILE_FILE LLVM_PROFILE_FILE

# begin COMMAND...: in the background, until it has said something; $process
begin() {
    rm -f said
    "$@" >said 2>err &
    process=$!
    trap 'kill -KILL $process 2>/dev/null || :' EXIT
    await [ -s said ]
}

end() {
    kill -KILL $process
    wait $process 2>/dev/null || :
    trap - EXIT
}

# as_text PROFILE: values of a site in order, which means nothing; the lines with hashes stay where they are
as_text() {
    llvm-profdata-"$version" show --all-functions --counts --ic-targets --memop-sizes "$1" |
        grep -v '^Total\|^Maximum\|^Instrumentation\|^Functions' | sort
}

# What is read from outside is what the process writes by itself.
peeked() {
    local mode
    version=$1
    for mode in -fprofile-generate -fprofile-instr-generate; do
        # shellcheck disable=SC2046 # words are meant
        "clang++-$version" -w -O1 $mode "$programs/served.cc" -o served $("$anneal" rt)
        rm -f ./*.profraw
        ANNEAL_DUMP_SIGNAL=USR2 LLVM_PROFILE_FILE=own.profraw begin ./served
        run 0 "$anneal" peek -o peeked.profraw $process
        [ ! -s err ]
        [ ! -e own.profraw ]
        run 0 "$anneal" dump $process
        expect "$(cat out)" "process $process has written its profile"
        end
        as_text peeked.profraw >peeked.txt
        as_text own.profraw >own.txt
        diff peeked.txt own.txt
        grep -q '750' own.txt
    done
}

shown() {
    # shellcheck disable=SC2046
    clang++-19 -w -O1 -fprofile-generate "$programs/served.cc" -o served $("$anneal" rt)
    begin ./served
    run 0 "$anneal" peek $process
    grep -q '1,000 .*work' out
    grep -q "^process $process: raw profile" out
    run 0 "$anneal" peek --function=work --counts --values $process
    grep -q 'site 0  *750  *75.0%  .*one' out
    run 0 "$anneal" peek --json -n 1 $process
    is_document out
    [ "$(jq '.profile.hottest | length' out)" = 1 ]
    run 0 "$anneal" peek -o - $process
    llvm-profdata-19 show out | found 'Total functions: 4'
    end
}

# The program's and those of two libraries, one of which came later.
libraries() {
    local flags
    flags=$("$anneal" rt)
    echo '__attribute__((noinline)) int part(int x) { return x * 3; }' >part.c
    echo '__attribute__((noinline)) int late(int x) { return x * 5; }' >late.c
    cat >main.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int part(int x);
int main(void)
{
    int sum = part(1) + part(2);
    sum += ((int (*)(int))dlsym(dlopen("./late.so", RTLD_NOW), "late"))(sum);
    printf("%d\n", sum);
    fflush(stdout);
    for (;;)
        pause();
}
END
    # shellcheck disable=SC2086
    clang-19 -O1 -fPIC -shared -fprofile-generate part.c -o libpart.so $flags
    # shellcheck disable=SC2086
    clang-19 -O1 -fPIC -shared -fprofile-generate late.c -o late.so $flags
    # shellcheck disable=SC2086
    clang-19 -O1 -fprofile-generate main.c -o main -L. -lpart -Wl,-rpath,. $flags
    begin ./main
    run 0 "$anneal" peek $process
    grep -q ' 2 .*part$' out
    grep -q ' 1 .*late$' out
    grep -q ' 1 .*main$' out
    end
}

# Under the number of a first thread that has ended there is no memory in /proc.
without_first() {
    cat >first.c <<'EOP'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) void counted(void)
{
    __asm__ volatile("");
}
static void *go_on(void *first)
{
    pthread_join(*(pthread_t *)first, NULL);
    counted();
    puts("alone");
    fflush(stdout);
    for (;;)
        pause();
}
int main(void)
{
    static pthread_t first, other;
    first = pthread_self();
    pthread_create(&other, NULL, go_on, &first);
    pthread_exit(NULL);
}
EOP
    # shellcheck disable=SC2046
    clang-19 -w -O1 -pthread -fprofile-generate first.c -o first $("$anneal" rt)
    ANNEAL_DUMP_SIGNAL=USR2 LLVM_PROFILE_FILE=own.profraw begin ./first
    run 0 "$anneal" peek $process
    grep -q ' 1 .*counted' out
    run 0 "$anneal" dump $process
    [ -s own.profraw ]
    end
}

# A record of 64 bytes that promises 4.7 million values is not believed.
damaged() {
    local memory
    # shellcheck disable=SC2046
    clang-19 -w -O1 -fprofile-generate "$programs/shared_values.c" -o shared_values $("$anneal" rt)
    begin ./shared_values
    run 1 "$anneal" peek $process
    says "cannot read the counts of process $process: it has ended, or damaged them"
    memory=$(python3 "$tests/support/cost.py" memory "$anneal" peek $process)
    end
    [ "$memory" -lt 100000 ] || fail "$memory KiB in memory"
}

gcc_dumps() {
    # shellcheck disable=SC2046
    gcc-12 -w -O1 --coverage "$programs/ends.c" -o ends $("$anneal" rt)
    ANNEAL_DUMP_SIGNAL=USR1 begin ./ends wait
    run 0 "$anneal" dump $process
    [ -s ends-ends.gcda ]
    run 1 "$anneal" peek $process
    says "cannot show counts of GCC's instrumentation" 'has nothing to show'
    end
}

turns() {
    gcov-12 -t -j turns.gcda 2>/dev/null | jq '.files[].functions[] | select(.name == "turn") | .execution_count'
}

# turns_have BEEN: the profile has so many
turns_have() {
    [ "$(turns || echo 0)" -ge "$1" ] 2>/dev/null
}

# What is written again and again is there when the process is killed, and the command ends with it. The program's turns take
# their time so that it counts, and does not compute, while it is looked at; nothing waits for that.
killed() {
    local dumping turns
    cat >turns.c <<'EOF'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) void turn(void) { usleep(100); }
int main(void) { puts("ready"); fflush(stdout); for (;;) turn(); }
EOF
    gcc-12 -O1 --coverage -c turns.c
    # shellcheck disable=SC2046
    gcc-12 --coverage turns.o -o turns $("$anneal" rt)
    ANNEAL_DUMP_SIGNAL=USR1 begin ./turns
    "$anneal" dump -q --interval=20ms $process 2>err &
    dumping=$!
    await turns_have 1
    turns=$(turns)
    await turns_have $((turns + 1)) # it was written again
    end
    wait $dumping || fail "$(cat err)"
    turns_have $((turns + 1))
}

refused() {
    # shellcheck disable=SC2046
    clang++-19 -w -O1 -fprofile-generate "$programs/served.cc" -o served $("$anneal" rt)
    begin ./served
    run 1 "$anneal" dump $process
    says 'does not accept a dump signal' 'ANNEAL_DUMP_SIGNAL'
    kill -0 $process
    end
    run 1 "$anneal" dump $process
    says "no such process: $process"
    ANNEAL_DUMP_SIGNAL=USR2 begin ./served
    kill -STOP $process
    run 1 "$anneal" dump --timeout=1 $process
    says 'did not answer'
    run 1 "$anneal" dump --timeout=200ms $process
    says 'did not answer within 0.2 seconds'
    end
    begin sh -c 'echo ready; sleep 60; true'
    for command in dump peek; do
        run 1 "$anneal" $command $process
        says "has no profile of anneal's runtime"
    done
    end
    run 2 "$anneal" dump
    run 1 "$anneal" peek 1x
    says '1x: no such file, and not a process id'
    run 2 "$anneal" peek 12 13
}

for version in 13 14 16 19; do
    check_with "clang++-$version llvm-profdata-$version" "clang $version: as the process writes it" \
        peeked $version
done
check_with 'clang++-19 llvm-profdata-19 jq' 'shown as a file is' shown
check_with 'clang-19' 'programs with libraries' libraries
check_with 'clang-19' 'a process whose first thread has ended' without_first
check_with 'clang-19 python3' 'lists of values that share what they have' damaged
check_with 'gcc-12' "GCC's counts are dumped" gcc_dumps
check_with 'gcc-12 gcov-12 jq' 'a program that is killed' killed
check_with 'clang++-19' 'what cannot be looked at' refused
finish
