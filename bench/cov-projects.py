# SPDX-License-Identifier: Apache-2.0
"""
Compares the coverage of one project as anneal, lcov and gcovr have it, source by source and line by line. Every
difference has to follow from a rule; for bench/cov-projects.

    cov-projects.py ROOT ANNEAL.json LCOV.info GCOVR.json GCOV_TEXTS [GCOV_JSON]

GCOV_TEXTS is the folder with the texts that gcovr reads. GCOV_JSON has what gcov prints of each object, one a line: the
branches that it has of a line and function, those of all objects added up, have to be anneal's, also where lcov and gcovr
leave some out. Prints totals, and how often each rule applied; the exit status is 1 when something is left that no rule
explains.
"""

import collections
import glob
import json
import os
import re
import subprocess
import sys

RULES = {
    "clone": "clones of constructors and destructors, which are one function (lcov: one each)",
    "instance": "lines of several instances of a template or functions of one line: all their branches count "
    "(lcov: of one; gcovr: numbered anew)",
    "probe": "what configure scripts and CMake compile to learn about the compiler (anneal: passed over)",
    "beyond": "lines beyond the end of the source, by #line, which the text of gcov does not show (gcovr: left out)",
    "bare": "lines with nothing but a brace, an else or a comment, never run or not by an instance (gcovr: no code)",
    "internal": "functions whose names begin with two underscores (gcovr: left out)",
    "unnamed": "functions that begin on lines of others, which the text of gcov does not name (gcovr: left out)",
}


class Source:
    """lines: number to count; functions: (name, line) to calls; branches: number to list of counts"""

    def __init__(self):
        self.lines, self.functions, self.branches = {}, {}, {}
        self.many = set()  # lines that several functions have
        self.bare = set()  # lines that gcovr takes for no code

    def totals(self):
        branches = [count for counts in self.branches.values() for count in counts]
        return [
            part
            for counts in (self.lines.values(), self.functions.values(), branches)
            for part in (sum(count > 0 for count in counts), len(counts))
        ]


def full(root, path):
    return os.path.realpath(os.path.join(root, path))


def read_anneal(root, path):
    sources = {}
    with open(path, encoding="utf-8") as file:
        for entry in json.load(file)["files"]:
            source = sources[full(root, entry["path"])] = Source()
            for line in entry["lines"]:
                number = line["line_number"]
                if number in source.lines:
                    source.many.add(number)
                source.lines[number] = source.lines.get(number, 0) + line["count"]
                source.branches.setdefault(number, []).extend(b["count"] for b in line["branches"])
            for function in entry["functions"]:
                key = function["demangled_name"], function["start_line"]
                source.functions[key] = source.functions.get(key, 0) + function["execution_count"]
            told = entry["totals"]
            names = "lines_executed", "lines", "functions_executed", "functions", "branches_taken", "branches"
            source.told = [told[name] for name in names]
    return sources


def demangled(names):
    done = subprocess.run(["c++filt", "--no-verbose"], input="\n".join(names), stdout=subprocess.PIPE, text=True, check=True)
    return dict(zip(names, done.stdout.split("\n")))


def read_lcov(root, path):
    """Functions have their mangled names."""
    sources, lines, calls = {}, {}, []
    source = None
    with open(path, encoding="utf-8") as file:
        for text in file:
            kind, _, rest = text.rstrip("\n").partition(":")
            parts = rest.split(",")
            if kind == "SF":
                source = sources.setdefault(full(root, rest), Source())
                lines = {}
            elif kind == "DA":
                source.lines[int(parts[0])] = int(parts[1])
            elif kind == "FN":
                lines[rest.partition(",")[2]] = int(parts[0])
            elif kind == "FNDA":
                name = rest.partition(",")[2]
                source.functions[name, lines[name]] = int(parts[0])
            elif kind == "BRDA":
                count = 0 if parts[3] == "-" else int(parts[3])
                source.branches.setdefault(int(parts[0]), []).append(count)
    return sources


def read_gcovr(root, path):
    sources = {}
    with open(path, encoding="utf-8") as file:
        for entry in json.load(file)["files"]:
            source = sources[full(root, entry["file"])] = Source()
            for line in entry["lines"]:
                if line["gcovr/noncode"]:
                    source.bare.add(line["line_number"])
                else:
                    source.lines[line["line_number"]] = line["count"]
                    source.branches[line["line_number"]] = [b["count"] for b in line["branches"]]
            for function in entry["functions"]:
                source.functions[function["name"], function["lineno"]] = function["execution_count"]
    return sources


def read_gcov(path):
    """Of each source, line and function the counts of branches."""
    sources = collections.defaultdict(lambda: collections.defaultdict(dict))
    with open(path, encoding="utf-8") as file:
        for text in filter(str.strip, file):
            told = json.loads(text)
            for entry in told["files"]:
                source = sources[full(told["current_working_directory"], entry["file"])]
                for line in entry["lines"]:
                    functions = source[line["line_number"]]
                    name, counts = line.get("function_name"), [b["count"] for b in line["branches"]]
                    old = functions.get(name, [0] * len(counts))
                    functions[name] = [one + other for one, other in zip(old, counts, strict=True)]
    return sources


def names_in_texts(folder):
    names = set()
    for path in glob.glob(folder + "/*.gcov"):
        with open(path, encoding="utf-8", errors="replace") as file:
            names.update(re.findall(r"^function (.*) called \d+ returned ", file.read(), re.MULTILINE))
    return names


def is_probe(path):
    return os.path.basename(path) == "conftest.c" or "/CMakeFiles/" in path and "/CompilerId" in path


def texts_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def is_bare(text):
    text = re.sub(r"//.*$", "", text)
    return re.sub(r"/\*.*?\*/", "", text).strip() in ("", "{", "}", "else")


class Comparison:
    def __init__(self):
        self.applied = collections.Counter()
        self.failed = 0

    def note(self, peer, rule, what):
        self.applied[peer, rule, what] += 1

    def fail(self, path, words):
        self.failed += 1
        if self.failed <= 20:
            print(f"  NOT EXPLAINED: {path}: {words}")

    def lines(self, peer, path, ours, theirs):
        texts = texts_of(path)
        for number in sorted(ours.lines.keys() | theirs.lines.keys()):
            mine, other = ours.lines.get(number), theirs.lines.get(number)
            if (mine is None) == (other is None) and (mine is None or (mine > 0) == (other > 0)):
                continue
            if other is None and peer == "gcovr" and number > len(texts):
                self.note(peer, "beyond", "lines")
            elif other is None and number in theirs.bare and is_bare(texts[number - 1]):
                self.note(peer, "bare", "lines")
            else:
                self.fail(path, f"line {number}: {mine}, {peer} has {other}")

    def branches(self, peer, path, ours, theirs):
        texts = texts_of(path)
        for number in sorted(ours.branches.keys() | theirs.branches.keys()):
            mine, other = ours.branches.get(number, []), theirs.branches.get(number, [])
            if len(mine) == len(other) and sum(n > 0 for n in mine) == sum(n > 0 for n in other):
                continue
            if peer == "gcovr" and number > len(texts):
                self.note(peer, "beyond", "lines with branches")
            elif number in theirs.bare:
                self.note(peer, "bare", "lines with branches")
            elif number in ours.many:
                self.note(peer, "instance", "lines with branches")
            else:
                self.fail(path, f"branches of line {number}: {mine}, {peer} has {other}")

    def all_branches(self, path, ours, theirs):
        for number in sorted(ours.branches.keys() | theirs.keys()):
            mine = ours.branches.get(number, [])
            other = [count for counts in theirs.get(number, {}).values() for count in counts]
            if len(mine) != len(other) or sum(n > 0 for n in mine) != sum(n > 0 for n in other):
                self.fail(path, f"branches of line {number}: {mine}, gcov has {other}")

    def functions(self, peer, path, ours, theirs, left_out):
        for key in sorted(ours.keys() | theirs.keys()):
            mine, other = ours.get(key), theirs.get(key)
            if mine is not None and other is not None and (mine > 0) == (other > 0):
                continue
            rule = left_out(key[0]) if other is None else None
            if rule:
                self.note(peer, rule, "functions")
            else:
                self.fail(path, f"function {key[0]}, line {key[1]}: {mine}, {peer} has {other}")

    def with_clones(self, path, ours, theirs, names):
        """lcov's functions, those of one name and line as one."""
        whole = collections.Counter()
        for (name, line), calls in theirs.items():
            key = names[name], line
            if key in whole:
                self.note("lcov", "clone", "functions")
            whole[key] = max(whole[key], calls)
        self.functions("lcov", path, ours, whole, lambda name: None)


def show(tool, sources):
    totals = [sum(parts) for parts in zip(*(source.totals() for source in sources))]
    cells = (f"{ran:6} of {all_:6}" for ran, all_ in zip(totals[::2], totals[1::2]))
    print(f"  {tool:8}" + "  ".join(f"{cell:16}" for cell in cells))


def main():
    root, anneal_json, lcov_info, gcovr_json, texts, *gcov_json = sys.argv[1:]
    root = os.path.realpath(root)
    gcov = read_gcov(gcov_json[0]) if gcov_json else {}
    anneal = read_anneal(root, anneal_json)
    lcov = read_lcov(root, lcov_info)
    gcovr = read_gcovr(root, gcovr_json)
    known = names_in_texts(texts)
    names = demangled(sorted({key[0] for source in lcov.values() for key in source.functions}))
    result = Comparison()

    def left_out(name):
        if name.startswith("__"):
            return "internal"
        return None if name in known else "unnamed"

    for path in sorted(anneal.keys() | lcov.keys() | gcovr.keys()):
        is_ours = path.startswith(root + "/")
        if path not in anneal and is_probe(path):
            result.note("lcov, gcovr", "probe", "sources")
            continue
        if path not in anneal or path not in lcov or (is_ours and path not in gcovr):
            result.fail(path, "not a source of every tool")
            continue
        ours = anneal[path]
        if ours.told != ours.totals():
            result.fail(path, f"totals {ours.told}, in the file {ours.totals()}")
        result.lines("lcov", path, ours, lcov[path])
        result.branches("lcov", path, ours, lcov[path])
        result.with_clones(path, ours.functions, lcov[path].functions, names)
        if gcov_json:
            result.all_branches(path, ours, gcov[path])
        if is_ours:
            result.lines("gcovr", path, ours, gcovr[path])
            result.branches("gcovr", path, ours, gcovr[path])
            result.functions("gcovr", path, ours.functions, gcovr[path].functions, left_out)
    print(f"  {'':8}{'lines':18}{'functions':18}branches taken")
    for tool, sources in (("anneal", anneal), ("lcov", lcov), ("gcovr", gcovr)):
        show(tool, [s for path, s in sources.items() if path in anneal and path.startswith(root + "/")])
    for (peer, rule, what), count in sorted(result.applied.items()):
        print(f"  {peer}: {count} {what}: {RULES[rule]}")
    print(f"  {result.failed} differences are not explained" if result.failed else "  every difference is explained")
    sys.exit(result.failed > 0)


main()
