#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Many processes that add to one profile: what is in it is the sum of them, to the last count, whatever happens
# to some of them. A program whose profile fits in a page, and one of dozens of kilobytes; of clang 19 and
# of GCC 12. RUNS, KILL_RUNS and KILL_ROUNDS make the tier "long" longer; RUNS is a multiple of 20.
#
# usage: test_runtime_many.sh ANNEAL KILL_SOME FULL_DISK
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
kill_some=$(realpath "$2")
full_disk=$(realpath "$3")
runs=${RUNS:-200}
kill_runs=${KILL_RUNS:-150}
kill_rounds=${KILL_ROUNDS:-2}
crashes=${CRASHES:-300}
programs=$tests/runtime/programs
unset ANNEAL_PROFILE_FILE GCOV_PREFIX GCOV_PREFIX_STRIP

# build COMPILER SIZE [ours-other]: the program ours, and with the compiler's runtime, theirs; ours-other is
# another build of it, with as many counters. Each is made once, for all cases.
build() {
    local made=$scratch/$1-$2
    mkdir -p "$made/other"
    (cd "$made" && make_programs "$@")
    cp -r "$made/." .
}

make_programs() {
    local compiler=$1 flags output
    flags=$("$anneal" rt --ldflags)
    # Objects of one name, for GCC calls profiles like them.
    if [ ! -e theirs ]; then
        awk -v N="$([ "$2" = small ] && echo 8 || echo 400)" -f "$tests/../bench/make-steps.awk" >steps.c
        "$compiler" -O1 -fprofile-generate -c steps.c -o steps.o
        "$compiler" -fprofile-generate steps.o -o theirs
    fi
    [ $# -eq 2 ] || "$compiler" -O1 -fprofile-generate -DOTHER -c steps.c -o other/steps.o
    for output in ours "${@:3}"; do
        # shellcheck disable=SC2086 # words are meant
        "$compiler" -fprofile-generate "$([ $output = ours ] || echo other/)steps.o" -o $output $flags
    done
}

# with FOLDER [NAME]: profiles go there; clang's are called NAME
with() {
    mkdir -p "$1"
    export LLVM_PROFILE_FILE=$PWD/$1/${2:-all}.profraw GCOV_PREFIX=$PWD/$1 GCOV_PREFIX_STRIP=99
    export ANNEAL_PROFILE_FILE=$LLVM_PROFILE_FILE
}

# counts FILE...: sorted, see counts.awk; with all of them added up
counts() {
    local file
    for file; do
        if [ "${file%.gcda}" = "$file" ]; then
            llvm-profdata-19 merge --text "$file" -o text
        else
            gcov-dump-12 -l "$file" >text
        fi
        awk -f "$tests/support/counts.awk" text
    done | awk '{ sum[$1 " " $2] += $3 } END { for (key in sum) print key, sum[key] }' | sort
}

# times COUNT FILE: all counts in the file, multiplied
times() {
    awk -v by="$1" '{ print $1, $2, $3 * by }' "$2"
}

# profiles FOLDER: all that is in it, but for what killed processes began, and what fills a disk
profiles() {
    find "$1" -type f ! -name '*.new' ! -name filler | sort
}

# reference PROGRAM: the counts of a run alone, in PROGRAM.counts
reference() {
    with one
    ./"$1"
    counts one/* >"$1.counts"
    rm -r one
    [ "$(grep -c ^call "$1.counts")" -ge 8 ]
}

# runs_in FILE [PROGRAM]: all counts are the same multiple of one run's; prints it
runs_in() {
    local one=${2:-ours}.counts runs
    counts "$1" >now.counts
    runs=$(awk 'NR == FNR { one[$1 $2] = $3; next }
        $1 $2 in one && one[$1 $2] && !done { print $3 / one[$1 $2]; done = 1 }' "$one" now.counts)
    times "${runs:-0}" "$one" | cmp - now.counts >&2 || return
    echo "$runs"
}

# Half of the runs leave a smaller profile. Ten of the other runtime's, each alone in its file and loaded somewhere
# else, are added up by the compiler's tool (LLVM), or run one after another (GCC).
# at_once COMPILER SIZE RUNS
at_once() {
    local run runs=$3
    build "$1" "$2"
    with ours.d
    seq "$runs" | xargs -P 16 -I{} sh -c 'exec ./ours $([ $(({} % 2)) = 0 ] || echo first)' 2>err
    [ ! -s err ]
    expect "$(find ours.d -type f | wc -l)" 1
    for run in $(seq 10); do
        with theirs.d %p
        ./theirs "$([ $((run % 2)) = 0 ] || echo first)"
    done
    counts theirs.d/* >theirs.counts
    times $((runs / 10)) theirs.counts >expected
    counts ours.d/* >found
    diff expected found
    [ "$(grep -c ^call found)" -ge 8 ]
    with theirs.d all
    ./ours # what is loaded elsewhere has other bytes: this has been a test
    [ "$1" = gcc-12 ] || [ "$(find theirs.d -name '*.profraw' -exec sha1sum {} + | cut -d' ' -f 1 | sort -u | wc -l)" -gt 3 ]
}

# two_builds COMPILER RUNS
two_builds() {
    local file program runs=$2
    build "$1" large ours-other
    reference ours
    reference ours-other
    with all
    for _ in $(seq $((runs / 2))); do
        printf '%s\n' ours ours-other
    done | xargs -P 16 -I{} sh -c 'exec ./{}' 2>err
    [ ! -s err ]
    expect "$(find all -type f | wc -l)" 2
    for file in all/*; do
        for program in ours ours-other; do
            runs_in "$file" $program 2>/dev/null || true # it is the other one's
        done
    done >kept
    expect "$(tr '\n' ' ' <kept)" "$((runs / 2)) $((runs / 2)) "
}

# fill PAGES: nothing more goes to the disk than this; free makes room again
fill() {
    if [ -n "$mounted" ]; then
        head -c 16M /dev/zero >disk/filler 2>err || true
        truncate -s "$(($(stat -c %s disk/filler) / 4096 * 4096 - $1 * 4096))" disk/filler
    else
        export LD_PRELOAD=$full_disk FULL_AFTER=$(($1 * 4096))
    fi
}

free() {
    rm -f disk/filler
    unset LD_PRELOAD FULL_AFTER
}

# full COMPILER: a disk that fills up, empties, and fills up again. The folder is unmounted when the case ends.
full() {
    local pages size run name count=0
    build "$1" large
    reference ours
    mkdir disk
    mounted=
    if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=4m none disk 2>/dev/null; then
        mounted=yes
        trap 'umount disk' EXIT
    fi
    with disk
    fill 0
    run 0 ./ours # there is no profile yet
    expect "$(wc -l <err)" 1
    says 'No space left on device'
    expect "$(profiles disk)" ''
    free
    run 0 ./ours first
    name=$(ls disk)
    size=$(($(stat -c %s "disk/$name") / 4096))
    counts "disk/$name" >first.counts
    for pages in 0 1 $((size / 2)) $((size - 1)); do
        cp "disk/$name" before
        fill "$pages"
        for run in 1 2 3; do
            run 0 ./ours
            expect "$pages: $(wc -l <err)" "$pages: 1"
            says "disk/$name: " 'No space left on device'
            same "disk/$name" before
            expect "$(profiles disk)" "disk/$name"
        done
        seq 16 | xargs -P 16 -I{} ./ours 2>err
        expect "$pages: $(wc -l <err)" "$pages: 16"
        same "disk/$name" before
        free
        seq 16 | xargs -P 16 -I{} ./ours 2>err
        [ ! -s err ]
        expect "$(profiles disk)" "disk/$name"
        count=$((count + 16))
        times $count ours.counts | cat - first.counts |
            awk '{ sum[$1 " " $2] += $3 } END { for (key in sum) print key, sum[key] }' | sort >expected
        counts "disk/$name" | diff expected -
    done
}

# killed COMPILER NAME FILES: clang's pool has so many files
killed() {
    local round said counted file
    build "$1" large
    reference ours
    for round in $(seq "$kill_rounds"); do
        with all "$2"
        said=$("$kill_some" "$kill_runs" 10000 "$round" ./ours 2>err)
        [ ! -s err ]
        expect "$(profiles all | wc -l)" "$3"
        counted=0
        for file in $(profiles all); do
            counted=$((counted + $(runs_in "$file")))
            [ "$1" != gcc-12 ] || compiles "$file"
        done
        echo "$1 $2, round $round: $said of $kill_runs, $counted counted" | tee -a "${REPORT:-/dev/null}"
        # shellcheck disable=SC2086 # ended well, killed
        set -- "$1" "$2" "$3" $said
        [ "$5" -gt 10 ]
        [ "$counted" -ge "$4" ]
        [ "$counted" -le "$kill_runs" ]
        for file in $(seq 16); do ./ours; done
        [ "$3" -gt 1 ] || expect "$(find all -type f | wc -l)" 1 # what a killed one began is gone
        rm -r all
    done
}

# compiles FILE: GCC takes it, without a word
compiles() {
    mkdir -p use
    cp "$1" use/steps.gcda
    cp steps.c use
    (cd use && gcc-12 -O1 -fprofile-use -Wcoverage-mismatch -Wmissing-profile -c steps.c) >said 2>&1
    [ ! -s said ] || fail "$(head said)"
}

# entries: how often the programs have been entered, by the compiler's own tool
entries() {
    local file
    file=$(profiles all)
    if [ "${file%.gcda}" = "$file" ]; then
        llvm-profdata-19 merge --text "$file" -o text
        awk '/^entered$/ { inside = 1 } inside && /^# Counter Values/ { getline; print; exit }' text
    else
        cp "$file" crash.gcda
        gcov-12 -t -j crash.gcda | jq '.files[].functions[] | select(.name == "entered") | .execution_count'
    fi
}

# crashed COMPILER: at random moments, also while the profile is written at the end. All counts are kept of a program
# that a signal ends, if the runtime is told to keep them; of one that is killed, those that it has written.
crashed() {
    local way well said entered kept
    # shellcheck disable=SC2046 # words are meant
    "$1" -O1 -fprofile-generate $([ "$1" != gcc-12 ] || echo -ftest-coverage) "$programs/crash.c" -o crash $("$anneal" rt --ldflags)
    [ "$1" != gcc-12 ] || mv crash-crash.gcno crash.gcno
    for way in segv abrt term kill; do
        with all
        rm -f begun
        said=$(ANNEAL_EXIT_SIGNAL=SEGV,ABRT,TERM "$kill_some" --alarm "$crashes" 10000 7 ./crash $way "$PWD/begun" 2>err)
        [ ! -s err ] || fail "$(head err)"
        entered=$(wc -c <begun) kept=$(entries) well=${said% *}
        echo "$1 $way: $said of $crashes, $entered began, $kept counted" | tee -a "${REPORT:-/dev/null}"
        [ "${said#* }" -gt 10 ]
        if [ $way = kill ]; then
            [ "$kept" -ge "$well" ] && [ "$kept" -le "$entered" ] || fail 'counts are lost'
        else
            expect "$kept" "$entered"
        fi
        rm -r all
    done
}

# peers_of COMPILER
peers_of() {
    echo "$1 $([ "$1" = gcc-12 ] && echo gcov-dump-12 || echo llvm-profdata-19) awk"
}

# many RUNS: of each compiler
many() {
    local compiler peers size
    for compiler in clang-19 gcc-12; do
        peers=$(peers_of $compiler)
        for size in small large; do
            check_with "$peers" "$compiler: $1 runs of a $size program, 16 at once" at_once $compiler $size "$1"
        done
        check_with "$peers" "$compiler: $1 runs of two builds behind one name" two_builds $compiler "$1"
    done
}

many 40
for compiler in clang-19 gcc-12; do
    check_with "$(peers_of $compiler)" "$compiler: a disk that is full, and then is not" full $compiler
done

tier long
many "$runs"
check_with 'clang-19 llvm-profdata-19' 'clang-19: killed runs and one file' killed clang-19 all 1
check_with 'clang-19 llvm-profdata-19' 'clang-19: killed runs and four files' killed clang-19 all_%4m 4
check_with 'gcc-12 gcov-dump-12' 'gcc-12: killed runs' killed gcc-12 - 1
check_with 'clang-19 llvm-profdata-19' 'clang-19: crashes at random moments' crashed clang-19
check_with 'gcc-12 gcov-12 jq' 'gcc-12: crashes at random moments' crashed gcc-12
finish
