#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# llvm-profdata 22 and anneal under its name, asked the same.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/golden/later_profdata.sh
. "$(dirname "$0")/later_profdata.sh"

tier long
later 22
finish
