#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Compares anneal under llvm-profdata's name with that tool, on what both are asked: what they print on either stream,
how they end, and the file that they write.

usage: profdata_table.py KIND ANNEAL PEER CORPUS
       profdata_table.py told TOOL

The second form prints what a tool answers to CALLS, for a golden file.

ANNEAL's name is that of both: llvm-profdata, or llvm-profdata-22. KIND is "options" (each option that the peer's help lists, in every spelling; those of CALLS, too), "damage" (profiles of
each format, damaged in every way below), or "some" (CALLS, and a part of the damage). ANNEAL is a link of the name
llvm-profdata. Works in the current folder. Prints each difference with its command, and how many lines were compared;
fails when there was a difference.

A kind of damage is here only if the peer copes with it: what makes it read beyond a file's end is not.
"""
import os
import re
import shutil
import subprocess
import sys
import zlib

RUN_SECONDS = 60

# What is asked of the tools beside single options: how lines are read, and what is refused first.
CALLS = """

foo
shw
show
show ""
show a.proftext a.proftext
show -- -x
show nofile
show /
show -o a.proftext a.proftext
show -o nofolder/x a.proftext
show --json a.proftext
show --show-format=yaml a.proftext
show --all-functions --function=main a.proftext
show -topn 0x2 a.proftext
show -topn 010 a.proftext
show --topn=1 --topn=2 a.proftext
show --detailed-summary-cutoffs=1,x a.proftext
show --detailed-summary-cutoffs=500000,900000 --detailed-summary a.proftext
show --value-cutoff=5000000000 a.proftext
show --instr=1 a.proftext
show --counts --all-functions a.proftext -covered=0
show --counts=x --topn=y --foo a.proftext
overlap
overlap a.proftext
overlap a.proftext a.proftext
overlap a.proftext a.proftext a.proftext
overlap a.proftext nofile
overlap nofile a.proftext
overlap --value-cutoff=5x a.proftext a.proftext
overlap --value-cutoff=5000000000 a.proftext a.proftext
overlap a.proftext binary
order
order nofile
order a.proftext
order --num-test-traces=x a.proftext
order --num-test-traces=1 single.proftext
order --num-test-traces=5 traces.proftext
merge
show --hot-func-list sampled.proftext
show --hot-func-list --topn=2 --detailed-summary a.proftext
show --hot-func-list --value-cutoff=4 a.proftext
show --hot-func-list --list-below-cutoff --value-cutoff=4 a.proftext
show --hot-func-list=false a.proftext
show --hot-func-list --function=main --counts --ic-targets a.proftext
show --hot-func-list --text a.proftext
show --hot-func-list --covered a.proftext
show --hot-func-list --detailed-summary-cutoffs=990001,400000 a.proftext
merge -o
merge nofile -o out
merge -failure-mode=all nofile a.proftext -o out
merge -failure-mode=warn nofile -o out
merge -failure-mode=warn binary -o out
merge -failure-mode=all binary a.proftext -o out
merge binary -o out
merge empty -o out
merge a.proftext empty -o out
merge -o nofolder/x a.proftext
merge -ofoo a.proftext
merge --foo a.proftext
merge --spars a.proftext
merge --= a.proftext
merge --- a.proftext
merge --value-cutoff=2 a.proftext
merge --text --binary a.proftext -o out
merge --binary --text a.proftext -o out
merge --text=true a.proftext -o out
merge -gcc a.proftext -o out
merge -gcc
merge -sparse -sparse=false a.proftext -o out
merge a.proftext -o one -o out
merge -weighted-input=0,a.proftext -o out
merge -weighted-input=x,a.proftext -o out
merge -weighted-input=a.proftext -o out
merge -weighted-input=2, -o out
merge -weighted-input=2,a.proftext -o out
merge -weighted-input=2,nofile -o out
merge -f list -o out
merge -f nolist -o out
merge -f badlist -o out
merge -f list -f nolist -o out
merge --dump-input-file-list -f list a.proftext
merge @words -o out
merge @nofile
merge -r remap a.proftext -o out
merge -r badremap a.proftext -o out
merge -r nofile a.proftext -o out
merge --function=( a.proftext -o out
merge --function=[a a.proftext -o out
merge --function=main a.proftext b.proftext -o out
merge --no-function=main a.proftext b.proftext -o out
merge fe.proftext ir.proftext -o out
merge fe.proftext ir.proftext -num-threads=2 -o out
merge a.proftext mismatch.proftext -o out
merge -num-threads=1 traces.proftext traces.proftext -o out
merge --temporal-profile-trace-reservoir-size=0 traces.proftext -o out
merge --temporal-profile-max-trace-length=0 traces.proftext -o out
merge --temporal-profile-trace-reservoir-size=0 sampled.proftext -o out
merge --temporal-profile-trace-reservoir-size=3 sampled.proftext -o out
merge --temporal-profile-trace-reservoir-size=3 unsampled.proftext -o out
merge --temporal-profile-trace-reservoir-size=9 --temporal-profile-max-trace-length=1 sampled.proftext -o out
merge --num-threads=1 --temporal-profile-trace-reservoir-size=3 traces.proftext sampled.proftext traces.proftext single.proftext -o out
merge --num-threads=1 --temporal-profile-trace-reservoir-size=3 unsampled.proftext sampled.proftext unsampled.proftext -o out
merge --num-threads=1 --temporal-profile-trace-reservoir-size=9 sampled.proftext single.proftext sampled.proftext single.proftext -o out
merge --num-threads=1 --temporal-profile-trace-reservoir-size=1 single.proftext single.proftext single.proftext -o out
merge --temporal-profile-max-trace-length=1 traces.proftext -o out
""".split("\n")

TEXT = "main\n1\n3\n5\n0\n7\n\nother\n0x10\n1\n2\n"


def traced(count, stream):
    """A profile of so many traces, sampled from a stream of so many."""
    traces = "".join(f"1\nf{number},main\n" for number in range(count))
    functions = "".join(f"f{number}\n1\n1\n{number}\n\n" for number in range(count))
    return f":ir\n:temporal_prof_traces\n{count}\n{stream}\n{traces}{functions}main\n1\n1\n5\n"


FILES = {
    "a.proftext": TEXT,
    "b.proftext": "helper\n7\n1\n9\n",
    "fe.proftext": ":fe\nmain\n1\n1\n1\n",
    "ir.proftext": ":ir\nmain\n1\n1\n1\n",
    "mismatch.proftext": "main\n1\n2\n5\n0\n",
    "traces.proftext": ":ir\n:temporal_prof_traces\n2\n2\n1\nmain,other\n1\nother,main\n"
                       "main\n1\n1\n5\n\nother\n2\n1\n6\n",
    "sampled.proftext": traced(20, 1000),
    "unsampled.proftext": traced(8, 8),
    "single.proftext": ":ir\n:temporal_prof_traces\n1\n1\n1\nmain\nmain\n1\n1\n5\n",
    "empty": "",
    "binary": "\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f",
    "list": "# inputs\n3,b.proftext\n\na.proftext\n",
    "badlist": "x,b.proftext\n",
    "words": "a.proftext 'b.proftext'",
    "remap": "main start\n",
    "badremap": "main start now\n",
}

# Options for what anneal does not do, and those that print what is the peer's own.
APART = re.compile(r"^(sample|memory|debug-info|binary-file|supplement-instr-with-sample|"
                   r"h|help.*|print-options|print-all-options|debuginfod|memprof-version|memprof-random-hotness)$")

# What llvm-profdata 22 and later do otherwise, and anneal does not: they find another one of the names that are equally
# near to no letters.
NOT_AS_22 = ("merge --= a.proftext", "merge --- a.proftext")


class Table:
    def __init__(self, anneal, peer):
        self.tools = {"anneal": anneal, "peer": peer}
        self.name = os.path.basename(anneal)
        self.compared = self.differences = 0

    def is_apart(self, arguments):
        return re.search(r"-2[2-9]$", self.name) and " ".join(arguments) in NOT_AS_22

    def tell(self, arguments):
        if self.is_apart(arguments):
            return
        out, err, status, written = self.run("anneal", arguments)
        print(f"== {' '.join(arguments)}: {status}, {len(written)} bytes, sum {zlib.crc32(written):#010x}")
        print((out + err).decode("latin-1"), end="")

    def run(self, tool, arguments):
        shutil.rmtree("work", ignore_errors=True)
        shutil.copytree("inputs", "work")
        done = subprocess.run([f"./{self.name}", *arguments], executable=self.tools[tool], cwd="work",
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=RUN_SECONDS, check=False)
        if done.returncode < 0 or done.returncode > 2:
            sys.exit(f"{tool} ends with {done.returncode}: {' '.join(arguments)}")
        written = b""
        if os.path.exists("work/out") and done.returncode == 0:
            with open("work/out", "rb") as file:
                written = file.read()
        return done.stdout, done.stderr, done.returncode, written

    def compare(self, arguments, where=""):
        if self.is_apart(arguments):
            return
        ours, theirs = (self.run(tool, arguments) for tool in ("anneal", "peer"))
        self.compared += 1
        if ours == theirs:
            return
        self.differences += 1
        print(f"llvm-profdata {' '.join(arguments)} {where}")
        for name, our, their in zip(("standard output", "standard error", "status", "file"), ours, theirs):
            if our != their:
                print(f"  {name}: {our!r:.400}\n  expected: {their!r:.400}", flush=True)


def options_of(peer, command):
    """Names and the type of the value ("" for none, None for one of several words) in the peer's help."""
    text = subprocess.run([peer, command, "--help-hidden"], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        found = re.match(r" +--?([\w-]+)(?:=<([^>]+)>)? +- (Alias for --(\S+))?", line)
        if found:
            name, value, _, alias = found.groups()
            yield name, value or "", alias, line.startswith("      ")


OPERANDS = {"merge": ["a.proftext", "-o", "out"], "show": ["a.proftext"], "order": ["single.proftext"],
            "overlap": ["a.proftext", "a.proftext"]}
VALUES = {"uint": ["1", "0", "0x3", "-1", "4294967296", "x", ""], "ulong": ["1", "0x3", "-1", "x"],
          "number": ["0.5"], "file": ["remap"], "output": ["out"], "string": ["main"],
          "800000,901000,999999": ["500000", "500000,x", "-1"]}
WORDS = {"failure-mode": ["warn", "any", "all", "none", ""], "show-format": ["text", "json", "x"],
         "convert-sample-profile-layout": ["nest", "flat", "x"]}
STRINGS = {"weighted-input": ["2,b.proftext"], "input-files": ["list"]}


def values_of(name, kind):
    return WORDS.get(name) or STRINGS.get(name) or VALUES.get(kind, ["main"])


def compare_options(table):
    for command, operands in OPERANDS.items():
        types = {name: kind for name, kind, _, _ in options_of(table.tools["peer"], command)}
        for name, kind, alias, is_word in options_of(table.tools["peer"], command):
            target = alias or name
            kind = types.get(target, kind)
            if APART.match(target):
                continue
            lines = []
            if is_word:
                lines += [[f"-{name}"], [f"--{name}"], [f"--{name}=true"], [f"-{name}="]]
            elif not kind:
                lines += [[f"{dash}{name}{value}"] for dash in ("-", "--")
                          for value in ("", "=true", "=false", "=TRUE", "=1", "=0", "=yes", "=")]
            else:
                for value in values_of(target, kind):
                    lines += [[f"-{name}", value], [f"--{name}={value}"]]
            for line in lines:
                given = operands if target != "output" or command != "merge" else operands[:1]
                table.compare([command, *line, *given])
                table.compare([command, *given, *line])
            if kind and not is_word:
                table.compare([command, *operands, f"--{name}"])
            if not name.startswith("h"):  # -h in front, and the help
                table.compare([command, f"--{name}x", *operands])


def tell_calls(table):
    for call in CALLS:
        table.tell([word.strip('"') for word in call.split()])


def compare_calls(table):
    for call in CALLS:
        table.compare([word.strip('"') for word in call.split()])


# ---- damage ----

def damaged_text(text, apart=()):
    """`apart`: lines where another number makes what anneal refuses and the peer does not, a kind of values twice."""
    lines = text.split("\n")
    for at, _ in enumerate(lines):
        yield f"line {at} left out", "\n".join(lines[:at] + lines[at + 1:])
        yield f"cut off before line {at}", "\n".join(lines[:at])
        for value in ("x", "-1", "0x", "99999999999999999999", ":x", "#", "$2", "1 2", "0"):
            if (at, value) in apart:
                continue
            yield f"line {at} is {value}", "\n".join(lines[:at] + [value] + lines[at + 1:])


def damaged_raw(data, big):
    order = "big" if big else "little"
    for size in (0, 1, 7, 8, 9, 16, 100, 127, 128, 129, 136, 160, 192):
        yield f"cut off at {size}", data[:size]
    for left in (1, 7, 8, 9, 64):
        yield f"{left} bytes cut off", data[:-left]
    for extra in (b"\0", b"\0" * 8, b"x", b"x" * 8, b"\0\0\0x", data[:8], data[:128], data + data[:64]):
        yield f"{len(extra)} bytes more", data + extra
    yield "twice", data + data
    for word, values in {0: (0, 1), 1: (0, 1, 4, 12), 2: (1, 8, 16, 2 ** 20), 3: (10 ** 4,),
                         5: (0, 1, 10 ** 4), 9: (10 ** 5,), 10: (0, 8, 2 ** 40)}.items():
        for value in values:
            yield f"word {word} of the header is {value}", (data[:8 * word] + value.to_bytes(8, order)
                                                            + data[8 * word + 8:])


def damaged_indexed(data):
    for size in (0, 1, 7, 8, 9, 16, 23):
        yield f"cut off at {size}", data[:size]
    for word, values in {0: (0, 1), 1: (15, 20, 2 ** 20), 3: (1, 2)}.items():
        for value in values:
            yield f"word {word} is {value}", data[:8 * word] + value.to_bytes(8, "little") + data[8 * word + 8:]


def ways(name):
    yield ["show", name]
    yield ["show", "--all-functions", "--counts", name]
    yield ["merge", "-o", "out", name]


def compare_damage(table, corpus, some):
    def raw(name, big):
        with open(f"{corpus}/raw/{name}", "rb") as file:
            return damaged_raw(file.read(), big)

    def texts(text, apart=()):
        for where, damaged in damaged_text(text, apart):
            yield where, damaged.encode()

    with open(f"{corpus}/indexed/c-ir-clang19.merged.profdata", "rb") as file:
        indexed = file.read()
    sets = [("text", texts(TEXT)), ("traces", texts(FILES["traces.proftext"])),
            ("values", texts(":ir\nmain\n1\n1\n5\n2\n0\n1\n2\nfoo:3\nbar:4\n1\n1\n1\n8:2\n\nlast\n2\n1\n0\n", [(11, "0")])),
            ("bitmap", texts("main\n1\n1\n5\n$2\n0x3\n7\n\nlast\n2\n1\n0\n")), ("indexed", damaged_indexed(indexed))]
    # 23 reads raw version 11 only; of that, anneal has LLVM's words for the kind of fault, and its own for the rest.
    if not table.name.endswith("-23"):
        sets += [
            ("raw", raw("c-fe-clang19-run1.profraw", False)), ("values", raw("c-ir-clang19-run1.profraw", False)),
            ("32 bits", raw("c-fe-i386-clang19-run1.profraw", False)),
            ("big-endian", raw("c-fe-s390x-clang19-run1.profraw", True)),
            ("big-endian, 32 bits", raw("c-fe-powerpc-clang19-run1.profraw", True))]
    for name, kinds in sets:
        for number, (where, data) in enumerate(kinds):
            if some and number % 64:
                continue
            with open("inputs/damaged", "wb") as file:
                file.write(data)
            for way in list(ways("damaged"))[-1:] if some else ways("damaged"):
                table.compare(way, f"({name}: {where})")


def main():
    kind, anneal, peer, corpus = (*sys.argv[1:], "", "")[:4]
    table = Table(os.path.abspath(anneal), peer)
    os.mkdir("inputs")
    for name, text in FILES.items():
        with open(f"inputs/{name}", "wb") as file:
            file.write(text.encode("latin-1"))
    if kind == "told":
        tell_calls(table)
        return
    if kind != "damage":
        compare_calls(table)
    if kind == "options":
        compare_options(table)
    if kind != "options":
        compare_damage(table, corpus, kind == "some")
    print(f"{table.compared} compared, {table.differences} differ")
    sys.exit(table.differences > 0 or table.compared < 50)


main()
