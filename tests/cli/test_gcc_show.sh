#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# show for GCC's counter files: what gcov and gcov-dump say of the same files, names, and what is refused.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

golden=$tests/data/gcc

# The golden files of a clang under the names that they had: NAME.gcda beside NAME.gcno.
clang_golden() {
    cp "$golden/$1/flow-$2.gcno" flow.gcno
    cp "$golden/$1/flow-$2-$3.gcda" flow.gcda
}

whole() {
    local folder=$golden/gcc-12
    cp "$folder/values-all.gcda" values.gcda
    cp "$folder/values.gcno" .
    run 0 "$anneal" show values.gcda
    expect "$(cat err)" ''
    expect "$(sed -n '1,3p' out)" "values.gcda: counters (gcda) of GCC 12.2, little-endian, 1.5 KB
stamp 0x01267960, checksum 0x2b009e11, 3 runs, sum of their largest counts 1,100
7 functions, 5 ran; 14 of 19 counters ran, total 2,220, largest 1,100"
    grep -qE '^ +1,100 +1,106 +49.81% +3  work  values.c:30$' out
    run 0 "$anneal" show --covered values.gcda
    expect "$(sort out | tr '\n' ' ')" 'main pick rest triple work '
    run 0 "$anneal" show --header values.gcda
    expect "$(wc -l <out)" 3
    run 0 "$anneal" show --detailed-summary-cutoffs=500000 values.gcda
    grep -qE '^ +50.0000% +732 +2$' out
    run 0 "$anneal" show --json --top=1 values.gcda
    expect "$(jq -c '.functions, (.profile | [.format, .counters, .counters_that_ran, .total_count],
        (.hottest[] | [.name, .entries]), (.modules[] | [.runs, .gcno, .stamp, .compiler]))' out)" '[]
["gcda",19,14,2220]
["work",3]
[3,"values.gcno","0x01267960","GCC 12.2"]'
    for folder in "$golden"/gcc-*/values-all.gcda; do
        folder=${folder%/*}
        run 0 "$anneal" show --json --all-functions --counts --values "$folder/values-all.gcda"
        expect "$(jq -c '.profile | [.functions, .modules[0].runs]' out)" '[7,3]'
        expect "$(jq '.functions | length' out)" 7
    done
}

clang() {
    local folder
    for folder in clang-14 clang-19; do
        clang_golden $folder 408 all
        run 0 "$anneal" show -a flow.gcda
        grep -q 'counters (gcda) of clang, as GCC 4.8' out
        grep -q 'stamp .*, 2 runs' out
        expect "$(grep -A2 '^main  flow.cpp:47' out | grep -c '  entered 2 times')" 1
        clang_golden $folder A93 1
        run 0 "$anneal" show -a flow.gcda
        expect "$(grep -A2 '^main  flow.cpp:47' out | grep -c '  entered 1 time,')" 1
    done
}

build() {
    printf '%s\n' 'extern int printf(const char *, ...);' 'static int one(int x) { return x + 1; }' \
        'static int two(int x) { return x > 4 ? x * 2 : x; }' 'int (*volatile steps[])(int) = {one, two, two};' \
        'int unused(int x) { return x; }' 'int main(void) {' '    int sum = 0;' \
        '    for (int i = 0; i < 30; i++)' '        sum += steps[i % 3](i) / (i % 5 + 1);' \
        '    return sum == 1;' '}' >calls.c
    cp "$golden"/src/{values.c,flow.cpp,shared.h,part.inc} .
    gcc -O1 -fprofile-generate -fprofile-update=single -ftest-coverage -c calls.c
    gcc -O2 -fprofile-generate -fprofile-update=single -ftest-coverage -c values.c
    g++ -O0 -fprofile-generate -fprofile-update=single -ftest-coverage -c flow.cpp
    gcc -fprofile-generate calls.o -o calls
    gcc -fprofile-generate values.o -o values
    g++ -fprofile-generate flow.o -o flow
    ./calls
    ./values 300 >/dev/null
    ./flow 40 >/dev/null
}

# Entries and names are gcov's.
entries() {
    local module
    build
    for module in calls values flow; do
        gcov --json-format --stdout $module.gcda |
            jq -r '.files[].functions[] | "\(.name) \(.start_line) \(.execution_count)"' | sort >theirs
        run 0 "$anneal" show --json --all-functions $module.gcda
        jq -r '.functions[] | "\(.name) \(.line) \(.entries)"' out | sort >ours
        diff theirs ours
        [ -s ours ]
    done
}

names_of_cpp() {
    build
    run 0 "$anneal" show --function='^choose\(int\)$' flow.gcda
    expect "$(head -1 out)" 'choose(int)  flow.cpp:32'
    run 0 "$anneal" show --json --top=20 --function='^_Z6choosei$' flow.gcda
    expect "$(jq -c '.functions[] | [.name, .demangled]' out)" '["_Z6choosei","choose(int)"]'
    grep -q '"demangled":"(anonymous namespace)::fail(int)"' out
    run 0 "$anneal" show --covered flow.gcda
    grep -qx '_Z6choosei' out
}

# Counters are those that gcov-dump lists.
counters() {
    local module
    build
    for module in calls values flow; do
        gcov-dump -l $module.gcda | awk '
            /:FUNCTION / { sub(".*ident=", ""); sub(",.*", ""); ident = $0 }
            /:COUNTERS / { sub(".*COUNTERS ", ""); kind = $1; number = $2; next }
            /: +[0-9]+: / && number { for (i = 3; i <= NF; i++) print ident, kind, $i }' >theirs
        run 0 "$anneal" show --json --all-functions --counts $module.gcda
        jq -r '.functions[] | .ident as $f | .counts[] | .kind as $k | .values[] | "\($f) \($k) \(.)"' \
            out >ours
        grep -v ' 0$' theirs >theirs.some
        grep -v ' 0$' ours >ours.some
        diff theirs.some ours.some
        [ -s ours.some ]
    done
}

values() {
    build
    run 0 "$anneal" show --function='^main$' --values calls.gcda
    grep -qE '^  indirect_call 0 +20 +66.6%  two$' out
    grep -qE '^  indirect_call 0 +10 +33.3%  one$' out
    run 0 "$anneal" show --json --function='^main$' --values calls.gcda
    expect "$(jq -c '.functions[].values.indirect_call[0] | map([.target, .count]) | sort' out)" \
        '[["one",10],["two",20]]'
    expect "$(jq -c '.functions[].values.topn | [.[][]] | map([.value, .count]) | sort' out)" \
        '[[1,6],[2,6],[3,6],[4,6],[5,6]]'
    run 0 "$anneal" show --traces --header calls.gcda
    expect "$(sed -n '/^first runs/,$p' out)" 'first runs, 3 functions
         1  main  calls.c:6
         2  one  calls.c:2
         3  two  calls.c:3'
    run 0 "$anneal" show --traces --json calls.gcda
    expect "$(jq -c '[.profile.first_runs[] | [.first_run, .name]]' out)" '[[1,"main"],[2,"one"],[3,"two"]]'
}

# Before GCC 11 these were kept in other ways.
old_values() {
    local values='[.functions[].values | select(length > 0)] | .[0] | map_values(map(map([.value // .ident, .count])))'
    run 0 "$anneal" show --json -a -v "$golden/gcc-9/values-all.gcda"
    expect "$(command jq -c "$values" out)" '{"single":[[[1000,900]],[],[],[]],"indirect_call":[[[485318524,364]]]}'
    run 0 "$anneal" show --json -a -v "$golden/gcc-10/values-all.gcda"
    expect "$(jq -c "$values | .topn[0], .topn[3], .indirect_call" out)" '[[10,40],[1000,4000],[90,360]]
[[8,1000],[4,1000],[2,1104],[1,1104]]
[[[485318524,2928],[2105952175,1472]]]'
}

# Counts of -fprofile-dir have the path of the object in their name. One of two objects with that name is right.
profile_folders() {
    mkdir -p one two counts more
    printf '__attribute__((noinline)) static int helper(int x) { return x %% 3 ? x : 2 * x; }\nint main(void) { int s = 0; for (int i = 0; i < 10; i++) s += helper(i); return s != 63; }\n' >one/a.c
    echo 'int other(int x) { return x > 2; }' >two/a.c
    gcc -O1 -ffunction-sections -fprofile-generate="$PWD/counts" -ftest-coverage -c one/a.c -o one/a.o
    gcc -O1 -fprofile-generate="$PWD/counts" -ftest-coverage -c two/a.c -o two/a.o
    gcc -fprofile-generate one/a.o two/a.o -o program
    ./program
    expect "$(find counts -name '*#*.gcda' | wc -l)" 2
    run 0 "$anneal" show --notes=. -a counts
    expect "$(cat err)" ''
    prints 'helper  one/a.c:1' 'other  two/a.c:1'
    run 0 "$anneal" order --notes=. counts
    prints helper main
    run 0 "$anneal" diff --notes=. counts counts
    expect "$(grep -c gcno err)" 0
    cp two/a.gcno counts/a.gcno # has the name, but not the stamp
    cp counts/*one#a.gcda more/a.gcda
    cp two/a.gcno more
    run 0 "$anneal" show --notes=one more
    expect "$(cat err)" ''
    prints '  helper  '
}

# Several modules, with names from elsewhere.
folders() {
    local make
    build
    mkdir -p run/deep notes/deep
    mv values.gcda run/deep
    mv values.gcno notes/deep
    mv calls.gcda run
    mv calls.gcno notes
    run 0 "$anneal" show run
    says '2 modules have no gcno file beside the counts, such as run/calls.gcda'
    grep -q '  run/deep/values.gcda#' out
    run 0 "$anneal" show --notes=notes run
    expect "$(cat err)" ''
    grep -q '^2 modules, counters (gcda) of GCC' out
    grep -q '  work  values.c:30$' out
    run 0 "$anneal" show --notes=notes --header run/calls.gcda run/deep
    expect "$(grep -c 'endian' out)" 2
    mv notes/deep/values.gcno notes
    run 0 "$anneal" show --notes=notes run
    expect "$(cat err)" ''
    cp "$golden/gcc-12/values.gcno" notes
    run 0 "$anneal" show --notes=notes run
    says '1 gcno is from another compilation than the counts, such as notes/values.gcno'
    grep -q '  run/deep/values.gcda#' out
    echo 'of no use' >notes/values.gcno
    run 0 "$anneal" show --notes=notes run
    says '1 gcno cannot be read; notes/values.gcno: at byte 0: not a gcno file'
    for make in mkfifo mkdir 'ln -s /dev/zero'; do
        rm -rf notes/values.gcno
        $make notes/values.gcno
        run 0 timeout 120 "$anneal" show --notes=notes run
        says '1 module has no gcno file beside the counts, such as run/deep/values.gcda'
    done
    : >run/died.gcda
    run 0 "$anneal" show --notes=notes run
    says 'run/died.gcda: empty'
}

refuses() {
    local one=$golden/gcc-12/values-1.gcda
    for option in --binary-ids --cs --text; do
        run 2 "$anneal" show $option "$one"
        says "$option applies only to LLVM profiles"
    done
    head -c 500 "$one" >torn.gcda
    run 1 "$anneal" show -o result torn.gcda
    says 'torn.gcda: at byte 500: file ends within'
    [ ! -e result ]
    run 1 "$anneal" show --json -o result "$one" torn.gcda
    [ ! -e result ]
    run 1 "$anneal" show "$one" missing.gcda
    run 2 "$anneal" show "$corpus/text" "$corpus/raw"
    says 'expected one profile, got' "only GCC's"
    run 2 "$anneal" show
    # a file may claim any number of zeros
    { head -c 52 "$one"; printf '\0\0\241\1\020\0\0\200\0\0\0\0'; } >zeros.gcda
    run 0 "$anneal" show --all-functions --counts zeros.gcda
    grep -q 'arcs 268435454 zeros' out
    run 0 "$anneal" show --json --all-functions --counts zeros.gcda
    expect "$(jq -c '.functions[0].counts' out)" '[{"kind":"arcs","number":268435454,"values":[]}]'
}

pipes() {
    local one=$golden/gcc-12/values-1.gcda
    run 0 "$anneal" show - <"$one"
    mv out from_pipe
    grep -q '^<stdin>: counters (gcda) of GCC 12.2' from_pipe
    run 0 "$anneal" show <(cat "$one")
    grep -q ': counters (gcda) of GCC 12.2' out
}

check 'totals, the hottest functions, JSON' whole
check "clang's files" clang
check_with 'gcc g++ gcov jq' 'entries and names as gcov has them' entries
check_with 'gcc g++ jq' 'names of C++' names_of_cpp
check_with 'gcc g++ gcov-dump jq' 'counters as gcov-dump has them' counters
check_with 'gcc g++ jq' 'values, targets and first runs' values
check_with 'gcc g++' 'folders, and gcno files elsewhere' folders
check_with gcc 'counts with the path of their object in the name' profile_folders
check_with 'jq' 'values as older releases kept them' old_values
check 'pipes' pipes
check 'what is refused' refuses
finish
