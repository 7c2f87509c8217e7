#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Programs that signals end at random moments: while they start, count, write their profile, or after it. What is
# promised is kept each time, and the profile is one that the compiler's own tool reads.
#
# usage: test_runtime_signals.sh ANNEAL
#
# RUNS=N: so many for each signal (30)
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
programs=$tests/runtime/programs
runs=${RUNS:-30}
calls=700000 # some milliseconds
unset ANNEAL_PROFILE_FILE LLVM_PROFILE_FILE GCOV_PREFIX GCOV_PREFIX_STRIP
ulimit -c 0

# build COMPILER [OPTION]...
build() {
    local compiler=$1 instrument=-fprofile-generate
    shift
    [ "${compiler#gcc}" = "$compiler" ] || instrument=--coverage
    cp "$programs/steady.c" .
    # shellcheck disable=SC2046 # words are meant
    "$compiler" -w -O1 "$instrument" steady.c -o steady $("$anneal" rt --ldflags "$@") # GCC: steady-steady.gcda
}

# called: how often work() was, by all profiles that are there
called() {
    if compgen -G '*.gcda' >/dev/null; then
        gcov-12 -t -j ./*.gcda | jq '[.files[].functions[] | select(.name == "work")][0].execution_count'
    elif compgen -G '*.profraw' >/dev/null; then
        llvm-profdata-19 merge --text ./*.profraw -o - | awk '/^# Counter Values/ { wanted = name == "work" }
            /^#/ { next }
            wanted { print; wanted = 0 }
            /^[a-z]/ { name = $1 }'
    else
        echo 0
    fi
}

progress() { if [ -s progress ]; then od -An -t u8 progress | tr -d ' '; else echo 0; fi; }

# end SIGNAL: a run, ended by it at some moment; its status
end() {
    local status=0
    ./steady $calls 2>err &
    sleep "0.$(printf %03d $((RANDOM % 25)))"
    kill -"$1" $! 2>/dev/null || :
    wait $! 2>/dev/null || status=$?
    [ ! -s err ] || fail "$(cat err)"
    echo $status
}

# campaign SIGNAL KEEPS: what a run adds to the profiles is what it did, and the call in which it was ended may be one more; with
# KEEPS=ended of runs that end by themselves, and of others all or nothing; with KEEPS=file also twice, if it was ended between
# two system calls of its end (rt.md, "Counting in a file").
campaign() {
    local i status complete counted done_before=0 counted_before=0 ended=0 ended_early=0 twice=0
    for ((i = 0; i < runs || (ended_early == 0 && i < 100 * runs); i++)); do
        status=$(end "$1")
        complete=$(($(progress) - done_before))
        counted=$(($(called) - counted_before))
        done_before=$((done_before + complete))
        counted_before=$((counted_before + counted))
        if [ "$status" = 0 ]; then
            expect "$i: $counted" "$i: $complete"
            continue
        fi
        expect "$status" $((128 + $(kill -l "$1")))
        ended=$((ended + 1))
        [ $complete = $calls ] || ended_early=$((ended_early + 1))
        if [ "$2-$complete-$counted" = "file-$calls-$((2 * calls))" ]; then
            twice=$((twice + 1))
            continue
        fi
        [ $counted = $complete ] || [ $counted = $((complete + 1)) ] || [ $counted-"$2" = 0-ended ] ||
            fail "run $i, status $status: $complete calls were complete, $counted are counted"
    done
    [ $ended_early -gt 0 ] || fail 'none was ended while it counted'
    echo "of $i runs $1 ended $ended, $ended_early of them before all was counted; $twice were counted twice" >>"$scratch/remarks"
}

# The profile is written in a handler.
written() {
    build "$1"
    ANNEAL_EXIT_SIGNAL=SEGV,ABRT,TERM campaign "$2" all
}

# What is killed writes nothing, or has written all.
killed() {
    build "$1"
    campaign KILL ended
}

# What counts in a file has written all, always.
counts_in_file() {
    build clang-19 --continuous
    export ANNEAL_PROFILE_FILE=%call.profraw
    campaign KILL file
}

for compiler in clang-19 gcc-12; do
    tools="$compiler $([ $compiler = gcc-12 ] && echo 'gcov-12 jq' || echo llvm-profdata-19)"
    tier long
    for signal in SEGV ABRT TERM; do
        check_with "$tools" "$compiler: $signal at random moments" written $compiler $signal
    done
    check_with "$tools" "$compiler: KILL at random moments" killed $compiler
done
check_with 'clang-19 llvm-profdata-19' 'clang-19, counting in a file: KILL at random moments' counts_in_file
finish
