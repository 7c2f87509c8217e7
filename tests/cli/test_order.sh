#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal order: from temporal profiles, GCC's counter files and lists of names to what linkers make
# of the order; the personality llvm-profdata order; evaluation; what it refuses.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

# A program of two files in which each argument calls one group of functions.
program() {
    cat >one.c <<'END'
#include <stdlib.h>
volatile int sum;
#define F(n) __attribute__((noinline)) void n(void) { sum += __LINE__; }
F(never1)
F(late)
F(never2)
F(early)
static __attribute__((noinline)) void helper(void) { sum += 1; }
F(middle)
void other(void);
int main(int argc, char **argv)
{
    early();
    if (argc > 1)
        middle();
    helper();
    other();
    if (argc > 2)
        late();
    if (argc > 9)
        never1(), never2();
    return argv[0] == NULL;
}
END
    cat >two.c <<'END'
extern volatile int sum;
static __attribute__((noinline)) void helper(void) { sum += 2; }
__attribute__((noinline)) void unused(void) { sum++; }
__attribute__((noinline)) void other(void) { helper(); }
END
}

# traced: app.profdata of two runs
traced() {
    program
    clang-19 -O1 -fprofile-generate -mllvm -pgo-temporal-instrumentation \
        -mllvm -disable-preinline -o trained one.c two.c
    LLVM_PROFILE_FILE=1.profraw ./trained a
    LLVM_PROFILE_FILE=2.profraw ./trained a b
    llvm-profdata-19 merge -o app.profdata 1.profraw 2.profraw
}

# functions BINARY: its functions by address
functions() {
    nm --defined-only "$1" | sort | awk '$2 ~ /[tT]/ && $3 !~ /^[_.]|^(de)?register|frame_dummy/ { print $3 }'
}

# lacks PATTERN FILE
lacks() {
    ! grep -q "$1" "$2" || fail "$2 has $1"
}

# The first words of a list that are among others: in_order LIST WORD...
in_order() {
    local list=$1
    shift
    expect "$(grep -xF "$(printf '%s\n' "$@")" "$list" | tr '\n' ' ')" "$(printf '%s ' "$@")"
}

lld_takes_the_order() {
    traced
    clang-19 -O1 -ffunction-sections -fuse-ld=lld -o app one.c two.c
    run 0 "$anneal" order -b app -o app.order app.profdata
    says 'functions from 2 runs; in app'
    grep -vxE '_start|frame_dummy' app.order | sort >sorted
    expect "$(sort -u app.order | wc -l)" "$(wc -l <app.order)"
    expect "$(grep -c helper app.order)" 1
    grep -qx late app.order
    lacks never app.order
    clang-19 -O1 -ffunction-sections -fuse-ld=lld -Wl,--fatal-warnings \
        -Wl,--symbol-ordering-file=app.order -o ordered one.c two.c
    functions ordered >by_address
    head -n "$(functions ordered | grep -cxFf app.order)" by_address | sort -u >first
    same first sorted
    ./ordered a b
}

names_of_the_binary_are_used() {
    traced
    cat >wrap.py <<'END'
import re
for name in ('one', 'two'):
    text = open(name + '.s').read()
    text = re.sub(r'\bother\b', 'other.llvm.123', text)
    open(name + '.s', 'w').write(re.sub(r'\bmiddle\b', 'middle.constprop.0', text))
END
    for name in one two; do clang-19 -O1 -ffunction-sections -S -o $name.s $name.c; done
    python3 wrap.py
    clang-19 -fuse-ld=lld -o app one.s two.s
    run 0 "$anneal" order -b app -o app.order app.profdata
    grep -qx 'other.llvm.123' app.order
    grep -qx 'middle.constprop.0' app.order
    lacks '^other$' app.order
}

# What the model makes of an order is what a linker makes of it, also where two functions have one name.
the_model_has_the_places_of_the_linker() {
    local file names
    for file in 1 2 3; do
        {
            echo 'volatile int sum;'
            for names in $(seq $((file * 100)) $((file * 100 + 60))); do
                printf 'void f%d(void) { sum += %d; sum *= %d; }\n' "$names" "$names" $((names % 7))
            done
            printf 'static __attribute__((noinline)) void twice(int n) {%s }\n' \
                "$(for names in $(seq 300); do printf ' sum += n / %d;' "$names"; done)"
            echo "void call$file(void) { twice($file); }"
        } | sed "s/^volatile/$([ $file = 1 ] || echo extern) volatile/" >$file.c
    done
    {
        echo 'int main(void) { extern void call1(void), call2(void), call3(void); call2(); call1(); call3(); return 0; }'
    } >main.c
    clang-19 -O1 -ffunction-sections -fuse-ld=lld -o app main.c 1.c 2.c 3.c
    # All that have one name are placed, in whichever order: so runs do not enter them.
    { echo main; seq -f f%g 300 3 360; seq -f f%g 100 7 160; } >names
    run 0 "$anneal" order -q -b app -o plain.order names
    sed '20i twice' plain.order >app.order
    clang-19 -O1 -ffunction-sections -fuse-ld=lld -Wl,--symbol-ordering-file=app.order -o ordered main.c 1.c 2.c 3.c
    run 0 "$anneal" order --evaluate app --order app.order --json --page-size=512 --fault-around=1 names
    jq -c .evaluation.ordered out >model
    run 0 "$anneal" order --evaluate ordered --json --page-size=512 --fault-around=1 names
    jq -c .evaluation.now out >linked
    same model linked
    # GNU ld has an output section for what is ordered
    gcc -O1 -ffunction-sections -o app.gnu main.c 1.c 2.c 3.c
    run 0 "$anneal" order --format=gnu -b app.gnu -o app.ld --evaluate app.gnu --json --page-size=512 --fault-around=1 names
    jq -c .evaluation.ordered out >model
    gcc -O1 -ffunction-sections -Wl,-T,app.ld -o scripted main.c 1.c 2.c 3.c
    run 0 "$anneal" order --format=gnu --evaluate scripted --json --page-size=512 --fault-around=1 names
    jq -c .evaluation.now out >linked
    same model linked
    # an order that is made is judged as it is when it is read
    printf '2.c;twice\n' >>names
    run 0 "$anneal" order --evaluate app -o app.order --json --page-size=512 --fault-around=1 names
    jq -c .evaluation.ordered out >made
    run 0 "$anneal" order --evaluate app --order app.order --json --page-size=512 --fault-around=1 names
    jq -c .evaluation.ordered out >taken
    same made taken
}

what_is_absent_or_cannot_move_is_told() {
    traced
    clang-19 -O1 -fuse-ld=lld -o together one.c two.c
    run 0 "$anneal" order -b together -o app.order app.profdata
    says 'share a section with others and cannot be moved'
    says 'compile with -ffunction-sections'
    clang-19 -O1 -ffunction-sections -c one.c
    run 0 "$anneal" order -b one.o -o app.order app.profdata
    says 'one.o lacks other, helper' ||
        says 'one.o lacks helper, other' # that of two.c
    never_says 'cannot be moved'
    clang-19 -O1 -c one.c
    run 0 "$anneal" order -b one.o -o app.order --json app.profdata
    mv out json
    python3 - json <<'END'
import json, sys
facts = json.load(open(sys.argv[1]))
assert sorted(facts['binary']['absent']) == ['helper', 'other'], facts
assert 'main' in facts['binary']['immovable'], facts
assert facts['runs'] == 2 and facts['functions'] == 7, facts
END
}

# Functions that no run has keep their order behind the others.
clusters() {
    local linked=$1 order=$2
    functions "$linked" >by_address
    sed -n 's/^\.text\.//p' "$order" | grep -xFf by_address >wanted
    grep -xFf wanted by_address | awk '!seen[$0]++' >got
    same got wanted
}

# begins PROGRAM FUNCTION...: its text begins with these, in front of all others
begins() {
    local linked=$1
    shift
    # shellcheck disable=SC2016 # of awk
    nm --defined-only "$linked" | sort | awk '$2 ~ /[tT]/ && $3 !~ /^_(init|fini)$|^_dl_relo|^_*(de)?register|_aux$/ { print $3 }' |
        head -n $# >got
    printf '%s\n' "$@" >wanted
    same got wanted
}

# _start, what .init_array has (a constructor in one of two files), and only then main.
what_runs_before_main_comes_first() {
    local how
    traced
    cat >three.c <<'END'
extern volatile int sum;
__attribute__((noinline)) void never3(void) { sum += 3; }
__attribute__((constructor)) static void prepare(void) { sum += 4; }
END
    for how in '-pie -fPIE' '-no-pie -fno-pie' '-pie -fPIE -Wl,--pack-dyn-relocs=relr'; do
        # shellcheck disable=SC2086 # two words
        clang-19 -O1 -ffunction-sections -fuse-ld=lld $how -o app three.c one.c two.c
        run 0 "$anneal" order -b app -o app.order app.profdata
        expect "$(head -n 3 app.order | tr '\n' ' ')" '_start frame_dummy prepare '
        # shellcheck disable=SC2086
        clang-19 -O1 -ffunction-sections -fuse-ld=lld -Wl,--fatal-warnings $how \
            -Wl,--symbol-ordering-file=app.order -o ordered three.c one.c two.c
        begins ordered _start frame_dummy prepare
        [ "${how%relr}" != "$how" ] || ./ordered a b # the C library asks lld 19 for more, with these relocations
    done
    # a profile that has it tells when it ran
    printf 'main\nearly\nprepare\n' >names
    run 0 "$anneal" order -b app -o app.order names
    expect "$(grep -cx prepare app.order)" 1
    run 0 "$anneal" order --evaluate app --json names
    expect "$(jq .evaluation.functions_entered out)" 5
    # gold knows names of sections only; a library has no entry point; nothing is known of object files
    run 0 "$anneal" order --format=gold -b app -o app.order names
    lacks '_start' app.order
    clang-19 -O1 -ffunction-sections -fuse-ld=lld -shared -fPIC -o app.so three.c one.c two.c
    run 0 "$anneal" order -b app.so -o app.order app.profdata
    expect "$(head -n 2 app.order | tr '\n' ' ')" 'frame_dummy prepare '
    clang-19 -O1 -ffunction-sections -c one.c
    run 0 "$anneal" order -b one.o -o app.order app.profdata
    lacks '_start' app.order
    run 0 "$anneal" order -o app.order app.profdata
    lacks '_start' app.order
}

gcc_with_gold_and_a_linker_script() {
    program
    mkdir build run1 run2
    gcc -O1 -ffunction-sections -fprofile-generate -ftest-coverage -c one.c -o build/one.o
    gcc -O1 -ffunction-sections -fprofile-generate -ftest-coverage -c two.c -o build/two.o
    gcc -fprofile-generate -o trained build/one.o build/two.o
    GCOV_PREFIX=$PWD/run1 ./trained a
    GCOV_PREFIX=$PWD/run2 ./trained a b
    gcc -O1 -ffunction-sections -o app one.c two.c
    run 0 "$anneal" order -b app --format=gold -o app.gold run1 run2
    says 'from 2 runs'
    gcc -O1 -ffunction-sections -fuse-ld=gold -Wl,--section-ordering-file=app.gold -o golden one.c two.c
    clusters golden app.gold
    grep -qx '.text.main' app.gold
    [ "$(grep -nx '.text.early' app.gold | cut -d: -f1)" -lt "$(grep -nx '.text.late' app.gold | cut -d: -f1)" ]
    ./golden a b
    mkdir notes
    mv build/*.gcno notes
    run 0 "$anneal" order -b app --format=gnu --notes=notes -o app.ld run1 run2
    gcc -O1 -ffunction-sections -Wl,-T,app.ld -o scripted one.c two.c
    functions scripted >by_address
    sed -n 's/^ *\*(\.text\.\([^ ]*\) .*/\1/p' app.ld >wanted
    head -n $(($(wc -l <wanted) + 1)) by_address >got # two have one name
    mapfile -t others < <(grep -v helper wanted)
    in_order got "${others[@]}"
    in_order by_address "${others[@]}" never1 never2 unused
    begins scripted _start frame_dummy
    ./scripted a b
    rm notes/*.gcno
    run 1 "$anneal" order run1
    says 'no gcno files with the names'
    says '-ftest-coverage'
}

one_profile_of_gcc_without_a_time_profiler() {
    program
    gcc -O1 --coverage -o covered one.c two.c
    mkdir run
    GCOV_PREFIX=$PWD/run ./covered a
    run 1 "$anneal" order --notes=. run
    says 'do not record when functions first ran'
}

lists_of_names_are_runs() {
    printf 'main\na\nb\n' >one
    printf '# what ran\nmain\r\na\nc\nfile.c;d\n' >two
    printf 'main\n2.c;a\n3.c;a\n' >numbered # files whose names begin with digits: no profile, where a hash follows a name
    run 0 "$anneal" order numbered
    prints 'a'
    run 0 "$anneal" order one two
    expect "$(sort out | tr '\n' ' ')" 'a b c d main '
    run 0 "$anneal" order --format=ld64 one
    grep -qx _main out
    run 0 "$anneal" order --format=gold one
    grep -qx .text.hot.main out
    run 2 "$anneal" order --format=mold one
    says 'mold does not accept an order of functions'
    run 2 "$anneal" order --format=elf one
    says 'expected lld, gold, gnu or ld64'
}

does_not_depend_on_threads() {
    traced
    run 0 "$anneal" order -j1 app.profdata
    mv out one
    run 0 "$anneal" order -j7 app.profdata
    same out one
    "$anneal" merge --text -o app.proftext app.profdata
    run 0 "$anneal" order app.proftext
    same out one
    run 0 "$anneal" order 1.profraw 2.profraw
    expect "$(sort out)" "$(sort one)"
}

the_personality_prints_what_llvm_prints() {
    traced
    for more in '' --num-test-traces=1; do
        # shellcheck disable=SC2086 # none or one
        llvm-profdata-19 order $more app.profdata >theirs
        # shellcheck disable=SC2086
        run 0 "$anneal" llvm-profdata order $more app.profdata
        sort out | sed 's/curve: .*/curve/' >ours.sorted
        sort theirs | sed 's/curve: .*/curve/' >theirs.sorted
        same ours.sorted theirs.sorted
    done
    run 0 "$anneal" llvm-profdata order -o=file app.profdata
    expect "$(cat out)" ''
    grep -q '^# Ordered 7 functions$' file
    run 1 "$anneal" llvm-profdata order --num-test-traces=2 app.profdata
    says 'must be smaller than the total number of traces: expected: < 2, actual: 2'
    # Of a profile without traces, no function is ordered
    llvm-profdata-19 order "$corpus/raw/c-ir-clang19-run1.profraw" >theirs
    run 0 "$anneal" llvm-profdata order "$corpus/raw/c-ir-clang19-run1.profraw"
    same out theirs
}

# By the measure of LLVM's own tool, on runs that neither order was made from.
no_worse_than_llvm_by_its_own_measure() {
    python3 - >runs.proftext <<'END'
import random
draw = random.Random(5)
groups, size = 200, 40
print(':ir\n:temporal_prof_traces\n60\n60')
for run in range(60):
    chosen = sorted(draw.sample(range(groups), 50) + list(range(10)))
    names = [(place + draw.random() * 2, 'f%d' % (member * groups + group))
             for place, group in enumerate(chosen) for member in range(size)
             if draw.random() < 0.7]
    print('1\n' + ','.join(name for _, name in sorted(names)))
for number in range(groups * size):
    print('f%d\n%d\n1\n1\n' % (number, number + 1))
END
    "$anneal" merge -o runs.profdata runs.proftext
    for tests in 10 20; do
        llvm-profdata-19 order --num-test-traces=$tests runs.profdata | sed -n 's/.*curve: //p' >theirs
        "$anneal" llvm-profdata order --num-test-traces=$tests runs.profdata | sed -n 's/.*curve: //p' >ours
        awk -v ours="$(cat ours)" -v theirs="$(cat theirs)" \
            'BEGIN { if (!(ours > 0 && ours <= theirs)) { print ours, theirs; exit 1 } }'
    done
}

evaluates_and_draws() {
    traced
    clang-19 -O1 -ffunction-sections -fuse-ld=lld -o app one.c two.c
    run 0 "$anneal" order --evaluate app --svg app.svg app.profdata
    grep -q 'pages touched, total' out
    python3 -c 'import xml.dom.minidom, sys; xml.dom.minidom.parse("app.svg")'
    run 0 "$anneal" order --evaluate app --json --test-runs=1 --page-size=512 --fault-around=4 app.profdata
    mv out json
    python3 - json <<'END'
import json, sys
all = json.load(open(sys.argv[1]))
told = all['evaluation']
assert told['runs'] == 1 and told['kept_aside'] and told['page_size'] == 512 and told['fault_around'] == 4, told
assert len(told['now']['pages_curve']) == len(told['ordered']['faults_curve']) == 64
assert 0 < told['ordered']['pages'] <= told['now']['pages'], told
assert told['ordered']['faults_mean'] <= told['ordered']['pages_mean']
assert all['binary']['immovable'] == []
END
    functions app >present
    run 0 "$anneal" order --evaluate app --order present app.profdata
    printf 'nothing\n' >none
    run 0 "$anneal" order --evaluate app --order none --json app.profdata
    mv out json
    python3 -c 'import json; e = json.load(open("json"))["evaluation"]; assert e["now"]["pages"] == e["ordered"]["pages"]'
    clang-19 -c one.c
    run 1 "$anneal" order --evaluate one.o app.profdata
    says 'requires the linked program'
}

# Of a program that has nothing of the runs there would be an order of what precedes them only.
no_function_is_left() {
    echo 'int main(void) { return 0; }' >one.c
    gcc -ffunction-sections one.c -o program
    echo before >order
    printf '%s\n' late early >list
    for how in --format=lld --format=gold --format=gnu; do
        run 1 "$anneal" order "$how" -b program -o order list
        says 'nothing written: program has none of the functions of these runs'
    done
    expect "$(cat order)" before
    printf '%s\n' late main >list
    run 0 "$anneal" order -b program -o order list
    grep -qx main order
}

refuses() {
    run 2 "$anneal" order
    says 'no runs named'
    : >empty
    run 1 "$anneal" order empty
    says 'empty: an empty file, which has no order of functions'
    head -c 5000 /dev/urandom >noise
    printf '\x7fELF' | cat - noise >binary
    run 1 "$anneal" order binary
    says 'which has no order'
    run 1 "$anneal" order "$corpus/raw/c-ir-clang19-run1.profraw"
    says 'without temporal traces'
    says 'pgo-temporal-instrumentation'
    echo main >list
    run 1 "$anneal" order -b noise list
    says 'noise: at byte 0: not an ELF file'
    run 1 "$anneal" order -b binary -o kept list
    [ ! -e kept ]
    run 1 "$anneal" order no-such-file
    says 'No such file'
    run 2 "$anneal" order --svg a.svg list
    says '--svg requires --evaluate'
    run 2 "$anneal" order --page-size=1000 list
    says 'a power of 2'
    run 2 "$anneal" order --fault-around=3 list
    run 1 "$anneal" order --evaluate "$anneal" --test-runs=1 list
    says 'too few to hold out that many'
    printf 'main\nf\001\n' >bad
    run 1 "$anneal" order bad
    echo old >kept
    chmod 000 list
    [ "$(id -u)" = 0 ] || { run 1 "$anneal" order -o kept list; expect "$(cat kept)" old; }
}

have clang-19 ld.lld-19 llvm-profdata-19 gcc ld.gold python3 nm || {
    echo "missing:$missing (scripts/bootstrap test installs them)"
    exit 1
}
# Partial results of hosts: what a profile of all of them gives, and each run once.
partial_results() {
    traced
    run 0 "$anneal" merge -q -o all.profdata 1.profraw 2.profraw
    run 0 "$anneal" order -o expected all.profdata
    run 0 "$anneal" merge -q --partial -o one.partial 1.profraw
    run 0 "$anneal" merge -q --partial -o both.partial 1.profraw 2.profraw
    run 0 "$anneal" order --json -o ours one.partial both.partial
    expect "$(jq .runs out)" 2
    sort ours >functions && sort expected | diff - functions || fail 'other functions'
    # their traces are those of the profile that anneal merge makes of them
    run 0 "$anneal" merge -q -o through.profdata one.partial both.partial
    run 0 "$anneal" order -o expected through.profdata
    same ours expected
    run 0 "$anneal" order --hot -o ours one.partial both.partial
    run 0 "$anneal" order --hot -o expected through.profdata
    same ours expected
    # those that have some inputs in common, and some not, cannot be taken together
    run 0 "$anneal" merge -q -o indexed.profdata 1.profraw
    run 0 "$anneal" merge -q --partial -o other.partial 1.profraw indexed.profdata
    run 1 "$anneal" order -o ours both.partial other.partial
    says 'some of its inputs are in other inputs, too' '1 of 3 inputs rejected'
    same ours expected
    run 1 "$anneal" order - <one.partial
    says 'name a file'
    head -c 100 one.partial >cut.partial
    run 1 "$anneal" order cut.partial
    says 'cut.partial'
    printf '1 main 0 1 f 0 0 3\n' >run.fdata
    run 0 "$anneal" merge -q --partial -o fdata.partial run.fdata
    run 1 "$anneal" order --hot one.partial fdata.partial
    says 'fdata.partial: is a partial result of BOLT'
    run 1 "$anneal" order fdata.partial
    says 'does not record what ran first'
    cp "$(find "$tests/data/gcc" -name '*.gcda' | sort | first)" a.gcda
    run 0 "$anneal" merge -q --partial -o gcc.partial a.gcda
    run 1 "$anneal" order gcc.partial
    says 'anneal merge -o FOLDER'
}

check 'lld puts functions where the order says' lld_takes_the_order
check 'the order has the names that symbols have' names_of_the_binary_are_used
check 'the model has the places that lld and GNU ld give' the_model_has_the_places_of_the_linker
check 'what is absent or cannot be moved is told' what_is_absent_or_cannot_move_is_told
check 'what runs before main comes first' what_runs_before_main_comes_first
check 'GCC, with gold and with a script for GNU ld' gcc_with_gold_and_a_linker_script
check 'coverage without times is refused' one_profile_of_gcc_without_a_time_profiler
check 'lists of names are runs; formats' lists_of_names_are_runs
check_with jq 'partial results are merged first' partial_results
check 'the order is the same for any number of threads' does_not_depend_on_threads
check 'llvm-profdata order prints what LLVM prints' the_personality_prints_what_llvm_prints
check "no worse than LLVM's order by its own measure" no_worse_than_llvm_by_its_own_measure
check 'evaluation as table, JSON and picture' evaluates_and_draws
check 'a program that has none of the functions is refused' no_function_is_left
check 'what is no order is refused' refuses
finish
