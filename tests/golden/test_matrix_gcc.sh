#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Each GCC at hand: what its programs counted is read as its own tools read it, merged as they merge it, and used by it with
# all counts; its objects count the same with anneal's runtime; and the lines are its own coverage tool's.
#
# usage: test_matrix_gcc.sh ANNEAL
#
# COMPILERS='gcc-15 gcc-16' takes only these.
# shellcheck source=tests/golden/matrix.sh
. "$(dirname "$0")/matrix.sh" "$@"

# Whatever counters the release has.
gcc_options() {
    echo -O2 -fprofile-generate -fprofile-update=single -ftest-coverage
    [ "$gcc" -lt 14 ] || echo -fcondition-coverage
    [ "$gcc" -lt 15 ] || echo -fpath-coverage
}

gcc_objects() {
    cp "$tests"/data/gcc/src/* .
    # shellcheck disable=SC2046 # words are meant
    run 0 inside "gcc-$gcc" -w $(gcc_options) -c values.c
    # shellcheck disable=SC2046
    run 0 inside "g++-$gcc" -w $(gcc_options) -c flow.cpp
    run 0 inside "gcc-$gcc" -fprofile-generate values.o -o values.peer
    run 0 inside "g++-$gcc" -fprofile-generate flow.o -o flow.peer
}

# gcc_runs FOLDER [ENDING]: three runs of each program, each in a folder of its own, r1 to r3, and all in FOLDER. Some
# counters are of addresses, and those of the stack depend on how long names are.
gcc_runs() {
    local folder=$1 ending=${2:-peer} run arguments to
    for run in 'r1 10 7' 'r2 1000 40' 'r3 40 3'; do
        read -ra arguments <<<"$run"
        for to in "${arguments[0]}" "$folder"; do
            run 0 inside env GCOV_PREFIX="$to" GCOV_PREFIX_STRIP=99 setarch -R "./values.$ending" "${arguments[1]}"
            [ ! -s err ] || fail "$(cat err)"
            run 0 inside env GCOV_PREFIX="$to" GCOV_PREFIX_STRIP=99 setarch -R "./flow.$ending" "${arguments[2]}"
            [ ! -s err ] || fail "$(cat err)"
        done
    done
}

gcc_read() {
    local source
    gcc_objects
    gcc_runs p1
    cp p1/*.gcda .
    for source in values flow; do
        inside "gcov-$gcc" -t -j $source.gcda >theirs.json
        run 0 "$anneal" show --json -n 1000 $source.gcda
        jq -r '.profile.hottest[] | select(.entries != null) | "\(.name) \(.entries)"' out | sort >ours
        jq -r '.files[].functions[] | "\(.name) \(.execution_count)"' theirs.json | sort -u >theirs
        [ "$(wc -l <ours)" -ge 3 ] || fail "$(cat ours)"
        same ours theirs
    done
}

gcc_merges() {
    gcc_objects
    gcc_runs p1
    run 0 "$anneal" merge -q -o ours r1 r2 r3
    diff -r p1 ours
    run 0 inside "gcov-tool-$gcc" merge r1 r2 -o theirs
    run 0 "$anneal" gcov-tool merge r1 r2 -o ours
    diff -r theirs ours
}

# gcc_compiles FOLDER OUTPUT: with the counts there, to assembly and GCC's account of it
gcc_compiles() {
    rm -f ./*.gcda
    cp "$1"/*.gcda .
    local use=(-O2 -fprofile-use -Wall -Wno-unused -Werror=coverage-mismatch -Werror=missing-profile -fno-ident
        -fdump-ipa-profile-details=dump -S)
    run 0 inside "gcc-$gcc" "${use[@]}" values.c -o values.s
    [ ! -s err ] || fail "$(cat err)"
    sed 's/@0x[0-9a-f]*//' values.s dump >"$2"
    run 0 inside "g++-$gcc" "${use[@]}" flow.cpp -o flow.s
    [ ! -s err ] || fail "$(cat err)"
    sed 's/@0x[0-9a-f]*//' flow.s dump >>"$2"
}

gcc_uses() {
    gcc_objects
    gcc_runs p1
    run 0 "$anneal" merge -q -o ours r1 r2 r3
    gcc_compiles p1 expected
    gcc_compiles ours actual
    same actual expected
    found '(precise)' <actual || fail 'no count is used'
}

gcc_runtime() {
    local flags
    gcc_objects
    gcc_runs p1
    flags=$(runtime_options)
    # shellcheck disable=SC2086 # words are meant
    run 0 inside "gcc-$gcc" values.o -o values.ours $flags
    # shellcheck disable=SC2086
    run 0 inside "g++-$gcc" flow.o -o flow.ours $flags
    gcc_runs p2 ours
    diff -r p1 p2
}

# What gcov up to 12 prints, of newer ones.
words_of_12() {
    sed -E 's/(never executed) \((fallthrough|throw)\)$/\1/; s/-block +[0-9]+/-block/' # 14 numbers them otherwise
}

# What gcov up to 12 writes, of newer ones, in one order: JSON.
json_of_12() {
    python3 -c '
import json, sys
NEW = {"block_ids", "calls", "conditions", "source_block_id", "destination_block_id", "total_prime_paths",
       "covered_prime_paths", "prime_path_coverage"}
def strip(value):
    if isinstance(value, dict):
        return {key: strip(value[key]) for key in value if key not in NEW}
    return [strip(item) for item in value] if isinstance(value, list) else value
for file in sorted(strip(json.load(sys.stdin)["files"]), key=lambda file: file["file"]):
    for part in ("functions", "lines"):
        for line in sorted(json.dumps(item, sort_keys=True) for item in file[part]):
            print(file["file"], line)'
}

gcc_coverage() {
    local source option
    gcc_objects
    gcc_runs p1
    cp p1/*.gcda .
    for source in values flow; do
        for option in -m '-b -c' '-a -b' -j; do
            # shellcheck disable=SC2086 # words are meant
            inside "gcov-$gcc" -t -r $option $source.gcda >theirs
            # shellcheck disable=SC2086
            run 0 "$anneal" gcov -t -r $option $source.gcda
            if [ "$option" = -j ]; then
                json_of_12 <theirs >expected
                json_of_12 <out >actual
            else
                words_of_12 <theirs >expected
                words_of_12 <out >actual
            fi
            [ "$(wc -l <actual)" -ge 10 ] || fail "$option: $(cat actual)"
            same actual expected
        done
        run 0 "$anneal" cov -t $source.gcda
        line_counts <out | grep -E '^(values|flow|shared)' >actual
        inside "gcov-$gcc" -t -r $source.gcda | line_counts >expected
        same actual expected
    done
}

gcc_writes() {
    gcc_objects >&2
    gcc_runs p1 >&2
    echo "$(od -An -c -j4 -N4 p1/values.gcda | tr -d ' ' | rev)"
}

formats=gcc_writes
for gcc in $(releases gcc 11 12 13 14 15 16); do
    compiler "gcc-$gcc" "g++-$gcc" "gcov-$gcc" "gcov-tool-$gcc"
    cell 'read' gcc_read
    cell 'merged' gcc_merges
    cell 'used' gcc_uses
    cell 'runtime' gcc_runtime
    cell 'coverage' gcc_coverage
done
finish
