#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A program with an instrumented library, which have a file each: a process is in both or in none of them, whenever it is
# killed.
#
# usage: test_runtime_together.sh ANNEAL KILL_SOME
# KILL_RUNS=2000 KILL_ROUNDS=4 make the long part longer.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
kill_some=$(realpath "$2")
kill_runs=${KILL_RUNS:-500}
kill_rounds=${KILL_ROUNDS:-2}
unset ANNEAL_PROFILE_FILE LLVM_PROFILE_FILE

# build [LAST]: `main` calls in_main once, that calls in_part in libpart.so; with LAST the library counts in_last when
# the program is about to end
build() {
    local flags
    # shellcheck disable=SC2207 # words are meant
    flags=($("$anneal" rt --ldflags))
    {
        echo 'int in_part(int n) { return n > 3 ? n * 3 : n + 1; }'
        [ -z "${1:-}" ] || echo 'int last; __attribute__((destructor)) static void in_last(void) { last++; }'
    } >part.c
    cat >main.c <<'END'
int in_part(int);
__attribute__((noinline)) int in_main(int n) { return in_part(n); }
int main(int argc, char **argv) { (void)argv; return in_main(argc) == 0; }
END
    clang-19 -w -O1 -fprofile-generate -fPIC -shared part.c -o libpart.so "${flags[@]}"
    # shellcheck disable=SC2016 # the loader's
    clang-19 -w -O1 -fprofile-generate main.c -o main "${flags[@]}" -L. -lpart -Wl,-rpath,'$ORIGIN'
}

# counted FUNCTION...: how often each was called, by all profiles in the folder `all`
counted() {
    local function
    llvm-profdata-19 merge --text all/*.profraw -o counted.txt
    for function; do
        awk -v which="$function" '/^# Counter Values/ { getline; if (name == which) { sum = $1 } }
            /^[A-Za-z_]/ { name = $1; sub(/.*;/, "", name) }
            END { print sum + 0 }' counted.txt
    done | tr '\n' ' '
}

# with NAME: programs add to files of that name, of which there are none yet
with() {
    rm -rf all
    mkdir all
    export LLVM_PROFILE_FILE=$PWD/all/$1.profraw
}

# What is there when all is done, and nothing else.
is_clean() {
    expect "$(find all -mindepth 1 ! -name '*.profraw')" ''
}

# killed_at CALL NUMBER
killed_at() {
    run 137 strace -o /dev/null -e "inject=$1:signal=KILL:when=$2" ./main
}

# A process is killed as it enters each of the calls that put the files in their places; with NUMBER processes before it, which
# made the files.
# killed_in_each_step NUMBER RENAME
killed_in_each_step() {
    local step call number counts
    build
    for step in symlinkat:1:0 "$2:1:1" "$2:2:1" unlinkat:1:1; do
        IFS=: read -r call number counts <<<"$step"
        with "of-%m"
        for _ in $(seq "$1"); do run 0 ./main; done
        killed_at "$call" "$number"
        run 0 ./main
        [ ! -s err ]
        counts=$(($1 + counts + 1))
        expect "$step $(counted in_main in_part)" "$step $counts $counts "
        is_clean
    done
}

# Who adds to the library's file only finishes what another program's process has begun.
finished_by_others() {
    build
    echo 'int in_part(int); int in_other(int n) { return in_part(n); } int main() { return in_other(1) == 0; }' >other.c
    # shellcheck disable=SC2016,SC2046 # the loader's; words are meant
    clang-19 -w -O1 other.c -o other -L. -lpart -Wl,-rpath,'$ORIGIN'
    with "of-%m"
    run 0 ./main
    killed_at renameat 2
    expect "$(counted in_main in_part)" '2 1 '
    run 0 ./other
    [ ! -s err ]
    expect "$(counted in_main in_part)" '2 3 '
    is_clean
}

# Whoever removes the profiles begins anew, whatever was under way.
removed() {
    build
    with "of-%m"
    run 0 ./main
    killed_at renameat 1
    rm all/*.profraw
    run 0 ./main
    expect "$(counted in_main in_part)" '1 1 '
    is_clean
}

# A list that leads out of the folder, or says nothing, does no harm; nor does one of another user.
odd_lists() {
    local list
    build
    for list in = + / // =/+ =../kept '=..' =kept none '=of-1.profraw'; do
        with "of-%m"
        run 0 ./main
        echo kept >kept
        echo new >kept.new
        ln -s "$list" all/anneal.commit
        run 0 ./main
        [ ! -s err ]
        expect "$list $(cat kept kept.new) $(counted in_main in_part)" "$list kept
new 2 2 "
        is_clean
    done
}

# A name for all is one file, replaced by each run in one step.
plain_name() {
    build
    with all
    run 0 ./main
    run 0 ./main
    expect "$(ls all)" all.profraw
    expect "$(counted in_main in_part)" '1 1 '
    cp all/all.profraw before
    killed_at renameat 1
    same all/all.profraw before
    expect "$(counted in_main in_part)" '1 1 '
    run 0 ./main
    expect "$(counted in_main in_part)" '1 1 '
    is_clean
}

# What a library counts while the process ends is added.
counts_to_the_end() {
    build last
    with "of-%m"
    for _ in 1 2 3; do run 0 ./main; done
    expect "$(counted in_main in_part in_last)" '3 3 3 '
    is_clean
}

# In a folder in which nothing can be made there are files as before.
no_new_files() {
    build
    with "of-%m"
    run 0 ./main
    [ "$(id -u)" != 0 ] || return 0 # who may do all
    chmod a-w all
    run 0 ./main
    chmod u+w all
    expect "$(counted in_main in_part)" '2 2 '
}

# at_random RUNS ROUNDS NAME
at_random() {
    local round said well killed main part
    build
    for round in $(seq "$2"); do
        with "$3"
        said=$("$kill_some" "$1" 10000 "$round" ./main 2>err)
        [ ! -s err ] || fail "$(head err)"
        read -r well killed <<<"$said"
        run 0 ./main # the last one may have left something to do
        read -r main part <<<"$(counted in_main in_part)"
        echo "$3, round $round: $well ended well, $killed were killed, $main and $part counted" |
            tee -a "${REPORT:-/dev/null}"
        expect "$main" "$part"
        [ "$main" -gt "$well" ] && [ "$main" -le $((well + killed + 1)) ] || fail 'counts are lost'
        [ "$killed" -gt 5 ]
    done
}

peers='clang-19 llvm-profdata-19 awk'
check_with "$peers strace" 'a process is killed in each step of making two files' killed_in_each_step 0 renameat2
check_with "$peers strace" 'a process is killed in each step of changing two files' killed_in_each_step 3 renameat
check_with "$peers strace" 'another program finishes what was begun' finished_by_others
check_with "$peers strace" 'profiles that are removed do not come back' removed
check_with "$peers" 'lists that nobody made' odd_lists
check_with "$peers strace" 'one file for all is replaced in one step' plain_name
check_with "$peers" 'what is counted while the process ends' counts_to_the_end
check_with "$peers" 'a folder in which nothing can be made' no_new_files
check_with "$peers" 'killed at some moments' at_random 60 1 all-%m

tier long
check_with "$peers" 'killed at random moments' at_random "$kill_runs" "$kill_rounds" all-%m
check_with "$peers" 'killed at random moments, with four files each' at_random "$kill_runs" "$kill_rounds" all-%4m
finish
