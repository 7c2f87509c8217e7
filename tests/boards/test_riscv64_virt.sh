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
board_cases
finish
