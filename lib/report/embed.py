#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a C file of files: embed.py OUTPUT FILE... (see assets.h)."""
import os
import sys


def literal(data):
    """Lines of a C string; octal digits, three each, cannot run into what follows."""
    plain = set(range(0x20, 0x7F)) - set(b'"\\?')
    for start in range(0, len(data), 64):
        part = data[start : start + 64]
        yield '"' + "".join(chr(c) if c in plain else "\\%03o" % c for c in part) + '"'


def main():
    output, paths = sys.argv[1], sys.argv[2:]
    lines = ['/* Made by embed.py. */', '#include "report/assets.h"', ""]
    lines.append("const struct an_report_asset an_report_assets[] = {")
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        lines.append('    {"%s",' % os.path.basename(path))
        lines.extend("     " + line for line in literal(data))
        lines.append("     , %d}," % len(data))
    lines.append("};")
    lines.append("const size_t an_report_asset_count = %d;" % len(paths))
    with open(output, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


main()
