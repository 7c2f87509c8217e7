#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Recordings made of exact counts: those that llvm-bolt's own instrumentation takes. anneal and
# perf2bolt make the same of them, and llvm-bolt the same program of both.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
llvm=/usr/lib/llvm-19/bin
tools="gcc python3 nm readelf $llvm/llvm-bolt $llvm/perf2bolt"

cat >"$scratch/program.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

__attribute__((noinline)) static unsigned step(unsigned x, int kind)
{
    switch (kind) {
    case 0: return x + 1;
    case 1: return x * 7 + 3;
    case 2: return x ^ x >> 5;
    case 3: return x / 3;
    case 4: return x % 1000 + 17;
    case 5: return x << 2 | 1;
    default: return ~x;
    }
}

int main(void)
{
    static char texts[2000][16];
    static char *sorted[2000];
    unsigned x = 12345, found = 0;
    for (int i = 0; i < 2000; i++) {
        for (int k = 0; k < 12; k++)
            x = step(x, (int)(x >> 3) % 8);
        snprintf(texts[i], sizeof texts[i], "%x", x);
        sorted[i] = texts[i];
    }
    qsort(sorted, 2000, sizeof *sorted, compare);
    for (int i = 1; i < 2000; i++)
        found += strncmp(sorted[i], sorted[i - 1], 4) == 0;
    printf("%u %s\n", found, sorted[1000]);
}
END

counts() {
    gcc -O2 -fno-pie -no-pie -fno-reorder-blocks-and-partition -Wl,-q "$scratch/program.c" -o program
    run 0 "$llvm/llvm-bolt" program -instrument -instrumentation-file="$PWD/counts.fdata" \
        -o instrumented
    ./program >expected
    ./instrumented >actual
    same actual expected
    [ "$(wc -l <counts.fdata)" -gt 15 ] || fail "$(cat counts.fdata)"
    python3 "$tests/support/counts_to_perf.py" program counts.fdata 3000 data
}

same_records() {
    counts
    run 0 "$llvm/perf2bolt" -p data -o peer program
    grep -q 'mismatching disassembled function contents: 0' out
    grep -E ': read|mismatching|out of range' out >peer.lines
    run 0 "$anneal" perf2bolt -p data -o ours program
    grep -E ': read|mismatching|out of range' out >ours.lines
    same ours.lines peer.lines
    [ "$(wc -l <ours)" -gt 5 ] || fail "$(cat ours)"
    sort ours >actual
    sort peer >expected
    same actual expected
    # the name of the profile is in the program that llvm-bolt makes of it
    for profile in ours peer; do
        cp $profile profile.fdata
        run 0 "$llvm/llvm-bolt" program -o optimised -data=profile.fdata \
            -reorder-blocks=ext-tsp -reorder-functions=cdsort -split-functions
        mv optimised optimised.$profile
    done
    same optimised.ours optimised.peer
    ./optimised.ours >actual
    ./program >expected
    same actual expected
}

check_with "$tools" 'counts of an instrumented program, as a recording' same_records
finish
