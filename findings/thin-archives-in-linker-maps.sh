#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# How the maps (-Map=) of four linkers name a member of a thin archive that was taken.
#
# Versions: GNU ld and gold of binutils 2.40-2, mold 1.10.1+dfsg-1, lld 19.1.7-3~deb12u1.
# Likely guess: ARCHIVE(MEMBER), as of other archives, in each linker's map, with MEMBER as `ar t` prints it.
# Behaviour: of other archives all four say lib/libparts.a(used.o). Of a thin one, GNU ld does not name the archive at all: to it
# the member is an object like those of the command line. gold and mold name the archive, and the member with its folder; lld
# names the archive, and the member without its folder.
# What to do: who looks for what an archive gave must know whether it is thin, and take the file's own name for it, too.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
unpack {binutils-x86-64-linux-gnu,libbinutils,libctf0,libctf-nobfd0}=2.40-2 mold=1.10.1+dfsg-1 \
    {lld-19,libllvm19}=1:19.1.7-3~deb12u1
bin=$root/usr/bin
mkdir lib
assemble() { "$bin/x86_64-linux-gnu-as" -o "$1.o" -; }
echo '.globl _start; _start: call used' | assemble main || exit 2
echo '.globl used; used: ret' | assemble lib/used || exit 2
echo '.globl spare; spare: ret' | assemble lib/spare || exit 2

# named LINKER: what the map calls the member
named() {
    "$@" -static -o program main.o lib/libparts.a -Map=map 2>err || {
        cat err
        exit 2
    }
    grep -oE '[a-z/.]*[(]?[a-z/]*used\.o[)]?' map | sort -u | tr '\n' ' '
}

for kind in '' T; do
    rm -f lib/libparts.a
    "$bin/x86_64-linux-gnu-ar" "rc${kind}s" lib/libparts.a lib/used.o lib/spare.o || exit 2
    what=${kind:+thin, }
    usual='lib/libparts.a(used.o) '
    seen "${what}GNU ld" "${kind:+lib/used.o }$([ -n "$kind" ] || echo "$usual")" "$(named "$bin/x86_64-linux-gnu-ld.bfd")"
    seen "${what}gold" "$([ -n "$kind" ] && echo 'lib/libparts.a(lib/used.o) ' || echo "$usual")" \
        "$(named "$bin/x86_64-linux-gnu-ld.gold")"
    seen "${what}mold" "$([ -n "$kind" ] && echo 'lib/libparts.a(lib/used.o) ' || echo "$usual")" "$(named "$bin/mold")"
    seen "${what}lld" "$usual" "$(named "$bin/ld.lld-19")"
done
end
