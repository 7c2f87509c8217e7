#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Raw memory profiles (-fmemory-profile) through anneal merge and anneal show, beside what llvm-profdata 19 makes of them.
#
# usage: test_memprof_raw.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
golden=$corpus/memprof_raw
counts=$corpus/raw/c-ir-clang19-run1.profraw

# build NAME OPTION...: a program that leaves raw memory profiles
build() {
    local name=$1
    shift
    [ -e "$scratch/$name" ] || clang++-19 -O1 -fmemory-profile -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
        -fno-optimize-sibling-calls -Wl,--build-id "$@" "$corpus/src/memprof.cpp" -o "$scratch/$name"
}

# profile FILE PROGRAM [ARGUMENT]...
profile() {
    local file=$1 program=$2
    shift 2
    rm -f "$file".*
    MEMPROF_OPTIONS=print_text=0:log_path=$PWD/$file "$scratch/$program" "$@" >messages 2>&1 || fail "$program failed" "$(cat messages)"
    mv "$file".* "$file"
}

builds() {
    build fixed -g -no-pie -Wl,-z,noseparate-code
    build movable -g -pie
}

# merged PROGRAM INPUT [OPTION]...: the same bytes by both
merged() {
    local program=$scratch/$1 input=$2
    shift 2
    llvm-profdata-19 merge --profiled-binary "$program" "$@" -o peers "$input"
    run 0 "$anneal" llvm-profdata merge --profiled-binary "$program" "$@" -o ours "$input"
    same ours peers
}

is_merged_as_by_llvm() {
    local program version
    builds
    for program in fixed movable; do
        profile raw $program
        merged $program raw
        for version in 0 1 2 3; do
            merged $program raw --memprof-version=$version
        done
        for version in 2 3; do
            merged $program raw --memprof-version=$version --memprof-full-schema
        done
    done
}

knows_all_debug_information() {
    local options
    for options in -gmlt -gdwarf-4 '-g -gsplit-dwarf' '-g -fdebug-info-for-profiling -gz' \
        '-g -O3 -ffunction-sections -funique-internal-linkage-names'; do
        rm -f "$scratch/other"
        # shellcheck disable=SC2086
        build other $options
        profile raw other
        merged other raw --memprof-version=2
        merged other raw --memprof-version=3
    done
}

adds_runs_up() {
    builds
    profile one movable again
    profile two movable again
    cp one three
    local version threads
    for version in 2 3; do
        llvm-profdata-19 merge --profiled-binary "$scratch/movable" --memprof-version=$version --num-threads=3 -o peers one two three
        for threads in 1 3; do
            run 0 "$anneal" merge -q -j$threads --for=clang-19 --profiled-binary="$scratch/movable" --memprof-version=$version \
                -o ours one two three
            same ours peers
        done
    done
    cat one one >twice
    merged movable twice --memprof-version=2
}

stands_beside_counts() {
    builds
    profile raw fixed
    llvm-profdata-19 merge --profiled-binary "$scratch/fixed" --memprof-version=3 -o peers raw "$counts"
    run 0 "$anneal" merge -q --for=clang-19 --profiled-binary="$scratch/fixed" -o ours raw "$counts"
    same ours peers
    run 0 "$anneal" merge --for=clang-19 --profiled-binary="$scratch/fixed" -o ours "$counts" raw
    says 'memory profile of 13 functions'
    same ours peers
}

is_shown_as_by_llvm() {
    builds
    profile raw movable again
    llvm-profdata-19 show --memory --profiled-binary "$scratch/movable" raw >peers
    run 0 "$anneal" llvm-profdata show --memory --profiled-binary "$scratch/movable" raw
    same out peers
    run 0 "$anneal" show --memory --profiled-binary="$scratch/movable" -o ours raw
    sed '/^---$/d; /^#/d' ours >without_summary
    same without_summary peers
    expect "$(sed -n 3p ours)" '#   Total contexts: 8'
    run 1 "$anneal" llvm-profdata show --memory "$counts"
    says 'invalid instrumentation profile data (bad magic)'
    run 1 "$anneal" show --memory "$counts"
    says 'no memory profile'
}

finds_its_program() {
    builds
    profile raw movable
    profile other fixed
    run 0 "$anneal" merge -q --profiled-binary="$scratch/fixed" --profiled-binary="$scratch/movable" -o ours raw other
    run 0 "$anneal" show ours
    prints 'memory profile version 3, 13 functions with 18 allocations'
    local id
    id=$(readelf -n "$scratch/movable" | sed -n 's/.*Build ID: //p')
    run 1 "$anneal" merge -o ours raw --profiled-binary="$scratch/fixed"
    says "the program that left it was not named (name it by --profiled-binary; its build-id is $id)"
    run 1 "$anneal" show --memory raw
    says "its build-id is $id"
    run 1 "$anneal" merge -o ours raw
    says "its build-id is $id"
    run 1 "$anneal" merge -o ours raw --profiled-binary="$corpus/src/memprof.cpp"
    says 'not an ELF file'
    run 1 "$anneal" merge -o ours raw --profiled-binary=none
    says 'none: '
    objcopy -R .note.gnu.build-id "$scratch/movable" without
    run 1 "$anneal" merge -o ours raw --profiled-binary=without
    says 'program without a build-id (link it with --build-id)'
    strip -o stripped "$scratch/movable"
    run 1 "$anneal" merge -o ours raw --profiled-binary=stripped
    says 'build it with -g'
    run 0 "$anneal" llvm-profdata merge --profiled-binary=none -o ours "$counts"
}

leaves_it_out_of_partial_results() {
    builds
    profile raw fixed
    run 0 "$anneal" merge --partial --ledger=ledger --profiled-binary="$scratch/fixed" -o part raw "$counts"
    says 'with a memory profile, which partial results do not keep: left out'
    expect "$(jq '.inputs[0].memprof_bytes_left_out' ledger)" "$(stat -c %s raw)"
    run 0 "$anneal" merge -q -o ours part
    run 0 "$anneal" merge -q -o alone "$counts"
    same ours alone
}

# patch OFFSET BYTES: a copy of the profile as `bad`
patch() {
    cp raw bad
    printf '%b' "$2" | dd of=bad bs=1 seek="$1" conv=notrunc status=none
}

# rejects TEXT: what is said of `bad`
rejects() {
    run 1 "$anneal" merge -o ours --profiled-binary="$scratch/fixed" bad
    says "$1"
    run 1 "$anneal" show --memory --profiled-binary="$scratch/fixed" bad
    says "$1"
}

rejects_damage() {
    builds
    profile raw fixed
    local size i
    size=$(stat -c %s raw)
    patch 8 '\x09'
    rejects 'raw memory profile of version 9, expected 3 to 5'
    patch 16 '\x00\x00'
    rejects 'file ends within its raw memory profile'
    patch 24 '\xff\xff'
    rejects 'raw memory profile: segments that do not fit it'
    patch 48 '\x7f'
    rejects 'raw memory profile: segments that do not fit it'
    patch 80 '\x21'
    rejects 'raw memory profile: a build-id of more than 32 bytes'
    patch 39 '\x7f'
    rejects 'raw memory profile: measurements that do not fit it'
    patch 47 '\x7f'
    rejects 'raw memory profile: call stacks that do not fit it'
    { cat raw && echo tail; } >bad
    rejects 'raw memory profile: no other one follows it'
    { cat raw && head -c 100 raw; } >bad
    rejects 'file ends within its raw memory profile'
    for i in 20 47 48 200 $((size - 1)); do
        head -c "$i" raw >bad
        run 1 "$anneal" merge -o ours --profiled-binary="$scratch/fixed" bad
    done
}

# Of clang 19 and 22, beside what llvm-profdata of the same release made.
keeps_to_golden_files() {
    local release name version
    for release in 19 22; do
        ln -s "$anneal" llvm-profdata-$release
        for name in run1 run2 accesses; do
            local raw=$golden/$release-$name.memprofraw debug=$golden/$release.debug
            [ $name != accesses ] || debug=$golden/$release-accesses.debug
            for version in 2 3; do
                run 0 "$anneal" merge -q --for=clang-$release --profiled-binary="$debug" --memprof-version=$version -o ours "$raw"
                same ours "$golden/$release-$name-v$version.profdata"
            done
            run 0 ./llvm-profdata-$release show --memory --profiled-binary "$debug" "$raw"
            gzip -dc "$golden/$release-$name.yaml.gz" >expected
            same out expected
        done
        run 0 ./llvm-profdata-$release merge --profiled-binary "$golden/$release.debug" --memprof-version=2 \
            --memprof-full-schema -o ours "$golden/$release-run1.memprofraw"
        same ours "$golden/$release-run1-full.profdata"
    done
}

# LLVM 17 and 18 wrote version 3, which has no histograms.
reads_version_3() {
    local run version
    ln -s "$anneal" llvm-profdata-19
    for run in run1 run2; do
        python3 "$(dirname "$0")/../support/memprof_raw_3.py" "$golden/19-$run.memprofraw" old
        for version in 2 3; do
            run 0 "$anneal" merge -q --for=clang-19 --profiled-binary="$golden/19.debug" --memprof-version=$version -o ours old
            same ours "$golden/19-$run-v$version.profdata"
        done
        gzip -dc "$golden/19-$run.yaml.gz" | sed 's/^    Version: 4$/    Version: 3/' >expected
        run 0 ./llvm-profdata-19 show --memory --profiled-binary "$golden/19.debug" old
        same out expected
    done
}

# The golden program's debug information is compressed; several profiles need it.
reads_compressed_information_again() {
    local golden_runs=("$golden/19-run1.memprofraw" "$golden/19-run2.memprofraw")
    objcopy --decompress-debug-sections "$golden/19.debug" plain
    run 0 "$anneal" merge -q --profiled-binary=plain -o expected "${golden_runs[@]}"
    run 0 "$anneal" merge -q --profiled-binary="$golden/19.debug" -o ours "${golden_runs[@]}"
    same ours expected
    run 0 "$anneal" merge -q --profiled-binary="$golden/19.debug" -o single "${golden_runs[0]}"
    ! cmp -s ours single || fail 'the second run is not there'
}

# A partial result of memory profiles alone, raw or indexed ones, is of no kind of counts.
goes_with_any_counts() {
    local counts
    run 0 "$anneal" merge -q --partial --profiled-binary="$golden/19.debug" -o raw.partial "$golden/19-run1.memprofraw"
    run 0 "$anneal" merge -q --partial -o indexed.partial "$golden/19-run1-v3.profdata"
    for counts in c-ir-clang19-run1 c-fe-clang19-run1; do
        run 0 "$anneal" merge -q -o expected "$corpus/raw/$counts.profraw"
        run 0 "$anneal" merge -q -o ours raw.partial indexed.partial "$corpus/raw/$counts.profraw"
        same ours expected
        run 0 "$anneal" merge -q -o ours "$corpus/raw/$counts.profraw" raw.partial indexed.partial
        same ours expected
        run 0 "$anneal" merge -q --partial -o both.partial raw.partial indexed.partial
        run 0 "$anneal" merge -q -o ours both.partial "$corpus/raw/$counts.profraw"
        same ours expected
    done
}

check 'profiles by clang 19 and 22 become what llvm-profdata made of them' keeps_to_golden_files
check 'raw version 3 becomes what version 4 does' reads_version_3
check_with objcopy 'compressed debug information serves several profiles' reads_compressed_information_again
check 'a partial result of memory profiles goes with any counts' goes_with_any_counts
check_with 'clang++-19 llvm-profdata-19' 'a raw profile becomes what llvm-profdata makes of it' is_merged_as_by_llvm
check_with 'clang++-19 llvm-profdata-19' 'whatever kind of debug information the program has' knows_all_debug_information
check_with 'clang++-19 llvm-profdata-19' 'several runs, and several dumps of one, add up as by llvm-profdata' adds_runs_up
check_with 'clang++-19 llvm-profdata-19' 'it goes with counts' stands_beside_counts
check_with 'clang++-19 llvm-profdata-19' 'it is shown in the words of llvm-profdata' is_shown_as_by_llvm
check_with 'clang++-19 readelf objcopy strip' 'its program is found by the build-id' finds_its_program
check_with 'clang++-19' 'partial results say that they leave it out' leaves_it_out_of_partial_results
check_with 'clang++-19' 'damage is reported' rejects_damage
finish
