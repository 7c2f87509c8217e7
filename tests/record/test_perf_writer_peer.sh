#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# lib/record/perf_writer.h against those who read perf.data: a recording made by other code, and the
# same written once more by the library, say the same to perf, perf2bolt and create_llvm_prof, as a
# file and as a pipe.
#
# usage: test_perf_writer_peer.sh ANNEAL MAKE_RECORDING REWRITE_RECORDING [STEP_RECORD WALK]
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
make_recording=$(realpath "$2")
rewrite_recording=$(realpath "$3")
walk=${5:+$(realpath "$5")}
programs=$tests/data/branch/programs
perf2bolt=/usr/lib/llvm-19/bin/perf2bolt
export PERF_CONFIG=/dev/null PERF_BUILDID_DIR=$scratch/buildid GLOG_log_dir=$scratch

# printed RECORDING: what perf says of it. For pipes with branches it adds a symbol to each place.
# Not written again are: whether branches were predicted, and their type; what only the kernel knows,
# its own mappings, the generation of an inode, build-ids in a mapping. Nor does it matter in which
# thread of the two a fork is said to have happened.
printed() {
    perf script --ns -i "$1" -F pid,tid,time,event,period,ip,brstack --show-mmap-events \
        --show-task-events 2>peer.err |
        sed -E '/kernel.kallsyms/d
            s/ +/ /g
            /PERF_RECORD_/ {
                s/^[^:]* ([0-9.]+: PERF)/\1/
                s/ [0-9]+\]: / 0]: /
                s/ <[0-9a-f]+>\]/ 00:00 0 0]/
            }
            /PERF_RECORD_/! {
                s/ 0x/\n0x/
                s/(: [0-9a-f]+)[^\n]*\n/\1 /
                s|(0x[0-9a-f]+/0x[0-9a-f]+)/[^ ]*|\1|g
            }
            s/ \[unknown\]$//
            s/ $//' | sort
}

# both RECORDING: writes file.data and pipe.data; perf finds the same in all three
both() {
    run 0 "$rewrite_recording" "$1" file.data
    "$rewrite_recording" "$1" - >pipe.data
    expect "$(head -c 9 file.data | od -An -tx1 | tr -d ' ')" 50455246494c453268
    expect "$(head -c 9 pipe.data | od -An -tx1 | tr -d ' ')" 50455246494c453210
    printed "$1" >expected
    [ "$(grep -c PERF_RECORD_ expected)" -ge 3 ] || fail "$(cat peer.err)"
    [ "$(grep -c 0x expected)" -ge 200 ] || fail "$(cat peer.err)"
    for form in file pipe; do
        printed $form.data >found
        same found expected
    done
    # shellcheck disable=SC2002 # it is meant to be a pipe
    cat pipe.data | printed - >found
    same found expected
    perf buildid-list -i "$1" | grep '^[0-9a-f]' | sort >expected
    for form in file pipe; do
        perf buildid-list -i $form.data | grep '^[0-9a-f]' | sort >found
        same found expected
    done
}

made_up() {
    # a mapping with a build id in its record is not what is written here
    "$make_recording" "$@" >made.data
    both made.data
}
check_with perf 'made up: fields with values of all sorts' made_up

# A program for BOLT and for AutoFDO, which cannot read what is newer than DWARF 4.
program() {
    local unit
    for unit in shapes left right; do
        clang-19 -w -O2 -gdwarf-4 -gline-tables-only -fdebug-info-for-profiling "$@" \
            -c "$programs/$unit.c"
    done
    clang++-19 -w -O2 "$@" -c "$programs/throws.cc"
    clang++-19 -w "$@" -Wl,-q -Wl,--build-id ./*.o -o program
    "$walk" -o walked.data -n 500 --gap 50 program 2>/dev/null
}

# The same records for BOLT, and the same words about them.
for_bolt() {
    program "$@"
    both walked.data
    for data in walked file; do
        run 0 $perf2bolt -p $data.data -o $data.fdata program
        cat err >>out
        prints 'matched build-id and file name' 'traces mismatching disassembled function contents: 0'
        grep -E 'read [0-9]+ samples|associated|mismatching' out >$data.said
        # mispredictions are the one number that is lost
        awk 'NF == 8 { $7 = 0 } { print }' $data.fdata >$data.records
    done
    same file.said walked.said
    same file.records walked.records
    [ "$(wc -l <file.records)" -ge 15 ] || fail "$(cat file.records)"
}

for_autofdo() {
    program "$@"
    both walked.data
    for data in walked file pipe; do
        run 0 create_llvm_prof --binary=program --profile=$data.data --out=raw.prof --format=text
        # names of functions that were inlined are whatever lay in its memory, be it the end of a line: "3.1: ???:1216"
        # (one of "0", the end of a line and a letter would be taken for a count: one run in some thousands)
        perl -0777 -pe 's/^( +[\d.]+:)(?! \d+\n[ \w]) .*?:(\d+)$/$1 called:$2/gms' raw.prof >$data.prof
    done
    [ "$(grep -c '^[a-z_]*:[1-9]' walked.prof)" -ge 5 ] || fail "$(cat walked.prof)"
    same file.prof walked.prof
    same pipe.prof walked.prof
}

if [ "$walk" ]; then
    check_with "clang-19 perf $perf2bolt" 'perf2bolt, a fixed program' for_bolt -fno-pie -no-pie
    check_with "clang-19 perf $perf2bolt" 'perf2bolt, a position independent one' for_bolt -fPIE -pie
    check_with 'clang-19 perf create_llvm_prof' 'create_llvm_prof, a fixed program' \
        for_autofdo -fno-pie -no-pie
    check_with 'clang-19 perf create_llvm_prof' 'create_llvm_prof, a position independent one' \
        for_autofdo -fPIE -pie
else
    skip 'a recording of a program' 'no maker of recordings for this processor'
fi

header() {
    "$make_recording" >made.data
    run 0 "$rewrite_recording" made.data file.data
    run 0 perf report --header-only -i file.data
    prints "# hostname : $(uname -n)" "# os release : $(uname -r)" "# arch : $(uname -m)" \
        "# perf version : $("$anneal" --version | first)" \
        "# cmdline : $rewrite_recording made.data file.data" \
        '# event : name = branches:u' '# contains samples with branch stack'
}
check_with perf 'the header' header

# ---- when there is no room ----

a_full_device() {
    "$make_recording" >made.data
    run 1 "$rewrite_recording" made.data /dev/full
    says '/dev/full: cannot write: No space left on device'
    local status=0
    "$rewrite_recording" made.data - >/dev/full 2>err || status=$?
    expect $status 1
    says '<stdout>: cannot write: No space left on device'
}
check 'a full device' a_full_device

a_full_disk() {
    "$make_recording" >made.data
    mkdir disk
    mount -t tmpfs -o size=128k tmpfs disk
    trap 'umount disk' EXIT
    echo old >disk/old
    for name in old new; do
        run 1 "$rewrite_recording" made.data disk/$name
        says "disk/$name: cannot write: No space left on device"
    done
    expect "$(ls -A disk)" old
    expect "$(cat disk/old)" old
    umount disk
    trap - EXIT
}
may_mount() {
    mkdir -p "$scratch/mount"
    mount -t tmpfs tmpfs "$scratch/mount" 2>/dev/null && umount "$scratch/mount"
}
if may_mount; then
    check 'a full disk' a_full_disk
else
    skip 'a full disk' 'file systems may not be mounted here'
fi
finish
