"""Inputs that ask for as much work as they can, in sizes to compare.

    hostile.py SHAPE NUMBER FILE

What work a reader does may grow with the input, but not with its square. So each shape has NUMBER of
two things, or one that is NUMBER long and NUMBER that refer to it.
"""
import hashlib
import struct
import sys
import zlib

# ---- ELF ----

SYMTAB, STRTAB, RELA, PROGBITS = 2, 3, 4, 1
CODE = 0x401000


def elf(sections, code_size=4096, code=None, loaded=0):
    """sections: (name, type, flags, address, contents, link, entry size); .text comes first, and so many
    bytes behind it are loaded with it."""
    names, places = b"\0", []
    code = code or b"\xc3" * code_size
    code_size = len(code) + loaded
    sections = [(".text", PROGBITS, 6, CODE, code, 0, 0)] + sections
    sections += [(".shstrtab", STRTAB, 0, 0, None, 0, 0)]
    for section in sections:
        places.append(len(names))
        names += section[0].encode() + b"\0"
    body, headers = b"", bytes(64)
    for section, place in zip(sections, places):
        name, kind, flags, address, contents, link, entry = section
        contents = names if contents is None else contents
        headers += struct.pack("<IIQQQQIIQQ", place, kind, flags, address, 0x1000 + len(body),
                               len(contents), link, 1, 1, entry)
        body += contents + bytes(-len(contents) % 16)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0x1000, CODE, CODE, code_size, code_size, 4096)
    head = struct.pack("<4sBBBB8xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 2, 62, 1, CODE, 64,
                       0x1000 + len(body), 0, 64, 56, 1, 64, len(sections) + 1, len(sections))
    return (head + segment).ljust(0x1000, b"\0") + body + headers


def symbols(entries, strings, more=(), code_size=4096):
    """entries: (name's place, type, binding, address, size)"""
    table = bytes(24)
    for name, kind, binding, address, size in entries:
        section = 0xfff1 if kind == 4 else 1
        table += struct.pack("<IBBHQQ", name, binding << 4 | kind, 0, section, address, size)
    return elf([(".symtab", SYMTAB, 0, 0, table, 3, 24), (".strtab", STRTAB, 0, 0, strings, 0, 0)]
               + list(more), code_size=code_size)


def elf_names(number):
    """Symbols whose names are the ends of one."""
    strings = b"\0" + b"a" * (20 * number) + b"\0"
    return symbols([(1 + i, 2, 1, CODE + i, 1) for i in range(number)], strings,
                   code_size=number + 16)


def elf_sources(number):
    """Local functions of a source file with a long name."""
    strings = b"\0f\0" + b"a" * (20 * number) + b"\0"
    return symbols([(3, 4, 0, 0, 0)] + [(1, 2, 0, CODE + i, 1) for i in range(number)], strings,
                   code_size=number + 16)


def elf_shared_names(number):
    """The same in bounds: a long name for some, a short one for many."""
    strings = b"\0f\0" + b"a" * 200 + b"\0"
    return symbols([(3, 4, 0, 0, 0)] + [(1, 2, 0, CODE + i, 1) for i in range(number)], strings,
                   code_size=number + 16)


def elf_fragments(number):
    """Parts of functions that all have one name, in files of which none has both."""
    strings = b"\0f\0f.cold\0s\0"
    parents = [(1, 2, 0, CODE + i, 1) for i in range(number)]
    parts = [(3, 2, 0, CODE + number + i, 1) for i in range(number)]
    return symbols([(10, 4, 0, 0, 0)] + parents + [(10, 4, 0, 0, 0)] + parts, strings,
                   code_size=2 * number + 16)


def elf_section_names(number):
    """Names of sections that begin in a string without an end."""
    names = b"\0" + b"a" * (64 * number)
    headers = bytes(64)
    for i in range(number):
        headers += struct.pack("<IIQQQQIIQQ", 1 + i, 1, 0, 0, 64, 0, 0, 0, 1, 0)
    headers += struct.pack("<IIQQQQIIQQ", 1, STRTAB, 0, 0, 64, len(names), 0, 0, 1, 0)
    head = struct.pack("<4sBBBB8xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 2, 62, 1, CODE, 0,
                       64 + len(names), 0, 64, 56, 0, 64, number + 2, number + 1)
    return head + names + headers


def elf_overlaps(number):
    """Sections that all are the same bytes of the file, each with a function."""
    size = 64 * number
    headers = bytes(64)
    table = bytes(24)
    names = b"\0.text\0"
    for i in range(number):
        address = CODE + i * size
        headers += struct.pack("<IIQQQQIIQQ", 1, PROGBITS, 6, address, 64, size, 0, 0, 1, 0)
        table += struct.pack("<IBBHQQ", 1, 2, 0, i + 1, address, size)
    code = b"\x90" * size
    headers += struct.pack("<IIQQQQIIQQ", 1, SYMTAB, 0, 0, 64 + size, len(table), number + 2, 1, 8, 24)
    headers += struct.pack("<IIQQQQIIQQ", 1, STRTAB, 0, 0, 64 + size + len(table), len(names), 0, 0, 1, 0)
    body = code + table + names
    head = struct.pack("<4sBBBB8xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 2, 62, 1, CODE, 0,
                       64 + len(body), 0, 64, 56, 0, 64, number + 3, number + 2)
    return head + body + headers


def elf_frames(number):
    """Entries of .eh_frame that refer to two long ones in turn."""
    common = b"\0\0\0\0\1z" + b"S" * (20 * number) + b"R\0\1\x78\x10\1\x1b\0\0"
    frames = 2 * (struct.pack("<I", len(common)) + common)
    for i in range(number):
        back = len(frames) + 4 - (i % 2) * (len(common) + 4)
        frames += struct.pack("<IIiI", 13, back, CODE + i, 1) + b"\0"
    return elf([(".eh_frame", PROGBITS, 2, 0x600000, frames, 0, 0)], code_size=number + 16)


def elf_landing_pads(number):
    """Functions that all have the same long table of landing pads."""
    table = b"\xff\xff\x01"
    size = 20 * number // 4 * 4
    table += bytes([size & 127 | 128, size >> 7 & 127 | 128, size >> 14 & 127 | 128, size >> 21])
    table += b"\0\1\1\0" * (size // 4)
    common = b"\0\0\0\0\1zLR\0\1\x78\x10\2\0\0"
    frames = struct.pack("<I", len(common)) + common
    for i in range(number):
        frames += struct.pack("<IIQQBQ", 29, len(frames) + 4, CODE + i, 1, 8, 0x800000)
    return elf([(".eh_frame", PROGBITS, 2, 0x600000, frames, 0, 0),
                (".gcc_except_table", PROGBITS, 2, 0x800000, table, 0, 0)], code_size=number + 16)


def elf_jump_tables(number):
    """A function of jumps that all go through one table, to all of them."""
    size = (7 * number + 15) // 16 * 16
    table = CODE + size
    code = (b"\xff\x24\xc5" + struct.pack("<I", table)) * number + bytes(size - 7 * number)
    places = b"".join(struct.pack("<Q", CODE + 7 * i) for i in range(number))
    symbol = bytes(24) + struct.pack("<IBBHQQ", 1, 1 << 4 | 2, 0, 1, CODE, 7 * number)
    return elf([(".rodata", PROGBITS, 2, table, places, 0, 0), (".symtab", SYMTAB, 0, 0, symbol, 4, 24),
                (".strtab", STRTAB, 0, 0, b"\0f\0", 0, 0)], code=code, loaded=len(places))


# ---- BOLT's address translation ----


def bat(functions, symbol_list, cold=(), code_size=4096, more=()):
    """functions: (address, [(output offset, input offset, whether it is a branch)]); as LLVM 13 to 17
    write it. symbol_list: (name, address, size)"""
    tables = struct.pack("<I", len(functions))
    for address, entries in functions:
        tables += struct.pack("<QI", address, len(entries))
        tables += b"".join(struct.pack("<II", output, offset | branch << 31)
                           for output, offset, branch in entries)
    tables += struct.pack("<I", len(cold))
    tables += b"".join(struct.pack("<QQ", *pair) for pair in cold)
    note = struct.pack("<III8s", 5, len(tables), 1, b"BOLT") + tables
    strings, entries = b"\0", []
    for name, address, size in symbol_list:
        entries.append((len(strings), 2, 1, address, size))
        strings += name.encode() + b"\0"
    return symbols(entries, strings, [(".note.bolt_bat", 7, 0, 0, note, 0, 0)] + list(more), code_size)


def bat_functions(number):
    """Functions, and as many cold parts of the first one."""
    functions = [(CODE + 16 * i, [(0, 0, 0), (4, 4, 1)]) for i in range(2 * number)]
    cold = [(CODE + 16 * (number + i), CODE) for i in range(number)]
    return bat(functions, [("f%d" % i, CODE + 16 * i, 16) for i in range(2 * number)], cold,
               32 * number)


def bat_blocks(number):
    """A function with many blocks, each of which ends in a branch."""
    entries = [(8 * i + 4 * branch, 8 * i + 4 * branch, branch)
               for i in range(number) for branch in (0, 1)]
    return bat([(CODE, entries)], [("f", CODE, 8 * number)], code_size=8 * number)


def bat_branches(number):
    """One that has a block at either end, and branches between them."""
    entries = [(0, 0, 0)] + [(8 * i, 8 * i, 1) for i in range(1, number)] + [(8 * number, 8 * number, 0)]
    return bat([(CODE, entries)], [("f", CODE, 8 * number + 8)], code_size=8 * number + 8)


def bat_one_place(number):
    """Blocks that all begin at one place."""
    entries = [(0, 0, 0)] + [(8, 8 * i, 0) for i in range(number)] + [(16, 8 * number, 0)]
    return bat([(CODE, entries)], [("f", CODE, 8 * number)], code_size=8 * number)


def bat_same_names(number):
    """Symbols of one name for one function that has as many blocks."""
    entries = [(8 * i, 8 * i, 0) for i in range(number)]
    return bat([(CODE, entries)], [("f", CODE, 8 * number)] * number, code_size=8 * number)


def funcmap(records):
    """records: (output, input, size, flags)"""
    body = struct.pack("<IIQII", 1, 24, len(records), 0, 0)
    body += b"".join(struct.pack("<QQII", *record) for record in records)
    return (".note.anneal.funcmap", 7, 0, 0,
            struct.pack("<III8s", 7, len(body), 0x616e0001, b"anneal") + body, 0, 0)


def bat_folded(number):
    """Functions that have become one, which has as many blocks."""
    size = 8 * number
    entries = [(8 * i, 8 * i, 0) for i in range(number)]
    records = [(CODE, CODE + size * i, size, 2 * (i > 0)) for i in range(number)]
    return bat([(CODE, entries)], [("f", CODE, size)], code_size=size, more=[funcmap(records)])


def bat_pairs(number):
    """The same without a map: functions of many names at one place, with as many blocks."""
    size = 8 * number
    entries = [(8 * i, 8 * i, 0) for i in range(number)]
    return bat([(CODE, entries)], [("f%d" % i, CODE, size) for i in range(number)], code_size=size)


def bat_parts(number):
    """Functions of many names at one place, with as many cold parts."""
    functions = [(CODE + 16 * i, [(0, 0, 0)]) for i in range(number + 1)]
    cold = [(CODE + 16 * (1 + i), CODE) for i in range(number)]
    return bat(functions, [("f%d" % i, CODE, 16) for i in range(number)], cold, 16 * number + 16)


def bat_apart(number):
    """The binary that bat_pairs() and bat_parts() are made of: each name has a place of its own."""
    size = 8 * number
    return symbols([(8 * i, 2, 1, CODE + size * i, size) for i in range(number)],
                   b"".join(b"f%d" % i + bytes(8 - len("f%d" % i)) for i in range(number)))


def runs(number):
    """Runs of all lengths in the beginning of the code, in the pre-aggregated format."""
    return b"".join(b"F %x %x 1\n" % (CODE + 8 * (i % 7) + 1, CODE + 8 * i + 4) for i in range(1, number))


# ---- LLVM's raw profiles ----


def leb(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def raw(records, counters, names=b"", vtables=(), values=b"", variant=0, bitmap=b""):
    """Version 10. records: (name hash, function hash, counters' place and number, sites of three kinds)"""
    data = b"".join(struct.pack("<QQQQQQIHHHHI", name, function, (8 * place - 64 * i) % (1 << 64), 0,
                                0x10000 + 16 * i, 0, number, *sites, 0, 0)
                    for i, (name, function, place, number, sites) in enumerate(records))
    tables = b"".join(struct.pack("<QQII", name, address, size, 0) for name, address, size in vtables)
    packed = zlib.compress(names)
    joined = leb(len(names)) + leb(len(packed)) + packed if names else b""
    head = struct.pack("<QQ14Q", 0xff6c70726f667281, 10 | 1 << 56 | variant, 0, len(records), 0,
                       len(counters), 0, len(bitmap), 0, len(joined), 0, 0, 0, len(vtables), 0, 2)
    return (head + data + struct.pack("<%dQ" % len(counters), *counters) + bitmap + joined
            + bytes(-len(joined) % 8) + tables + values)


def name_hash(name):
    return int.from_bytes(hashlib.md5(name).digest()[:8], "little")


NO_SITES = (0, 0, 0)


def raw_functions(number, variant=0):
    names = [b"f%d" % i for i in range(number)]
    return raw([(name_hash(name), 1, 2 * i, 2, NO_SITES) for i, name in enumerate(names)],
               [i % 9 for i in range(2 * number)], b"\1".join(names), variant=variant)


def raw_started(number):
    """Each with the time when it was first called."""
    return raw_functions(number, 1 << 63)


def raw_counters(number):
    """A function of many counters, and some of these again in as many functions."""
    return raw([(1, 1, 0, number, NO_SITES)] + [(2, i, i, 15, NO_SITES) for i in range(number - 15)],
               [i % 9 for i in range(number)])


def raw_versions(number):
    """A function in many versions."""
    return raw([(1, i, i, 1, NO_SITES) for i in range(number)], [1] * number)


def raw_names(number):
    """Names without functions, and the same name again and again."""
    return raw([(1, 1, 0, 1, NO_SITES)], [1], b"\1".join(b"f%d\1f" % i for i in range(number)))


def value_block(kind, counts, pairs):
    block = struct.pack("<II", kind, len(counts)) + bytes(counts) + bytes(-len(counts) % 8)
    block += b"".join(struct.pack("<QQ", *pair) for pair in pairs)
    return struct.pack("<II", 8 + len(block), 1) + block


def raw_sites(number):
    """A function of as many sites as there can be, for each that there are fewer of."""
    sites = min(number, 60000)
    return raw([(1, 1, 0, 1, (sites, 0, 0))], [1],
               values=value_block(0, [1] * sites, [(i, 1) for i in range(sites)]))


def raw_values(number):
    """Sites that have as many values as they can, all different."""
    records = [(i + 1, 1, i, 1, (1, 0, 0)) for i in range(number // 100)]
    values = b"".join(value_block(0, [255], [(0x10000 + 16 * (255 * i + k), k) for k in range(255)])
                      for i in range(len(records)))
    return raw(records, [1] * len(records), values=values)


def raw_vtables(number):
    """Virtual tables that lie upon each other, and a site for each."""
    records = [(i + 1, 1, i, 1, (0, 0, 1)) for i in range(number)]
    vtables = [(i, 0x100000 + i, 1 << 30) for i in range(number)]
    values = b"".join(value_block(2, [2], [(0x100000 + i, 1), (0x100000 + i * 7 % number, 2)])
                      for i in range(number))
    return raw(records, [1] * number, vtables=vtables, values=values)


def raw_parts(number):
    """Profiles of programs of one function each, all different, in one file."""
    return b"".join(raw([(i, 1, 0, 1, NO_SITES)], [1]) for i in range(number))


def raw_one_place(number):
    """Functions that all have one address."""
    profile = bytearray(raw_functions(number))
    for i in range(number):
        profile[128 + 64 * i + 32:128 + 64 * i + 40] = struct.pack("<Q", 0x1000)
    return bytes(profile)


# ---- perf.data ----


def record(kind, payload, pid, time):
    payload += struct.pack("<IIQ", pid, pid, time)
    return struct.pack("<IHH", kind, 2, 8 + len(payload)) + payload


def mmap(start, length, pid, time):
    name = b"/bin/shared\0".ljust(16, b"\0")
    return record(10, struct.pack("<IIQQQIIQQII", pid, pid, start, length, 0, 0, 0, 0, 0, 5, 2)
                  + name, pid, time)


def fork(child, parent, time):
    return record(7, struct.pack("<IIIIQ", child, parent, child, parent, time), child, time)


def sample(pid, time, address):
    payload = struct.pack("<QIIQQQQQ", address, pid, pid, time, 1, address, address + 0x10, 0)
    return struct.pack("<IHH", 9, 2, 8 + len(payload)) + payload


def perf(records, features=b"", bits=0):
    attribute = struct.pack("<IIQQQQQIIQQQ", 0, 112, 0, 1000, 0x807, 0, 1 << 18, 0, 0, 0, 0, 8)
    attribute = attribute.ljust(112, b"\0") + struct.pack("<QQ", 0, 0)
    data = b"".join(records)
    begin = 104 + len(attribute)
    head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, len(attribute), 104, len(attribute), begin,
                                     len(data), 0, 0)
    head += struct.pack("<QQQQ", bits, 0, 0, 0)
    if features:
        place = begin + len(data) + 16
        features = struct.pack("<QQ", place, len(features)) + features
    return head + attribute + data + features


BASE = 0x100000000000


def perf_mappings(number):
    """One process that maps the program again and again, and samples throughout."""
    records = []
    for i in range(number):
        start = BASE + 0x10000 * i
        records += [mmap(start, 0x1000, 1, 10 * i + 1), sample(1, 10 * i + 2, start + 0x100)]
    return perf(records)


def perf_remappings(number):
    """The same, in one place."""
    records = []
    for i in range(number):
        records += [mmap(BASE, 0x1000, 1, 10 * i + 1), sample(1, 10 * i + 2, BASE + 0x100)]
    return perf(records)


def perf_forks(number):
    """A process that has the program mapped many times, and as many children."""
    records = [mmap(BASE + 0x10000 * i, 0x1000, 1, i + 1) for i in range(number)]
    records += [fork(i + 2, 1, number + i + 2) for i in range(number)]
    records += [sample(i + 2, 3 * number, BASE + 0x10000 * i + 0x100) for i in range(number)]
    return perf(records)


def perf_ended(number):
    """Children that lose all that they have."""
    records = [mmap(BASE + 0x10000 * i, 0x1000, 1, i + 1) for i in range(number)]
    for i in range(number):
        records += [fork(i + 2, 1, number + 2 * i + 2),
                    mmap(BASE, 0x10000 * number, i + 2, number + 2 * i + 3)]
    return perf(records)


def perf_inflated(number):
    """zstd's blocks of one repeated byte: records of an unknown type, 32,768 times as long."""
    block = struct.pack("<I", (1 << 17) << 3 | 1 << 1)[:3] + b"\x08"
    frame = b"\x28\xb5\x2f\xfd\x00\x58" + block * number
    records = []
    while frame:
        part, frame = frame[:32768], frame[32768:]
        records.append(struct.pack("<IHH", 81, 0, 8 + len(part)) + part)
    return perf(records, struct.pack("<IIIII", 1, 1, 1, 32, 1 << 20), 1 << 27)


# ---- text ----

# Without a seed, XXH3 gives all names of 32 bytes the same hash that begin and end so.
KNOWN = b"\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe"


def colliding(i):
    return KNOWN + b"%08d" % i + b"." * 16


def elf_colliding_names(number):
    strings = b"\0" + b"".join(colliding(i) + b"\0" for i in range(number))
    return symbols([(1 + 33 * i, 2, 1, CODE + i, 1) for i in range(number)], strings,
                   code_size=number + 16)


def text_values(number):
    """A site with many values, twice."""
    values = b"".join(b"%d:1\n" % (i * 4096) for i in range(number))
    one = b"f\n1\n1\n1\n1\n1\n1\n%d\n" % number + values + b"\n"
    return b":ir\n" + one + one


def text_hashes(number):
    """A function in many versions."""
    return b":ir\n" + b"".join(b"f\n%d\n1\n1\n\n" % (i * 4096 + 1) for i in range(number))


def text_colliding_hashes(number):
    """A function in many versions; the last 17 bits of what LLVM's table makes of their hashes are 0."""
    inverse = pow(0xbf58476d1ce4e5b9, -1, 1 << 64)
    return b":ir\n" + b"".join(b"f\n%d\n1\n1\n\n" % ((i << 48) * inverse % (1 << 64))
                              for i in range(1, number + 1))


def fdata_colliding_names(number):
    return b"".join(b"1 " + colliding(i) + b" 0 1 " + colliding(i) + b" 4 0 1\n"
                    for i in range(number))


def fdata_mispredictions(number):
    return b"".join(b"1 f 0 1 f 4 %d 1\n" % i for i in range(number))


def preaggregated(number):
    return b"".join(b"B %x %x 1 0\n" % (0x300 + i % 0x500, 0x300 + i * 7 % 0x500)
                    for i in range(number))


def script_mappings(number):
    lines = []
    for i in range(number):
        start = BASE + 0x10000 * i
        lines.append("p 1/1 %d.000001: PERF_RECORD_MMAP2 1/1: [0x%x(0x1000) @ 0 00:00 1 1]: "
                     "r-xp /bin/shared\n" % (i + 1, start))
        lines.append("p 1/1 %d.000002: 0x%x/0x%x/P/-/-/1\n" % (i + 1, start + 0x300, start + 0x310))
    return "".join(lines).encode()


def console_blocks(number):
    return b"".join(b"begin 644 a.gcda\n#86)C\n" for _ in range(number))


def console_words(number):
    return b"".join(b"begin 644 f%d\n`\nend\n" % (i % 7) for i in range(number))


shape, number, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with open(path, "wb") as file:
    file.write(globals()[shape](number))
