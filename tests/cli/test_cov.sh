#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal cov: which files belong together, several runs and folders, tables, texts, JSON, and what is refused.
# test_gcov.sh compares counts with gcov's.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

# A program of two sources in a folder of its own, compiled elsewhere.
program() {
    mkdir -p src build
    cat >src/main.c <<'END'
#include "part.h"
int main(int argc, char **argv)
{
    int sum = argc;
    if (argc > 1)
        sum += part(argc);
    else
        sum -= positive(argc);
    (void)argv;
    return sum == 99;
}
END
    printf '#include "part.h"\nint part(int n)\n{\n    return n > 2 ? positive(n) : 1;\n}\nint unused(void)\n{\n    return 4;\n}\n' >src/part.c
    printf 'int part(int);\nstatic inline int positive(int n) { if (n < 0) return -n; return n; }\n' >src/part.h
    (cd build && gcc --coverage -O0 -c ../src/main.c ../src/part.c && gcc --coverage ./*.o -o program && ./program)
}

rows() {
    sed -E 's/ +/ /g; s/ ?- ?- /- /; s/ $//' out
}

tables() {
    program
    run 0 "$anneal" cov build
    expect "$(rows)" 'source lines branches taken functions
src/main.c 5 of 6 83.3% 1 of 2 50.0% 1 of 1 100.0%
src/part.c 0 of 4 0.0% 0 of 2 0.0% 0 of 2 0.0%
src/part.h 1 of 1 100.0% 1 of 4 25.0% 1 of 1 100.0%
total 6 of 11 54.5% 2 of 8 25.0% 2 of 4 50.0%'
    expect "$(cat err)" ''
    run 0 "$anneal" cov --missing -x '*.h' build/main.gcda build/part.o
    prints 'never ran: 6' 'never ran: 2-8'
    run 0 "$anneal" cov -i '*.h' -i 'src/m*' build
    expect "$(wc -l <out)" 4
    run 0 "$anneal" cov -f build
    expect "$(sed -n 2p out | tr -s ' ')" ' 1 71% main src/main.c:2'
    expect "$(grep -c ' 0% ' out)" 2
    expect "$(wc -l <out)" 5
    cd src # names are relative to where one stands
    run 0 "$anneal" cov ../build
    prints 'main.c '
    ! grep -q src/ out
}

several_runs() {
    program
    mv build/*.gcda .
    (cd build && GCOV_PREFIX=$scratch/$cases/run1 ./program && GCOV_PREFIX=$scratch/$cases/run2 ./program 1 2)
    run 0 "$anneal" cov -t -i src/main.c build run1 run2
    prints '        2:    4:    int sum = argc;' '        1:    6:        sum += part(argc);'
    run 0 "$anneal" cov -t -i src/main.c build run1 run2 run1 ./run2 build/main.gcno
    prints '        2:    4:'
    run 0 "$anneal" cov --json build run1 run2 main.gcda part.gcda
    expect "$(jq -c '[.runs, .totals.lines, .totals.lines_executed, (.files | length)]' out)" '[3,11,9,3]'
    expect "$(jq -c '[.files[] | select(.file == "src/main.c") | .lines[] | .count]' out)" '[3,3,3,1,2,3]'
    expect "$(jq -r '.files[0].path' out)" "$(realpath src/main.c)"
    cp run1/"$PWD"/build/main.gcda renamed.gcda # the stamp tells
    run 0 "$anneal" cov -t -i src/main.c build/main.gcno renamed.gcda
    prints '        1:    4:'
    mkdir cores
    cp renamed.gcda cores/main.gcda0
    cp renamed.gcda cores/main.gcda11
    run 0 "$anneal" cov -t -i src/main.c build/main.gcno cores
    prints '        2:    4:'
    rm -r run1 run2 cores renamed.gcda
    run 0 "$anneal" cov build
    says '2 of 2 objects left no counts'
    prints ' 0 of 11'
}

# What cores of a board left counts once, also when their sum lies beside it.
sums() {
    program
    mkdir left
    cp build/main.gcda left/main.gcda0
    (cd build && ./program 1 2)
    mv build/main.gcda two_runs
    cp two_runs left/main.gcda11
    (cd left && run 0 "$anneal" merge-gcda)
    for files in left 'left/main.gcda left/main.gcda0 left/main.gcda11'; do
        # shellcheck disable=SC2086
        run 0 "$anneal" cov -t -i src/main.c build/main.gcno $files
        prints '        3:    4:    int sum = argc;'
        says 'left/main.gcda has the counts of main.gcda0 to main.gcda11: these are left out'
    done
    run 0 "$anneal" cov -q -t -i src/main.c build/main.gcno left
    expect "$(cat err)" ''
    cp two_runs left/main.gcda0 # another run, which the sum does not have
    run 0 "$anneal" cov -q -t -i src/main.c build/main.gcno left
    says 'warning: left/main.gcda is not the sum of main.gcda0 to main.gcda11: all of them are added up'
    prints '        7:    4:    int sum = argc;'
    rm left/main.gcda0
    run 0 "$anneal" cov -t -i src/main.c build/main.gcno left
    says 'left/main.gcda is not the sum of main.gcda11: all'
}

# An inline function of a header in several objects: totals have it once, and its branches each time.
json_has_totals() {
    program
    run 0 "$anneal" cov --json -o result build
    run 0 "$anneal" cov --json -j1 build
    same result out
    expect "$(jq -c '.files[] | select(.file == "src/part.h") | .totals | [.lines, .lines_executed, .branches, .branches_taken, .functions]' out)" '[1,1,4,1,1]'
    expect "$(jq -c '.files[] | select(.file == "src/part.h") | [.lines[] | [.line_number, .count, .function_name]]' out)" '[[2,1,"positive"],[2,0,"positive"]]'
}

same_names() { # in several folders, each with a source main.c
    mkdir one two
    printf 'int main(void) { return 0; }\n' >one/main.c
    printf '\n\nint main(void) { return 0; }\n' >two/main.c
    (cd one && gcc --coverage -c main.c && gcc --coverage main.o -o main && ./main)
    (cd two && gcc --coverage -c main.c && gcc --coverage main.o -o main && ./main && ./main)
    run 0 "$anneal" cov one two
    expect "$(cut -d ' ' -f 1 out | tr '\n' ' ')" 'source one/main.c two/main.c total '
    run 0 "$anneal" cov -t one two
    prints '        1:    1:int main' '        2:    3:int main'
}

files_below_a_folder() {
    program
    run 0 "$anneal" cov -C texts build
    says 'wrote 3 files below texts'
    expect "$(find texts -type f | sort | tr '\n' ' ')" 'texts/src/main.c.gcov texts/src/part.c.gcov texts/src/part.h.gcov '
    cd src
    run 0 "$anneal" cov -q -b -C ../up ../build
    [ -s ../up/main.c.gcov ]
    cd ..
    mv src gone
    run 0 "$anneal" cov -t build
    says 'src/main.c: cannot be read' '2 more sources'
    mkdir src
    mkfifo src/main.c # a profile can name anything
    run 0 timeout 120 "$anneal" cov -t build
    says 'src/main.c: cannot be read' '2 more sources'
    : >file
    run 1 "$anneal" cov -C file build
    says 'file'
}

refuses() {
    local mode
    program
    cp build/main.gcda kept.gcda
    (cd build && sed -i 's/argc > 1/argc > 2 \&\& sum/' ../src/main.c && gcc --coverage -c ../src/main.c)
    rm -f build/main.gcda
    cp kept.gcda build/main.gcda
    : >result
    run 1 "$anneal" cov -o result build
    says 'build/main.gcda: its stamp is' 'compiled again' 'nothing shown'
    [ ! -s result ]
    run 0 "$anneal" cov -k --ledger=ledger build
    says 'left out: build/main.gcda'
    prints '0 of  6'
    expect "$(jq -c '[.inputs[] | .status]' ledger)" '["used","rejected","used","used"]'
    cp out kept_going
    for mode in warn all; do
        run 0 "$anneal" cov --failure-mode=$mode build
        says 'left out: build/main.gcda'
        cmp kept_going out
    done
    run 1 "$anneal" cov --failure-mode=any build
    says 'nothing shown'
    mkdir bad
    head -c 300 build/part.gcno >bad/part.gcno
    run 1 "$anneal" cov --failure-mode=all bad
    says 'bad/part.gcno: at byte 300' 'nothing shown'
    run 1 "$anneal" cov --failure-mode=warn bad
    says 'left out: bad/part.gcno'
    never_says 'nothing shown'
    head -c 300 build/part.gcno >torn
    cp torn build/part.gcno
    run 1 "$anneal" cov build
    says 'build/part.gcno: at byte 300'
    run 1 "$anneal" cov nowhere
    says 'nowhere: not a gcno or gcda'
    mkdir empty
    run 1 "$anneal" cov empty
    says 'empty: no gcno or gcda files'
    run 1 "$anneal" cov -k kept.gcda
    says 'kept.gcda: its control flow (gcno) is neither named nor beside it'
    run 2 "$anneal" cov
    says 'no input'
}

judges() {
    program
    run 0 "$anneal" cov --fail-under=54.5 build
    run 1 "$anneal" cov --fail-under=54.6 build
    says '54.54% of the lines ran, less than 54.6%'
    run 2 "$anneal" cov --fail-under=lots build
    run 1 "$anneal" cov -i nothing build
    says 'no source has lines left by --include and --exclude'
    touch -d '1 hour' src/part.h
    run 0 "$anneal" cov build
    says '1 source changed since the program was compiled, such as src/part.h'
}

# 4,002 of 4,003 lines run, and all blocks but one.
almost_all() {
    {
        printf '%s\n' 'int main(int argc, char **argv)' '{' '    volatile int x = argc;'
        for _ in {1..3998}; do echo '    if (x > 0) x++;'; done
        printf '%s\n' '    if (argc > 99)' '        x = 0;' '    return argv[0] == 0;' '}'
    } >almost.c
    gcc --coverage -c almost.c -o almost.o
    gcc --coverage almost.o -o almost
    ./almost
}

never_rounds_up() {
    almost_all
    run 1 "$anneal" cov --fail-under=100 almost.gcno
    prints '4002 of 4003  99.9%'
    says '99.97% of the lines ran, less than 100% (--fail-under)'
    run 1 "$anneal" cov --fail-under=99.98 almost.gcno
    run 0 "$anneal" cov --fail-under=99.97 almost.gcno
    run 0 "$anneal" cov --html report almost.gcno
    grep -qF '<b>99.9%</b>' report/index.html
    grep -qF '<span>4,002 of 4,003</span>' report/index.html
    run 0 "$anneal" cov --functions almost.gcno
    prints '99%  main'
    rm almost.gcda
    ./almost $(seq 99)
    run 0 "$anneal" cov --fail-under=100 almost.gcno
    prints '4003 of 4003 100.0%'
}

check_with gcc 'tables' tables
check_with gcc 'a percentage of 100 is all, everywhere' never_rounds_up
check_with gcc 'several runs in several folders' several_runs
check_with gcc 'what cores left, and its sum' sums
check_with 'gcc jq' 'JSON has totals' json_has_totals
check_with gcc 'sources of the same name' same_names
check_with gcc 'files below a folder' files_below_a_folder
check_with 'gcc jq' 'what is refused' refuses
check_with gcc 'what is judged' judges
finish
