#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal cov --lcov and --cobertura: totals are those of the table, as lcov reads them, and the XML is what its DTD says.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

export SOURCE_DATE_EPOCH=1700000000

# Functions with several codes, two of one name, a template, clones of constructors, and a source of strange name.
program() {
    mkdir -p small large 'odd & <new>'
    cat >part.cpp <<'END'
#include SHAPE
#ifdef SMALL
extern "C" int half(int n)
{
    return n < 2 ? 0 : 1;
}
#else
extern "C" int half(int n)
{
    return n / 2;
}
#endif
int pick(int x)
{
    int r = 0;
    if (x == 1)
        r = 1;
#ifndef SMALL
    else if (x == 2)
        r = 2;
    else if (x == 3)
        r = 3;
#endif
    return r;
}
int main() { return half(0) + pick(2) + larger(1, 2) + (int)larger(2L, 1L) + Sub(3).n > 9; }
END
    cat >'odd & <new>/shape.h' <<'END'
template <class T> T larger(T a, T b)
{
    if (a > b)
        return a;
    return b;
}
struct Base {
    int n;
    Base(int m) : n(m > 2 ? m : 2) {}
    virtual ~Base() {}
};
struct Sub : Base {
    Sub(int m) : Base(m) {}
};
END
    local flags=(-O0 --coverage '-DSHAPE="odd & <new>/shape.h"')
    (cd small && g++ "${flags[@]}" -DSMALL -c ../part.cpp)
    (cd large && g++ "${flags[@]}" -c ../part.cpp && g++ --coverage part.o -o part && ./part)
}

# "RAN of ALL" for lines, functions and branches, as the table has them
totals() {
    run 0 "$anneal" cov "$@"
    sed -n 's/^total//p' out | sed -E 's/[0-9.]+%//g' | awk '{ print $1, $3, $7, $9, $4, $6 }'
}

# sum KEY FILE: of the lines of lcov's file that begin so
sum() {
    sed -n "s/^$1://p" "$2" | awk '{ n += $1 } END { print n + 0 }'
}

lcov_has_the_totals() {
    program
    totals . >table
    run 0 "$anneal" cov --lcov=trace .
    expect "$(cat out)" ''
    expect "$(for key in LH LF FNH FNF BRH BRF; do sum $key trace; done | paste -sd' ')" "$(cat table)"
    # what is listed is what is summed up
    expect "$(grep -c '^DA:' trace) $(grep -c '^FN:' trace) $(grep -c '^FNDA:' trace) $(grep -c '^BRDA:' trace)" \
        "$(awk '{ print $2, $4, $4, $6 }' table)"
    expect "$(grep -c '^DA:.*,[1-9]' trace) $(grep -c '^FNDA:[1-9]' trace) $(grep -c '^BRDA:.*,[1-9][0-9]*$' trace)" \
        "$(awk '{ print $1, $3, $5 }' table)"
    grep -qx "SF:$PWD/part.cpp" trace
    grep -qx "SF:$PWD/odd & <new>/shape.h" trace
    expect "$(grep -E '^FN.*half' trace | sort | paste -sd' ')" 'FN:3,half FN:8,half@8 FNDA:0,half FNDA:1,half@8'
    expect "$(grep -c '^FN:.*larger' trace)" 2
    expect "$(sort trace | uniq -d | grep -cE '^(FN|FNDA|BRDA)' || :)" 0
    run 0 "$anneal" cov --lcov=- .
    cmp trace out
    totals -x '*shape.h' . >table
    run 0 "$anneal" cov -x '*shape.h' --lcov=trace .
    expect "$(grep -c '^SF:' trace) $(sum LF trace)" "1 $(cut -d' ' -f2 table)"
}

lcov_reads_it() {
    program
    totals . >table
    run 0 "$anneal" cov --lcov=trace .
    run 0 lcov --rc lcov_branch_coverage=1 --summary trace
    cat out err | sed -nE 's/.*\((([0-9]+) of ([0-9]+)) .*\).*/\2 \3/p' | paste -sd' ' >summary
    expect "$(cat summary)" "$(cat table)"
    run 0 genhtml -q --rc genhtml_branch_coverage=1 trace -o pages
    [ -s pages/index.html ]
}

# The elements and attributes of coverage-04.dtd.
dtd() {
    local rates='line-rate CDATA #REQUIRED branch-rate CDATA #REQUIRED complexity CDATA #REQUIRED'
    cat <<END
<!ELEMENT coverage (sources?, packages)> <!ATTLIST coverage $rates lines-covered CDATA #REQUIRED lines-valid CDATA #REQUIRED
    branches-covered CDATA #REQUIRED branches-valid CDATA #REQUIRED version CDATA #REQUIRED timestamp CDATA #REQUIRED>
<!ELEMENT sources (source*)> <!ELEMENT source (#PCDATA)>
<!ELEMENT packages (package*)> <!ELEMENT package (classes)> <!ATTLIST package $rates name CDATA #REQUIRED>
<!ELEMENT classes (class*)> <!ELEMENT class (methods, lines)>
<!ATTLIST class $rates name CDATA #REQUIRED filename CDATA #REQUIRED>
<!ELEMENT methods (method*)> <!ELEMENT method (lines)>
<!ATTLIST method $rates name CDATA #REQUIRED signature CDATA #REQUIRED>
<!ELEMENT lines (line*)> <!ELEMENT line (conditions*)>
<!ATTLIST line number CDATA #REQUIRED hits CDATA #REQUIRED branch CDATA "false" condition-coverage CDATA "100%">
<!ELEMENT conditions (condition*)> <!ELEMENT condition EMPTY>
<!ATTLIST condition number CDATA #REQUIRED type CDATA #REQUIRED coverage CDATA #REQUIRED>
END
}

cobertura_has_the_totals() {
    program
    totals . >table
    run 0 "$anneal" cov --cobertura=report.xml .
    expect "$(cat out)" ''
    python3 - report.xml >told <<'END'
import sys
import xml.etree.ElementTree as tree

root = tree.parse(sys.argv[1]).getroot()
lines = [line for each in root.iter("class") for line in each.find("lines")]
methods = [method.find("lines/line") for method in root.iter("method")]
branches = list(root.iter("condition"))


def ran(found):
    return sum(int(line.get("hits")) > 0 for line in found)


print(ran(lines), len(lines), ran(methods), len(methods), sum(b.get("coverage") == "100%" for b in branches), len(branches))
print(*(root.get(name) for name in ("lines-covered", "lines-valid", "branches-covered", "branches-valid", "timestamp")))
print(root.find("sources/source").text)
for package in root.iter("package"):
    print(package.get("name"), *(f"{each.get('name')}|{each.get('filename')}" for each in package.iter("class")))
END
    expect "$(cat told)" "$(cat table)
$(cut -d' ' -f 1,2,5,6 table) 1700000000
$PWD
. part.cpp|part.cpp
odd & <new> shape.h|odd & <new>/shape.h"
    grep -q 'condition-coverage="50% (1/2)"' report.xml
    run 0 "$anneal" cov --cobertura=- .
    cmp report.xml out
}

cobertura_is_valid() {
    program
    dtd >coverage.dtd
    run 0 "$anneal" cov --cobertura=report.xml .
    run 0 xmllint --nonet --noout --dtdvalid coverage.dtd report.xml
    sed -i 's/<classes>/<classes><class\/>/' report.xml
    xmllint --nonet --noout --dtdvalid coverage.dtd report.xml 2>/dev/null && fail 'the DTD allows anything'
    return 0
}

one_result_on_stdout() {
    local with
    program
    for with in '--cobertura=-' '--text' '--functions' '--json' '--missing' '-o all'; do
        # shellcheck disable=SC2086
        run 2 "$anneal" cov --lcov=- $with .
        expect "$(cat out)" ''
    done
    run 2 "$anneal" cov --cobertura=- --functions .
    says 'standard output takes one result'
    run 0 "$anneal" cov --lcov=trace --cobertura=- --html pages .
    [ -s trace ] && [ -s pages/index.html ]
    grep -q '<coverage ' out
    run 0 "$anneal" cov --lcov=trace --functions .
    grep -q pick out
}

keeps_what_is_there() {
    program
    echo old >trace
    run 1 "$anneal" cov --lcov=trace -i 'nothing' .
    expect "$(cat trace)" old
    run 1 "$anneal" cov --lcov=no/folder/trace .
    says 'no/folder/trace'
    (
        trap '' XFSZ
        ulimit -f 1
        run 1 "$anneal" cov --cobertura=trace .
        says 'trace'
    )
    expect "$(cat trace)" old
}

check_with g++ "a tracefile has the table's totals" lcov_has_the_totals
check_with 'g++ lcov genhtml' 'lcov and genhtml read it' lcov_reads_it
check_with 'g++ python3' "XML has the table's totals" cobertura_has_the_totals
check_with 'g++ xmllint' 'XML is valid' cobertura_is_valid
check_with g++ 'one result goes to standard output' one_result_on_stdout
check_with g++ 'old files stay when something fails' keeps_what_is_there
finish
