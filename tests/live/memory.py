#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What becomes of a program's code and constants in the memory of its process.

    memory.py keep PID PROGRAM COPY    copies what is mapped of the program and cannot be written:
                                       its code, its constants, its vtables
    memory.py differ PID COPY          prints how many bytes are not as in the copy; those that may
                                       be read, written or run otherwise than before count, too
    memory.py added PID COPY           prints how many mappings there are more than then that can be
                                       run, and their kilobytes
    memory.py inside PID COPY          prints which addresses of the standard input are in those
"""
import os
import pickle
import sys


def living(pid):
    """A thread that has not ended: under the number of one that has, /proc has no memory. The first
    thread, if it lives: others may come and go, with smaller numbers too."""
    for thread in sorted(os.listdir(f"/proc/{pid}/task"), key=lambda name: name != str(pid)):
        with open(f"/proc/{thread}/maps") as lines:
            if lines.read(1):
                return thread
    return pid


def mappings(pid):
    """(start, end, rights, path) of each"""
    with open(f"/proc/{living(pid)}/maps") as lines:
        for line in lines:
            words = line.split(None, 5)
            start, end = (int(word, 16) for word in words[0].split("-"))
            yield start, end, words[1], words[5].rstrip("\n") if len(words) > 5 else ""


def read(pid, start, end):
    with open(f"/proc/{living(pid)}/mem", "rb") as memory:
        memory.seek(start)
        return memory.read(end - start)


def runnable(pid):
    return [(start, end) for start, end, rights, path in mappings(pid)
            if "x" in rights and not path.startswith("[")]


def keep(pid, program, copy):
    path = os.path.realpath(program)
    parts = [(start, rights, read(pid, start, end))
             for start, end, rights, mapped in mappings(pid)
             if mapped == path and "w" not in rights and "r" in rights]
    with open(copy, "wb") as file:
        pickle.dump((parts, runnable(pid)), file)


def kept(copy):
    with open(copy, "rb") as file:
        return pickle.load(file)


def rights_of(pid, start, end):
    """(length, rights) of each piece of it; None where nothing is mapped"""
    at = start
    for first, last, rights, _ in mappings(pid):
        if last <= at or first >= end:
            continue
        if first > at:
            yield first - at, None
            at = first
        yield min(last, end) - at, rights
        at = min(last, end)
    if at < end:
        yield end - at, None


def differ(pid, copy):
    count = 0
    for start, rights, before in kept(copy)[0]:
        at = 0
        for length, now in rights_of(pid, start, start + len(before)):
            if now != rights:
                count += length
            else:
                after = read(pid, start + at, start + at + length)
                part = before[at:at + length]
                if after != part:
                    count += sum(a != b for a, b in zip(after, part))
            at += length
    return count


def new(pid, copy):
    """What can be run and could not be then: start and end. The old code may have been split."""
    before = kept(copy)[1]
    return [(start, end) for start, end in runnable(pid)
            if not any(first < end and start < last for first, last in before)]


def main():
    command, pid, *files = sys.argv[1:]
    if command == "keep":
        keep(pid, *files)
    elif command == "differ":
        print(differ(pid, *files))
    elif command == "added":
        sizes = [end - start for start, end in new(pid, *files)]
        print(len(sizes), sum(sizes) // 1024)
    elif command == "inside":
        places = new(pid, *files)
        for line in sys.stdin:
            if any(start <= int(line, 16) < end for start, end in places):
                print(line.strip())


main()
