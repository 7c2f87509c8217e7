#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes the small recordings that fuzzing begins with, and the text that perf makes of them.
#
# usage: make-seeds.sh MAKE_RECORDING          (tests/make_recording in the build folder)
set -euo pipefail
export LC_ALL=C PERF_CONFIG=/dev/null
make=$(realpath "$1")
cd "$(dirname "$0")"

recording() {
    local name=$1
    shift
    "$make" few "$@" >"perf/$name.data"
}

recording plain
recording big big
recording pipe pipe
recording big-pipe big pipe
recording compressed z
recording compressed2 z2
recording compressed-pipe z pipe
recording two-events two hwindex chains

for fields in pid,ip,brstack comm,pid,tid,cpu,time,period,event,addr,ip,brstack \
    pid,tid,time,ip,sym,brstack; do
    perf script -i perf/plain.data -G -F $fields --show-mmap-events --show-task-events \
        >"script/${fields//,/-}.txt"
done
