#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The line of progress, on a terminal of any width: it fits, and nothing of it is left when the work is done or
# interrupted, or when something else is printed.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

terminal() {
    python3 "$tests/support/terminal.py" "$@"
}

# Runs that end, and fail, when there is a file with their number.
workloads() {
    printf '%s\n' '#!/bin/sh' "while [ ! -e '$PWD'/go\$1 ]; do sleep 0.01; done" 'exit 3' >work
    chmod +x work
}

# Whatever the width, there is a line, and no trace of it in the end.
fits() {
    workloads
    run 1 terminal "$1" log "$2" 'touch go1' "$3" 'touch go2' -- "$anneal" train -j1 -o result ./work ::: 1 2
    nothing_is_left
    tr '\r' '\n' <log | sed 's/\x1b\[K//' | grep -a "$3" >line
    expect "$(grep -c '^\[' line)" "$([ "$4" = bar ] && wc -l <line || echo 0)"
}

nothing_is_left() {
    ! grep -qE '[[]#|[[][.]|[0-9] s left|the first runs' out || fail "progress is left:" "$(cat out)"
}

resized() {
    workloads
    run 1 terminal 90 log 'the first' 'columns 30' ', 2 s' 'touch go1' ' of 2' 'columns 12' ', ' 'touch go2' -- \
        "$anneal" train -j1 -o result ./work ::: 1 2
    nothing_is_left
}

# Here the signal ends the program on the spot. The second input comes when the work has taken a second, since nothing
# is drawn before; the third never does. Who feeds opens the pipe itself: a child that waits for a reader would outlive
# it, and the case would wait for that child.
interrupted() {
    local feeders
    printf '1 main 2 1 main 8 0 100\n' >profile
    : >began
    mkfifo one two three
    {
        exec >one
        cat profile
        exec >began # which closes the first pipe
        echo now
    } &
    feeders=$!
    {
        await grep -q . began
        sleep 1.5 # a second is what is waited for, and some more
        exec >two
        cat profile
    } &
    feeders="$feeders $!"
    run 130 terminal 60 log '2 of 3, ' 'type ^C' -- "$anneal" merge -j1 -o merged.fdata one two three || {
        kill $feeders 2>/dev/null || : # nobody may read what they write
        return 1
    }
    expect "$(cat out)" ''
    [ ! -e merged.fdata ]
}

# An end in order, with a message.
stopped() {
    workloads
    run 1 terminal 60 log 'the first' 'type ^C' -- "$anneal" train -j1 -o result ./work ::: 1 2
    nothing_is_left
    grep -q '^anneal: warning: interrupted' out
}

# A message has a line of its own.
warned() {
    workloads
    run 1 terminal 60 log 'the first runs' 'touch go1' ' of 2' 'touch go2' -- \
        "$anneal" train -j1 -o result ./work ::: 1 2
    grep -q '^anneal: warning: run 1 (1) failed' out
    grep -q '^anneal: warning: run 2 (2) failed' out
}

elsewhere() {
    workloads
    "$anneal" train -j1 -o result ./work ::: 1 2>err &
    sleep 1.2 # a terminal would have a line after a second
    touch go1
    wait $! || :
    ! grep -q $'\r' err || fail 'progress in a file'
}

check_on_terminal 'on 200 columns' fits 200 'the first runs' '1 of 2, ' bar
check_on_terminal 'on 60 columns' fits 60 'the first runs' '1 of 2, ' bar
check_on_terminal 'on 30 columns' fits 30 'the first runs' '1 of 2, ' bar
check_on_terminal 'on 20 columns, which are too few for a bar' fits 20 'the first runs' '1 of 2, ' words
check_on_terminal 'on 12 columns' fits 12 'the first' '1 of 2, ' words
check_on_terminal 'when the window becomes narrow' resized
check_on_terminal 'Ctrl-C takes it away' interrupted
check_on_terminal 'Ctrl-C takes it away where work ends in order' stopped
check_on_terminal 'a message takes its place' warned
check 'a file gets none' elsewhere
finish
