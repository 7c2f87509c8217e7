#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Children have the layouts of the process that they were forked from, and nothing else: what is mapped into them
# is told, reverted and built upon, whether or not that process, or its layout, is there any more. What one of them
# needs nobody removes; nor does one container remove what belongs to another.
#
# usage: test_live_forked.sh ANNEAL UNDISTURBED STEP_RECORD WALK
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
# shellcheck source=tests/live/live.sh
. "$tests/live/live.sh"

family=()

# end_family: all that have been begun here
end_family() {
    kill -KILL "$target" "${family[@]}" 2>/dev/null || :
}

# of_entries: a profile that knows no more than that all functions of work.h and of the program itself are called:
# that is enough for llvm-bolt to move them
of_entries() {
    nm "$1" | awk '$2 == "t" && /P5bench|work|fall|caught|works_well/ { print "0 [unknown] 0 1 " $3 "/1 0 0 1000" }'
}

# begin KIND: the first process; launch COMMAND...: one of that command, and its memory as it was
begin() {
    program=$scratch/prefork-$1
    profile=$program.fdata
    [ -e "$profile" ] || build "$1" prefork "$program" -Wl,-q
    of_entries "$program" >"$profile"
    launch "$program"
}

launch() {
    state=$PWD/state
    rm -f board
    start "$@" "$PWD/board"
    trap end_family EXIT
    first=$target
    family=()
    until_board begun
    keep_memory
}

# until_board begun|moved PID...: board.py waits for it
until_board() {
    python3 "$live_tests/board.py" "$1" board "${@:2}" || fail "waited in vain: $*" "$(cat said)"
}

# works PID...: each gets on, and nobody has complained
works() {
    until_board moved "$@"
    [ ! -s said ] || fail "$(cat said)"
}

# fork_from PID: $child, which works
fork_from() {
    child=$(python3 "$live_tests/board.py" fork board "$1") || fail "no child" "$(cat said)"
    family+=("$child")
    works "$child"
}

is_gone() {
    ! kill -0 "$1" 2>/dev/null || grep -q '^State:.*Z' "/proc/$1/status"
}

# end PID...
end() {
    local process
    for process; do
        kill -TERM "$process"
        [ "$process" != "$first" ] || wait "$process" || fail "it ended with status $?:" "$(cat said)"
        await is_gone "$process"
    done
}

# of PID COMMAND...: the command, of live.sh, is about this process
of() {
    local target=$1
    "${@:2}"
}

# layouts PID: the rounds that are mapped, and that in force
layouts() {
    of "$1" live 0 --status --json
    jq -c '[[.rounds[].round], .in_force]' out
}

# taken_back PID: and no byte is different, nothing is mapped, and it works
taken_back() {
    of "$1" live 0 -q --revert
    is_free "$1"
    works "$1"
    expect "$(of "$1" differing)" 0
    expect "$(of "$1" added_memory)" '0 0'
    expect "$(layouts "$1")" '[[],0]'
}

# is_swept: nothing is left of anybody
is_swept() {
    expect "$(find "$state" -mindepth 1)" ''
}

# round_of PID [ARGUMENT]...
round_of() {
    of "$1" live 0 -q --profile "$profile" --keep-anyway --json "${@:2}"
    jq -e '.rounds | length > 0 and all(.functions >= 10 and .patches.entries > 0)' out >/dev/null ||
        fail 'little is moved:' "$(cat out err)"
    works "$1"
}

# ---- children ----

# One is reverted, and then the first process: it makes no difference to the others.
one_by_one() {
    begin pie
    round_of "$first"
    local one other
    fork_from "$first"
    one=$child
    fork_from "$first"
    other=$child
    expect "$(layouts "$one")" '[[1],1]'
    expect "$(jq -r '.rounds[0].file' out | grep -c "^$state/[0-9]*-$first-[0-9]*/c1\$")" 1
    taken_back "$one"
    expect "$(layouts "$first")" '[[1],1]'
    expect "$(layouts "$other")" '[[1],1]'
    taken_back "$first"
    works "$first" "$one" "$other"
    expect "$(layouts "$other")" '[[1],1]'
    taken_back "$other"
    is_swept
    fork_from "$first"
    expect "$(layouts "$child")" '[[],0]'
    end "$one" "$other" "$child" "$first"
}

# As a daemon does, which ends the process that it was started as. Others that are worked on do not sweep what is needed.
without_the_first() {
    begin fixed
    round_of "$first"
    local one other
    fork_from "$first"
    one=$child
    fork_from "$one"
    other=$child
    end "$first"
    taken_back "$one"
    expect "$(layouts "$other")" '[[1],1]'
    expect "$(find "$state" -type f -printf '%f\n')" c1
    taken_back "$other"
    is_swept
    end "$one" "$other"
}

# A round of a child's begins where the first process's ended, and its own child has both.
on_top() {
    begin pie
    round_of "$first"
    local one
    fork_from "$first"
    one=$child
    round_of "$one"
    expect "$(jq -c '[.rounds[].generation]' out)" '[2]'
    expect "$(layouts "$one" | jq '.[1]')" 2
    expect "$(layouts "$first")" '[[1],1]'
    fork_from "$one"
    expect "$(layouts "$child")" "$(layouts "$one")"
    taken_back "$one"
    works "$child"
    expect "$(layouts "$child" | jq '.[1]')" 2
    taken_back "$child"
    taken_back "$first"
    is_swept
    end "$one" "$child" "$first"
}

is_waiting() {
    tr '\0' ' ' <"/proc/$1/cmdline" | found -- '--wait'
}

# Another program, or the same anew, has nothing of it.
executes() {
    begin pie
    round_of "$first"
    fork_from "$first"
    kill -USR2 "$child"
    await is_waiting "$child"
    expect "$(layouts "$child")" '[[],0]'
    of "$child" live 0 --revert
    prints 'nothing to revert'
    taken_back "$first"
    kill "$child"
    end "$first"
}

# The code has no name in the mappings; the page behind it has.
with_huge_pages() {
    begin pie
    round_of "$first" --huge-pages
    fork_from "$first"
    expect "$(layouts "$child")" '[[1],1]'
    end "$first"
    taken_back "$child"
    is_swept
    end "$child"
}

# The folder of the state makes no difference to what is mapped.
of_another_folder() {
    begin pie
    round_of "$first"
    fork_from "$first"
    state=$PWD/other
    expect "$(layouts "$child")" '[[1],1]'
    taken_back "$child"
    taken_back "$first"
    end "$child" "$first"
}

# Without its file a layout cannot be taken back: that is an error, and nothing is done. Root has another way.
without_the_file() {
    begin pie
    round_of "$first"
    fork_from "$first"
    rm "$state"/*/c1
    if [ "$(id -u)" = 0 ]; then
        expect "$(layouts "$child")" '[[1],1]'
        taken_back "$child"
    else
        of "$child" live 1 --status
        of "$child" live 1 --revert
        says 'root can open it'
    fi
    works "$child" "$first"
    end "$child" "$first"
}

# A file with the name of a layout that is none: nobody takes the process for original.
of_no_layout() {
    begin pie
    local own=$PWD/1-2-3
    mkdir "$own"
    cp "$program" "$own/c2"
    "$own/c2" "$PWD/another" &
    local other=$!
    family+=("$other")
    await runs "$own/c2" "$other"
    of "$other" live 1 --status
    says "$own/c2"
    of "$other" live 1 --revert
    end "$first"
}

# ---- users ----

# A user who may use this folder, but has none of root's rights: all as above, by the user
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)

of_a_user() {
    begin pie
    end "$first"
    chmod 711 "$scratch"
    chmod 777 .
    install -m 755 "$anneal" tool
    install -m 755 "$program" program
    install -m 644 "$profile" profile
    printf '#!/bin/sh\nexec %s %s "$@"\n' "${as_nobody[*]}" "$PWD/tool" >as-user
    chmod 755 as-user
    program=$PWD/program profile=$PWD/profile anneal=$PWD/as-user
    launch "${as_nobody[@]}" "$program"
    round_of "$first"
    local one
    fork_from "$first"
    one=$child
    fork_from "$first"
    taken_back "$first"
    expect "$(find "$state" -name c1 | wc -l)" 1
    taken_back "$one"
    expect "$(layouts "$child")" '[[1],1]'
    rm "$state"/*/c1
    of "$child" live 1 --revert
    says 'root can open it'
    anneal=$PWD/tool
    of "$child" live 0 -q --revert
    expect "$(of "$child" differing)" 0
    works "$child" "$one" "$first"
    end "$one" "$child" "$first"
}

# ---- containers ----

# inside COMMAND...: in the container, where the program has a number of its own
inside() {
    nsenter --target "$contained" --pid --mount "$@"
}

# A directory that a container shares: nobody takes the other's processes for ended.
of_containers() {
    begin pie
    round_of "$first"
    mkdir container
    unshare --pid --fork --mount-proc --kill-child "$program" "$PWD/container/board" >container/said 2>&1 &
    local outer=$! files
    family+=("$outer")
    waits_for container/board
    contained=$(pgrep -P "$outer")
    family+=("$contained")
    run 0 inside "$anneal" live -q --state-dir "$state" -p 1 --profile "$profile" --keep-anyway
    files=$(find "$state" -name 'c*' -type f | sort)
    expect "$(echo "$files" | wc -l)" 2
    # each prepares the directory, and removes what it takes for left over
    of "$first" live 0 -q --profile "$profile" --dry-run
    run 0 inside "$anneal" live -q --state-dir "$state" -p 1 --profile "$profile" --dry-run
    expect "$(find "$state" -name 'c*' -type f | sort)" "$files"
    expect "$(find "$state" -name state -type f | wc -l)" 2
    run 0 inside "$anneal" live --state-dir "$state" -p 1 --status --json
    expect "$(jq .in_force out)" 1
    # from outside, under its other number
    expect "$(layouts "$contained")" '[[1],1]'
    of "$contained" live 0 -q --revert
    run 0 inside "$anneal" live --state-dir "$state" -p 1 --status --json
    expect "$(jq .in_force out)" 0
    taken_back "$first"
    kill "$outer"
    end "$first"
}

may_unshare() {
    unshare --pid --fork --mount-proc true 2>/dev/null
}

# ---- long ----

# debugged PID: whether gdb finds a layout of it in the list that debuggers read (debugger.h)
debugged() {
    gdb -p "$1" -batch -iex 'set debuginfod enabled off' -iex 'set auto-load off' \
        -ex 'info sharedlibrary' >shared 2>gdb.err
    is_free "$1"
    grep -qF "$state/" shared
}

# A child has a list of its own.
debuggers_list() {
    begin pie
    round_of "$first"
    fork_from "$first"
    debugged "$first" || fail 'not in the list:' "$(cat shared gdb.err)"
    debugged "$child" || fail "not in the child's list:" "$(cat shared gdb.err)"
    taken_back "$child"
    ! debugged "$child" || fail "still in the child's list:" "$(cat shared)"
    debugged "$first" || fail "no longer in the list:" "$(cat shared gdb.err)"
    works "$child"
    taken_back "$first"
    end "$child" "$first"
}

# What a child does is told in terms of the original, through the layouts that it was born with.
recorded() {
    begin pie
    round_of "$first"
    fork_from "$first"
    end "$first"
    of "$child" live 0 --duration 2s --overhead=40% --thin --keep-anyway
    says 'of them in new code'
    expect "$(layouts "$child" | jq '.[1]')" 2
    works "$child"
    taken_back "$child"
    end "$child"
}

# Children are born at any moment of a round or a revert: each has what it has, and can be brought back.
while_it_changes() {
    local i children=()
    begin "$1"
    end "$first"
    launch "$program" --fork-often
    for ((i = 0; i < 8; i++)); do
        "$anneal" live -q --state-dir "$state" -p "$first" --profile "$profile" --keep-anyway >front 2>&1 &
        local front=$!
        while kill -0 $front 2>/dev/null && [ ${#children[@]} -lt 60 ]; do
            fork_from "$first"
            children+=("$child")
        done
        wait $front || fail "$(cat front)"
        of "$first" live 0 -q --revert
    done
    [ ${#children[@]} -ge 8 ] || fail "only ${#children[@]} children"
    for child in "${children[@]}"; do
        taken_back "$child"
        end "$child"
    done
    taken_back "$first"
    is_swept
    end "$first"
}

may_live
check 'children and the process that they were forked from' one_by_one
check 'the process has ended, its children are there' without_the_first
check 'a round of a child' on_top
check 'a child that executes a program' executes
check 'a child with huge pages' with_huge_pages
check 'a child, and another folder' of_another_folder
check 'a layout without a file' without_the_file
check 'the name of a layout, and none' of_no_layout
if [ "$(id -u)" = 0 ]; then
    check_with setpriv "a user's own children" of_a_user
else
    skip "a user's own children" 'only root can start another user'\''s process'
fi
if ! have unshare nsenter; then
    check_with 'unshare nsenter' 'containers that share a directory' true
elif may_unshare; then
    check 'containers that share a directory' of_containers
else
    skip 'containers that share a directory' 'no PID namespace can be made here (unshare --pid --mount-proc)'
fi

tier long
check 'a recording of a child' recorded
check_with gdb "debuggers and a child" debuggers_list
for kind in fixed pie static; do
    check "children born during rounds ($kind)" while_it_changes $kind
done
finish
