#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The runtime in programs that GCC instrumented: the files that libgcov would have left, whatever happens to
# the processes.
#
# usage: test_gcc_runtime.sh ANNEAL LIBRARY KILL_SOME FULL_DISK
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
library=$(realpath "$2")
kill_some=$(realpath "$3")
full_disk=$(realpath "$4")
programs=$tests/runtime/programs
with=('-Wl,--whole-archive' "$library" '-Wl,--no-whole-archive')
unset GCOV_PREFIX GCOV_PREFIX_STRIP

# calls GCOV PROFILE FUNCTION...: how often each was called.
calls() {
    local gcov=$1 profile=$2
    shift 2
    "$gcov" -t -j "$profile" | jq -r '[.files[].functions[]] as $all | $ARGS.positional[] as $name |
        [$all[] | select(.name == $name)][0].execution_count' --args "$@" | tr '\n' ' '
}

# multiple PROFILE: all counts are the same multiple of one run's; prints it.
multiple() {
    local i counts
    # shellcheck disable=SC2207
    counts=($(calls gcov-12 "$1" f0 f1 f2 f3 f4 f5 f6 f7 f8 f9))
    for i in 0 1 2 3 4 5 6 7 8 9; do
        expect "${counts[i]}" "$((counts[0] * (i + 1)))"
    done
    echo "${counts[0]}"
}

# Some of the values are addresses: no randomisation, and names of the same length, for the stack begins below
# the environment. With and without threads' counters.
same_as_libgcov() {
    local version=$1 source compiler run flags
    for source in "$tests/data/gcc/src/values.c" "$programs/calls.cc"; do
        compiler=$([ "${source%.cc}" = "$source" ] && echo gcc || echo g++)-$version
        for flags in -fprofile-update=single -fprofile-update=atomic '--coverage -O0'; do
            # shellcheck disable=SC2086
            "$compiler" -w -O2 -fprofile-generate $flags -c "$source" -o part.o
            "$compiler" -fprofile-generate part.o -o peer
            "$compiler" -fprofile-generate part.o -o ours "${with[@]}"
            for run in 7 300 12 1000 5; do
                for which in ours peer; do
                    GCOV_PREFIX=$PWD/dir-$which GCOV_PREFIX_STRIP=99 setarch -R ./$which $run \
                        >out-$which 2>err || true
                    [ ! -s err ]
                done
                cmp out-ours out-peer
            done
            diff -r dir-ours dir-peer
            [ -s dir-ours/part.gcda ]
            rm -r dir-ours dir-peer
        done
    done
}

build() {
    local output=$1
    shift
    gcc-12 -w -O1 --coverage "$@" -c "$programs/steps.c" -o "$output.o"
    gcc-12 --coverage "$output.o" -o "$output" "${with[@]}"
}

at_once() {
    build steps
    seq 300 | xargs -P 16 -n 1 ./steps 2>err
    [ ! -s err ]
    expect "$(multiple steps.gcda)" 300
    expect "$(ls -- *.gcda*)" steps.gcda
}

killed() {
    local round said runs
    build steps
    for round in 1 2 3; do
        said=$("$kill_some" 150 3000 "$round" ./steps)
        runs=$(multiple steps.gcda)
        echo "round $round: $said, $runs counted"
        # shellcheck disable=SC2086
        set -- $said
        [ "$2" -gt 10 ]
        [ "$runs" -ge "$1" ]
        [ "$runs" -le 150 ]
        mkdir -p used # the folder is searched for a profile called like the object
        cp steps.gcda used
        (cd used && gcc-12 -O1 -fprofile-use -Wcoverage-mismatch -Wmissing-profile -c "$programs/steps.c" \
            -o steps.o) 2>err
        [ ! -s err ]
        rm steps.gcda
    done
}

# made NAME COUNT: a program of many functions, whose profile of some pages does not grow, after so many runs
made() {
    {
        cat "$programs/steps.c"
        for number in $(seq 200); do
            echo "void more$number(void) { f0(); f1(); if (functions[3]) f2(); }"
        done
    } >"$1.c"
    gcc-12 -w -O1 --coverage -c "$1.c"
    gcc-12 --coverage "$1.o" -o "$1" "${with[@]}"
    for _ in $(seq "$2"); do run 0 "./$1"; done
}

# A process is killed as it enters each of the calls that write over a file in place. `strace` kills it.
# killed_in_each_step GCOV_DUMP: which can read all that is left
killed_in_each_step() {
    local step call number runs
    made steps 3
    [ "$(stat -c %s steps.gcda)" -gt 4096 ]
    cp steps.gcda before
    # The last of these states are those behind the commit point.
    for step in pwrite64:1:3 pwrite64:2:3 pwrite64:3:4 pwrite64:4:4 ftruncate:1:4; do
        IFS=: read -r call number runs <<<"$step"
        cp before steps.gcda
        run 137 strace -o /dev/null -e "inject=$call:signal=KILL:when=$number" ./steps
        expect "$(multiple steps.gcda)" "$runs"
        run 0 "$1" -l steps.gcda
        [ ! -s err ]
        run 0 "$anneal" show --all-functions --counts steps.gcda
        grep -q "$runs runs" out
        rm -rf used one two both
        mkdir -p used one two
        cp steps.gcda used
        (cd used && gcc-12 -w -O1 -fprofile-use -Wcoverage-mismatch -Wmissing-profile -Werror -c ../steps.c \
            -o steps.o)
        cp steps.gcda one
        cp steps.gcda two
        run 0 gcov-tool-12 merge one two -o both
        run 0 "$anneal" merge-gcda one two -o ours
        same both/steps.gcda ours/steps.gcda
        rm -r ours
        # The next one makes of it what it would have been.
        run 0 ./steps
        [ ! -s err ]
        expect "$(multiple steps.gcda)" "$((runs + 1))"
        expect "$(stat -c %s steps.gcda)" "$(stat -c %s before)"
    done
    expect "$(ls -- *.gcda*)" steps.gcda
}

# ulimit -f comes with a signal, which is not the program's business.
size_limit() {
    made steps 1
    cp steps.gcda before
    local kilobytes=$(($(stat -c %s before) / 1024))
    (ulimit -f $((kilobytes + 2)) && run 0 ./steps && [ ! -s err ])
    expect "$(multiple steps.gcda)" 2
    cp steps.gcda before
    (ulimit -f $((kilobytes - 2)) && run 0 ./steps)
    grep -q 'steps.gcda: .*File too large' err
    same steps.gcda before
    expect "$(ls -- *.gcda*)" steps.gcda
}

# Two objects of one name; GCOV_PREFIX brings their files together.
two_builds() {
    local which file
    mkdir one two all
    cp "$programs/steps.c" one/it.c
    sed 's/^int main(void)/int other(int x) { return x ? 3 : 4; }\n&/' one/it.c >two/it.c
    for which in one two; do
        (cd $which && gcc-12 -w --coverage -c it.c && gcc-12 --coverage it.o -o it "${with[@]}")
    done
    export GCOV_PREFIX=$PWD/all GCOV_PREFIX_STRIP=99
    printf '%s\n' one two one two one two one two one two one two one two one two one two one two |
        xargs -P 8 -I{} sh -c ./{}/it 2>err
    [ ! -s err ]
    expect "$(find all -name '*.gcda' | wc -l)" 2
    for file in all/*.gcda; do
        for which in one two; do
            cp $which/it.gcno all/it.gcno
            cp "$file" all/copy.gcda
            cp all/it.gcno all/copy.gcno
            calls gcov-12 all/copy.gcda f0 f9 2>/dev/null || true # the other one
            rm all/copy.*
        done
        echo
    done >found
    expect "$(grep -o '10 100' found | wc -l)" 2
    rm -r all
    ./one/it
    cp all/it.gcda old
    touch -d '1 minute ago' all/it.gcda
    touch two/it # built again, later
    ./two/it
    expect "$(find all -name '*.gcda' | wc -l)" 2
    ! cmp -s old all/it.gcda
    cmp old all/it.0*.gcda
}

forks() {
    gcc-12 -w --coverage -c "$programs/forks.c" -o forks.o
    gcc-12 --coverage forks.o -o forks "${with[@]}"
    run 0 ./forks
    expect "$(calls gcov-12 forks.gcda one two)" '3 5 '
    cat >again.c <<'END'
#include <unistd.h>
void step(void) {}
int main(int count, char **words)
{
    step();
    if (count == 1)
        execl("/no/such/program", "it", NULL);
    step();
    if (count < 3)
        execl(words[0], words[0], "2", "3", NULL);
    return 5;
}
END
    gcc-12 -w --coverage -c again.c
    gcc-12 --coverage again.o -o again "${with[@]}"
    run 5 ./again
    expect "$(calls gcov-12 again.gcda step)" '4 '
}

libraries() {
    echo 'int part(int x) { return x * 3; }' >part.c
    cat >main.c <<'END'
#include <dlfcn.h>
void own(void) {}
int main(void)
{
    int sum = 0;
    own();
    for (int i = 0; i < 3; i++) {
        void *library = dlopen("./libpart.so", RTLD_NOW);
        int (*part)(int) = (int (*)(int))dlsym(library, "part");
        sum += part(i) + part(i);
        dlclose(library);
    }
    return sum != 18;
}
END
    gcc-12 -w --coverage -fPIC -c part.c main.c
    gcc-12 --coverage -shared part.o -o libpart.so "${with[@]}"
    gcc-12 --coverage main.o -o main "${with[@]}"
    run 0 ./main
    run 0 ./main
    [ ! -s err ]
    expect "$(calls gcov-12 main.gcda own)" '2 '
    expect "$(calls gcov-12 part.gcda part)" '12 '
}

# Some programs have a function that others have not; the object is the same.
comdat() {
    local run
    mkdir dir
    cat >part.h <<'END'
template <typename T> T largest(T a, T b) { return a > b ? a : b; }
END
    printf '%s\n' '#include "part.h"' 'int first(int x) { return largest(x, 3); }' >first.cc
    printf '%s\n' '#include "part.h"' 'int first(int); int second(int x) { return largest(x, 4); }' >second.cc
    printf '%s\n' 'int second(int); int main() { return second(5) != 5; }' >only.cc
    printf '%s\n' 'int first(int); int second(int); int main() { return first(5) != second(5); }' >both.cc
    for run in first second only both; do
        g++-12 -w -O0 --coverage -c $run.cc
    done
    for run in ours theirs; do
        mkdir -p dir/$run
        [ $run = ours ] || with=()
        g++-12 --coverage first.o second.o both.o -o both-$run "${with[@]}"
        g++-12 --coverage second.o only.o -o only-$run "${with[@]}"
        for program in both only only both; do
            GCOV_PREFIX=$PWD/dir/$run GCOV_PREFIX_STRIP=99 ./$program-$run
        done
    done
    diff -r dir/ours dir/theirs
    expect "$(ls dir/ours)" $'both.gcda\nfirst.gcda\nonly.gcda\nsecond.gcda'
}

damaged() {
    local size
    build steps
    run 0 ./steps
    for size in 0 1 30 "$(($(stat -c %s steps.gcda) - 8))"; do
        cp steps.gcda whole
        head -c "$size" whole >cut
        cp cut steps.gcda
        run 0 ./steps
        expect "$(wc -l <err)" 1
        grep -q 'steps.gcda: .*moved aside' err
        cmp cut steps.gcda.damaged
        expect "$(multiple steps.gcda)" 1
        rm steps.gcda.damaged
        cp whole steps.gcda
    done
    # The last record is a function whose length is negative: it has no bytes.
    { head -c 32 whole && printf '\0\0\0\001\364\377\377\377'; } >steps.gcda
    run 0 ./steps
    [ -e steps.gcda.damaged ]
    expect "$(multiple steps.gcda)" 1
}

full() {
    made steps 1
    cp steps.gcda before
    # All but the head of 16 bytes is appended first.
    for room in 0 1 "$(($(stat -c %s steps.gcda) - 17))"; do
        LD_PRELOAD=$full_disk FULL_AFTER=$room run 0 ./steps
        expect "$(wc -l <err)" 1
        grep -q 'steps.gcda: .*No space left on device' err
        same steps.gcda before
        expect "$(ls -- *.gcda*)" steps.gcda
    done
    run 0 ./steps
    expect "$(multiple steps.gcda)" 2
}

steered() {
    cat >it.c <<'END'
void __gcov_dump(void);
void __gcov_reset(void);
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
int main(int count, char **words)
{
    (void)words;
    for (int i = 0; i < 50; i++)
        work();
    __gcov_reset();
    work();
    work();
    __gcov_dump();
    if (count > 1) {
        __gcov_reset();
        work();
    }
    return 0;
}
END
    gcc-12 -w --coverage -c it.c
    gcc-12 --coverage it.o -o it "${with[@]}"
    run 0 ./it
    expect "$(calls gcov-12 it.gcda work)" '2 '
    run 0 ./it again
    expect "$(calls gcov-12 it.gcda work)" '5 '
}

# Programs that send their profiles themselves (GCC 12 has that): the same bytes.
streams() {
    local flags
    for flags in -fprofile-update=single -fprofile-update=atomic '-O0 --coverage'; do
        # shellcheck disable=SC2086
        gcc-12 -w -O2 -fprofile-generate -fprofile-info-section=profiles $flags -c \
            "$programs/stream.c" "$programs/stream_part.c"
        gcc-12 stream.o stream_part.o -o peer -lgcov
        gcc-12 stream.o stream_part.o -o ours "${with[@]}"
        setarch -R ./peer >peer.out # some values are addresses
        setarch -R ./ours >ours.out
        cmp peer.out ours.out
        expect "$(grep -ac 'stream.*gcda$' ours.out)" 2
    done
}

for version in 11 12; do
    check_with "gcc-$version g++-$version setarch" "gcc $version: byte for byte as libgcov has it" \
        same_as_libgcov $version
done
peers='gcc-12 g++-12 gcov-12 jq'
check_with "$peers" 'many processes at once add to one file' at_once
check_with "$peers strace gcov-dump-12 gcov-tool-12" 'a process is killed in each step of writing in place' \
    killed_in_each_step gcov-dump-12
check_with "$peers strace gcov-dump-11 gcov-tool-12" \
    'a process is killed in each step of writing in place, for GCC 11' killed_in_each_step gcov-dump-11
check_with "$peers" 'a limit of sizes costs nothing but the own counts' size_limit
check_with "$peers" 'the newer of two builds has the name' two_builds
check_with "$peers" 'fork and exec' forks
check_with "$peers" 'libraries that come and go' libraries
check_with "$peers" 'functions that only some programs have' comdat
check_with "$peers" 'what is no profile is set aside, with one message' damaged
check_with "$peers" 'a full disk costs nothing but the own counts' full
check_with "$peers" 'programs can write their profiles themselves' steered
check_with "gcc-12" 'profiles that programs send themselves' streams

tier long
check_with "$peers" 'killed processes take nothing with them but their own counts' killed
finish
