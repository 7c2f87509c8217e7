#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Temporal traces on their way through anneal merge: which of them are kept, how long they are, and that
# llvm-profdata 19 and anneal read each other's. That the sample is fair is for tests/llvm/test_traces.c.
#
# usage: test_traces.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
llvm_profdata=llvm-profdata-19

# A program whose runs enter eight functions in an order that its argument gives, and 120 runs of it.
runs=$scratch/runs
cat >"$scratch/many.c" <<'END'
#include <stdlib.h>
static volatile int sum;
#define F(n) __attribute__((noinline)) void f##n(void) { sum += n; }
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
static void (*const functions[])(void) = {f0, f1, f2, f3, f4, f5, f6, f7};
int main(int count, char **words)
{
    unsigned state = count > 1 ? (unsigned)atoi(words[1]) * 2654435761u : 1;
    for (int i = 0; i < 12; i++, state = state * 1103515245u + 12345u)
        functions[state >> 16 & 7]();
    return 0;
}
END
runs() {
    clang-19 -O1 -fprofile-generate -mllvm -pgo-temporal-instrumentation -o many "$scratch/many.c"
    mkdir -p "$runs"
    local i
    for i in {100..219}; do
        LLVM_PROFILE_FILE=$runs/$i.profraw ./many "$i"
    done
}
check_with "clang-19 $llvm_profdata" 'temporal profiles are made' runs

# traces FILE: what llvm-profdata says of its traces
traces() {
    "$llvm_profdata" show --temporal-profile-traces "$1"
}

# kept FILE: how many traces it has
kept() {
    traces "$1" | grep -c '^ *Temporal Profile Trace [0-9]'
}

samples_as_llvm() {
    "$llvm_profdata" merge --num-threads=1 -o theirs "$runs"/*
    run 0 "$anneal" merge -q -j1 -o ours "$runs"/*
    same ours theirs
    expect "$(kept ours)" 100
    for threads in 2 3 8; do
        run 0 "$anneal" merge -q -j$threads -o again "$runs"/*
        same again ours
    done
}

has_both_spellings() {
    "$llvm_profdata" merge --num-threads=1 --temporal-profile-trace-reservoir-size=7 \
        --temporal-profile-max-trace-length=3 -o theirs "$runs"/*
    run 0 "$anneal" merge -q --temporal-profile-trace-reservoir-size=7 --temporal-profile-max-trace-length=3 \
        -o ours "$runs"/*
    same ours theirs
    run 0 "$anneal" merge -q --trace-reservoir-size=7 --max-trace-length=3 -o ours "$runs"/*
    same ours theirs
    run 0 "$anneal" llvm-profdata merge --temporal-profile-trace-reservoir-size=7 \
        --temporal-profile-max-trace-length=3 -o ours "$runs"/*
    same ours theirs
    expect "$(kept ours)" 7
}

draws_other_samples() {
    run 0 "$anneal" merge -q --trace-reservoir-size=10 -o first "$runs"/*
    run 0 "$anneal" merge -q --trace-reservoir-size=10 --trace-seed=12345 -o second "$runs"/*
    run 0 "$anneal" merge -q --trace-reservoir-size=10 --trace-seed=12345 -j5 -o third "$runs"/*
    same second third
    ! cmp -s first second || fail 'another seed drew the same sample'
    expect "$(kept second)" 10
    run 0 "$anneal" merge -q --trace-reservoir-size=200 -o first "$runs"/*
    run 0 "$anneal" merge -q --trace-reservoir-size=200 --trace-seed=9 -o second "$runs"/*
    same first second # there is nothing to draw
    run 2 "$anneal" merge --trace-seed=0 -o never "$runs"/*
    says 'a number of at least 1'
    run 2 "$anneal" merge --trace-seed=x -o never "$runs"/*
    says '--trace-seed'
}

# Pieces of pieces know how many runs they stand for, so the sample stays fair; here: that it stays whole.
merges_pieces() {
    run 0 "$anneal" merge -q --trace-reservoir-size=20 -o a "$runs"/1[0-4]*
    run 0 "$anneal" merge -q --trace-reservoir-size=20 -o b "$runs"/1[5-9]*
    run 0 "$anneal" merge -q --trace-reservoir-size=20 -o c "$runs"/2*
    run 0 "$anneal" merge -q --trace-reservoir-size=20 -o bc b c
    run 0 "$anneal" merge -q --trace-reservoir-size=20 -o all a bc
    expect "$(kept all)" 20
    expect "$(traces all | grep samples)" 'Temporal Profile Traces (samples=20 seen=120):'
}

both_ways() {
    run 0 "$anneal" merge -q --trace-reservoir-size=200 -o ours "$runs"/*
    "$llvm_profdata" merge --num-threads=1 --temporal-profile-trace-reservoir-size=200 -o theirs "$runs"/*
    traces ours >expected
    traces theirs >got
    same got expected
    run 0 "$anneal" llvm-profdata show --temporal-profile-traces theirs
    same out expected
    # as text, and back
    run 0 "$anneal" merge -q --text --trace-reservoir-size=200 -o ours.proftext ours
    "$llvm_profdata" merge --num-threads=1 --text --temporal-profile-trace-reservoir-size=200 -o theirs.proftext theirs
    same ours.proftext theirs.proftext
    run 0 "$anneal" merge -q --trace-reservoir-size=200 -o back ours.proftext
    traces back >got # the text has no binary ids, so the whole differs
    same got expected
}

check_with "$llvm_profdata" 'the sample is the one that llvm-profdata draws, on any number of threads' samples_as_llvm
check_with "$llvm_profdata" "size and length, with LLVM's spellings" has_both_spellings
check_with "$llvm_profdata" '--trace-seed draws another sample' draws_other_samples
check_with "$llvm_profdata" 'pieces of pieces' merges_pieces
check_with "$llvm_profdata" 'traces are read both ways, as text too' both_ways
finish
