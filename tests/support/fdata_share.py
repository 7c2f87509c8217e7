#!/usr/bin/env python3
"""
fdata_share.py EXACT RECORDED

How much of an exact profile a recorded one of the same program has, both being fdata. Prints two
percentages:

    edges      of the exact profile's branch count, what lies on edges that the recording has
    functions  how much the functions' weights overlap: a function weighs what begins in it of all
               branches; the sum over all functions of the smaller one of its weights
"""
import collections
import sys


def edges_of(path):
    """Counts of branches by where they begin and end, unless one of these is in another file."""
    edges = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split(" ")
            if len(words) == 8 and words[0] == "1" and words[3] == "1":
                edges[words[1], words[2], words[4], words[5]] += int(words[7])
    return edges


def weights(edges, functions):
    sums = collections.Counter()
    for (function, _, _, _), count in edges.items():
        if function in functions:
            sums[function] += count
    total = sum(sums.values())
    return {function: count / total for function, count in sums.items()}


def main():
    exact, recorded = edges_of(sys.argv[1]), edges_of(sys.argv[2])
    met = sum(count for edge, count in exact.items() if edge in recorded)
    # llvm-bolt does not instrument all functions; these count for nothing.
    functions = {edge[0] for edge in exact}
    one, other = weights(exact, functions), weights(recorded, functions)
    overlap = sum(min(weight, other.get(function, 0)) for function, weight in one.items())
    print(f"edges {100 * met / sum(exact.values()):.1f}")
    print(f"functions {100 * overlap:.1f}")


main()
