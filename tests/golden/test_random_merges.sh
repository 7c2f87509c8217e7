#!/usr/bin/env bash
# Merges of random inputs of the corpus with random weights and options, compared with
# llvm-profdata 19: the same exit status, the same bytes, the same warnings. ROUNDS (30) is how many;
# SEED (1) makes others.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

RANDOM=${SEED:-1}

# What both tools read (LLVM 22 and 23 write versions that 19 refuses). Left out: files that only one of them takes (see
# data/llvm/README.md), and
# text marked :fe, which the peer does not mix with unmarked front-end profiles. Coverage and counts, which LLVM 19 mixes, are
# in pools of their own.
pool() { # LEVEL COVERAGE
    cd "$corpus" || exit
    find raw indexed proftext -type f \( -name '*clang19*' -o -name '*.profdata' -o -name '*.proftext' \) |
        grep -vE 'clang2[23]|correlate|temporal-functionentry|basic_fe|proftext/bitmap|text-bitmap|mixed' |
        sort | while read -r file; do
        kind=$("$anneal" show --json --topn=0 "$file" 2>/dev/null |
            grep -oE '"(level|single_byte_coverage)": *[^,]*' | tr -d '\n ')
        [[ $kind != *"$1"*":$2" ]] || echo "$file"
    done
}

mapfile -t ir < <(pool IR false)
mapfile -t ir_coverage < <(pool IR true)
mapfile -t frontend < <(pool front-end false)
mapfile -t frontend_coverage < <(pool front-end true)
has_all_kinds() {
    [ ${#ir[@]} -gt 0 ] && [ ${#ir_coverage[@]} -gt 0 ] && [ ${#frontend[@]} -gt 0 ] && [ ${#frontend_coverage[@]} -gt 0 ]
}
check 'the corpus has inputs of all kinds' has_all_kinds
has_all_kinds || finish
weights=(1 1 1 1 2 3 10 1000)
options=('' '' --sparse --text --keep-vtable-symbols)

random_merge() {
    cd "$corpus"
    local status=0
    "$anneal" llvm-profdata merge "$@" -o "$OLDPWD/ours" 2>"$OLDPWD/ours.err" || status=$?
    local peer=0
    llvm-profdata-19 merge --num-threads=1 "$@" -o "$OLDPWD/theirs" 2>"$OLDPWD/theirs.err" || peer=$?
    cd "$OLDPWD"
    expect "$status" "$peer"
    [ "$peer" -eq 0 ] || return 0 # why an input was rejected is told in our own words
    same ours theirs
    same ours.err theirs.err
}

for ((round = 0; round < ${ROUNDS:-30}; round++)); do
    case $((RANDOM % 8)) in
    0) choice=("${ir_coverage[@]}") ;;
    1) choice=("${frontend_coverage[@]}") ;;
    [2-5]) choice=("${ir[@]}") ;;
    *) choice=("${frontend[@]}") ;;
    esac
    arguments=()
    option=${options[RANDOM % ${#options[@]}]}
    [ -z "$option" ] || arguments+=("$option")
    for ((n = RANDOM % 8; n >= 0; n--)); do
        file=${choice[RANDOM % ${#choice[@]}]}
        weight=${weights[RANDOM % ${#weights[@]}]}
        if [ "$weight" = 1 ]; then arguments+=("$file"); else arguments+=("--weighted-input=$weight,$file"); fi
    done
    check_with llvm-profdata-19 "merge ${arguments[*]}" random_merge "${arguments[@]}"
done
finish
