#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Waits for what processes of prefork.cpp write on their board (target.h), a minute at most.

    board.py begun BOARD           until there is a process that works
    board.py moved BOARD PID...    until each of these has got on
    board.py fork BOARD PID        has the process fork, and prints the number of the child
"""
import os
import signal
import struct
import sys
import time


def lines(path):
    """What each process has done, by its number; in the order in which they came"""
    try:
        with open(path, "rb") as file:
            board = file.read()
    except FileNotFoundError:
        board = b""
    count = struct.unpack_from("Q", board)[0] if board else 0
    found = [struct.unpack_from("24sQ", board, 8 + 32 * i) for i in range(count)]
    return {int(name.rstrip(b"\0")): rounds for name, rounds in found if name[0]}


def wait(what):
    deadline = time.monotonic() + 60
    while not what():
        if time.monotonic() > deadline:
            sys.exit(1)
        time.sleep(0.002)  # between two looks


def moved(path, pids):
    before = lines(path)
    wait(lambda: all(lines(path).get(pid, 0) > before.get(pid, 0) for pid in pids))


def main():
    command, path, *pids = sys.argv[1:]
    pids = [int(pid) for pid in pids]
    if command == "begun":
        wait(lambda: any(lines(path).values()))
    elif command == "moved":
        moved(path, pids)
    elif command == "fork":
        before = lines(path)
        os.kill(pids[0], signal.SIGUSR1)
        wait(lambda: len(lines(path)) > len(before))
        print(*(pid for pid in lines(path) if pid not in before))


main()
