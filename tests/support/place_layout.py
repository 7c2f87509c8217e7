#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where llvm-bolt puts its new code: behind the end of the last loadable segment.

    place_layout.py room ORIGINAL                  prints a distance at which layouts fit side by side
    place_layout.py place ORIGINAL ADDRESS COPY    a copy whose last segment reaches to the address
    place_layout.py check ORIGINAL LAYOUT...       fails when new segments of two layouts overlap

The copy is not meant to be run: only the size in memory of its last segment is another one.
"""
import struct
import sys

PT_LOAD = 1
ROOM = 0x10000000


def segments(image):
    """(offset of the program header, address, size in memory) of each loadable segment"""
    table, = struct.unpack_from("<Q", image, 32)
    size, number = struct.unpack_from("<HH", image, 54)
    for at in range(table, table + size * number, size):
        if struct.unpack_from("<I", image, at)[0] == PT_LOAD:
            address, = struct.unpack_from("<Q", image, at + 16)
            memory, = struct.unpack_from("<Q", image, at + 40)
            yield at, address, memory


def head(path):
    """As much of a file as holds its program headers; BOLT puts its own behind the old end."""
    with open(path, "rb") as file:
        start = file.read(64)
        table, = struct.unpack_from("<Q", start, 32)
        size, number = struct.unpack_from("<HH", start, 54)
        file.seek(table)
        return start, table, file.read(size * number)


def loaded(path):
    start, _, headers = head(path)
    size, number = struct.unpack_from("<HH", start, 54)
    for at in range(0, size * number, size):
        if struct.unpack_from("<I", headers, at)[0] == PT_LOAD:
            address, = struct.unpack_from("<Q", headers, at + 16)
            memory, = struct.unpack_from("<Q", headers, at + 40)
            yield address, memory


def place(original, address, copy):
    with open(original, "rb") as file:
        image = bytearray(file.read())
    at, start, memory = max(segments(image), key=lambda segment: segment[1])
    if start + memory > address:
        sys.exit(f"{original} ends at {start + memory:#x}, behind {address:#x}")
    struct.pack_into("<Q", image, at + 40, address - start)
    with open(copy, "wb") as file:
        file.write(image)


def check(original, layouts):
    end = max(address + memory for address, memory in loaded(original))
    taken = []
    for layout in layouts:
        new = [(a, a + m, layout) for a, m in loaded(layout) if a >= end]
        if not new:
            sys.exit(f"{layout} has no segment behind {end:#x}")
        taken += new
    taken.sort()
    for left, right in zip(taken, taken[1:]):
        if left[1] > right[0]:
            sys.exit(f"{left[2]} and {right[2]} overlap at {right[0]:#x}")


def main():
    command, *words = sys.argv[1:]
    if command == "room":
        end = max(address + memory for address, memory in loaded(words[0]))
        print((end + ROOM - 1) // ROOM * ROOM)
    elif command == "place":
        place(words[0], int(words[1], 0), words[2])
    elif command == "check":
        check(words[0], words[1:])
    else:
        sys.exit(f"unknown command {command}")


main()
