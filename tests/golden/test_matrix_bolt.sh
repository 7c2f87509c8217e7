#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Each llvm-bolt at hand: profiles of recordings are its perf2bolt's, merged as its merge-fdata merges them, and used by it
# with all counts; recordings of what it has optimized are translated as perf2bolt does.
#
# usage: test_matrix_bolt.sh ANNEAL [STEP_RECORD WALK]
#
# COMPILERS='llvm-bolt-23' takes only these.
# shellcheck source=tests/golden/matrix.sh
. "$(dirname "$0")/matrix.sh" "$@"

# bolt TOOL ARGUMENT...: of this release
bolt() {
    inside "/usr/lib/llvm-$release/bin/$1" "${@:2}"
}

# recorded: a program, and two recordings of it, pre-aggregated: one.pa and two.pa
recorded() {
    local unit
    for unit in left.c right.c shapes.c; do
        gcc -w -O2 -fno-pie -fno-reorder-blocks-and-partition -c "$tests/data/branch/programs/$unit"
    done
    g++ -w -O2 -fno-pie -fno-reorder-blocks-and-partition -c "$tests/data/branch/programs/throws.cc"
    g++ -no-pie -Wl,-q -Wl,--build-id ./*.o -o program
    walked program
}

# walked PROGRAM
walked() {
    run 0 "$walk" -o one.data -n 2000 --gap 60 "$1"
    run 0 "$walk" -o two.data -n 1000 --gap 60 --seed 2 "$1"
    run 0 "$anneal" aggregate -q --to-pa -p one.data -o one.pa "$1"
    run 0 "$anneal" aggregate -q --to-pa -p two.data -o two.pa "$1"
}

# aggregated PROGRAM: one.theirs and so on, by perf2bolt, are the same as one.ours
aggregated() {
    local which
    for which in one two; do
        run 0 bolt perf2bolt -pa -p $which.pa -o $which.fdata "$1"
        sort $which.fdata >$which.theirs
        run 0 "$anneal" perf2bolt -pa -p $which.pa -o ours "$1"
        sort ours >$which.ours
        same $which.ours $which.theirs
        [ "$(wc -l <ours)" -ge 100 ] || fail "only $(wc -l <ours) records"
        # Of the recording itself.
        run 0 "$anneal" aggregate -q -p $which.data -o ours "$1"
        sort ours >ours.sorted
        same ours.sorted $which.theirs
    done
}

bolt_read() {
    recorded
    aggregated program
    run 0 "$anneal" show --json one.fdata
}

bolt_merges() {
    recorded
    aggregated program
    bolt merge-fdata one.fdata two.fdata 2>err | sort >theirs
    # Of a branch that one recording has with other mispredictions than the other, merge-fdata up to 19 has two lines.
    if [ "$release" -le 19 ]; then
        run 0 "$anneal" merge-fdata -o ours one.fdata two.fdata
    else
        run 0 "$anneal" merge -q -o ours one.fdata two.fdata
    fi
    sort ours >ours.sorted
    same ours.sorted theirs
    [ "$(wc -l <theirs)" -ge 100 ] || fail "only $(wc -l <theirs) records"
}

# optimized PROFILE OUTPUT OPTION...: by llvm-bolt, from and to the same names, which are in what it writes; its account of
# the profile is in OUTPUT.account
optimized() {
    cp "$1" profile
    run 0 bolt llvm-bolt program -o bolted -data=profile -reorder-blocks=ext-tsp -split-functions \
        -reorder-functions=cdsort "${@:3}"
    found -aE '[1-9][0-9]* out of [0-9]+ functions in the binary .* have non-empty' <out || fail "$(cat out err)"
    ! found -aiE 'mismatch|stale|unsupported' <out || fail "$(cat out)"
    mv bolted "$2"
    grep -a profile out >"$2.account"
}

# same_optimized OURS THEIRS: what llvm-bolt makes with these
same_optimized() {
    optimized "$1" ours.bolt
    optimized "$2" theirs.bolt
    same ours.bolt.account theirs.bolt.account
    same ours.bolt theirs.bolt
}

bolt_uses() {
    recorded
    aggregated program
    run 0 "$anneal" aggregate -q -p one.data -o ours program
    same_optimized ours one.fdata
    bolt merge-fdata one.fdata two.fdata >theirs 2>err || fail "$(cat err)"
    run 0 "$anneal" merge -q -o ours one.fdata two.fdata
    same_optimized ours theirs
}

# A recording of the optimized program, for the original.
bolt_translates() {
    recorded
    aggregated program
    optimized one.fdata moved -enable-bat
    run 0 "$anneal" bat moved
    walked moved
    aggregated moved
}

walk=${3:+$(realpath "$3")}
for release in $(releases llvm-bolt 19 21 22 23); do
    compiler "llvm-bolt-$release" "/usr/lib/llvm-$release/bin/perf2bolt" "/usr/lib/llvm-$release/bin/merge-fdata"
    if [ -z "$walk" ]; then
        place=
        why='only programs for x86-64 are recorded'
    fi
    cell 'read' bolt_read
    cell 'merged' bolt_merges
    cell 'used' bolt_uses
    if [ "$release" -le 19 ]; then
        cell 'address translation' bolt_translates
    elif [ "$place" ]; then
        skip "$name: address translation" 'perf2bolt 21 and later count other runs in programs by llvm-bolt: docs/reference/drop-in.md'
    fi
done
finish
