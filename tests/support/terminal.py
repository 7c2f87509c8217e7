#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command on a terminal of its own, and says what a user would see of it.

usage: terminal.py COLUMNS LOG [WHEN ACTION]... -- COMMAND [ARGUMENT]...

LOG gets what the command writes to the terminal, byte by byte, as it comes. When that has the text WHEN, ACTION
is done, and the next WHEN is looked for: "type TEXT" (^C is Ctrl-C), "columns N" (the window is made so wide), or
"touch FILE". Prints the screen as it is in the end, without empty lines below. The exit status is that of the
command, or 128 and the signal's number. It is 99 when a line of progress did not fit its row, and 98 when WHEN never
came or no terminal could be made. Everything is ended after a minute.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import traceback


class Screen:
    """As much of a terminal as programs without cursor keys need."""

    def __init__(self, columns):
        self.columns, self.rows, self.row, self.column = columns, [[]], 0, 0
        self.wrapped, self.too_wide = False, False

    def put(self, text):
        for part in re.findall(r'\033\[[0-9;]*[A-Za-z]|.', text, re.S):
            if part == '\r':
                self.column = 0
            elif part == '\n':
                self.next_row()
                self.wrapped = False
            elif part == '\033[K':
                self.too_wide |= self.wrapped # what it is to erase began a row above
                del self.rows[self.row][self.column:]
            elif part[0] >= ' ':
                if self.column == self.columns:
                    self.next_row()
                    self.column, self.wrapped = 0, True
                row = self.rows[self.row]
                row[self.column:self.column + 1] = part
                self.column += 1

    def next_row(self):
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append([])

    def text(self):
        return '\n'.join(''.join(row).rstrip() for row in self.rows).rstrip('\n')


def set_columns(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))


def act(action, terminal, screen):
    verb, value = action.split(' ', 1)
    if verb == 'type':
        os.write(terminal, value.replace('^C', '\x03').encode())
    elif verb == 'columns':
        set_columns(terminal, int(value))
        screen.columns = int(value)
    else:
        open(value, 'w').close()


def lead(gate, news, command):
    """Does what a shell does for its command: leads the session, and outlives the command.

    The kernel takes the terminal from all when the leader of its session ends, and drops what was on its way: once in
    some thousand times the last words of a command that Ctrl-C ends.
    """
    os.read(gate, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    child = os.fork()
    if child == 0:
        os.close(news)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execvp(command[0], command)
    os.write(news, struct.pack('i', child))
    os.write(news, struct.pack('i', os.waitpid(child, 0)[1]))
    os.read(gate, 1)
    os._exit(0)


def read_ready(terminal):
    try:
        return os.read(terminal, 65536)
    except BlockingIOError:
        return b''


def main():
    split = sys.argv.index('--')
    columns, log, *script = sys.argv[1:split]
    command = sys.argv[split + 1:]
    gate, go = os.pipe()
    news, told = os.pipe()
    leader, terminal = pty.fork()
    if leader == 0:
        os.close(go)
        os.close(news)
        lead(gate, told, command)
    os.close(gate)
    os.close(told)
    set_columns(terminal, int(columns))
    os.set_blocking(terminal, False)
    os.write(go, b'x')
    child = struct.unpack('i', os.read(news, 4))[0]
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(60)
    screen, seen, status = Screen(int(columns)), '', None
    with open(log, 'wb', buffering=0) as output:
        while True:
            if status is None:
                ready = select.select([terminal, news], [], [])[0]
                if news in ready:
                    status = struct.unpack('i', os.read(news, 4))[0]
            data = read_ready(terminal)
            if not data and status is not None: # all that was written before the end has been read
                break
            output.write(data)
            text = data.decode(errors='replace')
            screen.put(text)
            seen += text
            while script and script[0] in seen:
                seen = seen.split(script[0], 1)[1]
                act(script[1], terminal, screen)
                del script[:2]
    signal.alarm(0)
    os.write(go, b'x')
    os.waitpid(leader, 0)
    print(screen.text())
    if script:
        print(f'terminal.py: never saw {script[0]!r}', file=sys.stderr)
        sys.exit(98)
    if screen.too_wide:
        print('terminal.py: a line of progress is wider than the terminal', file=sys.stderr)
        sys.exit(99)
    sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


try:
    main()
except Exception: # else the status would be 1, as that of many a command
    traceback.print_exc()
    sys.exit(98)
