#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Shows what anneal live does for a process that runs: starts a database server
# (examples/server: MariaDB, as Debian compiled it), keeps it busy, gives it a
# new code layout and its own one back, and draws how many requests it answered
# for each second of CPU time meanwhile.  A second server, its twin, has the same
# load on the same processor all the time, and is never touched: what both see is
# the machine, and what only one sees is the layout.
#
# usage: live-demo.sh ANNEAL [WORKDIR]
#
# See common.sh for the arguments.  The picture is also in WORKDIR/live.svg.
# The compiler is $CC, or else gcc; llvm-bolt is $LLVM_BOLT, or else the first of
# those that Debian installs.  MARIADB_DIR is where libmariadbd-dev is unpacked;
# without it, it is / if it is installed, or else apt-get fetches it to WORKDIR.
set -euo pipefail
utf8=
case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
*[Uu][Tt][Ff]8* | *[Uu][Tt][Ff]-8*) utf8=1 ;;
esac
export LC_ALL=C
# shellcheck source=examples/common.sh
. "$(dirname "$0")/common.sh"

threads=3       # of each server; one is left for who asks once
connections=2   # of the load, to each server
lifetime=300    # seconds; after that, servers and load end by themselves
window=12       # samples of a quarter of a second: so long is each layout measured
cpu_window=1.5  # and for so many seconds of each server's CPU time, on a busy machine too
overhead=25%    # of its CPU time, for recording

server=
twin=
load=
live=

# Ends what still runs, the youngest first.
clean_up()
{
    local pid
    for pid in $live $load $twin $server; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    if [ -n "$work" ]; then
        rm -rf "$work/data" "$work/socket" "$work/twin-data" "$work/twin-socket"
    fi
    if [ -n "$temporary" ]; then
        rm -rf "$temporary"
    fi
}

# What is missing here is no fault of anybody's.
skip()
{
    echo "New code for a running server: left out. $*"
    exit 0
}

prepare "$@"
[ "$(uname -m)" = x86_64 ] || skip "anneal live is for x86-64, and this is $(uname -m)."
cc=${CC:-gcc}
command -v "$cc" >/dev/null ||
    fail "no compiler '$cc': run scripts/bootstrap demo, or set CC"

find_bolt()
{
    local place
    for place in /usr/lib/llvm-19/bin/llvm-bolt /usr/lib/llvm-20/bin/llvm-bolt \
        /usr/lib/llvm-21/bin/llvm-bolt; do
        if [ -x "$place" ]; then
            echo "$place"
            return 0
        fi
    done
    command -v llvm-bolt
}

if [ -n "${LLVM_BOLT:-}" ]; then
    bolt=$(program "$LLVM_BOLT") ||
        fail "no llvm-bolt '$LLVM_BOLT': run scripts/bootstrap demo, or change LLVM_BOLT"
else
    bolt=$(find_bolt) ||
        fail "no llvm-bolt found (Debian 12 has it in bolt-19):" \
            "run scripts/bootstrap demo, or set LLVM_BOLT"
fi

# ---- MariaDB ----

package=libmariadbd-dev
library=usr/lib/x86_64-linux-gnu/libmariadbd.a
apt=()

# The version of the package that is the smallest to fetch: some have hundreds
# of megabytes for debuggers.
smallest_version()
{
    apt-cache "${apt[@]}" show $package 2>>"$log" | awk '
        /^Version:/ { version = $2 }
        /^Size:/ && (!least || $2 < least) { least = $2; best = version }
        END { if (best) print best; else exit 1 }'
}

# The lists of packages may be missing, as in images for containers; one's own
# can be had without being root.
find_version()
{
    smallest_version && return
    mkdir -p "$work/lists/partial"
    apt=(-o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/lists")
    quietly apt-get "${apt[@]}" update || true
    smallest_version
}

fetch_mariadb()
{
    local version
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 1
    find_version >"$work/version" || return 1
    version=$(cat "$work/version")
    rm -rf "$work"/$package*.deb "$work/unpacked"
    (cd "$work" && quietly apt-get "${apt[@]}" download "$package=$version") &&
        quietly dpkg-deb -x "$work"/$package*.deb "$work/unpacked" &&
        mv "$work/unpacked" "$work/mariadb" && rm -f "$work"/$package*.deb
}

if [ -n "${MARIADB_DIR:-}" ]; then
    mariadb=$(realpath "$MARIADB_DIR")
elif [ -e /$library ]; then
    mariadb=/
else
    mariadb=$work/mariadb
    [ -e "$mariadb/$library" ] || fetch_mariadb ||
        skip "MariaDB's library is not installed, and apt-get cannot fetch it (Debian: $package; see $log)."
fi
[ -e "$mariadb/$library" ] || fail "no $library in $mariadb"

# What the library needs is installed with or without the files for compilers:
# its newest version is taken.
needed()
{
    local name file newest
    for name in stdc++ ssl crypto pcre2-8 aio uring numa crypt; do
        newest=
        for file in /usr/lib/x86_64-linux-gnu/lib"$name".so.[0-9]*; do
            [ ! -e "$file" ] || newest=$file
        done
        [ -n "$newest" ] || fail "no lib$name: run scripts/bootstrap demo"
        echo "$newest"
    done
}

# build OUTPUT ARGUMENT...
build()
{
    quietly "$cc" -std=gnu17 -O2 -Wall -Wextra -pthread -o "$work/$1" "${@:2}" ||
        fail "cannot build with $cc: run scripts/bootstrap demo"
}

# ---- measuring and drawing ----

on_terminal=
width=100
if [ -t 1 ]; then
    on_terminal=1
    width=$(tput cols 2>/dev/null || echo 80)
fi
[ "$width" -le 100 ] || width=100

# The servers get a processor that they share, and keep it, if there are two.
processors()
{
    local list first last=
    list=$(taskset -c -p $$ | sed 's/.*: //')
    first=${list%%[-,]*}
    last=${list##*[-,]}
    if [ "$first" != "$last" ]; then
        at_server="taskset -c $first"
        elsewhere="taskset -c $last"
    fi
}

at_server=
elsewhere=
if command -v taskset >/dev/null; then
    processors
fi

chart()
{
    awk -v lines="$utf8" -v width=$((width - 14)) "$@" -f ../chart.awk \
        "$work/marks" "$work/samples"
}

samples()
{
    wc -l <"$work/samples"
}

# mark LAYOUT WHAT: from the column on that is being measured now
mark()
{
    echo "$(samples) $1 $2" >>"$work/marks"
}

is_running()
{
    kill -0 "$1" 2>/dev/null
}

# A quarter of a second, in which nothing may go wrong.
tick()
{
    sleep 0.25
    is_running "$server" || fail "the server has ended: $(cat "$work/server.err")"
    is_running "$twin" || fail "the twin has ended: $(cat "$work/twin.err")"
    is_running "$load" || fail "the load has ended: $(cat "$work/load.err")"
    if [ -n "$on_terminal" ]; then
        chart -v spark=1
    fi
}

# Until there are so many samples more
samples_pass()
{
    local until=$(($(samples) + $1))
    while [ "$(samples)" -lt $until ]; do
        tick
    done
}

# Measures what a layout does; "measured" are the samples between which that was.
measure()
{
    local from
    samples_pass 2 # half a second for what went before
    from=$(samples)
    samples_pass $window
    for ((i = 0; i < 80; i++)); do
        ! has_run "$from" || break
        tick
    done
    measured="$from $(samples)"
}

# has_run FROM: whether both have had enough CPU time since that sample
has_run()
{
    awk -v from="$1" -v enough=$cpu_window 'NR == from { server = $3; twin = $5 }
        END { exit $3 - server < enough || $5 - twin < enough }' "$work/samples"
}

end_line()
{
    if [ -n "$on_terminal" ]; then
        printf '\r\033[K'
    fi
}

# The number of the newest layout in the process, by its file; 0: none
newest_layout()
{
    awk -v state="$work/state/" 'index($6, state) == 1 && sub(/.*\/c/, "", $6) &&
        $6 + 0 > n { n = $6 + 0 } END { print n + 0 }' "/proc/$server/maps"
}

# run_live OUTPUT MESSAGE ARGUMENT...: calls anneal live and watches meanwhile
run_live()
{
    local status=0
    # shellcheck disable=SC2086 # words
    $elsewhere "$anneal" live -p "$server" --state-dir="$work/state" "${@:3}" >"$work/$1" 2>&1 &
    live=$!
    while is_running $live; do
        tick
        if [ "$layouts" -eq 0 ] && [ "$(newest_layout)" -gt 0 ]; then
            layouts=1
            mark 1 'the new layout is in the process'
        fi
    done
    wait $live || status=$?
    live=
    cat "$work/$1" >>"$log"
    end_line
    [ $status -eq 0 ] || fail "$2"
}

# ---- the demo ----

cd "$(dirname "$0")/server"
rm -rf "$work/socket" "$work/data" "$work/twin-socket" "$work/twin-data" "$work/state"
mkdir -p "$work/data" "$work/twin-data"
: >"$work/marks"
: >"$work/samples"

echo
echo "New code for a running database server (examples/server)"
step_started=${EPOCHREALTIME/./}
needed >"$work/libraries"
mapfile -t libraries <"$work/libraries"
# The twin's code is at other addresses: a processor predicts branches by their addresses, and what one of two processes
# has taught it helps the other, as long as both have the same layout.
build_server()
{
    build "$@" -no-pie -fno-reorder-blocks-and-partition -DEMBEDDED_LIBRARY \
        -I"$mariadb/usr/include/mariadb/server" -Wl,-q -Wl,--strip-debug -Wl,--build-id server.c \
        "$mariadb/$library" "${libraries[@]}" -lz -lm
}
build_server server &
building=$!
build_server twin -Wl,-Ttext-segment=0x12537000
build load load.c
wait $building || exit 1
code=$(size -A "$work/server" | awk '$1 == ".text" { printf "%.1f", $2 / 1e6 }')
step "$cc -Wl,-q server.c libmariadbd.a: MariaDB as Debian compiled it, $code MB of code"

# shellcheck disable=SC2086 # words
$at_server "$work/server" "$work/socket" $threads $lifetime "$work/data" shop.sql \
    >>"$log" 2>"$work/server.err" &
server=$!
# shellcheck disable=SC2086
$at_server "$work/twin" "$work/twin-socket" $threads $lifetime "$work/twin-data" shop.sql \
    >>"$log" 2>"$work/twin.err" &
twin=$!
for ((i = 0; i < 600; i++)); do
    if [ -S "$work/socket" ] && [ -S "$work/twin-socket" ]; then
        break
    fi
    is_running "$server" || fail "the server has ended: $(cat "$work/server.err")"
    is_running "$twin" || fail "the twin has ended: $(cat "$work/twin.err")"
    sleep 0.1
done
"$work/load" "$work/socket" pages.sql >"$work/first-answers" 2>"$work/load.err" ||
    fail "the server does not answer: $(cat "$work/load.err")"
# shellcheck disable=SC2086
$elsewhere "$work/load" "$work/socket" pages.sql $connections $lifetime "$work/twin-socket" \
    >"$work/samples" 2>"$work/load.err" &
load=$!
samples_pass 4
step "started, and a twin that stays as it is; each has $connections clients that never rest"

measure
original_a=$measured
measure
original_b=$measured
end_line
step 'measured twice with its original code: what differs now is noise'

layouts=0
recording="--duration=60s --overhead=$overhead" # at most: until llvm-bolt knows enough
mark 0 'anneal live begins to record'
# shellcheck disable=SC2086
run_live live.out "anneal live has failed" $recording --keep-anyway --worth-time=6s --bolt="$bolt"
[ "$(newest_layout)" -gt 0 ] || fail "the process has no new layout"
step "anneal live -p $server $recording --keep-anyway --worth-time=6s"
awk '/recorded/ { sub(/.*recorded /, ""); recorded = $1 }
    $1 == "functions" { functions = $5; sub(/.*took /, ""); sub(/\).*/, ""); took = $0 }
    $1 == "pause" { pause = $2 " " $3 }
    sub(/^ *beside the original */, "") { worth = $0 }
    $1 == "worth" || /cannot be counted/ { worth = "not known (" work "/live.out)" }
    END { printf "    %s branches recorded, llvm-bolt took %s, %s functions moved, stopped for %s\n",
        recorded, took, functions, pause
        printf "    it took turns with the original: %s\n", worth }' work="$work" "$work/live.out"
measure
new=$measured
end_line
step 'measured with the new layout'

run_live revert.out "anneal live has not reverted it" --revert
mark 0 'it has its original code again'
measure
reverted=$measured
end_line
step "anneal live -p $server --revert, and measured again"

# The answers were compared with the first ones all the time, by the load.
"$work/load" "$work/socket" pages.sql | cmp - "$work/first-answers" ||
    fail "the answers have changed"

if [ -n "$on_terminal" ]; then
    chart -v colours=1
else
    chart
fi
awk -f ../picture.awk "$work/marks" "$work/samples" >"$work/live.svg"

# rates FROM TO: how many requests the server answered for each CPU second, how
# many its twin did, and the first divided by the second; of each, the median of
# the intervals between two samples.  An interval in which one of them hardly ran
# gives none.
rates()
{
    awk -v from="$1" -v to="$2" '
        function median(values, n,    i, j, value)
        {
            for (i = 2; i <= n; i++) {
                value = values[i]
                for (j = i - 1; j > 0 && values[j] > value; j--)
                    values[j + 1] = values[j]
                values[j + 1] = value
            }
            return n ? (values[int((n + 1) / 2)] + values[int(n / 2) + 1]) / 2 : 0
        }
        NR > from && NR <= to && $3 - cpu > 0.02 && $5 - twin_cpu > 0.02 && $4 > twin_requests {
            server[++n] = ($2 - requests) / ($3 - cpu)
            twin[n] = ($4 - twin_requests) / ($5 - twin_cpu)
            ratio[n] = server[n] / twin[n]
        }
        { requests = $2; cpu = $3; twin_requests = $4; twin_cpu = $5 }
        END { print median(server, n), median(twin, n), median(ratio, n) }' "$work/samples"
}

# shellcheck disable=SC2086 # two numbers each
{
    rates $original_a
    rates $original_b
    rates $new
    rates $reverted
} | awk '
    function line(i, what)
    {
        printf "  %-32s %8d %8d %+11.1f%%\n", what, server[i], twin[i], (ratio[i] - 1) * 100
    }
    function distance(a, b)
    {
        return a > b ? a - b : b - a
    }
    { server[NR] = $1; twin[NR] = $2; ratio[NR] = $3 }
    END {
        if (ratio[1] * ratio[2] * ratio[3] * ratio[4] == 0) {
            print "The server hardly ran: the machine is too busy to measure anything."
            exit
        }
        original = (ratio[1] + ratio[2]) / 2
        drift = distance(ratio[1], ratio[2]) / original * 100
        gain = (ratio[3] / original - 1) * 100
        printf "%-34s %8s %8s %12s\n", "requests for each second of CPU time", "server", "twin", "difference"
        line(1, "A: its original code")
        line(2, "B: its original code, once more")
        line(3, "with the new layout")
        line(4, "after the revert")
        if (gain > 0 && gain > 4 * drift && ratio[3] - ratio[4] > (ratio[3] - original) / 2)
            printf "The same process, never restarted, now does %.1f%% more with the same CPU time " \
                "(drift: %.1f%%).\n", gain, drift
        else
            printf "A gain cannot be told from noise: %+.1f%%, while the original code drifted by " \
                "%.1f%%, and then\nby %.1f%%. Other work on the machine does that; try again when " \
                "there is less.\n", gain, drift, distance(ratio[4], original) / original * 100
    }'
