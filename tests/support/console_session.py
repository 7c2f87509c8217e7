#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Writes the log of a session with a board of several cores, each of which prints its counter files at its
# end, encoded by Python's own encoder, with all that one finds in such logs between them.
#
#     console_session.py [OPTION]... FILE... >LOG
#
# FILE is what all cores print, as obj/FILENAME0, obj/FILENAME1... @ in it stands for the core, if each has a
# file of its own.
#     --cores=N        (default 16)
#     --prefix=TEXT    in front of lines; @ stands for the core, # for a time (default: nothing; then the
#                      cores print one after the other)
#     --checksums --sums --blanks --trimmed --twice
#     --end=lf|crlf|cr
#     --noise          messages, prompts and escape sequences between the lines
import argparse
import binascii
import os
import random
import sys
import zlib

NOISE = ["[   12.345678] usb 1-1: new high-speed USB device number 2", "^C", "# ", "", "=> ",
         "PP0:~CONSOLE-> Port 16: Up     1Gbs Full duplex", "\x1b[0m\x1b[?25h", "\x00\x00",
         "memfile: 12 files", "<6>eth0: link is up", "\x1b]0;minicom\x07Escape character: Ctrl-\\",
         "the end", "begin at the beginning", "cvmx-\b\b\b\b\bwarn: temperature 54"]


def uuencoded(name, data, options):
    lines = [f"begin 644 {name}"]
    for at in range(0, len(data), 45):
        part = data[at:at + 45]
        line = binascii.b2a_uu(part, backtick=not options.blanks).decode()[:-1]
        total = sum(part) % 64
        if options.sums:
            line += "`" if total == 0 and not options.blanks else chr(0x20 + total)
        lines.append(line)
    lines += [" " if options.blanks else "`", "end"]
    if options.checksums:
        lines.append(f"crc32 {zlib.crc32(data):08x} {len(data)} {name}")
    return lines


def printed_by(core, options):
    lines = [f"Dumping files on core {core}"]
    for _ in range(2 if options.twice else 1):
        for path in options.files:
            with open(path.replace("@", str(core)), "rb") as file:
                lines += uuencoded(f"obj/{os.path.basename(path)}{core}", file.read(), options)
    return lines + [f"Done dumping files on core {core}"]


def in_turn(parts, order):
    while any(parts):
        yield order.choice([part for part in parts if part]).pop(0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cores", type=int, default=16)
    parser.add_argument("--prefix", default="")
    parser.add_argument("--end", default="lf")
    for flag in ("checksums", "sums", "blanks", "trimmed", "twice", "noise"):
        parser.add_argument("--" + flag, action="store_true")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    order = random.Random(options.cores)
    cores = [[(core, line) for line in printed_by(core, options)] for core in range(options.cores)]
    lines = in_turn(cores, order) if options.prefix else [line for core in cores for line in core]
    end = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}[options.end]
    log = ["U-Boot 1.1.1 (Build time: May 22  2008 - 21:00:00)", "Octeon ebt3000# bootoct break"]
    time = 9.9
    for core, line in lines:
        time += order.random() / 10
        prefix = options.prefix.replace("@", str(core)).replace("#", f"{time:12.6f}")
        if options.noise and order.random() < 0.2:
            log.append(order.choice(NOISE))
        line = prefix + line
        log.append(line.rstrip() if options.trimmed else line)
    sys.stdout.buffer.write("".join(line + end for line in log).encode())


main()
