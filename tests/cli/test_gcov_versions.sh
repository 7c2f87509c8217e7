#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The gcov personality speaks as the gcov of the release that made a file, or of the one that is asked for: beside what
# gcov 9 to 16 printed, byte for byte (tests/data/gcc/make-gcov.sh).
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

data=$(realpath "$(dirname "$0")/../data/gcc")

# take VERSION: its files, and the source that is older than they
take() {
    cp "$data/gcc-$1"/words.gc?? "$data/src/words.cpp" .
    touch -d 2020-01-01 words.cpp
    touch -d 2020-01-02 words.gcno words.gcda
}

# all VERSION COMMAND...: what the command prints with all options that this version has
all() {
    local version=$1 least options status
    shift
    while read -r least options; do
        [ "$version" -ge "$least" ] || continue
        echo "== $options"
        status=0
        # shellcheck disable=SC2086
        "$@" $options words.gcda 2>&1 || status=$?
        echo "exit status $status"
    done <"$data/gcov-options"
}

# The last digits of a version, which differ from system to system, are none of gcov's words.
unpatched() {
    sed 's/\("gcc_version": "[0-9]*\)[^"]*/\1/'
}

as_made() {
    take "$1"
    all "$1" "$anneal" gcov | unpatched >out
    unpatched <"$data/gcc-$1/words.txt" >expected
    same out expected
}

# Whatever made a file, the release that is named speaks: by an option, and by the program's name.
as_asked() {
    take 16
    run 0 "$anneal" gcov --gcc-version=12 -t -a -g words.gcda
    prints '        1:   51-block  0'
    refuses_words 'condition outcomes'
    mv out expected
    ln -s "$anneal" gcov-12
    run 0 ./gcov-12 -t -a -g words.gcda
    same out expected
    ln -s "$anneal" x86_64-linux-gnu-gcov-13.2
    run 0 ./x86_64-linux-gnu-gcov-13.2 -t -j words.gcda
    prints '{"format_version": "1", "gcc_version": "13.'
    run 0 ./x86_64-linux-gnu-gcov-13.2 -t -j --gcc-version=14 words.gcda
    prints '{"format_version": "2", "gcc_version": "14.'
    take 12
    run 0 "$anneal" gcov --gcc-version=14 -t -j words.gcda
    prints '{"format_version": "2", "gcc_version": "14.'
    # Newer ones are taken for the newest, older ones for that which speaks for old files
    run 0 "$anneal" gcov --gcc-version=8 -t -j words.gcda
    prints '"gcc_version": "12.2.0"'
    run 0 "$anneal" gcov --gcc-version=17 -t -j words.gcda
    prints '"gcc_version": "16.'
}

refuses_words() {
    if grep -F "$1" out; then
        return 1
    fi
}

told() {
    run 0 "$anneal" gcov --version
    prints ') 12.2.0'
    run 0 "$anneal" gcov --gcc-version=15 --version
    prints ') 15.'
    for wrong in '' x 3 100 14.2; do
        run 1 "$anneal" gcov --gcc-version="$wrong" -n words.gcda
        says gcc-version
    done
}

# What is wrong with the options of gcov 15 is said in its words, before any file is read.
refused() {
    take 16
    run 1 "$anneal" gcov -n --exclude='(' missing.gcda
    says 'Bad regular expression: Unmatched ( or \('
    run 1 "$anneal" gcov -n --prime-paths-lines=all missing.gcda
    says "invalid argument 'all' for '--prime-paths-lines'. Valid arguments are: 'covered', 'uncovered', 'both'"
    run 1 "$anneal" gcov -n --prime-paths-source= missing.gcda
    says "invalid argument '' for '--prime-paths-source'"
}

# Functions may be chosen whatever made the file; JSON of several files keeps to the choice in all of them.
chosen() {
    take 12
    run 0 "$anneal" gcov -n -f -M --include='^choose' words.gcda
    prints "Function '_ZL6chooseiii'"
    refuses_words "Function 'main'"
    cp words.gcno again.gcno
    cp words.gcda again.gcda
    run 0 "$anneal" gcov -t -j --gcc-version=16 --include=main '--exclude=Z' words.gcda again.gcda
    [ "$(grep -c '"name": "main"' out)" = 2 ]
    refuses_words '"name": "_Z'
}

for version in 9 10 11 12 13 14 15 16; do
    check "files of GCC $version are told of in the words of its gcov" as_made $version
done
check 'the release may be named' as_asked
check 'its options with values are checked in its words' refused
check 'functions are chosen in files of any release' chosen
check 'its version is that of the release' told
finish
