#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes what lies here, which fuzz/fuzz_partial.c begins with, of the corpora in ../llvm and ../gcc: partial results, and the
# account and the content of each, decompressed.
#
# usage: make-seeds.sh ANNEAL
set -euo pipefail
anneal=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../llvm"

# number FILE AT: eight bytes
number() { od -An -v -t u8 -j "$2" -N 8 "$1" | tr -d ' '; }

# seed NAME INPUT...
seed() {
    local name=$here/$1 account content
    "$anneal" merge -q --partial -o "$name.partial" "${@:2}"
    account=$(number "$name.partial" 16)
    content=$(number "$name.partial" 32)
    tail -c +57 "$name.partial" >"$name.rest"
    head -c "$account" "$name.rest" | zstd -q -d >"$name.account"
    rm "$name.rest"
    tail -c "$content" "$name.partial" | zstd -q -d >"$name.content"
}

seed values raw/c-ir-clang19-run1.profraw raw/c-ir-clang19-run2.profraw raw/c-csir-clang19-run1.profraw
seed bitmaps raw/cond-fe-mcdc-clang19-run1.profraw raw/cond-fe-mcdc-clang19-run2.profraw
seed vtables raw/cxx-ir-vtable-clang19-run1.profraw
seed traces raw/c-ir-temporal-clang19-run1.profraw raw/c-ir-temporal-clang19-run2.profraw

# runs VERSION: two runs of a program of two objects, of which one is missing in the second
runs() {
    mkdir -p "$work/$1/1" "$work/$1/2"
    cp "../gcc/$1/values-1.gcda" "$work/$1/1/values.gcda"
    cp "../gcc/$1/right-a.gcda" "$work/$1/1/right.gcda"
    cp "../gcc/$1/right-b.gcda" "$work/$1/2/right.gcda"
    seed "$1" "$work/$1/1" "$work/$1/2"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for version in gcc-9 gcc-10 gcc-12 gcc-12-s390x; do
    runs "$version"
done
seed clang ../gcc/clang-14/flow-408-1.gcda ../gcc/clang-14/flow-408-2.gcda
