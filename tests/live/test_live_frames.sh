#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Exceptions through new code: unwinders find its frames by a table that the dynamic linker names to them, and nothing
# is registered with them, which would make every later exception slower. Where that cannot be, anneal says so first.
#
# usage: test_live_frames.sh ANNEAL UNDISTURBED STEP_RECORD WALK
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
# shellcheck source=tests/live/live.sh
. "$tests/live/live.sh"

# prepare_thrower KIND: with a profile in which each of its functions is called
prepare_thrower() {
    prepare "$1" thrower
    [ ! -e "$profile.all" ] || return 0
    nm "$program" | awk '$2 == "t" && $3 ~ /^_ZN12_GLOBAL__N_1/ { print "1 main 0 1 " $3 "/1 0 0 1000" }' \
        >"$profile.all"
    cat "$profile.all" >>"$profile"
}

# begin KIND [WITH]...
begin() {
    prepare_thrower "$1"
    start_target "${@:2}"
    keep_memory
}

# the dynamic linker, as the process has it
linker() {
    awk '$6 ~ /\/ld-linux/ { print $6; exit }' "/proc/$target/maps"
}

keep_linker() {
    python3 "$live_tests/memory.py" keep "$target" "$(linker)" linker
}

linker_differs() {
    python3 "$live_tests/memory.py" differ "$target" linker
}

# round registered|table
round() {
    a_round "${@:2}"
    jq -e --arg how "$1" '.rounds[0] | .unwinders > 0 and .frames_registered == ($how == "registered")' \
        out >/dev/null || fail "not by $1:" "$(cat out)"
    gets_on
}

# At the end, the linker's record is what it was, and no page is left.
by_table() {
    begin "$1"
    keep_linker
    round table
    [ "$(linker_differs)" -gt 0 ] || fail 'the record of the program is as it was'
    round table --huge-pages
    round table
    gets_on
    revert
    expect "$(linker_differs)" 0
    expect "$(added_memory)" '0 0'
    gets_on
    round table
    revert
    expect "$(linker_differs)" 0
    ends_well
}

by_registration() {
    begin "$1"
    round registered
    round registered
    revert
    expect "$(added_memory)" '0 0'
    ends_well
}

# Other code lies between the program and new code: its frames would be looked for in the program's table.
library_in_the_way() {
    gcc -shared -fPIC "$live_tests/in_the_way.c" -o in_the_way.so
    begin fixed env LD_PRELOAD="$PWD/in_the_way.so"
    keep_linker
    live 1 -q --profile "$profile" --keep-anyway
    says 'exceptions in several threads' '--slow-exceptions'
    expect "$(differing)" 0
    expect "$(added_memory)" '0 0'
    round registered --slow-exceptions
    expect "$(linker_differs)" 0
    revert
    ends_well
}

# A process in a root of its own, a folder whose name is a way back to it in there. The kernel names its libraries by
# that folder.
in_another_root() {
    local root=$PWD/root file
    prepare_thrower pie
    mkdir -p "$root$PWD"
    ln -s / "$root$root"
    for file in $(ldd "$program" | grep -o '/[^ ]*') "$program"; do
        mkdir -p "$root$(dirname "$file")"
        cp -L "$file" "$root$file"
    done
    state=$root/state
    start chroot "$root" "$program" /board
    waits_for "$root/board"
    ln -s "$root/board" board
    gets_on
    keep_memory
    round table
    revert
    ends_well
}

may_live
if ! nm -D "$(gcc -print-file-name=libgcc_s.so.1)" 2>/dev/null | found 'U _dl_find_object'; then
    skip 'frames in a table' "GCC's unwinder does not ask the dynamic linker: GCC 12 and glibc 2.35 do"
else
    check 'frames in a table (pie)' by_table pie
    check 'a library in the way' library_in_the_way
    if [ "$(id -u)" = 0 ]; then
        check 'in another root' in_another_root
    else
        skip 'in another root' 'only root can change it'
    fi
    tier long
    check 'frames in a table (fixed)' by_table fixed
    check 'frames that are registered (static)' by_registration static
fi
finish
