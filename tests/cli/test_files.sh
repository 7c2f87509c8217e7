#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Files of all sorts as inputs and as output: what is there before stays until what comes is whole.
#
# usage: test_files.sh ANNEAL INTERRUPT
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
interrupt=$(realpath "$2")

one=$corpus/raw/c-ir-clang19-run1.profraw
two=$corpus/raw/c-ir-clang19-run2.profraw

# no_traces FILE...: there are these files in the folder, and no others
no_traces() {
    rm -f out err
    expect "$(find . -mindepth 1 -printf '%P\n' | sort)" "$(printf '%s\n' "$@")"
}

a_pipe_as_input() {
    mkfifo pipe
    cat "$one" >pipe &
    run 0 "$anneal" merge -q -o result pipe "$two"
    run 0 "$anneal" merge -q -o expected "$one" "$two"
    same result expected
    run 0 "$anneal" merge -q -o result <(cat "$one") <(cat "$two")
    same result expected
}

# With several threads a mismatch makes the merge begin again: a pipe cannot.
a_pipe_among_many_inputs() {
    local inputs=()
    for _ in 1 2 3 4 5 6 7 8 9 10 11; do
        inputs+=("$corpus/proftext/ir_values.proftext")
    done
    run 0 "$anneal" merge -q -j 1 -o expected "${inputs[@]}" "$corpus/proftext/mismatch.proftext"
    run 0 "$anneal" merge -q -j 4 -o result "${inputs[@]}" <(cat "$corpus/proftext/mismatch.proftext")
    same result expected
}

a_pipe_as_output() {
    mkfifo pipe
    cat pipe >result &
    run 0 "$anneal" merge -q -o pipe "$one"
    wait $!
    run 0 "$anneal" merge -q -o expected "$one"
    same result expected
    [ -p pipe ] || fail 'the pipe was replaced'
    run 0 "$anneal" merge -q -o /dev/null "$one"
    [ -c /dev/null ] || fail '/dev/null was replaced'
}

show_and_diff_read_pipes() {
    run 0 "$anneal" show "$one"
    sed 1d out >expected
    run 0 "$anneal" show <(cat "$one")
    sed 1d out >result
    same result expected
    run 0 "$anneal" show - <"$one"
    sed 1d out >result
    same result expected
    run 0 "$anneal" diff --json "$one" "$two"
    jq .overlap out >expected
    run 0 "$anneal" diff --json <(cat "$one") <(cat "$two")
    jq .overlap out >result
    same result expected
    run 0 "$anneal" diff --json - "$two" <"$one"
    jq .overlap out >result
    same result expected
}

a_folder_as_output() {
    mkdir folder
    run 1 "$anneal" merge -o folder "$one"
    says 'folder: is a directory'
    run 1 "$anneal" merge -o folder/ "$one"
    no_traces folder
}

an_output_that_cannot_be() {
    : >no-folder
    run 1 "$anneal" merge -o no-folder/result "$one"
    says 'no-folder/result' 'Not a directory'
    rm no-folder
    run 1 "$anneal" merge -o "$anneal/result" "$one"
    says 'Not a directory'
    no_traces
}

an_unreadable_input() {
    cp "$one" secret
    cp "$anneal" program
    chmod 755 . program
    chmod 0 secret
    run 1 as_nobody "$PWD/program" merge -o /dev/null secret
    says secret 'Permission denied'
    mkdir closed
    cp "$two" closed/
    chmod 0 closed
    run 1 as_nobody "$PWD/program" merge -o /dev/null closed
    says closed 'Permission denied'
    chmod 700 closed
}

# The tests may lie where nobody else may read.
an_unwritable_output() {
    cp "$anneal" program
    cp "$one" input
    chmod 644 input
    mkdir open closed
    echo old | tee open/result closed/result >/dev/null
    chmod 755 "$scratch" . program closed
    chmod 777 open
    chmod 444 open/result
    chmod 555 closed
    run 1 as_nobody "$PWD/program" merge -o "$PWD/open/result" "$PWD/input"
    says 'open/result' 'Permission denied'
    expect "$(cat open/result)" old
    run 1 as_nobody "$PWD/program" merge -o "$PWD/closed/new" "$PWD/input"
    says 'closed/new' 'Permission denied'
    expect "$(ls -A closed)" result
    expect "$(ls -A open)" result
    chmod 755 closed
}

as_nobody() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}

# A file system of 64 KB on which there is no room for the result.
a_full_disk() {
    mkdir disk
    mount -t tmpfs -o size=64k tmpfs disk
    trap 'umount disk' EXIT
    echo old >disk/result
    head -c 60000 /dev/zero >disk/filler
    run 1 "$anneal" merge -o disk/result "$corpus"/raw/*-ir-clang19-run*.profraw \
        "$corpus"/raw/*-ir-clang13-run*.profraw
    says disk/result 'No space left on device'
    expect "$(cat disk/result)" old
    expect "$(ls -A disk | tr '\n' ' ')" 'filler result '
    run 1 "$anneal" merge --ledger=disk/ledger -o /dev/null "$corpus"/raw/*-ir-clang1*-run*.profraw
    says disk/ledger 'No space left on device'
    umount disk
    trap - EXIT
}

a_full_device() {
    local status=0
    "$anneal" merge -o - "$one" >/dev/full 2>err || status=$?
    expect $status 1
    says 'No space left on device'
    run 1 "$anneal" merge -o /dev/full "$one"
    for command in 'show' 'show --json' 'show --text' 'help'; do
        status=0
        "$anneal" $command "${command:+$one}" >/dev/full 2>err || status=$?
        [ $status -ne 0 ] || fail "$command did not notice"
    done
}

a_closed_output() {
    local status=0
    "$anneal" merge -q -o - "$one" >&- 2>err || status=$?
    expect $status 1
    says 'Bad file descriptor'
}

# /dev/stdout names what standard output is already, with all that was written to it before.
an_output_by_its_other_name() {
    run 0 "$anneal" merge -q -t -o expected "$one"
    for name in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
        echo before >result
        {
            "$anneal" merge -q -t -o $name "$one"
            echo behind
        } >>result
        (echo before && cat expected && echo behind) >whole
        same result whole
    done
}

a_failed_merge_keeps_the_old_output() {
    echo old >result
    head -c 700 "$one" >cut
    run 1 "$anneal" merge -o result "$one" cut
    expect "$(cat result)" old
    run 1 "$anneal" merge -o result "$one" no-such-file
    expect "$(cat result)" old
    run 1 "$anneal" show -o result cut
    expect "$(cat result)" old
    no_traces cut result
}

an_output_that_is_an_input() {
    cp "$one" result
    run 0 "$anneal" merge -q -o result result "$two"
    run 0 "$anneal" merge -q -o expected "$one" "$two"
    same result expected
}

a_link_as_output() {
    mkdir real
    echo old >real/file
    ln -s real/file link
    run 0 "$anneal" merge -q -o link "$one"
    [ -L link ] || fail 'the link was replaced'
    run 0 "$anneal" merge -q -o expected "$one"
    same real/file expected
    ln -s real/new dangling
    run 0 "$anneal" merge -q -o dangling "$one"
    same dangling expected
}

permissions() {
    (umask 027 && run 0 "$anneal" merge -q -o new "$one")
    expect "$(stat -c %a new)" 640
    echo old >old
    chmod 604 old
    run 0 "$anneal" merge -q -o old "$one"
    expect "$(stat -c %a old)" 604
}

# Two merges into one output: whoever comes last, it is one of the two results.
two_at_a_time() {
    run 0 "$anneal" merge -q -o first "$one"
    run 0 "$anneal" merge -q -o second "$two"
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        "$anneal" merge -q -o result "$one" &
        "$anneal" merge -q -o result "$two" &
        "$anneal" merge -q -o result "$one" &
        wait
        cmp -s result first || same result second
    done
    no_traces first result second
}

# interrupted CALL [CALL-THAT-FAILS]: SIGINT arrives in the middle of writing
interrupted() {
    echo old >result
    local status=0
    env --default-signal=INT AN_INTERRUPT="$1" AN_UNSUPPORTED="${2:-}" LD_PRELOAD="$interrupt" \
        "$anneal" merge -q -o result "$one" >out 2>err || status=$?
    expect $status 130
    cmp -s result <(echo old) || same result <("$anneal" merge "$one")
    no_traces result
}

# The library that sends the signal works: without it the merge succeeds.
not_interrupted() {
    LD_PRELOAD=$interrupt run 0 "$anneal" merge -q -o result "$one"
    AN_UNSUPPORTED=tmpfile LD_PRELOAD=$interrupt run 0 "$anneal" merge -q -o other "$one"
    same result other
    no_traces other result
}

has_ended() {
    ! kill -0 "$1" 2>/dev/null
}

interrupted_while_reading() {
    mkfifo pipe
    echo old >result
    env --default-signal=INT "$anneal" merge -q -o result "$one" pipe & # else bash ignores SIGINT
    local merge=$!
    exec 7>pipe
    head -c 1000 "$two" >&7
    kill -INT $merge
    await has_ended $merge
    exec 7>&-
    local status=0
    wait $merge || status=$?
    expect $status 130
    expect "$(cat result)" old
    no_traces pipe result
}

check 'a pipe as input' a_pipe_as_input
check 'a pipe among many inputs' a_pipe_among_many_inputs
check 'a pipe as output' a_pipe_as_output
check_with jq 'show and diff read pipes' show_and_diff_read_pipes
check 'a folder as output' a_folder_as_output
check 'an output that cannot be' an_output_that_cannot_be
check_with setpriv 'an unreadable input' an_unreadable_input
check_with setpriv 'an unwritable output' an_unwritable_output
if mkdir "$scratch/disk" && mount -t tmpfs -o size=64k tmpfs "$scratch/disk" 2>/dev/null; then
    umount "$scratch/disk"
    check 'a full disk' a_full_disk
else
    skip 'a full disk' 'mounting is not allowed here'
fi
check 'a full device' a_full_device
check 'a closed output' a_closed_output
check 'standard output by its other name' an_output_by_its_other_name
check 'a failed merge keeps the old output' a_failed_merge_keeps_the_old_output
check 'an output that is an input' an_output_that_is_an_input
check 'a link as output' a_link_as_output
check 'permissions of the output' permissions
check 'two merges into one output' two_at_a_time
if [[ $(ldd "$anneal") = *libasan* ]]; then
    skip 'interrupted while writing' 'the address sanitizer wants to be the first library'
else
    check 'not interrupted' not_interrupted
    for call in open write fchmod fsync linkat rename; do
        check "interrupted in $call" interrupted $call
    done
    for call in mkostemp write fchmod fsync rename; do
        check "interrupted in $call, without O_TMPFILE" interrupted $call tmpfile
    done
fi
check 'interrupted while reading' interrupted_while_reading
finish
