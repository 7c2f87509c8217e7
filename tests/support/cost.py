"""What a command costs, as numbers that do not depend on the machine or on what else it does.

    cost.py instructions COMMAND...     as valgrind's callgrind counts them
    cost.py memory COMMAND...           the most that it had in memory, in KiB

The command's output is dropped. It may fail, but not by a signal.
"""
import os
import re
import subprocess
import sys


def instructions(command):
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    result = subprocess.run(tool + command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    text = result.stderr.decode(errors="replace")
    # of the process itself, the last one
    counts = re.findall(r"Collected : (\d+)", text)
    if result.returncode < 0 or not counts:
        sys.exit(f"{command}: status {result.returncode}\n{text[-2000:]}")
    return int(counts[-1])


def memory(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.WIFSIGNALED(status):
        sys.exit(f"{command}: ended by signal {os.WTERMSIG(status)}")
    return usage.ru_maxrss


print({"instructions": instructions, "memory": memory}[sys.argv[1]](sys.argv[2:]))
