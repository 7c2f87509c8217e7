#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Processes that begin in all ways that there are: each call is counted once, by whichever of them.
#
# usage: test_runtime_births.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
programs=$tests/runtime/programs
unset ANNEAL_PROFILE_FILE LLVM_PROFILE_FILE GCOV_PREFIX GCOV_PREFIX_STRIP

# build COMPILER OUTPUT OPTION...: of births.c, whose object is births.o
build() {
    local instrument=-fprofile-generate
    [ "$1" = clang-19 ] || instrument=--coverage
    [ -e births.o ] || "$1" -w -O1 $instrument -c "$programs/births.c" # each compilation has another stamp
    "$1" -w $instrument births.o -o "${@:2}"
}

# counted: how often before() and after() were called, in all profiles that are here
counted() {
    if [ -e births.gcda ]; then
        gcov-12 -t -j births.gcda >counted.json
        jq -r '[.files[].functions[] | select(.name == "before" or .name == "after")] | sort_by(.name) | reverse |
            map(.execution_count) | join(" ")' counted.json
    else
        llvm-profdata-19 merge --text ./*.profraw -o counted.txt
        awk '/^(before|after)$/ { name = $1 } /^# Counter Values/ { getline; count[name] = $1; name = "" }
            END { print count["before"], count["after"] }' counted.txt
    fi
}

# begins STATUS COUNTS WORD...: a run of `births`, without a word
begins() {
    rm -f ./*.gcda ./*.profraw
    run "$1" ./births "${@:3}"
    [ ! -s err ] || fail "${*:3}: $(cat err)"
    expect "${*:3}: $(counted)" "${*:3}: $2"
}

# each_way COMPILER [OPTION...]
each_way() {
    local way how
    # shellcheck disable=SC2046 # words are meant
    build "$1" births "${@:2}" $("$anneal" rt)
    export ANNEAL_PROFILE_FILE=it.profraw
    for way in fork SYS_clone SYS_clone3 clone $([ "$(uname -m)" != x86_64 ] || echo SYS_fork); do
        for how in exit _exit return; do
            begins 12 '3 3' $way $how
        done
    done
    for way in shared spawn twice; do
        begins 12 '3 3' $way
    done
    begins 12 '3 0' errors
}

# A system call that no library sees: all that there is to know is how far the counts are at its end, as for the compiler's
# own runtime.
unseen() {
    local ours
    # shellcheck disable=SC2046 # words are meant
    build "$1" births $("$anneal" rt)
    ANNEAL_PROFILE_FILE=it.profraw begins 12 '6 3' unseen exit
    ours=$(counted)
    build "$1" births
    ANNEAL_PROFILE_FILE=%p.profraw begins 12 "$ours" unseen exit
    # One that counts in the same file as its parent leaves all to that.
    [ "$1" = clang-19 ] || return 0
    # shellcheck disable=SC2046 # words are meant
    build "$1" births $("$anneal" rt --continuous)
    ANNEAL_PROFILE_FILE=%cit.profraw begins 12 '3 3' unseen exit
    expect "$(echo ./*.profraw)" ./it.profraw
}

# The one that goes has the counts, until it hands them to the one that stays. GCC's file is libgcov's.
becomes_daemon() {
    local mode
    for mode in '' --continuous; do
        # shellcheck disable=SC2046 # words are meant
        build "$1" births $("$anneal" rt $mode)
        for ANNEAL_PROFILE_FILE in it.profraw ${mode:+%cit.profraw}; do
            export ANNEAL_PROFILE_FILE
            rm -f ./*.gcda ./*.profraw
            ends_all ./births daemon
            expect "$ANNEAL_PROFILE_FILE: $(counted)" "$ANNEAL_PROFILE_FILE: 3 3"
            expect "$(find . -name '*.profraw*' -o -name '*.gcda*' | wc -l)" 1
        done
        [ "$1" = clang-19 ] || break
    done
    [ "$1" = clang-19 ] || mv births.gcda ours
    build "$1" births
    ANNEAL_PROFILE_FILE=%p.profraw
    rm -f ./*.profraw
    ends_all ./births daemon
    expect "$(counted)" '3 3'
    [ "$1" = clang-19 ] || same ours births.gcda
}

# ends_all COMMAND...: also the process that it leaves behind has ended, for the pipe that both have is closed
ends_all() {
    { "$@" 2>&1; } | cat >said
    [ ! -s said ]
}

for compiler in clang-19 gcc-12; do
    tools="$compiler $([ $compiler = gcc-12 ] && echo gcov-12 jq || echo llvm-profdata-19)"
    check_with "$tools" "$compiler: each way for a process to begin" each_way $compiler
    check_with "$tools" "$compiler, static: each way for a process to begin" each_way $compiler -static
    check_with "$tools" "$compiler: daemons" becomes_daemon $compiler
    if [ "$(uname -m)" = x86_64 ]; then
        check_with "$tools" "$compiler: a process that begins unseen" unseen $compiler
    fi
done
finish
