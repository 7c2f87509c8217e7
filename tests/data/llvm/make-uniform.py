#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# make-uniform.py RAW SEED >OUTPUT
#
# Gives a raw profile (version 11, 64 bits, little-endian) uniform counters, which programs have only that run on an AMD GPU:
# between seven tenths and all of each count.
import struct
import sys

RECORD, HEADER = 72, 152
UNIFORM_BASE = 0x100000
MASK = (1 << 64) - 1

data = open(sys.argv[1], "rb").read()
seed = int(sys.argv[2])
words = list(struct.unpack("<19Q", data[:HEADER]))
assert words[1] & 0xffffffff == 11
ids, number, before, counters, after, bitmap, after_bitmap = words[2:9]
counters_delta = words[13]

at = HEADER + ids
records = bytearray(data[at:at + RECORD * number])
at += RECORD * number + before
counts = struct.unpack(f"<{counters}Q", data[at:at + 8 * counters])
at += 8 * counters + after + bitmap + after_bitmap

for i in range(number):
    place = RECORD * i + 16
    pointer = struct.unpack("<Q", records[place:place + 8])[0]
    offset = (pointer + RECORD * i - counters_delta) & MASK
    records[place + 8:place + 16] = struct.pack("<Q", (UNIFORM_BASE + offset - RECORD * i) & MASK)
uniform = [count * (70 + (13 * i + 7 * seed) % 31) // 100 for i, count in enumerate(counts)]

words[9:12] = counters, 0, UNIFORM_BASE
out = struct.pack("<19Q", *words) + data[HEADER:HEADER + ids] + records
sys.stdout.buffer.write(out + data[HEADER + ids + RECORD * number:at])
sys.stdout.buffer.write(struct.pack(f"<{counters}Q", *uniform) + data[at:])
