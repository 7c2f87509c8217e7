#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Stopping a process where numbers of threads begin anew all the time: a thread that starts may have the number of
# one that ended a moment ago. A namespace has few numbers, so that a hundred stops meet it often.
#
# usage: test_numbers.sh ANNEAL TEST_THREADS
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
test_threads=$(realpath "$2")
pinned=()

# on_one COMMAND...: on the first processor that this test may have.
on_one() {
    pinned=(taskset -c "$(taskset -cp $$ | sed -E 's/.*: ([0-9]+).*/\1/')")
    "$@"
}

few_numbers() {
    "${pinned[@]}" unshare --user --map-root-user --pid --fork --mount-proc --kill-child \
        sh -c 'echo 1000 >/proc/sys/kernel/pid_max && exec "$@"' sh "$@"
}

# Before Linux 6.14 the limit was one for the whole machine.
has_limits() {
    [ "$(printf '%s\n' 6.14 "$(uname -r)" | sort -V | first)" = 6.14 ]
}

if ! have unshare; then
    check_with unshare 'numbers that begin anew' true
elif ! has_limits; then
    skip 'numbers that begin anew' 'a namespace has limits of its own since Linux 6.14'
elif ! few_numbers true 2>/dev/null; then
    skip 'numbers that begin anew' 'no namespaces can be made here (unshare --user --pid --mount-proc)'
else
    check 'numbers that begin anew' few_numbers "$test_threads" 100
    check 'numbers that begin anew, on one processor' on_one few_numbers "$test_threads" 100
fi
finish
