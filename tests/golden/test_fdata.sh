#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# BOLT's text profiles, against merge-fdata and llvm-bolt: the personality writes the very lines that
# the peer writes, 'anneal merge' the sums, and llvm-bolt reads both.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

profiles=$tests/data/branch/fdata
lbr=("$profiles"/instrumented-[123].fdata "$profiles"/branches-[12].fdata)
peer19=/usr/lib/llvm-19/bin/merge-fdata
bolt=/usr/lib/llvm-19/bin

# sums FILE...: what 'anneal merge' has to make of branch profiles, by awk
sums() {
    awk '{ key = $1; for (i = 2; i < NF - 1; i++) key = key " " $i
           mispreds[key] += $(NF - 1); counts[key] += $NF }
         END { for (key in counts) printf "%s %d %d\n", key, mispreds[key], counts[key] }' "$@" | sort
}

# as_the_peer PEER FILE...
as_the_peer() {
    local peer=$1
    shift
    "$peer" -o peer "$@" 2>peer-says
    run 0 "$anneal" merge-fdata -o ours "$@"
    sort ours >ours.sorted
    sort peer >peer.sorted
    same ours.sorted peer.sorted
    grep -v '^Merging data from' peer-says >expected # version 16 has a line for each input
    same err expected
}

# random_profile SEED >FILE: few names and offsets, so that profiles overlap
random_profile() {
    awk -v SEED="$1" 'BEGIN {
        srand(SEED)
        names = split("main;step/1;step.cold/1;_ZN1aC2Ev/2(*1);operator\\ new;a\\\\b;x", name, ";")
        for (i = 0; i < 400; i++) {
            from = name[1 + int(rand() * names)]; to = name[1 + int(rand() * names)]
            kind = rand() < 0.1 ? "0 [unknown] 0" : sprintf("%d %s %x", 1 + (rand() < 0.1), from, rand() * 40)
            if (rand() < 0.1)
                printf "4 %s %x %d %s %x %d\n", from, rand() * 9, 3 + 2 * (rand() < 0.5), to, rand() * 9, rand() * 1000
            else
                printf "%s %d %s %x %d %d\n", kind, rand() * 3, to, rand() < 0.5 ? 0 : rand() * 40, rand() < 0.5 ? 0 : rand() * 4, rand() * 2 ^ (1 + rand() * 50)
        }
    }'
}

random_merges() {
    local seed
    for seed in 1 2 3 4 5 6 7 8; do
        mkdir "r$seed"
        for i in 1 2 3 4 5; do
            random_profile "$seed$i" >"r$seed/$i.fdata"
        done
        as_the_peer "$1" "r$seed"/*.fdata
    done
}

random_sums() {
    local seed
    for seed in 1 2 3 4 5 6; do
        random_profile "$seed" | grep '^[012]' | awk '{ $NF = $NF % 100000; print }' >"$seed.fdata"
    done
    run 0 "$anneal" merge -q -o ours ./*.fdata
    sort ours >ours.sorted
    # awk takes a blank in a name for a separator; what it puts together is the same
    sums ./*.fdata >expected
    same ours.sorted expected
    run 0 "$anneal" merge -q -j 4 -o again 6.fdata 2.fdata 4.fdata 1.fdata 3.fdata 5.fdata
    same again ours
}

real_sums() {
    run 0 "$anneal" merge -q -o ours "${lbr[@]}"
    sort ours >ours.sorted
    sums "${lbr[@]}" >expected
    same ours.sorted expected
}

weighted() {
    run 0 "$anneal" merge -q -o ours -w 3,"${lbr[3]}" "${lbr[4]}"
    sort ours >ours.sorted
    sums "${lbr[3]}" "${lbr[3]}" "${lbr[3]}" "${lbr[4]}" >expected
    same ours.sorted expected
}

# When no line has mispredictions, both rules say the same.
without_mispredictions() {
    "$peer19" -o peer "${lbr[@]:0:3}" 2>/dev/null
    run 0 "$anneal" merge -q -o ours "${lbr[@]:0:3}"
    sort peer >peer.sorted
    sort ours >ours.sorted
    same ours.sorted peer.sorted
}

lists_and_folders() {
    mkdir -p in/deep
    cp "${lbr[0]}" in/a
    cp "${lbr[1]}" in/deep/b.fdata
    as_the_peer "$peer19" "${lbr[0]},${lbr[1]}" "${lbr[2]}"
    as_the_peer "$peer19" in "${lbr[2]}"
    "$peer19" "${lbr[@]}" 2>/dev/null | sort >peer.sorted
    run 0 "$anneal" merge-fdata -q --print=exec "${lbr[@]}"
    sort out >ours.sorted
    same ours.sorted peer.sorted
    ln -s "$anneal" merge-fdata-19
    run 0 ./merge-fdata-19 -o=linked "${lbr[@]}"
    sort linked >ours.sorted
    same ours.sorted peer.sorted
}

both_refuse() {
    printf 'a line\n' >bad
    printf -- '---\nheader:\n' >profile.yaml
    local refused
    for refused in bad "${lbr[0]} bad" "${lbr[0]} profile.yaml" "${lbr[0]} $profiles/bolted.fdata" \
        no-such-file --no-such-option; do
        # shellcheck disable=SC2086
        run 1 "$peer19" -o peer $refused
        # shellcheck disable=SC2086
        run 1 "$anneal" merge-fdata -o ours $refused
        [ ! -e ours ]
    done
    run 1 "$anneal" merge-fdata "${lbr[0]}" profile.yaml
    says "'profile.yaml': cannot mix YAML and legacy formats."
    run 1 "$anneal" merge-fdata
    says 'Must specify at least 1 positional argument'
    run 1 "$anneal" merge-fdata -print=all "${lbr[0]}"
    says "for the --print option: Cannot find option named 'all'!"
}

# The peer takes a header for a line and fails.
only_anneal_merges_samples() {
    run 1 "$peer19" "$profiles/samples.fdata" "$profiles/samples.fdata"
    run 0 "$anneal" merge -q -o ours "$profiles/samples.fdata" "$profiles/samples.fdata"
    awk 'NR > 1 { print $1, $2, $3, 2 * $4 }' "$profiles/samples.fdata" | sort >expected
    sed 1d ours | sort >ours.sorted
    same ours.sorted expected
    expect "$(head -n 1 ours)" "$(head -n 1 "$profiles/samples.fdata")"
    run 0 "$anneal" merge-fdata -o personality "$profiles/samples.fdata" "$profiles/samples.fdata"
    same personality ours
}

# What anneal wrote, llvm-bolt reads, and it finds as much in it as in what the peer wrote.
llvm_bolt_reads_it() {
    cat >program.c <<'END'
#include <stdlib.h>
static __attribute__((noinline)) int odd(int n) { return n & 1 ? n * 3 : n / 2; }
int main(int argc, char **argv)
{
    int sum = argc;
    for (int i = 0; i < 1000; i++)
        sum += odd(i + sum);
    return sum == 7;
}
END
    gcc -O1 -no-pie -Wl,-q -o program program.c
    "$bolt/llvm-bolt" program -o instrumented -instrument \
        -instrumentation-file="$PWD/one.fdata" >log 2>&1
    ./instrumented
    cp one.fdata two.fdata
    "$peer19" -o peer.fdata one.fdata two.fdata 2>/dev/null
    run 0 "$anneal" merge -q -o ours.fdata one.fdata two.fdata
    local data
    for data in ours peer; do # the command line becomes part of the program
        cp "$data.fdata" merged.fdata
        "$bolt/llvm-bolt" program -o optimized -data=merged.fdata -reorder-blocks=ext-tsp \
            >"$data.log" 2>&1
        mv optimized "program.$data"
        grep -E 'non-empty execution profile|profile for' "$data.log" >"$data.says"
    done
    same ours.says peer.says
    same program.ours program.peer
}

# A boltedcollection profile with samples: perf2bolt writes the headers in an order in which
# llvm-bolt does not read them; anneal takes both and writes the one that is read.
both_headers() {
    printf 'boltedcollection\nno_lbr cycles:u:\n1 main 4 10\n' >by-perf2bolt
    printf 'no_lbr cycles:u: instructions:u:\nboltedcollection\n1 main 4 5\n' >by-hand
    run 0 "$anneal" merge -q -o ours by-perf2bolt by-hand
    printf 'no_lbr cycles:u: instructions:u:\nboltedcollection\n1 main 4 15\n' >expected
    same ours expected
}

for version in 16 19; do
    peer=/usr/lib/llvm-$version/bin/merge-fdata
    check_with $peer "the lines of merge-fdata $version" as_the_peer $peer "${lbr[@]}"
    check_with $peer "of one profile, with merge-fdata $version" as_the_peer $peer "${lbr[0]}"
    check_with $peer "of bolted profiles, with merge-fdata $version" \
        as_the_peer $peer "$profiles/bolted.fdata" "$profiles/bolted.fdata"
    check_with "$peer awk" "of random profiles, with merge-fdata $version" random_merges $peer
done
check_with awk 'sums of real profiles' real_sums
check_with awk 'sums of random profiles, whatever the order and the threads' random_sums
check_with awk 'weights' weighted
check_with "$peer19" 'no difference without mispredictions' without_mispredictions
check_with "$peer19" 'lists with commas, folders, options, a link' lists_and_folders
check_with "$peer19" 'what both refuse' both_refuse
check_with "$peer19" 'samples, which the peer cannot merge' only_anneal_merges_samples
check_with "gcc $bolt/llvm-bolt $peer19" 'llvm-bolt reads the result' llvm_bolt_reads_it
check 'both headers' both_headers
finish
