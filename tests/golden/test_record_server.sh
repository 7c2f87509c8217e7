#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A server (data/record/sql_server.c: SQLite behind a socket, a thread for each client) is recorded
# while it serves: its clients get the same answers as ever, llvm-bolt takes the profile and makes a
# server of it that gives them, too; and the profile is held against the exact one, which
# llvm-bolt's instrumentation counts under the same load.
#
# The limits: of 26 recordings of 60,000 branches by emulation, on two processors, busy and idle,
# all had at least 99.0% of the exact profile's branch count on their edges, and weights of
# functions that overlap with its own by 82.6%; of 20 recordings of 1,500 branches by single steps,
# 76.2% and 60.0%. (Weights cannot be equal: windows are chosen by time, not by branches.)
#
# usage: test_record_server.sh ANNEAL STEP_RECORD WALK
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
# shellcheck source=tests/record/target.sh
. "$tests/record/target.sh"
step_record=$(realpath "$2")
llvm=/usr/lib/llvm-19/bin
tools="gcc python3 $llvm/llvm-bolt"
sources=$tests/data/record
server=$scratch/server
requests=200 # of each client

# optimise PROFILE RESULT
optimise() {
    run 0 "$llvm/llvm-bolt" "$server" -o "$2" "-data=$1" -reorder-blocks=ext-tsp \
        -reorder-functions=cdsort -split-functions -split-all-cold -split-eh
}

# serve SERVER: until stop
serve() {
    rm -f socket
    start "$1" "$scratch/database" "$PWD/socket"
}

# ask [UNTIL]: the answers go to the file answers
ask() {
    timeout 100 python3 "$sources/sql_client.py" "$PWD/socket" $requests "$@" >answers
}

# The server, the answers it gives, and an exact profile of that.
make_server() {
    gcc -O2 -fno-reorder-blocks-and-partition "$sources/sql_server.c" \
        -o "$server" -Wl,-q -Wl,--build-id "$(gcc -print-file-name=libsqlite3.a)" -lm -lpthread
    "$server" fill "$scratch/database"
    serve "$server"
    ask
    stop
    [ "$(grep -cE '^[1-9][0-9]{3,} [0-9a-f]{16}$' answers)" = 2 ] || fail "$(cat answers)"
    cp answers "$scratch/expected"
    run 0 "$llvm/llvm-bolt" "$server" -instrument -instrumentation-file="$scratch/exact" \
        -o instrumented
    serve ./instrumented
    ask
    stop
    same answers "$scratch/expected"
    [ "$(wc -l <"$scratch/exact")" -gt 2000 ] || fail "$(wc -l <"$scratch/exact") lines"
}

# record METHOD BRANCHES BUDGET: makes data, and the fdata of it
record() {
    local client
    serve "$server"
    ask until &
    client=$!
    await has_threads "$target" 3
    run 0 "$anneal" record --json -p "$target" -o data --method="$1" --branches="$2" --overhead="$3" \
        --duration=40s
    mv out account
    touch until
    wait $client || fail "$(cat answers said)"
    is_free "$target"
    stop
    same answers "$scratch/expected"
    run 0 "$anneal" aggregate -p data -o fdata "$server"
    says ' 0.00% mismatching' '0.00% impossible in the code'
}

# has SHARE LEAST
has() {
    awk -v name="$1" -v least="$2" '$1 == name && $2 >= least { found = 1 } END { exit !found }' \
        shares || fail "less than $2% of the exact profile's $1:" "$(cat shares)"
}

# recorded METHOD BRANCHES BUDGET FUNCTIONS EDGES WEIGHTS: so many functions have a profile at
# least, and such shares. llvm-bolt would tell of functions whose profile does not fit their code.
recorded() {
    local functions
    record "$1" "$2" "$3"
    optimise fdata optimised
    cat out err >bolt.log
    functions=$(sed -n 's/^BOLT-INFO: \([0-9]*\) out of .* non-empty execution profile$/\1/p' \
        bolt.log)
    [ "${functions:-0}" -ge "$4" ] || fail "$functions functions" "$(grep BOLT bolt.log)"
    ! grep -E 'invalid|stale' bolt.log || fail 'a profile that does not fit'
    serve ./optimised
    ask
    stop
    same answers "$scratch/expected"
    had "$(jq .branches account) branches of $2"
    [ "$(jq .branches account)" -ge "$2" ] || judge_not "$(jq .branches account) branches of $2 in 40 s"
    python3 "$tests/support/fdata_share.py" "$scratch/exact" fdata >shares
    has edges "$5"
    has functions "$6"
}

tier long
if ! have gcc || [ ! -e "$(gcc -print-file-name=libsqlite3.a)" ]; then
    tools="$tools libsqlite3.a"
fi
check_with "$tools" 'a server, and its exact profile' make_server
if [ ! -e "$scratch/exact" ]; then
    skip 'recording it' 'there is no server'
elif may_trace "$step_record"; then
    check 'recorded by emulation' recorded emulate 60000 20% 100 96 70
    check 'recorded by single steps' recorded step 1500 90% 30 55 40
else
    skip 'recording it' 'processes may not be traced here'
fi
finish
