#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal merge --partial: from hosts to one profile, through files and pipes, and what it says of inputs that come
# twice, do not fit, or are damaged. That any tree gives the same bytes is tested in tests/llvm/test_partial.c.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

one=$corpus/raw/c-ir-clang19-run1.profraw
two=$corpus/raw/c-ir-clang19-run2.profraw
three=$corpus/raw/c-ir-clang19-run3-aslr.profraw
frontend=$corpus/raw/c-fe-clang19-run1.profraw

# partial FILE INPUT...: without a word
partial() {
    run 0 "$anneal" merge -q --partial -o "$@"
    expect "$(cat err)" ''
}

from_hosts() {
    run 0 "$anneal" merge --partial -o monday "$one" "$two"
    says 'merged 2 of 2 inputs' 'monday (' 'partial result'
    partial tuesday "$three"
    run 0 "$anneal" merge -o result monday tuesday
    says 'merged 3 of 3 inputs' '3 of the inputs came in 2 partial results'
    run 0 "$anneal" merge -q -o expected "$one" "$two" "$three"
    run 0 "$anneal" diff --json result expected
    expect "$(jq '.overlap > 0.999999' out)" true
    partial both tuesday monday
    partial flat "$three" "$two" "$one"
    same both flat
    # without values that stand twice in a site, to the byte
    partial monday "$frontend"
    run 0 "$anneal" merge -q --text -o result monday "$corpus/raw/c-fe-clang19-run2.profraw"
    run 0 "$anneal" merge -q --text -o expected "$frontend" "$corpus/raw/c-fe-clang19-run2.profraw"
    same result expected
}

by_pipes() {
    partial expected "$one" "$two" "$three"
    printf '%s\n' "$one" "$two" >list
    run 0 "$anneal" merge -q --partial -o - -f list
    mv out first
    run 0 "$anneal" merge -q --partial -o - "$three"
    # partial results are made one of by cat, too
    cat first out | "$anneal" merge -q --partial -o result - || fail 'no partial result'
    same result expected
    # what was read of a file that is standard input is not read again
    run 0 "$anneal" merge -q -o result.profdata - first <"$three"
    run 0 "$anneal" merge -q -o expected.profdata expected
    same result.profdata expected.profdata
    mkdir folder
    mv first folder/any-name
    run 0 "$anneal" merge -q --partial -o result folder "$three"
    same result expected
}

# Functions get other names, and are left out, when the profile is made.
renamed_and_filtered() {
    partial both "$one" "$two"
    "$anneal" show --all-functions "$one" | found -F main || fail 'no main'
    echo 'main start' >names
    run 0 "$anneal" merge -q -r names -o result both
    run 0 "$anneal" merge -q -r names -o expected "$one" "$two"
    run 0 "$anneal" diff --json result expected
    expect "$(jq '.overlap > 0.999999' out)" true
    "$anneal" show --all-functions result | found -F start || fail 'main is not renamed'
    run 0 "$anneal" merge -q --exclude-function=main --text -o result both
    ! grep -qx main result || fail 'main is there'
}

counted_once() {
    cp "$one" copy.profraw
    run 0 "$anneal" merge --partial -o result "$one" "$two" copy.profraw
    says '1 input with the very bytes of others, and left out' copy.profraw 'merged 2 of 3 inputs'
    partial expected "$two" "$one"
    run 0 "$anneal" merge -o twice expected expected result
    says 'merged 2 of 4 inputs'
    run 0 "$anneal" merge -q -o once "$one" "$two"
    same once twice
    run 0 "$anneal" merge --partial --count-copies -o result "$one" copy.profraw
    says 'merged 2 of 2 inputs'
    run 0 "$anneal" merge -q -o result.profdata result
    run 0 "$anneal" merge -q -o expected.profdata "$one" copy.profraw
    same result.profdata expected.profdata
}

accounted_for() {
    head -c 500 "$two" >cut.profraw
    : >empty.profraw
    run 0 "$anneal" merge -q --failure-mode=all --partial -o a "$one" cut.profraw empty.profraw
    partial b "$three"
    # what was rejected when the partial result was made is told, and is no failure now
    run 0 "$anneal" merge --ledger=ledger --json -o result a b
    expect "$(jq -c '[.inputs_named, .used, .rejected, .empty, .counted, .partials]' ledger)" '[4,2,1,1,0,2]'
    expect "$(jq -r '.inputs[] | select(.status == "rejected") | .path, .partial, .error.code' ledger | paste -sd' ')" \
        'cut.profraw a truncated'
    expect "$(jq -r '.inputs[] | select(.partial == "b") | .path' ledger)" "$three"
    expect "$(jq '[.inputs[] | .digest | test("^[0-9a-f]{32}$")] | all' ledger)" true
    same out ledger
    is_document out
    run 0 "$anneal" merge -o result a b
    says 'rejected: cut.profraw: at byte' 'without any data' 'empty.profraw'
}

refused() {
    partial a "$one" "$two"
    partial b "$two" "$three"
    echo kept >result
    run 1 "$anneal" merge -o result a b
    says 'some of its inputs are in other inputs, too' 'merge what these were made of' 'nothing written'
    run 1 "$anneal" merge -o result a "$frontend"
    says 'merge each kind separately'
    run 1 "$anneal" merge -o result -w 2,a
    says 'partial results have no weight'
    head -c 400 a >cut
    run 1 "$anneal" merge -o result cut
    says 'cut: at byte 0: partial result ends after 400 bytes' 'cut short on its way'
    { head -c 300 a && printf X && tail -c +302 a; } >changed
    run 1 "$anneal" merge -o result changed
    says 'changed: at byte 0: partial result is damaged'
    run 1 "$anneal" merge -o result -- "$one" "$tests/data/gcc/gcc-12/right-a.gcda" a
    expect "$(cat result)" kept
    run 1 "$anneal" show a
    says 'a partial result of anneal merge' 'anneal merge makes a profile of it'
    local option
    for option in --text --sparse --format-version=11 --function=x --exclude-function=x --keep-vtable-symbols --trace-seed=2; do
        run 2 "$anneal" merge --partial "$option" -o result "$one"
        says --partial "${option%%=*}"
    done
    expect "$(cat result)" kept
}

check_with jq 'partial results of hosts become one profile' from_hosts
check 'through pipes, lists and folders' by_pipes
check 'an input that comes twice counts once' counted_once
# With mispredictions, memory records and names of events, which then ascend.
of_branches() {
    local folder=$tests/data/branch/fdata kind
    local -A inputs=([instrumented]="1 2 3" [branches]="1 2")
    for kind in instrumented branches; do
        local files=() number
        for number in ${inputs[$kind]}; do
            files+=("$folder/$kind-$number.fdata")
        done
        run 0 "$anneal" merge --partial -o first "${files[0]}" -w "3,${files[1]}"
        says 'merged 2 of 2 inputs' 'partial result'
        partial second "${files[@]:2}" "${files[0]}"
        run 0 "$anneal" merge -q -o expected "${files[0]}" -w "3,${files[1]}" "${files[@]:2}"
        run 0 "$anneal" merge -q -o result first "${files[@]:2}" "${files[0]}"
        same result expected
        partial third first "${files[@]:2}"
        run 0 "$anneal" merge -q -o result third "${files[0]}"
        same result expected
        run 0 "$anneal" merge -q --function=main -o expected expected
        run 0 "$anneal" merge -q --function=main -o result third
        same result expected
    done
    printf 'no_lbr %s\n1 main 0 %d\n' b: 1 >b
    printf 'no_lbr %s\n1 main 0 %d\n' a: 2 >a
    partial ab a b
    partial ba b a
    same ab ba
    run 0 "$anneal" merge -q -o result ba
    expect "$(cat result)" $'no_lbr a: b:\n1 main 0 3'
    run 1 "$anneal" merge -q -o result ab "$folder/branches-1.fdata"
    says 'merge each kind separately'
    run 1 "$anneal" merge -q -o result ab "$one"
    says 'ab is a BOLT profile' 'merge each kind separately'
    run 1 "$anneal" merge -q -o result "$one" ab
    says 'ab is a BOLT profile' 'merge each kind separately'
    run 1 "$anneal" show ab
    says 'anneal merge makes a profile of it'
}

# Folders of runs of a program of two objects, of which the second one is not in all.
runs_of_gcc() {
    local data=$tests/data/gcc/gcc-12 number
    for number in 1 2 3; do
        mkdir -p "runs/$number/src"
        cp "$data/values-$number.gcda" "runs/$number/src/values.gcda"
    done
    cp "$data/right-a.gcda" runs/1/right.gcda
    cp "$data/right-a.gcda" runs/2/right.gcda # which did the same there: it counts all the same
    cp "$data/right-b.gcda" runs/3/right.gcda
}

# Counters, and the values of each place as a set: an ordinary merge has them in another order.
counts_of() {
    "$anneal" show --counts --all-functions --values --json "$1" 2>/dev/null |
        jq -c '.functions[] | [.ident, (.counts | map(select(.kind | test("topn|indirect") | not))),
            (.values // {} | map_values(map(sort_by(.value, .ident))))]'
}

of_gcc() {
    runs_of_gcc
    run 0 "$anneal" merge -q -o expected runs/*
    run 0 "$anneal" merge --partial -o first runs/1 runs/2
    says 'merged 4 of 4 inputs' '2 modules, partial result'
    partial second runs/3
    run 0 "$anneal" merge -o result first second
    says 'merged 6 of 6 inputs' '6 of the inputs came in 2 partial results' '2 modules, gcda'
    local file
    for file in src/values.gcda right.gcda; do
        expect "$(counts_of expected/$file | grep -c arcs)" "$(counts_of result/$file | wc -l)"
        expect "$(counts_of result/$file)" "$(counts_of expected/$file)"
    done
    same result/right.gcda expected/right.gcda
    partial all runs/*
    partial again second first second runs/3
    same all again
    cat second first | "$anneal" merge -q --partial -o again - || fail 'no partial result'
    same all again
    # A run that comes again is known by all that it left.
    cp -r runs/2 runs2
    run 0 "$anneal" merge --partial -o again runs/* runs2
    says '2 inputs with the very bytes of others' 'merged 6 of 8 inputs'
    same all again
    # One file, without a name, becomes one again.
    partial one runs/1/right.gcda runs/3/right.gcda
    run 0 "$anneal" merge -q -o result.gcda one
    run 0 "$anneal" merge -q -o expected.gcda runs/1/right.gcda runs/3/right.gcda
    same result.gcda expected.gcda
    # Cores that did the same, in one run of a board; and one of them in another run, in which another core did not
    mkdir board
    cp runs/1/right.gcda board/right.gcda0
    cp runs/1/right.gcda board/right.gcda1
    cp runs/1/src/values.gcda board/values.gcda0
    (cd board && "$anneal" merge -q --partial -o ../cores && "$anneal" merge -q -o ../expected) || fail 'cores'
    run 0 "$anneal" merge -o result cores
    says 'merged 3 of 3 inputs' '2 modules, gcda'
    same result/right.gcda expected/right.gcda
    expect "$(counts_of result/values.gcda)" "$(counts_of expected/values.gcda)"
    cp runs/3/right.gcda board/right.gcda0
    (cd board && rm values.gcda0 && "$anneal" merge -q --partial -o ../again_cores) || fail 'cores'
    run 0 "$anneal" merge -o result cores again_cores
    says 'merged 5 of 5 inputs'
    run 0 "$anneal" merge -q --ledger=ledger --json -o result second first
    expect "$(jq -c '[.used, .partials, [.modules[] | [.name, .inputs]]]' ledger)" \
        '[6,2,[["right.gcda",3],["src/values.gcda",3]]]'
}

of_gcc_refused() {
    runs_of_gcc
    partial all runs/*
    partial one runs/1/right.gcda
    run 1 "$anneal" merge all
    says 'no output folder (use -o DIR'
    run 1 "$anneal" merge -o result all one
    says 'cannot mix counts of single files and of folders'
    [ ! -e result ] || fail 'there is a result'
    run 1 "$anneal" show all
    says 'a partial result of anneal merge'
    # Another build is kept until the end, and left out then.
    mkdir -p other/src
    cp "$tests/data/gcc/gcc-13/values-1.gcda" other/src/values.gcda
    partial builds other all
    run 1 "$anneal" merge -o result builds
    says 'is from another build' 'nothing written'
    run 0 "$anneal" merge --failure-mode=warn -o result builds
    says 'merged'
    # In the order of digests, whatever the order of the files
    partial builds2 all other
    same builds builds2
    run 1 "$anneal" merge -o result all "$one"
    says 'merge each kind separately'
}

check_with jq 'functions are renamed and left out in the end' renamed_and_filtered
check_with jq 'every input is accounted for to the end' accounted_for
check 'partial results of BOLT profiles' of_branches
check_with jq 'partial results of GCC profiles' of_gcc
check 'of GCC profiles, what does not fit' of_gcc_refused
check 'what does not fit is refused, and changes nothing' refused
finish
