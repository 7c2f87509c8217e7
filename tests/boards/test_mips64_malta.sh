#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The bare-metal runtime on a big-endian processor.
#
# usage: test_mips64_malta.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
board=mips64-malta
cores=1
cross=mips64-linux-gnuabi64-
gcov=mips64-linux-gnuabi64-gcov-12
emulator=qemu-system-mips64
# shellcheck source=tests/boards/board.sh
. "$tests/boards/board.sh"
board_cases
finish
