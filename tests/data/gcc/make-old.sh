#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# make-old.sh
#
# Makes, in gcc-5-avr, with avr-g++, avr-gcov and avr-gcov-tool of GCC 5.4 (Debian 12's gcc-avr):
#
#     flow.gcno                the control flow of src/flow.cpp, for an AVR
#     flow.gcda, again.gcda    counts of runs that were made up (tests/support/walk_gcno.py): there is no board
#     flow.txt                 what avr-gcov prints and writes of flow.gcda, for each line of gcov-options-old
#     sum.gcda                 what avr-gcov-tool makes of both
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
to=$here/gcc-5-avr
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$to" "$work/include" "$work/one" "$work/two"
cd "$work"
# What the source needs of a library that avr-g++ does not have
echo 'namespace std { int printf(const char *, ...); }' >include/cstdio
echo 'namespace std { int atoi(const char *); void exit(int) __attribute__((noreturn)); }' >include/cstdlib
cp "$here"/src/{flow.cpp,part.inc,shared.h} .
touch -d 2020-01-01 flow.cpp part.inc shared.h
avr-g++ -std=c++11 -fexceptions -O0 --coverage -mmcu=atmega2560 -isystem include -c flow.cpp
python3 "$here/../../support/walk_gcno.py" flow.gcno flow.gcda 3 2
python3 "$here/../../support/walk_gcno.py" flow.gcno again.gcda 4 1
cp flow.gcno flow.gcda again.gcda "$to"
cp flow.gcda one/flow.gcda
cp again.gcda two/flow.gcda
avr-gcov-tool merge -o sum one two
cp sum/flow.gcda "$to/sum.gcda"
while read -r options; do
    echo "== $options"
    # shellcheck disable=SC2086 # words
    avr-gcov $options flow.gcda 2>&1
    for file in *.gcov; do
        [ ! -e "$file" ] || { echo "-- $file" && cat "$file" && rm "$file"; }
    done
done <"$here/gcov-options-old" >"$to/flow.txt"
