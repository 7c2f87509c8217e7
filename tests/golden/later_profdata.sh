# SPDX-License-Identifier: Apache-2.0
#
# llvm-profdata of a later LLVM, and anneal under its name, asked the same (tests/support/profdata_table.py): all options in all
# spellings, and all kinds of damage. Sourced by a test for each version, since each takes minutes: the tools start some
# ten thousand times.
#
# The tool is that of the system, or the one in the folder that scripts/compilers makes. It is started by that folder's own
# loader: what chroot needs, this does not.
#
#     later VERSION
#
# shellcheck shell=bash disable=SC2154

# of_root ROOT VERSION: a tool of that version in the present folder, as "peer"
of_root() {
    local root=$1 version=$2
    printf '#!/bin/sh\nexec %s --argv0 ./llvm-profdata-%s --library-path %s %s "$@"\n' \
        "$root/lib64/ld-linux-x86-64.so.2" "$version" \
        "$root/usr/lib/x86_64-linux-gnu:$root/usr/lib/llvm-$version/lib" \
        "$root/usr/lib/llvm-$version/bin/llvm-profdata" >peer
    chmod +x peer
}

# table VERSION KIND TOOL [ROOT]
table() {
    local tool=$3
    if [ -n "${4-}" ]; then
        of_root "$4" "$1"
        tool=$PWD/peer
    fi
    python3 "$tests/support/profdata_table.py" "$2" "$scratch/llvm-profdata-$1" "$tool" "$tests/data/llvm"
}

later() {
    local version=$1 tool root=
    ln -s "$anneal" "$scratch/llvm-profdata-$version"
    if ! tool=$(command -v "llvm-profdata-$version"); then
        root=$("$tests/../scripts/compilers" --path 2>/dev/null) || root=
        if [ ! -e "$root/usr/lib/llvm-$version/bin/llvm-profdata" ]; then
            skip "llvm-profdata $version" 'no later compilers: scripts/compilers makes a folder with them'
            return
        fi
    fi
    check "llvm-profdata $version: all options in all spellings" table "$version" options "$tool" "$root"
    check "llvm-profdata $version: all kinds of damage" table "$version" damage "$tool" "$root"
}
