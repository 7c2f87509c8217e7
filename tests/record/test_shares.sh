#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The functions of a program have the same shares in recordings by anneal record as in those by
# perf record -e cpu-clock:u, of the same process, in turns, judged by support/shares_agree.py: a false alarm
# once in a million runs, a bias of 10 % missed once in a thousand. The judge itself is tested on made-up
# samples.
#
# The program computes and makes no system calls; what is behind system calls is in test_bias.sh.
#
# usage: test_shares.sh ANNEAL STEP_RECORD
#
# ROUNDS=N: so many (40). REPORT=FILE: the counts are added to it.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
step_record=$(realpath "$2")
judge=$tests/support/shares_agree.py
rounds=${ROUNDS:-40}

# ---- the judge ----

# made_up SEED BIAS SAMPLES: a table of 40 rounds of four functions, of which the one sampler sees "d" more often
made_up() {
    python3 - "$@" >table <<'END'
import collections, random, sys
seed, bias, samples = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
for number in range(40):
    drift = chance.uniform(-0.02, 0.02)  # what the machine does to both
    for source, factor in ("one", 1 + bias), ("other", 1):
        weights = [0.3 + drift, 0.25, 0.25, (0.2 - drift) * factor]
        for name, count in collections.Counter(chance.choices("abcd", weights, k=samples)).items():
            print(number, source, name, count)
END
}

# says_of STATUS TEXT: of the table
says_of() {
    run "$1" python3 "$judge" table
    prints "$2"
}

judges() {
    made_up 1 0 3000
    says_of 0 'the shares agree'
    made_up 2 0.1 3000
    says_of 1 'the shares differ'
    made_up 3 -0.1 3000
    says_of 1 'the shares differ'
    made_up 4 0 300
    says_of 3 'too few samples to tell'
    made_up 5 0.4 300 # which is seen all the same
    says_of 1 'the shares differ'
    grep '^[0-4] ' table >few
    mv few table
    says_of 3 'too few rounds'
}
check_with python3 'the judge finds a bias of 10 %, and says when it could not' judges

# Student's distribution is the one in tables; and of 400 made-up experiments without a bias, but with drift, t is
# beyond a limit as often as it should be.
is_students() {
    PYTHONPATH=$tests/support python3 - <<'END'
import collections, random, shares_agree
for chance, freedom, expected in (0.05, 10, 2.228), (0.01, 39, 2.708), (0.001, 30, 3.646), (0.01, 9, 3.250):
    assert abs(shares_agree.limit_of(chance, freedom) - expected) < 0.001, (chance, freedom)
chance, high, low = random.Random(7), 0, 0
for _ in range(400):
    rounds = []
    for _ in range(20):
        drift = chance.uniform(-0.05, 0.05)
        rounds.append([collections.Counter(chance.choices("ab", [0.5 + drift, 0.5 - drift], k=200)) for _ in "12"])
    t = float(shares_agree.judge(rounds)[1][1].split("t = ")[1].split(";")[0])
    high += abs(t) > shares_agree.limit_of(0.01, 19)
    low += abs(t) > shares_agree.limit_of(0.5, 19)
assert 1 <= high <= 12 and 170 <= low <= 230, (high, low)
END
}
check_with python3 'its t is distributed as it should be' is_students

# ---- recordings ----

tier long

# Four functions, a quarter of the time each, of some microseconds a call.
several() {
    cat >several.c <<'END'
#include <stdint.h>
static volatile uint32_t seed = 1;
#define WORK(name, rounds, step)                              \
    __attribute__((noinline)) static uint32_t name(uint32_t x) \
    {                                                         \
        for (unsigned i = 0; i < (rounds); i++)               \
            x = x & 64 ? (step) : x * 5 + i;                  \
        return x;                                             \
    }
WORK(first, 3900, x * 1103515245u + 12345)
WORK(second, 2300, (x ^ x >> 7) + 77)
WORK(third, 1250, x / 3 + 0x9e3779b9u)
WORK(fourth, 6200, x + (x << 9))
int main(void)
{
    uint32_t x = seed;
    for (;;)
        seed = x = fourth(third(second(first(x))));
}
END
    gcc -O1 -no-pie -fno-pie several.c -o several
    nm --defined-only several | awk '{ print $1, $3 }' | sort >symbols
}

# count ROUND SOURCE: of addresses, one a line, to the table
count() {
    python3 -c '
import bisect, collections, sys
symbols = [line.split() for line in open("symbols")]
starts = [int(symbol[0], 16) for symbol in symbols]
counts = collections.Counter()
for line in sys.stdin:
    place = bisect.bisect(starts, int(line, 16)) - 1
    counts[symbols[place][1] if place >= 0 else "outside"] += 1
for name, count in counts.items():
    print(sys.argv[1], sys.argv[2], name, count)' "$1" "$2" >>table
}

# The first branch of a window lies in the function that was interrupted: perf prints it last.
as_perf_has_it() {
    local round=0 looks status=3
    several
    start ./several
    for ((looks = 0; looks < 4 && status == 3; looks++)); do # a busy machine takes more rounds
        for ((; round < rounds * (looks + 1); round++)); do
            run 0 "$anneal" record -q -o data --method=emulate --overhead=90% --freq=100000 -w 4 -b 6000 \
                -p "$target"
            perf script -F brstack -i data 2>perf.err | awk 'NF { sub("/.*", "", $NF); print $NF }' | count $round one
            run 0 perf record -q -e cpu-clock:u -F 20000 -o looks -p "$target" -- sleep 1 # for so long
            perf script -F ip -i looks 2>perf.err | count $round other
        done
        status=0
        python3 "$judge" table >verdict || status=$?
    done
    stop
    cat table >>"${REPORT:-/dev/null}"
    had "$(awk '{ n[$2] += $4 } END { print n["one"], "windows,", n["other"], "samples of perf" }' table) in $round rounds"
    [ $status != 3 ] || judge_not "$(tail -n 1 verdict)"
    [ $status = 0 ] || fail "$(cat verdict)"
}

may_record "$step_record" gcc perf python3 nm
check 'functions have the shares that perf finds [false alarm: 1e-6]' as_perf_has_it
finish
