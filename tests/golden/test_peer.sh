#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Against the peers themselves, with profiles that are not in the corpus: merges of random values,
# samples of temporal traces, and the orders in which libstdc++ leaves and draws things.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

# random_profile SEED: a text profile with sites that have one value many times, as sites do that
# call functions which are not instrumented
random_profile() {
    awk -v seed="$1" '
        function below(n) { return int(rand() * n) }
        BEGIN {
            srand(seed)
            split("5 20 40 100 255 300", most)
            split("2 3 10 50", kinds)
            split("3 10 1000", counts)
            m = most[1 + int(seed / 10) % 6]
            k = kinds[1 + int(seed / 10) % 4]
            c = counts[1 + int(seed / 10) % 3]
            print ":ir"
            for (f = 0; f < 4; f++) {
                printf "f%d\n%d\n1\n%d\n2\n0\n2\n", f, f + 5, below(1000)
                for (s = 0; s < 2; s++) {
                    n = below(5) ? below(m + 1) : 0
                    print n
                    for (v = 0; v < n; v++)
                        printf "%s:%d\n", below(3) ? "t" below(k) : "** External Symbol **", 1 + below(c)
                }
                n = below(m + 1)
                printf "1\n1\n%d\n", n
                for (v = 0; v < n; v++)
                    printf "%d:%d\n", below(k), 1 + below(c)
            }
            for (t = 0; t < k; t++)
                printf "t%d\n1\n1\n1\n", t
        }'
}

merges_as_the_peer() {
    local i
    for i in 0 1 2 3 4; do
        random_profile "$1$i" >"$i.proftext"
    done
    set -- 0.proftext 1.proftext 2.proftext --weighted-input=3,3.proftext \
        --weighted-input=2,4.proftext
    run 0 llvm-profdata-19 merge --num-threads=1 -o expected "$@"
    run 0 "$anneal" llvm-profdata merge -o result "$@"
    same result expected
    run 0 llvm-profdata-19 merge --num-threads=1 --sparse --text -o expected "$@"
    run 0 "$anneal" llvm-profdata merge --sparse --text -o result "$@"
    same result expected
}

# A site of 200 values going up and beginning again, merged with one that has each of them once: to
# sort this, std::sort gives up quicksort, and which of two equal values is first decides the sum.
sorts_a_sawtooth_as_the_peer() {
    awk 'BEGIN {
        printf ":ir\nf\n1\n1\n1\n1\n1\n1\n200\n"
        for (i = 0; i < 200; i++)
            printf "%d:%d\n", i % 101, 1000 - i
    }' >sawtooth.proftext
    awk 'BEGIN {
        printf ":ir\nf\n1\n1\n1\n1\n1\n1\n101\n"
        for (i = 0; i < 101; i++)
            printf "%d:%d\n", i, 5000 + i
    }' >once.proftext
    run 0 llvm-profdata-19 merge --num-threads=1 -o expected sawtooth.proftext once.proftext
    run 0 "$anneal" llvm-profdata merge -o result sawtooth.proftext once.proftext
    same result expected
}

# traces NUMBER FIRST: a text profile with that many traces
traces() {
    awk -v number="$1" -v first="$2" 'BEGIN {
        printf ":ir\n:temporal_prof_traces\n%d\n%d\n", number, number
        for (t = 0; t < number; t++)
            printf "%d\nf%d,f%d,f%d\n", t % 3 + 1, (first + t) % 97, (first + t * 7) % 97, t % 5
        for (f = 0; f < 97; f++)
            printf "f%d\n1\n1\n1\n", f
    }'
}

samples_as_the_peer() {
    local reservoir=--temporal-profile-trace-reservoir-size=$1
    local length=--temporal-profile-max-trace-length=$2
    traces 30 1 >30.proftext
    traces 250 5 >250.proftext
    traces 1000 9 >1000.proftext
    traces 0 9 >0.proftext
    run 0 llvm-profdata-19 merge --num-threads=1 "$reservoir" "$length" -o sampled 1000.proftext
    run 0 "$anneal" llvm-profdata merge "$reservoir" "$length" -o result 1000.proftext
    same result sampled
    # a few with a sample, a sample with a few, a sample with another, all of them with a weight
    for inputs in '30.proftext sampled' 'sampled 30.proftext 250.proftext' \
        'sampled 1000.proftext sampled 0.proftext' '0.proftext 30.proftext' \
        '30.proftext --weighted-input=3,250.proftext --weighted-input=2,sampled'; do
        run 0 llvm-profdata-19 merge --num-threads=1 "$reservoir" "$length" -o expected $inputs
        run 0 "$anneal" llvm-profdata merge "$reservoir" "$length" -o result $inputs
        same result expected
    done
}

# The headers with the orders of libstdc++ are what the program beside them prints.
made_by_libstdcxx() {
    "$1" -Wall -o peer "$tests/llvm/peer.cpp"
    ./peer "$2" >header
    same header "$tests/llvm/peer_$2.h"
}

for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
    check_with llvm-profdata-19 "random values, seed $seed" merges_as_the_peer "$seed"
done
check_with llvm-profdata-19 'a sawtooth of values' sorts_a_sawtooth_as_the_peer
for size in 1 2 7 100 249 250 251 999 2000; do
    check_with llvm-profdata-19 "a reservoir of $size traces" samples_as_the_peer $size 10000
done
check_with llvm-profdata-19 'traces cut to two functions' samples_as_the_peer 50 2
for header in sort random; do
    check_with g++ "llvm/peer_$header.h is made by llvm/peer.cpp" made_by_libstdcxx g++ $header
done
finish
