#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Whether a raw profile of version 11, of 64 bits and little-endian, has what text profiles of llvm-profdata have: counters,
# bitmaps, values. For machines without an llvm-profdata that reads that version.
#
# usage: raw_agrees.py PROFILE.profraw PROFILE.proftext...
import hashlib
import struct
import sys

PAIR = 16
WORDS = ("magic version ids records before counters after bitmap after_bitmap uniform after_uniform uniform_delta names "
         "counters_delta bitmap_delta names_delta vtables vtable_names last").split()


def hash_of(name):
    return int.from_bytes(hashlib.md5(name.encode()).digest()[:8], "little")


def padded(size):
    return -(-size // 8) * 8


def values_of(raw, at, kinds_of_sites):
    """The values of a function: {kind: [sites of {value: count}]}, and where they end."""
    result = {}
    size, kinds = struct.unpack_from("<II", raw, at)
    end, at = at + size, at + 8
    assert kinds == len(kinds_of_sites)
    for _ in range(kinds):
        kind, sites = struct.unpack_from("<II", raw, at)
        assert kinds_of_sites[kind] == sites
        counts = raw[at + 8:at + 8 + sites]
        at += padded(8 + sites)
        result[kind] = []
        for count in counts:
            result[kind].append(dict(struct.unpack_from("<QQ", raw, at + PAIR * i) for i in range(count)))
            at += PAIR * count
    assert at == end
    return result, end


def read_raw(path):
    raw = open(path, "rb").read()
    h = dict(zip(WORDS, struct.unpack_from("<19Q", raw)))
    assert h["magic"] == 0xff6c70726f667281 and h["version"] & 0xff == 11, "no raw profile of version 11"
    assert (h["uniform"], h["after_uniform"]) == (0, 0)
    data = 8 * len(WORDS) + h["ids"]
    counters = data + 72 * h["records"] + h["before"]
    bitmap = counters + 8 * h["counters"] + h["after"]
    values = bitmap + h["bitmap"] + h["after_bitmap"] + padded(h["names"]) + 24 * h["vtables"] + padded(h["vtable_names"])
    records, names = [], {}
    for i in range(h["records"]):
        fields = struct.unpack_from("<QQqqqQQI3HHI", raw, data + 72 * i)
        names[fields[5]] = fields[0]
        records.append(fields)
    functions = {}
    for i, (name, shape, to_counters, _, to_bitmap, _, _, number, *sites, wave, bytes_) in enumerate(records):
        assert wave == 0
        at = counters + to_counters - (h["counters_delta"] - (1 << 64) * (h["counters_delta"] >> 63)) + 72 * i
        bits = bitmap + to_bitmap - (h["bitmap_delta"] - (1 << 64) * (h["bitmap_delta"] >> 63)) + 72 * i
        seen = {}
        if any(sites):
            seen, values = values_of(raw, values, {kind: n for kind, n in enumerate(sites) if n})
            for site in seen.get(0, []):
                for value in list(site):
                    count = site.pop(value)
                    site[names.get(value, 0)] = site.get(names.get(value, 0), 0) + count
        functions[name, shape] = (list(struct.unpack_from(f"<{number}Q", raw, at)),
                                  list(raw[bits:bits + bytes_]) if bytes_ else [], seen)
    assert values == len(raw), "bytes behind the profile"
    return functions


def read_text(path):
    functions = {}
    lines = [line.strip() for line in open(path) if line.strip() and line[0] not in "#:"]
    lines.reverse()
    while lines:
        name, shape = hash_of(lines.pop()), int(lines.pop())
        counters = [int(lines.pop()) for _ in range(int(lines.pop()))]
        bitmap, values = [], {}
        if lines and lines[-1].startswith("$"):
            bitmap = [int(lines.pop(), 16) for _ in range(int(lines.pop()[1:]))]
        if lines and lines[-1].isdigit():
            for _ in range(int(lines.pop())):
                kind = int(lines.pop())
                values[kind] = []
                for _ in range(int(lines.pop())):
                    pairs = [lines.pop().rsplit(":", 1) for _ in range(int(lines.pop()))]
                    values[kind].append({hash_of(v) if kind == 0 else int(v): int(n) for v, n in pairs})
        functions[name, shape] = (counters, bitmap, values)
    return functions


found, expected = read_raw(sys.argv[1]), {}
for text in sys.argv[2:]:
    expected.update(read_text(text))
for key in sorted(set(found) | set(expected)):
    if found.get(key) != expected.get(key):
        print(f"{key[0]:016x} {key[1]}: {found.get(key)}, expected {expected.get(key)}")
sys.exit(found != expected)
