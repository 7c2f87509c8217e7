#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Memory profiles of indexed profiles on their way through anneal merge, beside what LLVM's tools wrote.
#
# usage: test_memprof.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
golden=$corpus/memprof
runs=$corpus/raw/c-ir-clang19-run1.profraw

# has FILE TEXT: what anneal show says of the memory profile
has() {
    "$anneal" show "$1" >shown
    grep -qF "memory profile $2" shown || fail "$1 has no memory profile $2 but:" "$(cat shown)"
}

keeps_one() {
    local profile number=0
    for profile in "$golden"/*.profdata; do
        run 0 "$anneal" merge -q -o ours "$profile"
        same ours "$profile"
        number=$((number + 1))
    done
    [ $number -ge 24 ] || fail "only $number profiles"
}

adds_up_as_llvm() {
    local name threads
    for name in 19:3 23:2 23:3 23:4; do
        local release=${name%:*} version=${name#*:}
        for threads in 1 2; do
            run 0 "$anneal" merge -q -j$threads -o ours "$golden/$release-run2-v$version.profdata" \
                "$golden/$release-run1-v$version.profdata"
            same ours "$golden/$release-runs-2-1-v$version.profdata"
        done
    done
}

loses_nothing() {
    run 0 "$anneal" merge -o 12 "$golden"/23-run{1,2}-v4.profdata
    says 'memory profile of 13 functions'
    run 0 "$anneal" merge -q -o 21 "$golden"/23-run{2,1}-v4.profdata
    has 12 'version 4, 13 functions with 20 allocations'
    has 21 'version 4, 13 functions with 20 allocations'
    run 0 "$anneal" merge -q -o again 12
    same again 12
    expect "$(stat -c %s 12)" "$(stat -c %s 21)"
    run 0 "$anneal" merge -q -o twice "$golden"/23-run1-v4.profdata "$golden"/23-run1-v4.profdata
    has twice 'version 4, 13 functions with 18 allocations'
}

does_not_depend_on_threads() {
    local inputs=() i
    for i in {1..70}; do
        inputs+=("$golden/23-callees-v4.profdata" "$golden/23-run1-v3.profdata" "$golden/23-run2-v2.profdata")
    done
    run 0 "$anneal" merge -q -j1 -o one "${inputs[@]}"
    has one 'version 4, 23 functions'
    for i in 2 3 4; do
        run 0 "$anneal" merge -q -j"$i" -o many "${inputs[@]}"
        same many one
    done
}

stands_beside_counts() {
    run 0 "$anneal" merge -q -o ours "$golden/19-run1-v2.profdata" "$runs"
    same ours "$golden/19-mixed-v2.profdata"
    run 0 "$anneal" merge -q -o ours "$runs" "$golden/19-run1-v2.profdata"
    same ours "$golden/19-mixed-v2.profdata"
    run 0 "$anneal" merge -q -o ours "$golden/19-mixed-v2.profdata" "$runs"
    has ours 'version 2, 13 functions with 9 allocations'
    run 0 "$anneal" show ours
    prints 'total 158'
}

chooses_the_version() {
    run 0 "$anneal" merge -q -o ours "$golden/23-run1-v2.profdata" "$golden/23-run2-v4.profdata"
    has ours 'version 4,'
    run 0 "$anneal" merge -q --for=clang-22 -o ours "$golden/19-run1-v0.profdata"
    has ours 'version 2, 13 functions with 9 allocations'
    never_says left
    run 0 "$anneal" merge --for=clang-19 -o ours "$golden/23-callees-v4.profdata"
    has ours 'version 3,'
    says 'cannot hold the callees of 3 call sites: left out'
    run 0 "$anneal" merge --for=clang-19 -o ours "$golden/23-accesses-v4.profdata"
    says 'cannot hold data accesses: left out'
    run 0 "$anneal" convert -o ours "$golden/23-run1-v3.profdata"
    same ours "$golden/23-run1-v3.profdata"
}

says_what_is_left_out() {
    run 0 "$anneal" merge --text -o ours "$golden/19-mixed-v2.profdata"
    says 'text cannot hold the memory profile of 13 functions: left out'
    run 0 "$anneal" merge --format-version=11 -o ours "$golden/19-mixed-v2.profdata"
    says 'version 11 cannot hold the memory profile of 13 functions: left out'
    run 0 "$anneal" merge --partial --ledger=ledger -o part "$golden/19-mixed-v2.profdata"
    says 'with a memory profile, which partial results do not keep: left out'
    expect "$(jq '.inputs[0].memprof_bytes_left_out' ledger)" 3792
    run 0 "$anneal" merge --ledger=ledger -o ours "$golden/19-mixed-v2.profdata"
    never_says 'left out'
    expect "$(jq '.inputs[0].memprof_bytes_left_out' ledger)" 0
    run 0 "$anneal" show --json ours
    expect "$(jq -c '.profile | [.memprof_version, .memprof_functions, .memprof_allocations, .memprof_bytes]' out)" \
        '[2,13,9,3792]'
}

accesses_are_of_one() {
    run 0 "$anneal" merge -q -o ours "$golden"/23-{run1,accesses}-v4.profdata "$golden/23-accesses-v4.profdata"
    run 1 "$anneal" merge -o ours "$golden/23-accesses-v4.profdata" "$golden/23-other-accesses-v4.profdata"
    says 'data accesses that are not those of the inputs before it'
    local threads # more than 64 inputs are divided, and each thread's fit each other
    for threads in 1 2; do
        run 1 "$anneal" merge -q -j$threads --failure-mode=any -o ours "$golden/23-accesses-v4.profdata"{,,,}{,,,}{,,,,} \
            "$golden/23-other-accesses-v4.profdata"{,,,}{,,,}{,,,,}
        says 'data accesses that are not those of the inputs before it'
    done
}

# patch FILE OFFSET BYTES: a copy of it as `bad`
patch() {
    cp "$1" bad
    printf '%b' "$3" | dd of=bad bs=1 seek="$2" conv=notrunc status=none
}

rejects_damage() {
    local profile=$golden/23-run1-v4.profdata i
    echo old >ours
    patch "$profile" 544 '\x09'
    run 1 "$anneal" merge -o ours bad
    says 'memory profile of version 9, expected 0 to 4'
    patch "$profile" 636 '\x1c'
    run 1 "$anneal" merge -o ours bad
    says 'memory profile: more fields of allocations than the 27 that are known'
    patch "$profile" 552 '\xff\xff\xff'
    run 1 "$anneal" merge -o ours bad
    says 'memory profile: its parts do not follow each other in the file'
    patch "$profile" 40 '\xff\xff\xff'
    run 1 "$anneal" merge -o ours bad
    says 'file ends within its memory profile'
    patch "$profile" 999 '\xff\xff\xff\x7f'
    run 1 "$anneal" merge -o ours bad
    says 'memory profile: a call stack'
    expect "$(cat ours)" old
}

is_used_by_clang() {
    run 0 "$anneal" merge -q -o ours "$golden"/19-run{2,1}-v3.profdata
    local profile
    for profile in ours "$golden/19-runs-2-1-v3.profdata"; do
        clang++-19 -O1 -g -fdebug-info-for-profiling -fmemory-profile-use="$profile" -S -emit-llvm -o "$(basename "$profile").ll" \
            "$corpus/src/memprof.cpp"
    done
    found '"memprof"="notcold"' ours.ll
    same ours.ll 19-runs-2-1-v3.profdata.ll
}

# As by llvm-profdata 23: frames, callees, accesses to data, and what YAML breaks and quotes.
is_shown_as_by_llvm() {
    local yaml name
    ln -s "$anneal" llvm-profdata-23
    ln -s "$anneal" llvm-profdata-19
    for yaml in "$golden"/*.yaml.gz; do
        name=$(basename "$yaml" .yaml.gz)
        gzip -dc "$yaml" >expected
        run 0 ./llvm-profdata-23 show --memory "$golden/$name.profdata"
        same out expected
        run 0 "$anneal" show --memory -o ours "$golden/$name.profdata"
        same ours expected
    done
    run 1 ./llvm-profdata-19 show --memory "$golden/19-run1-v3.profdata"
    says 'invalid instrumentation profile data (bad magic)'
    run 0 "$anneal" merge -q -o counts "$corpus/raw/c-ir-clang19-run1.profraw"
    run 1 "$anneal" show --memory -o ours counts
    says 'counts: an indexed profile without a memory profile'
    same ours expected # which stays
    patch "$golden/23-words-v4.profdata" 1040 '\xff'
    run 1 "$anneal" show --memory bad
    says 'name section does not decompress'
}

check 'one profile keeps its bytes, in all versions' keeps_one
check 'one is shown as by llvm-profdata' is_shown_as_by_llvm
check 'several are merged as by llvm-profdata, where that loses nothing' adds_up_as_llvm
check 'several in any order have all allocations and call sites' loses_nothing
check 'threads change nothing' does_not_depend_on_threads
check 'a memory profile alone goes with counts of any kind' stands_beside_counts
check 'the newest version stays, unless the compiler does not read it' chooses_the_version
check 'what cannot hold a memory profile says so' says_what_is_left_out
check 'different data accesses are not merged' accesses_are_of_one
check 'damage is reported, and the old result stays' rejects_damage
check_with clang++-19 'clang makes the same of it as of what llvm-profdata wrote' is_used_by_clang
finish
