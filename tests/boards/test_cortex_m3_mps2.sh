#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The bare-metal runtime on a 32-bit processor.
#
# usage: test_cortex_m3_mps2.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
board=cortex-m3-mps2
cores=1
cross=arm-none-eabi-
gcov=arm-none-eabi-gcov
emulator=qemu-system-arm
# shellcheck source=tests/boards/board.sh
. "$tests/boards/board.sh"
tier long

# A program with newlib ends by its exit(), behind its exit handlers, which are counted.
with_libc() {
    cat >with_libc.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "bare/bare.h"
void _fini(void); /* newlib's own start code would have it */
void _fini(void) {}
static void handler(void)
{
    an_bare_print("the handler ran\n");
}
int main(void)
{
    char text[40];
    atexit(handler);
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%d of %s\n", i, "three");
        an_bare_print(text);
    }
    exit(0);
}
END
    image gcc SRCS="$PWD/with_libc.c" CFLAGS='-O2 -ftest-coverage' \
        LIBRARIES='-lc -lnosys -lgcc -Wl,--defsym=end=__heap_end' HEAP=20000
    start
    grep -q '^2 of three' session.log
    extract_objects session.log
    cd made
    mv with_libc.gcda0 with_libc.gcda
    same <(gcc_counts "$gcov" with_libc.gcda) <(printf '%s\n' '_fini 0' 'handler 1' 'main 1')
}

# An object with records of its own among those that have none: nothing is written, and the log says why.
correlated_mixed() {
    echo 'int other(int x); int other(int x) { return x > 2 ? x : 3; }' >other.c
    clang-19 --target=thumbv7m-none-eabi -mcpu=cortex-m3 -O2 -fprofile-generate -c other.c -o other.o
    image clang PROFILE=correlated CPPFLAGS=-DENDS LIBRARIES="$PWD/other.o -lgcc"
    start
    grep -q '^objects that are not built with -mllvm -profile-correlate have no place in default.profraw' session.log
    expect "$(grep -c '^begin ' session.log)" 0
}

board_cases
check_with "$emulator ${cross}gcc clang-19 make" "$board: counters only, and an object with more" correlated_mixed
check_with "$emulator ${cross}gcc $gcov make jq" "$board: a program with a libc" with_libc
finish
