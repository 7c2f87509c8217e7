#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Raw profiles of counters only (-mllvm -profile-correlate): completed by a binary or its debug information they become, byte
# for byte, what llvm-profdata makes of them; several find theirs; and what does not fit is refused.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

cp "$corpus"/src/ops* "$scratch"
ln -s "$anneal" "$scratch/llvm-profdata"

# program NAME WAY OPTION...: runs it, too. Programs in which clang counts values and has a binary's data do not run.
program() {
    local name=$1 way=$2
    shift 2
    (cd "$scratch" && clang-19 -O1 -mllvm -disable-vp=true -mllvm "-profile-correlate=$way" -Wl,--build-id "$@" \
        ops_main.c ops_util.c -o "$name" && LLVM_PROFILE_FILE=$name.profraw "./$name" 1 5 >"$name.out") 2>"$scratch/$name.err" ||
        fail "$(cat "$scratch/$name.err")"
}

makes() {
    program fe binary -fprofile-instr-generate
    program ir binary -fprofile-generate
    program fe-debug debug-info -g -fprofile-instr-generate
    program ir-debug debug-info -g -fprofile-generate
    program fe-debug4 debug-info -gdwarf-4 -fprofile-instr-generate
    program fe-packed debug-info -g -gz=zlib -fprofile-instr-generate
    [ "$(stat -c %s "$scratch/fe.profraw")" -lt 600 ] || fail 'not without data'
}

# as_the_peer NAME OPTION
as_the_peer() {
    run 0 llvm-profdata-19 merge "--$2=$scratch/$1" -o theirs "$scratch/$1.profraw"
    run 0 "$anneal" merge -q "--$2=$scratch/$1" -o ours "$scratch/$1.profraw"
    same ours theirs
    run 0 "$scratch/llvm-profdata" merge "-$2=$scratch/$1" -o ours "$scratch/$1.profraw"
    same ours theirs
}

apart() {
    objcopy --only-keep-debug "$scratch/fe-debug" fe.debug
    run 0 "$anneal" merge -q --debug-info=fe.debug -o ours "$scratch/fe-debug.profraw"
    run 0 llvm-profdata-19 merge --debug-info="$scratch/fe-debug" -o theirs "$scratch/fe-debug.profraw"
    same ours theirs
}

# Each of several, in one file, too; with a whole profile among them.
several() {
    cat "$scratch/fe.profraw" "$scratch/fe-debug.profraw" >two.profraw
    run 0 "$anneal" merge --text --binary-file="$scratch/ir" --debug-info="$scratch/fe-debug" --binary-file="$scratch/fe" \
        -o ours two.profraw "$scratch/fe-packed.profraw" --debug-info="$scratch/fe-packed" \
        "$corpus/raw/c-fe-clang19-run1.profraw"
    says 'merged 3 of 3 inputs'
    run 0 llvm-profdata-19 merge --binary-file="$scratch/fe" -o 1 "$scratch/fe.profraw"
    run 0 llvm-profdata-19 merge --debug-info="$scratch/fe-debug" -o 2 "$scratch/fe-debug.profraw"
    run 0 llvm-profdata-19 merge --debug-info="$scratch/fe-packed" -o 3 "$scratch/fe-packed.profraw"
    run 0 llvm-profdata-19 merge --text -o theirs 1 2 3 "$corpus/raw/c-fe-clang19-run1.profraw"
    sort ours >ours.sorted
    sort theirs >theirs.sorted
    same ours.sorted theirs.sorted
}

# Images of boards have counters among other data, and symbols for their limits.
by_symbols() {
    objcopy --rename-section __llvm_prf_cnts=.counters "$scratch/fe" image
    run 0 "$anneal" merge -q --binary-file=image -o ours "$scratch/fe.profraw"
    run 0 llvm-profdata-19 merge --binary-file="$scratch/fe" -o theirs "$scratch/fe.profraw"
    same ours theirs
    strip --strip-all image
    run 1 "$anneal" merge --binary-file=image -o ours "$scratch/fe.profraw"
    says 'no section __llvm_prf_cnts, nor symbols for its limits'
}

refuses() {
    echo old >ours
    run 1 "$anneal" merge -o ours "$scratch/fe.profraw"
    says 'merge it with --binary-file or --debug-info'
    run 1 "$anneal" merge --binary-file="$scratch/ir" -o ours "$scratch/fe.profraw"
    says 'which no file given completes (name the very binary that ran'
    run 1 "$anneal" merge --binary-file="$scratch/fe-debug" -o ours "$scratch/fe-debug.profraw"
    says 'or try --debug-info'
    run 1 "$anneal" merge --binary-file="$scratch/fe.out" -o ours "$scratch/fe.profraw"
    says 'fe.out: at byte 0: not an ELF file'
    head -c 3000 "$scratch/fe" >short
    run 1 "$anneal" merge --binary-file=short -o ours "$scratch/fe.profraw"
    says 'short: '
    [ "$(cat ours)" = old ] || fail 'the older file is gone'
    objcopy --remove-section .note.gnu.build-id "$scratch/fe" one
    objcopy --remove-section .note.gnu.build-id "$scratch/fe-debug" other
    run 1 "$anneal" merge --binary-file=one --debug-info=other -o ours "$scratch/fe.profraw"
    says '2 of the files given may complete it'
}

# damage NAME OFFSET BYTES: of golden debug information, in .debug_info (at 0x1040)
damage() {
    cp "$corpus/correlate/dwarf5.so" "$1"
    printf '%b' "$3" | dd of="$1" bs=1 seek=$((0x1040 + $2)) conv=notrunc status=none
    run 1 "$anneal" merge --debug-info="$1" -o ours "$scratch/fe-debug.profraw"
    says "$1: at byte "
    says 'damaged debug information, in .debug_info'
}

refuses_damage() {
    damage version 4 '\x63\0'
    damage length 0 '\xff\x0f\0\0'
    damage ends-early 0 '\x80\0\0\0'
    damage entries 40 '\x7f\x7f\x7f\x7f'
}

shows() {
    run 0 llvm-profdata-19 show --debug-info "$scratch/fe-debug" --show-prof-sym-list --detailed-summary
    cp out theirs
    run 0 "$scratch/llvm-profdata" show --debug-info "$scratch/fe-debug" --show-prof-sym-list --detailed-summary
    same out theirs
}

check 'programs that leave counters only' makes
check 'by the binary, of the front end' as_the_peer fe binary-file
check 'by the binary, of IR' as_the_peer ir binary-file
check 'by debug information, of the front end' as_the_peer fe-debug debug-info
check 'by debug information, of IR' as_the_peer ir-debug debug-info
check 'by debug information of DWARF 4' as_the_peer fe-debug4 debug-info
check 'by compressed debug information' as_the_peer fe-packed debug-info
check 'by debug information that is kept apart' apart
check 'by the binary, without a section of counters' by_symbols
check 'each of several finds its own' several
check 'what does not fit is refused' refuses
check 'damaged debug information is refused' refuses_damage
check 'show --debug-info' shows
finish
