#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Shows what anneal live does for a process that runs: starts the interpreter
# as a server (examples/server), keeps it busy, gives it a new code layout
# twice, and its own one back, and draws how many requests it answered per CPU
# second meanwhile.
#
# usage: live-demo.sh ANNEAL [WORKDIR]
#
# ANNEAL is the anneal program.  WORKDIR keeps all that is made on the way;
# without it, a temporary directory is used and removed at the end.  The
# compiler is $CC, or else gcc; llvm-bolt is $LLVM_BOLT, or else the first of
# those that Debian installs.
set -euo pipefail
utf8=
case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
*[Uu][Tt][Ff]8* | *[Uu][Tt][Ff]-8*) utf8=1 ;;
esac
export LC_ALL=C

# What a request asks for: scripts and sizes.  So that a request takes longer
# than sending it, it asks four times.
page='calendar 3 fib 5 colours 4 triangles 4 digits 2 sieve 15 nbody 1 matmul 3'
page="$page calendar 2 quicksort 12 triangles 3 queens 4 colours 3 digits 2"
page="$page $page $page $page"
threads=3       # of the server; one is left for who asks for the count
connections=2   # of the load
seconds=180     # after that, server and load end by themselves

fail()
{
    echo "live-demo: $*" >&2
    exit 1
}

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: live-demo.sh ANNEAL [WORKDIR]" >&2
    exit 2
fi

anneal=$(command -v "$1") || fail "cannot run '$1'"
anneal=$(realpath "$anneal")
[ "$(uname -m)" = x86_64 ] || fail "anneal live is for x86-64, this is $(uname -m)"
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
    bolt=$(command -v "$LLVM_BOLT") ||
        fail "no llvm-bolt '$LLVM_BOLT': run scripts/bootstrap demo, or change LLVM_BOLT"
else
    bolt=$(find_bolt) ||
        fail "no llvm-bolt found (Debian 12 has it in bolt-19):" \
            "run scripts/bootstrap demo, or set LLVM_BOLT"
fi

server=
load=
live=
temporary=

# Ends what still runs, the youngest first.
clean_up()
{
    local pid
    for pid in $live $load $server; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    if [ -n "$temporary" ]; then
        rm -rf "$temporary"
    fi
}

trap clean_up EXIT
trap 'exit 1' HUP INT TERM
if [ $# -eq 2 ]; then
    mkdir -p "$2"
    work=$(cd "$2" && pwd)
else
    temporary=$(mktemp -d)
    work=$temporary
fi
rm -f "$work/socket" "$work/samples" "$work/marks"
cd "$(dirname "$0")/server"

parts='../interp/builtins.c ../interp/compiler.c ../interp/disasm.c
    ../interp/heap.c ../interp/map.c ../interp/vm.c'
scripts='../interp/workloads/fib.txt ../interp/workloads/matmul.txt
    ../interp/workloads/nbody.txt ../interp/workloads/queens.txt
    ../interp/workloads/quicksort.txt ../interp/workloads/sieve.txt
    scripts/calendar.txt scripts/colours.txt scripts/digits.txt
    scripts/triangles.txt'

# build OUTPUT ARGUMENT...
build()
{
    "$cc" -std=gnu17 -Wall -Wextra -pthread -o "$work/$1" "${@:2}" -lm ||
        fail "cannot build with $cc: run scripts/bootstrap demo"
}

echo "[1/5] translating scripts to C, and building the server with $cc -O2 -Wl,-q"
# shellcheck disable=SC2086 # lists of words
{
    build translate -O1 translate.c $parts
    "$work/translate" $scripts >"$work/natives.c" ||
        fail "cannot translate the scripts"
    build server -O2 -I. -static -fno-reorder-blocks-and-partition -Wl,-q \
        -Wl,--build-id server.c "$work/natives.c" $parts
    build load -O2 load.c
}

on_terminal=
if [ -t 1 ]; then
    on_terminal=1
fi

width=100
if [ -n "$on_terminal" ] && command -v tput >/dev/null; then
    width=$(tput cols 2>/dev/null || echo 80)
fi

chart()
{
    awk -v lines="$utf8" -v width=$((width - 14)) "$@" -f ../chart.awk "$work/marks" "$work/samples"
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

# Half a second, in which nothing may go wrong.
tick()
{
    sleep 0.5
    is_running "$server" || fail "the server has ended: $(cat "$work/server.err")"
    is_running "$load" || fail "the load has ended: $(cat "$work/load.err")"
    if [ -n "$on_terminal" ]; then
        chart -v spark=1
    fi
}

# ticks NUMBER
ticks()
{
    local i
    for ((i = 0; i < $1; i++)); do
        tick
    done
}

end_line()
{
    if [ -n "$on_terminal" ]; then
        printf '\r\033[K'
    fi
}

# How many requests the server has answered
count()
{
    "$work/load" "$work/socket" 'count 0'
}

# The number of the newest layout in the process, by its file; 0: none
newest_layout()
{
    awk -v state="$work/state/" 'index($6, state) == 1 && sub(/.*\/c/, "", $6) &&
        $6 + 0 > n { n = $6 + 0 } END { print n + 0 }' "/proc/$server/maps"
}

echo "[2/5] starting the server, $threads threads, and a load of $connections connections"
: >"$work/marks"
: >"$work/samples"
# shellcheck disable=SC2086
"$work/server" "$work/socket" $threads $seconds $scripts 2>"$work/server.err" &
server=$!
for ((i = 0; i < 50; i++)); do
    if [ -S "$work/socket" ] && "$work/load" "$work/socket" "$page" \
        >"$work/first-answer" 2>"$work/load.err"; then
        break
    fi
    is_running "$server" || fail "the server has ended: $(cat "$work/server.err")"
    sleep 0.1
done
[ "$i" -lt 50 ] || fail "the server does not answer: $(cat "$work/load.err")"
"$work/load" "$work/socket" $connections $seconds "$page" \
    >"$work/samples" 2>"$work/load.err" &
load=$!

echo "[3/5] measuring what its original code does, for five seconds"
ticks 12        # the first second does not count
before_from=2
before_to=$(samples)
end_line

echo "[4/5] anneal live -p $server --record=5s --rounds=2 --keep-anyway"
mark 0 'anneal live begins to record'
"$anneal" live -p "$server" --record=5s --rounds=2 --keep-anyway --bolt="$bolt" \
    --state-dir="$work/state" \
    >"$work/live.out" 2>&1 &
live=$!
known=0
while is_running $live; do
    tick
    newest=$(newest_layout)
    if [ "$newest" -gt "$known" ]; then
        known=$newest
        mark 1 "layout $known is in the process"
    fi
done
status=0
wait $live || status=$?
live=
end_line
sed 's/^/    /' "$work/live.out"
[ $status -eq 0 ] || fail "anneal live has failed"

echo "[5/5] measuring for five seconds again, then anneal live -p $server --revert"
after_from=$(samples)
[ "$(newest_layout)" -gt 0 ] || fail "the process has no new layout"
ticks 10
after_to=$(samples)
end_line
mark 0 'it has its original code again'
"$anneal" live -p "$server" --state-dir="$work/state" --revert \
    >"$work/revert.out" 2>&1 &
live=$!
while is_running $live; do
    # The thread that waits for a third client does so in new code.
    count >/dev/null
    tick
done
status=0
wait $live || status=$?
live=
end_line
sed 's/^/    /' "$work/revert.out"
[ $status -eq 0 ] || fail "anneal live has not reverted it"
reverted_from=$(samples)
ticks 6
reverted_to=$(samples)
end_line

# The answers were compared with the first ones all the time, by the load.
"$work/load" "$work/socket" "$page" | cmp - "$work/first-answer" ||
    fail "the answers have changed"

echo
echo "requests per CPU second:"
if [ -n "$on_terminal" ]; then
    chart -v colours=1
else
    chart
fi

# middle FROM TO: of the requests per CPU second that the half seconds between
# two samples gave, the median
middle()
{
    awk -v from="$1" -v to="$2" 'NR > from && NR <= to { print ($2 - r) / ($3 - c) }
        { r = $2; c = $3 }' "$work/samples" | sort -n | awk '{ rate[NR] = $1 }
        END { print rate[int((NR + 1) / 2)] }'
}

awk '$1 == "pause" { text = text (n++ ? " and " : "") $2 " " $3 }
    END { if (n) print "\nFor the new layouts the process was stopped for " text "." }' \
    "$work/live.out"
echo "$(middle "$before_from" "$before_to") $(middle "$after_from" "$after_to")" \
    "$(middle "$reverted_from" "$reverted_to")" | awk '{
    print "\nrequests per CPU second, medians of half seconds:"
    printf "%-24s %8d\n", "before", $1
    printf "%-24s %8d %+7.1f%%\n", "with the new layout", $2, ($2 / $1 - 1) * 100
    printf "%-24s %8d %+7.1f%%\n", "after the revert", $3, ($3 / $1 - 1) * 100
    original = ($1 + $3) / 2
    drift = $3 > $1 ? $3 - $1 : $1 - $3
    if ($2 > $1 && $2 > $3)
        printf "\nWith the new layout the same process answers %.1f%% more " \
            "requests than with the\noriginal one (the mean of before and after).\n",
            ($2 / original - 1) * 100
    else if (drift > original / 20)
        print "\nThe gain cannot be told: the original code alone was that " \
            "different before and\nafter.  Other work on this machine does that; " \
            "try again when there is less."
    else
        print "\nThe process is not faster with the new layout."
}'
