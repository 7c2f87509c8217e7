#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# BOLT's YAML profiles in all commands: what they write, what they refuse and how they say it; and against merge-fdata and
# perf2bolt, where those are.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

profiles=$tests/data/branch/yaml
bolt=/usr/lib/llvm-19/bin

# is PATH VALUE: what was printed has this value there
is() {
    expect "$(jq -c "$1" "$2")" "$3"
}

# merge-fdata loses calls of an instruction with several targets: 16 of 424 here, in one line.
merges() {
    sed 's/fid: 9, cnt: 408/fid: 9, cnt: 424/' "$profiles/merged.yaml" >expected
    run 0 "$anneal" merge -o result "$profiles/one.yaml" "$profiles/two.yaml"
    same result expected
    says 'merged 2 of 2 inputs: 11 functions, 27 blocks'
    run 0 "$anneal" merge -q "$profiles/one.yaml" "$profiles/two.yaml"
    same out expected
    [ ! -s err ]
    run 0 "$anneal" merge-fdata -o result "$profiles/one.yaml" "$profiles/two.yaml"
    same result expected
    run 0 "$anneal" merge -q -o twice "$profiles/one.yaml" "$profiles/one.yaml"
    run 0 "$anneal" merge -q -o weighted -w 2,"$profiles/one.yaml"
    same twice weighted
    run 0 "$anneal" merge -o result --json "$profiles/one.yaml" "$profiles/two.yaml"
    is '.inputs[0].format' out '"yaml"'
    is '.inputs | map(.status) | unique' out '["used"]'
}
check 'merging: sums, in the layout of merge-fdata' merges

from_folders() {
    mkdir -p in/deep
    cp "$profiles/one.yaml" in/one
    cp "$profiles/two.yaml" in/deep/two.profile
    echo 'key: value' >in/config.yaml
    run 0 "$anneal" merge -o result in
    says 'ignored 1 other file in the folders, such as in/config.yaml'
    run 0 "$anneal" merge -q -o expected "$profiles/two.yaml" "$profiles/one.yaml"
    same result expected
    run 0 "$anneal" merge -q -o result - <in/one
    run 0 "$anneal" merge -q -o expected in/one
    same result expected
}
check 'files in folders are found by what they contain' from_folders

filters() {
    run 0 "$anneal" merge -o result --function='^(main|choose)$' "$profiles/one.yaml"
    says 'left out 9 of 11 functions'
    expect "$(grep -c ' name: ' result)" 2
    run 1 "$anneal" merge -o none --function='^no such' "$profiles/one.yaml"
    says 'the filters leave no function'
    [ ! -e none ]
}
check 'functions are chosen by their names' filters

refuses() {
    head -n -1 "$profiles/one.yaml" >short
    head -c 3000 "$profiles/one.yaml" >torn
    sed 's/hash: *0x.*/hash: 0x1/' "$profiles/two.yaml" >stale
    sed 's/xxh3/std-hash/' "$profiles/two.yaml" >hashed
    sed 's/nblocks: *18/&x/' "$profiles/two.yaml" >number
    echo old >result
    local file words
    while read -r file words; do
        run 1 "$anneal" merge -o result "$profiles/one.yaml" "$file"
        says "$file: $words"
        says 'nothing written: 1 of 2 inputs rejected'
        expect "$(<result)" old
        run 1 "$anneal" merge-fdata -o result "$profiles/one.yaml" "$file"
        says "$file: $words"
        expect "$(<result)" old
    done <<'END'
short at byte
torn at byte
stale _init: another hash than in the inputs before it
hashed hash-func is std-hash, but xxh3 in the inputs before it
number line 138: expected a number of at most 4294967295
END
    run 0 "$anneal" merge --failure-mode=all -q -o result "$profiles/one.yaml" short stale
    run 0 "$anneal" merge -q -o expected "$profiles/one.yaml"
    same result expected
    run 2 "$anneal" merge --partial -o result "$profiles/one.yaml"
    says 'the inputs are BOLT profiles (YAML)'
    run 1 "$anneal" show short
    says "the file ends without the line '...'"
}
check 'what does not fit is refused, and the result stays' refuses

mixtures() {
    local fdata=$tests/data/branch/fdata/branches-1.fdata
    run 1 "$anneal" merge --failure-mode=warn -o result "$profiles/one.yaml" "$fdata"
    says 'one.yaml is a BOLT profile (YAML), ' 'branches-1.fdata a BOLT profile (fdata)'
    run 1 "$anneal" merge-fdata -o result "$profiles/one.yaml" "$fdata"
    says "'$fdata': cannot mix YAML and legacy formats."
    run 1 "$anneal" merge-fdata -o result "$fdata" "$profiles/one.yaml"
    says "'$profiles/one.yaml': cannot mix YAML and legacy formats."
    run 1 "$anneal" merge -o result "$corpus/raw/c-fe-clang19-run1.profraw" "$profiles/one.yaml"
    run 1 "$anneal" convert -o result "$profiles/one.yaml"
    says 'of which there is one format only; llvm-bolt makes it of fdata'
    [ ! -e result ]
}
check 'formats are not mixed and not converted' mixtures

differing_headers() {
    sed 's/binary-name: .*/binary-name: other/; s/build-id: ../build-id: 00/' "$profiles/two.yaml" >other
    sed 's/off: 0x5, fid: 11,/& pp: 3,/' "$profiles/one.yaml" >probes
    run 0 "$anneal" merge -o result probes other
    says 'the inputs are of binaries of different names; the result names program'
    says 'the inputs have different build ids; the result has that of the first one'
    says 'left out the pseudo probes of the inputs'
    run 0 "$anneal" merge-fdata -o result probes other
    says 'WARNING: merging profile from a binary for other into a profile for binary program'
    says 'WARNING: build-ids in merged profiles do not match'
}
check 'other headers are said' differing_headers

shows() {
    run 0 "$anneal" show "$profiles/one.yaml"
    prints 'one.yaml: BOLT profile (YAML), branch records (lbr), '
    prints 'blocks are numbered by address, and hashed by xxh3'
    prints '11 functions, 11 of them with counts, in '
    run 0 "$anneal" show --function='^main$' --counts "$profiles/one.yaml"
    prints '+0x5 calls choose'
    run 0 "$anneal" show --json --function='^main$' --counts "$profiles/one.yaml"
    is '.functions[0].name' out '"main"'
    is '.functions[0].counts[2].calls[0] | .offset, .count' out "5
2000"
    is '.profile.hash_function, .profile.dfs_order, .profile.flags' out '"xxh3"
false
["lbr"]'
    is '.profile.total_count == .profile.branches + .profile.calls' out true
    run 0 "$anneal" show "$profiles/samples.yaml"
    prints 'samples without branch records (sample)'
    prints '11,083 samples'
    run 2 "$anneal" show --text "$profiles/one.yaml"
    says 'this is a BOLT profile (YAML)'
}
check 'showing: for people and as JSON' shows

differs() {
    run 0 "$anneal" diff "$profiles/one.yaml" "$profiles/one.yaml"
    prints '100.000%  overlap of counts'
    run 0 "$anneal" diff --json "$profiles/one.yaml" "$profiles/two.yaml"
    is '.overlap > 0.5 and .overlap < 1' out true
    is '.functions_compared' out 6
    sed '/name: *choose/,/blocks/ s/hash: *0x..*/hash: 0x1/' "$profiles/one.yaml" >changed
    run 0 "$anneal" diff --json "$profiles/one.yaml" changed
    is '.overlap > 0.1 and .overlap < 0.7' out true
    run 1 "$anneal" diff "$profiles/one.yaml" "$profiles/samples.yaml"
    says 'one.yaml has branch records (lbr), ' 'samples.yaml has samples without them'
}
check 'differences: what both have in common' differs

orders() {
    run 0 "$anneal" order --hot -o order "$profiles/one.yaml"
    grep -qx main order
    grep -qx choose order
    run 1 "$anneal" order -o other "$profiles/one.yaml"
    says 'a branch profile, which does not record what ran first'
}
check 'order: what is hot, and what calls what' orders

# ---- against the peers ----

as_merge_fdata() {
    local how
    for how in -print=exec -print=branches -print=none; do
        run 0 "$bolt/merge-fdata" "$how" -q "$profiles/one.yaml,$profiles/two.yaml"
        cp err expected
        run 0 "$anneal" merge-fdata "$how" -q "$profiles/one.yaml,$profiles/two.yaml"
        same err expected
        [ ! -s out ]
    done
    # It forgets dfs-order and hash-func, and may leave a line without its end there.
    local file
    for file in one two aggregated samples; do
        "$bolt/merge-fdata" "$profiles/$file.yaml" 2>/dev/null | sed '1,/functions:/d' >expected
        run 0 "$anneal" merge-fdata "$profiles/$file.yaml"
        sed '1,/functions:/d' out >ours
        same ours expected
    done
}

# llvm-bolt takes all counts of anneal's merge.
used_by_bolt() {
    local program=$profiles/made/program
    run 0 "$anneal" merge -q -o merged.yaml "$profiles/aggregated.yaml" "$profiles/aggregated.yaml"
    run 0 "$bolt/llvm-bolt" "$program" -data=merged.yaml -o /dev/null
    ! grep -i stale out err
    prints 'have non-empty execution profile'
}

as_perf2bolt() {
    cp "$profiles/made/program" program # the profile has its name as it was given
    run 0 "$anneal" aggregate --pa -p "$profiles/made/counts" --yaml result program
    says 'wrote the profile in YAML to result'
    "$bolt/perf2bolt" -pa -p "$profiles/made/counts" -w expected -o /dev/null program >/dev/null 2>&1
    same result expected
    run 0 "$anneal" perf2bolt --pa -p "$profiles/made/counts" -w result2 -o fdata program
    same result2 expected
    run 0 "$anneal" aggregate -q --pa -p "$profiles/made/counts" -o expected.fdata program
    same fdata expected.fdata
    run 0 "$anneal" perf2bolt --pa -p "$profiles/made/counts" -o result3 --profile-format=yaml program
    same result3 expected
}

# What it says of functions, between anneal's account of the counts, and options that are for it.
words_of_bolt() {
    cp "$profiles/made/program" program
    local args=(--pa -p "$profiles/made/counts" -w profile program -o fdata -v=1 -profile-use-dfs)
    "$bolt/perf2bolt" "${args[@]}" >peer.out 2>peer.err
    mv profile expected
    run 0 "$anneal" perf2bolt "${args[@]}"
    same profile expected
    grep -v '^PERF2BOLT' peer.out | grep . >expected.out
    grep -v '^PERF2BOLT' out | grep . >found.out
    same found.out expected.out
    expect "$(grep -c '^PERF2BOLT: read' out)" 1
    grep -A100 '^PERF2BOLT: read' out | found '^BOLT-INFO: .*non-empty execution profile'
    run 0 "$anneal" perf2bolt "${args[@]}" -print-disasm -print-only=main
    prints 'Binary Function "main" after disassembly'
    run 0 "$anneal" perf2bolt --pa -p "$profiles/made/counts" -o fdata program
    never_says BOLT-INFO
    run 2 "$anneal" perf2bolt --pa "-p$profiles/made/counts" -o fdata program
    says "unknown option '-p"
}

# Of what lies outside of the program's functions, perf2bolt 19 keeps the addresses of pre-aggregated counts.
outside() {
    cp "$profiles/made/program" program
    local main
    main=$(nm program | awk '$3 == "main" { print $1 }')
    printf '%s\n' "B X:7f36d18d60c0 $main 2 0" "B 7f36d18d60c0 $main 3 1" "B X:7f36d18d60c8 $main 4 0" \
        "B $main 1 6 0" "B X:f0000001 $main 7 0" "B 0 $main 8 0" >counts
    run 0 "$bolt/perf2bolt" --pa -p counts -o expected program
    run 0 "$anneal" perf2bolt --pa -p counts -o found program
    sort expected >expected.sorted
    sort found >found.sorted
    same found.sorted expected.sorted
    run 0 "$anneal" aggregate -q --pa -p counts -o sums program
    expect "$(grep -c '^0 .unknown. 0 ' sums)" 1
}

wrong_bolt() {
    cp "$profiles/made/program" program
    echo old >result
    local args=(aggregate --pa -p "$profiles/made/counts" --yaml result program)
    run 1 "$anneal" "${args[@]}" --bolt=/no/llvm-bolt
    says 'no llvm-bolt at /no/llvm-bolt, which alone can make a YAML profile (install it'
    run 1 "$anneal" "${args[@]}" --bolt=/bin/true
    says '/bin/true: llvm-bolt made no profile'
    head -c 500 "$profiles/one.yaml" >half
    # shellcheck disable=SC2016
    printf '#!/bin/sh\ncat "%s" >"$5"\n' "$PWD/half" >half-bolt
    chmod +x half-bolt
    run 1 "$anneal" "${args[@]}" --bolt="$PWD/half-bolt"
    says "the file ends without the line '...'"
    expect "$(<result)" old
    run 2 "$anneal" aggregate --pa --to-pa -p "$profiles/made/counts" --yaml result program
    run 2 "$anneal" perf2bolt --pa -p "$profiles/made/counts" -o result --profile-format=text program
    expect "$(<result)" old
}
check 'without an llvm-bolt that works there is no profile' wrong_bolt

check_with "$bolt/merge-fdata" 'as merge-fdata 19, but for what it forgets' as_merge_fdata
check_with "$bolt/llvm-bolt" 'llvm-bolt uses what was merged' used_by_bolt
check_with "$bolt/perf2bolt" 'YAML profiles are the ones of perf2bolt' as_perf2bolt
check_with "$bolt/perf2bolt" 'as perf2bolt, with what llvm-bolt says' words_of_bolt
check_with "$bolt/perf2bolt" 'as perf2bolt, addresses outside of the program' outside

finish
