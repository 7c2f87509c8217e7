#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What lld's map (-Map=) says of archives when their members are bitcode (clang -flto).
#
# Version: lld, llvm 19.1.7-3~deb12u1.
# Likely guess: the map names the members that were taken out of an archive, as it does of objects.
# Behaviour: it names neither an input file nor an archive, only PROGRAM.lto.o, an object that lld has made of all of them and
# that exists nowhere. Nothing in the map tells a member that was taken from one that was not.
# What to do: do not conclude from a map without its name that a member was left out; --why-extract=FILE names it.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
unpack {lld-19,llvm-19,libllvm19}=1:19.1.7-3~deb12u1
bin=$root/usr/lib/llvm-19/bin
assemble() {
    {
        echo 'target triple = "x86_64-pc-linux-gnu"'
        echo 'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"'
        cat
    } | "$bin/llvm-as" -o "$1" - || exit 2
}
assemble main.o <<'END'
declare void @used()
define void @_start() {
  call void @used()
  ret void
}
END
echo 'define void @used() noinline { ret void }' | assemble used.o
echo 'define void @spare() { ret void }' | assemble spare.o
"$bin/llvm-ar" rcs libparts.a used.o spare.o || exit 2
"$bin/ld.lld" -static -o program main.o libparts.a -Map=map --why-extract=why || exit 2

names() { grep -oE "[a-z./]*(main|used|spare|lto)[a-z]*\.o\)?" "$1" | sort -u | tr '\n' ' '; }
seen 'objects that the map names' 'program.lto.o ' "$(names map)"
seen 'lines of the map with the archive' 0 "$(grep -c libparts.a map)"
seen 'what --why-extract names' 'libparts.a(used.o) main.o ' "$(tail -n +2 why | grep -oE '[a-z.]+[(]?[a-z]*\.o[)]?' | sort -u | tr '\n' ' ')"
end
