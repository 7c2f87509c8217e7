#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Makes the logs in the folder logs: counter files of GCC, encoded by Python's own encoders, as consoles
# print them.
#
#     make-logs.py
import base64
import binascii
import gzip
import hashlib
import pathlib
import random
import zlib

here = pathlib.Path(__file__).parent
gcc = here / "../gcc/gcc-12"
logs = here / "logs"


def uuencoded(name, data, prefix="", backtick=True, checksum=False):
    lines = [f"begin 644 {name}"]
    for at in range(0, len(data), 45):
        lines.append(binascii.b2a_uu(data[at:at + 45], backtick=backtick).decode()[:-1])
    lines += ["`" if backtick else " ", "end"]
    if checksum:
        lines.append(f"crc32 {zlib.crc32(data):08x} {len(data)} {name}")
    return [prefix + line for line in lines]


def write(name, lines, end="\n"):
    (logs / name).write_bytes("".join(line + end for line in lines).encode())


def interleaved(parts):
    order = random.Random(1)
    parts = [list(part) for part in parts]
    while any(parts):
        yield order.choice([part for part in parts if part]).pop(0)


def main():
    logs.mkdir(exist_ok=True)
    small = (gcc / "right-a.gcda").read_bytes()
    large = (gcc / "values-1.gcda").read_bytes()
    stream = (here / "gcc-14/stream.bin").read_bytes()
    write("plain.log", uuencoded("right.gcda", small))
    write("blanks.log", [line.rstrip() for line in uuencoded("right.gcda", small, backtick=False)])
    write("checksum.log", uuencoded("obj/values.gcda0", large, checksum=True), "\r\n")
    packed = gzip.compress(small, mtime=0)
    write("compressed.log", uuencoded("right.gcda0.gz", packed) + uuencoded("right.gcda1.gz", packed[:60]) +
          uuencoded("core.gz", packed))
    write("twice.log", 2 * uuencoded("right.gcda", small))
    cores = [uuencoded(f"right.gcda{core}", small, f"PP{core}:~CONSOLE-> ", checksum=core != 2)
             for core in range(3)]
    write("cores.log", interleaved(cores))
    noise = ["[   12.345678] usb 1-1: new device", "\x1b[1m# \x1b[0m", "^C", ""]
    write("noise.log", interleaved([uuencoded("right.gcda", small), noise * 2]))
    write("hex.log", ["start", stream.hex(), "done"])
    letters = "abcdefghijklmnop"
    write("nibbles.log", ["".join(letters[byte % 16] + letters[byte // 16] for byte in stream)])
    text = base64.encodebytes(stream)
    digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).decode()
    write("rtems.log", ["*** BEGIN OF GCOV INFO BASE64 ***", *text.decode().splitlines(),
                        "*** END OF GCOV INFO BASE64 ***", f"*** GCOV INFO SHA256 {digest} ***"])
    write("zephyr.log", ["GCOV_COVERAGE_DUMP_START", f"*/src/right.gcda<{small.hex()}",
                         "GCOV_COVERAGE_DUMP_END"])
    write("nuttx.log", [f"gcov start filename:/src/right.gcda size: {len(small)}Byte", small.hex(),
                        f"gcov end filename:/src/right.gcda checksum: {sum(small) % 65536:#06x}"])
    rows = [f"{at:08x}: " + small[at:at + 16].hex(" ") for at in range(0, len(small), 16)]
    write("hexdump.log", [f"Emitting {len(small):6} bytes for /src/right.gcda", *rows,
                          "/src/right.gcda", "Gcov End"])


main()
