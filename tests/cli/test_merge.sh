#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal merge: what can be asked of it, what it answers, and its exit status.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

one=$corpus/raw/c-ir-clang19-run1.profraw
two=$corpus/raw/c-ir-clang19-run2.profraw
both=$corpus/indexed/c-ir-clang19.weighted.profdata # run 1 three times and run 2

merges_to_a_file() {
    run 0 "$anneal" merge -o result "$two" --weighted-input=3,"$one"
    expect "$(cat out)" ''
    says 'merged 2 of 2 inputs' 'functions, total count' 'result (' 'indexed version 12'
    run 0 "$anneal" merge --output=other "$two" -w "3,$one" -q
    same result other
    same result "$both"
    expect "$(cat err)" ''
}

writes_to_standard_output() {
    run 0 "$anneal" merge "$one" -o -
    mv out dash
    run 0 "$anneal" merge "$one"
    same out dash
    run 0 "$anneal" merge -o result "$one"
    same result dash
    says 'merged 1 of 1 input:'
}

reads_standard_input() {
    run 0 "$anneal" merge -q -o expected "$one" "$two"
    run 0 "$anneal" merge -q -o result - "$two" <"$one"
    same result expected
    run 0 "$anneal" merge -q -o result - "$two" < <(cat "$one")
    same result expected
    run 1 "$anneal" merge -o result - <<<'no profile at all'
    says '<stdin>'
}

takes_options_anywhere() {
    run 0 "$anneal" merge -q -o expected "$one" "$two"
    run 0 "$anneal" merge "$one" -q "$two" --output result
    same result expected
    cp "$one" ./-q
    run 0 "$anneal" merge -q -o result -- -q "$two"
    same result expected
}

reads_a_list() {
    cp "$one" 'a file.profraw'
    cat >list <<END
# runs of the night

$two
  3,a file.profraw  
END
    run 0 "$anneal" merge -q -o result -f list
    same result "$both"
    run 0 "$anneal" merge -q -o result -f - <list
    same result "$both"
    run 0 "$anneal" merge -q -o result --input-files=list "$two"
    run 0 "$anneal" merge -q -o expected "$two" -w "3,$one" "$two"
    run 0 "$anneal" merge -q -t -o result.txt --input-files=list "$two"
    run 0 "$anneal" merge -q -t -o expected.txt "$two" "$two" -w "3,$one"
    same result.txt expected.txt
    run 1 "$anneal" merge -o result -f no-such-list
    says no-such-list
    echo "no-such-file" >list
    run 1 "$anneal" merge -o result -f list
    says no-such-file
}

weights_must_be_numbers() {
    for weight in 0 -1 1.5 x '' 99999999999999999999; do
        local status=0
        "$anneal" merge -o result -w "$weight,$one" 2>err || status=$?
        [ $status -ne 0 ] || fail "weight '$weight' was taken"
        says 'weight of at least 1'
    done
    [ ! -e result ]
}

searches_folders() {
    mkdir -p folder/deep/deeper empty
    cp "$one" folder/deep/one.profraw
    cp "$two" folder/deep/deeper/named-otherwise
    cp "$corpus/src/ops_main.c" folder/
    cp "$anneal" folder/program
    run 0 "$anneal" merge -o result folder
    says 'merged 2 of 2 inputs' 'ignored 2 other files in the folders'
    run 0 "$anneal" merge -q -o expected "$two" "$one"
    same result expected
    run 0 "$anneal" merge -o folder/result.profdata folder
    run 0 "$anneal" merge -o folder/result.profdata folder # not into itself
    same folder/result.profdata expected
    rm folder/result.profdata
    run 1 "$anneal" merge -o result empty
    says 'no inputs' 'no profiles in this folder'
    run 0 "$anneal" merge -q -o weighted -w 3,folder
    run 0 "$anneal" merge -q -o expected -w "3,$two" -w "3,$one"
    same weighted expected
}

any_number_of_threads() {
    local inputs=("$corpus"/raw/c-ir-clang1[39]-run*.profraw "$corpus"/raw/cxx-ir-clang*.profraw
        "$corpus"/raw/c-ir-temporal-clang19-run*.profraw "$corpus"/indexed/c-ir-*twice.profdata)
    run 0 "$anneal" merge -q -j 1 -o one "${inputs[@]}" "${inputs[@]}"
    for threads in 2 3 8 64; do
        run 0 "$anneal" merge -q --num-threads=$threads -o many "${inputs[@]}" "${inputs[@]}"
        same many one
    done
    run 0 "$anneal" merge -q -o many "${inputs[@]}" "${inputs[@]}" # a second time
    same many one
}

writes_every_version() {
    for version in 5 6 7 8 9 10 11 12 13 14; do
        run 0 "$anneal" merge --format-version=$version -o result "$one"
        says "indexed version $version"
        expect "$(od -An -tu4 -j8 -N4 result | tr -d ' ')" $version
        run 0 "$anneal" show --header result
        prints "indexed profile version $version"
    done
    for version in 4 15 0 x ''; do
        run 2 "$anneal" merge --format-version=$version -o result "$one"
        says '--format-version'
    done
}

says_what_a_version_cannot_hold() {
    run 0 "$anneal" merge --format-version=9 -o result \
        "$corpus/raw/c-ir-temporal-clang19-run1.profraw" \
        "$corpus/raw/cxx-ir-vtable-clang19-run1.profraw"
    says 'version 9 cannot hold 1 temporal traces' 'virtual-table value sites'
    run 0 "$anneal" merge --format-version=10 -o result \
        "$corpus/raw/cond-fe-mcdc-clang19-run1.profraw"
    says 'version 10 cannot hold the MC/DC bitmaps of'
    run 0 "$anneal" merge --format-version=8 -o result "$corpus/raw/c-fe-clang19-run1.profraw"
    says 'version 8 cannot hold 1 binary ids'
}

leaves_out_what_never_ran() {
    run 0 "$anneal" merge -q --sparse -t -o sparse "$one"
    run 0 "$anneal" merge -q -t -o whole "$one"
    grep -qx util_never whole
    ! grep -qx util_never sparse || fail 'util_never is there'
    grep -qx main sparse
}

keeps_and_drops_functions() {
    run 0 "$anneal" merge -t -o result --function='^main$|^util' "$one"
    says 'functions in the original profile are filtered'
    grep -qx main result
    grep -qx util_run result
    ! grep -q ops_main result || fail 'more than asked'
    run 0 "$anneal" merge -q -t -o result --exclude-function=ops_ "$one"
    grep -qx main result
    ! grep -q '^ops_' result || fail 'something that was to be dropped'
    run 0 "$anneal" merge -q -t -o result --function=util --exclude-function=never "$one"
    grep -qx util_run result
    ! grep -qx util_never result || fail 'something that was to be dropped'
    run 2 "$anneal" merge -o result --function='(' "$one"
    says "'('"
}

renames_functions() {
    printf '# old new\nmain start\nutil_run ops_run\n' >names
    run 0 "$anneal" merge -q -t -o result -r names "$one"
    grep -qx start result
    grep -qx ops_run result
    ! grep -qx main result || fail 'main is still there'
    printf 'main start end\n' >names
    run 1 "$anneal" merge -o result -r names "$one"
    says 'names:1' 'old_symbol new_symbol'
}

warns_of_mismatches() {
    run 0 "$anneal" merge -o result "$corpus/proftext/ir_values.proftext" \
        "$corpus/proftext/mismatch.proftext"
    says 'change detected' 'mismatch.proftext' 'inputs from different builds?'
    run 0 "$anneal" merge -q -o result "$corpus/proftext/ir_values.proftext" \
        "$corpus/proftext/mismatch.proftext"
    expect "$(cat err)" ''
}

failure_modes() {
    head -c 500 "$one" >cut
    run 1 "$anneal" merge -o result "$one" cut
    says 'rejected: cut: at byte 500: file ends before the end of the sections' \
        'nothing written: 1 of 2 inputs rejected' '--failure-mode=all'
    [ ! -e result ]
    run 1 "$anneal" merge -o result --failure-mode=any "$one" cut
    for mode in all warn; do
        run 0 "$anneal" merge -o result --failure-mode=$mode "$one" cut
        says 'rejected: cut:' 'merged 1 of 2 inputs'
        run 0 "$anneal" merge -q -o expected "$one"
        same result expected
        rm result
    done
    run 1 "$anneal" merge -o result --failure-mode=all cut
    [ ! -e result ]
    run 2 "$anneal" merge -o result --failure-mode=some "$one"
    says '--failure-mode=some'
}

tells_odd_inputs() {
    : >empty
    awk 'BEGIN { print ":ir\ndead_branch\n1\n1\n3" }' >thin.proftext
    run 0 "$anneal" merge -o result "$one" "$two" "$one" empty thin.proftext
    says '1 input without any data (did the process die early?): empty' \
        '1 input named more than once' \
        '1 input thin, with less than a tenth of the median total' thin.proftext \
        'merged 4 of 5 inputs'
    run 0 "$anneal" merge -q -o result "$one" "$two" "$one" empty thin.proftext
    expect "$(cat err)" ''
    run 1 "$anneal" merge -o result empty
    says 'no input has any profile data'
}

# Runs of more programs than are compared one by one: each is known again in the next file.
many_programs() {
    local number
    for number in 1 8 9 40; do
        python3 "$tests/support/hostile.py" raw_parts $number input
        run 0 "$anneal" merge -o again input input
        run 0 "$anneal" merge -o expected --weighted-input=2,input
        same again expected
    done
}

wrong_usage() {
    run 2 "$anneal" merge
    says 'no inputs'
    run 2 "$anneal" merge --no-such-option "$one"
    says '--no-such-option' "try 'anneal merge --help'"
    run 2 "$anneal" merge -o
    says 'needs an argument'
    run 2 "$anneal" merge -j many "$one"
    run 2 "$anneal" frobnicate
    says "unknown command 'frobnicate'"
    run 1 "$anneal" merge -o result no-such-file
    says 'no-such-file' 'No such file'
}

refuses_the_terminal() {
    run 1 python3 "$tests/support/terminal.py" 200 log -- "$anneal" merge "$one"
    prints 'refusing to write a binary profile to the terminal'
}

no_functions() {
    echo before >result
    run 1 "$anneal" merge -o result --function=there_is_none "$one"
    says 'nothing written: the filters leave no function'
    echo ':ir' >none.proftext
    run 1 "$anneal" merge -o result none.proftext
    says 'nothing written: no input has a function'
    expect "$(cat result)" before
    run 0 "$anneal" merge -q --partial -o partial none.proftext
    run 1 "$anneal" convert -q -o result none.proftext
    says 'nothing written: the profile has no function'
    printf '%s\n' ':ir' never 1 2 0 0 '' >never.proftext
    for command in merge convert; do
        for form in --text --format-version=12; do
            run 1 "$anneal" $command -q $form --sparse -o result never.proftext
            says 'function that ran'
        done
    done
    expect "$(cat result)" before
    run 0 "$anneal" merge -q -o result never.proftext
    run 0 "$anneal" llvm-profdata merge -o peer none.proftext # as llvm-profdata
    run 0 "$anneal" llvm-profdata merge --sparse -o sparse never.proftext
    expect "$(head -c 8 peer sparse | grep -c lprofi)" 2
}

check 'merges to a file' merges_to_a_file
check 'writes to standard output' writes_to_standard_output
check 'reads standard input' reads_standard_input
check 'takes options anywhere' takes_options_anywhere
check 'reads a list of inputs' reads_a_list
check 'weights must be numbers of at least 1' weights_must_be_numbers
check 'searches folders' searches_folders
check 'any number of threads gives the same' any_number_of_threads
check 'writes every version' writes_every_version
check 'says what a version cannot hold' says_what_a_version_cannot_hold
check '--sparse leaves out what never ran' leaves_out_what_never_ran
check 'keeps and drops functions' keeps_and_drops_functions
check 'a profile without functions is not written' no_functions
check 'renames functions' renames_functions
check 'warns of mismatches' warns_of_mismatches
check 'failure modes' failure_modes
check 'tells of empty, repeated and thin inputs' tells_odd_inputs
check_with python3 'knows many programs again' many_programs
check 'wrong usage' wrong_usage
check_on_terminal 'does not write binary to a terminal' refuses_the_terminal
finish
