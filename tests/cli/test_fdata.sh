#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# merge and show for BOLT's text profiles: what they write, what they refuse and how they say it.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

profiles=$tests/data/branch/fdata

# is PATH VALUE: the ledger, or what show printed, has this value there
is() {
    expect "$(jq -c "$1" "$2")" "$3"
}

merges() {
    printf '1 main 1c 1 parse 0 2 300\n1 main 4 1 main 10 0 7\n4 main 20 3 [heap] 7f10 3\n' >a
    printf '1 parse 3 1 main 20 0 1\n1 main 1c 1 parse 0 1 40\n4 main 20 3 [heap] 7f10 2\n' >b
    cat >expected <<'END'
1 main 4 1 main 10 0 7
1 main 1c 1 parse 0 3 340
1 parse 3 1 main 20 0 1
4 main 20 3 [heap] 7f10 5
END
    run 0 "$anneal" merge -o result a b
    same result expected
    says 'merged 2 of 2 inputs: 4 records of 2 functions, total count 348 -> result'
    run 0 "$anneal" merge -q b a
    same out expected
    [ ! -s err ]
}

# Other ways to write the same location, which llvm-bolt takes too.
one_location_is_one_record() {
    printf '1 main 1C 1 parse 0 2 300\n1 main  01c 1  parse 00 0  3 \n' >a
    printf '\n1 main 1c 1 parse 0 0 4\n\n' >b
    run 0 "$anneal" merge -q -o result a b
    printf '1 main 1c 1 parse 0 2 307\n' >expected
    same result expected
}

names() {
    printf '1 operator\\ new 0 1 a\\\\b\\  4 0 1\n1 f.cold/1 2 1 [x(1)] 0 0 1\n2 f 0 0 [unknown] 0 0 1\n' >a
    run 0 "$anneal" merge -q -o result a
    sort a >expected
    sort result >sorted
    same sorted expected
    run 0 "$anneal" show --function='^operator new$' a
    prints 'operator new'
}

large_counts() {
    printf '1 a 0 1 b 0 9223372036854775807 9223372036854775807\n' >a
    run 0 "$anneal" merge -q -o result a a -w 18446744073709551615,a
    same result a # llvm-bolt reads no more
    printf '1 a 0 1 b 0 0 9223372036854775808\n' >b
    run 1 "$anneal" merge -o result2 b
    says 'a count below 2^63, the limit of llvm-bolt'
    run 0 "$anneal" merge-fdata -o result2 b
    same result2 b
    run 0 "$anneal" merge-fdata -o result2 b b
    printf '1 a 0 1 b 0 0 18446744073709551615\n' >expected
    same result2 expected
}

# torn LINE NUMBER OFFSET WORDS: this line between two good ones
torn() {
    printf '1 main 0 1 main 4 0 1\n%b\n1 main 4 1 main 0 0 1\n' "$1" >torn
    run 1 "$anneal" merge -o result torn
    says "torn: at byte $2: line 2: " "$3"
    run 1 "$anneal" show torn
    says "torn: at byte $2: line 2: " "$3"
    run 1 "$anneal" merge-fdata -o result torn
    says "torn: at byte $2: line 2: " "$3"
    [ ! -e result ]
}

torn_lines() {
    torn '1 main 0 1 ma1 main 4 1 main 0 0 1' 37 'expected an offset, hexadecimal'
    torn '1 main 0 1 main 4 0 11 main 4 1 main 0 0 1' 45 'expected the end of the line'
    torn 'in 4 0 1' 22 'expected a line that begins with 0 to 5'
    torn '1 main' 28 'expected an offset after the name'
    torn '1 main 0 1 main 4 0 ' 42 'expected a count, decimal'
    torn '1 main 0 1 main 4 0' 41 'expected a space after the mispredictions'
    torn '1 main 0 1 main 4 -1 2' 40 'expected a number of mispredictions'
    torn '1 main 0 1 main 4 0 1\r' 43 'the file has DOS line ends'
    torn '1 main 0 1 ma\0000\0000\0000' 38 'zero bytes'
    torn 'boltedcollection' 22 'files were concatenated'
    torn '1 main 0 4 main 4 0 1' 31 'expected 0, 1 or 2'
    torn '4 main 0 1 main 4 1' 31 'expected 3, 4 or 5'
    torn '1 main 10000000000000000 1 main 4 0 1' 45 'an offset of at most 64 bits'
    torn '1 main 0 1 main 4 0 99999999999999999999' 61 'a number of at most 64 bits'
}

# Cut off anywhere, a file is refused, unless the cut is at the end of a line.
cut_off_anywhere() {
    local whole=$profiles/branches-1.fdata size
    for ((size = 1; size < $(stat -c %s "$whole"); size++)); do
        head -c "$size" "$whole" >cut
        if [ -z "$(tail -c 1 cut)" ]; then
            run 0 "$anneal" merge -q -o result cut
        else
            run 1 "$anneal" merge -q -o refused cut
            [ "$size" -lt 3 ] || says "line $(($(wc -l <cut) + 1)) ends without a newline"
        fi
    done
    [ ! -e refused ]
}

# What came before the bad line must not be counted.
whole_or_not_at_all() {
    local good=$profiles/branches-1.fdata
    cat "$good" "$profiles/instrumented-3.fdata" >torn
    printf 'torn\n' >>torn
    run 0 "$anneal" merge -q -o expected "$good" "$good"
    run 0 "$anneal" merge -o result --failure-mode=all --ledger=ledger "$good" torn "$good"
    same result expected
    says 'rejected: torn: at byte' 'merged 2 of 3 inputs'
    run 0 "$anneal" merge -q -o result --failure-mode=warn torn "$good" "$good" torn
    same result expected
    run 1 "$anneal" merge -o other "$good" torn
    says 'nothing written: 1 of 2 inputs rejected (--failure-mode=all merges the others)'
    run 1 "$anneal" merge -o other --failure-mode=all torn torn
    [ ! -e other ]
}

keeps_a_ledger() {
    local total
    cp "$profiles/branches-1.fdata" one
    total=$(awk '{ sum += $NF } END { print sum }' one)
    cp "$profiles/instrumented-3.fdata" two
    ln one again
    : >empty
    printf '1 main 0 1 main 4 0 1\n' >thin
    printf '1 main 0 1 ma' >cut
    run 0 "$anneal" merge -q -o result --failure-mode=all --ledger=ledger one two again empty thin \
        cut -w 3,one
    is '[.inputs_named, .used, .rejected, .empty, .repeated, .thin]' ledger '[7,5,1,1,2,1]'
    is '.inputs[0] | [.status, .format, .total_count, .weight]' ledger "[\"used\",\"fdata\",$total,1]"
    is '.inputs[0].functions' ledger 2
    is '.inputs[6] | [.weight, .repeated]' ledger '[3,true]'
    is '.inputs[5].error | [.code, .offset]' ledger '["truncated",13]'
    is '.inputs[4].thin' ledger true
    is .total_count ledger "$((5 * total + 1 + $(awk '{ sum += $NF } END { print sum }' two)))"
}

kinds_are_not_mixed() {
    local branches=$profiles/branches-1.fdata samples=$profiles/samples.fdata
    run 1 "$anneal" merge -o result "$branches" "$samples"
    says "samples.fdata: a profile without branch records (LBR), but the inputs before it are with"
    run 1 "$anneal" merge -o result "$samples" "$branches"
    says "branches-1.fdata: a profile with branch records (LBR), but the inputs before it are without"
    run 1 "$anneal" merge -o result "$branches" "$profiles/bolted.fdata"
    says "bolted.fdata: recorded on a BOLT-optimized program (boltedcollection)" \
        'merge each kind separately'
    run 1 "$anneal" merge -o result "$profiles/bolted.fdata" "$branches"
    says 'recorded on an original program'
    [ ! -e result ]
    # which one is refused does not depend on threads, nor on a bad file before
    printf 'no_lbr\ntorn\n' >torn
    for threads in 1 2 7; do
        run 0 "$anneal" merge -q -j $threads -o result --failure-mode=all --ledger=ledger torn \
            "$branches" "$samples" "$profiles/bolted.fdata" "$profiles/branches-2.fdata" "$samples"
        is '[.inputs[].status]' ledger \
            '["rejected","used","rejected","rejected","used","rejected"]'
        is '[.inputs[].error.code]' ledger \
            '["malformed",null,"mismatch","mismatch",null,"mismatch"]'
    done
    run 0 "$anneal" merge -q -o expected "$branches" "$profiles/branches-2.fdata"
    same result expected
}

events_are_united() {
    printf 'no_lbr cycles:u: a\\ b\n1 main 4 10\n' >a
    printf 'no_lbr\n1 main 4 1\n' >b
    printf 'no_lbr instructions:u: cycles:u:\n1 main 4 2\n' >c
    for threads in 1 3; do
        run 0 "$anneal" merge -q -j $threads -o result b a c
        printf 'no_lbr cycles:u: a\\ b instructions:u:\n1 main 4 13\n' >expected
        same result expected
    done
}

thousands_of_inputs() {
    mkdir many
    awk -v FOLDER=many 'BEGIN {
        for (i = 0; i < 5000; i++) {
            file = FOLDER "/" i ".fdata"
            for (j = 0; j < 4; j++)
                printf "1 f%d %x 1 f%d 0 %d %d\n", (i * j) % 97, j, i % 89, j % 2, i + j >file
            close(file)
        }
    }'
    find many -name '*.fdata' -exec cat {} + |
        awk '{ key = $1 " " $2 " " $3 " " $4 " " $5 " " $6; m[key] += $7; c[key] += $8 }
             END { for (key in c) print key, m[key], c[key] }' | sort >expected
    run 0 "$anneal" merge -o result --ledger=ledger many
    says 'merged 5,000 of 5,000 inputs'
    sort result >sorted
    same sorted expected
    is '[.inputs_named, .used]' ledger '[5000,5000]'
    run 0 "$anneal" merge -q -j 8 -o again many
    same again result
    head -c 30 many/77.fdata >torn
    mv torn many/77.fdata
    run 1 "$anneal" merge -o again many
    says 'rejected: many/77.fdata: at byte 30: line 2 ends without a newline'
}

found_by_content() {
    mkdir folder
    cp "$profiles/branches-1.fdata" folder/no-name
    cp "$profiles/bolted.fdata" bolted
    printf 'text that is no profile\n1 2 3\n' >folder/notes.txt
    run 0 "$anneal" merge -o result folder
    says 'ignored 1 other file in the folders, such as folder/notes.txt'
    run 0 "$anneal" merge -q -o expected folder/no-name
    same result expected
}

from_pipes() {
    local one=$profiles/branches-1.fdata two=$profiles/branches-2.fdata
    run 0 "$anneal" merge -q -o expected_one "$one"
    run 0 "$anneal" merge -q -o expected_both "$one" "$two"
    cp expected_both expected
    "$anneal" merge -q -o result - "$two" <"$one"
    same result expected
    # shellcheck disable=SC2002
    cat "$one" | "$anneal" merge -q -o result "$two" -
    same result expected
    # shellcheck disable=SC2002
    cat "$one" | "$anneal" merge -q -o result -
    run 0 "$anneal" merge -q -o expected "$one"
    same result expected
    # shellcheck disable=SC2002
    cat "$corpus/raw/c-ir-clang19-run1.profraw" | "$anneal" merge -q -o result -
    run 0 "$anneal" merge -q -o expected "$corpus/raw/c-ir-clang19-run1.profraw"
    same result expected
    "$anneal" merge -q -o result <(cat "$one")
    same result expected_one
    "$anneal" merge -q -o result <(cat "$one") <(cat "$two")
    same result expected_both
    mkfifo pipe.fdata
    cat "$one" >pipe.fdata &
    "$anneal" merge -q -o result pipe.fdata
    same result expected_one
    "$anneal" merge -q -o result <(cat "$corpus/raw/c-ir-clang19-run1.profraw")
    same result expected
    "$anneal" merge-fdata -o result <(cat "$one") "$two" 2>/dev/null
    run 0 "$anneal" merge-fdata -o expected "$one" "$two"
    same result expected
}

no_records() {
    echo before >result
    echo '1 main 0 1 main 4 0 1' >one
    run 1 "$anneal" merge -o result --function=other one
    says 'nothing written: the filters leave no record'
    echo 'no_lbr cycles:' >none
    run 1 "$anneal" merge -o result none
    says 'nothing written: no input has a record'
    expect "$(cat result)" before
    run 0 "$anneal" merge -q --partial -o partial none
    run 0 "$anneal" merge-fdata -o peer none # as merge-fdata
}

filters() {
    printf '%s\n' '1 main 0 1 parse 0 0 1' '1 parse 0 1 parse 4 0 2' '1 lex 0 1 lex 4 0 3' \
        '0 [unknown] 0 1 parse 0 0 4' '0 [unknown] 0 0 [unknown] 0 0 5' '4 lex 1 3 [heap] 0 6' \
        '4 parse 1 3 [heap] 0 7' >a
    run 0 "$anneal" merge --function='^parse$' -o result a
    printf '%s\n' '0 [unknown] 0 1 parse 0 0 4' '1 main 0 1 parse 0 0 1' '1 parse 0 1 parse 4 0 2' \
        '4 parse 1 3 [heap] 0 7' >expected
    same result expected
    says 'left out 3 of 7 records: none of their functions is kept'
    run 0 "$anneal" merge --exclude-function='^parse$' -o result a
    printf '%s\n' '1 lex 0 1 lex 4 0 3' '1 main 0 1 parse 0 0 1' '4 lex 1 3 [heap] 0 6' >expected
    same result expected
    run 2 "$anneal" merge --function='(' -o result a
}

refuses_options() {
    local option
    for option in --sparse --text --format-version=9 --remapping-file=a --keep-vtable-symbols \
        --trace-reservoir-size=3 --max-trace-length=3; do
        run 2 "$anneal" merge -o result "$option" "$profiles/branches-1.fdata"
        says "${option%%=*} applies only to LLVM profiles"
    done
    for option in --values --detailed-summary --binary-ids --traces --covered --cs --text; do
        [ $option = --values ] && run 2 "$anneal" show $option -a "$profiles/branches-1.fdata" ||
            run 2 "$anneal" show $option "$profiles/branches-1.fdata"
        says "$option applies only to LLVM profiles"
    done
    [ ! -e result ]
}

shows() {
    local one=$profiles/branches-1.fdata
    run 0 "$anneal" show "$one"
    prints 'branches-1.fdata: BOLT profile (fdata), branch records' \
        "$(wc -l <"$one") branches in 2 functions, total count $(awk '{ n += $NF } END { print n }' "$one")"
    run 0 "$anneal" show --top 1 "$one"
    expect "$(tail -n 1 out | awk '{ print $NF }')" two
    run 0 "$anneal" show --function='^main$' --counts "$one"
    prints main '-> two+0x0'
    [ "$(grep -c -e '->' out)" = "$(grep -cE '^(1 main|0 .* 1 main)' "$one")" ]
    run 0 "$anneal" show --all "$one"
    expect "$(grep -c '^[a-z][a-z]*$' out)" 2
    run 0 "$anneal" show -o shown "$one"
    [ -s shown ] && [ ! -s out ]
    run 0 "$anneal" show "$profiles/samples.fdata"
    prints 'samples without branch records (no_lbr)' 'event cpu-clock:u:'
    run 0 "$anneal" show "$profiles/bolted.fdata"
    prints 'recorded on a program that BOLT had optimized (boltedcollection)'
    printf '4 main 20 3 [heap] 7f10 12\n' >memory
    run 0 "$anneal" show --all --counts memory
    prints '1 memory record, total count 12' 'main+0x20 reads [heap]+0x7f10'
}

shows_json() {
    printf '1 main 1c 1 par\\ se 0 2 300\n0 [unknown] 0 1 main 0 0 7\n4 main 20 3 [heap] 7f10 3\n' >a
    run 0 "$anneal" show --json --all --counts a
    is '.functions | map(.name)' out '["main","par se"]'
    is '.functions[0] | [.entries, .branches, .mispredictions, .memory_accesses, .records]' out \
        '[7,300,2,3,3]'
    is '.functions[0].counts | map(.kind)' out '["branch","branch","memory"]'
    is '.functions[0].counts[1].to' out '{"name":"par se","offset":0,"symbol":true}'
    is '.profile | [.format, .no_lbr, .total_count, .mispredictions, .memory_accesses, .functions]' out \
        '["fdata",false,307,2,3,1]'
    is '.profile.hottest | map(.name)' out '[]'
    run 0 "$anneal" show --json "$profiles/samples.fdata"
    is '.profile | [.no_lbr, .events]' out '[true,["cpu-clock:u:"]]'
    is '.profile.hottest | length > 0' out true
    is .functions out '[]'
}

# Shares of 100 and of 200 branches: 20% and 30%, 70% and 50%, 10% that are gone, 20% that are new.
# No branch of base leaves g.
compares() {
    printf '1 f 0 1 g 0 0 20\n1 f 4 1 f 8 0 70\n1 old\\ one 4 1 f 0 1 5\n1 f 4 1 f 9 0 5\n' >base
    printf '1 f 4 1 f 8 5 100\n1 f 0 1 g 0 0 60\n1 g 9 1 f 0 1 40\n4 f 0 3 [heap] 0 9\n' >test
    run 0 "$anneal" diff base test
    expect "$(cat out)" 'base  base, total 100
test  test, total 200

 70.000%  overlap of counts, in 2 branches of 1 function
 20.000%  of test in 1 function that base does not have

     base       test      moved  function
   0.000%    20.000%   +20.000%  g  (new)
  95.000%    80.000%   -15.000%  f
   5.000%     0.000%    -5.000%  old one  (gone)'
    run 0 "$anneal" diff -n 0 test test
    prints '100.000%  overlap of counts, in 3 branches of 2 functions'
    run 0 "$anneal" diff "$profiles/samples.fdata" - <"$profiles/samples.fdata"
    prints '100.000%  overlap of counts, in ' 'sampled places of '
    # Their sum is above 2^64.
    printf '1 %s 0 1 h 0 0 9223372036854775807\n' f g h i >large
    run 0 "$anneal" diff large large
    prints '100.000%  overlap of counts, in 4 branches of 4 functions'
    expect "$(grep -c '^  25.000%    25.000%    +0.000%' out)" 4
}

compares_as_json() {
    printf '1 f 0 1 g 0 0 20\n1 f 4 1 f 8 0 80\n' >base
    printf '1 f 0 1 g 0 0 1\n1 h 4 1 f 8 0 1\n' >test
    run 0 "$anneal" diff --json base test
    is '[.base_total, .test_total, .overlap, .records_compared]' out '[100,2,0.2,1]'
    is '[.functions_compared, .functions_only_in_test]' out '[1,1]'
    is '.moved | map([.name, .base_share, .test_share, .in_base, .in_test])' out \
        '[["f",1,0.5,true,true],["h",0,0.5,false,true]]'
}

does_not_compare() {
    echo '1 f 0 1 g 0 0 20' >branches
    printf 'no_lbr cycles:\n1 f 0 20\n' >places
    printf 'boltedcollection\n1 f 0 1 g 0 0 20\n' >bolted
    echo '1 f 0 1 g 0 0 0' >nothing
    run 1 "$anneal" diff places branches
    says 'branches has branch records, places has samples without them (no_lbr)'
    run 1 "$anneal" diff branches bolted
    says 'bolted was recorded on a program that BOLT had optimized (boltedcollection), branches was not'
    run 1 "$anneal" diff branches nothing
    says 'nothing: no counts to compare'
    run 1 "$anneal" diff branches "$corpus/raw/c-ir-clang19-run1.profraw"
    says 'not an LLVM instrumentation profile but a BOLT profile (fdata)'
    run 2 "$anneal" diff --cs branches branches
    says '--cs applies only to LLVM profiles; these are BOLT profiles (fdata)'
    run 2 "$anneal" diff --notes=. branches branches
    says '--notes is for GCC profiles (gcda); these are BOLT profiles (fdata)'
    run 1 "$anneal" convert branches
    says 'branches: is a BOLT profile (fdata), of which there is one format only'
}

check 'sums, in order' merges
check 'diff compares' compares
check_with jq 'diff as JSON' compares_as_json
check 'what diff and convert refuse' does_not_compare
check 'one location is one record, however it is written' one_location_is_one_record
check 'names with blanks, backslashes, suffixes' names
check 'large counts' large_counts
check 'torn lines are named' torn_lines
check 'files that are cut off anywhere' cut_off_anywhere
check 'an input counts whole or not at all' whole_or_not_at_all
check_with jq 'the ledger' keeps_a_ledger
check_with jq 'kinds are not mixed' kinds_are_not_mixed
check 'events are united' events_are_united
check_with 'awk jq' 'thousands of inputs' thousands_of_inputs
check 'folders are searched by content' found_by_content
check 'pipes' from_pipes
check 'filters by function' filters
check 'a profile without records is not written' no_records
check 'options that mean nothing here' refuses_options
check 'show' shows
check_with jq 'show as JSON' shows_json
finish
