#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Profiles of programs that run several layouts of their code: what anneal translate makes of them is
# what perf2bolt reads from the layout's own translation, nothing is lost, and llvm-bolt takes it.
#
# usage: test_translate.sh ANNEAL STEP_RECORD WALK SERVER_FIXED SERVER_PIE
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/support/layouts.sh
. "$tests/support/layouts.sh"
step_record=$(realpath "$2")
walk=$(realpath "$3")
objects=(${4:+"$(realpath "$4")" "$(realpath "$5")"})
bolt=/usr/lib/llvm-19/bin
tools="g++ perf python3 jq $bolt/perf2bolt $bolt/llvm-bolt"

# prepare FOLDER OBJECT OPTION: a program of 200 functions and three layouts of its code, in a folder for all cases:
# twice, at fixed addresses and position-independent.
prepare() {
    mkdir -p "$1"
    (
        cd "$1" || exit
        g++ -Wl,-q -Wl,--build-id "$3" "$2" -o program && make_layouts program 3 -n 2000
    )
}

# agrees OURS PEER SHARE: of all that the peer counted, SHARE percent are in the same records
agrees() {
    awk -v least="$3" '
        FNR == 1 { file++ }
        NF < 8 { next }
        {
            key = $1 " " $2 " " $3 " " $4 " " $5 " " $6
            if (file == 1) { mispreds[key] = $7; count[key] = $8; next }
            all += $8
            if (key in count && count[key] == $8 && mispreds[key] == $7) same += $8
        }
        END {
            printf "%.3f %% of %d\n", all ? 100 * same / all : 0, all
            exit !(all > 0 && 100 * same >= least * all)
        }' "$1" "$2" || fail "$1 and $2 agree in fewer than $3 %"
}

# differ_by OURS PEER MOST: the counts of the two differ by MOST at most, with what leads to a place
# from one function taken together. (The layout of a block may not have the instruction that
# branches: then its block is all that is known of the source.)
differ_by() {
    awk -v most="$3" '
        FNR == 1 { sign = NR == 1 ? 1 : -1 }
        NF >= 8 { count[$1 " " $2 " " $4 " " $5 " " $6] += sign * $8 }
        END {
            for (key in count)
                sum += count[key] < 0 ? -count[key] : count[key]
            print "the counts differ by", sum + 0
            exit sum > most
        }' "$1" "$2" || fail "more than $3"
}

# sums JSON: every branch and every trace is accounted for
sums() {
    jq -e '
        .branches == .translated_branches + .returns + .entry_jumps + .elsewhere +
            .in_no_function + .in_no_fragment + .without_origin and
        .traces == .translated_traces + .out_of_range_traces + .traces_across +
            .untraceable_traces and
        .translated_branches >= ([.layouts[].branches] | add)' "$1" >/dev/null ||
        fail "the account does not add up: $(cat "$1")"
}

# of TRUTH KEY: a total that the walk knows
of() {
    awk -v key="$2" '$1 == key { print $2 }' "$1"
}

number() {
    jq ".$2" "$1"
}

# The optimised program runs by itself: its translation is what perf2bolt reads.
one_binary() {
    local home=$scratch/$1
    "$walk" -o data -b 31 -n 4000 --seed 5 "$home/program.c1" 2>/dev/null
    run 0 "$anneal" translate -p data -o ours --json --layout "$home/program.c1" "$home/program"
    sums out
    expect "$(head -n 1 ours)" boltedcollection
    run 0 "$anneal" aggregate -p data -o aggregated "$home/program.c1"
    agrees ours aggregated 99.5
    run 0 "$bolt/perf2bolt" -p data -o peer "$home/program.c1"
    if [ "$1" = fixed ]; then
        LC_ALL=C sort aggregated >expected
        LC_ALL=C sort peer >actual
        same actual expected
    else # it knows one mapping of the program only, and there are two pieces of code
        [ "$(wc -l <peer)" -lt "$(wc -l <aggregated)" ] || fail 'perf2bolt has learned something'
    fi
}

# The same, but it really runs: its branches are recorded one by one.
really_runs() {
    local home=$scratch/real
    mkdir "$home"
    cat >"$home/real.cc" <<'END'
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
struct Shape { virtual ~Shape() {} virtual unsigned area(unsigned) const = 0; };
struct Square : Shape { unsigned area(unsigned x) const override { return x * x; } };
struct Circle : Shape { unsigned area(unsigned x) const override { return x * x * 3 + (x & 1); } };
static unsigned pick(unsigned x)
{
    switch (x % 8) {
    case 0: return x + 1;
    case 1: return x * 3;
    case 2: return x ^ 85;
    case 3: return x / 3;
    case 4: return x - 7;
    case 5: return ~x;
    default: return x;
    }
}
__attribute__((noinline)) static unsigned risky(unsigned x)
{
    if (x % 61 == 0)
        throw std::runtime_error("61");
    return pick(x);
}
int main()
{
    Square square;
    Circle circle;
    const Shape *shapes[] = {&square, &circle};
    std::map<unsigned, std::string> names;
    std::vector<unsigned> values;
    unsigned x = 1, caught = 0;
    for (unsigned round = 0; round < 3000000; round++) {
        x = x * 1103515245 + 12345;
        try {
            values.push_back(shapes[x >> 16 & 1]->area(risky(x >> 8)));
        } catch (const std::exception &) {
            caught++;
        }
        if (values.size() == 64) {
            for (unsigned value : values)
                names[value % 50] = std::to_string(value);
            values.clear();
        }
    }
    std::printf("%u %zu %s\n", caught, names.size(), names.begin()->second.c_str());
}
END
    cd "$home"
    g++ -O2 -fno-reorder-blocks-and-partition -no-pie -Wl,-q -Wl,--build-id real.cc -o real
    "$step_record" -o first -n 60 -b 31 -s 300 -- ./real >expected
    run 0 "$anneal" aggregate -p first -o first.fdata real
    run 0 "$bolt/llvm-bolt" real -o real.c1 -data=first.fdata -reorder-blocks=ext-tsp \
        -reorder-functions=cdsort -split-functions -split-all-cold --enable-bat --lite \
        --jump-tables=move
    "$step_record" -o data -n 150 -b 31 -s 300 -- ./real.c1 >actual
    same actual expected
    run 0 "$bolt/perf2bolt" -p data -o peer real.c1
    run 0 "$anneal" translate -p data -o ours --json --layout real.c1 real
    sums out
    expect "$(number out traces_across)" 0
    expect "$(number out untraceable_traces)" 0
    is_document out
    [ "$(jq '.layouts[1].branches' out)" -gt 500 ] || fail "$(cat out)"
    agrees ours peer 99.5
}

# Old and new code of one process: most traces are illegal to somebody who knows one layout only.
mixture() {
    local home=$scratch/$1
    "$walk" -o data -b 31 -n 4000 --layout "$home/program.c1" --truth truth --call-stack stack \
        "$home/program" 2>/dev/null
    run 0 "$anneal" translate -p data -o ours --json --call-stack stack \
        --layout "$home/program.c1" "$home/program"
    sums out
    expect "$(number out branches)" "$(of truth branches)"
    expect "$(number out entry_jumps)" "$(of truth led_on)"
    expect "$(number out traces)" "$(of truth runs)"
    expect "$(number out out_of_range_traces)" "$(of truth runs_outside)"
    jq -e '1000 * (.traces_across + .untraceable_traces) <= .traces' out >/dev/null ||
        fail "more than 0.1 % of the traces are illegal: $(cat out)"
    jq -e '20 * .illegal_before > .traces' out >/dev/null ||
        fail "the recording is no test of that: $(cat out)"
    [ "$(number out old_code)" -gt 0 ] || fail "$(cat out)"
}

# words NUMBER...: as Ocolos writes them, 8 bytes each
words() {
    python3 -c 'import struct, sys
for word in sys.argv[1:]:
    sys.stdout.buffer.write(struct.pack("<Q", int(word, 16)))' "$@"
}

# Ocolos's command line. Its perf2bolt is not in Debian: what translate says is what is expected.
as_in_ocolos() {
    local home=$scratch/$1 other=fixed addresses
    [ "$1" = independent ] || other=independent
    "$walk" -o data -b 31 -n 4000 --layout "$home/program.c1" --call-stack stack "$home/program" \
        2>/dev/null
    run 0 "$anneal" translate -q -p data -o expected --layout "$home/program.c1" "$home/program"
    run 0 "$anneal" perf2bolt --ignore-build-id --cont-opt -p data -o ours "$home/program.c1"
    same ours expected
    grep -q "^PERF2BOLT: wrote $(grep -c ' ' expected) objects and 0 memory objects to ours" out ||
        fail "$(cat out)"
    mapfile -t addresses < <(nm "$home/program" | awk 'NR == FNR { on[$1]; next } $3 in on { print $1 }' stack -)
    [ ${#addresses[@]} -gt 0 ] || fail 'no function was on the stack'
    words "$(printf '%x' ${#addresses[@]})" "${addresses[@]}" >callstack_func.bin
    printf '%s\n%s\n4400000\n' "$home/program.c1" "$home/program" >BOLTed_bin_info.txt
    run 0 "$anneal" perf2bolt --ignore-build-id --cont-opt --call-stack-func=callstack_func.bin \
        --bin-path-info=BOLTed_bin_info.txt -p data -o ours "$home/program.c1"
    same ours expected
    run 0 "$anneal" translate --json -p data -o ours --call-stack stack \
        --layout "$home/program.c1" "$home/program"
    mv out names
    run 0 "$anneal" translate --json -p data -o ours --call-stack callstack_func.bin \
        --layout "$home/program.c1" "$home/program"
    same out names
    words 1 >callstack_func.bin
    run 1 "$anneal" perf2bolt --cont-opt --call-stack-func=callstack_func.bin -p data -o ours \
        "$home/program.c1"
    says 'callstack_func.bin: at byte 0: expected names of functions'
    same ours expected
    run 0 "$anneal" aggregate -q -p data -o expected "$home/program"
    run 0 "$anneal" perf2bolt --cont-opt -p data -o ours "$home/program" # nothing was replaced yet
    same ours expected
    run 1 "$anneal" perf2bolt --cont-opt -p data -o ours "$scratch/$other/program.c1"
    says 'no process in the recording ran the file from which' '--bin-path-info'
    run 1 "$anneal" perf2bolt --cont-opt -p - -o ours "$home/program.c1" <data
    says 'the recording is read twice' '--bin-path-info'
    run 2 "$anneal" perf2bolt --cont-opt -nl -p data -o ours "$home/program.c1"
    run 2 "$anneal" perf2bolt --cont-opt --profile-format=yaml -p data -o ours "$home/program.c1"
    run 2 "$anneal" perf2bolt --call-stack-func=stack -p data -o ours "$home/program.c1"
    same ours expected
}

# Three layouts deep: all that the walk did is there.
three_layouts() {
    local home=$scratch/$1 layouts=() i
    for i in 1 2 3; do
        layouts+=(--layout "$home/program.c$i")
    done
    "$walk" -o data -b 31 -n 6000 "${layouts[@]}" --truth truth "$home/program" 2>/dev/null
    run 0 "$anneal" translate -p data -o ours --json "${layouts[@]}" "$home/program"
    sums out
    expect "$(number out branches)" "$(of truth branches)"
    expect "$(number out entry_jumps)" "$(of truth led_on)"
    expect "$(number out traces)" "$(of truth runs)"
    expect "$(number out out_of_range_traces)" "$(of truth runs_outside)"
    expect "$(number out elsewhere)" "$(awk '$1 == "between" && $2 == -1 && $3 == -1 { print $4 }' truth)"
    expect "$(number out in_no_fragment)" 0
    expect "$(number out without_origin)" 0
    jq -e '1000 * (.traces_across + .untraceable_traces) <= .traces' out >/dev/null ||
        fail "more than 0.1 % of the traces are illegal: $(cat out)"
    for i in 1 2 3; do
        [ "$(jq ".layouts[$i].branches" out)" -gt 1000 ] || fail "layout $i hardly ran: $(cat out)"
    done
    run 0 "$anneal" translate -q -j1 -p data -o again "${layouts[@]}" "$home/program"
    same again ours
    run 0 "$bolt/llvm-bolt" "$home/program" -o next -data=ours -reorder-blocks=ext-tsp
    grep -q 'non-empty execution profile' out err
    [ -x next ]
}

# Into a layout's coordinates and through its own perf2bolt: the same as directly, less what is
# counted as of blocks that the layout does not have.
by_way_of_the_peer() {
    local home=$scratch/$1
    "$walk" -o data -b 31 -n 4000 --layout "$home/program.c1" --layout "$home/program.c2" \
        "$home/program" 2>/dev/null
    run 0 "$anneal" translate -p data -o ours --layout "$home/program.c1" \
        --layout "$home/program.c2" "$home/program"
    run 0 "$anneal" translate -p data -o counted --json --layout "$home/program.c1" \
        --layout "$home/program.c2" --to "$home/program.c2" "$home/program"
    mv out json
    run 0 "$bolt/perf2bolt" -pa -p counted -o peer "$home/program.c2"
    grep -q 'mismatching disassembled function contents: 0' out
    differ_by ours peer "$(number json gone)"
    jq -e '50 * .gone < .branches' json >/dev/null || fail "$(cat json)"
    run 1 "$anneal" translate -p data -o counted --layout "$home/program.c1" \
        --to "$home/program.c2" "$home/program"
    says 'is not one of the layouts'
}

# elsewhere ADDRESS: the recording as text, but the layout at ADDRESS lies 0x10000000 higher, and no
# mapping tells of it.
elsewhere() {
    perf script -F pid,ip,brstack --show-mmap-events -i data 2>/dev/null | python3 -c '
import re, sys
start = int(sys.argv[1], 16)
def move(match):
    address = int(match[0], 16)
    return hex(address + 0x10000000 if start <= address < start + 0x8000000 else address)
for line in sys.stdin:
    if "RECORD_MMAP" not in line:
        print(re.sub(r"0x[0-9a-f]+", move, line), end="")
    elif "program.c1" not in line:
        print(line, end="")' "$1"
}

# Where layouts lie: told by the recording, by an address, by the original's own place, by a file.
places() {
    local home=$scratch/independent address
    "$walk" -o data -b 31 -n 1000 --layout "$home/program.c1" --call-stack stack "$home/program" \
        2>/dev/null
    run 0 "$anneal" translate -q -p data -o expected --layout "$home/program.c1" "$home/program"
    [ "$(wc -l <expected)" -gt 1000 ] || fail 'hardly anything was translated'
    cp "$home/program.c1" renamed
    run 0 "$anneal" translate -q -p data -o ours --layout renamed "$home/program"
    same ours expected
    address=$(perf script --show-mmap-events -i data 2>/dev/null |
        sed -nE 's/.*\[(0x[0-9a-f]+)\(.*program\.c1$/\1/p' | first)
    run 0 "$anneal" translate -q -p data -o ours --layout "renamed@$address" "$home/program"
    same ours expected
    elsewhere "$address" >moved
    run 0 "$anneal" translate -q -p moved -o ours --layout renamed "$home/program"
    ! cmp -s ours expected || fail 'nothing was moved'
    run 0 "$anneal" translate -q -p moved -o ours \
        --layout "renamed@$(printf '0x%x' $((address + 0x10000000)))" "$home/program"
    same ours expected
    printf '# in force\nlayout renamed %s\ncall-stack stack\n' "$address" >state
    run 0 "$anneal" translate -p data -o ours --state state "$home/program"
    same ours expected
    says 'on no call stack'
    echo 'layuot renamed' >state
    run 2 "$anneal" translate -p data -o ours --state state "$home/program"
    says "state:1: expected 'layout PATH"
    same ours expected
}

# What is pre-aggregated is translated as what was recorded.
counted() {
    local home=$scratch/fixed
    "$walk" -o data -b 31 -n 1000 "$home/program.c1" 2>/dev/null
    run 0 "$anneal" translate -q -p data -o expected --layout "$home/program.c1" "$home/program"
    run 0 "$anneal" aggregate -q -p data -o counted --to-pa "$home/program.c1"
    run 0 "$anneal" translate -p data -o recorded --layout "$home/program.c1" "$home/program"
    run 0 "$anneal" translate --pa -p counted -o ours --layout "$home/program.c1" "$home/program"
    same ours expected
}

refuses() {
    local home=$scratch/fixed
    "$walk" -o data -b 31 -n 200 "$home/program" 2>/dev/null
    echo before >ours
    cp ours expected
    run 1 "$anneal" translate -p data -o ours --layout "$home/program.c1" "$home/program.c2"
    says 'was made by llvm-bolt: it cannot be the original'
    run 1 "$anneal" translate -p data -o ours --layout "$home/program" "$home/program"
    says program
    cp "$home/program.c1" copy
    run 1 "$anneal" translate -p data -o ours --layout "$home/program.c1" --layout copy \
        "$home/program"
    says 'have code at the same addresses' 'must not overlap'
    run 1 "$anneal" translate -p data -o ours --layout "$home/../independent/program.c1" \
        "$home/program"
    says 'was not made from'
    run 1 "$anneal" translate -p /dev/null -o ours --layout "$home/program.c1" "$home/program"
    run 2 "$anneal" translate -p data "$home/program"
    says 'no output'
    run 2 "$anneal" translate -o ours "$home/program"
    says 'no recording'
    run 2 "$anneal" translate -p data -o ours
    says 'expected one binary'
    run 1 "$anneal" translate -p data -o ours "$home/program.fdata1"
    says 'not an ELF file'
    run 1 "$anneal" translate -p data -o ours /bin/true
    says '/bin/true: it is stripped'
    run 1 "$anneal" translate --to-pa -p data -o ours /bin/true
    says 'no process in the recording ran a file named true or one of its layouts'
    same ours expected
    run 0 "$anneal" translate -q -p data -o ours "$home/program"
    run 0 "$anneal" aggregate -q -p data -o expected "$home/program"
    expect "$(wc -l <ours)" "$(wc -l <expected)"
}

# shellcheck disable=SC2086
if have $tools; then
    prepare "$scratch/fixed" "${objects[0]}" -no-pie >"$scratch/log" 2>&1 || cat "$scratch/log"
    prepare "$scratch/independent" "${objects[1]}" -pie >"$scratch/log" 2>&1 || cat "$scratch/log"
fi
for kind in fixed independent; do
    check_with "$tools" "an optimised program, $kind" one_binary $kind
    check_with "$tools" "old and new code, $kind" mixture $kind
    check_with "$tools" "as Ocolos asks perf2bolt, $kind" as_in_ocolos $kind
    check_with "$tools" "three layouts deep, $kind" three_layouts $kind
    check_with "$tools" "into a layout's coordinates, $kind" by_way_of_the_peer $kind
done
check_with "$tools" 'where layouts lie' places
check_with "$tools" 'pre-aggregated' counted
check_with "$tools" 'refuses what does not belong together' refuses
if "$step_record" -o "$scratch/data" -n 1 -- true 2>/dev/null; then
    check_with "$tools" 'an optimised program that really runs' really_runs
else
    skip 'an optimised program that really runs' 'no process may be traced here (ptrace)'
fi
finish
