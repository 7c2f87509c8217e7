#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal faults, with a program that touches a known number of pages of its text: what is counted, in
# children too; what is cold and what is not; comparisons; commands that fail, do not end, or cannot
# be measured; machines on which counting is forbidden.
#
# usage: test_faults.sh ANNEAL FORBIDDING
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
forbidding=$(realpath "$2")
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

if ! have gcc jq; then
    skip 'faults' "missing:$missing"
    finish
fi

# It needs a disk, for what is in memory anyway cannot be cold.
case $(stat -f -c %T "$scratch") in
tmpfs | ramfs)
    skip 'faults' "$scratch is in memory; set TMPDIR to a folder on a disk"
    finish
    ;;
esac

# touch N [HOW]: executes code on N pages of its text, behind a gap on both sides. The system is told
# that it goes about at random on these, one by one, so that it reads no other page with them: every one
# is a major fault when the page cache is cold.
made=$scratch/made
mkdir "$made"
cat >"$made/touch.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
__asm__(".text\n"
        ".balign 4096\n"
        ".skip GAP, 0xcc\n"
        "far_text:\n"
        ".rept PAGES\n"
        "1: movl $1, %eax\n"
        "   ret\n"
        "   .skip STEP - (. - 1b), 0xcc\n"
        ".endr\n"
        ".skip GAP, 0xcc\n");
extern char far_text[];
static int first, end;
static int touch(void)
{
    int sum = 0;
    for (int i = first; i < end; i++)
        sum += ((int (*)(void))(far_text + (size_t)i * STEP))();
    return sum;
}
static void *thread(void *nothing)
{
    touch();
    return nothing;
}
int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "";
    int status = 0;
    pthread_t other;
    first = strcmp(how, "exec-child") == 0 ? 5 : 0;
    end = first + atoi(argv[1]);
    for (int i = first; i < end; i++)
        if (madvise(far_text + (size_t)i * STEP, 4096, MADV_RANDOM) != 0)
            return 9;
    if (strcmp(how, "fork") == 0) {
        if (fork() == 0)
            _exit(touch() != end);
        wait(&status);
    } else if (strcmp(how, "thread") == 0) {
        pthread_create(&other, NULL, thread, NULL);
        pthread_join(other, NULL);
    } else if (strcmp(how, "exec") == 0) {
        if (fork() == 0) {
            execl(argv[0], argv[0], argv[1], "exec-child", (char *)NULL);
            _exit(9);
        }
        wait(&status);
        touch();
    } else if (strcmp(how, "wait") == 0) {
        touch();
        pause();
    } else if (strcmp(how, "print") == 0) {
        printf("%d pages\n", touch());
        fprintf(stderr, "said\n");
    } else {
        touch();
    }
    return status != 0;
}
END

# The gaps are wider than anything that is read at once.
disk=$(stat -c '%Hd:%Ld' "$scratch")
ahead=$(cat "/sys/dev/block/$disk/queue/read_ahead_kb" "/sys/dev/block/$disk/../queue/read_ahead_kb" \
    "/sys/class/bdi/$disk/read_ahead_kb" 2>/dev/null | first)
gap=$((${ahead:-8192} < 4096 ? 8 << 20 : ${ahead:-8192} * 2048))
if [ $gap -gt $((64 << 20)) ]; then
    skip 'faults' "the disk of $scratch reads $ahead KB ahead"
    finish
fi
build() {
    gcc -O1 -pthread -Wa,--defsym,PAGES=40,--defsym,STEP=65536,--defsym,GAP=$gap -DSTEP=65536 \
        -o "$1" "$made/touch.c"
}
build "$made/touch"

# figure FIELD [BINARY]: a median of the JSON in out
figure() {
    jq ".binaries[${2:-0}].summary.$1.median" out
}

if "$anneal" faults -n1 -- "$made/touch" 1 >/dev/null 2>"$scratch/err"; then
    can_count=yes
else
    can_count=no
    grep -q 'cannot count page faults' "$scratch/err" || cat "$scratch/err"
fi

# check_counting 'what is claimed' function [argument]...
check_counting() {
    if [ $can_count = yes ]; then
        check "$@"
    elif grep -q 'cannot count page faults' "$scratch/err"; then
        skip "$1" 'page faults cannot be counted here'
    else
        check "$1" fail "$(cat "$scratch/err")"
    fi
}

# Some pages of the start are added, the same ones whatever is touched.
counts_pages() {
    local few many
    run 0 "$anneal" faults --json -n3 -- "$made/touch" 5 "$@"
    few=$(figure text_major)
    [ "$few" -ge 5 ] && [ "$few" -le 9 ] || fail "$few major faults"
    expect "$(figure text_before)" 0
    local resident
    resident=$(figure text_after)
    run 0 "$anneal" faults --json -n3 -- "$made/touch" 25 "$@"
    many=$(figure text_major)
    expect $((many - few)) 20
    expect "$(figure text_major_pages)" "$many"
    expect $(($(figure text_after) - resident)) 20
    expect "$(jq '.binaries[0].runs | map(.lost) | add' out)" 0
    expect "$(jq '.binaries[0].runs[0] | .text_major == .files[0].text_major' out)" true
    expect "$(jq '.binaries[0].runs | length' out)" 3
}

# A child that executes the program again touches 10 other pages, of which 5 are the same.
counts_children_that_exec() {
    run 0 "$anneal" faults --json -n3 -- "$made/touch" 10
    local alone
    alone=$(figure text_major)
    run 0 "$anneal" faults --json -n3 -- "$made/touch" 10 exec
    expect $(($(figure text_major) - alone)) 5
    [ "$(figure text_minor)" -ge 5 ]
}

# What is in memory costs no major faults, but it has to be mapped.
warm() {
    run 0 "$anneal" faults --warm --json -n3 -- "$made/touch" 25
    expect "$(figure text_major)" 0
    [ "$(figure text_minor)" -ge 25 ]
    [ "$(figure text_before)" -ge 25 ]
}

# waits PID: the program has touched its pages
waits() {
    [ "$(cat "/proc/$1/comm")" = touch ] && grep -q ' S ' "/proc/$1/stat"
}

# While somebody else runs it, it is not cold; a copy is.
copies() {
    cp "$made/touch" .
    ./touch 3 wait &
    other=$!
    trap 'kill $other' EXIT
    await waits $other
    run 1 "$anneal" faults -- ./touch 5
    says 'stay in memory' 'another process runs it' '--copy'
    run 0 "$anneal" faults --copy --json -n2 -- ./touch 5
    expect "$(figure text_before)" 0
    [ "$(figure text_major)" -ge 5 ]
    jq -r '.binaries[0].files[0].path' out | found '/touch$'
    expect "$(find . -name '.anneal*')" ''
}

compares() {
    build other
    run 0 "$anneal" faults --json -n2 --copy --against ./other --against ./other -- "$made/touch" 5
    expect "$(jq '.binaries | length' out)" 3
    expect "$(figure text_major 0)" "$(figure text_major 2)"
    run 0 "$anneal" faults -n2 --against ./other -- "$made/touch" 5
    expect "$(grep -c '1\.00.*[/]\(touch\|other\)$' out)" 2
    run 2 "$anneal" faults --binary "$made/touch" --against ./other -- ./script
    says '--binary' 'cannot be used together'
    run 2 "$anneal" faults --binary "$made/touch" --copy -- ./script
    says '--binary' 'cannot be used together'
}

scripts_need_a_file() {
    printf '#!/bin/sh\necho from the script\n"%s" 5 print\n' "$made/touch" >script
    chmod +x script
    run 1 "$anneal" faults -- ./script
    says 'not an ELF file' '--binary=FILE'
    run 0 "$anneal" faults --json -n2 --binary "$made/touch" -- ./script
    [ "$(figure text_major)" -ge 5 ]
    never_says 'said'
    run 0 "$anneal" faults -n1 --binary "$made/touch" --show-output -- ./script
    prints 'from the script' '5 pages'
    says 'said'
    run 0 "$anneal" faults -n1 --json --binary "$made/touch" --show-output -- ./script
    says 'from the script' '5 pages'
    jq -e . out >/dev/null
}

# A library that all programs share is not cold; what was in memory is told.
libraries() {
    local library
    library=$(ldd "$made/touch" | awk '/libc\.so/ { print $3 }')
    run 0 "$anneal" faults --json -n2 --with "$library" -- "$made/touch" 5
    expect "$(jq '.binaries[0].files | length' out)" 2
    expect "$(jq '.binaries[0].runs[0] | .files[0].text_minor + .files[1].text_minor == .text_minor' out)" true
    [ "$(jq '.binaries[0].runs[0].files[1].text_minor' out)" -gt 0 ]
    run 0 "$anneal" faults -n2 --with "$library" -- "$made/touch" 5
    prints 'text of'
}

failures() {
    cp "$(type -P false)" no
    run 1 "$anneal" faults -- ./no
    says './no failed with exit status 1' '--ignore-failure'
    run 0 "$anneal" faults -n2 -i --json -- ./no
    expect "$(jq -c '.binaries[0].runs | map(.exit_status)' out)" '[1,1]'
    run 1 "$anneal" faults -- ./no-such-program
    says 'no-such-program'
    run 1 "$anneal" faults -- no-such-program
    says 'no-such-program: cannot find the command'
    run 1 "$anneal" faults --with no-such-library -- "$made/touch" 5
    says 'no-such-library'
    run 1 "$anneal" faults --with "$made/touch.c" -- "$made/touch" 5
    says 'not an ELF file'
    run 2 "$anneal" faults
    says 'no command to run'
    run 2 "$anneal" faults -n0 -- "$made/touch" 5
    run 1 "$anneal" faults -n1 --prepare 'exit 3' -- "$made/touch" 5
    says '--prepare failed with exit status 3'
}

prepares() {
    # shellcheck disable=SC2016
    run 0 "$anneal" faults -n3 --json --prepare "echo again >>times; cat '$made/touch'" -- \
        "$made/touch" 5
    expect "$(wc -l <times)" 3
    expect "$(figure text_before)" 0
}

# A binary that is not the same any more would have no faults.
prepare_replaces_it() {
    cp "$made/touch" .
    run 1 "$anneal" faults -n2 --prepare "cp -f '$made/touch' new && mv new touch" -- ./touch 5
    says '/touch: replaced or changed'
}

# What is in memory is copied to a disk.
in_memory() {
    local folder status=0
    folder=$(mktemp -d -p /dev/shm anneal-test.XXXXXX)
    cp "$made/touch" "$folder"
    mkdir temporary
    {
        run 1 "$anneal" faults -- "$folder/touch" 5 &&
            says 'on a file system in memory' 'TMPDIR' '--copy' &&
            run 0 env TMPDIR="$PWD/temporary" "$anneal" faults --copy --json -n2 -- \
                "$folder/touch" 5 &&
            [ "$(figure text_major)" -ge 5 ] &&
            run 1 env TMPDIR="$folder" "$anneal" faults --copy -- "$folder/touch" 5 &&
            says 'cannot make a folder for a copy' &&
            expect "$(ls -A "$folder" temporary | tr '\n' ' ')" "$folder: touch  temporary: "
    } || status=$?
    rm -r "$folder"
    return $status
}

# servers: what they touch in a given time, and that it is hardly longer, is judged in the tier "long"
servers() {
    run 0 "$anneal" faults -n2 --json --duration 300ms -- "$made/touch" 5 wait
    expect "$(jq -c '.binaries[0].runs | map(.time_was_over)' out)" '[true,true]'
    expect "$(jq -c '.binaries[0].runs | map(.signal)' out)" '[15,15]'
    expect "$(jq '.binaries[0].summary.seconds.median | . >= 0.3' out)" true
    if [ "$current_tier" = long ]; then
        [ "$(figure text_major)" -ge 5 ]
        expect "$(jq '.binaries[0].summary.seconds.median | . < 2' out)" true
    fi
    printf '#!/bin/sh\n"%s" 5 wait\nsleep 60\n' "$made/touch" >stubborn # which it does not get to
    chmod +x stubborn
    (
        trap '' TERM # for all of them, from their beginning
        run 0 "$anneal" faults -n1 --json --duration 200ms --kill-after 200ms --binary "$made/touch" \
            -- ./stubborn
    )
    expect "$(jq '.binaries[0].runs[0].signal' out)" 9
    # ended before its time: as it is
    run 0 "$anneal" faults -n1 --json --duration 600s -- "$made/touch" 5
    expect "$(jq '.binaries[0].runs[0].time_was_over' out)" false
}

# What is started by a command ends with it.
leaves_nothing_behind() {
    cat >leaver <<'END'
#!/bin/sh
sleep 61 &
echo $! >left
END
    chmod +x leaver
    run 0 "$anneal" faults -n1 --binary "$made/touch" -- ./leaver
    says 'left processes behind'
    ! kill -0 "$(cat left)" 2>/dev/null
}

interrupted() {
    local program
    "$anneal" faults --copy -n3 -- "$made/touch" 5 wait >out 2>err &
    anneal_pid=$!
    trap 'kill $anneal_pid 2>/dev/null || :' EXIT
    await pgrep -P $anneal_pid -x touch || fail "$(cat err)"
    program=$(pgrep -P $anneal_pid -x touch)
    kill -TERM $anneal_pid
    wait $anneal_pid && fail 'it went well'
    says 'interrupted: 0 of 3 runs are complete'
    ! kill -0 "$program" 2>/dev/null
    expect "$(find "$made" -name '.anneal*')" ''
}

# Who may not read a file, or not write it, is told what he cannot be told.
other_users() {
    local nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chmod 711 "$scratch"
    chmod 755 .
    cp "$anneal" anneal
    cp "$made/touch" .
    chmod 755 anneal
    chmod 711 touch
    run 1 "${nobody[@]}" ./anneal faults -- ./touch 5
    says 'touch' 'Permission denied'
    chmod 755 touch
    run 0 "${nobody[@]}" ./anneal faults -n2 -- ./touch 5
    says 'only users who may write it'
    prints 'not known'
    mkdir -m 1777 folder
    run 0 env TMPDIR="$PWD/folder" "${nobody[@]}" ./anneal faults --json --copy -n2 -- ./touch 5
    expect "$(figure text_before)" 0
    [ "$(figure text_major)" -ge 5 ]
    expect "$(ls -A folder)" ''
}

without_events() {
    run 0 "$anneal" faults --no-events --json -n2 -- "$made/touch" 5
    expect "$(jq '.events, .binaries[0].summary.text_major' out | tr '\n' ' ')" 'false null '
    [ "$(figure major)" -ge 5 ]
    expect "$(figure text_before)" 0
    [ "$(figure text_after)" -ge 5 ]
    run 0 "$anneal" faults --no-events -n2 --against "$made/touch" -- "$made/touch" 5
    prints 'all major'
}

may_not_count() {
    local status=0
    "$forbidding" refuse perf_event_open "$anneal" faults -- "$made/touch" 5 >out 2>err || status=$?
    [ $status -ne 77 ] || return 0 # no filters here
    expect $status 1
    says 'cannot count page faults: Operation not permitted' '--no-events' 'perf_event_paranoid'
    expect "$(wc -l <err)" 1
    run 0 "$forbidding" refuse perf_event_open "$anneal" faults --no-events -- "$made/touch" 5
}

tables() {
    run 0 "$anneal" faults -n2 -- "$made/touch" 5
    prints 'touch: 2 cold runs' 'pages of text' 'text: major faults'
    if [ -n "$ahead" ]; then
        prints "read-ahead $ahead KB"
    else
        prints 'read-ahead not known'
    fi
    ! grep -E '^.{101}' out
    if [ "${ahead:-0}" -gt 128 ]; then
        says "reads $ahead KB ahead"
    else
        never_says 'KB ahead'
    fi
    run 0 "$anneal" faults -q -n2 -- "$made/touch" 5
    expect "$(cat err)" ''
}

check_counting 'counts pages of the text' counts_pages
check_counting 'counts them in children' counts_pages fork
check_counting 'counts them in threads' counts_pages thread
check_counting 'counts them in children that execute the program' counts_children_that_exec
check_counting 'a warm page cache' warm
check_counting 'copies of binaries that others run' copies
check_counting 'compares binaries' compares
check_counting 'scripts' scripts_need_a_file
check_counting 'libraries' libraries
check_counting 'commands that fail' failures
check_counting 'prepares runs' prepares
check_counting 'binaries that are replaced meanwhile' prepare_replaces_it
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ]; then
    check_counting 'binaries in memory' in_memory
else
    skip 'binaries in memory' 'no tmpfs at /dev/shm'
fi
check_counting 'servers' servers
check_counting 'leaves no processes behind' leaves_nothing_behind
check_counting 'an interrupt ends all' interrupted
if [ "$(id -u)" != 0 ] || ! have setpriv; then
    skip 'other users' 'needs root, and setpriv'
elif [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ]; then
    skip 'other users' 'only root may count here'
else
    check_counting 'other users' other_users
fi
check_counting 'tables and notes' tables
check 'without events' without_events
check 'where events are forbidden' may_not_count

tier long
check_counting 'servers, in their time' servers
finish
