#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Recordings of real programs, in the hands of those who are to use them: perf, perf2bolt,
# create_llvm_prof and anneal aggregate. And emulation, compared with what these programs really do.
#
# usage: test_peers.sh ANNEAL STEP_RECORD
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
step_record=$(realpath "$2")
export GLOG_log_dir=$scratch
perf2bolt=/usr/lib/llvm-19/bin/perf2bolt
record=("$anneal" record --overhead=50% --freq=100000)

may_record "$step_record" gcc perf jq

# ---- readers ----

# recorded_hot BRANCHES OPTION...: data, a recording of hot with so many branches
recorded_hot() {
    start ./hot 600
    run 0 "${record[@]}" --json -o data -p "$target" -b "$@"
    stop
}

# perf2bolt finds the binary, and no trace that its code does not have; anneal writes the same.
for_bolt() {
    compile_hot hot -fno-reorder-blocks-and-partition "${@:2}"
    recorded_hot 4000 -w 40 --method="$1"
    run 0 $perf2bolt -p data -o fdata ./hot
    cat err >>out
    prints 'matched build-id and file name' 'traces mismatching disassembled function contents: 0'
    # which branches were predicted is known to processors only
    ! grep WARNING out | grep -vF 'misprediction bit is missing' || fail 'perf2bolt complains'
    grep -q '^1 hot_outer .* 1 hot_inner' fdata || fail "$(cat fdata)"
    run 0 "$anneal" aggregate -q -p data -o ours ./hot
    same ours fdata
}
check_with $perf2bolt 'perf2bolt and anneal aggregate agree on it' for_bolt emulate -no-pie -fno-pie
check_with $perf2bolt 'on a position independent program' for_bolt emulate -pie -fPIE

for_autofdo() {
    compile_hot hot -gdwarf-4 -no-pie -fno-pie
    recorded_hot 20000
    run 0 create_llvm_prof --binary=./hot --profile=data --out=text --format=text
    grep -q '^hot_inner:' text || fail "$(cat text)"
    grep -q '^hot_outer:' text || fail "$(cat text)"
    [ "$(sed -n '/^hot_inner/,/^[a-z]/p' text | grep -c '^ ')" -ge 5 ] || fail "$(cat text)"
}
check_with 'create_llvm_prof' 'create_llvm_prof reads it' for_autofdo

for_perf() {
    compile_hot hot
    recorded_hot 4000 -w 40
    local samples
    samples=$(account samples)
    perf script -F ip,brstack -i data 2>script.err | grep -c 0x >lines
    [ ! -s script.err ] || fail "$(cat script.err)"
    expect "$(cat lines)" "$samples"
    has_hot data
    perf script -F comm,event,period -i data 2>/dev/null >script
    [ "$(awk '{ print $1, $3 }' script | sort -u)" = 'hot cpu-clock:u:' ] || fail "$(head script)"
    perf buildid-list -i data 2>/dev/null | found '/hot$'
    perf report --stdio --header-only -i data 2>&1 | found -E '^# (cmdline|hostname|arch)' ||
        fail 'no header'
}
check 'perf script and perf report read it' for_perf

# The periods of all samples together are the time that it ran.
periods() {
    compile_hot hot
    run 7 "${record[@]}" --json -o data ./hot 1
    perf script -F period -i data 2>/dev/null >script
    at_least "$(awk '{ sum += $1 } END { print sum / 1e9 }' script)" "$(account 'run_seconds * 0.8')"
    at_most "$(awk '{ sum += $1 } END { print sum / 1e9 }' script)" "$(account 'run_seconds * 1.01')"
}

# ---- emulation against reality ----

# Programs that never end, or not soon.
endless() {
    while cat "$scratch/text"; do :; done
}
seq 30000 | awk '{ print ($1 * 7919) % 100003, "line", $1, "of a text" }' >"$scratch/text"

# verified WINDOWS COMMAND...: of so many windows of a program at work emulation foresees at least 999 in 1000
verified() {
    local windows=$1
    shift
    start "$@" < <(endless 2>/dev/null)
    await has_run "$target" 50000000
    run 0 "$anneal" record --overhead=90% --freq=100000 --json --verify -o data -b $((windows * 96)) -p "$target"
    stop
    at_least "$(account compared)" $((windows / 2))
    [ "$(account 'compared - .agreed')" -le "$(account 'compared / 1000 | floor')" ] ||
        fail "$(account agreed) of $(account compared) windows"
    expect "$(account 'ends | type')" object
}

# real WINDOWS COMMAND...: its name is that of the program, which need not be there
real() {
    if have "$2"; then
        check "emulation foresees $2" verified "$1" sh -c 'exec "$@" >/dev/null' sh "${@:2}"
    else
        skip "emulation foresees $2" "missing:$missing"
    fi
}

compile_hot "$scratch/hot"
check 'emulation foresees a program of our own' verified 5 "$scratch/hot" 600

tier long
check_with $perf2bolt 'on single steps' for_bolt step -no-pie -fno-pie
check 'periods of samples are run time' periods
check 'emulation foresees a program of our own in 20 windows' verified 20 "$scratch/hot" 600
real 20 gzip -9c
real 20 bzip2 -c
real 20 xz -c
real 20 grep -E '(.)\1.* (.).*\2x'
real 20 sed -E 's/([0-9]+)[a-z ]+([0-9])/\2 \1/g'
real 20 awk '{ count[$1 % 100] += length($0); s = s $1; if (length(s) > 999) s = "" }'
real 20 sort --parallel=1 -S 1M
real 20 perl -ne 'push @{$h{$1 % 99}}, sqrt($1) if /^(\d+) line/; %h = () if $. % 5000 == 0'
real 20 python3 -c '
import json, math, re
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
while True:
    x = [str(fib(i % 12) / 7) + "x" for i in range(100)]
    assert json.loads(json.dumps({"a": x}))["a"] == x
    re.sub(r"(\d+)\.(\d+)", r"\2.\1", " ".join(x)), math.sin(len(x)), sorted(x)'
real 20 sqlite3 :memory: 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
    SELECT count(*), sum(length(printf("%d %s", i * 7 % 1013, i))) FROM n WHERE i LIKE "%3%"'
real 20 openssl speed -seconds 60 -evp sha256
finish
