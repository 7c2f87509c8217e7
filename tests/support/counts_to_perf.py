#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a perf.data out of counts: those of a program that llvm-bolt instrumented.

    counts_to_perf.py PROGRAM FDATA SAMPLES OUTPUT

Each sample is a chain of up to 31 of the branches in FDATA, chosen as often as they were counted:
behind a branch comes the nearest one in the function it leads to, as execution would run on to it.
PROGRAM must have fixed addresses. The layout is that of tests/support/perf_write.c.
"""
import bisect
import os
import random
import struct
import subprocess
import sys

program, fdata, samples, output = sys.argv[1:]
random.seed(1)

# Addresses of functions: local ones are name/1, name/2... in the order of their addresses.
address, size, numbers = {}, {}, {}
table = subprocess.run(["nm", "-n", "-S", "--defined-only", program], check=True,
                       capture_output=True, text=True).stdout
for line in table.splitlines():
    fields = line.split()
    if len(fields) != 4:
        continue
    where, length, kind, name = int(fields[0], 16), int(fields[1], 16), fields[2], fields[3]
    if kind in "td":
        numbers[name] = numbers.get(name, 0) + 1
        name = f"{name}/{numbers[name]}"
    address.setdefault(name, where)
    size.setdefault(name, length)

branches, weights, by_function = [], [], {}
with open(fdata, encoding="utf-8") as lines:
    for line in lines:
        fields = line.split()
        if len(fields) != 8 or fields[0] != "1" or fields[3] != "1":
            continue
        if fields[1] not in address or fields[4] not in address or int(fields[7]) == 0:
            continue
        source = address[fields[1]] + int(fields[2], 16)
        target = address[fields[4]] + int(fields[5], 16)
        branches.append((source, target, fields[4]))
        weights.append(int(fields[7]))
        by_function.setdefault(fields[1], []).append((source, target, fields[4], int(fields[7])))
for known in by_function.values():
    known.sort()


def behind(branch):
    """A branch at the nearest source at or behind where the given one leads, or None."""
    known = by_function.get(branch[2], [])
    first = bisect.bisect_left(known, (branch[1],))
    same = [other for other in known[first:] if other[0] == known[first][0]]
    return random.choices(same, [other[3] for other in same])[0][:3] if same else None


def string(text):
    data = text.encode() + b"\0"
    return data + b"\0" * (-len(data) % 8)


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


pid, name = 4711, os.path.realpath(program)
trailer = struct.pack("<IIQ", pid, pid, 0)
data = record(3, 1 << 13, struct.pack("<II", pid, pid) + string(os.path.basename(name)) + trailer)
headers = subprocess.run(["readelf", "-lW", program], check=True, capture_output=True,
                         text=True).stdout
for line in headers.splitlines():
    fields = line.split()
    if fields[:1] == ["LOAD"] and "E" in fields[6:8]:
        offset, start, length = (int(field, 16) for field in (fields[1], fields[2], fields[4]))
        body = struct.pack("<IIQQQIIQQII", pid, pid, start & ~4095, (length + 4095) & ~4095,
                           offset & ~4095, 8, 1, 1, 0, 5, 2)
        data += record(10, 2, body + string(name) + trailer)
chunks = [data]
for number in range(int(samples)):
    chain = [random.choices(branches, weights)[0]]
    while len(chain) < 31 and (following := behind(chain[-1])):
        chain.append(following)
    chain.reverse()
    body = struct.pack("<QIIQQQ", chain[0][1], pid, pid, 1000 + number, 1000, len(chain))
    for source, target, _ in chain:
        body += struct.pack("<QQQ", source, target, 1 if random.random() < 0.05 else 2)
    chunks.append(record(9, 2, body))
data = b"".join(chunks)

IP, TID, TIME, PERIOD, BRANCH_STACK = 1, 2, 4, 256, 2048
attr = struct.pack("<IIQQQQQ", 0, 128, 0, 1000, IP | TID | TIME | PERIOD | BRANCH_STACK, 0,
                   1 << 5 | 1 << 8 | 1 << 13 | 1 << 18 | 1 << 23)
attr += struct.pack("<IIQQQ", 0, 0, 0, 0, 1 << 0 | 1 << 3)
attr = attr.ljust(128, b"\0") + struct.pack("<QQ", 0, 0)
head = struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, len(attr), 104, len(attr), 104 + len(attr),
                   len(data), 0, 0)
with open(output, "wb") as file:
    file.write(head.ljust(104, b"\0") + attr + data)
