#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The reference: every command has a page, every page the same sections, every option that a page explains exists, and
# the fields of every --json are described.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
docs=$tests/../docs
pages=$docs/reference

# commands: all of them, as the help lists them
commands() {
    run 0 "$anneal" help
    awk '/^  [a-z]/ && $1 != "help" { sub(",$", "", $1); print $1 }' out
}

# commands_of PAGE: those in its title
commands_of() {
    head -n 1 "$1" | { grep -oE 'anneal [a-z0-9+-]+' || true; } | cut -d' ' -f2
}

every_command_has_a_page() {
    for page in "$pages"/*.md; do
        commands_of "$page"
    done >described
    sed -n 's/^## \([a-z0-9-]*\)$/\1/p' "$pages/drop-in.md" >>described
    commands >commands
    [ "$(wc -l <commands)" -gt 15 ]
    while read -r command; do
        grep -qxF "$command" described || fail "no page for $command"
    done <commands
}

pages_have_the_same_sections() {
    printf '## %s\n' 'What for' 'Requirements' 'Example' 'Options that matter' >first
    printf '## %s\n' 'Limits' 'Exit status' >last
    for page in "$pages"/*.md; do
        grep '^## ' "$page" >sections
        head -n 4 sections | diff first - || fail "the first sections of $page"
        grep -xFf last sections | diff last - || fail "the last sections of $page"
        expect "$(tail -n 1 sections)" '## Exit status'
    done
}

# options_in PAGE: long options in the first column of its tables of options
options_in() {
    awk '/^## / { inside = /Options that matter/ } inside && /^\|/ { split($0, cell, " [|] "); print cell[1] }' "$1" |
        grep -oE -- '--[a-z][a-z-]*' | sort -u
}

options_exist() {
    local checked=0
    for page in "$pages"/*.md; do
        for command in $(commands_of "$page"); do
            run 0 "$anneal" help "$command"
            cat out
        done >help
        for option in $(options_in "$page"); do
            grep -qE -- "(^|[ ,\"'(])$option([^a-z-]|$)" help || fail "$page: there is no $option"
            checked=$((checked + 1))
        done
    done
    [ $checked -gt 100 ]
}

json_is_described() {
    for command in $(commands); do
        run 0 "$anneal" help "$command"
        if grep -qE '^ +(-j, )?--json ' out; then
            grep -q "^## anneal $command --json" "$docs/formats/json.md" || fail "json.md lacks $command"
        fi
    done
}

check 'every command has a page' every_command_has_a_page
check 'all pages have the same sections' pages_have_the_same_sections
check 'the options that pages explain exist' options_exist
check 'the fields of every --json are described' json_is_described
finish
