#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Whether the recorder sees each branch as often as it is taken: recordings of a program whose
# branches are known (support/known_branches.c), judged by support/branch_shares.c.
#
# The standard errors have to be so small that a bias would be found: of 5% with emulation, more for
# rare branches, and of 40% with single steps, which are slow.
#
# usage: test_bias.sh ANNEAL STEP_RECORD KNOWN_BRANCHES BRANCH_SHARES
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
step_record=$(realpath "$2")
known_branches=$(realpath "$3")
branch_shares=$(realpath "$4")

options=()

# record_groups GROUPS METHOD WINDOW BRANCHES: makes the files truth and data
record_groups() {
    "$known_branches" -g "$1" --truth >truth
    start "$known_branches" -g "$1" -s 1200
    run 0 "$anneal" record -q -o data --method="$2" --window="$3" --branches="$4" \
        --overhead=90% --freq=100000 "${options[@]}" -p "$target"
    stop
}

# judge OPTION...: branch_shares is content, or, with status 3, cannot tell
judge() {
    local status=0
    "$branch_shares" "$@" truth data >verdict 2>&1 || status=$?
    [ $status = 0 ] || [ $status = 3 ] || fail "$(cat verdict)"
    return $status
}

# judged GROUPS METHOD WINDOW BRANCHES OPTION...: judges a recording of so many branches, or of twice and four times as
# many, which a busy machine takes
judged() {
    local times status
    for times in 1 2 4; do
        status=0
        record_groups "$1" "$2" "$3" $(($4 * times))
        judge "${@:5}" || status=$?
        [ $status = 3 ] || break
    done
    had "$(tail -n 1 verdict)"
    [ $status != 3 ] || judge_not "$(tail -n 1 verdict)"
    return $status
}

# refuses TRUTH TEXT: it is not, and says so
refuses() {
    ! "$branch_shares" "$1" data >verdict 2>&1 || fail 'it has not found:' "$2" "$(cat verdict)"
    grep -qF "$2" verdict || fail 'it does not say:' "$2" "$(cat verdict)"
}

# A checker that finds nothing would be content with everything. So it gets wrong truths: one branch
# is more frequent by 5%, or leads elsewhere; another one always leads away.
planted() {
    judged b emulate 200 300000 -b 5
    for line in 3 4 6 8; do
        awk -v line=$line 'NR == line { $4 *= 1.05 } { print }' truth >wrong
        refuses wrong 'wrong: '
    done
    awk 'NR == 5 { $3 = $3 "0" } { print }' truth >wrong
    refuses wrong 'there is no branch'
    sed 's/sometimes/always/' truth >wrong
    refuses wrong 'nothing leads from'
}

# The same with moments that are chosen from outside, of a program that makes no system calls.
from_outside() {
    options=(--moments=outside)
    judged "$@"
    options=()
}

tier long
may_record "$step_record"
check 'a bias of 5% is found when it is there' planted
check 'all sorts of branches in long windows [false alarm: 2e-7]' judged abcdfg emulate 256 1200000 -b 8
check 'in windows of 48 [false alarm: 2e-7]' judged abcdfg emulate 48 240000 -b 10 -m 0.03
check 'in windows of 48, from outside [false alarm: 2e-7]' from_outside abcdfg emulate 48 240000 -b 10 -m 0.03
check 'in windows shorter than loops [false alarm: 2e-7]' judged abcdfg emulate 7 21000 -b 30 -m 0.15
check 'the cases of a switch [false alarm: 2e-7]' judged a emulate 64 320000 -b 5 -m 0.06
check 'calls through pointers [false alarm: 2e-7]' judged c emulate 64 320000 -b 5 -m 0.04
check 'conditional branches [false alarm: 2e-7]' judged d emulate 100 400000 -b 5 -m 0.04
check 'recursion [false alarm: 2e-7]' judged f emulate 100 400000 -b 5 -m 0.04

# A round has 27 branches, of which the last one is behind a system call. Whole rounds have all of
# them equally often, wherever they begin; where windows were cut off, or left out, they would not.
check 'whole rounds with a system call [false alarm: 2e-7]' judged e emulate 54 108000 -b 5

# Other windows begin more often behind the call: that is when the processor is slow, as it has to learn
# again what it forgot in the kernel, and in some virtual machines interrupts that came in the kernel
# are delivered there. How often, perf tells, which is interrupted by the same sort of timer.
# perf_looks FILE: where perf finds the program, an address a line
perf_looks() {
    start "$known_branches" -g e -s 1200
    run 0 perf record -q -e cpu-clock:u -F 20000 -o looks -p "$target" -- sleep 3 # for so long
    stop
    perf script -F ip -i looks >"$1" 2>perf.err || fail "$(cat perf.err)"
}

# On a machine that others use, too, this may change while one looks. Perf is an oracle only where it says the same
# before the recording and after it.
as_perf_sees_it() {
    local try look
    for try in 1 2 3 4 5; do
        perf_looks before
        record_groups e emulate 32 64000
        perf_looks after
        cat before after >both
        for look in before after both; do
            python3 "$tests/support/start_shares.py" truth $look 32 >expected.$look
        done
        if paste expected.before expected.after |
            awk 'NR > 1 { apart = $4 / $9 - 1; if (apart < -0.06 || apart > 0.06) exit 1 }'; then
            mv expected.both truth
            judge -t 12
            had "$(tail -n 1 verdict)"
            return
        fi
    done
    judge_not "perf does not agree with itself, $try times"
}
check_with 'perf python3' 'parts of rounds with a system call [false alarm: 2e-7]' as_perf_sees_it
check 'the same with single steps [false alarm: 2e-7]' judged e step 54 3780 -b 5
check 'all sorts of branches with single steps [false alarm: 2e-7]' judged abcdfg step 48 6240 -b 40 -m 0.15
finish
