#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# One more family of profiles is what CONTRIBUTING.md says: a file with its functions, what is said of it, and its line.
# The program is linked with a family that only this test has (tally.c), and its commands take its profiles like others.
#
# usage: test_family.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
here=$tests/family
build=$(dirname "$(dirname "$anneal")")

# command_of OUTPUT: how the build makes it
command_of() {
    ninja -C "$build" -t commands cli/anneal | grep -F -- "-o $1 "
}

# compiled FILE AS: an object of the copy, with the command of one of the program's own files, but from here
compiled() {
    local command
    command=$(command_of "cli/anneal.p/family_$2.c.o" |
        sed -E "s#-M[QF] [^ ]+|-MD##g; s#-o [^ ]+#-o $PWD/$1.o#; s# -c .*# -c $PWD/cli/family/$1.c#")
    command=${command/ -I/ -I$PWD -I$PWD/cli/family -I}
    (cd "$build" && eval "$command")
}

# The recipe, step by step.
follow() {
    mkdir -p cli
    cp -r "$tests/../cli/family" cli/
    cp "$here"/tally.[ch] cli/family/

    # what is said of it
    sed -i 's/^extern const struct family .*family_recording;$/&\nextern const struct family family_tally;/' \
        cli/family/family.h
    sed -i -e '/^static const struct family \*const families/i\
const struct family family_tally = {\
    .noun = "a tally",\
    .plural = "tallies",\
    .endings = {".tally"},\
    .recognise = tally_recognise,\
};\
' -e 's/&family_gcc}/\&family_gcc, \&family_tally}/' -e '0,/^#include/s//#include "tally.h"\n&/' cli/family/family.c

    # its functions
    sed -i -e 's/^ *{&family_recording, .*/&\n{\&family_tally, tally_merge_run, tally_convert_run, tally_show_run, tally_diff, tally_order_run, NULL},/' \
        -e '0,/^#include/s//#include "tally.h"\n&/' cli/family/commands.c
}

make_program() {
    local link
    follow
    expect "$(diff -r "$tests/../cli/family" cli/family | grep -c '^Only in')" 2
    expect "$(diff -rq "$tests/../cli/family" cli/family | grep '^Files' | sed -E 's/.* and (.*) differ/\1/' | sort)" \
        'cli/family/commands.c
cli/family/family.c
cli/family/family.h'
    compiled family family
    compiled commands commands
    compiled tally commands
    link=$(command_of cli/anneal)
    link=${link/-o cli\/anneal /-o $scratch/with-tally $PWD/tally.o }
    link=${link/cli\/anneal.p\/family_family.c.o/$PWD/family.o}
    link=${link/cli\/anneal.p\/family_commands.c.o/$PWD/commands.o}
    (cd "$build" && eval "$link")
    [ -x "$scratch/with-tally" ]
}

say() {
    printf '%s\n' '#tally' "$@"
}

merged() {
    say 'main 1' 'work 300' >one
    say 'main 1' 'idle 5' >two
    run 0 "$scratch/with-tally" merge -o sum -w 2,one two
    expect "$(sort sum)" "$(say 'main 3' 'work 600' 'idle 5' | sort)"
    run 0 "$scratch/with-tally" merge --json -o sum one two
    expect "$(jq -c '[.used, .rejected, .inputs[0].format]' out)" '[2,0,"tally"]'
    mkdir folder
    cp one folder/a.tally
    cp two folder/b.tally
    run 0 "$scratch/with-tally" merge -o of-folder folder
    same of-folder sum
}

refused() {
    say 'main 1' >one
    say 'main' >bad
    run 1 "$scratch/with-tally" merge -o sum one bad
    says 'bad: at byte 7: a line that is no name and count'
    says '1 of 2 inputs rejected'
    [ ! -e sum ]
    run 0 "$scratch/with-tally" merge --failure-mode=all -o sum one bad
    same sum one
    run 2 "$scratch/with-tally" merge --sparse -o sum one
    says 'the inputs are tallies'
    run 1 "$scratch/with-tally" merge -o sum one "$tests/data/branch/fdata/branches-1.fdata"
    says 'one is a tally, ' 'branches-1.fdata a BOLT profile (fdata) (merge each kind separately)'
    run 1 "$scratch/with-tally" convert --text -o other one
    says 'one: is a tally, of which there is one format only'
}

shown() {
    say 'main 1' 'work 300' >one
    say 'main 2' >two
    run 0 "$scratch/with-tally" show one
    expect "$(awk '{ print $2, $1 }' out)" $'main 1\nwork 300'
    run 0 "$scratch/with-tally" diff one two
    expect "$(cat out)" $'main 1 -> 2\nwork 300 -> 0'
    run 0 "$scratch/with-tally" order --hot one
    expect "$(grep -v '^#' out)" $'work\nmain'
}

# The others are as before.
others() {
    local input=$tests/data/branch/fdata/branches-1.fdata
    "$anneal" show "$input" >expected
    run 0 "$scratch/with-tally" show "$input"
    same out expected
    run 1 "$anneal" show "$here/test_family.sh"
    mv err expected
    run 1 "$scratch/with-tally" show "$here/test_family.sh"
    same err expected
}

check_with 'ninja jq' 'one more family' make_program
if [ -x "$scratch/with-tally" ]; then
    check_with jq 'is merged' merged
    check 'and refused, with the reason' refused
    check 'shown, compared, put in order' shown
    check 'beside the others' others
fi
finish
