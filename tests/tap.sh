# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the shell tests; its first argument is the anneal program.
#
#     check 'what is claimed' function [argument]...
#
# runs the function in a new folder, with errexit on, and prints a line of TAP. What the function
# printed is shown when it fails. Inside, use run, says, expect, same and await (below).
#
# Each case belongs to one of two tiers, "check" and "long" (README.md). TIER says which cases this run
# takes; without it, all. Cases are of the tier "check", unless they come behind
#
#     tier long
#
# or need a tool that only the packages of the long tier bring (long_tools, below). What cases of both tiers
# build on comes behind `tier any`. TIERS has the tiers in
# which meson.build runs this script: a case that would be in none of them fails.
# shellcheck shell=bash

set -u -o pipefail
export LC_ALL=C
unset LLVM_PROFILE_FILE MAKEFLAGS MAKELEVEL MFLAGS # of whoever runs the tests

[ $# -ge 1 ] || { echo "usage: $0 ANNEAL"; exit 2; } >&2
anneal=$(realpath "$1")
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
corpus=$tests/data/llvm
scratch=$(mktemp -d "${TMPDIR:-/tmp}/anneal-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cases=0
failed=0
current_tier=check
not_judged=77 # exit status of a case

# Tests ask jq more than a thousand times, and gojq, which answers the same, takes a tenth of the time to start. It sorts the
# keys of objects: where a test compares whole objects as they are printed, it asks `command jq`.
if command -v gojq >/dev/null; then
    jq() {
        [ "$1" != -S ] || shift # which it does not know
        gojq "$@"
    }
fi

# tier NAME: of the cases that follow
tier() {
    current_tier=$1
}

# Tools of the packages that scripts/bootstrap installs for the long tier only.
long_tools='^(clang(\+\+)?-(1[3-6]|2[0-9])|llvm-(profdata|cov|bolt)-(1[3-6]|2[0-9])|g(cc|\+\+|cov|cov-tool|cov-dump)-11'
long_tools="$long_tools|.*/llvm-(1[3-6]|2[0-9])/.*|chromium|create_llvm_prof|cmake|ccache|mold|gdb|avr-(gcc|g\+\+|gcov)|musl-gcc|valgrind|go|ocamlopt"
long_tools="$long_tools|(arm-none-eabi|riscv64-unknown-elf)-.*|qemu-system-(arm|riscv64))\$"

# wanted TIER NAME: whether this run takes a case of TIER; one that no run would take fails
wanted() {
    [ "$1" != any ] || return 0
    case " ${TIERS:-check long} " in
    *" $1 "*) [ -z "${TIER:-}" ] || [ "$1" = "$TIER" ] ;;
    *)
        cases=$((cases + 1))
        failed=$((failed + 1))
        echo "not ok $cases - $2"
        echo "# the case is of the tier \"$1\", in which tests/meson.build does not run this script"
        return 1
        ;;
    esac
}

check() {
    wanted "$current_tier" "$1" || return 0
    local name=$1 output status
    shift
    cases=$((cases + 1))
    mkdir "$scratch/$cases"
    rm -f "$scratch/remarks" "$scratch/lack"
    output=$(
        cd "$scratch/$cases" || exit
        trap '[ $? -eq 0 ] || kill $(jobs -rp) 2>/dev/null || :' EXIT # what it left would be waited for
        set -e
        "$@" 2>&1
    )
    status=$?
    if [ $status -eq 0 ]; then
        echo "ok $cases - $name"
    elif [ $status -eq $not_judged ] && [ -s "$scratch/lack" ]; then
        echo "ok $cases - $name # SKIP not judged: machine busy ($(<"$scratch/lack"))"
    else
        echo "not ok $cases - $name"
        printf '%s\n' "$output" "(status $status)" | sed 's/^/# /' | sed -n 1,40p
        failed=$((failed + 1))
    fi
    [ ! -s "$scratch/remarks" ] || sed 's/^/# /' "$scratch/remarks"
    rm -rf "${scratch:?}/$cases"
}

# skip 'what is claimed' 'why not here'
skip() {
    wanted "$current_tier" "$1" || return 0
    cases=$((cases + 1))
    echo "ok $cases - $1 # SKIP $2"
}

# Where every tool has to be, a missing one is a failure; elsewhere it is a reason to skip.
# have TOOL...: true when all are installed; else remembers what is missing.
missing=
have() {
    local tool
    missing=
    for tool; do
        command -v "$tool" >/dev/null || missing="$missing $tool"
    done
    [ -z "$missing" ]
}

# check_with 'TOOL...' 'what is claimed' function [argument]...
check_with() {
    local tools=$1 tool packages=test current_tier=$current_tier
    shift
    for tool in $tools; do
        [[ ! $tool =~ $long_tools ]] || current_tier=long
    done
    [ "$current_tier" = check ] || packages=test-long
    # shellcheck disable=SC2086
    if have $tools; then
        check "$@"
    elif [ "${CI:-}" = true ]; then
        check "$1" fail "missing:$missing"
    else
        skip "$1" "missing:$missing; install: scripts/bootstrap $packages"
    fi
}

# no_terminal: why no terminal can be made here, as in a container without /dev/ptmx; nothing where one can
no_terminal() {
    python3 -c 'import os
try:
    os.openpty()
except OSError as error:
    print("no pseudo-terminal can be opened here:", error.strerror)'
}

# check_on_terminal 'what is claimed' function [argument]...: a case that runs support/terminal.py, or the like of it
check_on_terminal() {
    local why=
    ! have python3 || why=$(no_terminal)
    if [ -n "$why" ]; then
        skip "$1" "$why"
    else
        check_with python3 "$@"
    fi
}

# first, found GREP-ARGUMENT...: the first line, and whether there is such a line, of what is piped in. head
# and grep -q go when they know, and what still writes to them then dies of SIGPIPE, at times, for pipefail.
first() {
    sed -n 1p
}

found() {
    grep "$@" | cat >/dev/null
}

# A script that had no case to run in this tier has claimed nothing: that is no success, and no skip.
finish() {
    [ $cases -gt 0 ] || {
        cases=1 failed=1
        echo 'not ok 1 - has a case'
    }
    echo "1..$cases"
    [ $failed -eq 0 ]
    exit
}

# ---- inside a case ----

fail() {
    printf '%s\n' "$*"
    return 1
}

# Cases of the tier "long" that judge statistics say how many samples they had, judge when these are enough, and have the
# chance of a false alarm in their names.

# had TEXT: for whoever reads the log, also when the case passes
had() {
    printf 'had %s\n' "$*" >>"$scratch/remarks"
}

# judge_not TEXT: ends the case, which neither passes nor fails: the machine was too busy for it to have what it judges
judge_not() {
    [ "$current_tier" = long ] || {
        fail "only cases of the tier \"long\" depend on what the machine does: $*"
        return
    }
    printf '%s' "$*" | tr '\n' ' ' >"$scratch/lack"
    exit $not_judged
}

# await COMMAND...: until the command succeeds. What never comes is a failure after five minutes, in which it was looked for
# three thousand times: on a machine that does much else, a round of anneal live alone has taken one minute, and a
# virtual machine may stand still for some.
await() {
    local deadline=$((SECONDS + 300)) looks=0
    until "$@"; do
        looks=$((looks + 1))
        [ $SECONDS -lt $deadline ] || [ $looks -lt 3000 ] || {
            fail "waited five minutes in vain: $*"
            return
        }
        sleep 0.01 # between two looks
    done
}

# run STATUS COMMAND...: the command must exit so; its output is in the files out and err
run() {
    local expected=$1 status=0
    shift
    "$@" >out 2>err || status=$?
    [ $status -eq "$expected" ] ||
        fail "exit status $status, expected $expected: $*" "$(head -c 2000 err)"
}

# says TEXT..., never_says TEXT...: in err
says() {
    local text
    for text; do
        grep -qF -e "$text" err || fail "standard error has no \"$text\" but:" "$(head -c 2000 err)"
    done
}

never_says() {
    local text
    for text; do
        ! grep -qF -e "$text" err || fail "standard error has \"$text\":" "$(head -c 2000 err)"
    done
}

# prints TEXT...: in out
prints() {
    local text
    for text; do
        grep -qF -e "$text" out || fail "output has no \"$text\" but:" "$(head -c 2000 out)"
    done
}

# expect WORD EXPECTED
expect() {
    [ "$1" = "$2" ] || fail "'$1', expected '$2'"
}

# same FILE EXPECTED
same() {
    cmp -s "$1" "$2" || fail "$1 differs from $2:" "$(cmp "$1" "$2" 2>&1)" \
        "$(diff -a "$1" "$2" | sed -n 1,20p | tr -d '\000' | cut -c 1-200)"
}

# is_document FILE: one JSON document, or one in each line, that begin with the version of their shape
is_document() {
    python3 - "$1" <<'END_OF_PYTHON' || fail "$1 is no JSON document with a schema:" "$(head -c 500 "$1")"
import json, sys
text = open(sys.argv[1], encoding="utf-8").read()
try:
    documents = [json.loads(text)]
except json.JSONDecodeError:
    documents = [json.loads(line) for line in text.splitlines()]
sys.exit(not documents or any(list(d.items())[0] != ("schema", 1) for d in documents))
END_OF_PYTHON
}
