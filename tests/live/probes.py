#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Probes of the kernel (uprobes) at the entries of functions, by a tracefs of one's own.

    probes.py place TRACING GROUP KIND PROGRAM PROFILE   at all functions of a profile (fdata), of KIND p
                                                         (at entries) or r (of returns, too)
    probes.py name TRACING GROUP KIND PROGRAM NAME...    at these
    probes.py hits TRACING GROUP                         prints how often they were hit
    probes.py remove TRACING GROUP                       takes them back

Their events are GROUP/f1, GROUP/f2...
"""
import os
import subprocess
import sys


def lines_of(*command):
    return [line.split() for line in subprocess.check_output(command, text=True).splitlines()]


def offsets(program, names):
    """In the file, of the functions of these names."""
    sections = {}
    for words in lines_of("readelf", "-SW", program):
        if words[:1] == ["["]:
            words = ["[" + words[1]] + words[2:]
        if words and words[0].startswith("[") and words[0][1:-1].isdigit() and len(words) > 4:
            sections[words[0][1:-1]] = int(words[3], 16) - int(words[4], 16)
    return sorted({int(words[1], 16) - sections[words[6]] for words in lines_of("readelf", "-sW", program)
                   if len(words) == 8 and words[3] == "FUNC" and words[7] in names
                   and words[6] in sections})


def in_profile(profile):
    names = set()
    with open(profile) as lines:
        for line in lines:
            words = line.split(" ")
            if len(words) > 4:
                names |= {words[1].split("/")[0], words[4].split("/")[0]}
    return names - {"[unknown]", "main"}


def write(path, text):
    file = os.open(path, os.O_WRONLY | os.O_APPEND)
    os.write(file, text.encode())
    os.close(file)


def place(tracing, group, kind, program, names):
    found = offsets(program, names)
    if not found:
        sys.exit("no function to probe")
    for number, offset in enumerate(found, 1):
        write(f"{tracing}/uprobe_events", f"{kind}:{group}/f{number} {program}:{offset:#x}\n")
    write(f"{tracing}/events/{group}/enable", "1")


def hits(tracing, group):
    with open(f"{tracing}/uprobe_profile") as lines:
        counts = [line.split() for line in lines]
    mine = set(os.listdir(f"{tracing}/events/{group}"))
    print(sum(int(words[2]) for words in counts if words[1] in mine))


def remove(tracing, group):
    folder = f"{tracing}/events/{group}"
    if not os.path.isdir(folder):
        return
    write(f"{folder}/enable", "0")
    for name in [name for name in os.listdir(folder) if os.path.isdir(f"{folder}/{name}")]:
        write(f"{tracing}/uprobe_events", f"-:{group}/{name}\n")


def main():
    action, tracing, group, *rest = sys.argv[1:]
    if action == "place":
        place(tracing, group, rest[0], rest[1], in_profile(rest[2]))
    elif action == "name":
        place(tracing, group, rest[0], rest[1], set(rest[2:]))
    elif action == "hits":
        hits(tracing, group)
    else:
        remove(tracing, group)


main()
