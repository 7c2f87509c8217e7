#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The pages of a report in a browser, and without one: see pages.py. The browser is started once.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

make_report=$(realpath "$2")
results=$scratch/results

# Each case leaves NAME.failed or NAME.passed.
look_at_pages() {
    mkdir -p "$results" "$scratch/report/src"
    "$make_report" "$scratch/report"
    PYTHONDONTWRITEBYTECODE=1 python3 "$tests/report/pages.py" "$scratch/report" "$results"
}

passed() {
    [ -e "$results/$1.passed" ] || fail "$(cat "$results/$1.failed")"
}

# page NAME CLAIM
page() {
    check_with 'python3 chromium' "$2" passed "$1"
}

check_with 'python3 chromium' 'a browser looks at a report' look_at_pages
page well_formed 'pages are well-formed, and ask for nothing that is not in the report'
page sorts 'columns sort, in each folder, with the mouse and with keys, and say so'
page folds 'folders close and open'
page searches_files 'the search finds files as one types, and forgets them'
page searches_functions 'the search finds functions, and their list sorts'
page links 'links lead to the pages of sources, whatever they are called'
page theme "light and dark: the system's choice, the switch, and that it is kept"
page lines 'lines have numbers, counts and colours that can be told apart'
page keys 'keys go to gaps, hot lines and next lines'
page branches 'branches come up on a click and with a key'
page instances 'an instance opens when the list of functions leads there'
page functions 'the list of functions sorts, is searched, and shows where one is'
page strip 'the strip leads to its place in the text'
page contrast 'text has a contrast of 4.5 to 1, light and dark'
page narrow 'nothing sticks out of a narrow window'
page without_scripts 'pages without scripts have everything to read'
page paper 'what is printed has all lines'
page copies "copied text is the source's"
finish
