#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# gcov-tool and lists of frequent values that were full.
#
# Version: gcc-12 12.2.0-14+deb12u1.
# Likely guess: gcov-tool merge adds the totals of two files, as it adds all else.
# Behaviour: a list of values (since GCC 11: up to 32) has a total, which is negative once a value had to make room for another. When
# the list in the first file is negative, gcov-tool adds the amount of the second one's to the negative number: two profiles of
# -200 become one of 0, with all values in the list. A program that adds to its file by itself gets -400: there the first one is the run, which is never negative.
# What to do: merge the profiles of single runs, or with a tool that adds amounts.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
unpack gcc-12=12.2.0-14+deb12u1
bin=$root/usr/bin

cat >divide.c <<'END'
int main(int argc, char **argv)
{
    volatile unsigned sum = 0;
    (void)argv;
    for (unsigned i = 0; i < 100; i++)
        sum += 1000000 / (1 + i % 50 + 100 * (argc & 1));
    return 0;
}
END
gcc -O1 -fprofile-generate divide.c -o divide || exit 2

# total FILE: of the only list that has one
total() {
    "$bin/gcov-dump-12" -l "$1" | sed -n '/COUNTERS topn/{n;s/.*0: *\(-\{0,1\}[0-9]*\) .*/\1/p;q}'
}

# Two runs that divide by other numbers.
./divide && ./divide other
mkdir one two
mv divide.gcda one
cp one/divide.gcda two
seen 'the total after two runs of 100' -200 "$(total one/divide.gcda)"
"$bin/gcov-tool-12" merge one two -o merged >log 2>&1 || exit 2
seen 'the total that gcov-tool makes of -200 and -200' 0 "$(total merged/divide.gcda)"
cp one/divide.gcda .
./divide && ./divide other
seen 'the total after four runs' -400 "$(total divide.gcda)"
end
