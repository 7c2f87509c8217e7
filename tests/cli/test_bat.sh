#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal bat: options, what is printed, exit status. Needs no BOLT: golden/test_bat.sh does.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

data=$tests/data/bat
elf=$data/shapes-llvm18.elf # a section and symbols, made by BOLT 18
map=$data/maps/shapes.map

sums_up() {
    run 0 "$anneal" bat "$elf"
    prints 'LLVM 18' 'Functions:       56' 'Cold fragments:  28' 'Function map:    none'
    run 0 "$anneal" bat --json "$elf"
    jq -e '.written_by == "LLVM 18" and .function_count == 56 and .cold_count == 28 and
        (has("functions") | not) and (has("map_record_count") | not)' out >/dev/null
}

dumps() {
    run 0 "$anneal" bat --dump-all "$elf"
    expect "$(sed -n 1,2p out)" 'BOLT-INFO: Parsed 84 BAT entries
BAT tables for 84 functions:'
    prints '28 cold mappings:'
    expect "$(grep -c '^Function Address' out)" 84
    entries=$(grep -c '^0x.* -> 0x' out)
    run 0 "$anneal" bat --json --dump-all "$elf" -o all.json
    expect "$(jq '[.functions[].entries | length] | add' all.json)" "$entries"
    expect "$(jq '[.functions[] | select(.cold)] | length' all.json)" 28
    expect "$(jq '[.functions[] | select(.cold and .name != null)
        | .name | test("\\.cold\\.0$")] | all' all.json)" true
}

# A cold fragment leads to the function whose name it carries: LLVM 18 does not say which that is.
links_by_names() {
    run 0 "$anneal" bat --json --dump-all "$elf"
    jq -e '(.functions | map({(.address): .name}) | add) as $names |
        [.functions[] | select(.cold) | [.name, $names[.parent] + ".cold.0"] | .[0] == .[1]] |
        length == 28 and all' out >/dev/null
}

takes_addresses() { # as LLVM does: hexadecimal, decimal, octal, binary
    local main
    main=$("$anneal" bat --json --function=main "$elf" | jq -r '.functions[0].address')
    run 0 "$anneal" bat --translate="$main" --translate=$((main)) --translate="0$(printf %o "$main")" \
        --translate="$(python3 -c 'import sys; print(bin(int(sys.argv[1], 16)))' "$main")" "$elf"
    expect "$(grep -c "^$main -> main + 0x0$" out)" 4
    run 0 "$anneal" bat --translate=0x10 "$elf"
    prints 'No function symbol found for 0x10'
    local wrong
    for wrong in 0x 12a -1 '' 0b12 08 99999999999999999999; do
        run 2 "$anneal" bat --translate="$wrong" "$elf"
        says "--translate=$wrong: not an address"
    done
}

finds_by_address() {
    run 0 "$anneal" bat --function=main "$elf"
    mv out expected
    local main
    main=$(sed -n '1s/Function Address: //p' expected)
    run 0 "$anneal" bat --function="$((main + 3))" "$elf"
    same out expected
    run 1 "$anneal" bat --function=0x10 "$elf"
    says "no function '0x10'"
    echo old >kept
    run 1 "$anneal" bat --function=0x10 -o kept "$elf"
    run 1 "$anneal" bat --json --function=0x10 -o kept "$elf"
    expect "$(cat kept)" old
}

shows_maps() {
    run 0 "$anneal" bat --show-function-map "$map"
    expect "$(sed -n 1,2p out)" 'Original build-id: none
Records: 91'
    expect "$(grep -c '^0x.* <- 0x.* size 0x' out)" 91
    expect "$(grep -c ' cold$' out)" 28
    run 0 "$anneal" bat --show-function-map --json "$map" -o map.json
    expect "$(jq '.records | length' map.json)" 91
    expect "$(jq '[.records[] | select(.cold)] | length' map.json)" 28
}

refuses() {
    run 1 "$anneal" bat no-such-file
    says 'no-such-file'
    run 1 "$anneal" bat "$map"
    says 'not an ELF file'
    run 1 "$anneal" bat "$anneal"
    says 'no address translation'
    run 1 "$anneal" bat --show-function-map "$elf"
    says 'no function map'
    run 1 "$anneal" bat --show-function-map "$data/README.md"
    says 'not a function map'
    head -c 500 "$map" >cut
    run 1 "$anneal" bat --show-function-map cut
    says 'cut: at byte 4'
    run 1 "$anneal" bat --from-original=0x1000 "$elf"
    says 'no function map'
}

wants_operands() {
    run 2 "$anneal" bat
    says 'expected one BOLTed binary, got 0'
    run 2 "$anneal" bat --function-map "$elf" -o map
    says 'expected the original and the BOLTed binary, got 1'
    run 2 "$anneal" bat --function-map "$elf" "$elf"
    says 'requires -o'
    run 2 "$anneal" bat --embed "$elf"
    says '--embed requires --function-map'
}

cuts_a_section() { # a damaged section is told with its place in the file
    cp "$elf" broken
    printf '\377\377\377\377' | dd of=broken bs=1 seek=200 conv=notrunc status=none
    run 1 "$anneal" bat broken
    says 'broken: at byte' 'LLVM'
}

check 'a summary' sums_up
check_with jq 'all tables' dumps
check_with jq 'cold fragments are linked by their names' links_by_names
check_with 'jq python3' 'addresses in every base' takes_addresses
check 'functions by name and by address' finds_by_address
check_with jq 'function maps' shows_maps
check 'other files' refuses
check 'operands' wants_operands
check 'a damaged section' cuts_a_section
finish
