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
board_cases
finish
