#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A board brought up as docs/guides/boards.md tells: its texts are what is tested.
#
# usage: test_guide.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
board=my-board
cores=1
# shellcheck source=tests/boards/board.sh
. "$tests/boards/board.sh"
tier long
guide=$tests/../docs/guides/boards.md

# from_guide LANGUAGE: its block of code
from_guide() {
    awk -v fence="\`\`\`$1" '$0 == "```" { inside = 0 } inside { print } $0 == fence { inside = 1 }' "$guide" >text
    [ -s text ] || fail "nothing for $1 in the guide"
    cat text
}

follow() {
    mkdir my-board bin
    ln -s "$anneal" bin/anneal
    from_guide c >my-board/board.c
    from_guide ld >my-board/board.ld
    from_guide make >my-board/board.mk
    expect "$(cat my-board/* | wc -l)" 60
    # The second of the commands is what start does.
    from_guide sh | first | sed "s#BOARD=#COMPILER=$1 &#" >first.sh
    PATH=$PWD/bin:$PATH run 0 bash -e first.sh
    grep -q '^libanneal_rt  *[0-9]* *[0-9]*$' out
    start 'has taken its packets' BOARDS="$PWD" COMPILER="$1"
    extract session.log
    expect "$(grep -c '^Done dumping files on core 0' session.log)" 1
}

with_gcc() {
    follow gcc
    same <(find made -name '*.gcda0' | sed 's#.*/##' | sort) <(printf '%s\n' main.gcda0 packets.gcda0)
}

with_clang() {
    follow clang
    expect "$(shown made/default.profraw0 | grep -c 'take_.*:$')" 4
}

tools='qemu-system-arm arm-none-eabi-gcc make'
check_with "$tools" 'the guide, with gcc' with_gcc
check_with "$tools clang-19 llvm-profdata-19" 'the guide, with clang' with_clang
finish
