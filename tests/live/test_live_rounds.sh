#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A running program gets new code, in several rounds, and its old code back: linked in all three ways,
# by root and by its own user. After the revert no byte of it is different from before.
#
# usage: test_live_rounds.sh ANNEAL UNDISTURBED STEP_RECORD WALK
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
# shellcheck source=tests/live/live.sh
. "$tests/live/live.sh"

begin() {
    prepare "$1" "$2"
    start_target
    keep_memory
}

# What the tests rely on: one byte that differs is found, and a program that is disturbed says so.
notices() {
    begin pie pointers
    expect "$(differing)" 0
    expect "$(added_memory)" '0 0'
    python3 - "$target" <<'END'
import sys
maps = open(f"/proc/{sys.argv[1]}/maps").read().splitlines()
start = int(next(line for line in maps if " r-xp " in line).split("-")[0], 16)
with open(f"/proc/{sys.argv[1]}/mem", "r+b", buffering=0) as memory:
    memory.seek(start)
    byte = memory.read(1)[0]
    memory.seek(start)
    memory.write(bytes([byte ^ 1]))
END
    expect "$(differing)" 1
    stop
}

# has_round NUMBER: says the status
has_round() {
    live 0 --status --json
    is_document out
    expect "$(jq -c '[.pid, .binary, .in_force]' out)" "[$target,\"$program\",$1]"
    jq -e --argjson round "$1" 'any(.rounds[]; .round == $round)' out >/dev/null ||
        fail "$(cat out)"
    live 0 --status
    prints "$target"
}

one_round() {
    begin pie pointers
    a_round
    is_free "$target"
    gets_on
    has_round 1
    [ "$(differing)" -gt 0 ] || fail 'its code is as before'
    revert
    expect "$(in_force)" 0
    ends_well
}

three_rounds() {
    begin "$1" pointers
    a_round --rounds 3
    is_document out
    expect "$(jq -c '[.pid, [.rounds[].round]]' out)" "[$target,[1,2,3]]"
    is_free "$target"
    gets_on
    has_round 3
    [ "$(differing)" -gt 0 ] || fail 'its code is as before'
    [ "$(added_memory)" != '0 0' ] || fail 'it has no new code'
    revert
    [ "$(in_force)" = 0 ]
    ends_well
}

# Each round is a run of its own.
one_by_one() {
    begin "$1" pointers
    for round in 1 2 3; do
        a_round
        expect "$(jq -c '[.rounds[].generation]' out)" "[$round]"
        gets_on
        has_round $round
    done
    revert
    ends_well
}

# Threads that were in new code, or will return there, leave it before it goes.
has_nothing_left() {
    live 0 --revert
    found -q nothing out
}

after_a_revert() {
    begin "$1" pointers
    a_round
    revert
    await has_nothing_left
    expect "$(differing)" 0
    a_round --rounds 2
    gets_on
    [ "$(in_force)" -gt 0 ]
    revert
    ends_well
}

dry_run() {
    begin pie pointers
    live 0 --profile "$profile" --dry-run
    expect "$(differing)" 0
    expect "$(added_memory)" '0 0'
    expect "$(in_force)" 0
    gets_on
    live 0 --profile "$profile" --dry-run --json
    jq -e '.rounds[0].functions > 0' out >/dev/null || fail "$(cat out)"
    ends_well
}

# Without a profile, what runs now is recorded; without --keep-anyway, it may be reverted.
recorded() {
    begin fixed thrower
    live 0 -q --duration 1s --overhead=40% --thin --keep-anyway --json
    expect "$(jq -c '[.rounds[].round]' out)" '[1]'
    gets_on
    live 0 -q --duration 1s --overhead=40% --thin --json
    gets_on
    revert
    ends_well
}

huge_pages() {
    begin pie pointers
    a_round --huge-pages
    gets_on
    a_round --huge-pages
    gets_on
    revert
    ends_well
}

# counts FACTOR: from now on
counts() {
    echo "$1" >factor.new
    mv factor.new factor
}

# counted FACTOR: `sh counter` prints how often the threads have got round, in new code so many times as often
counted() {
    echo 0 0 >count
    counts "$1"
    cat >counter <<SCRIPT
read -r before sum <count
new=\$('$anneal' live --state-dir '$state' -p $target --status --json | jq .in_force)
od -An -v -t u8 -w8 board | awk -v before=\$before -v sum=\$sum -v factor=\$([ \$new = 0 ] && echo 1 || cat factor) '
    NR > 1 && NR % 4 == 1 { rounds += \$1 }
    END { printf "%.0f %.0f\\n", rounds, sum + (rounds - before) * factor }' >next
mv next count
cut -d' ' -f2 count
SCRIPT
}

# judged ARGUMENT...: by the counter
judged() {
    live 0 -q --json --duration 1s --profile "$profile" --counter 'sh counter' --worth-time=12s "$@"
    jq -c '.rounds[] | [.unit, .outcome, .worse, .kept]' out
}

# A layout in which the counter tells of less work in the same time is taken back; another one stays.
is_judged() {
    begin fixed pointers
    counted 0.1
    expect "$(judged)" '["counter","worse",true,false]'
    expect "$(in_force)" 0
    expect "$(differing)" 0
    counted 10
    expect "$(judged)" '["counter","better",false,true]'
    jq -e '.rounds[0] | .gain.low > 2 and .gain.high < 50 and .switches >= 12' out >/dev/null || fail "$(cat out)"
    expect "$(in_force)" 1
    revert
    counted 0.1
    expect "$(judged --keep-anyway)" '["counter","worse",true,true]'
    expect "$(in_force)" 1
    live 1 --profile "$profile" --counter false
    says '--counter' 'status 1'
    live 1 --profile "$profile" --counter 'echo many'
    says "not printed a number but 'many'"
    live 1 --profile "$profile" --counter 'kill -SEGV $$'
    says 'signal 11'
    # one that hangs, here in a sleep without an end, is ended, with what it has started; what stays in the background keeps nobody waiting
    live 1 --profile "$profile" --counter "sleep 1000 | tail -f $PWD/counter"
    says 'within 60 seconds; tail ('
    expect "$(pgrep -f "tail -f $PWD/counter" || :)" ''
    # (it sleeps for longer than a counter may take: whoever waits for it fails)
    live 0 --dry-run --profile "$profile" --counter 'echo 1; sleep 30 & echo 2'
    revert
    ends_well
}

# functions_of ROUND: how many its layout has
functions_of() {
    live 0 --status --json
    jq --argjson round "$1" '.rounds[] | select(.round == $round) | .functions' out
}

# later_counted FACTOR: `sh counter`, by which the first layout does so many times the work of the others
later_counted() {
    counted "$1"
    sed -i "s/ = 0 \] && echo 1 || cat factor/ = 1 ] \&\& cat factor || echo 1/" counter
    grep -qF " = 1 ] && cat factor || echo 1" counter
}

# A later one that does not pay makes room for the one before it, which is there still.
later_is_judged() {
    begin fixed pointers
    head -n 40 "$profile" >less
    live 0 -q --profile "$profile" --keep-anyway
    local functions
    functions=$(functions_of 1)
    later_counted 10
    live 0 -q --json --duration 1s --profile less --counter 'sh counter' --worth-time=18s
    expect "$(jq -c '.rounds[] | [.worse, .generation, .instead, .functions < $functions]' \
        --argjson functions "$functions" out)" '[true,2,1,true]'
    jq -e '.rounds[0] | .gain_on_before.high < 0.5' out >/dev/null || fail "$(cat out)"
    expect "$(in_force)" 1
    expect "$(functions_of 1)" "$functions"
    gets_on
    revert
    ends_well
}

# has_looked TIMES: or has ended
has_looked() {
    [ "$(grep -c 'of the profile is unchanged' front.err)" -ge "$1" ] || ! kill -0 "$front" 2>/dev/null
}

# watched LOOKS: --continuous, until it has looked so often; the rounds are in front.out. It ends with the
# process.
watched() {
    "$anneal" live --state-dir "$state" -p "$target" --continuous --duration 1s --overhead=40% --thin \
        --interval=1000.5ms --threshold=40% --keep-anyway --json >front.out 2>front.err &
    local front=$! status=0
    await has_looked "$1" || fail 'it does not look:' "$(cat front.err)"
    kill -0 $front || fail 'it has ended:' "$(cat front.err)"
    ends_well
    wait $front || status=$?
    expect $status 0
}

# The work is always the same: one round, and no other.
is_steady() {
    begin fixed pointers
    watched 3
    is_document front.out
    expect "$(jq -c '[.round, .generation]' front.out)" '[1,1]'
}

# rare: of the profile, the functions that have least, a tenth of it altogether
rare() {
    awk '{ sum[$2] += $8; all += $8 }
        END { for (name in sum) print sum[name], all, name | "sort -n" }' "$profile" |
        awk '(had += $1) <= $2 / 10 { print $3 }' >names
    awk 'NR == FNR { rare[$1]; next } $2 in rare' names "$profile"
}

# The layout in force was made for something else: one round, after which it fits.
is_changed() {
    begin fixed pointers
    rare >rare.fdata
    live 0 -q --profile rare.fdata --keep-anyway
    watched 3
    expect "$(jq -c '[.round, .generation]' front.out)" '[1,2]'
}

# told FILTER: the watcher has printed a line for which that is true, or has ended
told() {
    jq -es "any(.[]; $1)" front.out >/dev/null || ! kill -0 "$front" 2>/dev/null
}

# says_once FILTER: waits for that line
says_once() {
    await told "$1"
    kill -0 "$front" 2>/dev/null || fail 'it has ended:' "$(cat front.err)"
}

# The process does less than at first: as long as the layout is a gain, it stays, and when it is none any more, the
# original code runs again, and there is another round.
is_checked() {
    begin fixed pointers
    counted 20
    "$anneal" live --state-dir "$state" -p "$target" --continuous --duration 1s --overhead=40% --thin --interval=1s \
        --threshold=1% --counter 'sh counter' --worth-time=8s --json >front.out 2>front.err &
    local front=$!
    says_once '.round == 1 and .kept'
    # when the second look has begun, the first one has counted
    await has_looked 2 || fail 'it does not look:' "$(cat front.err)"
    counts 5
    says_once '.checked == 1'
    told '.checked == 1 and .kept and .outcome == "better" and .change.high < 0.97' || fail "$(cat front.out)"
    local looks
    looks=$(grep -c 'of the profile is unchanged' front.err)
    await has_looked $((looks + 2)) || fail 'it does not look:' "$(cat front.err)"
    counts 0.1
    says_once '.checked == 1 and .worse'
    says_once '.round == 2'
    # On a busy machine it may have done less once more, and then there were turns once more: each had its reason.
    expect "$(jq -sc 'reduce .[] as $line ([]; [$line | .round, .checked, .kept] as $next |
        if last == $next then . else . + [$next] end)' front.out)" \
        '[[1,null,true],[null,1,true],[null,1,false],[2,null,false]]'
    expect "$(jq -sc 'all(.[] | select(.checked); .change.high < 0.97)' front.out)" true
    kill -0 $front || fail 'it has ended:' "$(cat front.err)"
    expect "$(in_force)" 0
    ends_well
    wait $front
}

# has_made ROUNDS: or has ended
has_made() {
    [ "$(in_force)" -ge "$1" ] || ! kill -0 "$front" 2>/dev/null
}

# Until it is interrupted
continuous() {
    begin fixed pointers
    env --default-signal=INT "$anneal" live --state-dir "$state" -p "$target" -q --continuous \
        --duration 1s --overhead=40% --interval=1s --threshold=100% --keep-anyway >front.out 2>&1 &
    local front=$! status=0
    await has_made 2 || fail 'it makes no second round:' "$(cat front.out)"
    kill -0 $front || fail 'it has ended:' "$(cat front.out)"
    kill -INT $front
    wait $front || status=$?
    expect $status 0
    is_free "$target"
    gets_on
    [ "$(in_force)" -ge 2 ] || fail 'it makes no second round:' "$(cat front.out)"
    revert
    ends_well
}

# A process that was stopped before stays so.
stopped() {
    begin pie pointers
    kill -STOP "$target"
    local status=0
    "$anneal" live --state-dir "$state" -p "$target" -q --profile "$profile" --keep-anyway \
        >out 2>err || status=$?
    [ $status -le 1 ] || fail "status $status:" "$(cat err)"
    grep -q '^State:.*T (stopped)' "/proc/$target/status" || fail "$(grep State "/proc/$target/status")"
    kill -CONT "$target"
    gets_on
    revert
    ends_well
}

# A user who may use this folder, but has none of root's rights.
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)

own_process() {
    prepare pie pointers
    chmod 711 "$scratch"
    chmod 777 .
    cp "$anneal" anneal
    cp "$program" target
    cp "$profile" profile
    chmod 755 anneal target
    chmod 644 profile
    program=$PWD/target
    start_target "${as_nobody[@]}"
    keep_memory
    local own=("${as_nobody[@]}" ./anneal live --state-dir "$PWD/own" -p "$target")
    run 0 "${own[@]}" -q --profile profile --keep-anyway --rounds 2 --json
    expect "$(jq -c '[.rounds[].round]' out)" '[1,2]'
    gets_on
    run 0 "${own[@]}" --status --json
    expect "$(jq .in_force out)" 2
    run 0 "${own[@]}" -q --revert
    expect "$(differing)" 0
    gets_on
    ends_well
}

may_live
check 'one round and a revert' one_round
check 'a byte that differs is found' notices
check 'a dry run changes nothing' dry_run
if [ "$(id -u)" = 0 ]; then
    check_with setpriv 'a user has a process of their own' own_process
else
    skip 'a user has a process of their own' 'only root can start one'
fi

tier long
for kind in fixed pie static; do
    check "three rounds and a revert ($kind)" three_rounds $kind
    check "one round after the other ($kind)" one_by_one $kind
    check "a round after a revert ($kind)" after_a_revert $kind
done
check 'a round that is recorded' recorded
check 'huge pages' huge_pages
check 'until it is interrupted' continuous
check 'a layout that does not pay is taken back' is_judged
check 'a later one makes room for the one before' later_is_judged
check 'work that stays the same is left alone, until it ends' is_steady
check 'work that is another one gets another layout' is_changed
check 'a layout that was a gain and is none any more' is_checked
check 'a process that is stopped' stopped
finish
