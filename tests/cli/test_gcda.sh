#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# merge for GCC's counter files: files into one, folders file by file, and what is refused.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

golden=$tests/data/gcc

files() {
    local folder
    for folder in "$golden"/gcc-*/values-all.gcda; do
        folder=${folder%/*}
        run 0 "$anneal" merge -o result.gcda "$folder"/values-{1,2,3}.gcda
        says 'merged 3 of 3 inputs, total count'
        same result.gcda "$folder/values-all.gcda"
        run 0 "$anneal" merge -q "$folder"/right-{a,b}.gcda
        same out "$folder/right-all.gcda"
        [ ! -s err ]
    done
}

folders() {
    local run folder=$golden/gcc-12
    for run in 1 2 3; do
        mkdir -p run$run/src/deep
        cp "$folder/values-$run.gcda" run$run/src/deep/values.gcda
        echo nothing >run$run/src/deep/values.gcno
    done
    cp "$folder/right-a.gcda" run1/right.gcda
    cp "$folder/right-b.gcda" run3/right.gcda
    run 0 "$anneal" merge -o result run1/ run2 run3
    expect "$(find result -type f | sort | tr '\n' ' ')" 'result/right.gcda result/src/deep/values.gcda '
    same result/right.gcda "$folder/right-all.gcda"
    same result/src/deep/values.gcda "$folder/values-all.gcda"
    says 'merged 5 of 5 inputs' '2 modules' 'right.gcda in 1 of 3' '3 other files'
    touch run2/src/deep/values.gcno
    run 0 "$anneal" merge --ledger=ledger -j1 -o again run1/ run2 run3
    diff -r result again
    says '1 module has no gcno file beside the counts, such as right.gcda'
    expect "$(command jq -c '.modules[0]' ledger)" \
        '{"name":"right.gcda","inputs":2,"missing_in":["run2"],"gcno":null}'
    expect "$(jq -c '.modules[1] | [.inputs, .missing_in, .gcno]' ledger)" \
        '[3,[],"run1/src/deep/values.gcno"]'
}

weights() {
    local folder=$golden/gcc-12 one=$golden/gcc-12/right-a.gcda
    run 0 "$anneal" merge -q -o thrice "$one" "$one" "$one"
    run 0 "$anneal" merge -q -o weighted -w "3,$one"
    same weighted thrice
    run 0 "$anneal" merge -q -o heavy -w "9223372036854775807,$folder/values-2.gcda"
    run 0 "$anneal" merge -q -o heavier heavy heavy
}

refuses() {
    local folder=$golden/gcc-12
    run 1 "$anneal" merge -o result "$folder"/{values-1,right-a}.gcda
    says 'rejected:' 'right-a.gcda: it has 2 functions, but those before have 7' 'nothing written'
    cp "$folder/right-a.gcda" one.gcda
    printf '\1\2\3\4' | dd of=one.gcda bs=1 seek=48 conv=notrunc 2>/dev/null # of the control flow
    touch -d '2026-01-02 03:04:05 UTC' one.gcda
    cp "$folder/right-b.gcda" other.gcda
    touch -d '2025-12-31 23:59:59 UTC' other.gcda
    run 1 "$anneal" merge -o result other.gcda one.gcda
    says 'one.gcda: coverage mismatch: the checksum of the control flow of function 0' \
        'is 0x04030201, and 0x' 'written on 2026-01-02 03:04:05 UTC, the first one on 2025-12-31 23:59:59 UTC'
    [ ! -e result ]
    run 0 "$anneal" merge --failure-mode=all --ledger=ledger -o result \
        "$folder"/{values-1,right-a}.gcda "$golden/gcc-11/values-1.gcda"
    same result "$folder/values-1.gcda"
    expect "$(jq -c '[.used, .rejected, [.inputs[] | .status]]' ledger)" \
        '[1,2,["used","rejected","rejected"]]'
    expect "$(jq -c '.inputs[0] | [.format, .version, .functions]' ledger)" '["gcda",12,7]'
    head -c 100 "$folder/values-1.gcda" >torn.gcda
    run 1 "$anneal" merge -o none "$folder/values-1.gcda" torn.gcda
    says 'torn.gcda: at byte 100: file ends within'
    run 2 "$anneal" merge --sparse -o none "$folder/values-1.gcda"
    says '--sparse applies only to LLVM profiles'
    mkdir run
    cp "$folder/values-1.gcda" run/
    run 2 "$anneal" merge run
    says 'no output folder' '-o DIR'
    run 2 "$anneal" merge -o none run "$folder/values-1.gcda"
    says 'cannot mix files and folders'
    : >empty
    run 1 "$anneal" merge -o none empty
    run 0 "$anneal" merge -o result empty "$folder/values-1.gcda"
    same result "$folder/values-1.gcda"
    run 1 "$anneal" merge -o none "$folder/values-1.gcda" "$corpus/../branch/fdata/"*.fdata
    [ ! -e none ]
}

pipes() {
    local one=$golden/gcc-14/values-1.gcda
    run 0 "$anneal" merge -q -o result - <"$one"
    same result "$one"
    run 0 "$anneal" merge -q -o result <(cat "$one") "$golden/gcc-14/values-2.gcda"
    run 0 "$anneal" merge -q -o expected "$golden"/gcc-14/values-{1,2}.gcda
    same result expected
}

# The gcno beside one of both files tells what the function is called, and where it is.
names_functions() {
    local build
    mkdir old new
    printf '%s\n' '' 'int choose(int x)' '{' '    return x ? x : 5;' '}' \
        'int main(int count, char **words)' '{' '    (void)words;' '    return choose(count) == 99;' '}' >old/it.c
    sed 's/x ? x : 5/x ? x > 3 ? 40 : -x : 5/' old/it.c >new/it.c
    for build in old new; do
        (cd $build && gcc -O0 --coverage -c it.c && gcc --coverage it.o -o it && ./it)
    done
    touch -d '2026-01-02 03:04:05 UTC' new/it.gcda
    run 1 "$anneal" merge -o result old/it.gcda new/it.gcda
    says 'new/it.gcda: coverage mismatch: the checksum of the control flow of function 1 (ident' \
        ', choose in it.c:2) is 0x' 'in those before' 'written on 2026-01-02 03:04:05 UTC, the first one on'
    rm new/it.gcno
    run 1 "$anneal" merge -o result old/it.gcda new/it.gcda
    says ', choose in it.c:2) is 0x'
    mv new/it.gcda new/it.gcda3
    mv old/it.gcda old/it.gcda0
    run 1 "$anneal" merge -o result old/it.gcda0 new/it.gcda3
    says ', choose in it.c:2) is 0x'
    echo damaged >old/it.gcno
    run 1 "$anneal" merge -o result old/it.gcda0 new/it.gcda3
    says 'of function 1 (ident' ') is 0x' 'coverage mismatch'
    never_says choose
    [ ! -e result ]
}

# What the program leaves by itself in one folder is what is merged of one folder for each run; the
# compiler takes it.
compiled() {
    local run compiler=$1
    printf '%s\n' "int twice(int x) { return x % 3 ? 2 * x : x; }" >part.c
    cp "$golden/src/values.c" .
    "$compiler" -O2 -fprofile-generate -fprofile-update=single -c values.c
    "$compiler" -O2 -fprofile-generate -fprofile-update=single -c part.c
    "$compiler" -fprofile-generate values.o part.o -o program
    # Some counters are of addresses: those of the stack depend on how long the environment is.
    for run in 0007 0300 0012 1000 0005; do
        GCOV_PREFIX=$PWD/$run GCOV_PREFIX_STRIP=99 setarch -R ./program "$((10#$run))" >/dev/null
        GCOV_PREFIX=$PWD/same GCOV_PREFIX_STRIP=99 setarch -R ./program "$((10#$run))" >/dev/null
    done
    run 0 "$anneal" merge -q -o merged 0007 0300 0012 1000 0005
    diff -r merged same
    expect "$(find merged -type f | wc -l)" 2
    cp merged/*.gcda .
    "$compiler" -O2 -fprofile-use -Werror=coverage-mismatch -Werror=missing-profile -c values.c
    "$compiler" -O2 -fprofile-use -Werror=coverage-mismatch -Werror=missing-profile -c part.c
    sed -i 's/int twice(int x) {/int twice(int x) { if (x == 7) return 1;/' part.c
    ! "$compiler" -O2 -fprofile-use -Werror=coverage-mismatch -c part.c 2>err
    grep -q 'coverage mismatch\|control flow.*does not match' err
}

gcov_tool() {
    local folder=$golden/gcc-12
    mkdir one two
    cp "$folder/right-a.gcda" one/right.gcda
    cp "$folder/right-b.gcda" two/right.gcda
    gcov-tool merge one two -o theirs
    run 0 "$anneal" merge -q -o ours one two
    diff -r theirs ours
}

# Sixteen cores of a board, for two modules; the second one ran on three of them.
cores() {
    local core expected=() folder=$golden/gcc-12
    for core in {0..15}; do
        cp "$folder/values-$((core % 3 + 1)).gcda" one.gcda$core
        expected+=("$folder/values-$((core % 3 + 1)).gcda")
    done
    cp "$folder/right-a.gcda" two.gcda0
    cp "$folder/right-b.gcda" two.gcda2
    echo none >two.gcdax
    run 0 "$anneal" merge -q -o expected "${expected[@]}"
    ln -s "$anneal" merge-gcda
    run 0 ./merge-gcda
    same one.gcda expected
    same two.gcda "$folder/right-all.gcda"
    expect "$(head -4 out | tr '\n' ' ')" \
        'Merging these files into one.gcda:   one.gcda0   one.gcda1   one.gcda2 '
    expect "$(sed -n '/into two/,$p' out | tr '\n' ' ')" \
        'Merging these files into two.gcda:   two.gcda0   two.gcda2 '
    run 0 "$anneal" merge -o sum
    says 'merged 18 of 18 inputs' '2 modules'
    same sum/one.gcda expected
    run 0 ./merge-gcda -o elsewhere
    same elsewhere/two.gcda two.gcda
    run 0 ./merge-gcda -q one.gcda7 one.gcda1 # named after the first one
    run 0 "$anneal" merge -q -o expected one.gcda7 one.gcda1
    same one.gcda expected
    run 2 ./merge-gcda one.gcda one.gcda1
    says 'one.gcda: is an input and would be replaced'
    same one.gcda expected
    mkdir nothing
    cd nothing
    run 2 ../merge-gcda
    says 'no files MODULE.gcda0'
    run 2 "$anneal" merge
    says 'no inputs'
}

# Weights of runs, by files, by folders, by cores; fractions stand to each other as they should.
factors() {
    local a=$golden/gcc-12/right-a.gcda b=$golden/gcc-12/right-b.gcda
    run 0 "$anneal" merge -q -o expected -w "3,$a" -w "2,$b"
    run 0 "$anneal" merge-gcda -q -o sum -f 3:2 "$a" "$b"
    same sum expected
    run 0 "$anneal" merge-gcda -o sum --factors=1/2:0.333333333 "$a" "$b"
    says 'factors are scaled to whole numbers' 'the first one becomes 500,000,000'
    run 0 "$anneal" merge-gcda -q -o sum -f 0.75:1/2 "$a" "$b"
    same sum expected
    run 0 "$anneal" merge -q -o expected -w "2,$a" "$b"
    run 0 "$anneal" merge-gcda -q -o sum -f 2 "$a" "$b"
    same sum expected
    run 0 "$anneal" merge -q -o expected "$a" -w "2,$b"
    run 0 "$anneal" merge-gcda -q -o sum -f 1/2 "$a" "$b"
    same sum expected
    mkdir one two
    cp "$a" one/x.gcda
    cp "$b" two/x.gcda
    run 0 "$anneal" merge-gcda -q -f 1:2 -o both one two
    same both/x.gcda expected
    run 0 "$anneal" merge-gcda -f 1:2 one two # into the present folder
    same x.gcda expected
    mv one/x.gcda y.gcda0
    mv two/x.gcda y.gcda2
    run 0 "$anneal" merge-gcda -q -f 1:7:2
    same y.gcda expected
    for bad in 0 1: :1 x 1/0 0.0 -1 1:2:3:4 99999999999 1.1234567891; do
        run 2 "$anneal" merge-gcda -q -f "$bad"
        grep -q 'factors' err
    done
    same y.gcda expected
}

# clang's counts, in each layout that it can write: a merge has the bytes of a second run, also of what never ran.
compiled_by_clang() {
    printf 'int f(int x)\n{\n    if (x > 5)\n        return 2;\n    return 1;\n}\nint never(int x)\n{\n    return x > 3 ? f(x) : 4;\n}\nint main(int argc, char **argv)\n{\n    (void)argv;\n    return f(argc) + (argc > 9 ? never(argc) : 0) - 1;\n}\n' >a.c
    for version in '408*' 'A93*' 'B11*'; do
        rm -rf ./*.gc?? one two merged
        clang-19 --coverage -Xclang -coverage-version="$version" -c a.c
        clang-19 --coverage a.o -o a
        for folder in one two; do
            ./a
            mkdir $folder
            mv a.gcda $folder
        done
        run 0 "$anneal" merge -q -o merged one two
        cp one/a.gcda .
        ./a 2>told
        expect "$(cat told)" ''
        same merged/a.gcda a.gcda
        cp merged/a.gcda .
        ./a 2>told
        expect "$(cat told)" ''
        llvm-cov-19 gcov -t a.gcno 2>told | found '    3:    3:'
        expect "$(cat told)" ''
    done
}

# Runs in one folder stay apart, for they may be folders of sources; what shows that they are runs is said.
folder_of_runs() {
    local run folder=$golden/gcc-12 hint="look like runs of one program, and were kept apart"
    for run in 1 2 3; do
        mkdir -p runs/$run/src
        cp "$folder/values-$run.gcda" runs/$run/src/values.gcda
    done
    run 0 "$anneal" merge -o apart runs/
    says "the folders in runs $hint: name them to add them up ('runs/*')"
    same apart/2/src/values.gcda "$folder/values-2.gcda"
    run 0 "$anneal" merge -o total runs/*
    never_says "$hint"
    same total/src/values.gcda "$folder/values-all.gcda"
    run 0 "$anneal" merge -q -o apart runs
    expect "$(cat err)" ''
    # A file that only one has, and one of another compilation under the same name
    cp "$folder/right-a.gcda" runs/2
    run 0 "$anneal" merge -o apart2 runs
    never_says "$hint"
    cp "$folder/values-1.gcda" runs/3/right.gcda
    mv runs/2/right-a.gcda runs/2/right.gcda
    run 0 "$anneal" merge -o apart3 runs
    never_says "$hint"
}

check 'files become one, as libgcov makes it' files
check 'the cores of a board' cores
check 'factors' factors
check 'folders, file by file' folders
check 'a folder of runs, kept apart' folder_of_runs
check 'weights' weights
check 'what does not go together' refuses
check 'pipes' pipes
check_with 'gcc' 'functions of another build have names' names_functions
for compiler in gcc-11 gcc-12; do
    check_with "$compiler setarch" "$compiler: runs of a program that the compiler takes" compiled $compiler
done
check_with 'clang-19 llvm-cov-19' 'a merge of what clang counted is like its next run' compiled_by_clang
check_with 'gcov-tool' 'the same as gcov-tool' gcov_tool
finish
