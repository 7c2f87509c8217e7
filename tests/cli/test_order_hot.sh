#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal order from what runs most: --hot and --blend, with counts, branch profiles and recordings; and runs out of
# recordings.
#
# usage: test_order_hot.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

# A program in which a loop has main -> outer -> inner -> leaf, `rare` now and then, `first` and `second` once; the
# order in the source is another one. Two functions of one name in two files.
program() {
    cat >one.c <<'END'
volatile int sum;
#define KEPT __attribute__((noinline, used))
KEPT void never(void) { sum--; }
KEPT void leaf(void) { sum++; }
KEPT void second(void) { sum += 3; }
KEPT void rare(void) { for (int i = 0; i < 3; i++) sum += i; }
KEPT void never_either(void) { sum -= 2; }
KEPT void inner(void) { leaf(); sum++; }
KEPT static void helper(void) { sum += 5; }
KEPT void first(void) { helper(); second(); }
void other(void);
KEPT void outer(int i) { inner(); sum += i; if (i % 64 == 0) rare(); }
int main(int count, char **words)
{
    (void)words;
    first();
    for (int i = 0; i < count * 1000000; i++) outer(i);
    other();
    return 0;
}
END
    cat >two.c <<'END'
extern volatile int sum;
static __attribute__((noinline, used)) void helper(void) { sum += 2; }
__attribute__((noinline)) void other(void) { helper(); helper(); }
END
    clang-19 -O1 -fno-pie -no-pie -ffunction-sections -fuse-ld=lld -o app one.c two.c
}

trained() {
    program
    clang-19 -O1 -fprofile-generate -mllvm -pgo-temporal-instrumentation -mllvm -disable-preinline \
        -o trained one.c two.c
    LLVM_PROFILE_FILE=run.profraw ./trained
}

# in_order LIST WORD...: the list has these lines in this order, others may be between
in_order() {
    local list=$1
    shift
    expect "$(grep -xF "$(printf '%s\n' "$@")" "$list" | tr '\n' ' ')" "$(printf '%s ' "$@")"
}

# address FUNCTION: in app, hexadecimal
address() {
    nm app | awk -v name="$1" '$3 == name && !seen++ { print "0x" $1 }'
}

# branch FROM TO: an entry of a branch stack, from the end of one function to the start of another
branch() {
    printf ' %#x/%#x/P/-/-/0' $(($(address "$1") + 4)) "$(address "$2")"
}

# Two processes; in time, 8 calls first, then outer; 9 begins with other. Samples stand in another order than that.
recording() {
    local segment
    read -r -a segment < <(readelf -lW app | awk '$1 == "LOAD" && / R E / { print $2, $3 }')
    segment=($((segment[0] / 4096 * 4096)) $((segment[1] / 4096 * 4096)))
    for pid in 8 9; do
        printf 'app %d/%d 1.000000: PERF_RECORD_MMAP2 %d/%d: [%#x(0x1000) @ %#x fe:00 12 0]: r-xp %s\n' \
            $pid $pid $pid $pid "${segment[1]}" "${segment[0]}" "$PWD/app"
    done
    echo "app 8/8 3.000000: cycles: $(address leaf)$(branch inner leaf)$(branch outer inner)$(branch main outer)"
    echo "app 8/8 4.000000: cycles: $(address leaf)$(branch inner leaf)$(branch outer inner)$(branch main outer)"
    echo "app 8/8 2.000000: cycles: $(address first)$(branch main first)"
    echo "app 9/9 2.000000: cycles: $(address other)$(branch main other)"
    echo "app 9/9 5.000000: cycles: $(address leaf)$(branch inner leaf)$(branch outer inner)"
}

# json PATH VALUE: what was printed has that there
json() {
    expect "$(jq -r "$1" out)" "$2"
}

counts_and_calls_of_the_code() {
    trained
    run 0 "$anneal" order --hot -b app -o hot.order run.profraw
    says 'in app'
    # callers in front of what they call
    in_order hot.order main outer inner leaf
    in_order hot.order leaf rare
    ! grep -qx never hot.order || fail 'a function that never ran is hot'
    run 0 "$anneal" order --hot -b app -o again.order -j1 run.profraw
    same again.order hot.order
    clang-19 -O1 -fno-pie -no-pie -ffunction-sections -fuse-ld=lld -Wl,--symbol-ordering-file=hot.order -o ordered one.c two.c
    nm ordered | sort | awk '$2 ~ /[tT]/ { print $3 }' >placed
    in_order placed main outer inner leaf never
}

counts_without_a_binary() {
    trained
    run 0 "$anneal" order --hot -o hot.order run.profraw
    # by density alone
    grep -qx leaf hot.order || fail "$(cat hot.order)"
    run 0 "$anneal" merge -q -o app.profdata run.profraw
    run 0 "$anneal" order --hot -o indexed.order app.profdata
    same indexed.order hot.order
}

gcc_counts() {
    program
    mkdir built
    (cd built && gcc-12 -O1 -fprofile-generate -ftest-coverage -o trained ../one.c ../two.c && ./trained)
    run 0 "$anneal" order --hot -b app -o hot.order built
    in_order hot.order main outer inner leaf
    run 0 "$anneal" order --blend -b app -o blend.order built
    in_order blend.order outer inner leaf first second
}

branch_profiles() {
    program
    cat >app.fdata <<'END'
1 main 10 1 outer 0 0 100
1 outer 4 1 inner 0 0 100
1 inner 4 1 leaf 0 0 90
1 leaf 8 1 inner 9 0 90
1 other 4 1 helper/two.c/1 0 0 3
1 first 4 1 helper/one.c/1 0 0 7
1 first 9 1 second 0 0 7
0 [unknown] 0 1 main 0 0 1
END
    run 0 "$anneal" order --hot -b app -o hot.order app.fdata
    in_order hot.order main outer inner leaf first other
    # without a binary, names alone
    run 0 "$anneal" order --hot -o names.order app.fdata
    in_order names.order main outer inner leaf
    grep -qx helper names.order || fail "$(cat names.order)"
    run 1 "$anneal" order -b app -o never.order app.fdata
    says 'does not record what ran first' '--hot'
    # partial results of them
    run 0 "$anneal" order --hot -b app -o expected app.fdata
    run 0 "$anneal" merge -q --partial -o app.partial app.fdata
    run 0 "$anneal" order --hot -b app -o hot.order app.partial
    same hot.order expected
    # samples without branches
    printf '%s\n' 'no_lbr cycles:u:' '1 leaf 3 70' '1 inner 2 50' '1 outer 2 40' '1 main 1 5' >samples.fdata
    run 0 "$anneal" order --hot -b app -o hot.order samples.fdata
    in_order hot.order main outer inner leaf
}

runs_of_recordings() {
    program
    recording >script
    run 0 "$anneal" order -b app -o start.order script
    says 'from 2 runs'
    in_order start.order main first
    run 0 "$anneal" order --json -b app -o start.order --pid=9 script
    json .runs 1
    in_order start.order main other inner leaf
    ! grep -qx first start.order || fail 'process 8 was not wanted'
    run 0 "$anneal" order --hot -b app -o hot.order script
    in_order hot.order outer inner leaf
    for threads in 1 3 8; do
        run 0 "$anneal" order --blend -b app -o blend.$threads -j$threads script
        same blend.$threads blend.1
    done
    in_order blend.1 outer inner leaf first
    run 1 "$anneal" order -o never.order script
    says 'a recording, which has only addresses' '-b'
    run 1 "$anneal" order -b "$anneal" -o never.order script
    says 'no process in the recording ran'
}

# Without branches: what calls what is read in the code.
recorded_by_perf() {
    program
    perf record -q -e cpu-clock:u -F 20000 -o data ./app a b c d 2>perf.err || fail "$(cat perf.err)"
    run 0 "$anneal" order --hot -b app -o hot.order data
    in_order hot.order outer inner leaf # no sample has to meet main
    run 0 "$anneal" order -b app -o start.order data
    says 'from 1 run;'
    grep -qx outer start.order || fail "$(cat start.order)"
    run 0 "$anneal" order --hot --evaluate app data
    prints 'calls within a page'
}

blends() {
    trained
    run 0 "$anneal" order --blend -b app -o blend.order run.profraw
    in_order blend.order outer inner leaf first second
    expect "$(sort blend.order | uniq -d)" ''
    # with all of it hot, it is the hot order, and what no profile has seen
    run 0 "$anneal" order --hot -b app -o hot.order run.profraw
    run 0 "$anneal" order --blend --hot-share=100 -b app -o all.order run.profraw
    printf '_start\nframe_dummy\n' >>hot.order
    same all.order hot.order
    # and with none of it, that of the start
    run 0 "$anneal" order -b app -o start.order run.profraw
    run 0 "$anneal" order --blend --hot-share=0 -b app -o none.order run.profraw
    same none.order start.order
    run 2 "$anneal" order --blend --hot-share=101 -b app run.profraw
    says '--hot-share'
}

evaluates() {
    trained
    run 0 "$anneal" order --hot --evaluate app run.profraw
    prints 'pages with 90 % of the heat' 'calls within a page'
    run 0 "$anneal" order --blend --json --evaluate app run.profraw
    json .evaluation.heat_ordered.pages_99 1
    json .evaluation.runs 1
}

refuses() {
    trained
    run 1 "$anneal" order --hot -b "$anneal" -o never.order /dev/null
    says 'an empty file'
    printf 'main\nouter\n' >list
    run 1 "$anneal" order --hot -o never.order list
    says 'does not record what is hot'
    run 1 "$anneal" order --blend -o never.order list
    says 'no hot functions'
    [ ! -e never.order ] || fail 'an order was written'
}

check_with clang-19 'counts, and calls that the code has' counts_and_calls_of_the_code
check_with clang-19 'counts without a binary' counts_without_a_binary
check_with 'clang-19 gcc-12' "GCC's counts" gcc_counts
check_with clang-19 "BOLT's branch profiles" branch_profiles
check_with 'clang-19 jq readelf' 'recordings: what was seen first, and what was seen most' runs_of_recordings
check_with 'clang-19 perf' 'a recording of samples' recorded_by_perf
check_with clang-19 'both in one' blends
check_with 'clang-19 jq' 'pages of what is hot' evaluates
check_with clang-19 'what does not tell is refused' refuses
finish
