#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The gcov-tool personality, against gcov-tool.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

golden=$tests/data/gcc

# The folders one, two and three: three runs of a program of three files, one of them in a folder of its own.
# Its arguments are options for the compiler; with -fno-profile-values there are no lists of frequent values,
# which gcov-tool gets through only when it merges without weights.
runs() {
    local run name
    mkdir -p deep
    printf '%s\n' 'int f(int), b(int); int c(int);' 'static int sq(int x) { return x * x; }' \
        'int f(int x) { if (x % 3) return x / 2; return sq(x); }' \
        'int main(int n, char **v) { int s = 0; n = v[1][0] * 7 - 300; for (int i = 0; i < n; i++)' \
        '{ s += f(i); s += b(i) % (1 + i % 7); if (n > 60) s += c(i); } return s == 1; }' >a.c
    printf '%s\n' 'static int one(int x) { return x + 1; } static int two(int x) { return x + 2; }' \
        'int (*p)(int); int b(int x) { p = x % 5 ? one : two; return p(x) + (x > 50 ? 1 : 2); }' \
        'int never(int x) { return x; }' >deep/b.c
    echo 'int c(int x) { return x > 70 ? 1 : x; }' >c.c
    for name in a deep/b c; do
        gcc -O1 -fprofile-generate -fprofile-update=single "$@" -c $name.c -o $name.o
    done
    gcc -fprofile-generate a.o deep/b.o c.o -o program
    for run in one:2 two:6 three:9; do
        GCOV_PREFIX=$PWD/${run%:*} GCOV_PREFIX_STRIP=$(pwd | tr -cd / | wc -c) \
            setarch -R ./program ${run#*:}
    done
    expect "$(find one two three -name '*.gcda' | wc -l)" 9
}

merges() {
    local version
    runs
    gcov-tool merge one two -o theirs
    run 0 "$anneal" gcov-tool merge one two -o ours
    diff -r theirs ours
    expect "$(cat out err)" ''
    ln -s "$anneal" gcov-tool-12
    run 0 ./gcov-tool-12 merge one/ two
    diff -r theirs merged_profile
    for version in 11 12 13 14; do
        mkdir -p $version/{1,2,all}
        cp "$golden/gcc-$version/values-1.gcda" $version/1/x.gcda
        cp "$golden/gcc-$version/values-2.gcda" $version/2/x.gcda
        cp "$golden/gcc-$version/values-tool.gcda" $version/all/x.gcda
        run 0 "$anneal" gcov-tool merge $version/1 $version/2 -o sum
        diff -r sum $version/all
    done
}

# What gcov-dump tells but for the summaries and the names of files.
counts() {
    (cd "$1" && find . -name '*.gcda' | sort | xargs gcov-dump -l) | grep -v SUMMARY
}

weights() {
    runs -fno-profile-values
    gcov-tool merge -w 3,2 one two -o theirs
    run 0 "$anneal" gcov-tool merge -w 3,2 one two -o ours
    diff <(counts theirs) <(counts ours)
    run 0 "$anneal" merge -q -o expected one one one two two # gcov-tool does not weigh runs
    diff -r expected ours
    run 0 "$anneal" gcov-tool merge -w 2 one two -o ours
    run 0 "$anneal" merge -q -o expected one one two
    diff -r expected ours
    run 0 "$anneal" gcov-tool merge --weight=0,1 one two -o ours
    diff -r two ours
    run 1 "$anneal" gcov-tool merge -w 0,0 one two -o ours
    says 'weight of 0'
    diff -r two ours
}

# Modules of one of the folders only come from that one; gcov-tool counts the runs of the second one twice.
partial() {
    runs
    rm one/c.gcda two/deep/b.gcda
    run 0 "$anneal" gcov-tool merge one two -o ours
    same ours/c.gcda two/c.gcda
    same ours/deep/b.gcda one/deep/b.gcda
    mkdir none
    run 0 "$anneal" gcov-tool merge none two -o ours
    says 'warning: none: no counter files (*.gcda) in this folder'
    diff -r two ours
    run 1 "$anneal" gcov-tool merge none none -o ours
    says 'no counter files (*.gcda) in none and none'
    : >one/c.gcda # a process that died early
    run 0 "$anneal" gcov-tool merge one two -o ours
    same ours/c.gcda two/c.gcda
}

# The output folder has the results and no other counter files; nothing is lost when there are none.
output() {
    runs
    mkdir -p results/old/deep
    cp one/a.gcda results/old/deep/stale.gcda
    ln -s ../../one/a.gcda results/old/link.gcda
    echo kept >results/old/notes
    cp -r results before
    run 1 "$anneal" gcov-tool merge one nowhere -o results
    says 'nowhere: No such file or directory'
    head -c 90 one/a.gcda >torn
    cp -r one bad
    cp torn bad/a.gcda
    run 1 "$anneal" gcov-tool merge one bad -o results
    says 'bad/a.gcda: at byte 90: file ends within'
    run 1 "$anneal" gcov-tool rewrite bad -o results
    says 'bad/a.gcda: at byte 90: file ends within'
    diff -r before results
    run 0 "$anneal" gcov-tool merge one two -o results
    expect "$(cd results && find . ! -type d | sort | tr '\n' ' ')" \
        './a.gcda ./c.gcda ./deep/b.gcda ./old/notes '
    [ -s one/a.gcda ] # the link was removed, not the file
    mv results expected
    rm expected/old/notes && rm -r expected/old
    cp -r one in-place
    run 0 "$anneal" gcov-tool merge in-place two -o in-place
    diff -r expected in-place
    run 1 "$anneal" gcov-tool merge one two -o .
    says 'one: is inside .'
    run 0 "$anneal" gcov-tool merge one two -o new/folder/of/them
    diff -r expected new/folder/of/them
}

mismatch() {
    runs
    cp -r one other
    printf '\1\2\3\4' | dd of=other/a.gcda bs=1 seek=48 conv=notrunc 2>/dev/null # of the control flow
    run 1 "$anneal" gcov-tool merge one other -o results
    says 'other/a.gcda: coverage mismatch: the checksum of the control flow of function 0'
    [ ! -e results ]
}

rewrites() {
    local how
    runs -fno-profile-values
    for how in '' '-s 10' '-s 0.5' '-s 7/3' '-s 0' '-s 1.37' '--scale=1/2' '-s 3e9' '-s 1000000/1'; do
        # shellcheck disable=SC2086
        gcov-tool rewrite $how one -o theirs
        # shellcheck disable=SC2086
        run 0 "$anneal" gcov-tool rewrite $how one -o ours
        diff -r theirs ours
    done
    run 0 "$anneal" gcov-tool rewrite one
    diff -r one rewrite_profile
}

greatest() {
    (cd "$1" && find . -name '*.gcda' -print0 | xargs -0 gcov-dump -l) |
        awk '/COUNTERS/ { arcs = / arcs / } /FUNCTION|SUMMARY/ { arcs = 0 }
            arcs && !/COUNTERS/ { for (i = 3; i <= NF; i++) if ($i > most) most = $i } END { print most }'
}

normalises() {
    runs
    run 0 "$anneal" gcov-tool rewrite -n 123456789 one -o ours
    expect "$(greatest ours)" 123456789
    run 0 "$anneal" gcov-tool rewrite --normalize="$(greatest one)" one -o ours
    diff -r one ours
    run 0 "$anneal" gcov-tool rewrite -n 1 three -o ours
    expect "$(greatest ours)" 1
}

# Frequent values are scaled, too: it is as if there had been as many runs.
lists() {
    runs
    [ "$(counts one | grep -c 'topn\|indirect_call')" -gt 0 ]
    run 0 "$anneal" gcov-tool rewrite -s 3 one -o ours
    run 0 "$anneal" merge -q -o expected one one one
    diff <(counts expected | grep -v time_profiler) <(counts ours | grep -v time_profiler)
    run 0 "$anneal" gcov-tool rewrite -s 1/1 one -o ours
    diff -r one ours
}

# Percentages, and the result for the whole, which gcov-tool lost in GCC 9.
without_figures() {
    sed -E 's/ *(-?nan|inf|[0-9.]+)%/ P%/g; /zero files/q'
}

# expect_layout OPTION... ONE TWO: with a threshold of 0 all but figures is gcov-tool's.
expect_layout() {
    gcov-tool overlap -t 0 "$@" >theirs 2>theirs.err || :
    run 0 "$anneal" gcov-tool overlap -t 0 "$@"
    diff <(without_figures <theirs) <(without_figures <out)
    diff theirs.err err
}

# The figures, by gcov-tool's formula, of what gcov-dump tells. The order of files is that of gcov-tool.
figures() {
    local threshold=$1 names name side
    names=$({ gcov-tool overlap -F -o -t 0 one two || :; } |
        awk '/^ *obj=/ { sub(/.*obj= */, ""); print $1 }')
    for side in one two; do
        for name in $names; do
            echo "FILE $side $name"
            gcov-dump -l $side/$name
        done
    done | awk -v hot="$threshold" '
        function least(x, y) { return x < y ? x : y }
        $1 == "FILE" { side = $2; file = $3; arcs = function_number = 0
            if (side == "one") files[++file_count] = file
            next }
        /FUNCTION/ { sub(/.*ident=/, ""); sub(/,.*/, ""); ident[file, ++function_number] = $0
            functions[file] = function_number; arcs = 0
            next }
        /COUNTERS/ { arcs = / arcs /; counters = 0; next }
        arcs { for (i = 3; i <= NF; i++) { count[side, file, function_number, ++counters] = $i
                   total[side] += $i }
               number[file, function_number] = counters }
        END {
            for (f = 1; f <= file_count; f++) {
                file = files[f]; overlap = one = two = 0
                printf "\n   processing %36s:\n", file
                for (k = 1; k <= functions[file]; k++) {
                    part = first = second = any = 0
                    for (i = 1; i <= number[file, k]; i++) {
                        x = count["one", file, k, i]; y = count["two", file, k, i]
                        part += least(x / total["one"], y / total["two"])
                        first += x / total["one"]; second += y / total["two"]
                        if (x / total["one"] >= hot || y / total["two"] >= hot) any = any || x || y
                    }
                    if (any)
                        printf "   \tfunc_id=%10d \toverlap =%6.5f%% (%5.5f%% %5.5f%%)\n",
                            ident[file, k], part * 100, first * 100, second * 100
                    overlap += part; one += first; two += second
                }
                printf "   obj=%36s  overlap = %6.2f%% (%5.2f%% %5.2f%%)\n", file, overlap * 100,
                    one * 100, two * 100
                whole += overlap; whole_one += one; whole_two += two
            }
            printf "   SUM:%36s  overlap = %6.2f%% (%5.2f%% %5.2f%%)\n", "", whole * 100,
                whole_one * 100, whole_two * 100
            printf "\nProgram level overlap result is %3.2f%%\n\n", whole * 100
        }'
}

overlaps() {
    local options
    runs
    rm one/c.gcda # of zeros: one that is not there is told from it
    cp one/deep/b.gcda one/deep/again.gcda
    cp two/deep/b.gcda two/deep/again.gcda
    for options in '' -f -o -F -h '-f -o' '-F -o -f' '-h -o -f' '--function --object --hotonly'; do
        # shellcheck disable=SC2086
        expect_layout $options one one
        rm -rf half && cp -r two half
        rm half/c.gcda
        # shellcheck disable=SC2086
        expect_layout $options one half
    done
    expect_layout -f -o one two
    expect_layout -f -o -F two one
    rm two/c.gcda
    run 0 "$anneal" gcov-tool overlap -f -F -o -t 0 one two
    figures 0 >expected
    diff expected <(sed '/Statistics/,/zero files/d' out)
    figures 0.04 | grep 'func_id' >expected
    run 0 "$anneal" gcov-tool overlap -f -h -t 0.04 one two
    diff expected <(grep func_id out)
    [ "$(wc -l <expected)" -gt 1 ]
    prints 'Program level overlap result is'
}

# Which files are hot, cold and of zeros.
heat() {
    local folder
    runs -fno-profile-values
    for folder in one three; do
        run 0 "$anneal" gcov-tool rewrite -s 0.5 $folder -o half
        cp half/deep/b.gcda $folder/deep/
    done
    run 0 "$anneal" gcov-tool overlap -o -h -t 0.12 one three
    prints '     hot files:             1	           2	           2' \
        '    cold files:             1	           1	           1' \
        '    zero files:             1	           0	           0'
    expect "$(awk '/obj=/ { print $2 }' out | sort | tr '\n' ' ')" 'a.gcda c.gcda '
    run 0 "$anneal" gcov-tool overlap -o one one
    prints '    zero files:             1	           1	           1'
    expect "$(grep -c 'obj=' out)" 2 # zeros are not listed
    run 0 "$anneal" gcov-tool overlap -o -h -t 1 one three
    expect "$(grep -c 'obj=' out)" 0
}

# Files of another build of the same source are not compared, and those of one without counts overlap with nothing.
unlike() {
    runs -fno-profile-values
    mkdir other
    cp two/* other/ 2>/dev/null || :
    mkdir other/deep
    cp two/a.gcda other/deep/b.gcda
    gcov-tool overlap -t 0 -o -F one other >theirs 2>theirs.err || :
    run 0 "$anneal" gcov-tool overlap -t 0 -o -F one other
    diff <(without_figures <theirs) <(without_figures <out)
    diff theirs.err err
    says 'mismatched profiles in ./deep/b.gcda'
    run 0 "$anneal" gcov-tool rewrite -s 0 one -o zero
    run 1 "$anneal" gcov-tool overlap -o zero two
    expect "$(grep -c 'nan\|inf' out)" 0
    mkdir none
    run 1 "$anneal" gcov-tool overlap one none
    says 'none: no counter files'
}

# The stream of a program that ran elsewhere; its names are made to be those of files here.
stream() {
    local version here='./././././././././././././/'
    for version in 13 14; do
        local from=$tests/data/console/gcc-$version
        sed "s|/tmp/anneal-console-corpus/|$here|g" "$from/stream.bin" >stream
        run 0 "$anneal" gcov-tool merge-stream stream
        same app.gcda "$from/app.gcda"
        same work.gcda "$from/work.gcda"
        run 0 "$anneal" gcov-tool merge-stream -v <stream
        says "reading file: ${here}app.gcda"
        run 0 "$anneal" merge -q -o twice "$from"/app.gcda "$from"/app.gcda
        same app.gcda twice
        run 0 "$anneal" gcov-tool merge-stream -w 2,3 stream
        run 0 "$anneal" merge -q -o seven -w "7,$from/work.gcda"
        same work.gcda seven
        cp work.gcda before
        head -c $(($(wc -c <stream) - 4)) stream >torn
        run 1 "$anneal" gcov-tool merge-stream torn
        says 'torn: at byte' 'the end marker of a file is missing'
        sed 's/work\.gcda/work.text/' stream >strange
        run 1 "$anneal" gcov-tool merge-stream strange
        says "/work.text', which is not a counter file"
        same work.gcda before
        run 1 "$anneal" gcov-tool merge-stream /dev/null
        says 'no files in this stream'
        cat stream stream >both
        run 0 "$anneal" gcov-tool merge-stream --weight=0,1 both
        same app.gcda twice
        rm app.gcda work.gcda
    done
}

refuses() {
    local wrong
    mkdir one
    for wrong in '' frobnicate 'merge' 'merge one' 'merge one one one' 'merge -x one one' 'rewrite' \
        'rewrite one one' 'overlap one' 'merge-stream one two' 'merge -w -1,2 one one' \
        'merge -w 1,2,3 one one' 'merge -w 1.5,2 one one' 'rewrite -s -1 one' 'rewrite -s 1/0 one' \
        'rewrite -s x one' 'rewrite -s 1e99 one' 'rewrite -s nan one' 'rewrite -s 1/-2 one' \
        'rewrite -n -5 one' 'rewrite -n x one' 'rewrite -n 5 -s 2 one' 'overlap -t x one one' \
        'overlap -t -1 one one' 'rewrite one' 'merge -o' 'rewrite nowhere'; do
        # shellcheck disable=SC2086
        run 1 "$anneal" gcov-tool $wrong
        expect "$(cat out)" ''
        says 'error: '
    done
    expect "$(find . -name '*profile')" ''
    run 1 "$anneal" gcov-tool merge one
    says "try 'anneal gcov-tool merge --help'"
    echo >file
    run 1 "$anneal" gcov-tool overlap file one
    says 'file: Not a directory'
}

helps() {
    local name
    ln -s "$anneal" gcov-tool
    for name in merge merge-stream rewrite overlap; do
        run 0 ./gcov-tool $name --help
        prints "Usage: gcov-tool $name [OPTION]... "
        ! grep -qE '^.{81}' out
    done
    run 0 ./gcov-tool -v
    prints 'in place of gcov-tool'
    run 0 ./gcov-tool --version
    run 0 ./gcov-tool -h
    prints 'overlap'
}

check_with 'gcc gcov-tool setarch' 'folders are merged as by gcov-tool' merges
check_with 'gcc gcov-tool gcov-dump setarch' 'weights count for all there is' weights
check_with 'gcc setarch' 'modules may be in one of the folders only' partial
check_with 'gcc setarch' 'the output folder is replaced, or left alone' output
check_with 'gcc setarch' 'files of another build are refused' mismatch
check_with 'gcc gcov-tool setarch' 'counts are scaled as by gcov-tool' rewrites
check_with 'gcc gcov-dump setarch' 'the greatest count becomes what it should' normalises
check_with 'gcc gcov-dump setarch' 'frequent values are scaled' lists
check_with 'gcc gcov-tool gcov-dump setarch' 'overlaps are printed as by gcov-tool' overlaps
check_with 'gcc setarch' 'files are hot, cold or of zeros' heat
check_with 'gcc gcov-tool setarch' 'what cannot be compared is named' unlike
check 'streams are merged into the files that they name' stream
check 'what makes no sense is refused' refuses
check 'each command has a help' helps
finish
