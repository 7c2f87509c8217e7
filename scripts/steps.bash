# SPDX-License-Identifier: Apache-2.0
#
# Sourced by scripts that run several checks, one after the other, whatever became of those before, and count what
# passed and failed in all of them ($passed, $failed). What a check prints is shown, and kept in the file $log.
# shellcheck shell=bash disable=SC2154

passed=0
failed=0

# run_step COMMAND...: runs it and tells how it went
run_step()
{
    local status start=$SECONDS
    printf '\n##### %s\n' "$*"
    "$@" 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    printf '##### %s: exit status %d after %d s\n' "$*" "$status" $((SECONDS - start))
    return "$status"
}

# check_step COMMAND...: counts as one
check_step()
{
    if run_step "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        return 1
    fi
}

# tests_step COMMAND...: counts as its last line "N passed, N failed" says; without one, or with an exit status that does
# not agree with it, there is one more failure
tests_step()
{
    local status=0 counts
    run_step "$@" || status=$?
    counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
    if [ -z "$counts" ]; then
        echo "$*: no line with counts"
        failed=$((failed + 1))
        return 1
    fi
    passed=$((passed + ${counts%% *}))
    counts=${counts#*, }
    counts=${counts%% *}
    [ "$status" -eq 0 ] || [ "$counts" -gt 0 ] || counts=1
    failed=$((failed + counts))
    [ "$counts" -eq 0 ]
}

# end_of_steps: the last line; its status is 0 when nothing failed
end_of_steps()
{
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
