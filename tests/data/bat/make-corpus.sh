#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# make-corpus.sh BOLT17 BOLT18
#
# Makes the files in this folder from the program in tests/data/bat/src: what llvm-bolt of several
# versions writes as its address translation. BOLT17 and BOLT18 are commands that run llvm-bolt of
# LLVM 17 and 18, which Debian 12 does not have (in a chroot of a later Debian, say); 19 is at hand.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
bolt17=$1
bolt18=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

g++ -O2 -fno-reorder-blocks-and-partition -Wl,-q -Wl,--build-id=none "$here"/src/*.cpp \
    -o shapes
/usr/lib/llvm-19/bin/llvm-bolt shapes -o train -instrument -instrumentation-file="$work/fdata"
./train 100

bolt() { # COMMAND RESULT
    $1 shapes -o "$2" -data=fdata -reorder-blocks=ext-tsp -reorder-functions=hfsort \
        -split-functions -split-all-cold --enable-bat --lite
}
bolt "$bolt17" llvm17
bolt "$bolt18" llvm18
bolt /usr/lib/llvm-19/bin/llvm-bolt llvm19

# RESULT FILE: the section; RESULT FILE elf: a binary of nothing but its program headers, the section,
# and the symbols of functions.
cat >extract.py <<'PY'
import struct, sys
data = open(sys.argv[1], 'rb').read()
programs, headers = struct.unpack_from('<QQ', data, 32)
program_size, program_count, size, count, names = struct.unpack_from('<HHHHH', data, 54)
sections = [struct.unpack_from('<IIQQQQIIQQ', data, headers + i * size) for i in range(count)]
def name(at, table):
    at += sections[table][4]
    return data[at:data.index(b'\0', at)]
def content(section):
    return data[section[4]:section[4] + section[5]]
note = [content(s) for s in sections if name(s[0], names) == b'.note.bolt_bat'][0]
if len(sys.argv) < 4:
    open(sys.argv[2], 'wb').write(note)
    sys.exit()
table = [s for s in sections if s[1] == 2][0]
symbols, strings, locals_ = bytes(24), b'\0', 1
for at in range(0, table[5], 24):
    symbol = list(struct.unpack_from('<IBBHQQ', content(table), at))
    if symbol[1] & 15 == 2 and symbol[3] and symbol[4] >= 0x400000:
        text = name(symbol[0], table[6])
        symbol[0] = len(strings)
        symbol[3] = 0xfff1 if symbol[3] == 0xfff1 else 1
        strings += text + b'\0'
        symbols += struct.pack('<IBBHQQ', *symbol)
        locals_ += symbol[1] >> 4 == 0
loads = b''
for i in range(program_count):
    kind, flags, _, address, _, _, memory, align = struct.unpack_from(
        '<IIQQQQQQ', data, programs + i * program_size)
    if kind == 1 and flags & 1:
        loads += struct.pack('<IIQQQQQQ', 1, flags, 0, address, address, 0, memory, align)
labels = b'\0.note.bolt_bat\0.symtab\0.strtab\0.shstrtab\0'
out, at = b'', 64 + len(loads)
table = bytes(64)
for label, kind, body, link, info, entry in (
        (b'.note.bolt_bat', 7, note, 0, 0, 0), (b'.symtab', 2, symbols, 3, locals_, 24),
        (b'.strtab', 3, strings, 0, 0, 0), (b'.shstrtab', 3, labels, 0, 0, 0)):
    table += struct.pack('<IIQQQQIIQQ', labels.index(label + b'\0'), kind, 0, 0, at + len(out),
                         len(body), link, info, 8, entry)
    out += body + bytes(-len(body) % 8)
header = data[:16] + struct.pack('<HHIQQQIHHHHHH', 2, 62, 1, 0, 64, at + len(out), 0, 64, 56,
                                 len(loads) // 56, 64, 5, 4)
open(sys.argv[2], 'wb').write(header + loads + out + table)
PY
for version in 17 18 19; do
    python3 extract.py llvm$version "$here/sections/shapes-llvm$version.bat"
done
python3 extract.py llvm18 "$here/shapes-llvm18.elf" elf
