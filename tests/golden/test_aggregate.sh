#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal aggregate against perf2bolt: the same records, and the same numbers in what both print, on
# recordings of programs that contain what makes finding basic blocks hard (data/branch/programs).
# Where anneal differs on purpose, a case says how.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
step_record=$(realpath "$2")
walk=$(realpath "$3")
llvm=/usr/lib/llvm-19/bin
programs=$tests/data/branch/programs
tools="gcc g++ clang-19 perf $llvm/perf2bolt $llvm/llvm-bolt"

# In some containers no process may be traced.
may_trace() {
    "$step_record" -o "$scratch/data" -n 1 -- true 2>/dev/null
}
may_trace && traceable=1 || traceable=

# build COMPILER OPTION...: makes the file program, once for all cases that want it so
build() {
    local made="$scratch/made/$*"
    if [ ! -e "$made/program" ]; then
        mkdir -p "$made"
        (cd "$made" && compile "$@")
    fi
    cp "$made/program" program
}

# compile COMPILER OPTION...: likewise, what programs have in common that differ in how they are linked
compile() {
    local cc=$1 cxx=${1/clang/clang++} unit option options=() objects
    [ "$cc" = gcc ] && cxx=g++
    for option in "${@:2}"; do
        case $option in
        -Wl,* | -pie | -no-pie | -static | -static-pie) ;;
        *) options+=("$option") ;;
        esac
    done
    objects="$scratch/objects/$cc ${options[*]}"
    if [ ! -e "$objects/throws.cc.o" ]; then
        mkdir -p "$objects"
        for unit in shapes.c left.c right.c; do
            "$cc" -w "${options[@]}" -c "$programs/$unit" -o "$objects/$unit.o" || return
        done
        "$cxx" -w "${options[@]}" -c "$programs/throws.cc" -o "$objects/throws.cc.o" || return
    fi
    "$cxx" -w "${@:2}" -Wl,--build-id "$objects"/*.o -o program
}

# What both print: of processes, samples, traces, records and build-ids.
common_lines() {
    grep -ahE 'associated with|: read |mismatching|range|ignored|wrote|build-id (will|matched)|matched build' "$@" |
        sed 's/ to [^ ]*$//'
}

# compare DATA PROGRAM OPTION...: the same records, the same lines; leaves ours and peer
compare() {
    local data=$1 program=$2
    shift 2
    run 0 "$llvm/perf2bolt" -p "$data" -o peer "$program" "$@"
    common_lines out err | sort >peer.lines
    run 0 "$anneal" perf2bolt -p "$data" -o ours "$program" "$@"
    common_lines out err | sort >ours.lines
    sort peer >peer.sorted
    sort ours >ours.sorted
    same ours.sorted peer.sorted
    same ours.lines peer.lines
}

# For llvm-bolt both are profiles of the same functions. (Version 19 reads them, but then cannot
# write a position independent program that has an ifunc.)
same_for_bolt() {
    local profile
    for profile in ours peer; do
        "$llvm/llvm-bolt" "$1" -o bolted.again "-data=$profile" >bolt.log 2>&1 ||
            grep -q 'Offset overflow for dynamic relocation' bolt.log || fail "$(tail -n 3 bolt.log)"
        grep 'have non-empty execution profile' bolt.log >"$profile.functions"
    done
    same ours.functions peer.functions
}

# variant COMPILER OPTION...: walked, and recorded while it runs
variant() {
    build "$@"
    "$walk" -o data -n 2000 --gap 60 program 2>/dev/null
    compare data program
    [ "$(wc -l <ours)" -ge 150 ] || fail "only $(wc -l <ours) records"
    same_for_bolt program
    [ "$traceable" ] || return 0
    "$step_record" -o data -s 500 -n 60 -- ./program 100000 >/dev/null 2>&1
    compare data program
    [ "$(wc -l <ours)" -ge 50 ] || fail "only $(wc -l <ours) records of the recording"
}

check_with "$tools" 'gcc, fixed, relocations, parts of functions elsewhere' \
    variant gcc -O2 -fno-pie -no-pie -Wl,-q
check_with "$tools" 'gcc, fixed, without relocations' variant gcc -O2 -fno-pie -no-pie
check_with "$tools" 'gcc, position independent, relocations, for size' variant gcc -Os -fPIE -pie -Wl,-q
check_with "$tools" 'gcc, position independent, without relocations' variant gcc -O2 -fPIE -pie
check_with "$tools" 'gcc, functions in one piece, control-flow protection' \
    variant gcc -O2 -fno-pie -no-pie -Wl,-q -fno-reorder-blocks-and-partition -fcf-protection
check_with "$tools" 'gcc, static: with the assembly of the C library' \
    variant gcc -O2 -fno-pie -no-pie -Wl,-q -static
check_with "$tools" 'gcc, static, position independent' variant gcc -O1 -fPIE -static-pie -Wl,-q
check_with "$tools" 'clang, fixed, relocations' variant clang-19 -O2 -fno-pie -no-pie -Wl,-q
check_with "$tools" 'clang, position independent, relocations' variant clang-19 -O1 -fPIE -pie -Wl,-q
check_with "$tools" 'clang, position independent, without relocations' variant clang-19 -Os -fPIE -pie

# ---- processes and builds ----

fixed() {
    build gcc -O2 -fno-pie -no-pie -Wl,-q
}
independent() {
    build clang-19 -O2 -fPIE -pie -Wl,-q
}

several() {
    "$1"
    "$walk" -o data -n 900 --gap 60 --pids 3 program 2>/dev/null
    compare data program
    compare data program --pid 1001
    run 1 "$anneal" aggregate -p data -o none --pid 77 program
    says 'process 77 did not run program' '1000, 1001, 1002'
    [ ! -e none ]
}
check_with "$tools" 'three processes of a fixed program, and one of them' several fixed
check_with "$tools" 'three processes at different places, and one of them' several independent

# Children have what their parents had mapped; --pid is for one process alone. The time to the first
# window is spent in all of them.
forking() {
    cat >fork.c <<'EOP'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static unsigned volatile sum;
__attribute__((noinline)) static void work(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        switch (sum % 7) {
        case 0: sum += 3; break;
        case 1: sum ^= i; break;
        case 2: sum *= 5; break;
        case 3: sum -= i; break;
        case 4: sum >>= 1; break;
        default: sum++;
        }
}
int main(void)
{
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            work(120000000);
            _exit(0);
        }
    work(120000000);
    while (wait(NULL) > 0)
        ;
}
EOP
    gcc -O2 "$@" -Wl,-q -Wl,--build-id fork.c -o program
    "$step_record" -o data --follow-forks -s 1000 -n 60 -- ./program 2>/dev/null
    compare data program
    local pids pid
    pids=$(perf script -F pid -i data 2>/dev/null | sort -un)
    [ "$(wc -w <<<"$pids")" -ge 2 ] || fail "processes: $pids"
    for pid in $pids; do
        compare data program --pid "$pid"
    done
}
if [ "$traceable" ]; then
    check_with "$tools" 'forks of a fixed program' forking -fno-pie -no-pie
    check_with "$tools" 'forks of a position independent program' forking -fPIE -pie
else
    skip 'forks' 'processes may not be traced here'
fi

renamed() {
    fixed
    "$walk" -o data -n 300 --gap 60 program 2>/dev/null
    cp program other
    compare data other
    grep -q 'build-id matched a different file name' ours.lines
}
check_with "$tools" 'a program that was renamed since' renamed

other_build() {
    fixed
    "$walk" -o data -n 300 --gap 60 program 2>/dev/null
    rm program
    build gcc -O1 -fno-pie -no-pie -Wl,-q
    run 1 "$llvm/perf2bolt" -p data -o none program
    run 1 "$anneal" perf2bolt -p data -o none program
    says 'no file in the recording has the build-id of program' '--ignore-build-id'
    [ ! -e none ]
    compare data program --ignore-build-id
}
check_with "$tools" 'another build is refused, or taken when asked to' other_build

without_build_id() {
    build gcc -O2 -fno-pie -no-pie -Wl,-q
    "$walk" -o data -n 300 --gap 60 program 2>/dev/null
    objcopy --remove-section=.note.gnu.build-id program bare
    mkdir moved
    mv bare moved/program
    compare data moved/program
    grep -q 'build-id will not be checked' ours.lines
}
check_with "$tools objcopy" 'a program without a build-id' without_build_id

# ---- other ways to aggregate ----

# read_by_bolt PROFILE PROGRAM: llvm-bolt takes functions from it
read_by_bolt() {
    "$llvm/llvm-bolt" "$2" -o read.out -data="$1" >bolt.log 2>&1 || grep -q 'Offset overflow for dynamic' bolt.log ||
        fail "$(grep -a ERROR bolt.log)"
    found -aE '[1-9][0-9]* out of [0-9]+ functions in the binary .* have non-empty' <bolt.log
}

basic() {
    "$1"
    "$walk" -o data -n 2000 --gap 60 program 2>/dev/null
    compare data program -nl
    grep -q '^no_lbr cycles:u:$' ours
    read_by_bolt ours program
    run 0 "$anneal" aggregate -q --nl --to-pa -p data -o places program
    run 0 "$anneal" aggregate -q -p places -o again program
    same again ours
    sed -i '1i E cycles:u:\nE instructions:u:' places
    run 0 "$anneal" aggregate -q -p places -o events program
    expect "$(head -n 1 events)" 'no_lbr cycles:u: instructions:u:'
    same <(tail -n +2 events) <(tail -n +2 ours)
    read_by_bolt events program
    perf record -e cpu-clock:u -F 4000 -o clock -- ./program 100000 >/dev/null 2>&1 || return 0
    compare clock program -nl
    grep -q '^no_lbr cpu-clock:u:$' ours
}
check_with "$tools" 'samples without branches, of a fixed program' basic fixed
check_with "$tools" 'samples without branches, of a position independent one' basic independent

options() {
    fixed
    "$walk" -o data -n 500 --gap 60 program 2>/dev/null
    compare data program --ignore-interrupt-lbr=0
    compare data program --use-event-pc
    compare data program -ignore-interrupt-lbr=true
}
check_with "$tools" 'options' options

# ---- a program that llvm-bolt made ----

bolted() {
    build gcc -O2 -fno-pie -no-pie -Wl,-q -fno-reorder-blocks-and-partition
    "$walk" -o data -n 1000 --gap 60 program 2>/dev/null
    "$llvm/perf2bolt" -p data -o fdata program >/dev/null 2>&1
    "$llvm/llvm-bolt" program -o bolted -data=fdata -reorder-blocks=ext-tsp -split-functions \
        -reorder-functions=cdsort "$@" -enable-bat >/dev/null 2>&1
    "$walk" -o data -n 3000 --gap 60 bolted 2>/dev/null
    compare data bolted
    grep -q '^boltedcollection$' ours
    [ "$(wc -l <ours)" -ge 30 ] || fail "only $(wc -l <ours) records"
    same_for_bolt program
}
check_with "$tools" 'a bolted program' bolted
check_with "$tools" 'a bolted program, all that is cold split off' bolted -split-all-cold
check_with "$tools" 'a bolted program, every function split' bolted -split-strategy=all

# perf2bolt 19 gives samples in cold parts an offset from the beginning of the hot part, wherever
# that ends; anneal gives the place in the function. The samples are the same.
bolted_basic() {
    bolted -split-strategy=all
    "$llvm/perf2bolt" -p data -o peer -nl bolted >/dev/null 2>&1
    run 0 "$anneal" aggregate -p data -o ours -nl bolted
    awk 'NF == 4 { count[$2] += $4 } END { for (name in count) print name, count[name] }' peer | sort >peer.sums
    awk 'NF == 4 { count[$2] += $4 } END { for (name in count) print name, count[name] }' ours | sort >ours.sums
    same ours.sums peer.sums
    # The headers in perf2bolt's order are none for llvm-bolt.
    expect "$(head -n 2 ours)" 'no_lbr cycles:u:'$'\n'boltedcollection
    read_by_bolt ours program
    "$anneal" merge -q -o merged ours ours
    read_by_bolt merged program
    ! (read_by_bolt peer program) >/dev/null || fail 'llvm-bolt takes the headers of perf2bolt now'
}
check_with "$tools" 'samples without branches of a bolted program' bolted_basic
finish
