#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every guide works to the letter: its commands are run as they stand in the text, in their order, in an
# empty folder, with the installed program. script.awk says which blocks of a guide are commands.
#
# What a command prints is compared with the guide's text. A number stands for any number, any number of
# spaces for one, and "..." for anything: other compilers and machines print other figures.
#
# usage: test_guides.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/install.bash
. "$tests/install.bash"
here=$tests/docs
guides=$tests/../docs/guides

if ! have meson; then
    skip 'the guides' "missing:$missing; run scripts/bootstrap"
    finish
fi

# What stands in front of the commands of each guide; ONE is the guide, TWO its name in messages.
prologue() {
    cat <<'END'
set -eE
guide_text=$1 guide_name=$2 guide_output=$3

guide_says() { printf '%s:%s\n' "$guide_name" "$*" >&3; }
guide_failed() {
    guide_says "$1: exit status $2: $3"
    [ ! -s "$guide_output" ] || sed 's/^/    /' "$guide_output" >&3
    exit 1
}
trap 'guide_failed $LINENO $? "$BASH_COMMAND"' ERR

# Numbers and spaces as they are compared.
guide_plain() { sed -E 's/[0-9]+([,.][0-9]+)*/0/g; s/[[:space:]]+/ /g; s/^ //; s/ $//'; }

# printed LINE: the output of the command in LINE of the guide is what stands below it there
printed() {
    local expected actual pattern
    expected=$(awk -v first="$1" 'NR > first && !out && /^> / { next }
        NR > first && (/^\$ / || /^```/) { exit } NR > first { out = 1; print }' "$guide_text")
    actual=$(guide_plain <"$guide_output")
    pattern=$(guide_plain <<<"$expected" | sed 's/[][*?\\]/\\&/g; s/\.\.\./*/g')
    # shellcheck disable=SC2053 # a pattern
    if [[ $actual != $pattern ]]; then
        guide_says "$1: prints something else than the guide says:"
        diff <(echo "$expected") "$guide_output" | sed 's/^/    /' >&3
        exit 1
    fi
    : >"$guide_output"
}
END
}

# follow TEXT [NAME [BLOCK...]]: runs the commands of the guide TEXT, and of its blocks of that name
follow() {
    local text=$1 name=${2:-${1##*/}} with="${*:3}" status=0
    mkdir -p empty
    : >output
    prologue >prologue.sh
    awk -v with="$with" -f "$here/script.awk" "$text" >commands.sh
    # Sourced, so that lines are counted from its own first one.
    (
        cd empty
        bash -c '. ../prologue.sh "$@"; trap "kill \$(jobs -p) 2>/dev/null || :" EXIT; set --; . ../commands.sh' \
            guide "$text" "$name" "$PWD/../output" 3>../said >../printed 2>&1
    ) || status=$?
    [ $status -eq 0 ] || {
        cat said
        tail -n 10 printed | sed 's/^/    /'
        return 1
    }
}

# In a home with the program in it, as the first guide installs it.
at_home() {
    mkdir home
    ln -s "$prefix" home/.local
    HOME=$PWD/home follow "$@"
}

# The program is built and installed by the guide's own commands, from a copy of the sources.
from_sources() {
    mkdir -p home empty/anneal
    tar -C "$tests/.." --exclude=./.git --exclude='./build*' -cf - . | tar -C empty/anneal -xf -
    HOME=$PWD/home follow "$guides/first-session.md" docs/guides/first-session.md install
}

# with_path NAME [BLOCK...]: where the reader of all other guides has come, anneal is found.
with_path() {
    PATH=$prefix/bin:$PATH follow "$guides/$1.md" "docs/guides/$1.md" "${@:2}"
}

# then_cleaned COMMAND...: what anneal live keeps for processes that have ended is removed
then_cleaned() {
    local folder process status=0
    ("$@") || status=$?
    for folder in /var/tmp/anneal-"$(id -u)"/*-*; do
        process=${folder##*/} # the namespace, the number, the start
        process=${process#*-}
        [ ! -d "$folder" ] || kill -0 "${process%-*}" 2>/dev/null || rm -r "$folder"
    done
    return $status
}

# The judge is judged first, by guides that go wrong.
names_the_line() {
    printf '%s\n' '# A guide' '' '```sh' 'x=1' 'if true; then' '    false "$x"' 'fi' '```' >bad.md
    ! follow "$PWD/bad.md" docs/bad.md >said-of-it || fail 'a command that fails was not noticed'
    grep -qxF 'docs/bad.md:6: exit status 1: false "$x"' said-of-it || fail "$(cat said-of-it)"
}

compares_output() {
    local bad
    for bad in 'two words' 'one word 3' 'one'; do
        rm -rf empty
        printf '%s\n' 'Text.' '' '```console' '$ echo one \' '> words 2' "$bad" '```' >bad.md
        ! follow "$PWD/bad.md" docs/bad.md >said-of-it || fail "\"$bad\" was taken"
        grep -qxF 'docs/bad.md:4: prints something else than the guide says:' said-of-it ||
            fail "$(cat said-of-it)"
    done
    rm -rf empty
    printf '%s\n' '```console' '$ printf "a  [1,234]\nb\nc\nd"' 'a [7]' '...' 'd' '$ cd /' '$ pwd' '/' '```' \
        '```sh later' 'exit 1' '```' '```c' 'not run' '```' >good.md
    follow "$PWD/good.md"
    rm -rf empty
    ! follow "$PWD/good.md" docs/good.md later >said-of-it || fail 'a named block was not run'
}

# A guide that nobody follows could go wrong unseen. boards.md has a test of its own, on a board.
all_are_followed() {
    local name
    for name in "$guides"/*.md; do
        name=$(basename "$name" .md)
        [ "$name" = boards ] || grep -qE "^ *check.* 'guides/$name\.md'" "$here/test_guides.sh" ||
            fail "docs/guides/$name.md is not followed"
    done
}

check 'a command that fails is named, with the line of the guide' names_the_line
check 'what a command prints is compared' compares_output
check 'each guide has a case' all_are_followed

if ! install_it >"$scratch/install.txt" 2>&1; then
    check 'the program is installed' fail "$(cat "$scratch/install.txt")"
    finish
fi

check_with 'clang-19' 'guides/first-session.md' at_home "$guides/first-session.md" docs/guides/first-session.md
check_with 'clang-19 jq' 'guides/pgo-clang.md' with_path pgo-clang
check_with 'gcc make' 'guides/pgo-gcc.md' with_path pgo-gcc
if "$anneal" doctor --json | found '"tracing":true'; then
    check_with 'gcc llvm-bolt-19' 'guides/bolt.md' with_path bolt
    check_with 'gcc llvm-bolt-19' 'guides/live.md' then_cleaned with_path live
else
    skip 'guides/bolt.md' 'processes may not be traced here'
    skip 'guides/live.md' 'processes may not be traced here'
fi

# no_faults: why page faults cannot be measured here as the guide does it; nothing where they can
no_faults() {
    case $(stat -f -c %T "$scratch") in
    tmpfs | ramfs)
        echo "$scratch is in memory; set TMPDIR to a folder on a disk"
        return
        ;;
    esac
    cp /bin/true "$scratch/true"
    if ! "$anneal" faults --json -n 1 -- "$scratch/true" >"$scratch/faults" 2>"$scratch/err"; then
        grep 'cannot count page faults' "$scratch/err" | first # for another reason, the guide fails
    elif ! grep -q '"read_ahead":[0-9]' "$scratch/faults"; then
        if [ -d /sys/class/bdi ]; then
            echo "the read-ahead of $scratch is not known: its file system has no device of its own"
        else
            echo "the read-ahead of $scratch is not known: /sys is not mounted"
        fi
    fi
}

why=$(no_faults)
if [ -z "$why" ]; then
    check_with 'clang-19 ld.lld-19' 'guides/startup-order.md' with_path startup-order faults
else
    check_with 'clang-19 ld.lld-19' 'guides/startup-order.md, without page faults' with_path startup-order
    skip 'guides/startup-order.md, page faults' "$why"
fi
check_with 'gcc jq' 'guides/coverage.md' with_path coverage

tier long
check_with 'clang-19 make' 'guides/first-session.md, from the sources on' from_sources
finish
