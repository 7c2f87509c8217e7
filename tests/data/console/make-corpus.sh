#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes the golden files in this folder: what libgcov prints of a program without a file system, and the
# counter files that gcov-tool makes of it. Needs gcc and gcov-tool of the versions named, 13 or newer
# (Debian 13 has 13 and 14).
#
#     make-corpus.sh [VERSION]...
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
build=/tmp/anneal-console-corpus
for version in "${@:-14}"; do
    rm -rf "$build"
    mkdir -p "$build" "$here/gcc-$version"
    cp "$here"/src/* "$build"
    cd "$build"
    "gcc-$version" -O1 --coverage -fprofile-info-section -c app.c work.c
    "gcc-$version" -no-pie app.o work.o -Wl,-T,list.ld -lgcov -o app
    ./app >stream.bin
    "gcov-tool-$version" merge-stream stream.bin
    cp stream.bin app.gcda work.gcda "$here/gcc-$version"
done
rm -rf "$build"
