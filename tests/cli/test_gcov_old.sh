#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Files of GCC 4.7 to 7, of which 5.4 is at hand, as a compiler for a board: what `anneal gcov` says of them is what their own
# gcov said (tests/data/gcc/make-old.sh), and in the long tier, what it says of many sources that were made up.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

data=$tests/data/gcc
old=$data/gcc-5-avr

take() {
    cp "$data"/src/{flow.cpp,part.inc,shared.h} "$old"/flow.gc?? .
    touch -d 2020-01-01 flow.cpp part.inc shared.h
}

# all COMMAND...: what it prints and writes with each of the options
all() {
    local options file
    while read -r options; do
        echo "== $options"
        # shellcheck disable=SC2086
        "$@" $options flow.gcda 2>&1 || echo "exit status $?"
        for file in *.gcov; do
            [ ! -e "$file" ] || { echo "-- $file" && cat "$file" && rm "$file"; }
        done
    done <"$data/gcov-options-old"
}

as_made() {
    take
    all "$anneal" gcov --gcc-version=5 >out
    same out "$old/flow.txt"
}

# The compiler need not be named, but for -i: with JSON can do who did not ask for it
as_found() {
    take
    run 0 "$anneal" gcov -t -a flow.gcda
    mv out named
    run 0 "$anneal" gcov --gcc-version=5 -t -a flow.gcda
    same out named
    prints 'Programs:2'
    run 0 "$anneal" gcov -t -i flow.gcda
    prints '"format_version": "1"'
    prints '"gcc_version": "12.'
    run 0 "$anneal" gcov --gcc-version=12 -t -b flow.gcda
    ! grep 'Programs:' out
}

# Lines that the source does not have, and no source at all
without_source() {
    take
    head -n 15 "$data/src/flow.cpp" >flow.cpp
    touch -d 2020-01-01 flow.cpp
    run 0 "$anneal" gcov -t flow.gcda
    prints '        2:   19:/*EOF*/'
    rm flow.cpp
    run 0 "$anneal" gcov -t flow.gcda
    prints '        3:   10:/*EOF*/'
    says 'Cannot open source file flow.cpp'
}

# Functions without counts are not in the program
without_counts() {
    take
    rm flow.gcda
    run 0 "$anneal" gcov -f flow.gcda
    prints "Removing 'flow.cpp.gcov'"
    ! grep '^Function' out
}

# Sums are gcov-tool's; it makes one program with one run of all that it finds
merged() {
    take
    mkdir one two
    cp flow.gcda one
    cp "$old/again.gcda" two/flow.gcda
    run 0 "$anneal" gcov-tool merge -o sum one two
    cp sum/flow.gcda .
    all "$anneal" gcov | grep -v ':    0:' >ours
    cp "$old/sum.gcda" flow.gcda
    all "$anneal" gcov | grep -v ':    0:' >theirs
    same ours theirs
    run 0 "$anneal" show sum/flow.gcda
    prints '4 runs of a program, 3 runs of a program'
}

# made_up SEED: whatever branches, in texts that are one line or many, optimized or not
made_up() {
    local language=c options=-std=gnu99 compiler=avr-gcc
    [ $(($1 % 2)) = 1 ] || { language=c++ && compiler=avr-g++ && options=-fexceptions; }
    python3 "$tests/support/made_up_source.py" "$1" "$language" >flow.c
    touch -d 2020-01-01 flow.c
    "$compiler" "-O$(($1 % 3))" $options -x "$language" --coverage -mmcu=atmega2560 -c flow.c
    python3 "$tests/support/walk_gcno.py" flow.gcno flow.gcda "$1" $(($1 % 3))
    all timeout 3 avr-gcov >expected
    all "$anneal" gcov --gcc-version=5 >out
    # Blocks of a line may be too many for it
    grep -q 'exit status 124' expected || same out expected
}

many() {
    local seed compared=0
    for seed in $(seq "${SEEDS:-40}"); do
        made_up "$seed" || { echo "# seed $seed" && return 1; }
        grep -q 'exit status 124' expected || compared=$((compared + 1))
    done
    [ "$compared" -ge $((${SEEDS:-40} / 2)) ]
}

check 'what gcov 5.4 printed and wrote' as_made
check 'the compiler of the files chooses the gcov' as_found
check 'lines without a text have their counts' without_source
check 'functions without counts are left out' without_counts
check 'sums are those of gcov-tool 5.4' merged
check_with 'avr-gcc avr-g++ avr-gcov' 'made-up sources are told of as by avr-gcov' many
finish
