#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes what lies here, which fuzz/fuzz_partial.c begins with, of the corpus in ../llvm: partial results, and the account and the
# content of each, decompressed.
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
    tail -c +57 "$name.partial" | head -c "$account" | zstd -q -d >"$name.account"
    tail -c "$content" "$name.partial" | zstd -q -d >"$name.content"
}

seed values raw/c-ir-clang19-run1.profraw raw/c-ir-clang19-run2.profraw raw/c-csir-clang19-run1.profraw
seed bitmaps raw/cond-fe-mcdc-clang19-run1.profraw raw/cond-fe-mcdc-clang19-run2.profraw
seed vtables raw/cxx-ir-vtable-clang19-run1.profraw
seed traces raw/c-ir-temporal-clang19-run1.profraw raw/c-ir-temporal-clang19-run2.profraw
