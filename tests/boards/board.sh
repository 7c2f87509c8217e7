# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the tests of boards, behind tests/tap.sh: the example of runtime/bare under QEMU, from the build to
# the one that uses the counts. The caller sets
#
#     board    as the folder in runtime/bare/boards is called
#     cores    so many
#     cross    what the names of the cross tools begin with
#     gcov     the cross compiler's gcov
#     emulator the QEMU that has the board
# shellcheck shell=bash disable=SC2154

bare=$tests/../runtime/bare
unset MAKEFLAGS MAKELEVEL GCOV_PREFIX GCOV_PREFIX_STRIP

# image COMPILER [VARIABLE=VALUE]...: builds the example in made/
image() {
    run 0 make -C "$bare" BOARD="$board" COMPILER="$1" OUT="$PWD/made" "${@:2}" image
    [ ! -s err ] || fail "the build is not silent:" "$(cat err)"
}

# start [LINE]: starts what image built, with the console in session.log. When each core has said the line, Ctrl-C is
# typed until all have ended, for it is ignored while somebody has the console; without a line it ends by itself.
start() {
    local pid rounds=0
    mkfifo console
    timeout 50 make -s -C "$bare" BOARD="$board" OUT="$PWD/made" run <console >session.log 2>&1 &
    pid=$!
    trap '' PIPE
    exec 3>console
    while kill -0 $pid 2>/dev/null; do
        if [ $# -gt 0 ] && [ "$(grep -c "$1" session.log)" -ge "$cores" ]; then
            printf '\003' >&3 2>/dev/null || true
        fi
        sleep 0.2
        rounds=$((rounds + 1))
        [ $rounds -lt 240 ] || fail 'does not end:' "$(tail -n 5 session.log)"
    done
    exec 3>&-
    wait $pid || fail "QEMU ended with status $?:" "$(tail -n 5 session.log)"
    rm console
}

# noisy: the log as if a kernel had printed messages between its lines
noisy() {
    awk '{ print } NR % 3 == 0 { printf "[%5d.%06d] eth0: link is up, %d Mbps\r\n", NR / 7, NR, NR }' session.log >noisy.log
}

# extract LOG: the files go back to made/, where the compiler looks for them
extract() {
    local parts
    parts=$(tr -dc / <<<"$PWD/made" | wc -c)
    run 0 "$anneal" extract --strip "$parts" -C made "$1"
    says 'not verified, 0 damaged'
    grep -q ' 0 not verified' err
}

# expect_cores NAME...: so many files of each name are there as there are cores
expect_cores() {
    local name core expected=0
    for name; do
        for ((core = 0; core < cores; core++)); do
            [ -s "made/$name$core" ] || fail "there is no $name$core but:" "$(ls made)"
        done
        expected=$((expected + cores))
    done
    expect "$(grep -c '^Dumping files on core' session.log)" "$cores"
    expect "$(grep -c '^Done dumping files on core' session.log)" "$cores"
    expect "$(grep -ac '^crc32 ' session.log)" "$expected"
}

# counts CORE...: what these cores must have counted: core n takes 100 (n + 1) packets, of which a tenth is for
# control, a half is odd and four tenths are even
counts() {
    local packets=0 core
    for core; do
        packets=$((packets + 100 * (core + 1)))
    done
    printf '%s\n' "take_control $((packets / 10))" "take_even $((packets * 4 / 10))" \
        "take_odd $((packets / 2))" "take_packet $packets"
}

all_cores() {
    seq -s ' ' 0 $((cores - 1))
}

# gcc_counts GCOV PROFILE: the same out of a profile of GCC's; its notes have to lie beside it
gcc_counts() {
    "$1" -t -j "$2" >counts.json
    jq -r '.files[].functions[] | "\(.name) \(.execution_count)"' counts.json | sort
}

# lines GCOV: what a gcov says of each line and branch of packets.c
lines() {
    "$@" -t -j -b packets.gcda | jq -S '[.files[] | select(.file | test("packets"))]'
}

gcc_session() {
    local core
    image gcc CFLAGS='-O2 -ftest-coverage'
    start 'has taken its packets'
    noisy
    extract noisy.log
    expect_cores packets.gcda main.gcda
    cd made
    for ((core = 0; core < cores; core++)); do
        cp packets.gcda$core packets.gcda
        same <(gcc_counts "$gcov" packets.gcda) <(counts $core)
        same <(lines "$anneal" gcov) <(lines "$gcov")
        rm packets.gcda
    done
    run 0 "$anneal" merge -o merged.gcda packets.gcda[0-9]
    run 0 "$anneal" merge-gcda
    same packets.gcda merged.gcda
    # shellcheck disable=SC2046
    same <(gcc_counts "$gcov" packets.gcda) <(counts $(all_cores))
    same <(lines "$anneal" gcov) <(lines "$gcov")
    cd ..
    rm made/*.o
    image gcc PROFILE=use
    # It is the profile that is used: without it, the build complains.
    rm made/*.o made/main.gcda
    run 2 make -C "$bare" BOARD="$board" OUT="$PWD/made" PROFILE=use image
    says 'missing-profile'
}

# A program that returns from main has its profile printed, too.
ends_itself() {
    image gcc CPPFLAGS=-DENDS
    start
    extract session.log
    expect_cores packets.gcda main.gcda
}

board_cases() {
    local tools="$emulator ${cross}gcc $gcov make jq"
    check_with "$tools" "$board, gcc: from the first build to the one that uses the counts" gcc_session
    check_with "$tools" "$board, gcc: a program that ends by itself" ends_itself
}
