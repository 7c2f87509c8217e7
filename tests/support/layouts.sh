# SPDX-License-Identifier: Apache-2.0
#
# Code layouts of one program, each made by llvm-bolt from the original, with its new code at an
# address of its own, so that all of them fit into one process. Sourced by tests; $walk is the
# program of bench/walk.
#
#     make_layouts ORIGINAL COUNT [WALK OPTION]...
#
# makes ORIGINAL.c1, ORIGINAL.c2, ... and beside them the profiles ORIGINAL.fdata1, ... that they are
# for, of different ways through the program (seeds 1, 2, ...). ORIGINAL must have been linked with
# -Wl,-q. The layouts are sparse files: much larger than what they take on disk.
#
# shellcheck shell=bash disable=SC2154

layouts_bolt=/usr/lib/llvm-19/bin
layouts_helper=$(dirname "${BASH_SOURCE[0]}")/place_layout.py

# layout_profile ORIGINAL SEED OUTPUT [WALK OPTION]...: fdata of a walk through the original
layout_profile() {
    local original=$1 seed=$2 output=$3
    shift 3
    "$walk" -o "$output.data" -b 31 --seed "$seed" "$@" "$original" 2>"$output.log" &&
        "$layouts_bolt/perf2bolt" -p "$output.data" -o "$output" "$original" >>"$output.log" 2>&1 &&
        rm "$output.data" "$output.log"
}

# make_layout ORIGINAL PROFILE ADDRESS OUTPUT
make_layout() {
    local original=$1 profile=$2 address=$3 output=$4
    python3 "$layouts_helper" place "$original" "$address" "$output.placed" &&
        "$layouts_bolt/llvm-bolt" "$output.placed" -o "$output" -data="$profile" \
            -reorder-blocks=ext-tsp -reorder-functions=cdsort -split-functions -split-all-cold \
            --enable-bat --lite --jump-tables=move >"$output.log" 2>&1 &&
        rm "$output.placed" "$output.log"
}

make_layouts() {
    local original=$1 count=$2 address layouts=() i
    shift 2
    address=$(python3 "$layouts_helper" room "$original") || return
    for ((i = 1; i <= count; i++)); do
        layout_profile "$original" "$i" "$original.fdata$i" -n 20000 "$@" || return
        make_layout "$original" "$original.fdata$i" $((address * i)) "$original.c$i" || return
        layouts+=("$original.c$i")
    done
    python3 "$layouts_helper" check "$original" "${layouts[@]}"
}
