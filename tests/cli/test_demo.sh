#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The two demos of `make demo`: what they print and leave behind. Whether there was a gain is not judged here:
# it depends on what else the machine does.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
tier long
examples=$(realpath "$tests/../examples")
work=$scratch/work

is_svg() {
    python3 -c 'import sys, xml.dom.minidom
top = xml.dom.minidom.parse(sys.argv[1]).documentElement
assert top.tagName == "svg", top.tagName
print(len([p for p in top.getElementsByTagName("path") if p.getAttribute("class") == "mark"]))' "$1"
}

# fits LINES: on a screen of 100 columns, leaving room for the other part
fits() {
    [ "$(wc -l <out)" -le "$1" ] || fail "$(wc -l <out) lines:" "$(cat out)"
    ! grep -E '^.{101}' out || fail 'lines are too long'
}

says_one_of() {
    grep -qE "$1" out || fail "no verdict:" "$(cat out)"
}

trains_and_rebuilds() {
    run 0 "$examples/demo.sh" "$anneal" "$work"
    prints 'Profile-guided optimization' 'training: 64 processes' 'anneal merge' \
        'both builds print the same' 'quicksort'
    says_one_of '^(The build with the profile takes [0-9.]+% less time|No gain can be told from noise)'
    fits 12
    expect "$(cat err)" ''
    expect "$(find "$work/raw" -name '*.profraw' | wc -l)" 64
    grep -q -- -fprofile-use= "$work/demo.log"
}

gives_new_code() {
    cp "$scratch/live.out" out
    prints 'MariaDB as Debian compiled it' 'branches recorded, llvm-bolt took' '--keep-anyway' \
        'it took turns with the original: ' \
        '1  after' 'anneal live begins to record' '2  after' 'the new layout is in the process' \
        '3  after' 'it has its original code again' 'A: its original code' 'B: its original code' \
        'with the new layout' 'after the revert' 'the twin, which nobody touches'
    says_one_of '^(The same process, never restarted, now does [0-9.]+% more|A gain cannot be told from noise|The server hardly ran)'
    fits 33
    expect "$(cat "$scratch/live.err")" ''
}

draws_it() {
    expect "$(is_svg "$work/live.svg")" 3
    [ "$(wc -l <"$work/samples")" -gt 60 ] || fail "$(wc -l <"$work/samples") samples"
}

leaves_nothing_behind() {
    local process file
    for file in data socket twin-data twin-socket; do
        [ ! -e "$work/$file" ] || fail "$file is still there"
    done
    for process in /proc/[0-9]*; do
        [[ "$(readlink "$process/exe" || :)" != "$work"/* ]] || fail "${process#/proc/} still runs"
    done
}

# The chart on the terminal, while it grows, and the picture, of whatever there is; with a twin, and without one.
draws_few_samples() {
    local number columns
    printf '1 0 begins\n2 1 new <code>\n' | sed 's/[<>]//g' >marks
    for columns in 3 5; do
        for number in 0 1 2 3 9; do
            awk -v n=$number 'BEGIN { for (; i < n; i++) print i / 4, i * 100, i / 5, i * 80, i / 5 }' |
                cut -d ' ' -f "1-$columns" >samples
            is_svg <(awk -f "$examples/picture.awk" marks samples) >/dev/null
            run 0 awk -v spark=1 -v lines=1 -v width=80 -f "$examples/chart.awk" marks samples
            run 0 awk -f "$examples/chart.awk" marks samples
        done
        prints '1  after 0.0 s: begins' '2  after 0.2 s: new code'
        expect "$(grep -c '~  the twin' out || :)" $((columns == 5))
    done
}

# Neither installed nor to be had: said in a line, and no failure.
does_without_mariadb() {
    local tool
    mkdir bin
    for tool in apt-get apt-cache; do
        printf '#!/bin/sh\nexit 100\n' >bin/$tool
        chmod +x bin/$tool
    done
    PATH=$PWD/bin:$PATH run 0 "$examples/live-demo.sh" "$anneal"
    prints 'left out' 'apt-get cannot fetch it'
    expect "$(wc -l <out)" 1
}

bolt=/usr/lib/llvm-19/bin/llvm-bolt
check_with 'clang-19' 'make demo trains a program and rebuilds it' trains_and_rebuilds
check 'the chart and the picture have few samples or many' draws_few_samples
if [ -e /usr/lib/x86_64-linux-gnu/libmariadbd.a ]; then
    skip 'make demo works without MariaDB' 'it is installed'
else
    check_with "$bolt gcc" 'make demo works without MariaDB' does_without_mariadb
fi
if have "$bolt" gcc && ! "$examples/live-demo.sh" "$anneal" "$work" >"$scratch/live.out" 2>"$scratch/live.err"; then
    check 'make demo gives a running server new code' fail "$(cat "$scratch/live.out" "$scratch/live.err")"
elif [ "${CI:-}" = true ] && { [ -n "$missing" ] || grep -q 'left out' "$scratch/live.out"; }; then
    check 'make demo gives a running server new code' fail "${missing:-$(cat "$scratch/live.out")}"
elif [ -n "$missing" ] || grep -q 'left out' "$scratch/live.out"; then
    skip 'make demo gives a running server new code' "${missing:-$(cat "$scratch/live.out")}"
else
    check 'make demo gives a running server new code' gives_new_code
    check 'make demo draws it' draws_it
    check 'make demo leaves no process behind' leaves_nothing_behind
fi
finish
