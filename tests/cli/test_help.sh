#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Help, man pages, completion, the version, and the name under which anneal is called.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

collect='record train rt cc c++ dump peek extract collect'
look='merge show diff convert cov fdo fleet'
branches='aggregate translate bat doctor'
apply='order faults live worth'
personalities='llvm-profdata gcov gcov-tool merge-gcda merge-fdata perf2bolt'
commands="$collect $look $branches $apply $personalities help"
one=$corpus/raw/c-ir-clang19-run1.profraw

lists_commands() {
    run 0 "$anneal" help
    mv out help
    expect "$(awk '/^[A-Z].*:$/ { printf "%s%s", sep, $0; sep = "\n" } /^  [a-z]/ { printf " %s", $1 }' help)" \
        "Collect profiles: $collect
Merge and look: $look
Branch profiles and BOLT: $branches
Lay out and apply: $apply"
    expect "$(sed -n '/^Drop-in/,/^$/p' help | tr '\n' ' ')" \
        "Drop-in replacements: ${personalities// /, }  "
    ! grep -qE '^.{80}' help || fail "long lines: $(grep -E '^.{80}' help)"
    run 0 "$anneal" --help
    same out help
    run 2 "$anneal" # as git does, it prints the help where it can be paged; but nothing was done
    same out help
    expect "$(cat err)" ''
    run 0 "$anneal" --version
    grep -qE '^anneal [0-9]+\.[0-9]+\.[0-9]+$' out
    run 2 "$anneal" help frobnicate
}

explains_commands() {
    for command in $commands; do
        run 0 "$anneal" help "$command"
        mv out help
        grep -q "^Usage: anneal $command " help
        ! grep -qE '^.{81}' help || fail "long lines: $(grep -E '^.{81}' help)"
        [ "$command" != llvm-profdata ] || continue # it has subcommands
        run 0 "$anneal" "$command" --help
        same out help
        expect "$(cat err)" ''
    done
    for command in merge show overlap; do
        run 0 "$anneal" llvm-profdata $command --help
        run 0 "$anneal" llvm-profdata $command -help
        grep -q '^Usage:' out
    done
}

# What the help shows is taken, and what takes an argument wants one.
options_of_the_help_are_taken() {
    local option
    for command in $collect $look $branches $apply; do
        case $command in cc | c++) continue ;; esac # their options are the compiler's
        run 0 "$anneal" help $command
        mv out help
        while read -r option; do
            case $option in
            --help) continue ;;
            *=*)
                run 2 "$anneal" $command "${option%%=*}"
                says 'needs an argument'
                ;;
            *)
                "$anneal" $command "$option" no-such-file >out 2>err || :
                never_says 'unknown option'
                ;;
            esac
        done < <(grep -oE '^ +(-.,)? *--[a-z-]+(=[^ ]*)?' help | grep -oE -- '--.*')
    done
}

pages_render() {
    local warnings
    for command in '' $commands; do
        run 0 "$anneal" help --man $command
        warnings=$(groff -man -ww -z out 2>&1)
        expect "$warnings" ''
        groff -man -Tascii -P-cbu out >page
        grep -q NAME page
        grep -q SYNOPSIS page
        grep -q 'EXIT STATUS' page
    done
}

groups_commands_in_the_page() {
    run 0 "$anneal" help --man
    groff -man -Tascii -P-cbu out >page
    expect "$(sed -n '/^COMMANDS/,/^[A-Z][A-Z]/p' page | grep -oE '^   [A-Z].*|anneal-[a-z0-9+-]+' |
        sed 's/^ *//; s/^anneal-//' | tr '\n' ' ')" \
        "Collect profiles $collect Merge and look $look Branch profiles and BOLT $branches \
Lay out and apply $apply Drop-in replacements $personalities "
}

# The page of the whole program has every name that anneal is called by, and every variable that it, its library or its
# runtime asks for; what a user sets for other programs is not its own.
whole_page() {
    local name names
    run 0 "$anneal" help --man
    sed 's/\\f[BIR]//g; s/\\//g' out >page
    names=$(sed -n 's/^    {"\([a-z0-9-]*\)", &command_.*/\1/p' "$tests/../cli/main.c")
    [ "$(wc -w <<<"$names")" -ge 5 ] || fail "personalities: $names"
    for name in $names; do
        tr '\n' ' ' <page | found -- "$name" || fail "anneal(1) does not mention $name"
    done
    names=$(grep -rhoE 'getenv\("[A-Z_]+"\)' "$tests"/../{cli,lib,runtime} | grep -oE '[A-Z_]{3,}' | sort -u |
        grep -vxE 'PATH|PWD|COLUMNS')
    [ "$(wc -w <<<"$names")" -ge 8 ] || fail "variables: $names"
    for name in $names; do
        grep -qw -- "$name" page || fail "anneal(1) does not mention $name"
    done
    grep -q '^.SH FILES' page
}

exit_statuses() {
    run 0 "$anneal" help --man merge
    prints '0 for success, 1 for a failure, 2 for wrong usage.'
    run 0 "$anneal" help --man record
    prints 'With a command, the status of that command' 'or 127 if it cannot be run'
    run 127 "$anneal" record -q -o data -- ./no-such-command
    run 2 "$anneal" record
}

pages_are_found() {
    mkdir -p man/man1
    "$anneal" help --man merge >man/man1/anneal-merge.1
    MANPATH=$PWD/man MANWIDTH=80 man anneal-merge >page 2>err
    expect "$(cat err)" ''
    grep -q -- --failure-mode page
    expect "$(whatis -M man anneal-merge 2>/dev/null || lexgrog man/man1/anneal-merge.1 | first)" \
        "$(lexgrog man/man1/anneal-merge.1 | first)"
}

completes() {
    "$anneal" help --completion >completion
    bash -n completion
    cat >try <<'END'
. ./completion
words() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _anneal 2>/dev/null
    echo "${COMPREPLY[*]}"
}
words anneal m
words anneal merge --fail
words anneal show --to
words anneal merge fi
words anneal record --method = e
words anneal record --method = ''
words anneal live --method =
words anneal record --moments ''
words anneal record --output = e
words anneal merge --failure-mode = a
words anneal order --format = gn
words anneal ''
END
    expect "$(bash try)" 'merge merge-gcda merge-fdata
--failure-mode=
--top=

emulate
auto lbr emulate step
auto lbr emulate step
clock outside

any all
gnu
'"$commands version --help --version"
}

takes_the_place_of_llvm_profdata() {
    for name in llvm-profdata llvm-profdata-19; do
        ln -s "$anneal" $name
        run 0 ./$name merge -o result "$one"
        "$anneal" merge -q -o expected "$one"
        same result expected
        expect "$(cat err)" ''
        run 0 ./$name show result
        prints 'Instrumentation level: IR'
        run 1 ./$name
        says "$name: No subcommand specified"
        run 1 ./$name frobnicate
        says "$name: Unknown subcommand 'frobnicate'"
        run 1 ./$name merge --no-such-option "$one"
        says "$name: Unknown command line argument '--no-such-option'"
    done
    for name in llvm-profdatax gcov-dump; do # none that anneal takes the place of
        ln -s "$anneal" $name
        run 2 ./$name merge-it
        says 'anneal: error'
    done
}

refuses_what_it_does_not_do() {
    ln -s "$anneal" llvm-profdata
    run 1 ./llvm-profdata merge --sample "$one"
    says 'does not support sample profiles (AutoFDO)'
}

# LLVM's tools take long options with one dash or two, and -o=FILE.
llvm_options() {
    ln -s "$anneal" llvm-profdata
    run 0 ./llvm-profdata merge -q -o expected "$one" 2>/dev/null || :
    run 0 ./llvm-profdata merge -o expected "$one"
    run 0 ./llvm-profdata merge -instr -o=result "$one"
    same result expected
    run 0 ./llvm-profdata merge --output=result -num-threads=4 "$one"
    same result expected
    run 0 ./llvm-profdata merge -text -o text "$one"
    run 0 ./llvm-profdata merge --text --output text2 "$one"
    same text text2
    run 0 ./llvm-profdata merge -weighted-input=2,"$one" --dump-input-file-list "$one"
    expect "$(cat out)" "1,$one
2,$one"
}

check 'lists its commands' lists_commands
check 'explains its commands' explains_commands
check 'takes the options of its help' options_of_the_help_are_taken
check_with groff 'man pages render without warnings' pages_render
check_with groff 'the page of all commands groups them' groups_commands_in_the_page
check 'the page of the program has its names and its environment' whole_page
check 'exit statuses of commands that run others' exit_statuses
check_with 'man lexgrog' 'man pages are found' pages_are_found
check 'bash completion' completes
check 'takes the place of llvm-profdata' takes_the_place_of_llvm_profdata
check 'refuses by name what it does not do' refuses_what_it_does_not_do
check "takes options in LLVM's ways" llvm_options
finish
