#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The bare-metal runtime on four RISC-V harts that have data of their own.
#
# usage: test_riscv64_virt.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
board=riscv64-virt
cores=4
cross=riscv64-unknown-elf-
gcov=riscv64-unknown-elf-gcov
emulator=qemu-system-riscv64
# shellcheck source=tests/boards/board.sh
. "$tests/boards/board.sh"
tier long
# Four cores' files of each module find their way into the second pass of anneal cc.
two_passes() {
    # shellcheck disable=SC2016 # make's variable
    local wrapped='anneal cc riscv64-unknown-elf-gcc $(GCC_FLAGS)'
    local make=(make -s -C "$bare" BOARD="$board" PROFILE= OUT="$PWD/made" CPPFLAGS=-DENDS gcc="$wrapped")
    mkdir bin
    ln -s "$anneal" bin/anneal
    export PATH=$PWD/bin:$PATH ANNEAL_PROFILE_DIR=$PWD/store
    run 0 "${make[@]}" image # with the runtime, which counts nothing
    rm made/main.o made/packets.o made/image.elf
    FDO_PASS=1 run 0 "${make[@]}" image
    timeout 50 "${make[@]}" run >session.log </dev/null
    run 0 anneal extract -C / session.log
    expect "$(find store/gcc -name '*.gcda[0-3]' | wc -l)" 8
    rm made/main.o made/packets.o made/image.elf
    FDO_PASS=2 run 0 "${make[@]}" image
    says '2 of 2 files have a profile'
    riscv64-unknown-elf-gcov-dump -l "$(find store/use -name packets.gcda)" >dump
    grep -q 'runs=4,' dump
}

board_cases
check_with "$emulator ${cross}gcc ${cross}gcov-dump make" "$board: a build in two passes" two_passes
finish
