#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# extract: sessions of boards with 16 cores replayed, encoded by Python; and what is refused.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

golden=$tests/data/gcc/gcc-12
logs=$tests/data/console/logs
session=$tests/support/console_session.py

# all_back COUNT: each file of the session is there for each core, bit for bit
all_back() {
    local core
    for ((core = 0; core < $1; core++)); do
        same "obj/values-1.gcda$core" "$golden/values-1.gcda"
        same "obj/right-a.gcda$core" "$golden/right-a.gcda"
    done
    expect "$(find . -path './obj/*' -type f | wc -l)" $((2 * $1))
}

# comes_back STATUS-WORD OPTION...
comes_back() {
    local word=$1
    shift
    "$session" "$@" "$golden/values-1.gcda" "$golden/right-a.gcda" >log
    run 0 "$anneal" extract log
    all_back 16
    says "32 files, 20 KB: $word, 0 damaged"
    expect "$(wc -l <out)" 32
    expect "$(sort out | first)" obj/right-a.gcda0
}

twice() {
    "$session" --twice --cores=2 --prefix='[core @] ' "$golden"/{values-1,right-a}.gcda >log
    run 0 "$anneal" extract -q log
    all_back 2
    run 0 "$anneal" extract --list --json log
    expect "$(jq -c '[.files[] | [.status, .proof, .copies]] | unique' out)" '[["verified","copy",2]]'
    # one copy of one file is damaged: the other one is there
    awk '/^\[core 1\] M86/ && !done { $0 = substr($0, 1, 60) "!" substr($0, 62); done = 1 } 1' log >bad
    expect "$(cmp -l log bad | wc -l)" 1
    run 0 "$anneal" extract --list bad
    says 'another copy, in lines' 'is damaged' '3 verified, 1 not verified'
}

# What the board's compiler takes, in one go.
to_one_profile() {
    "$session" --checksums --noise --prefix='PP@:~CONSOLE-> ' "$golden/values-1.gcda" \
        "$golden/right-a.gcda" >log
    run 0 "$anneal" extract -q --require-checksum log
    run 0 "$anneal" merge -q -o values.gcda obj/values-1.gcda*
    run 0 "$anneal" merge -q -o expected.gcda -w "16,$golden/right-a.gcda"
    run 0 "$anneal" merge -q -o right.gcda obj/right-a.gcda*
    same right.gcda expected.gcda
}

# A program of gcc's runs on 16 cores, on each with other counts; all print what libgcov wrote.
run_on_cores() {
    local core
    cat >queue.c <<'END'
int turn(int n) { int steps = 0; for (; n > 1; steps++) n = n % 2 ? 3 * n + 1 : n / 2; return steps; }
END
    cat >board.c <<'END'
#include <stdlib.h>
int turn(int);
int main(int count, char **words)
{
    int all = 0;
    for (int i = count > 1 ? 10 * atoi(words[1]) + 7 : 0; i; i--)
        all += i % 3 ? turn(i) : i;
    return all < 0;
}
END
    gcc --coverage -O1 -c board.c queue.c
    gcc --coverage -o board board.o queue.o
    for ((core = 0; core < 16; core++)); do
        GCOV_PREFIX=$PWD/core$core GCOV_PREFIX_STRIP=99 ./board $core
    done
}

each_core_back() {
    local core module
    run_on_cores
    "$session" --checksums --noise --prefix='PP@:~CONSOLE-> ' core@/board.gcda core@/queue.gcda >log
    run 0 "$anneal" extract log
    says '32 files' '32 verified, 0 not verified, 0 damaged'
    for ((core = 0; core < 16; core++)); do
        for module in board queue; do
            same obj/$module.gcda$core core$core/$module.gcda
        done
    done
    expect "$(sha256sum obj/queue.gcda* | cut -d ' ' -f 1 | sort -u | wc -l)" 16
}

# Damaged in one to three random places, time and again: a file that comes out is what was sent, and where one
# does not, it is said.
never_wrong() {
    run_on_cores
    "$session" --checksums --noise --prefix='PP@:~CONSOLE-> ' core@/board.gcda core@/queue.gcda >log
    "$anneal" extract -q -C sent log
    python3 - "$anneal" <<'END'
import json, os, random, shutil, subprocess, sys
order = random.Random(2)
sent = open("log", "rb").read()
complaints = 0
for trial in range(100):
    log = bytearray(sent)
    for _ in range(order.randrange(1, 4)):
        at = order.randrange(len(log))
        if order.randrange(2):
            log[at] ^= 1 << order.randrange(8)
        else:
            log[at:at + order.randrange(100)] = bytes(order.choices(range(32, 97), k=order.randrange(100)))
    open("bad", "wb").write(log)
    run = subprocess.run([sys.argv[1], "extract", "--json", "-C", "back", "bad"], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    account = json.loads(run.stdout)
    assert account["unverified"] == 0, trial
    assert (account["damaged"] > 0) == (run.returncode == 1), trial
    assert account["damaged"] or account["verified"] == 32, trial
    complaints += run.returncode
    for file in account["files"]:
        if file["status"] == "verified":
            with open("back/" + file["name"], "rb") as back, open("sent/" + file["name"], "rb") as was:
                assert back.read() == was.read(), (trial, file["name"])
    shutil.rmtree("back", ignore_errors=True)
assert 50 < complaints < 100, complaints
END
}

# Lines of the log are named as an editor counts them.
names_damage() {
    "$session" --checksums --cores=1 "$golden/values-1.gcda" >log
    sed '7s/...$/zzz/' log >bad
    run 1 "$anneal" extract bad
    says 'bad:7: obj/values-1.gcda0 is damaged: this may have been a line of data' \
        '(saved part: obj/values-1.gcda0.partial)' '1 damaged'
    [ ! -e obj/values-1.gcda0 ]
    [ -s obj/values-1.gcda0.partial ]
    run 1 "$anneal" extract bad # again: nothing changes
    expect "$(ls obj)" values-1.gcda0.partial
    sed 's/^M86/M87/' log >bad
    run 1 "$anneal" extract bad
    says 'its CRC-32 is'
    sed /^begin/d log >bad
    run 1 "$anneal" extract --list bad
    says "its 'begin' is lost"
    sed /^end/d log >bad # what is proved is right
    run 0 "$anneal" extract --list bad
    grep -v '^M8' log | sed /^crc32/d >bad
    run 1 "$anneal" extract --list bad
}

requires_checksum() {
    "$session" --cores=1 "$golden/values-1.gcda" >log
    run 0 "$anneal" extract -C one log
    says '0 verified, 1 not verified (no checksum in the log)'
    run 1 "$anneal" extract -C two --require-checksum log
    says 'nothing in the log verifies it'
    expect "$(ls two/obj)" values-1.gcda0.partial
    same two/obj/values-1.gcda0.partial "$golden/values-1.gcda"
}

# A core's counter file is unlike those of the other cores.
compares_cores() {
    "$session" --cores=3 --prefix='PP@: ' "$golden/right-a.gcda" >log
    python3 - <<'END'
import binascii, re
lines = open("log").read().split("\n")
for i, line in enumerate(lines):
    if line.startswith("PP1: M86"):
        data = bytearray(binascii.a2b_uu(line[5:]))
        data[10] ^= 1  # the stamp
        lines[i] = "PP1: " + binascii.b2a_uu(bytes(data), backtick=True).decode()[:-1]
open("bad", "w").write("\n".join(lines))
END
    run 1 "$anneal" extract bad
    says 'obj/right-a.gcda1 is damaged: unlike the files of other cores: its stamp is' '1 damaged'
}

keeps_files() {
    run 0 "$anneal" extract "$logs/plain.log"
    run 0 "$anneal" extract "$logs/plain.log"
    says '1 of them existed already'
    echo mine >right.gcda
    run 1 "$anneal" extract "$logs/plain.log"
    says 'right.gcda: another file of this name exists, and was kept' '--force'
    expect "$(cat right.gcda)" mine
    run 0 "$anneal" extract --force "$logs/plain.log"
    same right.gcda "$golden/right-a.gcda"
}

refuses_names() {
    local name
    mkdir inner
    for name in /tmp/anneal-escaped ../escaped a/../../escaped out/escaped; do
        printf 'begin 644 %s\n#86)C\n`\nend\n' "$name" >log
        ln -sfn .. inner/out
        run 1 "$anneal" extract --force -C inner log
        [ ! -e escaped ]
        [ ! -e /tmp/anneal-escaped ]
    done
    says 'symbolic links are not followed'
    printf 'begin 4755 tool\n#86)C\n`\nend\n' >log
    (umask 022 && run 0 "$anneal" extract log)
    expect "$(stat -c %a tool)" 755
    mkdir "a folder"
    printf 'begin 644 a folder\n#86)C\n`\nend\n' >log
    run 1 "$anneal" extract log
    says 'something other than a file has its name'
}

as_json() {
    run 1 "$anneal" extract --json -C there "$logs/cores.log" "$logs/rtems.log" "$logs/blanks.log"
    expect "$(jq -c '[.files_found, .verified, .unverified, .damaged, .written]' out)" '[6,4,1,1,5]'
    expect "$(jq -c '.files[0] | [.name, .status, .proof, .form, .mode, .core, .outcome, .path]' out)" \
        '["right.gcda1","verified","crc32","uuencode","0644",1,"written","there/right.gcda1"]'
    expect "$(jq -r '.files[] | select(.status == "damaged") | .outcome' out)" partial
    run 0 "$anneal" extract --json --list "$logs/hex.log"
    expect "$(jq -c '.files | map(.form) | unique' out)" '["gcov-hex"]'
    expect "$(jq -c '.files[0] | has("outcome")' out)" false
}

# Profiles that were sent by gzip are what they were; other files of that ending stay what they are.
compressed() {
    run 1 "$anneal" extract --json -C there "$logs/compressed.log"
    expect "$(jq -c '.files[] | [.name, .status, .proof]' out)" '["right.gcda0","verified","gzip"]
["right.gcda1.gz","damaged",null]
["core.gz","unverified",null]'
    says 'right.gcda1.gz is damaged: its compressed content is damaged'
    same there/right.gcda0 "$golden/right-a.gcda"
    [ -e there/right.gcda1.gz.partial ]
    gunzip -c there/core.gz | cmp - "$golden/right-a.gcda"
}

all_forms() {
    local log
    for log in "$logs"/*.log; do
        case $log in */cores.log | */compressed.log) continue ;; esac
        run 0 "$anneal" extract -q -C "$(basename "$log")" "$log"
    done
    for log in hex nibbles rtems; do
        same $log.log/tmp/anneal-console-corpus/app.gcda "$logs/../gcc-14/app.gcda"
        same $log.log/tmp/anneal-console-corpus/work.gcda "$logs/../gcc-14/work.gcda"
    done
    for log in zephyr nuttx hexdump; do
        same $log.log/src/right.gcda "$golden/right-a.gcda"
    done
    for log in plain blanks twice noise; do
        same $log.log/right.gcda "$golden/right-a.gcda"
    done
}

several_logs() {
    printf 'begin 644 one\n#86)C\n' >first
    printf '`\nend\nbegin 644 two\n#86)C\n`\nend\n' >second
    run 1 "$anneal" extract first second
    says 'first:' 'one is damaged' '2 files'
    expect "$(cat two)" abc
    run 1 "$anneal" extract no-such-log second
    says 'no-such-log: cannot open' '1 of them existed already'
}

nothing_there() {
    echo nothing >log
    run 1 "$anneal" extract log
    says 'log: no file found (1 line;'
    : >log
    run 1 "$anneal" extract log
    run 1 "$anneal" extract --json log
    expect "$(jq -c '[.files_found, .files]' out)" '[0,[]]'
    head -c 300000 /dev/urandom >log
    run 1 "$anneal" extract -C there log
    run 2 "$anneal" extract
    says 'no log'
    run 2 "$anneal" extract --frobnicate log
    printf 'b\0e\0' | sed '1s/^/\xff\xfe/' >log
    run 1 "$anneal" extract log
    says 'UTF-16' 'iconv'
    run 1 "$anneal" extract .
}

# What is said ends, however much there is to be said.
bounds_complaints() {
    awk 'BEGIN { for (i = 0; i < 300; i++) print "begin 644 f" i ".g" }' >log
    run 1 "$anneal" extract --list log
    expect "$(grep -c 'is damaged' err)" 100
    says 'and 200 more errors and warnings (--json has them all)'
    expect "$(grep -c ^damaged out)" 300
    run 1 "$anneal" extract --list --json log
    expect "$(jq -c '[.damaged, .left_out, ([.files[].problem] | map(select(. != null)) | length)]' out)" \
        '[300,0,300]'
    awk 'BEGIN { for (i = 0; i < 262146; i++) print "begin 644 f.g" }' >log
    run 1 "$anneal" extract --list --json log
    says 'log: 2 more files are left out (at most 262,144 of one log are extracted)'
    expect "$(jq .left_out out)" 2
}

# What sharutils' uuencode writes, in both of its ways.
from_uuencode() {
    local size
    for size in 0 1 2 3 44 45 46 100 1000; do
        python3 -c 'import sys
sys.stdout.buffer.write(bytes((i * i * 7 + i // 3) % 256 for i in range(int(sys.argv[1]))))' $size >sent
        for way in '' -m; do
            # shellcheck disable=SC2086 # none, or one
            uuencode $way sent dir/file >log
            run 0 "$anneal" extract --force log
            same dir/file sent
            uudecode -o back log
            same back sent
        done
    done
    {
        sed 's/^/PP0: /' log
        echo "PP0: crc32 $(python3 -c 'import sys, zlib; print("%08x" % zlib.crc32(sys.stdin.buffer.read()))' <sent) 1000 dir/file"
    } >proved
    run 0 "$anneal" extract --require-checksum proved
    says '1 verified'
    sed '2,20s/A/B/' proved >bad # not the last line, of which not all bits count
    run 1 "$anneal" extract --list bad
    says 'its CRC-32 is'
}

one_to_output() {
    run 0 "$anneal" extract -o - "$logs/plain.log"
    same out "$golden/right-a.gcda"
    run 0 "$anneal" extract -o there "$logs/plain.log"
    same there "$golden/right-a.gcda"
    expect "$(wc -c <out)" 0
    run 1 "$anneal" extract -o there "$logs/hex.log"
    says 'found 2 files; --output takes one'
    printf 'begin 644 torn.gcda\n' >log
    run 1 "$anneal" extract -o there log
    says 'torn.gcda is damaged' '1 damaged'
    same there "$golden/right-a.gcda"
    run 1 "$anneal" extract -o /dev/full "$logs/plain.log"
    says 'No space left'
    run 2 "$anneal" extract -o - --json "$logs/plain.log"
    says '--output and --json cannot be used together'
}

strips_names() {
    run 0 "$anneal" extract -q --strip 2 "$logs/hex.log"
    same app.gcda "$logs/../gcc-14/app.gcda"
    run 1 "$anneal" extract -q -p 3 "$logs/hex.log"
    says 'its name has no parts left'
    run 2 "$anneal" extract --strip much "$logs/hex.log"
}

standard_input() {
    run 0 "$anneal" extract - <"$logs/plain.log"
    same right.gcda "$golden/right-a.gcda"
    run 0 "$anneal" extract --list <(cat "$logs/plain.log")
    prints 'right.gcda'
}

# A file system of 16 KB, of which nothing is left.
a_full_disk() {
    mkdir disk
    mount -t tmpfs -o size=16k tmpfs disk
    trap 'umount disk' EXIT
    head -c 12000 /dev/zero >disk/filler
    "$session" --cores=16 --checksums "$golden/values-1.gcda" >log
    run 1 "$anneal" extract -C disk log
    says 'No space left on device' 'not written'
    expect "$(find disk -name '.*' | wc -l)" 0
    local file
    for file in disk/obj/*; do
        [ ! -e "$file" ] || same "$file" "$golden/values-1.gcda"
    done
    umount disk
    trap - EXIT
}

a_full_output() {
    local status=0
    "$anneal" extract --list "$logs/plain.log" >/dev/full 2>err || status=$?
    expect $status 1
}

a_folder_of_others() {
    mkdir theirs
    chmod 555 theirs
    cp "$logs/plain.log" log
    chmod 644 log
    if [ "$(id -u)" -eq 0 ]; then
        chmod 755 "$PWD" "$PWD/.."
        run 1 setpriv --reuid=65534 --regid=65534 --clear-groups "$anneal" extract -C theirs log
    else
        run 1 "$anneal" extract -C theirs log
    fi
    says 'ermission denied'
    expect "$(ls -A theirs)" ''
}

python='python3'
crc='32 verified, 0 not verified'
none='0 verified, 32 not verified (no checksum in the log)'
check_with "$python" 'a session of 16 cores, one after the other' comes_back "$none"
check_with "$python" 'with checksums' comes_back "$crc" --checksums
for prefix in 'PP@:~CONSOLE-> ' '[core @] ' '@: ' 'c@| ' '<@>' '[#] PP@: ' '[#][@] ' 'May  1 05:48:50 [#] @> '; do
    check_with "$python" "line by line in turn, behind '$prefix'" \
        comes_back "$crc" --checksums --noise --prefix="$prefix"
    check_with "$python" "the same without checksums" comes_back "$none" --noise --prefix="$prefix"
done
for end in crlf cr; do
    check_with "$python" "lines that end with $end" comes_back "$none" --end=$end --prefix='PP@: ' --noise
done
check_with "$python" 'zeros as blanks' comes_back "$none" --blanks --prefix='PP@: '
check_with "$python" 'zeros as blanks, those at the end of lines lost' \
    comes_back "$none" --blanks --trimmed --prefix='PP@: '
check_with "$python" 'sums in the lines' comes_back "$crc" --sums --checksums --noise --prefix='PP@: '
check_with "$python jq" 'copies prove each other' twice
check_with "$python" 'from the log to one profile' to_one_profile
check_with "$python gcc" 'a program of gcc on 16 cores' each_core_back
check_with "$python" 'damage is named, with its line' names_damage
check_with "$python" 'only what is proved' requires_checksum
check_with "$python" 'one core unlike the others' compares_cores
check 'files that are there are kept' keeps_files
check 'names that lead elsewhere' refuses_names
check_with jq 'JSON' as_json
check 'all forms' all_forms
check 'compressed profiles' compressed
check 'several logs' several_logs
check_with jq 'logs without files' nothing_there
check_with "$python uuencode uudecode" "sharutils' uuencode" from_uuencode
check 'one file, to where one wants it' one_to_output
check 'leading parts of names' strips_names
check 'standard input and pipes' standard_input
if mkdir "$scratch/disk" && mount -t tmpfs -o size=16k tmpfs "$scratch/disk" 2>/dev/null; then
    umount "$scratch/disk"
    check_with "$python" 'a full disk' a_full_disk
else
    skip 'a full disk' 'mounting is not allowed here'
fi
check 'an output that is full' a_full_output
check 'a folder in which nothing can be written' a_folder_of_others
tier long
check_with "$python gcc" 'a program of gcc on 16 cores, damaged' never_wrong
check_with jq 'many complaints, many files' bounds_complaints
finish
