#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The commands aggregate and perf2bolt: options, files of all sorts, messages, exit status. Whether
# the records are right is decided in golden/test_aggregate.sh.
#
# usage: test_aggregate.sh ANNEAL STEP_RECORD WALK
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
walk=$(realpath "$3")

if ! have gcc; then
    skip 'aggregate' "missing:$missing"
    finish
fi

# A program, and a recording of it.
(
    cd "$scratch" || exit
    for i in {1..60}; do
        echo "static unsigned volatile sum$i;
            __attribute__((noinline)) static unsigned step$i(unsigned x) {
                switch (x % 9) {
                case 0: return x + 3;
                case 1: return x ^ $i;
                case 2: return x * 5;
                case 3: return x - sum$i;
                case 4: while (x & 1) x >>= 1; return x;
                default: return sum$i += x;
                }
            }
            __attribute__((noinline)) static unsigned more$i(unsigned x) {
                for (unsigned i = 0; i < x % 8; i++)
                    x = step$i(x + i);
                return x;
            }"
    done >program.c
    echo 'int main(void) { unsigned x = 1; for (int i = 0; i < 1000; i++) {' >>program.c
    printf 'x = more%d(x);\n' {1..60} >>program.c
    echo '} return x & 1; }' >>program.c
    gcc -O2 -no-pie -Wl,-q -Wl,--build-id program.c -o program
    "$walk" -o data -n 200 --gap 40 program 2>/dev/null
    "$anneal" aggregate -q -p data -o expected program
)
program=$scratch/program
data=$scratch/data
expected=$scratch/expected

it_works() {
    [ -s "$expected" ] || fail 'nothing to compare with'
    grep -qE ' (step|more)' "$expected"
    run 0 "$anneal" aggregate -p "$data" -o result "$program"
    same result "$expected"
    says '200 samples' 'wrote'
    run 0 "$anneal" aggregate -q -perfdata="$data" -output=result "$program"
    [ ! -s out ] && [ ! -s err ]
    same result "$expected"
    ln -s "$anneal" perf2bolt
    run 0 ./perf2bolt -p "$data" -o result "$program"
    same result "$expected"
    prints 'PERF2BOLT: read 200 samples and 6400 LBR entries'
}
check 'options with one dash and with two, and by the name of perf2bolt' it_works

wrong_usage() {
    run 2 "$anneal" aggregate
    says 'expected one binary, got 0'
    run 2 "$anneal" aggregate "$program"
    says 'no recording'
    run 2 "$anneal" aggregate -p "$data" "$program"
    says 'no output'
    run 2 "$anneal" aggregate -p "$data" -o result "$program" "$program"
    says 'expected one binary, got 2'
    run 2 "$anneal" aggregate -p "$data" -o result --no-such-option "$program"
    says '--no-such-option'
    run 2 "$anneal" aggregate -p "$data" -o result --pid x "$program"
    run 2 "$anneal" aggregate -p "$data" -o result --pid 99999999999 "$program"
    run 2 "$anneal" aggregate -p "$data" -o result --ignore-interrupt-lbr=2 "$program"
    says 'expected 0 or 1'
    run 2 "$anneal" perf2bolt -p "$data" -o result --autofdo "$program"
    [ ! -e result ]
    run 2 "$anneal" perf2bolt -p "$data" -o result --profile-format=text "$program"
    says 'profile-format'
    [ ! -e result ]
    run 0 "$anneal" perf2bolt -p "$data" -o result --profile-format=fdata "$program"
    same result "$expected"
}
check 'wrong usage' wrong_usage

missing_files() {
    run 1 "$anneal" aggregate -p no-such-file -o result "$program"
    says 'no-such-file'
    run 1 "$anneal" aggregate -p "$data" -o result no-such-program
    says 'no-such-program'
    run 1 "$anneal" aggregate -p . -o result "$program"
    run 1 "$anneal" aggregate -p "$data" -o result .
    : >no-folder
    run 1 "$anneal" aggregate -p "$data" -o no-folder/result "$program"
    says 'no-folder'
    [ ! -e result ]
}
check 'files that are not there, and folders' missing_files

to_stdout() {
    run 0 "$anneal" aggregate -p "$data" -o - "$program"
    same out "$expected"
    run 0 "$anneal" aggregate -p "$data" -o - --json "$program"
    same out "$expected"
    grep -q '"samples"' err
}
check 'to the standard output, with what is said elsewhere' to_stdout

from_stdin() {
    run 0 "$anneal" aggregate -p - -o result "$program" <"$data"
    same result "$expected"
    mkfifo pipe
    cat "$data" >pipe &
    run 0 "$anneal" aggregate -p pipe -o result "$program"
    same result "$expected"
    run 0 "$anneal" aggregate -p <(cat "$data") -o result "$program"
    same result "$expected"
}
check 'a recording from the standard input and from pipes' from_stdin

what_was_there_stays() {
    echo precious >result
    head -c 20000 "$data" >cut
    run 1 "$anneal" aggregate -p cut -o result "$program"
    says 'cut: at byte'
    run 1 "$anneal" aggregate -p "$data" -o result cut
    expect "$(cat result)" precious
    expect "$(find . -name '*result*' | wc -l)" 1
    run 0 "$anneal" aggregate -p cut -o result --failure-mode=warn "$program"
    says 'is truncated'
    [ "$(wc -l <result)" -gt 5 ]
    run 0 "$anneal" aggregate -p cut -o same --allow-truncated "$program"
    cmp result same
    run 1 "$anneal" aggregate -p cut -o other --failure-mode=all "$program"
    [ ! -e other ]
}
check 'what was in the output stays when a recording is cut off' what_was_there_stays

full_disk() {
    [ -e /dev/full ] || return 0
    run 1 "$anneal" aggregate -p "$data" -o /dev/full "$program"
    says '/dev/full'
    local status=0
    "$anneal" aggregate -p "$data" -o - "$program" >/dev/full 2>err || status=$?
    expect $status 1
}
check 'a full disk' full_disk

garbage() {
    head -c 5000 /dev/urandom >noise
    : >empty
    printf 'hello\nworld\n' >text
    for file in noise empty text "$program"; do
        run 1 "$anneal" aggregate -p "$file" -o result "$program"
        says 'anneal: error:'
    done
    for file in noise empty text "$data"; do
        run 1 "$anneal" aggregate -p "$data" -o result "$file"
        says "$file"
    done
    [ ! -e result ]
}
check 'files that are something else' garbage

# Bytes 18 and 19 of an ELF file say which processor it is for; 183 is AArch64. Byte 4 says how
# many bits it has.
other_machine() {
    cp "$program" arm
    printf '\xb7' | dd of=arm bs=1 seek=18 conv=notrunc 2>/dev/null
    run 1 "$anneal" aggregate -p "$data" -o result arm
    says 'arm: code for a processor other than x86-64'
    cp "$program" narrow
    printf '\x01' | dd of=narrow bs=1 seek=4 conv=notrunc 2>/dev/null
    run 1 "$anneal" aggregate -p "$data" -o result narrow
    says narrow
    [ ! -e result ]
}
check 'a binary for another processor' other_machine

other_program() {
    gcc -O2 -no-pie -Wl,-q -Wl,--build-id -x c - -o other <<<'int main(void) { return 3; }'
    run 1 "$anneal" aggregate -p "$data" -o result other
    says 'no process in the recording ran a file named other, or one with its build-id'
    run 1 "$anneal" aggregate -p "$data" -o result --ignore-build-id other
    says 'no process in the recording ran a file named other' 'rename the binary'
    run 1 "$anneal" aggregate -p "$data" -o result --pid 7 "$program"
    says 'process 7 did not run program' 'these processes did: 1000'
    [ ! -e result ]
}
check 'a program that was not recorded' other_program

# perf record --call-graph lbr keeps return addresses where branches would be.
call_stacks() {
    python3 - "$data" <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
attr, = struct.unpack_from("<Q", data, 24)
kind, = struct.unpack_from("<Q", data, attr + 72)  # branch_sample_type
struct.pack_into("<Q", data, attr + 72, kind | 1 << 11)
open("stacks", "wb").write(data)
END
    run 1 "$anneal" aggregate -p stacks -o result "$program"
    says 'stacks: its entries are frames of call stacks' 'record with -j any,u'
    [ ! -e result ]
    run 1 "$anneal" translate -p stacks -o result "$program"
    says 'frames of call stacks'
    run 0 "$anneal" aggregate -nl -p stacks -o result "$program"
    grep -q '^no_lbr' result
}
check_with python3 'call stacks in the place of branches' call_stacks

json() {
    run 0 "$anneal" aggregate -p "$data" -o result --json "$program"
    expect "$(jq -r .samples out)" 200
    expect "$(jq -r .branches out)" 6400
    expect "$(jq -r .processes out)" 1
    expect "$(jq -r .build_id out)" matched
    expect "$(jq -r .records out)" "$(wc -l <result)"
    expect "$(jq -r '.binary, .recording' out)" "$program"$'\n'"$data"
}
check_with jq 'the account as JSON' json

# The text that perf script prints has no build-ids; the places are the same.
script() {
    perf script -F pid,ip,brstack --show-mmap-events -i "$data" >text 2>/dev/null
    run 0 "$anneal" aggregate -p text -o result "$program"
    same result "$expected"
    run 0 "$anneal" aggregate -p - -o result "$program" <text
    same result "$expected"
    perf script -F pid,ip,brstack -i "$data" >text 2>/dev/null
    run 1 "$anneal" aggregate -p text -o result2 "$program"
    says '--show-mmap-events'
    [ ! -e result2 ]
}
check_with perf 'the text of perf script' script

# Threads with names that look like other fields; by default perf prints tids only, with call chains no columns.
thread_names() {
    cat >threads.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
static void *work(void *name) {
    pthread_setname_np(pthread_self(), name);
    for (volatile int i = 0; i < 30000000; i++) ;
    return NULL;
}
int main(void) {
    char *names[] = {"plain", "java main", "[ET_NET 0]", "worker 7", "12", "io 3 of 4", "7 [3]", "1 io:",
                     "PERF_RECORD_MMA", "5/6"};
    work(names[3]);
    for (int i = 0; i < 10; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, names[i]) || pthread_join(thread, NULL)) return 1;
    }
}
END
    gcc -O1 threads.c -o threads -pthread -Wl,-q
    perf record -q -e cpu-clock:u -F 2000 -o clock ./threads 2>err || fail "$(cat err)"
    run 0 "$anneal" aggregate -q --nl -p clock -o from-data ./threads
    local sum lost fields
    sum=$(awk 'NF == 4 { sum += $4 } END { print sum + 0 }' from-data)
    [ "$sum" -ge 20 ] || fail "only $sum samples"
    for fields in '' '-F comm,tid,ip' '-F comm,pid,ip' '-F comm,pid,tid,time,event,ip' '-G' '-F tid,time,ip'; do
        # shellcheck disable=SC2086
        perf script -i clock $fields --show-mmap-events --show-task-events >text 2>/dev/null
        run 0 "$anneal" aggregate --nl -p text -o from-text ./threads
        never_says 'left out'
        same <(tail -n +2 from-text) <(tail -n +2 from-data)
    done
    perf script -i clock -F comm,tid,ip --show-mmap-events >text 2>/dev/null
    run 0 "$anneal" aggregate --nl --json -p text -o from-text ./threads
    lost=$(jq -r .samples_without_process out)
    expect $((lost + $(awk 'NF == 4 { sum += $4 } END { print sum + 0 }' from-text) + \
        $(jq -r .out_of_range_samples out))) "$(jq -r .samples out)"
    [ "$lost" -gt 0 ]
    run 0 "$anneal" aggregate --nl -p text -o from-text ./threads
    says "$lost samples left out" '--show-task-events'
}
check_with 'perf jq' 'the text of perf script, with threads of any name' thread_names

# Counts by address, and from these the same records.
counts() {
    run 0 "$anneal" aggregate -p "$data" -o counts --to-pa "$program"
    run 0 "$anneal" aggregate -p counts -o result "$program"
    same result "$expected"
    run 0 "$anneal" aggregate --pa -p counts -o result "$program"
    same result "$expected"
}
check 'the pre-aggregated format, there and back' counts

# perf2bolt of LLVM 22 made the profiles (data/branch/make-traces.sh). That of 23 writes mispredictions of traces, and
# numbers below 0 for addresses that are not there.
traces() {
    local branch=$tests/data/branch kind
    for kind in traces samples; do
        run 0 "$anneal" aggregate --pa -p "$branch/preaggregated/$kind.txt" -o result "$branch/binaries/fixed"
        same <(sort result) <(sort "$branch/llvm-22/$kind.fdata")
    done
    expect "$(head -n 1 result)" 'no_lbr cycles:u'
    sed 's/ffffffffffffffff/-1/; s/fffffffffffffffe/-2/; s/fffffffffffffffd/-3/; /^[TR]/s/$/ 0/' \
        "$branch/preaggregated/traces.txt" >newer
    grep -q '^T -3 .* 0$' newer
    run 0 "$anneal" aggregate --pa -p newer -o result "$branch/binaries/fixed"
    same <(sort result) <(sort "$branch/llvm-22/traces.fdata")
    echo 'T 4001d2 400180 -1 9 4' >newer
    run 0 "$anneal" aggregate --pa -p newer -o result "$branch/binaries/fixed"
    expect "$(cat result)" '1 choose 32 1 helper/1 0 4 9'
    printf 'E a\nE b:\nS 400180 1\nE a\n' >events
    run 0 "$anneal" aggregate -p events -o result "$branch/binaries/fixed"
    expect "$(head -n 1 result)" 'no_lbr a b:'
    run 1 "$anneal" aggregate --pa --nl -p "$branch/preaggregated/traces.txt" -o none "$branch/binaries/fixed"
    says 'traces.txt: it has branches, not sampled addresses (leave out --nl)'
    run 0 "$anneal" aggregate --pa --nl -p events -o result "$branch/binaries/fixed"
    run 1 "$anneal" aggregate --pa -p <(echo 'T -4 400180 400189 5 0') -o none "$branch/binaries/fixed"
    says '"T -4 400180 400189 5 0", expected T FROM TO RUN-TO COUNT [MISPREDICTIONS]'
}
check 'the pre-aggregated format of newer versions' traces

# Names of newer versions for -nl.
basic_events() {
    local option
    run 0 "$anneal" aggregate -q --nl -p "$data" -o expected "$program"
    for option in --basic-events --ba; do
        run 0 "$anneal" aggregate -q $option -p "$data" -o result "$program"
        same result expected
        run 0 "$anneal" perf2bolt ${option#-} -p "$data" -o result "$program"
        same result expected
        run 2 "$anneal" aggregate $option --use-event-pc -p "$data" -o result "$program"
    done
}
check 'sampled addresses, by the names of newer versions' basic_events

# ---- another build ----

other_build() {
    local command
    mkdir newer
    gcc -O1 -no-pie -Wl,-q -Wl,--build-id ../program.c -o newer/program
    for command in aggregate perf2bolt translate; do
        run 1 "$anneal" $command -p "$data" -o result newer/program
        says 'has the build-id of newer/program: the one of that name is another build' '--ignore-build-id'
        [ ! -e result ]
    done
    for command in aggregate perf2bolt translate; do
        run 0 "$anneal" $command --ignore-build-id -p "$data" -o result newer/program
        [ -s result ]
    done
    cp "$program" renamed # it has the build-id
    run 0 "$anneal" translate -q -p "$data" -o result renamed
    run 0 "$anneal" translate -q -p "$data" -o again "$program"
    same result again
    run 1 "$anneal" translate -p "$data" -o none --pid=7 "$program"
    says 'process 7 did not run program or one of its layouts' 'these processes did: 1000'
}
check 'another build, by all three' other_build

# ---- nothing that can be used ----

# unusable COMMAND... : fails, and keeps what is in "result"
unusable() {
    echo 'a good profile of before' >result
    run 1 "$@" -o result
    expect "$(cat result)" 'a good profile of before'
}

nothing_usable() {
    local map="PERF_RECORD_MMAP2 77/77: [0x400000(0x100000) @ 0 fe:00 1 1]: r-xp $program" command
    local main
    main=$(nm "$program" | awk '$3 == "main" { print $1 }')
    { echo "   p 77 1.000000: $map"; echo "   p 77 1.100000: 1 cycles:u: $main main+0x0 (p)"; } >no-branches
    printf 'B deadbeef:10 deadbeef:20 9 0\n' >foreign
    printf 'B 10 20 9 0\n' >outside
    printf 'E cycles\n' >empty
    printf 'B %s %s 0 0\n' "$main" "$main" >zero
    for command in aggregate perf2bolt translate; do
        unusable "$anneal" $command -p no-branches "$program"
        says 'no-branches: no sample has branches' 'perf script -F +brstack' "'perf record -j any,u'"
        [ $command = translate ] || says '--nl'
        unusable "$anneal" $command --pa -p foreign "$program"
        says 'foreign: no entry has the build-id of program'
        unusable "$anneal" $command --pa -p outside "$program"
        says 'outside: none of its 9 branches is in a function of program' 'name the binary that was recorded'
        unusable "$anneal" $command --pa -p empty "$program"
        says 'empty: no entries in it'
        unusable "$anneal" $command --pa -p zero "$program"
        says 'zero: none of its 0 branches'
    done
    unusable "$anneal" aggregate --to-pa --pa -p foreign "$program"
    unusable "$anneal" translate --to-pa --pa -p foreign "$program"
    unusable "$anneal" aggregate --json --pa -p foreign "$program"
    [ ! -s out ]
    # samples of another process, and of another time
    { echo "   p 77 1.000000: $map"; echo "   q 78 1.000000: ${map//77/78}"
      echo "   p 77 1.100000: 1 cycles:u: $main main+0x0 (p) 0x$main/0x$main/P/-/-/0/"; } >others
    unusable "$anneal" aggregate --pid 78 -p others "$program"
    says 'no sample is of process 78 (samples of others: 1)'
    { echo "   p 77 1.200000: $map"; sed 1,2d others; } >early
    unusable "$anneal" aggregate -p early "$program"
    says 'no sample is of a process that ran program (samples of others: 1)'
    sed 's/ 77 1.1/ 79 1.1/' others >unknown
    unusable "$anneal" aggregate -p unknown "$program"
    says 'no sample is known to be of a process that ran program' '-F +pid,+tid' '--show-task-events'
    { cat others; tail -n 1 unknown; } >some-unknown
    for command in aggregate translate; do
        run 0 "$anneal" $command -p some-unknown -o found "$program"
        says '1 samples left out: the text has thread ids only' '-F +pid,+tid' '--show-task-events'
    done
    sed 's/^\(.*cycles:u:\).*/\1 10 f (x)/' no-branches >elsewhere
    unusable "$anneal" aggregate --nl -p elsewhere "$program"
    says 'elsewhere: none of its 1 samples is in a function of program'
    head -n 1 others >no-samples
    unusable "$anneal" aggregate -p no-samples "$program"
    says 'no-samples: no samples in it'
}
check 'recordings without a usable sample' nothing_usable

# llvm-bolt finds functions by names; addresses do not need them.
stripped() {
    local command
    mkdir bare
    strip -o bare/program "$program"
    "$anneal" aggregate -q --to-pa -p "$data" -o counts "$program"
    for command in aggregate perf2bolt translate; do
        unusable "$anneal" $command -p "$data" bare/program
        says 'bare/program: it is stripped: llvm-bolt finds functions by names' 'as it was before strip' '--to-pa'
        unusable "$anneal" $command --pa -p counts bare/program
        says 'bare/program: it is stripped'
        unusable "$anneal" $command -p no-such-file bare/program # before the recording is read
        says 'bare/program: it is stripped'
    done
    run 0 "$anneal" aggregate -q --to-pa -p "$data" -o addresses bare/program
    run 0 "$anneal" aggregate -q -p addresses -o result "$program"
    same result "$expected"
    mv bare/program bare/release
    cp "$program" bare/whole # under another name, it has the same build-id
    run 0 "$anneal" aggregate -p "$data" -o result bare/whole
    same result "$expected"
    says 'was recorded under another name'
    strip -g -o bare/program "$program"
    run 0 "$anneal" aggregate -q -p "$data" -o result bare/program
    same result "$expected"
}
check_with strip 'a stripped binary' stripped

# perf keeps the build-ids of files in which it met a sample.
without_samples() {
    echo 'int main(void) { return 0; }' >quick.c
    echo 'int main(void) { for (volatile int i = 0; i < 400000000; i++) ; return 0; }' >busy.c
    gcc -O0 -Wl,-q -Wl,--build-id quick.c -o quick
    gcc -O0 -Wl,-q -Wl,--build-id busy.c -o busy
    # of a command that runs for less than the period nothing is sampled
    perf record -q -e cpu-clock:u -c 50000000 -o clock sh -c './quick; ./busy' >/dev/null 2>&1
    perf buildid-list -i clock 2>/dev/null | found /busy
    unusable "$anneal" aggregate --nl -p clock ./quick
    says 'no sample is of a process that ran quick'
    never_says '--ignore-build-id' 'another build'
    unusable "$anneal" aggregate --nl --ignore-build-id -p clock ./quick
    never_says 'another build'
    gcc -O1 -Wl,-q -Wl,--build-id busy.c -o busy
    unusable "$anneal" aggregate --nl -p clock ./busy
    says 'has the build-id of ./busy: the one of that name is another build' '--ignore-build-id'
    run 0 "$anneal" aggregate --nl --ignore-build-id -p clock -o result ./busy
    says 'is of another build'
}
check_with perf 'a program that ran, but was not met by a sample' without_samples

threads() {
    for n in 1 2 5; do
        run 0 "$anneal" aggregate -j $n -p "$data" -o result "$program"
        same result "$expected"
    done
}
check 'with any number of threads the same' threads
finish
