#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What all names under which anneal takes the place of other tools have in common: response files, beside what the
# originals make of them, and how they are called in their own help.

. "$(dirname "$0")/../tap.sh"

sources=$(realpath "$(dirname "$0")/../..")
llvm=/usr/lib/llvm-19/bin
names='gcov gcov-tool llvm-profdata merge-fdata merge-gcda perf2bolt'

# ---- response files ----

# both STATUS ORIGINAL NAME ARGUMENT...: the original and anneal end so, and what they write to `result` is the same
both() {
    local status=$1 original=$2 name=$3
    shift 3
    rm -rf result expected
    run "$status" "$original" "$@"
    [ ! -e result ] || mv result expected
    run "$status" "$anneal" "$name" "$@"
    [ ! -e expected ] || diff -r expected result
}

profile() { # of one function, in a file of that name
    printf ':ir\n%s\n1\n1\n5\n' main >"$1"
}

llvm_files() {
    profile 'one file'
    profile two
    profile @three
    echo "'one file' t\\wo  @three" >words
    both 0 $llvm/llvm-profdata llvm-profdata merge -o result @words
    printf '@words\n--output=result' >all
    both 0 $llvm/llvm-profdata llvm-profdata merge @all
    printf 'merge @all' >command # the name of a command may be in one, too
    both 0 $llvm/llvm-profdata llvm-profdata @command
    printf '\357\273\277two' >marked
    both 0 $llvm/llvm-profdata llvm-profdata merge -o result -- @marked
    printf "'' two ''" >empty_words
    both 0 $llvm/llvm-profdata llvm-profdata merge -o result @empty_words
    both 1 $llvm/llvm-profdata llvm-profdata merge -o result @absent # a file of that name, which is not there
    says '@absent: '
}

llvm_pipes() {
    profile two
    run 0 "$anneal" llvm-profdata merge -o result @<(echo two)
    run 0 $llvm/llvm-profdata merge -o expected @<(echo two)
    same result expected
}

# An error instead of a command line without its words.
llvm_refused() {
    profile two
    mkdir folder
    echo '@second' >first
    echo 'two @first' >second
    printf '\377\376t\0' >wide
    for tool in llvm-profdata merge-fdata perf2bolt; do
        run 1 "$anneal" $tool merge -o result two @first
        says '@first: the response file contains itself'
        run 1 "$anneal" $tool merge -o result two @folder
        says 'folder: '
        run 1 "$anneal" $tool merge -o result two @wide
        says '@wide: the response file is in UTF-16'
        [ ! -e result ]
    done
    run 1 $llvm/llvm-profdata merge -o result two @folder
}

bolt_files() {
    echo '1 main 0 1 work 0 0 5' >a.fdata
    echo '1 main 4 1 work 0 0 7' >b.fdata
    printf 'a.fdata\nb.fdata\n' >words
    run 0 $llvm/merge-fdata -o expected @words
    run 0 "$anneal" merge-fdata -o result @words
    same <(sort result) <(sort expected)
    echo '-p no-such-recording -o result' >words
    run 1 "$anneal" perf2bolt @words "$anneal"
    says 'no-such-recording'
}

a_program() { # that has left counts in c.gcda
    echo 'int main(void) { return 0; }' >c.c
    gcc-12 --coverage -c c.c
    gcc-12 --coverage c.o -o c
    ./c
}

gcov_files() {
    a_program
    printf -- '-n  "c.gcda"' >words
    echo @words >nested
    printf 'c.gcda\\' >backslash
    printf 'c.gcda\0 x' >zero
    for line in @words @nested '-n @backslash' '-n @zero'; do
        # shellcheck disable=SC2086 # they are several words
        run 0 gcov-12 $line
        mv out expected
        # shellcheck disable=SC2086
        run 0 "$anneal" gcov $line
        same out expected
    done
    both 1 gcov-12 gcov -n c.gcda @absent # a file of that name, which is not there
    printf ' \n' >blank
    both 0 gcov-12 gcov -n @blank c.gcda
    echo @self >self
    both 1 gcov-12 gcov -n c.gcda @self
    says '@self: the response file contains itself'
    mkdir folder
    both 1 gcov-12 gcov -n c.gcda @folder
    says 'folder: '
}

# libiberty reads 1999 files, and no more.
too_many() {
    a_program
    echo c.gcda >one
    for _ in {1..1998}; do echo @one; done >many # which is one, too
    run 0 "$anneal" gcov -n @many
    echo @one >>many
    both 1 gcov-12 gcov -n @many
    says 'more than 1999 response files'
}

gcov_tool_files() {
    a_program
    mkdir d1 d2
    cp c.gcda d1
    cp c.gcda d2
    echo 'merge d1 d2 -o result' >words
    both 0 gcov-tool-12 gcov-tool @words
}

# No other command has them: there @FILE is a file's name.
no_others() {
    profile @words
    run 0 "$anneal" merge -q -o result @words
}

check_with $llvm/llvm-profdata 'words of response files are those that LLVM takes' llvm_files
check_with $llvm/llvm-profdata 'a response file may be a pipe' llvm_pipes
check_with "$llvm/llvm-profdata $llvm/merge-fdata" 'what LLVM cannot take from response files is refused' llvm_refused
check_with $llvm/merge-fdata "BOLT's tools take response files" bolt_files
check_with 'gcc-12 gcov-12' 'words of response files are those that gcov takes' gcov_files
check_with 'gcc-12 gcov-12' 'gcov takes as many response files as the original' too_many
check_with 'gcc-12 gcov-tool-12' 'gcov-tool takes response files' gcov_tool_files
check "anneal's own commands take @FILE for a file" no_others

# ---- how they are called ----

# usage CALL COMMAND...: the first line of the help names it so, and so does what wrong usage is told
usage() {
    local call=$1
    shift
    run 0 "$@" --help
    expect "$(sed -n '1s/ \[OPTION\].*//p' out)" "Usage: $call"
}

under_their_names() {
    for name in $names gcov-12 llvm-profdata-19; do
        ln -s "$anneal" "$name"
        usage "$name" ./"$name"
        usage "anneal ${name%-1[29]}" "$anneal" "${name%-1[29]}"
    done
    # Behind a target, as cross tools are called, and before any version
    for name in mips64-linux-gnuabi64-gcov mipsisa64-octeon-elf-merge-gcda x86_64-linux-gnu-gcov-tool-12 avr-gcov-4.9.2; do
        ln -s "$anneal" "$name"
        usage "$name" ./"$name"
    done
    # Other tools
    for name in gcov-dump gcov-tool- mygcov gcov-x86 gcov-1a; do
        ln -s "$anneal" "$name"
        run 0 ./"$name" --help
        prints 'Usage: anneal COMMAND'
    done
    local status
    for name in gcov merge-fdata merge-gcda perf2bolt; do
        case $name in gcov | merge-fdata) status=1 ;; *) status=2 ;; esac
        run $status ./$name --no-such-option
        says "$name: try '$name --help'"
        run $status "$anneal" $name --no-such-option
        says "anneal: try 'anneal $name --help'"
    done
    usage 'anneal merge' "$anneal" merge
    run 0 "$anneal" help gcov
    prints 'Usage: anneal gcov [OPTION]'
}

# Commands of commands, by the link's name and by anneal's.
within_others() {
    for name in gcov-tool llvm-profdata; do
        ln -s "$anneal" $name
        usage "$name merge" ./$name merge
        usage "anneal $name merge" "$anneal" $name merge
    done
    run 1 ./gcov-tool merge --no-such-option
    says "try 'gcov-tool merge --help'"
    run 1 "$anneal" gcov-tool merge --no-such-option
    says "try 'anneal gcov-tool merge --help'"
    run 1 ./llvm-profdata merge --no-such-option
    says "Try: './llvm-profdata --help'"
    run 1 "$anneal" llvm-profdata merge --no-such-option
    says "Try: 'anneal llvm-profdata --help'"
    run 1 "$anneal" llvm-profdata frobnicate
    says "Unknown subcommand 'frobnicate'.  Try: 'anneal llvm-profdata --help'"
    run 1 "$anneal" merge-fdata
    says 'See: anneal merge-fdata --help'
}

# A build is configured only: the program that is linked to need not be anneal.
links() {
    run 0 meson setup -Dpersonalities=gcov,llvm-profdata,mips64-linux-gnuabi64-gcov-12 -Dprefix=/usr configured "$sources"
    mkdir -p links/usr/bin
    touch links/usr/bin/anneal
    run 0 meson install -C configured --no-rebuild --tags personalities --destdir "$PWD/links"
    expect "$(cd links/usr/bin && echo *)" 'anneal gcov llvm-profdata mips64-linux-gnuabi64-gcov-12'
    expect "$(readlink links/usr/bin/gcov)" anneal
    run 1 meson setup -Dpersonalities=gcov,gcov-dump refused "$sources"
    prints '-Dpersonalities: anneal takes the place of no tool named gcov-dump'
}

compilers() {
    ln -s "$anneal" anneal-cc
    ln -s "$anneal" anneal-c++
    usage anneal-cc ./anneal-cc
    usage anneal-c++ ./anneal-c++
    usage 'anneal cc' "$anneal" cc
}

check 'the help of a tool calls it by its name' under_their_names
check 'the help of a command of a tool does' within_others
check 'so does the help of the compilers' compilers
check_with meson 'links by these names can be installed' links
finish
