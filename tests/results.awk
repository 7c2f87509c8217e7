# SPDX-License-Identifier: Apache-2.0
#
# Reads the log of `meson test` and tells how its cases went.
#
# usage: awk -v again=COMMAND -v meson_status=STATUS -v table=FILE -f results.awk LOG
#
# Prints the cases that failed, each test's first one with the command that runs it again, and what was skipped.
# Writes FILE: a line for each test, its name, how many of its cases passed, failed, were skipped, were not judged,
# and what it said first when it failed, with tabs between.

function close_test() {
    if (test == "")
        return
    # A test that dies, or hangs, does not get to its plan, or not to all that it planned.
    if (planned < 0 || planned != seen)
        problem("ended after " seen " of " (planned < 0 ? "its" : planned) " cases (" result ")")
    else if (result !~ /exit status [01]$|^OK/ && bad == 0)
        problem(result)
    tell_test()
}

function tell_test() {
    printf "%s\t%d\t%d\t%d\t%d\t%s\n", test, good, bad, left, unjudged, first >table
    passed += good
    failed += bad
    test = ""
}

function problem(what) {
    bad++
    print "FAILED  " test ": " what
    if (bad == 1) {
        first = what
        gsub(/\t/, " ", first)
        print "        again: " again " \x27" test "\x27"
    }
}

function leave_out(line) {
    if (line ~ /not judged/)
        unjudged++
    else
        left++
    print "skipped " test ": " line
}

BEGIN { printf "" >table }

why && /^# / { print "    " $0; next }
{ why = 0; reason = before; before = /^# / ? " (" substr($0, 3) ")" : "" }
/^=+ [0-9]+\/[0-9]+ =+$/ { close_test(); next }
/^test: / {
    test = substr($0, 15)
    sub(/^.* \/ /, "", test)
    planned = -1
    seen = good = bad = left = unjudged = 0
    first = ""
    next
}
/^result: / { result = substr($0, 15); next }
/^1\.\.[0-9]+$/ { planned = substr($0, 4) + 0; next }
# cmocka calls a skipped case "not ok N # SKIP NAME", and Meson takes that for a failure.
/^not ok [0-9]+ # SKIP/ { seen++; misread++; leave_out($0 reason); next }
/^ok [0-9]+ .*# SKIP/ { seen++; leave_out($0); next }
/^ok [0-9]+/ { seen++; good++; next }
/^not ok [0-9]+/ { seen++; sub(/^not ok [0-9]+ - /, ""); problem($0); why = 1; next }
END {
    close_test()
    if (passed + failed == 0 || (meson_status && failed == 0 && !misread)) {
        test = "meson test"
        good = bad = left = unjudged = 0
        problem("exit status " meson_status)
        tell_test()
    }
}
