#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes the libraries of this folder, which are for fuzzing: instrumented by clang 19 and linked without a runtime, with their
# data in sections that are not loaded (binary), or with debug information (dwarf4, dwarf5).
set -eu
cd "$(dirname "$0")"
cat >two.c <<'EOF'
static int twice(int x) { return x > 3 ? 2 * x : x; }
int both(int x) { return twice(x) + 1; }
EOF
make() {
    name=$1
    how=$2
    shift 2
    clang-19 -O1 -fPIC -fprofile-instr-generate -mllvm "-profile-correlate=$how" "$@" -c two.c -o two.o
    clang-19 -shared -nostdlib -Wl,--build-id,-z,noseparate-code two.o -o "$name.so"
}
make binary binary
make dwarf4 debug-info -gdwarf-4
make dwarf5 debug-info -gdwarf-5
rm two.c two.o
