#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Root and another user's process: what the user has put anywhere does no harm, what root makes of the
# program nobody else can read, and llvm-bolt runs as the user.
#
# usage: test_live_others.sh ANNEAL UNDISTURBED STEP_RECORD WALK
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
# shellcheck source=tests/live/live.sh
. "$tests/live/live.sh"

owner=65534
as_owner=(setpriv "--reuid=$owner" "--regid=$owner" --clear-groups)
as_third=(setpriv --reuid=65533 --regid=65533 --clear-groups)

# begin [NAME]: pointers, as a program of mode 0700 of the user's, which runs
begin() {
    prepare pie pointers
    chmod 711 "$scratch" .
    install -o "$owner" -g "$owner" -m 700 -d house
    install -o "$owner" -g "$owner" -m 700 "$program" "house/${1:-program}"
    program=$PWD/house/${1:-program}
    state=$PWD/state
    touch board
    chmod 666 board
    start "${as_owner[@]}" "$program" "$PWD/board"
    waits_for board
    gets_on
}

# A hang is a failure: nothing here takes minutes.
in_time() {
    run "$1" timeout -k 1 120 "$anneal" live --state-dir "$state" -p "$target" "${@:2}"
}

# own_folder LINE...: the user's folder, with a state of these lines
own_folder() {
    own=$state/$(stat -Lc %i /proc/self/ns/pid)-$target-$(cut -d" " -f22 "/proc/$target/stat")
    mkdir -p "$own"
    {
        echo 'anneal-live 1'
        echo "boot $(cat /proc/sys/kernel/random/boot_id)"
        printf '%s\n' "$@"
    } >"$own/state"
    chown -R "$owner:$owner" "$own"
    chmod 711 "$state"
    chmod 700 "$own"
}

# ---- what the user puts where root looks ----

# looks_at FILE STATUS: a layout of this name is in the state
looks_at() {
    own_folder "generation 1 $1"
    in_time "$2" --status
    in_time "$2" --revert
}

hostile_layouts() {
    begin
    mkfifo fifo
    chown "$owner" fifo
    looks_at "$PWD/fifo" 1
    says "$PWD/fifo" 'regular file'
    looks_at /dev/zero 1
    says /dev/zero 'regular file'
    ln -s "$program" link
    looks_at "$PWD/link" 1
    says 'symbolic link'
    looks_at "$PWD" 1
    install -o 65533 -m 644 "$program" foreign
    looks_at "$PWD/foreign" 1
    says 'belongs to user 65533'
    install -m 644 "$program" rooted # which the process does not have mapped
    looks_at "$PWD/rooted" 1
    says 'belongs to user 0'
    truncate -s 17G house/large
    chown "$owner" house/large
    looks_at "$PWD/house/large" 1
    says 'at most'
    looks_at "$own/../../fifo" 0 # names that lead up are none
    looks_at "$PWD/no-such-file" 0
    gets_on
    ends_well
}

hostile_state() {
    begin
    own_folder
    rm "$own/state"
    mkfifo "$own/state"
    in_time 0 --status
    rm "$own/state"
    truncate -s 3G "$own/state"
    in_time 1 --status
    says 'at most'
    own_folder
    chown 65533 "$own/state"
    in_time 1 --status
    says 'belongs to user 65533'
    gets_on
    ends_well
}

# In its place lies a FIFO; "(deleted)" is what the kernel adds to the name of a file that is gone.
hostile_library() {
    prepare pie thrower
    mkdir lib
    cp "$(gcc -print-file-name=libgcc_s.so.1)" lib/
    LD_LIBRARY_PATH=$PWD/lib start_target
    keep_memory
    rm lib/libgcc_s.so.1
    mkfifo 'lib/libgcc_s.so.1 (deleted)'
    in_time 1 -q --keep-anyway --profile "$profile"
    says 'unwinder'
    expect "$(differing)" 0
    run 0 timeout -k 1 120 "$anneal" record -q --method=step --branches=32 -o recording -p "$target"
    gets_on
    ends_well
}

# ---- what others can see ----

# A llvm-bolt that says as whom it runs, and waits to be looked at.
make_bolt() {
    mkdir meet
    chmod 777 meet
    cat >bolt <<END
#!/bin/bash
{ id -u; id -g; id -G; awk '/^NoNewPrivs/ { print \$2 }' /proc/self/status; ulimit -Hc; } >$PWD/meet/who
{ ulimit -Hv; ulimit -Ht; ulimit -Hf; } >$PWD/meet/limits
env >$PWD/meet/environment
ls -l /proc/self/fd >$PWD/meet/files
: >$PWD/meet/here
until [ -e $PWD/meet/go ]; do sleep 0.01; done
$llvm_bolt "\$@"
END
    chmod 755 bolt
}

# readable FOLDER: what a third user can read of it, by its name
readable() {
    find "$1" >names
    # shellcheck disable=SC2016 # the shell of that user expands it
    "${as_third[@]}" bash -c 'while read -r name; do [ ! -r "$name" ] || echo "$name"; done' <names
    find "$1" -type f -perm /077
}

during_a_round() {
    begin
    make_bolt
    local one status=0
    SECRET=x "$anneal" live -q --state-dir "$state" --bolt "$PWD/bolt" --keep-anyway -p "$target" \
        --profile "$profile" --bolt-option=--no-threads >out 2>err &
    one=$!
    await [ -e meet/here ]
    expect "$(find "$state" -name '*.input' | wc -l)" 1
    expect "$(readable "$state")" ''
    # two at once, whatever folder each has
    local other
    for other in "$state" "$PWD/elsewhere"; do
        run 1 "$anneal" live --state-dir "$other" -p "$target" --revert
        says 'another anneal'
    done
    touch meet/go
    wait $one || status=$?
    [ $status -eq 0 ] || fail "status $status" "$(cat err)"
    expect "$(tr '\n' ' ' <meet/who)" "$owner $owner $owner 1 0 "
    ! grep unlimited meet/limits || fail 'no limits'
    ! grep SECRET meet/environment || fail 'the environment of root'
    ! grep -F "$state/" meet/files | grep -v '[12] -> .*\.log' || fail 'open files'
    expect "$(readable "$state")" ''
    ! grep -r '^bias' "$state" || fail 'tells where the program is'
    live 0 --status --json
    expect "$(jq '.in_force' out)" 1
    gets_on
    # its own user may look, and take it back
    install -m 755 "$anneal" tool
    run 0 "${as_owner[@]}" ./tool live --state-dir "$state" -p "$target" --status --json
    expect "$(jq '.in_force' out)" 1
    # another file in the place of the one that is mapped
    local layout
    layout=$(jq -r '.rounds[0].file' out)
    rm "$layout"
    mkfifo "$layout"
    in_time 0 --status --json
    expect "$(jq '.in_force' out)" 1
    in_time 0 -q --revert
    expect "$(find "$state" -mindepth 1)" ''
    gets_on
    ends_well
}

# The user needs nobody for his own process.
own_process() {
    begin
    install -m 755 "$anneal" tool
    install -m 644 "$profile" profile
    run 0 "${as_owner[@]}" ./tool live -q --state-dir "$PWD/house/state" -p "$target" --keep-anyway \
        --profile profile
    expect "$(readable house)" ''
    find house/state -type d -perm /077 >open
    expect "$(cat open)" ''
    state=$PWD/house/state
    live 0 --status --json # root sees it
    expect "$(jq '.in_force' out)" 1
    run 0 "${as_owner[@]}" ./tool live -q --state-dir "$state" -p "$target" --revert
    expect "$(find house/state -mindepth 1)" ''
    gets_on
    ends_well
}

# The folder above is closed to the user.
closed_folder() {
    begin
    mkdir -m 700 closed
    state=$PWD/closed/state
    in_time 1 -q --keep-anyway --profile "$profile"
    says "user $owner" '--state-dir'
    expect "$(find closed -mindepth 2)" ''
    gets_on
    ends_well
}

is_asked_twice() {
    [ "$(grep -c '' masks)" = 2 ]
}

# The counter is asked when the recording begins, and when there is a new layout: then it waits to be looked at.
recorded() {
    begin
    mkfifo counter
    "$anneal" live -q --state-dir "$state" -p "$target" --duration 3s --overhead=40% --thin --keep-anyway \
        --counter "umask >>$PWD/masks; cat $PWD/counter" >out 2>err &
    local one=$!
    echo 1 >counter
    await is_asked_twice
    expect "$(find "$state" -type f -name profile.fdata | wc -l)" 1
    expect "$(readable "$state")" ''
    expect "$(sort -u masks)" "$(umask)"
    # one that never answers keeps nobody from ending, and nothing of it stays
    kill -TERM "$one"
    wait "$one" && fail 'status 0' "$(cat err)"
    says 'interrupted'
    expect "$(pgrep -f "$PWD/counter" || :)" ''
    gets_on
    ends_well
}

# ---- the lock ----

# Anybody can have the name that was the lock once.
taken_name() {
    begin
    python3 -c "
import os, socket, time
os.setresuid(65533, 65533, 65533)
taken = socket.socket(socket.AF_UNIX)
taken.bind('\0anneal-live-$target-$(cut -d' ' -f22 "/proc/$target/stat")')
print('taken', flush=True)
time.sleep(1000)" >taken 2>&1 &
    thief=$!
    trap 'kill -KILL $target $thief 2>/dev/null || :' EXIT
    waits_for taken
    in_time 0 -q --keep-anyway --profile "$profile"
    in_time 0 -q --revert
    kill $thief
    gets_on
    ends_well
}

# ---- names ----

# no_controls FILE...
no_controls() {
    ! LC_ALL=C grep -nP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$@" || fail 'control characters'
}

names_of_any_kind() {
    begin $'a\e]0;gotcha\a\tb\xc2\x9b2J'
    in_time 0 --status
    prints 'a?]0;gotcha??b??2J'
    no_controls out err
    in_time 0 --status --json
    jq -r .binary out | found -F "$program" || fail "$(cat out)"
    ! grep -nP '[\x00-\x09\x0b-\x1f]' out || fail 'control characters'
    in_time 1 --binary "$program"$'\e[2J'
    says 'gotcha'
    no_controls err
    looks_at "$program"$'\e[2J' 0
    mkfifo "$PWD/"$'x\e[2J'
    looks_at "$PWD/"$'x\e[2J' 1
    no_controls err
    "$anneal" doctor -p "$target" >out 2>err || :
    no_controls out err
    gets_on
    ends_well
}

may_live
if [ "$(id -u)" != 0 ]; then
    skip "another user's process" 'only root has to do with such'
    finish
fi
check_with setpriv 'layouts that are no files, or not the right ones' hostile_layouts
check_with setpriv 'a state that is no file, or endless' hostile_state
check 'an unwinder whose file is a FIFO by now' hostile_library
check_with setpriv 'during a round, and after it' during_a_round
check_with setpriv "the user's own process" own_process
check_with setpriv 'a folder that is closed to the user' closed_folder
check_with setpriv 'a name that somebody has taken' taken_name
check_with setpriv 'names of any kind' names_of_any_kind
tier long
check_with setpriv 'recordings' recorded
finish
