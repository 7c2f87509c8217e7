#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""memprof_raw_3.py FROM TO: a raw memory profile of version 4 as one of version 3, which LLVM before 19 wrote.

Version 3 has no fields for histograms of accesses, the last two of each measurement.
"""
import struct
import sys

HEADER = "<8sQQQQQ"
# The call stack; 25 fields, of which eight have 64 bits; and of version 4, a number and an address.
MEASURED_3 = 8 + 17 * 4 + 8 * 8
MEASURED_4 = MEASURED_3 + 4 + 8

with open(sys.argv[1], "rb") as file:
    old = file.read()
new = b""
while old:
    magic, version, size, segments, measured, stacks = struct.unpack_from(HEADER, old)
    assert version == 4
    (number,) = struct.unpack_from("<Q", old, measured)
    assert 0 <= stacks - (measured + 8 + number * MEASURED_4) < 8
    body = old[segments : measured + 8]
    for i in range(number):
        at = measured + 8 + i * MEASURED_4
        body += old[at : at + MEASURED_3]
    body += bytes(-len(body) % 8)
    stacks_3 = struct.calcsize(HEADER) + len(body)
    body += old[stacks:size]
    new += struct.pack(HEADER, magic, 3, struct.calcsize(HEADER) + len(body), segments, measured, stacks_3) + body
    old = old[size:]
with open(sys.argv[2], "wb") as file:
    file.write(new)
