#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# lib/perf/samples.h against perf script: of recordings that perf makes here, and of made-up ones
# with branch stacks, which few machines can record. Also, reading what perf script prints gives
# what reading the recording gives.
#
# usage: test_peer.sh ANNEAL MAKE_RECORDING LIST_RECORDING
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
make_recording=$(realpath "$2")
list_recording=$(realpath "$3")
export PERF_CONFIG=/dev/null PERF_BUILDID_DIR=$scratch/buildid

tidy() {
    sed 's/^ *//; s/  */ /g; s/ *$//' | sort
}

# peer_samples RECORDING FIELDS: the samples by perf script
peer_samples() {
    perf script -i "$1" -G --ns -F "$2" 2>peer.err | grep -v PERF_RECORD_ | tidy
}

# peer_tasks RECORDING: the records of processes by perf script
peer_tasks() {
    perf script -i "$1" --ns -F pid,tid,time --show-mmap-events --show-task-events 2>peer.err |
        grep -E 'PERF_RECORD_(MMAP2?|COMM|FORK|EXIT)\b' |
        sed -E 's/^.* ([0-9]+\.[0-9]{9}: PERF_RECORD_)/\1/' | sort
}

# agrees RECORDING FIELDS OPTION...: the same samples and records of processes
agrees() {
    local recording=$1 fields=$2
    shift 2
    peer_samples "$recording" "$fields" >expected
    [ -s expected ] || fail "perf script finds no sample" "$(cat peer.err)"
    for threads in 1 3; do
        "$list_recording" "$@" -j $threads "$recording" | sort >found
        same found expected
    done
    peer_tasks "$recording" >expected
    [ -s expected ] || fail "perf script finds no process"
    "$list_recording" -k "$recording" | sort >found
    if ! [ "$(head -c 1 "$recording")" = P ]; then
        # perf 6.1 does not turn the protection of mappings into its byte order
        sed -Ei 's/\]: [-rwxsp]{4} /]: /' found expected
    fi
    same found expected
}

usual=pid,tid,time,period,event,ip

# record OPTION...: runs perf record, the recording being perf.data
workload='ls /usr/lib >/dev/null; (echo a | cat; seq 20000 | sort -R | tail -n 1) >/dev/null'
record() {
    perf record -q -o perf.data "$@" -- sh -c "$workload" 2>record.err
}

# ---- what perf records here ----

plain() {
    record -e cpu-clock
    agrees perf.data $usual
    perf buildid-list -i perf.data | sort >expected
    "$list_recording" -i perf.data | sort >found
    same found expected
}

compressed() {
    record -z -e cpu-clock -F 20000
    agrees perf.data $usual
}

two_events_with_addresses_and_chains() {
    record -g -d -e cpu-clock -e page-faults
    agrees perf.data $usual,addr -a
}

groups_with_counts() {
    record -e '{cpu-clock,page-faults,context-switches}:S' -F 5000
    peer_tasks perf.data >expected
    "$list_recording" -k perf.data | sort >found
    same found expected
    peer_samples perf.data pid,tid,time,ip >expected
    [ -s expected ]
    # perf makes samples of all counters of a group out of each one: these are not in the file
    "$list_recording" perf.data | sed 's/: [0-9]* [^ ]*:/:/' | sort >found
    [ -s found ]
    sort -u expected >expected.once
    sort -u found >found.once
    same found.once expected.once
}

whole_system() {
    record -a --switch-events -e cpu-clock
    agrees perf.data $usual
}

without_times() {
    record --no-timestamp -e cpu-clock
    peer_samples perf.data pid,tid,event,ip >expected
    "$list_recording" perf.data | sed -E 's/ 0\.000000000: [0-9]+ / /' | sort >found
    same found expected
}

a_pipe() {
    perf record -q -e cpu-clock -e page-faults -o - -- sh -c "$workload" >stream 2>record.err
    agrees stream $usual
    "$list_recording" stream >expected
    # shellcheck disable=SC2002 # it is meant to be a pipe
    cat stream | "$list_recording" - >found
    same found expected
    "$list_recording" - <stream >found
    same found expected
}

build_ids_from_inject() {
    perf record -q -e cpu-clock -o - -- sh -c "$workload" 2>record.err | perf inject -b >stream
    perf buildid-list -i stream | grep '^[0-9a-f]' | sort -u >expected
    "$list_recording" -i stream | sort -u >found
    [ -s found ]
    same found expected
}

build_ids_in_mappings() {
    record --buildid-mmap -e cpu-clock
    agrees perf.data $usual
    grep -q '<[0-9a-f]*>' found
}

cut_off() {
    record -e cpu-clock -F 20000
    size=$(stat -c %s perf.data)
    head -c $((size / 2)) perf.data >cut.data
    run 1 "$list_recording" cut.data
    says 'at byte'
    "$list_recording" -T cut.data >found 2>err
    grep -q '^cut$' err
    perf script -i perf.data --ns -G -F $usual >all 2>err
    tidy <all >whole
    sort found >sorted
    # each that was found is one of the whole
    [ -z "$(comm -23 sorted whole)" ]
}

# ---- made-up ones, with branches ----

# made_up WISH...: what make_recording takes
made_up() {
    "$make_recording" "$@" >perf.data
    agrees perf.data $usual,cpu,addr,brstack -c -a -b
}

# perf 6.1 reads pipes of the other byte order wrongly (it changes places of pid and tid).
big_pipe() {
    "$make_recording" big pipe >perf.data
    "$make_recording" big >plain.data
    for options in '-c -a -b' -k; do
        # shellcheck disable=SC2086
        "$list_recording" $options perf.data >found
        # shellcheck disable=SC2086
        "$list_recording" $options plain.data >expected
        same found expected
    done
}

# ---- text ----

# text FIELDS LIST-OPTIONS WISH...
text() {
    local fields=$1 options=$2
    shift 2
    "$make_recording" "$@" >perf.data
    perf script -i perf.data -G --ns -F "$fields" --show-mmap-events --show-task-events >text
    # shellcheck disable=SC2086
    "$list_recording" $options perf.data | sed 's/ branches:u:/ perf script:/' | sort >expected
    for threads in 1 3; do
        # shellcheck disable=SC2086
        "$list_recording" $options -j $threads text | sort >found
        same found expected
    done
    "$list_recording" -k perf.data | sort >expected
    "$list_recording" -k text | sort >found
    same found expected
}

# What perf2bolt asks for.
text_for_perf2bolt() {
    "$make_recording" two >perf.data
    perf script -i perf.data -F pid,ip,brstack >text
    "$list_recording" -b perf.data | sed -E 's/^([0-9]+).* ([0-9a-f]+( 0x.*)?)$/\1 \2/' |
        sed -E 's/^([0-9]+)[^ ]* .*: ([0-9a-f]+)/\1 \2/' | sort >expected
    "$list_recording" -b text | sed -E 's/^([0-9]+)[^ ]* .*: ([0-9a-f]+)/\1 \2/' | sort >found
    [ -s found ]
    same found expected
}

text_of_a_real_recording() {
    record -e cpu-clock
    perf script -i perf.data --ns -F comm,pid,tid,time,period,event,ip,sym,dso \
        --show-mmap-events --show-task-events >text
    "$list_recording" perf.data | sed 's/ cpu-clock[^ ]*:/ perf script:/' | sort >expected
    "$list_recording" text | sort >found
    same found expected
    "$list_recording" -k perf.data | sort >expected
    "$list_recording" -k text | sort >found
    same found expected
}

call_chains_are_refused() {
    "$make_recording" chains >perf.data
    perf script -i perf.data -F pid,tid,time,event,ip,brstack >text
    run 1 "$list_recording" text
    says 'a sample with an address or branches on the same line' 'add -G'
}

if perf record -q -e cpu-clock -o "$scratch/try" -- true 2>/dev/null; then
    check 'a recording' plain
    tier long # the same code, tried with made-up recordings below
    check 'a compressed recording' compressed
    check 'two events, with addresses and call chains' two_events_with_addresses_and_chains
    check 'groups of counters' groups_with_counts
    if perf record -q -a -e cpu-clock -o "$scratch/try" -- true 2>/dev/null; then
        check 'the whole system, with switches' whole_system
    else
        skip 'the whole system, with switches' 'perf may not record all processes here'
    fi
    check 'no times' without_times
    check 'a pipe' a_pipe
    check 'a pipe with build ids' build_ids_from_inject
    check 'mappings with build ids' build_ids_in_mappings
    check 'a recording that is cut off' cut_off
    check 'the text of a recording' text_of_a_real_recording
    tier check
else
    skip 'what perf records' 'perf is missing or may not record here'
fi
for wishes in '' big z 'big z' 'two' 'two big' 'hwindex' 'big hwindex' 'chains' 'two chains z' \
    'big chains two hwindex z'; do
    # shellcheck disable=SC2086
    check_with perf "made up: ${wishes:-plain}" made_up $wishes
done
check_with perf 'made up: pipe' made_up pipe
check_with perf 'made up: two pipe' made_up two pipe
check_with perf 'made up: pipe z' made_up pipe z
check 'made up: big pipe' big_pipe
all=comm,pid,tid,cpu,time,period,event,addr,ip
check_with perf 'text with everything' text $all,brstack '-c -a -b'
check_with perf 'text with symbols and files' text comm,pid,tid,cpu,time,period,event,ip,sym,dso,brstack '-c -b'
check_with perf 'text without commands' text pid,tid,time,period,event,ip,brstack -b
check_with perf 'text for perf2bolt' text_for_perf2bolt
check_with perf 'text with call chains' call_chains_are_refused
finish
