#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Which runs llvm-profdata 22 keeps the traces of, when there are more than the reservoir holds.
#
# Version: llvm-22 1:22.1.8-1~deb12u1, beside llvm-19 1:19.1.7-3~deb12u1.
# Likely guess: "reservoir" means what it means in statistics: of 200 runs, each has the same chance to be among the 100 whose
# traces a merge keeps (--temporal-profile-trace-reservoir-size), and so the order of functions is made of all that was trained.
# Behaviour: so does 19. With 22, of inputs that have one trace each, as raw profiles do, the first ones stay, and none of the later
# ones ever takes a place, though the stream's size counts them. (Traces that come in one input together are drawn.) With more
# than one thread it is some of the inputs of each thread.
# What to do: give 22 the runs in random order (shuf), or a reservoir that holds all of them.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
unpack llvm-22=1:22.1.8-1~deb12u1 libllvm22=1:22.1.8-1~deb12u1 llvm-19=1:19.1.7-3~deb12u1 libllvm19=1:19.1.7-3~deb12u1

# 60 runs, each of which enters one function
inputs=()
for run in {10..69}; do
    {
        printf ':ir\n:temporal_prof_traces\n# Number of traces:\n1\n# Size of the stream:\n1\n# Weight:\n1\nrun%d\n\n' "$run"
        printf 'run%d\n# Hash:\n1\n# Number of counters:\n1\n# Counters:\n1\n' "$run"
    } >"$run.proftext"
    inputs+=("$run.proftext")
done

# kept VERSION: the runs whose traces a reservoir of ten has in the end, in order
kept() {
    "$root/usr/lib/llvm-$1/bin/llvm-profdata" merge --num-threads=1 --temporal-profile-trace-reservoir-size=10 \
        "${inputs[@]}" --text -o merged || exit 2
    sed -n '/Stream Size/,/^$/ s/^run\([0-9]*\),.*/\1/p' merged | sort | paste -sd ' '
}
first='10 11 12 13 14 15 16 17 18 19'
seen 'llvm-profdata 22 keeps' "$first" "$(kept 22)"
sampled=$(kept 19)
echo "llvm-profdata 19 keeps: $sampled"
seen 'those are the first ones' no "$([ "$sampled" = "$first" ] && echo yes || echo no)"
end
