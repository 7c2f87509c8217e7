#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Profiles of processes that do not just return from main: that end by _exit, become another program, end by
# a signal, or do not end.
#
# usage: test_runtime_ends.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
programs=$tests/runtime/programs
unset ANNEAL_PROFILE_FILE LLVM_PROFILE_FILE GCOV_PREFIX GCOV_PREFIX_STRIP

# build COMPILER [OPTION...]: the file ends, as `anneal rt` says
build() {
    local compiler=$1
    shift
    cp "$programs/ends.c" .
    case $compiler in
    gcc*) "$compiler" -w -O1 --coverage -c ends.c ;;
    clang*) "$compiler" -w -O1 -fprofile-generate -c ends.c ;;
    esac
    # shellcheck disable=SC2046 # words are meant
    "$compiler" "$([ "${compiler#gcc}" = "$compiler" ] && echo -fprofile-generate || echo --coverage)" \
        ends.o -o ends "$@" $("$anneal" rt --ldflags)
}

# counted FUNCTION...: how often each was called, over all runs
counted() {
    local function
    if [ -e ends.gcda ]; then
        gcov-12 -t -j ends.gcda >counted.json
        for function; do
            jq -r --arg name "$function" \
                '[.files[].functions[] | select(.name == $name)][0].execution_count' counted.json
        done
    elif compgen -G '*.profraw' >/dev/null; then
        llvm-profdata-19 merge --text ./*.profraw -o counted.txt
        for function; do
            awk -v which="$function" '/^# Counter Values/ { wanted = name == which }
                /^#/ { next }
                wanted { print; wanted = 0 }
                /^[A-Za-z_]/ { name = $1 }' counted.txt
        done
    else
        echo nothing
    fi | tr '\n' ' '
}

# clean: nothing was counted yet
clean() {
    rm -f ./*.gcda ./*.profraw
}

ends_at_once() {
    local way
    build "$@"
    for way in _exit _Exit quick_exit; do
        clean
        run 12 ./ends $way
        [ ! -s err ]
        expect "$way $(counted before after)" "$way 3 0 "
    done
    clean
    run 0 ./ends fork # both have it
    expect "$(counted before after)" '3 1 '
    clean
    run 12 ./ends vfork # the child has the parent's memory
    expect "$(counted before after)" '3 2 '
}

becomes_another() {
    local way
    build "$@"
    for way in execve execv execvp execvpe execl execlp execle fexecve; do
        clean
        run 12 ./ends $way
        expect "$way $(counted before after)" "$way 3 0 "
        clean
        run 13 ./ends $way none # there is no such program
        [ ! -s err ]
        expect "$way $(counted before after)" "$way 3 2 "
    done
    # found in the folders of PATH, also what is no program but a script without a first line
    mkdir -p none forbidden scripts
    touch forbidden/sh
    echo 'exit 12' >scripts/sh
    chmod +x scripts/sh
    for way in execvp execvpe execlp; do
        clean
        PATH=none:ends:forbidden::scripts run 12 ./ends $way
        expect "$way $(counted before after)" "$way 3 0 "
        PATH=none:ends:forbidden run 1 ./ends $way # which is EACCES
    done
}

# begin WAY: in the background; $process
begin() {
    rm -f said
    ./ends "$1" >said 2>err &
    process=$!
    await [ -s said ]
}

# ends_with SIGNAL STATUS: the process gets it, and ends
ends_with() {
    local status=0
    kill -"$1" "$process"
    wait "$process" 2>/dev/null || status=$?
    expect $status "$2"
    [ ! -s err ]
}

exit_signal() {
    local signal
    build "$1"
    begin wait
    ends_with TERM 143
    expect "$(counted before)" 'nothing '
    for signal in TERM INT 10 SIGHUP; do
        clean
        ANNEAL_EXIT_SIGNAL=$signal begin_default wait
        ends_with "${signal#SIG}" $((128 + $(kill -l "${signal#SIG}" | grep -E '^[0-9]+$' || echo "$signal")))
        expect "$signal $(counted before)" "$signal 3 "
    done
    clean
    ANNEAL_EXIT_SIGNAL=INT,TERM begin wait
    ends_with TERM 143
    expect "$(counted before)" '3 '
    clean
    ANNEAL_EXIT_SIGNAL=TERM begin handler # the program knows better
    ends_with TERM 12
    expect "$(counted before)" '3 '
}

# A program that crashes does so, and has counted; without being asked to, it has not.
crashes() {
    local way number
    build "$1"
    while read -r way number; do
        clean
        ANNEAL_EXIT_SIGNAL=SEGV,BUS,FPE,ABRT,ILL,TRAP run $((128 + number)) ./ends "$way"
        expect "$way $(counted before)" "$way 3 "
        clean
        run $((128 + number)) ./ends "$way"
        expect "$way $(counted before)" "$way nothing "
    done <<'EOF'
segv 11
bus 7
divide 8
trap 4
breakpoint 5
abort 6
overflow 11
EOF
}

# begin_default WAY: a background process ignores SIGINT, and one of nohup SIGHUP
begin_default() {
    rm -f said
    env --default-signal ./ends "$1" >said 2>err &
    process=$!
    await [ -s said ]
}

# wait_for COUNTS: before() has been counted as often as this
wait_for() {
    await has_counted "$1" || fail "counted: $(counted before), expected $1"
}

has_counted() {
    [ "$(counted before 2>/dev/null)" = "$1" ]
}

dump_signal() {
    local profile file
    build "$1"
    ANNEAL_DUMP_SIGNAL=USR2 ANNEAL_EXIT_SIGNAL=TERM begin wait
    expect "$(counted before)" 'nothing '
    kill -USR2 $process
    wait_for '3 '
    profile=$(echo ends.gcda *.profraw)
    for file in $profile; do
        [ ! -e "$file" ] || profile=$file
    done
    touch -d '1 minute ago' "$profile"
    touch -d '1 second ago' before
    kill -USR2 $process
    await [ "$profile" -nt before ]
    ends_with TERM 143
    expect "$(counted before)" '3 '
}

# One that comes when the profile has been written, behind all exit handlers, does not end the program.
late_dump_signal() {
    cat >late.c <<'EOF'
#include <signal.h>
__attribute__((destructor(101))) static void last(void) { raise(SIGUSR2); }
int main(void) { return 0; }
EOF
    # shellcheck disable=SC2046
    "$1" -fprofile-generate late.c -o late $("$anneal" rt)
    ANNEAL_DUMP_SIGNAL=USR2 run 0 ./late
    [ ! -s err ]
    run 140 ./late
}

# takes_dumps PID: it is the program, and has a handler for SIGUSR2, which is 12
takes_dumps() {
    [ "$(readlink "/proc/$1/exe")" = "$PWD/threads" ] &&
        ((0x$(sed -n 's/^SigCgt:\t//p' "/proc/$1/status") & 1 << 11))
}

# signal_taken PID: none is pending, or the process has ended
signal_taken() {
    ! grep -q '^ShdPnd:.*[1-9a-f]' "/proc/$1/status" 2>/dev/null
}

# Written again and again while threads count: atomic counters come out exact. Counts of values, which are not
# atomic, lose what one thread adds while another one holds the count; none is too large.
dumped_while_counting() {
    local process mode dumps
    for mode in plain.profraw %ccounted.profraw; do
        # shellcheck disable=SC2046 # words are meant
        clang-19 -w -O1 -pthread -fprofile-generate -fprofile-update=atomic "$programs/threads.c" \
            -o threads $("$anneal" rt --continuous)
        rm -f ./*.profraw
        ANNEAL_DUMP_SIGNAL=USR2 ANNEAL_PROFILE_FILE=$mode ./threads 2>err &
        process=$!
        # The shell, which it is before, has a handler, too.
        await takes_dumps $process
        dumps=0
        while kill -USR2 $process 2>/dev/null; do
            dumps=$((dumps + 1))
            await signal_taken $process
        done
        wait $process
        [ ! -s err ]
        [ $dumps -gt 3 ] || fail "only $dumps dumps"
        expect "$(echo ./*.profraw)" "./${mode#%c}"
        expect "$(counted work one two)" '32000000 16000000 16000000 '
        llvm-profdata-19 show --ic-targets --function=run "${mode#%c}" |
            sed -nE 's/.* (one|two), +([0-9]+) .*/\2/p' >values
        expect "$(wc -l <values)" 2
        while read -r dumps; do
            [ "$dumps" -gt 0 ] && [ "$dumps" -le 16000100 ] || fail "a value's count: $dumps"
        done <values
    done
}

wrong_signals() {
    local name
    build "$1"
    for name in NONE 0 65 KILL 'USR2,STOP' TERMINAL; do
        ANNEAL_DUMP_SIGNAL=$name run 13 ./ends execv none
        expect "$name $(wc -l <err)" "$name 1"
        grep -q '^anneal: warning: ANNEAL_DUMP_SIGNAL: not a signal' err
    done
}

# all_copies COMPILER [INSTRUMENTATION]: a program and libraries that come later all have counts, whoever of
# them set the handler, and whoever has gone by then.
all_copies() {
    cat >main.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
__attribute__((noinline)) void before(void) { __asm__ volatile(""); }
int main(int argc, char **argv)
{
    void *one = dlopen("./one.so", RTLD_NOW), *two = dlopen("./two.so", RTLD_NOW);
    ((int (*)(int))dlsym(one, "one"))(1);
    ((int (*)(int))dlsym(two, "two"))(1);
    before();
    before();
    if (argc > 1 && strchr(argv[1], '1'))
        dlclose(one);
    if (argc > 1 && strchr(argv[1], '2'))
        dlclose(two);
    if (argc > 2)
        _exit(0);
    printf("ready\n");
    fflush(stdout);
    for (;;)
        pause();
}
END
    echo '__attribute__((noinline)) int one(int x) { return x * 3; }' >one.c
    echo '__attribute__((noinline)) int two(int x) { return x * 5; }' >two.c
    local flags part instrument=-fprofile-generate closed
    flags=$("$anneal" rt --ldflags)
    [ "${1#gcc}" = "$1" ] || instrument=--coverage
    for part in one two; do
        # shellcheck disable=SC2086
        "$1" -w -O1 -fPIC -shared $instrument $part.c -o $part.so $flags
    done
    # shellcheck disable=SC2086
    "$1" -w -O1 ${2-$instrument} main.c -o ends $flags
    for closed in '' 1 2 12; do
        clean
        ANNEAL_EXIT_SIGNAL=TERM begin "$closed"
        ends_with TERM 143
        expect "closed $closed: $(all_counts)" "closed $closed: ${2-before 2;}one 1;two 1;"
        clean
        run 0 ./ends "$closed" _exit
        expect "closed $closed: $(all_counts)" "closed $closed: ${2-before 2;}one 1;two 1;"
    done
}

# all_counts: of before(), one() and two()
all_counts() {
    local file
    if compgen -G '*.gcda' >/dev/null; then
        for file in *.gcda; do
            gcov-12 -t -j "$file" | jq -r '.files[].functions[] | "\(.name) \(.execution_count)"'
        done
    else
        for file in *.profraw; do
            llvm-profdata-19 merge --text "$file" | awk '/^[a-z]/ { name = $1 }
                /^# Counter Values/ { getline; print name, $1 }'
        done
    fi | grep -v '^main ' | sort | tr '\n' ';'
}

check_with 'clang-19 llvm-profdata-19' 'written while threads count' dumped_while_counting
for compiler in clang-19 gcc-12; do
    tools=$([ $compiler = gcc-12 ] && echo gcov-12 || echo llvm-profdata-19)
    check_with "$compiler $tools jq" "$compiler: ends without exit handlers" ends_at_once $compiler
    check_with "$compiler $tools jq" "$compiler: becomes another program" becomes_another $compiler
    check_with "$compiler $tools jq" "$compiler, static: ends without exit handlers" \
        ends_at_once $compiler -static
    check_with "$compiler $tools jq" "$compiler, static: becomes another program" \
        becomes_another $compiler -static
    check_with "$compiler $tools jq" "$compiler: ANNEAL_EXIT_SIGNAL" exit_signal $compiler
    check_with "$compiler $tools jq" "$compiler: crashes" crashes $compiler
    check_with "$compiler $tools jq" "$compiler: ANNEAL_DUMP_SIGNAL" dump_signal $compiler
    check_with "$compiler" "$compiler: ANNEAL_DUMP_SIGNAL at the very end" late_dump_signal $compiler
    check_with "$compiler $tools jq" "$compiler: names of signals that are none" wrong_signals $compiler
    check_with "$compiler $tools jq" "$compiler: the program and its libraries" all_copies \
        $compiler
    check_with "$compiler $tools jq" "$compiler: libraries of a program that is not profiled" \
        all_copies $compiler ''
done
finish
