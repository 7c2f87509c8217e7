"""Counts of runs that were made up, for a machine that is not there: random walks through a gcno of GCC 4.8 to 7.

usage: walk_gcno.py GCNO GCDA SEED PROGRAMS

Each function is walked through some times, from its entry to its exit. PROGRAMS is how many summaries the file has. GCC's
own tools judge the result: they find counts of all arcs, and none below 0, or they do not.
"""

import random
import struct
import sys

FUNCTION, ARCS, COUNTS, PROGRAM = 0x01000000, 0x01430000, 0x01A10000, 0xA3000000
ON_TREE, FAKE = 1, 2
ENTRY, EXIT = 0, 1
MOST_STEPS = 400


def read(path):
    data = open(path, "rb").read()
    words = struct.unpack("<%dI" % (len(data) // 4), data)
    functions, at = [], 3
    while at + 1 < len(words) and words[at]:
        tag, length = words[at], words[at + 1]
        body = words[at + 2 : at + 2 + length]
        at += 2 + length
        if tag == FUNCTION:
            functions.append({"head": body[:3], "arcs": []})
        elif tag == ARCS:
            arcs = [[body[0], body[i], body[i + 1], 0] for i in range(1, length, 2)]
            functions[-1]["arcs"] += arcs
    return words[1], words[2], functions


def walk(arcs):
    """Ways by which calls do not return are rare."""
    ways = {}
    for arc in arcs:
        ways.setdefault(arc[0], []).append(arc)
    block, path = ENTRY, []
    while block != EXIT and block in ways and len(path) < MOST_STEPS:
        usual = [arc for arc in ways[block] if not arc[2] & FAKE]
        rare = not usual or random.random() < 0.02
        path.append(random.choice(ways[block] if rare else usual))
        block = path[-1][1]
    if block == EXIT:
        for arc in path:
            arc[3] += 1


def record(tag, *words):
    return struct.pack("<%dI" % (2 + len(words)), tag, len(words), *words)


def main(source, result, seed, programs):
    random.seed(int(seed))
    version, stamp, functions = read(source)
    file = struct.pack("<4s2I", b"adcg", version, stamp)
    for function in functions:
        for _ in range(random.choice([0, 1, 1, 3, 7])):
            walk(function["arcs"])
    for program in range(int(programs)):
        # checksum, counters, runs, sum, greatest, sum of these (64 bits each), an empty histogram
        file += record(PROGRAM, 77 + program, 1, 2 + program, 9, 0, 9, 0, 9, 0, *[0] * 8)
    for function in functions:
        counts = [arc[3] for arc in function["arcs"] if not arc[2] & ON_TREE]
        file += record(FUNCTION, *function["head"])
        file += record(COUNTS, *[word for count in counts for word in (count, 0)])
    with open(result, "wb") as out:
        out.write(file + bytes(4))


main(*sys.argv[1:])
