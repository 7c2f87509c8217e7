#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# convert for GCC's counter files: other compilers and gcov-dump take what it writes.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

golden=$tests/data/gcc

# Another release takes the profile, and no other file.
other_compiler() {
    local version
    version=$(gcc-11 -dumpfullversion)
    cp "$golden"/src/{values.c,flow.cpp,shared.h,part.inc} .
    gcc -O2 -fprofile-generate -fprofile-update=single -c values.c
    gcc -fprofile-generate values.o -o values
    g++ -O2 -fprofile-generate -fprofile-update=single -c flow.cpp
    g++ -fprofile-generate flow.o -o flow
    ./values 300 >/dev/null
    ./flow 40 >/dev/null
    run 0 gcc-11 -O2 -fprofile-use -Wmissing-profile -c values.c
    says 'expected version'
    for module in values flow; do
        mv $module.gcda $module.gcda12
        run 0 "$anneal" convert --gcc-version="$version" -o $module.gcda $module.gcda12
        says "gcda of GCC ${version%.*})"
    done
    run 0 gcc-11 -O2 -fprofile-use -Werror=missing-profile -Werror=coverage-mismatch -c values.c
    expect "$(cat err)" ''
    run 0 g++-11 -O2 -fprofile-use -Werror=missing-profile -Werror=coverage-mismatch -c flow.cpp
    expect "$(cat err)" ''
    for module in values flow; do
        counters_of gcov-dump $module.gcda12 >before
        counters_of gcov-dump-11 $module.gcda >after
        diff before after
        [ -s after ]
    done
}

# counters_of GCOV_DUMP FILE
counters_of() {
    "$1" -l "$2" | awk '/:FUNCTION / { sub(".*ident=", ""); print }
        /:COUNTERS / { sub(".*COUNTERS ", ""); print }
        /: +[0-9]+: / { sub("^[^:]*: *", ""); print }'
}

# A big-endian file for the machine at hand, which gcov-dump reads either way.
orders() {
    cp "$golden/gcc-12-s390x/values-all.gcda" big.gcda
    run 0 "$anneal" convert -q --little-endian -o little.gcda big.gcda
    expect "$(cat err)" ''
    expect "$(head -c 4 little.gcda)" adcg
    counters_of gcov-dump big.gcda >before
    counters_of gcov-dump little.gcda >after
    diff before after
    [ -s after ]
    run 0 "$anneal" convert -q --big-endian little.gcda
    same out big.gcda
    run 0 "$anneal" convert - <big.gcda
    same out big.gcda
}

leaves_out() {
    run 0 "$anneal" convert --gcc-version=12.3.0 -o result "$golden/gcc-15/values-all.gcda"
    says 'GCC 12.3 cannot hold the conditions counters of' 'GCC 12.3 cannot hold the paths counters of' \
        '-> result (' 'gcda of GCC 12.3)'
}

# GCC 16 has the layout of 15, conditions and paths included: the bytes of its runtime come back.
newest() {
    local of_16=$tests/data/runtime/gcc-16.gcda
    run 0 "$anneal" convert -q --gcc-version=15.3 -o older.gcda "$of_16"
    expect "$(cat err)" ''
    expect "$(head -c 8 older.gcda)" 'adcg*35B'
    run 0 "$anneal" convert -q --gcc-version=16.2 older.gcda
    same out "$of_16"
}

refuses() {
    local one=$golden/gcc-12/values-1.gcda version
    for version in 12 12. x 12.x 12.2.x 12.2.1.1 .2 123.1 ''; do
        run 2 "$anneal" convert --gcc-version="$version" -o result "$one"
        says 'expected MAJOR.MINOR' 'gcc -dumpfullversion'
    done
    run 1 "$anneal" convert --gcc-version=8.3 -o result "$one"
    says 'cannot convert to GCC 8.3'
    run 1 "$anneal" convert --gcc-version=3.4 -o result "$one"
    says 'GCC 3.4 is not a version from 4.7 to 16'
    run 2 "$anneal" convert --text -o result "$one"
    says 'anneal show --all-functions --counts --json'
    run 2 "$anneal" convert --format-version=7 -o result "$one"
    says 'this is a GCC profile (use --gcc-version)'
    run 2 "$anneal" convert --sparse -o result "$one"
    run 2 "$anneal" convert --big-endian -o result "$corpus/raw/c-ir-clang19-run1.profraw"
    says '--big-endian applies only to GCC profiles (gcda)'
    head -c 300 "$one" >torn.gcda
    run 1 "$anneal" convert --gcc-version=12.3 -o result torn.gcda
    says 'torn.gcda: at byte 300'
    mkdir folder
    cp "$one" folder
    run 2 "$anneal" convert --gcc-version=12.3 -o result folder
    says 'is a folder'
    [ ! -e result ]
    cp "$one" kept.gcda
    run 1 "$anneal" convert --gcc-version=8.3 -o kept.gcda kept.gcda
    same kept.gcda "$one"
}

check_with 'gcc gcc-11 g++ g++-11 gcov-dump gcov-dump-11' 'another release takes the profile' \
    other_compiler
check_with 'gcov-dump' 'byte orders' orders
check 'what another release does not have is told' leaves_out
check 'GCC 16' newest
check 'what is refused' refuses
finish
