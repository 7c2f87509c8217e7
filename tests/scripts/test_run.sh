#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/run and its --retry, and what scripts/steps.bash counts, with a meson that has made-up tests.
#
# usage: test_run.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

# tree NAME...: a tree with tests of these names. The first and the second time that NAME is run, its log says what the
# files NAME.1 and NAME.2 do; meson says of itself that all is well.
tree() {
    mkdir -p tree/tests tree/build/meson-logs bin
    cp "$tests/run" "$tests/results.awk" tree/tests
    : >tree/build/build.ninja
    printf '%s\n' "$@" >tests
    cat >bin/meson <<'END'
#!/usr/bin/env bash
here=$(dirname "$0")/..
case "$1 $*" in
introspect*) echo '"name": "tests", "value": true' ;;
*--list*) sed 's,^,anneal:made-up+check / ,' "$here/tests" ;;
test*)
    shift 6
    log=$1
    shift
    [ ! -e "$here/breaks" ] || exit 1
    for name; do
        echo "=================================== 1/1 ==================================="
        echo "test:         anneal:made-up+check / $name"
        echo "duration:     1.00s"
        echo "result:       exit status 0"
        echo x >>"$here/$name.runs"
        cat "$here/$name.$(wc -l <"$here/$name.runs")"
    done >"$here/tree/build/meson-logs/$log.txt"
    ;;
*) exit 2 ;;
esac
END
    printf '#!/bin/sh\n' >bin/ninja
    chmod +x bin/*
}

# runs STATUS [OPTION]...: tests/run in that tree
runs() {
    PATH=$PWD/bin:$PATH run "$1" tree/tests/run "${@:2}"
}

last_line() {
    expect "$(tail -n 1 out)" "$1"
}

well='ok 1 - one
ok 2 - two
1..2'
wrong='ok 1 - one
not ok 2 - two
# it was three
1..2'

counts() {
    tree good bad gone
    echo "$well" >good.1
    echo "$wrong" >bad.1
    printf '1..2\nok 1 - one\n' >gone.1
    runs 1
    prints 'FAILED  bad: two' '    # it was three' "again: meson test -C build --no-rebuild --verbose 'bad'" \
        'FAILED  gone: ended after 1 of 2 cases'
    last_line '4 passed, 2 failed'
    expect "$(cat ./*.runs | wc -l)" 3
}
check 'cases are counted, and tests that do not get to their end' counts

retries() {
    tree good shaky bad
    echo "$well" >good.1
    echo "$wrong" >shaky.1
    echo "$well" >shaky.2
    cp shaky.1 bad.1
    cp shaky.1 bad.2
    runs 1 --retry
    prints 'flaky: shaky (two)'
    expect "$(grep -c '^flaky' out)" 1
    last_line '5 passed, 1 failed'
    expect "$(wc -l <good.runs)" 1
    tree good shaky
    rm ./*.runs
    runs 0 --retry
    last_line '4 passed, 0 failed'
}
check 'a test that failed is run once more' retries

never_hides() {
    tree good shaky
    echo "$well" >good.1
    echo "$wrong" >shaky.1
    printf 'ok 1 - one # SKIP today\nok 2 - two # SKIP today\n1..2\n' >shaky.2
    runs 1 --retry
    expect "$(grep -c '^flaky' out)" 0
    last_line '3 passed, 1 failed'
    : >shaky.2
    rm ./*.runs
    runs 1 --retry
    expect "$(grep -c '^flaky' out)" 0
    : >breaks
    runs 1 --retry
    last_line '0 passed, 1 failed'
}
check 'nothing that is not shown counts as passed' never_hides

gives_up() {
    local names=(a b c d e f g h i) name
    tree "${names[@]}"
    for name in "${names[@]}"; do
        echo "$wrong" >$name.1
        echo "$well" >$name.2
    done
    runs 1 --retry
    last_line '9 passed, 9 failed'
    expect "$(cat ./*.runs | wc -l)" 9
}
check 'when more than eight failed, none is run again' gives_up

not_judged() {
    tree busy
    printf 'ok 1 - one\nok 2 - two # SKIP not judged: machine busy\nok 3 - three # SKIP no tool\n1..3\n' >busy.1
    runs 0
    prints '1 skipped' '1 not judged'
    last_line '1 passed, 0 failed'
}
check 'what could not be judged is no pass' not_judged

# In tap.sh: only the tier "long" may leave a case unjudged.
judge_not_in() {
    cat >busy.sh <<'END'
. "$1" true
is_busy() {
    had '3 samples'
    judge_not 'fewer than 60 samples'
    echo 'goes on'
}
goes_wrong() {
    had '70 samples'
    false
}
is_right() {
    had '80 samples'
}
tier "$2"
check 'one' is_busy
check 'two' goes_wrong
check 'three' is_right
finish
END
    TIER='' TIERS='check long' run 1 bash busy.sh "$tests/tap.sh" "$1"
}

unjudged_cases() {
    judge_not_in long
    printf '%s\n' 'ok 1 - one # SKIP not judged: machine busy (fewer than 60 samples)' '# had 3 samples' \
        'not ok 2 - two' '# (status 1)' '# had 70 samples' 'ok 3 - three' '# had 80 samples' '1..3' >expected
    sed -i '/^# $/d' out
    same out expected
    judge_not_in check
    prints 'not ok 1 - one' 'only cases of the tier "long"' 'ok 3 - three'
}
check 'a case that lacks samples is not judged, in the tier "long" only' unjudged_cases

# In steps.bash: a step's status and its counts have to agree.
steps() {
    cat >steps <<'END'
log=$PWD/log
. "$1"
tests_step echo '5 passed, 0 failed'
tests_step sh -c 'echo "7 passed, 2 failed"; exit 1'
tests_step sh -c 'echo "11 passed, 0 failed"; exit 1'
tests_step true
check_step true
check_step false
end_of_steps
END
    run 1 bash steps "$tests/../scripts/steps.bash"
    last_line '24 passed, 5 failed'
}
check 'steps that do not agree with their counts failed' steps
finish
