#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The first page: that it stays one, that its commands exist, all of them, and that the library's example
# compiles and runs.
#
# usage: test_readme.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
readme=$tests/../README.md
build=$(dirname "$anneal")/..

is_short() {
    lines=$(wc -l <"$readme")
    [ "$lines" -le 150 ] || fail "README.md has $lines lines; 150 are the most"
}

# Commands in code: "anneal NAME", and the names in the table of commands.
named() {
    {
        sed -n 's/^    anneal \([a-z+]*\) .*/\1/p' "$readme"
        sed -n '/^## Commands/,/^## Install/p' "$readme" | grep -oE '^\| \[[^|]*' | grep -oE '`[^`]*`' | tr -d '`'
    } | sort -u
}

names_commands() {
    local name
    [ "$(named | wc -l)" -gt 20 ] || fail 'hardly any command was found'
    for name in $(named); do
        run 0 "$anneal" help "$name"
        grep -q "^Usage: anneal $name" out || fail "there is no help for $name"
    done
}

# Titles of groups and names of commands, in their order: of the help, and of the README.
of_the_help() {
    sed -n 's/^\([A-Z][A-Za-z ]*\):$/\1/p; s/^  \([a-z][a-z+-]*\)  .*/\1/p' "$1"
    sed -n '/^Drop-in replacements:/,/^$/{s/^Drop.*: //;p}' "$1" | grep -oE '[a-z0-9]+(-[a-z]+)?'
}

of_the_readme() {
    sed -n '/^## Commands/,/^## Install/p' "$readme" |
        sed -n -e 's/^| \([A-Z][^|]*\) | |$/\1/p' -e 's/^| \(\[[^|]*\) |.*/\1/p' -e '/^Drop-in/p' |
        sed -e '/^Drop-in\|^\[/!b' -e 's/[^`]*`\([^`]*\)`[^`]*/\1\n/g' | grep .
}

is_grouped_as_the_help() {
    run 0 "$anneal" --help
    of_the_help out >help
    of_the_readme >readme
    [ "$(wc -l <help)" -gt 20 ] || fail 'hardly any command was found'
    same readme help
}

# The library in the build folder stands for the installed one, with and without arguments.
example_runs() {
    sed -n '/^```c$/,/^```$/{/^```/d;p}' "$readme" >example.c
    [ -s example.c ] || fail 'there is no example'
    run 0 gcc -std=c17 -Wall -Wextra -Werror -I"$tests/../include" -o example example.c -L"$build/lib" -lanneal
    export LD_LIBRARY_PATH=$build/lib
    run 0 ./example "$corpus/indexed/c-ir-clang13.merged.profdata" "$corpus/indexed/c-ir-clang14.merged.profdata"
    grep -qE '^[1-9][0-9]* functions, total count [1-9]' out
    run 2 ./example
    says 'usage: '
    run 1 ./example no-such-file "$corpus/indexed/c-ir-clang13.merged.profdata"
    says 'no-such-file'
}

# A link of the index leads to each page, so that none is lost.
index_is_complete() {
    local page docs=$tests/../docs
    for page in "$docs"/*/*.md; do
        grep -qF "](${page#"$docs/"})" "$docs/README.md" || fail "docs/README.md has no link to ${page#"$docs/"}"
    done
}

# The table of folders in tests/README.md has all that are there, and no others.
tests_are_described() {
    local folder
    (cd "$tests" && printf '%s\n' */) | sort >folders
    sed -n 's/^| \(`[^|]*`\) |.*/\1/p' "$tests/README.md" | grep -oE '`[a-z]+/`' | tr -d '`' | sort >described
    diff folders described >differences || fail "$(cat differences)"
    for folder in $(cat folders); do
        expect "$(grep -c "^| .*\`$folder\`" "$tests/README.md")" 1
    done
}

check 'README.md has at most 150 lines' is_short
check 'its commands exist' names_commands
check 'it has every command, in the groups of the help' is_grouped_as_the_help
check_with gcc 'its example compiles and runs' example_runs
check 'the index of docs/ has every page' index_is_complete
check 'the folders of tests/ are described' tests_are_described
finish
