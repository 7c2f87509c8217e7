#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal show, diff and convert: for people, for scripts, and wrong usage.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

one=$corpus/raw/c-ir-clang19-run1.profraw
two=$corpus/raw/c-ir-clang19-run2.profraw
merged=$corpus/indexed/c-ir-clang19.merged.profdata

# json FILTER VALUE: of out
json() {
    expect "$(jq -c "$1" out)" "$2"
}

# The same numbers as llvm-profdata show prints for the same file (show/plain.txt and others).
tells_what_a_profile_is() {
    run 0 "$anneal" show "$corpus/indexed/cxx-ir-clang19.merged.profdata"
    prints 'cxx-ir-clang19.merged.profdata: indexed profile version 12, IR'
    local functions largest
    local functions
    functions=$(sed -n 's/^Total functions: //p' "$corpus/show/plain.txt")
    largest=$(sed -n 's/^Maximum [a-z ]*count: //p' "$corpus/show/plain.txt" | sort -n | tail -n 1)
    prints "$functions functions" "largest $largest"
    run 0 "$anneal" show --header "$corpus/raw/c-ir-s390x-clang19-run1.profraw"
    prints 'raw profile version 10, IR' '64-bit, big-endian' '1 binary id'
    run 0 "$anneal" show --header "$corpus/raw/lib-fe-concat-clang19.profraw"
    prints '2 raw profiles' 'front-end'
    run 0 "$anneal" show --header "$corpus/proftext/ir_values.proftext"
    prints 'text profile'
}

shows_functions() {
    run 0 "$anneal" show --function='^main$' --counts --values "$one"
    prints main 'counts' 'hash 0x'
    expect "$(grep -c '^  hash' out)" 1
    run 0 "$anneal" show --all-functions "$one"
    expect "$(grep -c '^  hash' out)" 16
    run 0 "$anneal" show --topn=3 "$one"
    expect "$(sed -n '/largest count/,$p' out | tail -n +2 | wc -l)" 3
    run 0 "$anneal" show --covered "$one"
    grep -qx main out
    ! grep -qx util_never out || fail 'a function that never ran'
    run 2 "$anneal" show --function='(' "$one"
}

# A name may be anything: on a terminal, nothing of it controls that. Elsewhere it is what it is.
shows_plainly() {
    local escape=$'\033[31m' bell=$'\007' latin=$'\302\233' file
    printf '1 %s_%s%s 0 1 f 1 0 5\n' "$escape" "$bell" "$latin" >names.fdata
    LC_ALL=C sed 's/util_never/\x1b[31m_\x07\xc2\x9br/g' "$merged" >names.profdata # the name is as long
    for file in names.fdata names.profdata; do
        run 0 "$anneal" show --all "$file"
        grep -qF "${escape}_$bell$latin" out || fail "$(cat -v out)"
        run 0 python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$anneal" show --all "$file"
        grep -qF '?[31m_???' out || fail "$(cat -v out)"
        ! grep -q $'\033' out || fail "$(cat -v out)"
    done
}

shows_text() {
    run 0 "$anneal" show --text "$merged"
    cp out shown.proftext
    run 0 "$anneal" merge -q -o again shown.proftext
    same again "$merged"
}

shows_context_sensitive_records() {
    local file=$corpus/indexed/c-base-and-csir-clang19.profdata
    run 0 "$anneal" show --json "$file"
    json .profile.total_count "$(sum_of plain)"
    run 0 "$anneal" show --json --cs "$file"
    json .profile.total_count "$(sum_of context-sensitive)"
}

# From the peer's text: bit 60 of the hash says to which a record belongs.
sum_of() {
    local text=$corpus/text/c-base-and-csir-clang19.profdata.text hash="" sum=0 line
    while read -r line; do
        case $line in
        '# Func Hash:') read -r hash ;;
        '# Counter Values:')
            while read -r line && [[ $line =~ ^[0-9]+$ ]]; do
                if [ $((hash >> 60 & 1)) = "$([ "$1" = plain ] && echo 0 || echo 1)" ]; then
                    sum=$((sum + line))
                fi
            done
            ;;
        esac
    done <"$text"
    echo $sum
}

json_is_json() {
    local file documents=0
    mkdir documents
    for file in "$corpus"/raw/*clang19*.profraw "$corpus"/indexed/*.profdata \
        "$corpus"/proftext/*.proftext; do
        case $file in *correlate* | *temporal-functionentry* | */mismatch*) continue ;; esac
        run 0 "$anneal" show --json --all-functions --counts --values --detailed-summary \
            --binary-ids --traces "$file"
        documents=$((documents + 1))
        mv out "documents/$documents-${file##*/}"
    done
    expect "$(jq -n '[inputs] | length' documents/*)" $documents
    # The summary leaves out pseudo counts.
    jq 'select((input_filename | test("pseudo|saturate-.*13") | not) and
        (.profile.functions != (.functions | length) or .profile.functions_that_ran > .profile.functions)) |
        input_filename, .profile' documents/* >wrong
    [ ! -s wrong ] || fail "$(cat wrong)"
}

json_by_the_book() {
    run 0 "$anneal" show --json --all-functions --counts --values --traces \
        "$corpus/raw/c-ir-temporal-clang19-run1.profraw"
    python3 -m json.tool out >/dev/null
    json .profile.format '"raw"'
    json .profile.version 10
    json .profile.level '"IR"'
    json .profile.temporal true
    json '.profile.traces | length' 1
    json '[.functions[] | select(.name == "main") | .counts | length > 1]' '[true]'
    json '[.functions[].indirect_calls // [] | .[][] | .count] | length > 0' true
    # a name that is no text
    printf 'long_na"me\\\xff\n1\n1\n5\n' >odd.proftext
    run 0 "$anneal" show --json --all-functions odd.proftext
    python3 -m json.tool out >/dev/null
    run 0 "$anneal" diff --json odd.proftext odd.proftext
    python3 -m json.tool out >/dev/null
}

compares() {
    run 0 "$anneal" diff "$one" "$one"
    prints '100.000%  overlap of counts'
    run 0 "$anneal" diff --json "$one" "$two"
    local share
    share=$(sed -n 's/^ *Edge profile overlap: \([0-9.]*\)%/\1/p' "$corpus/show/overlap.runs.txt")
    expect "$(jq -r '.overlap * 100 | . * 1000 | round / 1000' out)" "$(jq -n "$share")"
    run 1 "$anneal" diff "$one" no-such-file
    says no-such-file
    run 2 "$anneal" diff "$one"
    says 'expected two profiles, got 1'
}

converts() {
    run 0 "$anneal" convert --format-version=7 -o old "$merged"
    expect "$(od -An -tu4 -j8 -N4 old | tr -d ' ')" 7
    functions=$("$anneal" show "$merged" | sed -n 's/^\([0-9]* functions\),.*/\1/p')
    says "converted $merged: $functions, total count " ' -> old (' ', indexed version 7)'
    never_says merged:
    run 0 "$anneal" convert - <"$merged"
    says "converted <stdin>: $functions, total count " ' -> <stdout> ('
    run 0 "$anneal" convert -q --format-version=14 -o new old
    run 0 "$anneal" diff --json new "$merged" # but for the names of local functions
    prints '"overlap":1.0' '"functions_changed":0' '"functions_only_in_test":0'
    run 0 "$anneal" convert -q --format-version=14 -o new "$merged"
    run 0 "$anneal" convert -q --format-version=12 -o back new
    same back "$merged"
    run 0 "$anneal" convert -q --text "$merged"
    same out "$corpus/text/c-ir-clang19.merged.profdata.text"
    run 2 "$anneal" convert "$one" "$two"
    says 'expected one profile' 'got 2'
    run 2 "$anneal" convert --format-version=3 "$one"
    mkdir folder
    cp "$one" "$two" folder
    run 2 "$anneal" convert -o result folder
    says 'is a folder'
}

standard_input() {
    run 0 "$anneal" show "$one"
    mv out expected
    sed -i 's/^[^ ]*: raw profile/<stdin>: raw profile/' expected
    run 0 "$anneal" show - <"$one"
    same out expected
    run 0 "$anneal" peek - <"$one"
    same out expected
    run 2 "$anneal" peek -o result - <"$one"
    says '<stdin>: is a file already'
}

writes_to_a_file() {
    run 0 "$anneal" show "$one"
    mv out expected
    run 0 "$anneal" show -o result "$one"
    same result expected
    expect "$(cat out)" ''
    run 0 "$anneal" diff "$one" "$two"
    mv out expected
    run 0 "$anneal" diff -o result "$one" "$two"
    same result expected
}

wrong_usage() {
    run 2 "$anneal" show
    says 'expected one profile, got 0'
    run 2 "$anneal" show "$one" "$two"
    run 2 "$anneal" show --topn=x "$one"
    run 2 "$anneal" show --detailed-summary-cutoffs=1,x "$one"
    run 2 "$anneal" show --detailed-summary-cutoffs=1000001 "$one"
    run 2 "$anneal" show --nonsense "$one"
    run 1 "$anneal" show no-such-file
    says no-such-file
    mkdir nothing
    run 1 "$anneal" show nothing
    says 'no profiles in this folder' 'nothing to show'
    : >empty
    run 1 "$anneal" show empty
    says 'empty: empty file'
}

check_with python3 'names do not control a terminal' shows_plainly
check 'show tells what a profile is' tells_what_a_profile_is
check 'show shows functions' shows_functions
check 'show --text can be merged again' shows_text
check_with jq 'show --cs' shows_context_sensitive_records
check_with jq 'show --json is JSON for every profile' json_is_json
check_with 'jq python3' 'show --json by the book' json_by_the_book
check_with jq 'diff compares' compares
check 'convert converts' converts
check 'show and peek read standard input' standard_input
check 'show and diff write to a file' writes_to_a_file
check 'wrong usage' wrong_usage
finish
