#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# start_shares.py TRUTH SAMPLES WINDOW: which shares the branches of a loop have in windows of WINDOW
# branches that begin where perf's samples of the same loop lie.
#
# TRUTH is known_branches --truth for a loop in which every branch is taken once in a round. SAMPLES has
# an address in hexadecimal digits in each line (perf script -F ip). Prints TRUTH with those shares.
#
# A window that begins in front of a branch has this one and those that follow: each of them once for
# every whole round, and once more where a part of a round remains.
import bisect
import collections
import sys

truth, samples, window = sys.argv[1], sys.argv[2], int(sys.argv[3])
lines = [line.split() for line in open(truth)]
low, high = (int(text, 16) for text in lines[0][1:3])
edges = sorted((int(line[1], 16), int(line[2], 16), line) for line in lines[1:])
sources = [edge[0] for edge in edges]


def leaves_by(address):
    """The branch that is taken next behind an address."""
    return bisect.bisect_left(sources, address)


addresses = (int(line, 16) for line in open(samples))
starts = collections.Counter(leaves_by(address) for address in addresses if low <= address < high)
previous = {leaves_by(edge[1]): number for number, edge in enumerate(edges)}
assert len(previous) == len(edges), "not one loop"

print(*lines[0])
total = sum(starts.values())
rounds, rest = divmod(window, len(edges))
for number, (_, _, line) in enumerate(edges):
    ahead = 0
    at = number
    for _ in range(rest):
        ahead += starts[at]
        at = previous[at]
    share = (rounds + ahead / total) / window
    print(*line[:3], f"{share:.12f}", line[4])
