#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes the profiles in the folder llvm-22: what perf2bolt of that version makes of the pre-aggregated files traces.txt
# (traces, returns, and branches and runs alone) and samples.txt (sampled addresses, and the name of their event), for
# binaries/fixed.
# Debian 12 has it as bolt-22.
#
# usage: make-traces.sh FOLDER-OF-PERF2BOLT
set -euo pipefail
export LC_ALL=C
bin=$(realpath "$1")
cd "$(dirname "$0")"
"$bin/perf2bolt" --pa -p preaggregated/traces.txt -o llvm-22/traces.fdata binaries/fixed >/dev/null
"$bin/perf2bolt" --pa --ba -p preaggregated/samples.txt -o llvm-22/samples.fdata binaries/fixed >/dev/null
