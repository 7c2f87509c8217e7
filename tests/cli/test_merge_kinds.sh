#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Profiles of different kinds of instrumentation, whose counts mean different things: they are not mixed, whatever their
# formats and their order; and no flag of a profile is lost, or ignored where it is not known.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

# as FORMAT NAME RAW: the profile in that format
as() {
    case $1 in
    raw) cp "$3" "$2" ;;
    indexed) "$anneal" merge -q -o "$2" "$3" ;;
    text) "$anneal" merge -q --text -o "$2" "$3" ;;
    esac
}

# are_not_mixed RAW OTHER WORDS: neither way round, in no format
are_not_mixed() {
    local first second
    for first in raw indexed text; do
        for second in raw indexed text; do
            as $first one "$corpus/raw/$1"
            as $second two "$corpus/raw/$2"
            run 1 "$anneal" merge -o result one two
            says "$3" 'merge each kind separately'
            run 1 "$anneal" merge -o result two one
            says "$3"
            run 1 "$anneal" merge --sparse -o result -w 3,one -w 2,two
            says "$3"
            run 1 "$anneal" merge --partial -o result one two
            says "$3"
            run 1 "$anneal" llvm-profdata merge -o result one two
            says "$3" 'error: no profile can be merged'
            run 1 "$anneal" diff one two
            run 1 "$anneal" llvm-profdata overlap one two
            [ ! -e result ] || fail 'a result was written'
        done
    done
    as raw one "$corpus/raw/$1"
    as raw two "$corpus/raw/$2"
    run 0 "$anneal" merge --partial -o part one
    run 1 "$anneal" merge -o result part two
    says "$3"
    cat one two >joined
    run 1 "$anneal" merge -o result joined
    says 'raw profile of another kind of instrumentation than the one before it'
    run 1 "$anneal" show joined
}

# The other profile is used when that is wanted, and the account says so.
leaves_the_others_out() {
    run 0 "$anneal" merge --failure-mode=all -o result "$corpus/raw/c-ir-clang19-run1.profraw" \
        "$corpus/raw/c-ir-block-clang19-run1.profraw"
    says 'merged 1 of 2 inputs' 'single-byte coverage, but the inputs before it have counts'
    run 0 "$anneal" merge -q -o expected "$corpus/raw/c-ir-clang19-run1.profraw"
    same result expected
}

word_of() {
    od -An -tx8 -j8 -N8 "$1" | tr -d ' '
}

keeps_the_flag() { # RAW
    run 0 "$anneal" merge -q --format-version=12 -o v12 "$corpus/raw/$1"
    expect "$(word_of v12)" 018000000000000c
    run 0 "$anneal" merge -q --text -o text v12
    grep -q '^:instrument_loop_entries$' text || fail 'the text has no marker'
    same text "$corpus/text/$1.text"
    run 0 "$anneal" merge -q --format-version=14 -o v14 text
    expect "$(word_of v14)" 018000000000000e
    run 0 "$anneal" merge --partial -q -o part v14
    run 0 "$anneal" merge -q --format-version=12 -o again part
    same again v12
    run 0 "$anneal" show v12
    prints ', loop entries'
    run 0 "$anneal" show --json v12
    prints '"loop_entries":true'
    run 0 "$anneal" llvm-profdata show v12
    prints 'Instrumentation level: IR  entry_first = 0  instrument_loop_entries = 1'
}

# LLVM 19 and older would give the counts to other places.
is_not_written_for_older_ones() {
    for option in --format-version=11 --for=clang-19; do
        run 1 "$anneal" merge $option -o result "$corpus/raw/loops-ir-clang22-run1.profraw"
        says 'cannot be written for LLVM 19 or older' 'collect it again without that option'
        [ ! -e result ] || fail 'a result was written'
    done
    run 0 "$anneal" merge -q --for=clang-20 -o result "$corpus/raw/loops-ir-clang22-run1.profraw"
    expect "$(word_of result)" 018000000000000c
}

# with_bit FILE BIT: a copy whose version word has that bit, too
with_bit() {
    local at=$((8 + $2 / 8)) byte
    cp "$1" damaged
    byte=$(od -An -tu1 -j$at -N1 damaged | tr -d ' ')
    printf "\\x$(printf %02x $((byte | 1 << $2 % 8)))" | dd of=damaged bs=1 seek=$at conv=notrunc status=none
}

refuses_unknown_flags() { # FILE
    local bit
    for bit in 32 40 47 54; do
        with_bit "$corpus/$1" $bit
        run 1 "$anneal" merge -o result damaged
        says "at byte 8: unknown flag, bit $bit of the version word" 'an LLVM later than 23'
        run 1 "$anneal" show damaged
        [ ! -e result ] || fail 'a result was written'
    done
    with_bit "$corpus/$1" 59
    run 1 "$anneal" merge -o result damaged
    says 'correlat'
}

check 'coverage is not mixed with counts' are_not_mixed c-ir-clang23-run1.profraw \
    c-ir-block-clang23-run1.profraw 'single-byte coverage'
check 'neither is that of the front end' are_not_mixed c-fe-clang19-run1.profraw \
    c-fe-singlebyte-clang19-run1.profraw 'single-byte coverage'
check 'loop entries are not mixed with other counts' are_not_mixed c-ir-clang22-run1.profraw \
    loops-ir-clang22-run1.profraw '-pgo-instrument-loop-entries'
check 'an input of another kind can be left out' leaves_the_others_out
for llvm in 22 23; do
    check "loop entries of clang $llvm stay what they are" keeps_the_flag \
        loops-ir-clang$llvm-run1.profraw
done
check 'loop entries are not written for compilers that do not know them' is_not_written_for_older_ones
check 'unknown flags of a raw profile are refused' refuses_unknown_flags raw/c-ir-clang19-run1.profraw
check 'unknown flags of an indexed profile are refused' refuses_unknown_flags \
    indexed/c-ir-clang19.merged.profdata
finish
