#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Files that ask for more than their share: whatever is in them, twice the file costs at most about twice the
# work and twice the memory. Work is counted in instructions, so that it is the same on any machine.
#
# usage: test_costs.sh ANNEAL LOOK_UP INSIDE_COST
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
unset MALLOC_PERTURB_ # filling memory is no work of the program
binary=$tests/data/branch/binaries/shared
look_up=$(realpath "$2")
inside_cost=$(realpath "$3")

cost() {
    python3 "$tests/support/cost.py" "$@"
}

# costs MEASURE SLACK ONCE TWICE: the second is about twice the first at most, beside what any run costs
costs() {
    [ "$4" -le $((5 * $3 / 2 + $2)) ] || fail "$1: $3, and $4 for twice the input"
}

# grows SHAPE NUMBER WORD...: anneal WORD... reads the file `input`, and one that grows with it, if need be
grows() {
    local shape=$1 number=$2 i work=() memory=()
    shift 2
    echo 'B 401000 401001 1 0' >one
    for i in 1 2; do
        python3 "$tests/support/hostile.py" "$shape" $((i * number)) input
        python3 "$tests/support/hostile.py" runs $((i * number)) runs
        [[ $* != *apart* ]] || python3 "$tests/support/hostile.py" bat_apart $((i * number)) apart
        work+=("$(cost instructions "$anneal" "$@")")
        memory+=("$(cost memory "$anneal" "$@")")
    done
    echo "${work[*]} instructions, ${memory[*]} KiB, $(stat -c %s input) bytes"
    costs instructions 1000000 "${work[@]}"
    costs KiB 4000 "${memory[@]}"
}

# grows_in PROGRAM NUMBER: one that works on NUMBER of something
grows_in() {
    local i work=()
    for i in 1 2; do
        run 0 "$1" $((i * $2))
        work+=("$(cost instructions "$1" $((i * $2)))")
    done
    echo "${work[*]} instructions"
    costs instructions 1000000 "${work[@]}"
}

# costs_in_proportion CLAIM SHAPE NUMBER WORD...
costs_in_proportion() {
    local claim=$1
    shift
    check_with 'valgrind python3' "$claim" grows "$@"
}

for shape in names sources shared_names fragments section_names overlaps frames landing_pads jump_tables \
    colliding_names; do
    costs_in_proportion "ELF: ${shape//_/ }" elf_$shape 4000 aggregate --pa -p one -o out.fdata input
done
for shape in mappings remappings forks ended; do
    costs_in_proportion "perf.data: $shape" perf_$shape 2000 aggregate -p input -o out.fdata "$binary"
done
costs_in_proportion 'perf.data: inflated' perf_inflated 1000 aggregate -p input -o out.fdata "$binary"
costs_in_proportion 'perf script: mappings' script_mappings 4000 aggregate -p input -o out.fdata "$binary"
costs_in_proportion 'pre-aggregated' preaggregated 20000 aggregate -p input --pa -o out.fdata "$binary"
costs_in_proportion 'LLVM text: values of a site' text_values 20000 merge -o out input
costs_in_proportion 'LLVM text: versions of a function' text_hashes 10000 merge -o out input
costs_in_proportion 'LLVM text: hashes made to collide' text_colliding_hashes 10000 merge -o out input
costs_in_proportion 'fdata: names made to collide' fdata_colliding_names 10000 merge -o out input
costs_in_proportion 'fdata: mispredictions' fdata_mispredictions 20000 merge -o out input
costs_in_proportion 'console: blocks without ends' console_blocks 10000 extract --list input
costs_in_proportion 'console: files of the same names' console_words 5000 extract --list input
for shape in functions started counters versions names sites values vtables parts one_place; do
    costs_in_proportion "LLVM raw: ${shape//_/ }" raw_$shape 4000 merge -o out input
done
costs_in_proportion 'LLVM raw: parts, again' raw_parts 1000 merge -o out input input
for shape in functions blocks branches one_place; do
    costs_in_proportion "BAT: runs, ${shape//_/ }" bat_$shape 1000 aggregate --pa -p runs -o out.fdata input
done
costs_in_proportion 'BAT: all tables' bat_functions 4000 bat --dump-all --json input
costs_in_proportion 'BAT: a function of many parts' bat_functions 4000 bat --function=0x401000 input
costs_in_proportion 'BAT: symbols of one name' bat_same_names 1000 bat --function=f input
costs_in_proportion 'BAT: the way back, folded functions' bat_folded 1000 bat --from-original=0x401000 input
costs_in_proportion 'function map: names of one place' bat_pairs 1000 bat --function-map -o out apart input
costs_in_proportion 'function map: names of one place, with parts' bat_parts 1000 \
    bat --function-map -o out apart input

check_with 'valgrind python3' 'addresses of functions and virtual tables, in the runtime' \
    grows_in "$look_up" 4000
check_with 'valgrind python3' 'words on stacks of threads that stand still' grows_in "$inside_cost" 4000

finish
