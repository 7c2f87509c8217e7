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
    run 2 "$anneal" perf2bolt -p "$data" -o result --profile-format=yaml "$program"
    says '--profile-format=yaml: anneal writes fdata only'
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
    says 'no file in the recording has the build-id of other'
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

# Counts by address, and from these the same records.
counts() {
    run 0 "$anneal" aggregate -p "$data" -o counts --to-pa "$program"
    run 0 "$anneal" aggregate -p counts -o result "$program"
    same result "$expected"
    run 0 "$anneal" aggregate --pa -p counts -o result "$program"
    same result "$expected"
}
check 'the pre-aggregated format, there and back' counts

threads() {
    for n in 1 2 5; do
        run 0 "$anneal" aggregate -j $n -p "$data" -o result "$program"
        same result "$expected"
    done
}
check 'with any number of threads the same' threads
finish
