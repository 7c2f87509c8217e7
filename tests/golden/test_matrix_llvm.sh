#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Each clang at hand, and rustc: what its programs counted is read as its own tools read it, merged as they merge it, and used
# by it with all counts; its objects count the same with anneal's runtime; and the lines are its own coverage tool's.
#
# usage: test_matrix_llvm.sh ANNEAL
#
# COMPILERS='clang-22 clang-23' takes only these.
# shellcheck source=tests/golden/matrix.sh
. "$(dirname "$0")/matrix.sh" "$@"

# kind NAME: what is built, how it is counted and how the counts are used
kind() {
    driver=() sources=(ops_main.c ops_util.c) generate=(-fprofile-generate) use=-fprofile-use options=(-O1)
    case $1 in
    cxx-*) driver=(--driver-mode=g++) sources=(shapes_main.cpp shapes_other.cpp) ;;
    large-*) sources=(large.c) ;;
    loops-*) sources=(loops.c) ;;
    cond-*) sources=(cond.c) ;;
    esac
    case $1 in
    *-fe*) generate=(-fprofile-instr-generate) use=-fprofile-instr-use ;;
    esac
    case $1 in
    *-mcdc) generate+=(-fcoverage-mapping -fcoverage-mcdc) ;;
    *-entries) options+=(-mllvm -pgo-instrument-loop-entries) ;;
    *-block) options+=(-mllvm -pgo-block-coverage) ;;
    *-temporal) options+=(-mllvm -pgo-temporal-instrumentation) ;;
    *-vtable) options+=(-mllvm -enable-vtable-value-profiling) ;;
    esac
}

# kinds: what the release knows
kinds() {
    echo c-ir cxx-ir c-fe cxx-fe large-fe
    [ "$llvm" -lt 19 ] || echo cond-fe-mcdc c-ir-block c-ir-temporal cxx-ir-vtable
    [ "$llvm" -lt 20 ] || echo loops-ir-entries
}

# objects KIND: and the program of them with the compiler's own runtime
objects() {
    kind "$1"
    cp "$corpus"/src/* .
    rm -f ./*.o
    run 0 inside "clang-$llvm" "${driver[@]}" "${options[@]}" "${generate[@]}" -fPIE -c "${sources[@]}"
    run 0 inside "clang-$llvm" "${driver[@]}" "${options[@]}" "${generate[@]}" -pie ./*.o -o program
}

# runs KIND: leaves one.profraw and two.profraw
runs() {
    objects "$1"
    run 0 inside env LLVM_PROFILE_FILE=one.profraw setarch -R ./program 1 5
    run 0 inside env LLVM_PROFILE_FILE=two.profraw setarch -R ./program 2 10
}

# peer_merge OUTPUT OPTION... INPUT...
peer_merge() {
    run 0 inside "llvm-profdata-$llvm" merge --num-threads=1 -o "$@"
}

llvm_read() {
    local kind profile
    for kind in $(kinds); do
        runs "$kind"
        peer_merge both.profdata one.profraw two.profraw
        for profile in one.profraw two.profraw both.profdata; do
            peer_merge theirs --text $profile
            run 0 "$anneal" merge -q --text -o ours $profile
            same ours theirs
        done
        run 0 "$anneal" show --json one.profraw
    done
}

# same_profile OURS THEIRS: byte for byte; up to LLVM 18 the order of functions in a file is one of many
same_profile() {
    if [ "$llvm" -ge 19 ]; then
        same "$1" "$2"
    else
        peer_merge "$1.read" --text "$1"
        peer_merge "$2.read" --text "$2"
        same "$1.read" "$2.read"
    fi
}

llvm_merges() {
    local kind
    for kind in $(kinds); do
        runs "$kind"
        peer_merge theirs one.profraw two.profraw
        run 0 "$anneal" merge -q --for="clang-$llvm.1" -o ours one.profraw two.profraw
        same_profile ours theirs
        peer_merge theirs --weighted-input=3,one.profraw --weighted-input=7,two.profraw
        run 0 "$anneal" merge -q --for="clang-$llvm.1" -o ours -w 3,one.profraw -w 7,two.profraw
        same_profile ours theirs
    done
}

# compiles PROFILE OUTPUT: the sources of the kind to LLVM's assembly; any warning is an error
compiles() {
    local source
    : >"$2"
    for source in "${sources[@]}"; do
        run 0 inside "clang-$llvm" "${driver[@]}" "${options[@]}" -fPIE -Wall -Werror "$use=$1" -S -emit-llvm \
            -o part.ll "$source"
        [ ! -s err ] || fail "$(cat err)"
        cat part.ll >>"$2"
    done
}

llvm_uses() {
    local kind version=()
    [ "$llvm" -ge 19 ] || version=("--for=clang-$llvm.1") # newer ones take what is written by default
    for kind in $(kinds); do
        runs "$kind"
        peer_merge theirs one.profraw two.profraw
        run 0 "$anneal" merge "${version[@]}" -o ours one.profraw two.profraw
        never_says 'not find'
        compiles theirs theirs.ll
        found function_entry_count <theirs.ll || fail "$kind is not used"
        compiles ours ours.ll
        same ours.ll theirs.ll
        # And by way of text.
        peer_merge text --text theirs
        peer_merge theirs text
        run 0 "$anneal" merge -q --for="clang-$llvm.1" -o ours text
        same_profile ours theirs
        compiles ours ours.ll
    done
    [ "$llvm" -ge 19 ] || return 0
    # Contexts: the program of the first pass counts again.
    runs c-ir
    peer_merge base one.profraw two.profraw
    options=(-O2 "-fprofile-use=base") generate=(-fcs-profile-generate)
    run 0 inside "clang-$llvm" "${options[@]}" "${generate[@]}" "${sources[@]}" -o program
    run 0 inside env LLVM_PROFILE_FILE=three.profraw setarch -R ./program 2 10
    peer_merge theirs base three.profraw
    run 0 "$anneal" merge -q -o ours base three.profraw
    options=(-O2)
    compiles theirs theirs.ll
    compiles ours ours.ll
    same ours.ll theirs.ll
}

llvm_runtime() {
    local kind flags run file number=0
    flags=$(runtime_options)
    for kind in $(kinds); do
        runs "$kind"
        run 0 inside env LLVM_PROFILE_FILE=again.profraw setarch -R ./program 1 5
        case $kind in
        *-block) # of a block a file tells only whether it ran: as the compiler's own runtime adds up
            for run in '1 5' '2 10' '1 5'; do
                # shellcheck disable=SC2086 # words are meant
                run 0 inside env LLVM_PROFILE_FILE=pool-%m.profraw setarch -R ./program $run
            done
            peer_merge theirs --text pool-*.profraw
            ;;
        *) peer_merge theirs --text one.profraw two.profraw again.profraw ;;
        esac
        # shellcheck disable=SC2086 # words are meant
        run 0 inside "clang-$llvm" "${driver[@]}" -pie ./*.o -o ours $flags
        rm -f ours-*.profraw
        for run in '1 5' '2 10' '1 5'; do
            file=ours-all.profraw
            [[ $kind != *-temporal ]] || file=ours-$((++number)).profraw # a file has one trace
            # shellcheck disable=SC2086 # words are meant
            run 0 inside env ANNEAL_PROFILE_FILE=$file setarch -R ./ours $run
            [ ! -s err ] || fail "$(cat err)"
        done
        peer_merge ours.text --text ours-*.profraw
        sort theirs >expected
        sort ours.text >actual
        cmp -s actual expected || fail "$kind: $(diff actual expected | head -n 20)"
    done
}

llvm_coverage() {
    cp "$tests"/data/gcc/src/* .
    run 0 inside "clang-$llvm" --driver-mode=g++ -w --coverage -c flow.cpp
    run 0 inside "clang-$llvm" --driver-mode=g++ --coverage flow.o -o program
    run 0 inside ./program 7
    run 0 inside "llvm-cov-$llvm" gcov -t flow.o
    line_counts <out | grep '^flow' >theirs
    run 0 "$anneal" cov -t flow.gcno
    line_counts <out | grep '^flow' >ours
    [ "$(grep -c ' [0-9]*$' ours)" -ge 20 ] || fail "$(cat ours)"
    same ours theirs
}

llvm_writes() {
    runs c-ir >&2
    peer_merge one.profdata one.profraw >&2
    echo "raw $(word one.profraw 8), indexed $(word one.profdata 8)"
}

formats=llvm_writes
for llvm in $(releases clang 14 16 19 20 21 22 23); do
    compiler "clang-$llvm" "llvm-profdata-$llvm" "llvm-cov-$llvm"
    [ "$llvm" != 20 ] || [ "$place" ] || continue
    cell 'read' llvm_read
    cell 'merged' llvm_merges
    cell 'used' llvm_uses
    cell 'runtime' llvm_runtime
    cell 'coverage' llvm_coverage
done

# ---- Rust ----

rust_program() {
    cat >main.rs <<'END'
use std::collections::BTreeMap;

#[inline(never)]
fn largest<T: PartialOrd + Copy>(values: &[T]) -> T {
    let mut best = values[0];
    for &value in values {
        if value > best {
            best = value;
        }
    }
    best
}

trait Shape {
    fn area(&self) -> u32;
}
struct Square(u32);
struct Strip(u32, u32);
impl Shape for Square {
    fn area(&self) -> u32 {
        self.0 * self.0
    }
}
impl Shape for Strip {
    fn area(&self) -> u32 {
        self.0 * self.1
    }
}

fn main() {
    let rounds: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut seen = BTreeMap::new();
    let mut sum = 0;
    for i in 0..rounds {
        let shape: Box<dyn Shape> = if i % 3 == 0 { Box::new(Square(i)) } else { Box::new(Strip(i, 2)) };
        sum += shape.area();
        *seen.entry(i % 7).or_insert(0u32) += 1;
    }
    let counts: Vec<u32> = seen.values().copied().collect();
    println!("{} {} {}", sum, largest(&counts), largest(&[0.5, 2.5]));
}
END
    run 0 inside rustc -O -Ccodegen-units=1 -Cprofile-generate=. main.rs -o program
    run 0 inside env LLVM_PROFILE_FILE=one.profraw setarch -R ./program 100
    run 0 inside env LLVM_PROFILE_FILE=two.profraw setarch -R ./program 7
}

rust_read() {
    local profile
    rust_program
    peer_merge both.profdata one.profraw two.profraw
    for profile in one.profraw both.profdata; do
        peer_merge theirs --text $profile
        run 0 "$anneal" merge -q --text -o ours $profile
        same ours theirs
        found -E '^[1-9][0-9]*$' <ours || fail 'no counts'
    done
}

rust_merges() {
    rust_program
    peer_merge theirs one.profraw two.profraw
    run 0 "$anneal" merge -q --for="clang-$llvm.1" -o ours one.profraw two.profraw
    same ours theirs
}

rust_uses() {
    local which
    rust_program
    peer_merge theirs one.profraw two.profraw
    run 0 "$anneal" merge -q -o ours one.profraw two.profraw # as it is by default
    for which in ours theirs; do
        cp $which profile
        run 0 inside rustc -O -Ccodegen-units=1 -Cprofile-use=./profile --emit=llvm-ir main.rs -o $which.ll
        [ ! -s err ] || fail "$(cat err)"
    done
    same ours.ll theirs.ll
    found function_entry_count <ours.ll || fail 'the profile is not used'
}

# Of two languages in one profile.
rust_beside_clang() {
    rust_program
    mkdir clang
    (cd clang && runs c-ir)
    peer_merge theirs one.profraw clang/one.profraw
    run 0 "$anneal" merge -q --for="clang-$llvm.1" -o ours one.profraw clang/one.profraw
    same ours theirs
}

rust_runtime() {
    local flags arguments=() word
    rust_program
    flags="$(runtime_options) -lc" # which rustc names before it
    for word in $flags; do
        arguments+=("-Clink-arg=$word")
    done
    # What leaves out the runtime of rustc is an option of its unstable ones, under which names are other ones.
    run 0 inside env RUSTC_BOOTSTRAP=1 rustc -O -Ccodegen-units=1 -Csymbol-mangling-version=v0 -Cprofile-generate=. \
        main.rs -o program
    run 0 inside env RUSTC_BOOTSTRAP=1 rustc -O -Ccodegen-units=1 -Csymbol-mangling-version=v0 -Cprofile-generate=. \
        -Zno-profiler-runtime "${arguments[@]}" main.rs -o ours
    for word in 100 7 20; do
        run 0 inside env LLVM_PROFILE_FILE=peer-$word.profraw setarch -R ./program $word
        run 0 inside env ANNEAL_PROFILE_FILE=ours.profraw setarch -R ./ours $word
        [ ! -s err ] || fail "$(cat err)"
    done
    peer_merge theirs --text peer-*.profraw
    peer_merge ours.text --text ours.profraw
    sort theirs >expected
    sort ours.text >actual
    same actual expected
}

# rustc's own LLVM is one of these.
rust_writes() {
    rust_program >&2
    echo "raw $(word one.profraw 8)"
}

formats=rust_writes
name=rustc
for llvm in 24 23 22 21 20 19 18 17 16; do
    place=$(place_of rustc "llvm-profdata-$llvm" "clang-$llvm")
    if [ "$place" ] && (cd / && inside rustc -vV) | found "^LLVM version: $llvm\."; then
        compiler rustc "llvm-profdata-$llvm" "clang-$llvm"
        break
    fi
    place=
done
[ "$place" ] || why='with the tools of its LLVM'
cell 'read' rust_read
cell 'merged' rust_merges
cell 'used' rust_uses
cell 'runtime' rust_runtime
cell 'merged with profiles of clang' rust_beside_clang
finish
