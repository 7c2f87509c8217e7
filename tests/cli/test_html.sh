#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal cov --html: what is in the report, and which folders it replaces. tests/report looks at the pages.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
interrupt=$(realpath "$2")

export SOURCE_DATE_EPOCH=1700000000

# Two files of one name, a header with a function that both have, and a run.
program() {
    mkdir -p src/part build
    printf 'static inline int twice(int n)\n{\n    return n < 0 ? 0 : 2 * n;\n}\n' >src/twice.h
    printf '#include "../twice.h"\nint part(int n) { return twice(n); }\n' >src/part/main.c
    cat >src/main.c <<'END'
#include "twice.h"
int part(int n);
int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = 0; i < 1500; i++)
        sum += part(i) > twice(argc);
    if (argc > 99)
        sum = (argv[1][0] == '<') && sum;
    return sum == 0;
}
END
    (cd build && gcc --coverage -O0 -c ../src/main.c -o main.o && gcc --coverage -O0 -c ../src/part/main.c -o part.o &&
        gcc --coverage main.o part.o -o program && ./program)
}

# has FILE TEXT...
has() {
    local file=$1 text
    shift
    for text; do
        grep -qF -e "$text" "$file" || fail "$file has no $text"
    done
}

# Nothing hidden is left behind.
nothing_else() {
    expect "$(find . -name '.*' ! -name . ! -name ..)" ''
}

# What the pages tell is what the table tells, and what gcov counts.
tells_the_same() {
    program
    run 0 "$anneal" cov --html report build
    expect "$(wc -c <out)" 0
    run 0 "$anneal" cov build
    read -r _ lines _ all _ <<<"$(grep '^total' out)"
    has report/index.html "<span>$lines of $all</span>" 'src/</small>' '1 run ' '2023-11-14 22:13 UTC' \
        'href="src/part.main.c.html"' 'href="src/main.c.html"' 'href="src/twice.h.html"'
    has report/src/main.c.html '<b title=1,501>1.5k</b>' '<b title="1, but not all of it">1</b><u title=' 'class=u><b title="never ran">0</b>' \
        "(argv[1][0] == &#39;&lt;&#39;)"
    expect "$(grep -c 'instances of the code above' report/src/twice.h.html)" 0 # both objects have the same
    has report/functions.js '["part",2,1500,'
    # Of a header that two objects have, both together.
    has report/src/twice.h.html '<b title=3,000>3.0k</b>'
    tr -d '\n' <report/index.html | sed 's/<tr/\n<tr/g' | grep 'twice.h.html' >row
    has row '<td class=hot data-v=3000>'
    nothing_else
}

# Instances of a template that ran alike, or never, have their lines once; each is there by name.
instances_alike() {
    printf 'template <class T> T larger(T a, T b)\n{\n    if (a > b)\n        return a;\n    return b;\n}\n' >h.hpp
    cat >main.cpp <<'END'
#include "h.hpp"
int main(int argc, char **)
{
    int n = larger(1, 2) + (int)larger(1L, 2L) + larger('b', 'a');
    if (argc > 9)
        n += (int)larger(1.0, 2.0) + (int)larger(1u, 2u);
    return n > 999;
}
END
    g++ --coverage -O0 main.cpp -o main
    ./main
    run 0 "$anneal" cov --html report .
    page=$(ls report/src/*h.hpp.html)
    has "$page" '5 instances of the code above' 'larger&lt;unsigned int&gt;'
    expect "$(grep -c '<details id=I' "$page")" 5
    expect "$(grep -c '<div class=lines>' "$page")" 3
    expect "$(grep -o 'same lines and counts as <a href=#I[0-9]*>' "$page" | wc -l)" 2
}

takes_what_is_wanted() {
    program
    run 0 "$anneal" cov --html report/below/here --title 'A < B' -x '*.h' -x 'src/part/*' build
    says '1 source, ' 'open report/below/here/index.html'
    has report/below/here/index.html '<title>A &lt; B</title>'
    expect "$(ls report/below/here/src)" main.c.html
    run 0 "$anneal" cov -q --html quiet -f build
    expect "$(cat err)" ''
    grep -q ' main ' out # the table that was asked for
    run 2 "$anneal" cov --html both --json build
    [ ! -e both ]
}

is_the_same_each_time() {
    program
    run 0 "$anneal" cov --html one build
    run 0 "$anneal" cov -j 1 --html two build
    diff -r one two
}

misses_sources() {
    program
    mv src/main.c src/gone.c
    run 0 "$anneal" cov --html report build
    says '1 source cannot be read and has only counts'
    has report/src/main.c.html 'The source was missing when the report was made' '>1.5k</b>'
}

# A profile can name anything: what is no file is not read, nor what has no end.
other_things_for_sources() {
    local make
    program
    for make in 'mkfifo' 'mkdir' 'ln -s /dev/zero' 'ln -s .' 'truncate -s 300M'; do
        rm -rf src/main.c report
        $make src/main.c
        run 0 timeout 120 "$anneal" cov --html report build
        says '1 source cannot be read and has only counts'
        has report/src/main.c.html 'The source was missing when the report was made' '>1.5k</b>'
        run 0 timeout 120 "$anneal" cov -t -i src/main.c build
        says 'src/main.c: cannot be read'
        expect "$(cat out)" '        -:    0:Source:src/main.c'
    done
    rm src/main.c # but a link to a file is one
    echo 'text of another file' >other.c
    ln -s ../other.c src/main.c
    run 0 "$anneal" cov --html report build
    has report/src/main.c.html 'text of another file'
    nothing_else
}

replaces_a_report() {
    program
    run 0 "$anneal" cov --html report build
    chmod 750 report
    touch report/src/of.an.earlier.source.html
    run 0 "$anneal" cov --html report/ --title Again -i src/main.c build
    has report/index.html '<title>Again</title>'
    expect "$(ls report/src)" main.c.html
    expect "$(stat -c %a report)" 750
    mkdir empty
    run 0 "$anneal" cov --html empty build
    has empty/index.html 'src/main.c'
    ln -s report link
    run 0 "$anneal" cov --html link build
    expect "$(readlink link)" report
    has report/index.html '<title>Coverage</title>'
    (cd empty && "$anneal" cov -q --html . -i '*twice.h' ../build)
    expect "$(ls empty/src)" twice.h.html
    nothing_else
}

# refused FOLDER WHY: it stays as it is
refused() {
    cp -r "$1" before
    run 1 "$anneal" cov --html "$1" build
    says "$1: $2"
    diff -r "$1" before
    rm -rf before
    nothing_else
}

refuses_other_folders() {
    program
    run 0 "$anneal" cov --html report build
    refused src/part 'contains main.c, which is not part of a report'
    touch report/notes.txt
    refused report 'contains notes.txt, which is not part of a report'
    rm report/notes.txt
    mkdir report/src/deeper
    refused report 'contains src/deeper, which is not part of a report'
    rmdir report/src/deeper
    echo '<html>' >report/index.html # somebody else's
    refused report 'contains files that are not a report by anneal'
    rm -r report/src report/index.html
    ln -s ../src report/src
    refused report 'contains src, which is not part of a report'
    refused build/program 'is a file; expected a folder'
    run 1 "$anneal" cov --html '' build
    says 'the folder of the report has no name'
    run 1 "$anneal" cov --html build/program/below build
    [ ! -e report.new ]
}

# The signal comes when the folder for the new report has just been made.
cleans_up() {
    program
    mkdir report
    run 130 env --default-signal=INT AN_INTERRUPT=chmod LD_PRELOAD="$interrupt" \
        "$anneal" cov --html report build
    nothing_else
    expect "$(ls report)" ''
    LD_PRELOAD=$interrupt run 0 "$anneal" cov --html report build # the library does nothing else
}

# A limit on the size of files stands for a full disk.
survives_a_full_disk() {
    program
    run 0 "$anneal" cov --html report build
    cp -r report before
    (
        trap '' XFSZ
        ulimit -f 8
        run 1 "$anneal" cov --html report --title Other build
        says 'report: cannot write a page'
    )
    diff -r report before
    nothing_else
}

check_with gcc 'pages tell what the table tells' tells_the_same
check_with g++ 'instances that are alike' instances_alike
check_with gcc 'a report has the sources that are wanted, and a title' takes_what_is_wanted
check_with gcc 'the same counts make the same report' is_the_same_each_time
check_with gcc 'a source that is not there has counts' misses_sources
check_with gcc 'what is in the place of a source' other_things_for_sources
check_with gcc 'a report replaces a report, and an empty folder' replaces_a_report
check_with gcc 'nothing else is replaced' refuses_other_folders
if [[ $(ldd "$anneal") = *libasan* ]]; then
    skip 'a signal leaves nothing behind' 'the address sanitizer wants to be the first library'
else
    check_with gcc 'a signal leaves nothing behind' cleans_up
fi
check_with gcc 'a full disk leaves the old report' survives_a_full_disk
finish
