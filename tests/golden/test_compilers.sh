#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What anneal writes is accepted by the compilers that it is written for, without a warning, and
# leads to the same code as the profile that their own llvm-profdata makes.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/golden/differences.sh
. "$tests/golden/differences.sh"

sources_of() {
    case $1 in
    c-*) echo ops_main.c ops_util.c ;;
    cxx-*) echo shapes_main.cpp shapes_other.cpp ;;
    cond-*) echo cond.c ;;
    tiny-*) echo tiny.c ;;
    esac
}

# compiles COMPILER PROFILE OUTPUT NAME FLAG...: the sources of NAME to LLVM's assembly, with the
# relative names that make-corpus.sh uses. Any warning is an error.
compiles() {
    local compiler=$1 profile=$2 output=$3 name=$4 use source
    shift 4
    case $name in
    *-fe*) use=-fprofile-instr-use=$profile ;;
    *) use=-fprofile-use=$profile ;;
    esac
    for source in $(sources_of "$name"); do
        (cd "$corpus/src" && "$compiler" -Wall -Werror "$@" "$use" -S -emit-llvm -o - "$source") \
            2>>messages || return 1
    done >"$output"
    [ ! -s messages ] || fail "$(cat messages)"
}

# used NAME LLVM FLAGS RAW...
used() {
    local name=$1 llvm=$2 flags=$3 raw
    shift 3
    local inputs=()
    for raw; do
        inputs+=("$corpus/raw/$raw.profraw")
    done
    run 0 "$anneal" merge -q --format-version="$(version_for "$llvm")" -o "$PWD/ours" "${inputs[@]}"
    run 0 "llvm-profdata-$llvm" merge -o "$PWD/theirs" "${inputs[@]}"
    compiles "clang-$llvm" "$PWD/ours" ours.ll "$name" $flags || fail "$(cat messages)"
    compiles "clang-$llvm" "$PWD/theirs" theirs.ll "$name" $flags || fail "$(cat messages)"
    same ours.ll theirs.ll
    grep -q ProfileSummary ours.ll || fail 'the profile was not used'
    grep -q function_entry_count ours.ll || fail 'the profile was not used'
}

# Runs of the same program under all five compilers, merged in one command, in the version for one.
used_from_all_compilers() {
    local name=$1 llvm=$2 other inputs=()
    for other in 13 14 15 16 19; do
        inputs+=("$corpus/raw/$name-clang$other-run1.profraw"
            "$corpus/raw/$name-clang$other-run2.profraw")
    done
    run 0 "$anneal" merge --format-version="$(version_for "$llvm")" -o "$PWD/ours" "${inputs[@]}"
    says 'merged 10 of 10 inputs'
    compiles "clang-$llvm" "$PWD/ours" ours.ll "$name" -O1 -fPIE || fail "$(cat messages)"
    grep -q function_entry_count ours.ll || fail 'the profile was not used'
}

# The check has teeth: a profile of other code gives a warning, another version an error.
notices_a_profile_of_other_code() {
    local llvm=$1 name=$2
    # the front end looks at the hash, the optimiser at the number of counters
    "$anneal" merge -q --text "$corpus/raw/$name-clang$llvm-run1.profraw" | awk -v name="$name" '
        { print }
        name ~ /-fe/ && /^# Func Hash:/ { getline; print 12345 }
        name ~ /-ir/ && /^# Num Counters:/ { getline; print $0 + 1; print 1 }' >other.proftext
    run 0 "$anneal" merge -q --format-version="$(version_for "$llvm")" -o "$PWD/ours" other.proftext
    ! compiles "clang-$llvm" "$PWD/ours" ours.ll "$name" -O1 -fPIE || fail 'nothing was noticed'
    grep -q 'Werror' messages || fail "no warning: $(cat messages)"
}

notices_a_version_to_come() {
    run 0 "$anneal" merge -q --format-version=12 -o "$PWD/ours" \
        "$corpus/raw/c-ir-clang$1-run1.profraw"
    ! compiles "clang-$1" "$PWD/ours" ours.ll c-ir -O1 -fPIE || fail 'nothing was noticed'
}

# uses NAME LLVM FLAGS RAW...
uses() {
    check_with "clang-$2 llvm-profdata-$2" "clang-$2 uses $1" used "$@"
}

for llvm in 13 14 15 16 19; do
    for name in c-fe c-ir cxx-fe cxx-ir; do
        uses $name $llvm '-O1 -fPIE' $name-clang$llvm-run1 $name-clang$llvm-run2
        check_with clang-$llvm "clang-$llvm uses $name of all compilers" \
            used_from_all_compilers $name $llvm
    done
    uses tiny-fe $llvm '-O1 -fPIE' tiny-fe-clang$llvm
    uses cond-fe $llvm '-O1 -fPIE' cond-fe-clang$llvm
    uses c-csir $llvm '-O2 -fPIE' c-base-clang$llvm-run1 c-csir-clang$llvm-run1 c-csir-clang$llvm-run2
    check_with clang-$llvm "clang-$llvm notices a front-end profile of other code" \
        notices_a_profile_of_other_code $llvm c-fe
    check_with clang-$llvm "clang-$llvm notices an IR profile of other code" \
        notices_a_profile_of_other_code $llvm c-ir
    [ $llvm = 19 ] ||
        check_with clang-$llvm "clang-$llvm notices version 12" notices_a_version_to_come $llvm
done
for llvm in 13 16 19; do
    uses c-fe-values $llvm '-O1 -fPIE' c-fe-values-clang$llvm
    uses c-ir-novalues $llvm '-O1 -fPIE -mllvm -disable-vp=true' c-ir-novalues-clang$llvm
    uses cxx-ir-plainnames $llvm '-O1 -fPIE' cxx-ir-plainnames-clang$llvm
    uses c-ir-entry $llvm '-O1 -mllvm -pgo-instrument-entry=true' \
        c-ir-entry-clang$llvm-run1 c-ir-entry-clang$llvm-run2
done
uses c-ir-temporal 19 '-O1 -mllvm -pgo-temporal-instrumentation' \
    c-ir-temporal-clang19-run1 c-ir-temporal-clang19-run2
uses cxx-ir-vtable 19 '-O1 -mllvm -enable-vtable-value-profiling' \
    cxx-ir-vtable-clang19-run1 cxx-ir-vtable-clang19-run2
uses cond-fe-mcdc 19 -O1 cond-fe-mcdc-clang19-run1 cond-fe-mcdc-clang19-run2
uses c-ir-block 19 '-O1 -mllvm -pgo-block-coverage' \
    c-ir-block-clang19-run1 c-ir-block-clang19-run2
finish
