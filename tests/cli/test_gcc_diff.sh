#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# diff for GCC's counter files: the overlap of what gcov-dump lists, functions that moved, came and went.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

golden=$tests/data/gcc

# Two runs of two modules, in one/ and two/; the gcno are in notes/.
build() {
    local run
    mkdir one two notes
    cp "$golden"/src/{values.c,flow.cpp,shared.h,part.inc} .
    gcc -O2 -fprofile-generate -fprofile-update=single -ftest-coverage -c values.c
    g++ -O0 -fprofile-generate -fprofile-update=single -ftest-coverage -c flow.cpp
    gcc -fprofile-generate values.o -o values
    g++ -fprofile-generate flow.o -o flow
    for run in 'one 40 30' 'two 300 5'; do
        # shellcheck disable=SC2086
        set -- $run
        ./values "$2" >/dev/null
        ./flow "$3" >/dev/null
        mv values.gcda flow.gcda "$1"
    done
    mv ./*.gcno notes
}

# arcs_of FOLDER: "MODULE IDENT NUMBER COUNT" of all counters, as gcov-dump has them
arcs_of() {
    local file
    for file in "$1"/*.gcda; do
        gcov-dump -l "$file" | awk -v module="$(basename "$file")" '
            /:FUNCTION / { sub(".*ident=", ""); sub(",.*", ""); ident = $0; number = 0 }
            /:COUNTERS / { sub(".*COUNTERS ", ""); is_arcs = $1 == "arcs"; next }
            /: +[0-9]+: / && is_arcs { for (i = 3; i <= NF; i++) print module, ident, number++, $i }'
    done
}

overlap() {
    local theirs ours
    build
    arcs_of one >one.arcs
    arcs_of two >two.arcs
    theirs=$(awk 'FNR == NR { one[$1, $2, $3] = $4; a += $4; next }
        { two[$1, $2, $3] = $4; b += $4 }
        END { for (k in one) { x = one[k] / a; y = two[k] / b; sum += x < y ? x : y }
              printf "%d %d %.6f\n", a, b, sum }' one.arcs two.arcs)
    run 0 "$anneal" diff --json --notes=notes one two
    expect "$(cat err)" ''
    ours=$(jq -r '[.base_total, .test_total, .overlap] | @tsv' out | awk '{ printf "%d %d %.6f\n", $1, $2, $3 }')
    expect "$ours" "$theirs"
    expect "$(jq -c '[.modules, .functions_changed, .functions_only_in_test]' out)" '[2,0,0]'
    # the shares of all functions are all there is
    run 0 "$anneal" diff --json --top=1000 --notes=notes one two
    expect "$(jq '[.moved[].base_share] | add * 1000000 | round' out)" 1000000
    expect "$(jq '[.moved[].test_share] | add * 1000000 | round' out)" 1000000
    expect "$(jq '[.moved[] | select(.name == null)] | length' out)" 0
    run 0 "$anneal" diff --notes=notes one two
    grep -qE '^ +[0-9.]+%  overlap of counts, in [0-9]+ functions of 2 modules$' out
    grep -qE '  work  values.c:30$' out
    run 0 "$anneal" diff one one
    says '2 modules have no gcno file beside the counts, such as one/flow.gcda'
    grep -q '^100.000%  overlap' out
}

# Counts whose sum is above 2^64: shares are of the sum all the same.
large_counts() {
    printf 'int main(int n, char **v) { long s = 0; for (int i = 0; i < 9; i++) { if (n) s--; if (**v) s -= 2; if (n + i > 3) s++; s += **v; } return !s; }' >m.c
    gcc --coverage -O0 m.c -o m
    ./m
    mkdir run
    mv ./*.gcda run
    "$anneal" gcov-tool rewrite -n 9223372036854775807 -o large run
    run 0 "$anneal" diff large large
    prints 'base  large, total 18,446,744,073,709,551,615' # which is as far as the total goes
    grep -q '^100.000%  overlap of counts, in 1 ' out
    grep -q '^ 100.000%   100.000%    +0.000%  ' out
    run 0 "$anneal" diff run large
    grep -q '^100.000%  overlap of counts, in 1 ' out
}

# Modules and functions that only one of both has.
comes_and_goes() {
    local folder=$golden/gcc-12
    mkdir base test
    cp "$folder/values-1.gcda" base/values.gcda
    cp "$folder/values-2.gcda" test/values.gcda
    cp "$folder/right-b.gcda" test/right.gcda
    run 0 "$anneal" diff --json base test
    expect "$(jq '.modules' out)" 2
    expect "$(jq '.functions_only_in_test > 0' out)" true
    expect "$(jq '[.moved[] | select(.module == "test/right.gcda") | .in_base] | unique' out -c)" '[false]'
    run 0 "$anneal" diff base test
    grep -q '% *of test in .* functions that base does not have' out
    grep -q 'test/right.gcda#[0-9]*  (new)$' out
    run 0 "$anneal" diff test base
    grep -q 'test/right.gcda#[0-9]*  (gone)$' out
    # another build of a function
    cp "$folder/values-1.gcda" other.gcda
    printf '\1\2\3\4' | dd of=other.gcda bs=1 seek=48 conv=notrunc 2>/dev/null # of the control flow
    run 0 "$anneal" diff "$folder/values-1.gcda" other.gcda
    grep -q '(changed: other control flow)$' out
    run 0 "$anneal" diff --json "$folder/values-1.gcda" other.gcda
    expect "$(jq -c '[.functions_changed, ([.moved[] | select(.changed)] | length)]' out)" '[1,1]'
}

refuses() {
    local one=$golden/gcc-12/values-1.gcda
    run 2 "$anneal" diff --cs "$one" "$one"
    says '--cs applies only to LLVM profiles'
    run 1 "$anneal" diff "$one" missing.gcda
    run 1 "$anneal" diff -o result "$one" "$corpus/raw/c-ir-clang19-run1.profraw"
    says 'not an LLVM instrumentation profile but a GCC counter file'
    head -c 300 "$one" >torn.gcda
    run 1 "$anneal" diff -o result "$one" torn.gcda
    says 'torn.gcda: at byte 300: file ends within'
    head -c 32 "$one" >bare.gcda
    run 1 "$anneal" diff -o result "$one" bare.gcda
    says 'bare.gcda: no counts to compare'
    [ ! -e result ]
}

check_with 'gcc g++ gcov-dump jq' 'overlap of what gcov-dump lists' overlap
check_with gcc 'counts whose sum is larger than a number can be' large_counts
check_with jq 'functions that come, go and change' comes_and_goes
check 'what is refused' refuses
finish
