#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Each compiler and each llvm-bolt at hand, of this system or of the folder that scripts/compilers makes: what it counted is
# read as its own tools read it, merged as they merge it, and used by it with all counts; its objects count the
# same with anneal's runtime; and the lines are its own coverage tool's. docs/formats/supported.md has the table.
#
# usage: test_matrix.sh ANNEAL [STEP_RECORD WALK]
#
# COMPILERS='clang-23 gcc-16' takes only these.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
walk=${3:+$(realpath "$3")}
only=${COMPILERS:-}
unset COMPILERS GCOV_PREFIX GCOV_PREFIX_STRIP ANNEAL_PROFILE_FILE
tier long

# Root may use the folder of scripts/compilers.
root=
why='needs root, for chroot'
if [ "$(id -u)" -eq 0 ]; then
    root=$("$tests/../scripts/compilers" --path 2>/dev/null) || why='make them: scripts/compilers'
fi
rooted=
if [ "$root" ]; then
    rooted=$(mktemp -d "$root/tmp/anneal-test.XXXXXX")
    trap 'rm -rf "$scratch" "$rooted"' EXIT
fi

# in_root COMMAND...
in_root() {
    env PATH="$PATH:/usr/sbin:/sbin" chroot "$root" /usr/bin/env -i LC_ALL=C PATH=/usr/bin:/bin "$@"
}

# place_of TOOL...: "host" or "root", where all of these are; nothing else
place_of() {
    local tool
    if have "$@"; then
        echo host
    elif [ "$root" ]; then
        for tool; do
            in_root sh -c "command -v '$tool'" >/dev/null || return
        done
        echo root
    fi
}

# inside COMMAND...: where the compiler is; this folder is the same there
inside() {
    if [ "$place" = host ]; then
        "$@"
    else
        in_root sh -c 'cd "$0" && exec "$@"' "${PWD#"$root"}" "$@"
    fi
}

# in_place FUNCTION...: in a folder where the compiler can get at it
in_place() {
    if [ "$place" = root ]; then
        mkdir "$rooted/case"
        trap 'cd / && rm -rf "$rooted/case"' EXIT
        cd "$rooted/case"
    fi
    "$@"
}

# compiler NAME TOOL...: the one that the cells are about; its other tools have to be in the same place
compiler() {
    name=$1
    place=
    [ -z "$only" ] || found -w -e "$name" <<<"$only" || return 0
    place=$(place_of "$@")
    [ -z "$place" ] || echo "# $name is $(cd / && inside "$1" --version 2>&1 | sed -n 's/^.*\(version\|) \|LLVM version\|rustc\) *\([0-9][0-9.]*\).*/\2/p' | first)"
}

# cell WHAT FUNCTION...: of the compiler
cell() {
    [ -z "$only" ] || found -w -e "$name" <<<"$only" || return 0
    if [ "$place" ]; then
        check "$name: $1" in_place "${@:2}"
    else
        skip "$name: $1" "no $name here ($why)"
    fi
}

# runtime_options: to link with anneal's runtime in this folder
runtime_options() {
    cp "$("$anneal" rt --library)" libanneal_rt.a
    "$anneal" rt --ldflags | sed 's,[^ ]*/libanneal_rt.a,libanneal_rt.a,'
}

# line_counts: of the text of gcov or anneal cov: SOURCE LINE COUNT, for each line once
line_counts() {
    awk -F: '/^ *-: *0:Source:/ { source = $4; sub(".*/", "", source) }
        /^ *[^:]*: *[0-9]+:/ && $2 + 0 > 0 {
            gsub(" ", "", $1)
            sub("=====", "#####", $1)
            if (!seen[source, $2 + 0]++)
                print source, $2 + 0, $1
        }' | sort
}

# ---- LLVM ----

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
            run 0 inside env LLVM_PROFILE_FILE=$file setarch -R ./ours $run
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

for llvm in 14 16 19 20 21 22 23; do
    compiler "clang-$llvm" "llvm-profdata-$llvm" "llvm-cov-$llvm"
    [ "$llvm" != 20 ] || [ "$place" ] || continue
    cell 'read' llvm_read
    cell 'merged' llvm_merges
    cell 'used' llvm_uses
    cell 'runtime' llvm_runtime
    cell 'coverage' llvm_coverage
done

# ---- GCC ----

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

for gcc in 11 12 13 14 15 16; do
    compiler "gcc-$gcc" "g++-$gcc" "gcov-$gcc" "gcov-tool-$gcc"
    cell 'read' gcc_read
    cell 'merged' gcc_merges
    cell 'used' gcc_uses
    cell 'runtime' gcc_runtime
    cell 'coverage' gcc_coverage
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
        run 0 inside env LLVM_PROFILE_FILE=ours.profraw setarch -R ./ours $word
        [ ! -s err ] || fail "$(cat err)"
    done
    peer_merge theirs --text peer-*.profraw
    peer_merge ours.text --text ours.profraw
    sort theirs >expected
    sort ours.text >actual
    same actual expected
}

# rustc's own LLVM is one of these.
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

# ---- BOLT ----

# bolt TOOL ARGUMENT...: of this release
bolt() {
    inside "/usr/lib/llvm-$release/bin/$1" "${@:2}"
}

# recorded: a program, and two recordings of it, pre-aggregated: one.pa and two.pa
recorded() {
    local unit
    for unit in left.c right.c shapes.c; do
        gcc -w -O2 -fno-pie -fno-reorder-blocks-and-partition -c "$tests/data/branch/programs/$unit"
    done
    g++ -w -O2 -fno-pie -fno-reorder-blocks-and-partition -c "$tests/data/branch/programs/throws.cc"
    g++ -no-pie -Wl,-q -Wl,--build-id ./*.o -o program
    walked program
}

# walked PROGRAM
walked() {
    run 0 "$walk" -o one.data -n 2000 --gap 60 "$1"
    run 0 "$walk" -o two.data -n 1000 --gap 60 --seed 2 "$1"
    run 0 "$anneal" aggregate -q --to-pa -p one.data -o one.pa "$1"
    run 0 "$anneal" aggregate -q --to-pa -p two.data -o two.pa "$1"
}

# aggregated PROGRAM: one.theirs and so on, by perf2bolt, are the same as one.ours
aggregated() {
    local which
    for which in one two; do
        run 0 bolt perf2bolt -pa -p $which.pa -o $which.fdata "$1"
        sort $which.fdata >$which.theirs
        run 0 "$anneal" perf2bolt -pa -p $which.pa -o ours "$1"
        sort ours >$which.ours
        same $which.ours $which.theirs
        [ "$(wc -l <ours)" -ge 100 ] || fail "only $(wc -l <ours) records"
        # Of the recording itself.
        run 0 "$anneal" aggregate -q -p $which.data -o ours "$1"
        sort ours >ours.sorted
        same ours.sorted $which.theirs
    done
}

bolt_read() {
    recorded
    aggregated program
    run 0 "$anneal" show --json one.fdata
}

bolt_merges() {
    recorded
    aggregated program
    bolt merge-fdata one.fdata two.fdata 2>err | sort >theirs
    # Of a branch that one recording has with other mispredictions than the other, merge-fdata up to 19 has two lines.
    if [ "$release" -le 19 ]; then
        run 0 "$anneal" merge-fdata -o ours one.fdata two.fdata
    else
        run 0 "$anneal" merge -q -o ours one.fdata two.fdata
    fi
    sort ours >ours.sorted
    same ours.sorted theirs
    [ "$(wc -l <theirs)" -ge 100 ] || fail "only $(wc -l <theirs) records"
}

# optimized PROFILE OUTPUT OPTION...: by llvm-bolt, from and to the same names, which are in what it writes; its account of
# the profile is in OUTPUT.account
optimized() {
    cp "$1" profile
    run 0 bolt llvm-bolt program -o bolted -data=profile -reorder-blocks=ext-tsp -split-functions \
        -reorder-functions=cdsort "${@:3}"
    found -aE '[1-9][0-9]* out of [0-9]+ functions in the binary .* have non-empty' <out || fail "$(cat out err)"
    ! found -aiE 'mismatch|stale|unsupported' <out || fail "$(cat out)"
    mv bolted "$2"
    grep -a profile out >"$2.account"
}

# same_optimized OURS THEIRS: what llvm-bolt makes with these
same_optimized() {
    optimized "$1" ours.bolt
    optimized "$2" theirs.bolt
    same ours.bolt.account theirs.bolt.account
    same ours.bolt theirs.bolt
}

bolt_uses() {
    recorded
    aggregated program
    run 0 "$anneal" aggregate -q -p one.data -o ours program
    same_optimized ours one.fdata
    bolt merge-fdata one.fdata two.fdata >theirs 2>err || fail "$(cat err)"
    run 0 "$anneal" merge -q -o ours one.fdata two.fdata
    same_optimized ours theirs
}

# A recording of the optimized program, for the original.
bolt_translates() {
    recorded
    aggregated program
    optimized one.fdata moved -enable-bat
    run 0 "$anneal" bat moved
    walked moved
    aggregated moved
}

for release in 19 21 22 23; do
    compiler "llvm-bolt-$release" "/usr/lib/llvm-$release/bin/perf2bolt" "/usr/lib/llvm-$release/bin/merge-fdata"
    if [ -z "$walk" ]; then
        place=
        why='only programs for x86-64 are recorded'
    fi
    cell 'read' bolt_read
    cell 'merged' bolt_merges
    cell 'used' bolt_uses
    if [ "$release" -le 19 ]; then
        cell 'address translation' bolt_translates
    elif [ "$place" ]; then
        skip "$name: address translation" 'perf2bolt 21 and later count other runs in programs by llvm-bolt: docs/reference/drop-in.md'
    fi
done
finish
