#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What all commands do alike with their options: a mistyped word gets a suggestion, a forgotten value is noticed,
# what makes no sense together is refused, and the exit status says whose fault it was.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

one=$corpus/raw/c-ir-clang19-run1.profraw
own='record train rt dump peek extract merge show diff convert cov fdo aggregate translate bat doctor order faults live worth'

# ---- suggestions ----

commands_are_suggested() {
    local typed meant
    while read -r typed meant; do
        run 2 "$anneal" "$typed"
        says "unknown command '$typed'; did you mean '$meant'?"
        run 2 "$anneal" help "$typed"
        says "did you mean '$meant'?"
    done <<'END_OF_LIST'
shwo show
mrege merge
agregate aggregate
trian train
transl translate
vesrion version
llvm-prodata llvm-profdata
END_OF_LIST
    run 2 "$anneal" frobnicate
    says "unknown command 'frobnicate'" "'anneal help' lists the commands"
    never_says 'did you mean'
    run 2 "$anneal" --hlep
    says "unknown option '--hlep'; did you mean '--help'?"
    run 2 "$anneal" --versoin
    says "did you mean '--version'?"
}

options_are_suggested() {
    run 2 "$anneal" merge --outpt=x "$one"
    says "unknown option '--outpt'; did you mean '--output'?" "try 'anneal merge --help'"
    run 2 "$anneal" show --jsno "$one"
    says "did you mean '--json'?"
    run 2 "$anneal" aggregate --ignore-buildid -p x -o y z
    says "did you mean '--ignore-build-id'?"
    run 2 "$anneal" show --hepl
    says "did you mean '--help'?"
    run 2 "$anneal" show --frobnicate
    says "unknown option '--frobnicate'"
    never_says 'did you mean'
    run 2 "$anneal" show -sz "$one"
    says "unknown option '-z'"
    run 2 "$anneal" show --t "$one" # text, top, traces
    says "option '--t' may be any of several"
    run 2 "$anneal" show --json=yes "$one"
    says "option '--json' takes no argument"
    [ ! -e x ]
}

values_are_suggested() {
    run 2 "$anneal" merge --failure-mode=wran "$one"
    says "--failure-mode=wran: expected any, all or warn; did you mean 'warn'?"
    run 2 "$anneal" record --method=emulated true
    says "expected auto, lbr, emulate or step; did you mean 'emulate'?"
    run 2 "$anneal" live --method=setp -p 1
    says "did you mean 'step'?"
    run 2 "$anneal" order --format=glod "$one"
    says "expected lld, gold, gnu or ld64; did you mean 'gold'?"
    run 2 "$anneal" order --format=elf64 "$one"
    says 'expected lld, gold, gnu or ld64'
    run 2 "$anneal" merge --failure-mode=frobnicate "$one"
    never_says 'did you mean'
}

# Their messages are those of what they stand in for.
personalities_suggest_nothing() {
    local name
    ln -s "$anneal" gcov-tool
    run 1 ./gcov-tool merge --outpt=x "$one"
    says "gcov-tool: error: unknown option '--outpt=x'"
    never_says 'did you mean'
    ln -s "$anneal" llvm-profdata
    run 1 ./llvm-profdata merge --outpt=x "$one" # LLVM's suggestion
    says "llvm-profdata: Unknown command line argument '--outpt=x'.  Try: './llvm-profdata --help'" \
        "llvm-profdata: Did you mean '-o'?"
    run 1 ./llvm-profdata merge --failure-mode=wran "$one"
    never_says 'did you mean'
    for name in gcov merge-fdata perf2bolt; do
        ln -s "$anneal" $name
        "./$name" --outpt=x 2>err && return 1
        says "$name: error: unknown option '--outpt=x'"
        never_says 'did you mean'
    done
}

# ---- help and version ----

helps() {
    local command
    for command in $own; do
        run 0 "$anneal" $command --help
        mv out help
        run 0 "$anneal" $command -h
        same out help
        grep -q -e '-h, --help' help
        expect "$(cat err)" ''
    done
    run 0 "$anneal" cc -h
    prints 'Usage: anneal cc'
    run 0 "$anneal" -h
    mv out help
    run 0 "$anneal" help
    same out help
    run 0 "$anneal" --help merge
    prints 'Usage: anneal merge'
    run 2 "$anneal" help merge show
    says "'show': expected one command"
    run 2 "$anneal" help --completion merge
}

prints_the_version() {
    local word
    for word in --version -V version; do
        run 0 "$anneal" $word
        grep -qE '^anneal [0-9]+\.[0-9]+\.[0-9]+$' out
    done
    run 2 "$anneal" version now
}

# ---- a value that was forgotten ----

# Every option of every command that takes one. What would be written must not be there.
values_are_no_options() {
    local command option name
    for command in $own; do
        "$anneal" help $command >help
        while read -r option; do
            name=${option%%=*}
            [ "$command $name" != 'live --bolt-option' ] || continue
            run 2 "$anneal" $command "$name" --json
            says "option '$name' needs an argument, and '--json' looks like an option" \
                "write $name=--json"
            run 2 "$anneal" $command "$name" -x
            says "'-x' looks like an option"
        done < <(grep -oE '^ +(-.,)? *--[a-z-]+=' help | grep -oE -- '--.*')
    done
    rm help out err
    expect "$(ls)" ''
}

values_that_are_meant() {
    run 0 "$anneal" merge --output=-odd "$one"
    [ -s ./-odd ]
    run 0 "$anneal" merge -o-short "$one"
    same ./-short ./-odd
    run 0 "$anneal" merge -q -o - "$one"
    same out ./-odd
    run 2 "$anneal" show --top -1 "$one" # a wrong number, and no option
    says '--top=-1: expected a number'
    run 2 "$anneal" live -p 1 --bolt-option --frobnicate --status # it was taken
    says '--status and --bolt-option cannot be used together'
    ln -s "$anneal" llvm-profdata
    run 0 ./llvm-profdata merge -o -strange "$one" # as LLVM's tools do
    same ./-strange ./-odd
}

# ---- a second value ----

# What adds its values up.
for_all_values() {
    grep -qx -- "$1 $2" <<'END_OF_LIST'
merge --input-files
merge --weighted-input
merge --binary-file
merge --debug-info
merge --profiled-binary
show --profiled-binary
train --workloads
train --each-file
train --weighted-workload
cov --include
cov --exclude
cov --map
faults --with
faults --against
worth --counter
worth --pid
worth --function
live --bolt-option
translate --layout
bat --translate
bat --from-original
END_OF_LIST
}

# Every option of every command that takes a value. The first value has to be a right one, so several are tried.
one_value() {
    local command option name value told
    : >list
    for command in $own; do
        "$anneal" help $command >help
        while read -r option; do
            name=${option%%=*}
            told=
            for value in 1 9 1/2 5s 512 text lld gcc clang-14 any auto clock 12.2 list; do
                "$anneal" $command "$name=$value" "$name=$value" >out 2>err </dev/null && told="exit status 0"
                ! grep -q "'$name' was given twice, as '$value' and as '$value'" err || told=yes
                [ ! "$told" ] || break
            done
            if for_all_values "$command" "$name"; then
                expect "$command $name:$told" "$command $name:"
            else
                expect "$command $name:$told" "$command $name:yes"
            fi
        done < <(grep -oE '^ +(-.,)? *--[a-z-]+=' help | grep -oE -- '--.*')
    done
    rm help out err list
    expect "$(ls)" ''
}

# Whatever it is called.
one_value_by_any_name() {
    run 2 "$anneal" merge -o x --output=y "$one"
    says "option '--output' was given twice, as 'x' and as 'y': it takes one value" \
        "try 'anneal merge --help'"
    run 2 "$anneal" merge -ox -oy "$one"
    says "as 'x' and as 'y'"
    run 2 "$anneal" merge -j 1 --num-threads=2 -o x "$one"
    says "option '--threads' was given twice, as '1' and as '2'"
    run 2 "$anneal" aggregate --failure-mode=any --allow-truncated -p x -o y z
    says "option '--failure-mode' was given twice, as 'any' and as 'warn'"
    run 2 "$anneal" aggregate -p one -p two -o x y
    says "option '--perfdata' was given twice, as 'one' and as 'two'" \
        "aggregate each recording, and add the profiles up with 'anneal merge'"
    run 2 "$anneal" translate -p one -perfdata two -o x y
    run 2 "$anneal" translate -p one --perfdata two -o x y
    says "translate each recording"
    rm out err
    expect "$(ls)" ''
    run 0 "$anneal" merge -q -q -o x "$one"
    run 0 "$anneal" merge -q --weighted-input="1,$one" --weighted-input="1,$one" -o y
    run 1 "$anneal" aggregate --allow-truncated --allow-truncated -p no-such-file -o z "$one"
}

# In the tools that anneal stands in for, the last one counts; of two recordings, one would be lost.
the_last_counts_elsewhere() {
    local llvm=/usr/lib/llvm-19/bin folder name
    mkdir links made
    (
        cd made || exit
        echo 'int main(void) { return 0; }' >a.c
        gcc-12 --coverage -c a.c && gcc-12 --coverage a.o -o a && ./a && mkdir one other &&
            cp a.gcda one && cp a.gcda other
        echo '1 f 0 1 g 0 0 5' >fdata
    ) || return
    for name in llvm-profdata merge-fdata gcov-12 gcov-tool-12; do
        ln -s "$anneal" links/$name
    done
    for folder in peers ours; do
        mkdir $folder
        (
            cd $folder || exit
            [ $folder = peers ] && PATH=$llvm:$PATH || PATH=$PWD/../links:$PATH
            cp -r ../made/. .
            llvm-profdata merge -o not -o merged "$one"
            llvm-profdata show --topn=1 --topn=2 -o not -o shown "$one"
            merge-fdata -o not -o added fdata fdata
            gcov-tool-12 merge -o not -o both -w 7,7 -w 2,3 one other >/dev/null
            tail -c 16 both/a.gcda >counters
            gcov-12 -t -o not -o . a.c >printed
        ) || return
    done
    for folder in peers ours; do
        expect "$folder: $(cd $folder && echo not*)" "$folder: not*"
    done
    same ours/merged peers/merged
    same ours/shown peers/shown
    same ours/added peers/added
    same ours/counters peers/counters
    same ours/printed peers/printed
    run 2 "$anneal" merge-gcda -o x -o y "$one"
    says "was given twice"
    run 2 "$anneal" perf2bolt -p one -p two -o x y
    says "option '--perfdata' was given twice"
}

# ---- what makes no sense together ----

# COMMAND, options: the first two are named in the message. Nothing is read or written before that.
refused_together() {
    local command one other rest
    while read -r command one other rest; do
        # shellcheck disable=SC2086
        run 2 "$anneal" $command $one $other $rest
        says "${one%%=*}" "${other%%=*}" 'cannot be used together' "try 'anneal $command --help'"
        # shellcheck disable=SC2086
        run 2 "$anneal" $command $other $one $rest operand
        says "${one%%=*}" "${other%%=*}"
    done <<'END_OF_LIST'
show --json --text
show --json --covered
show --covered --text
show --covered --all-functions
show --covered --function=x
show --covered --top=1
show --covered --traces
show --covered --detailed-summary
show --covered --detailed-summary-cutoffs=1
show --covered --binary-ids
show --covered --counts
show --covered --values
show --text --top=1
show --text --traces
show --text --detailed-summary
show --text --binary-ids
show --header --all-functions
show --header --function=x
show --header --top=1
show --header --covered
show --header --text
show --all-functions --function=x
peek --output=x --json
peek --output=x --top=1
peek --all-functions --function=x
merge --text --format-version=7
convert --text --format-version=7
convert --big-endian --little-endian
convert --big-endian --text
convert --little-endian --sparse
convert --gcc-version=12.2 --format-version=7
cov --json --html=x
cov --json --directory=x
cov --json --text
cov --json --functions
cov --json --missing
cov --json --mangled
cov --text --functions
cov --text --missing
cov --missing --functions
cov --missing --html=x
cov --missing --directory=x
cov --output=x --html=x
cov --output=x --directory=x
order --hot --blend
order --order=x --output=x --evaluate=x
record --verify --quiet
live --revert --status
live --revert --continuous
live --revert --profile=x
live --status --continuous
live --status --rounds=1
live --status --keep-anyway
live --continuous --profile=x
live --continuous --rounds=2
live --continuous --dry-run
live --dry-run --keep-anyway
worth --counter=x --function=x
worth --counter=x --clock=traffic
worth --clock=traffic --function=x
live --counter=x --clock=traffic
worth --counter=x --overhead=1%
aggregate --pa --pid=1
aggregate --pa --ignore-build-id
aggregate --pa --failure-mode=warn
aggregate --pa --use-event-pc
aggregate --pa --ignore-interrupt-lbr=0
aggregate --nl --use-event-pc
aggregate --nl --ignore-interrupt-lbr=0
translate --pa --pid=1
translate --pa --failure-mode=warn
bat --function-map --json
bat --function-map --dump-all
bat --function-map --show-function-map
bat --show-function-map --translate=1
bat --dump-all --function=x
faults --binary=x --copy
faults --binary=x --against=x
doctor --json --quiet
extract --output=x --list
extract --output=x --json
extract --output=x --directory=x
extract --output=x --strip=1
extract --output=x --force
extract --list --directory=x
extract --list --strip=1
extract --list --force
train --in-place --flat
fdo --json --store
fdo --store --makefile
fdo --makefile --cmake
rt --library --continuous
rt --library --ldflags
rt --library --for=clang-23
rt --board --for=clang-23
help --man --completion
END_OF_LIST
    rm out err
    expect "$(ls)" ''
}

# COMMAND, an option, and what it needs
refused_alone() {
    local command option needs
    while read -r command option needs; do
        run 2 "$anneal" $command "$option"
        says "${option%%=*} requires $needs" "try 'anneal $command --help'"
    done <<'END_OF_LIST'
show --counts --all-functions, --function or --text
show --values --all-functions, --function or --text
peek --counts --all-functions or --function
peek --values --all-functions or --function
cov --title=x --html
cov --branches --text or --directory
cov --counts --branches
cov --blocks --text or --directory
cov --unconditional --branches or --blocks
cov --human-readable --text or --directory
cov --mangled --text, --directory or --functions
order --hot-share=90 --blend
order --order=x --evaluate
order --svg=x --evaluate
order --test-runs=1 --evaluate
order --fault-around=4 --evaluate
order --read-ahead=4 --evaluate
order --read-around --evaluate
order --json --output or --evaluate
live --interval=1s --continuous
live --threshold=50% --continuous
bat --embed --function-map
train --null --workloads
END_OF_LIST
}

# No option is let pass because of another one that is only beside it.
allowed_together() {
    run 0 "$anneal" show --json --header "$one"
    run 0 "$anneal" show --text --counts "$one"
    run 0 "$anneal" show --json --all-functions --counts --values --traces --top=3 "$one"
    run 0 "$anneal" merge -q --text --sparse -o text "$one"
}

# What an option is for shows in the profile.
options_of_other_profiles() {
    echo '1 main 0 1 main 4 0 1' >app.fdata
    local gcda=$tests/data/gcc/gcc-12/right-a.gcda
    run 2 "$anneal" show --notes=. "$one"
    says '--notes is for GCC profiles'
    run 2 "$anneal" show --notes=. app.fdata
    says '--notes is for GCC profiles'
    run 2 "$anneal" diff --notes=. "$one" "$one"
    says '--notes is for GCC profiles'
    run 2 "$anneal" show --cs app.fdata
    says '--cs applies only to LLVM profiles'
    run 2 "$anneal" show --text "$gcda"
    says '--text applies only to LLVM profiles'
    run 2 "$anneal" merge --sparse -o x "$gcda"
    says '--sparse'
    run 2 "$anneal" convert --gcc-version=12.2 -o x "$one"
    says '--gcc-version applies only to GCC profiles'
    [ ! -e x ]
}

# ---- exit statuses ----

# 2: the command line is wrong, whatever there is on the disk.
wrong_usage() {
    while read -r line; do
        # shellcheck disable=SC2086
        run 2 "$anneal" $line
        [ -s err ] || fail "nothing said: $line"
    done <<END_OF_LIST
merge
merge -w x,$one
merge -w 0,$one
merge -w $one
merge --function=( $one
merge --exclude-function=[ $one
merge --format-version=4 $one
merge --format-version=15 $one
merge --for=clang-19 --format-version=12 $one
merge --for=clang-8 $one
merge --for=no-such-compiler $one
merge --trace-seed=0 $one
merge -j x $one
show
show --function=( $one
show --top=x $one
diff $one
convert
convert --gcc-version=x $one
cov
cov --fail-under=101 .
train -o x
train true
train -o x -w 3 true
train -o - true
train -o x -w 0,a true
train -o x -j 0 true
train -o x --format-version=4 true
train -o x --max-failures=101% true
train -o x --timeout=0 true
record
record -p x
record -p 0
record --overhead=200 true
record --overhead=0 true
record --duration=-1 true
live
live -p x
live -p 1 --threshold=200
live -p 1 --bolt-option=-instrument
aggregate
aggregate -p x -o y
translate -p x -o y
bat
bat --translate=x y
doctor -p x
dump
dump x
dump 1 x
peek
peek 1 2
extract
extract -p x log
order
order --page-size=3 $one
order --binary=x --evaluate=y $one
faults
faults -n 0 true
fdo x
rt x
rt --for=gcc
END_OF_LIST
    rm out err
    expect "$(ls)" ''
}

# 1: what was named is not there, or is not what was expected.
failures() {
    while read -r line; do
        # shellcheck disable=SC2086
        run 1 "$anneal" $line
    done <<END_OF_LIST
merge nosuch
merge -w 3,nosuch
merge -f nosuch
merge --remapping-file=nosuch $one
show nosuch
diff $one nosuch
diff nosuch $one
convert nosuch
cov nosuch
train -o x -f nosuch true
train -o x -d nosuch true
train -o x --work-dir=nosuch true
record -p 4000000
record -p 2000000000
live -p 4000000
live -p 2000000000
dump 4000000
dump 2000000000
peek 4000000
peek 2000000000
peek nosuch
doctor -p 4000000
doctor nosuch
aggregate -p nosuch -o x $anneal
translate -p nosuch -o x $anneal
bat nosuch
extract nosuch
order nosuch
order -b nosuch $one
faults nosuch
END_OF_LIST
}

ranges_are_named() {
    run 2 "$anneal" merge --format-version=-1 "$one"
    says '--format-version=-1: expected a number from 5 to 14'
    run 2 "$anneal" merge --format-version=99 "$one"
    says 'expected a number from 5 to 14'
    run 2 "$anneal" train --format-version=4 -o x true
    says '--format-version=4: expected a number from 5 to 14'
    run 2 "$anneal" record --overhead=200 true
    says '--overhead=200: expected a percentage above 0 and up to 100'
    run 2 "$anneal" live --threshold=101% -p 1
    says '--threshold=101%: expected a percentage above 0 and up to 100'
    run 2 "$anneal" train -j 0 -o x true
    says '--jobs=0: expected a number from 1 to'
    run 2 "$anneal" record --branches=0 true
    says '--branches=0: expected a number of at least 1'
    run 2 "$anneal" extract -p x log
    says '--strip=x: expected a number from 0 to'
    run 2 "$anneal" record --duration=0 true
    says '--duration=0: expected a time above 0'
}

# ---- folders for the output ----

folders_are_made() {
    echo '1 main 0 1 main 4 0 1' >app.fdata
    printf 'begin 644 file\n#86)C\n`\nend\n' >log
    run 0 "$anneal" merge -o made/1/merged "$one"
    run 0 "$anneal" merge -o made/2/merged app.fdata
    run 0 "$anneal" merge --ledger=made/3/ledger -o made/3/below/merged "$one"
    run 0 "$anneal" convert --text -o made/4/text "$one"
    run 0 "$anneal" show -o made/5/shown "$one"
    run 0 "$anneal" show --json -o made/6/shown.json app.fdata
    run 0 "$anneal" diff -o made/7/diff "$one" "$one"
    run 0 "$anneal" extract -o made/8/file log
    run 0 "$anneal" extract -C made/9/below log
    run 0 "$anneal" order --hot -o made/10/order "$one"
    run 0 "$anneal" show -o "$PWD/made/11/shown" "$one"
    expect "$(find made -type f | sort -V | tr '\n' ' ')" "made/1/merged made/2/merged \
made/3/below/merged made/3/ledger made/4/text made/5/shown made/6/shown.json made/7/diff \
made/8/file made/9/below/file made/10/order made/11/shown "
    same made/11/shown made/5/shown
}

folders_that_cannot_be_made() {
    echo >file
    run 1 "$anneal" merge -o file/below/merged "$one"
    says 'file'
    expect "$(cat file)" ''
    run 1 "$anneal" record -o file/below/data true
    run 1 "$anneal" train -o file/below/profile true
}

# llvm-profdata makes none.
personalities_make_none() {
    ln -s "$anneal" llvm-profdata
    run 1 ./llvm-profdata merge -o made/merged "$one"
    says 'No such file or directory'
    [ ! -e made ]
}

# ---- one word for one thing ----

# What options were called before: taken as ever, and neither listed nor suggested.
old_names_go_on() {
    local command old new
    while read -r command old new; do
        "$anneal" "$command" --help >help
        "$anneal" help --man "$command" >page
        ! grep -qE -- " $old\\b" help page || fail "$command still lists $old"
        grep -q -- "$new" help || fail "$command does not list $new"
        for name in "$old" "${new%%=*}"; do
            printf '%s: %s\n' "$name" "$("$anneal" "$command" "$name" 2>&1 | first)" >"said$name"
            ! grep -q 'unknown option' "said$name" || fail "$(cat "said$name")"
        done
    done <<'END_OF_LIST'
merge --num-threads --threads=N
merge --no-function --exclude-function=REGEX
aggregate --num-threads --threads=N
aggregate --allow-truncated --failure-mode=MODE
translate --num-threads --threads=N
translate --allow-truncated --failure-mode=MODE
show --topn --top=N
show --gcno --notes=DIR
diff --topn --top=N
diff --gcno --notes=DIR
peek --topn --top=N
cov --keep-going --failure-mode=MODE
record --account --ledger=FILE
live --record --duration=TIME
faults --for --duration=TIME
faults --file --binary=FILE
train --repeat --runs=N
END_OF_LIST
}

old_names_mean_the_same() {
    local letter
    run 0 "$anneal" show --topn=3 --json "$one"
    cp out before
    run 0 "$anneal" show --top=3 --json "$one"
    cmp before out
    for letter in show diff; do
        [ $letter = show ] && set -- "$one" || set -- "$one" "$one"
        run 0 "$anneal" $letter -j "$@"
        cp out before
        run 0 "$anneal" $letter --json "$@"
        cmp before out
    done
    run 0 "$anneal" merge -q --num-threads=1 --no-function=util -o old "$one"
    run 0 "$anneal" merge -q --threads=1 --exclude-function=util -o new "$one"
    cmp old new
    run 2 "$anneal" merge --num-threads=x -o x "$one"
    says '--threads=x: expected a number'
}

check 'old names of options' old_names_go_on
check 'old names mean the same' old_names_mean_the_same
check 'mistyped commands' commands_are_suggested
check 'mistyped options' options_are_suggested
check 'mistyped values' values_are_suggested
check 'personalities speak as what they stand in for' personalities_suggest_nothing
check 'help by a letter' helps
check 'the version by three words' prints_the_version
check 'an option is not taken for a value' values_are_no_options
check 'values with a dash' values_that_are_meant
check 'a second value is refused' one_value
check 'a second value by any name of the option' one_value_by_any_name
check_with "gcc-12 gcov-12 gcov-tool-12 /usr/lib/llvm-19/bin/llvm-profdata /usr/lib/llvm-19/bin/merge-fdata" \
    'of two values the last one counts in personalities, as in their tools' the_last_counts_elsewhere
check 'options that exclude each other' refused_together
check 'options that need another one' refused_alone
check 'options that go together' allowed_together
check 'options for profiles of another family' options_of_other_profiles
check 'wrong usage is status 2' wrong_usage
check 'failures are status 1' failures
check 'messages name what is allowed' ranges_are_named
check 'missing folders are made' folders_are_made
check 'folders that cannot be made' folders_that_cannot_be_made
check 'personalities make no folders' personalities_make_none
finish
