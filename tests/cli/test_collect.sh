#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal collect: what becomes of each file in the spool, that every profile counts once whatever happens, and what is
# shipped; and anneal fleet, which tells what partial results are made of.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"

raw=$corpus/raw
gcda=$tests/data/gcc/gcc-12

# collect ARGUMENT...: once, of spool into parts
collect() {
    run 0 "$anneal" collect --once --json --host=here spool -o parts "$@"
    cp out account
}

# account FIELD
account() {
    jq ".$1" account
}

# partials: all partial results, in one line
partials() {
    find parts -name '*.partial' | sort | tr '\n' ' '
}

# merged OUTPUT [OPTION...]: all partial results
merged() {
    local output=$1
    shift
    # shellcheck disable=SC2046
    run 0 "$anneal" merge -q -o "$output" "$@" $(partials)
}

has_open() {
    compgen -G 'parts/*/*.open' >/dev/null
}

# Whether nothing is on its way.
is_idle() {
    [ -z "$(find spool/.anneal -type f)" ]
}

kinds() {
    mkdir -p spool/fleet spool/gcc/run spool/records
    cp "$raw"/c-ir-clang19-run[12].profraw spool/fleet
    cp "$raw/c-fe-clang19-run1.profraw" spool
    cp "$gcda"/*.gcda spool/gcc/run
    echo '1 main 0 1 main 4 1 7' | tee spool/records/a.fdata >spool/records/b.fdata
    echo 'no profile' >spool/notes.txt
    ln -s "$raw/c-ir-clang19-run2.profraw" spool/link.profraw
    mkfifo spool/pipe
    collect
    local files
    files=$(find "$gcda" -name '*.gcda' | wc -l)
    expect "$(account taken) $(account rejected) $(account other)" "$((5 + files)) 0 1"
    # what is no profile stays
    expect "$(find spool -path spool/.anneal -prune -o ! -type d -print | sort | tr '\n' ' ')" \
        'spool/link.profraw spool/notes.txt spool/pipe '
    expect "$(find spool/.anneal ! -type d)" ''
    find parts -mindepth 1 -maxdepth 1 -printf '%f\n' | sed 's/-[0-9a-f]\{16,40\}$/-ID/' | sort >builds
    expect "$(tr '\n' ' ' <builds)" 'fdata-records gcc-gcc llvm-ID llvm-fleet-ID '
    # two files of the same bytes count twice
    run 0 "$anneal" merge -q -o - parts/fdata-records/*.partial
    expect "$(<out)" '1 main 0 1 main 4 2 14'
    run 0 "$anneal" merge -q -o ours parts/llvm-fleet-*/*.partial
    run 0 "$anneal" merge -q -o theirs "$raw"/c-ir-clang19-run[12].profraw
    run 0 "$anneal" diff --json ours theirs
    expect "$(jq '.overlap > 0.999999' out)" true
    run 0 "$anneal" merge -q -o ours.gcda parts/gcc-gcc/*.partial
    [ -s ours.gcda ] || [ -n "$(find ours.gcda -name '*.gcda')" ]
}

# The program, or its build, says which one it is; where it does not, its functions do.
builds_by_id() {
    mkdir spool
    cp "$raw"/c-{fe,ir}-clang19-run[12].profraw spool
    collect
    local id
    id=$(python3 -c 'import sys
file = open(sys.argv[1], "rb").read()
size = int.from_bytes(file[16:24], "little")
ids = file[128:128 + size]
print(ids[8:8 + int.from_bytes(ids[:8], "little")].hex())' "$raw/c-fe-clang19-run1.profraw")
    expect "$(find parts -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | sed 's/s-.*/s-SUM/')" \
        "$(printf '%s\n' "llvm-$id" llvm-files-SUM | sort)"
}

damaged() {
    mkdir spool
    head -c 300 "$raw/c-ir-clang19-run1.profraw" >spool/torn.profraw
    collect
    expect "$(account taken) $(account added) $(account rejected)" '1 0 1'
    says 'torn.profraw' 'file ends before' 'spool/.anneal/rejected'
    cmp spool/.anneal/rejected/*torn.profraw <(head -c 300 "$raw/c-ir-clang19-run1.profraw")
    # the account tells of it wherever it is merged
    cp "$raw/c-ir-clang19-run1.profraw" spool
    collect
    # shellcheck disable=SC2046
    run 0 "$anneal" merge -q --ledger=ledger -o x.profdata $(partials)
    expect "$(jq -c '[.used, .rejected]' ledger)" '[1,1]'
}

# begin_part: a service that is killed when it has a partial result of one profile; `build` and `part` are set.
begin_part() {
    mkdir spool
    cp "$raw/c-fe-clang19-run1.profraw" spool
    "$anneal" collect --every=0 --host=here spool -o parts 2>service &
    local service=$!
    await has_open
    await is_idle
    build=$(ls parts)
    part=$(cd "parts/$build" && echo *.open)
    part=${part%%.*}
    kill -KILL $service
    wait $service || :
    mkdir -p "spool/.anneal/taken/$build/$part/here"
}

# As if the service had been killed when the partial result had its name and the profile was not removed yet.
counted_once() {
    local name build part
    begin_part
    "$anneal" merge -q --ledger=ledger -o /dev/null "parts/$build/"*.open
    name=$(jq -r '.inputs[0].path' ledger)
    cp "$raw/c-fe-clang19-run1.profraw" "spool/.anneal/taken/$build/$part/$name"
    cp "$raw/c-fe-clang19-run2.profraw" spool
    collect
    expect "$(find spool -type f)" ''
    merged ours --text
    run 0 "$anneal" merge -q --text -o theirs "$raw"/c-fe-clang19-run[12].profraw
    same ours theirs
}

# What the disk has damaged is kept, and what comes later goes elsewhere.
# A service that was killed just before a partial result got its name; files of other names stay.
half_named() {
    local build part
    begin_part
    touch "parts/$build/.$part.here.open.aBc123" "parts/$build/.$part.here.open.aBc1234" parts/.other.open.aBc123
    cp "$raw/c-fe-clang19-run2.profraw" "spool/.anneal/taken/$build/$part/here/,1.x.profraw"
    collect
    expect "$(cd parts && find . -name '.?*' | sort | tr '\n' ' ')" "./.other.open.aBc123 ./$build/.$part.here.open.aBc1234 "
}

damaged_partial() {
    local build part
    begin_part
    printf X | dd of="$(echo "parts/$build/"*.open)" bs=1 seek=200 conv=notrunc status=none
    cp "parts/$build/"*.open before
    cp "$raw/c-fe-clang19-run2.profraw" "spool/.anneal/taken/$build/$part/here/,1.x.profraw"
    collect
    says 'its checksum' 'open.damaged; a new one is begun'
    expect "$(account added) $(account rejected)" '1 0'
    cmp before "parts/$build/"*.open.damaged
    merged ours --text
    run 0 "$anneal" merge -q --text -o theirs "$raw/c-fe-clang19-run2.profraw"
    same ours theirs
}

# A file that somebody writes to, or has locked, waits.
in_use() {
    mkdir spool
    cp "$raw"/c-fe-clang19-run[12].profraw spool
    exec 7<spool/c-fe-clang19-run1.profraw 8<>spool/c-fe-clang19-run2.profraw
    flock 7
    collect
    expect "$(account taken) $(account added) $(account busy)" '1 0 1'
    [ -e spool/c-fe-clang19-run1.profraw ]
    exec 7<&-
    collect
    expect "$(account taken) $(account added)" '1 1'
    exec 8<&-
    collect
    expect "$(account taken) $(account added)" '0 1'
    merged ours --text
    run 0 "$anneal" merge -q --text -o theirs "$raw"/c-fe-clang19-run[12].profraw
    same ours theirs
}

# What a killed process had yet to do with several files is done first.
listed() {
    mkdir spool
    cp "$raw/c-fe-clang19-run1.profraw" spool/a.profraw
    cp "$raw/c-fe-clang19-run2.profraw" spool/a.profraw.new
    ln -s =a.profraw spool/anneal.commit
    collect
    merged ours --text
    run 0 "$anneal" merge -q --text -o theirs "$raw/c-fe-clang19-run2.profraw"
    same ours theirs
    expect "$(find spool ! -type d)" ''
}

shipped() {
    mkdir spool server
    cp "$raw/c-fe-clang19-run1.profraw" spool
    # shellcheck disable=SC2016
    run 1 "$anneal" collect --once --host=here spool -o parts --ship 'echo "$1 $2" >asked; exit 3'
    says 'not shipped: the command ended with status 3'
    expect "$(cut -d' ' -f1 asked)" "$(realpath parts/*/*.partial)"
    # shellcheck disable=SC2016
    run 0 "$anneal" collect --once --host=here spool -o parts --ship \
        'test "$1" = "$ANNEAL_PARTIAL" && mkdir -p "server/$ANNEAL_BUILD" && cp "$1" "server/$2"'
    says ': shipped'
    expect "$(find parts ! -type d)" ''
    expect "$(find server -type f)" "server/$(cut -d' ' -f2 asked)"
    run 0 "$anneal" merge -q --text -o ours server/*/*.partial
    run 0 "$anneal" merge -q --text -o theirs "$raw/c-fe-clang19-run1.profraw"
    same ours theirs
}

has_ended() {
    local state
    state=$(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) || return 0
    [ "$state" = Z ]
}

# A command that hangs is ended, with what it has started.
hung() {
    mkdir spool
    cp "$raw/c-fe-clang19-run1.profraw" spool
    # shellcheck disable=SC2016
    run 1 "$anneal" collect --once spool -o parts --ship-timeout=100ms --ship \
        'sleep 1000 & echo $! >sleeper; wait' # longer than anybody waits: it is what hangs
    says 'took longer than'
    expect "$(find parts -name '*.partial' | wc -l)" 1
    await has_ended "$(<sleeper)"
}

service() {
    mkdir -p spool/later
    "$anneal" collect --every=0 --json spool -o parts >account 2>err &
    local service=$!
    cp "$raw/c-fe-clang19-run1.profraw" spool
    await has_open
    cp "$raw/c-fe-clang19-run2.profraw" .
    mv c-fe-clang19-run2.profraw spool/later/x.profraw
    await test ! -e spool/later/x.profraw
    mkdir spool/new
    cp "$raw/c-ir-clang19-run1.profraw" spool/new/
    await test ! -e spool/new/c-ir-clang19-run1.profraw
    run 1 "$anneal" collect --once spool -o parts
    says 'another anneal collect'
    kill -TERM $service
    wait $service
    expect "$(account taken) $(account added) $(find parts -name '*.open')" '3 3 '
}

has_closed() {
    compgen -G 'parts/*/*.partial' >/dev/null
}

# Partial results that are complete before the hour is over.
spanned() {
    mkdir spool
    "$anneal" collect -q --every=0 --span=100ms spool -o parts &
    local service=$!
    cp "$raw/c-fe-clang19-run1.profraw" spool
    await has_closed
    cp "$raw/c-fe-clang19-run2.profraw" spool
    await test ! -e spool/c-fe-clang19-run2.profraw
    kill -TERM $service
    wait $service
    expect "$(partials | wc -w)" 2
    merged ours --text
    run 0 "$anneal" merge -q --text -o theirs "$raw"/c-fe-clang19-run[12].profraw
    same ours theirs
}

limited() {
    mkdir spool
    cp "$raw/c-fe-clang19-run1.profraw" spool
    collect
    cp "$raw/c-fe-clang19-run2.profraw" spool
    collect --limit=100
    expect "$(account taken)" 0
    says '--limit' 'nothing is taken'
    [ -e spool/c-fe-clang19-run2.profraw ]
}

refused() {
    mkdir spool
    run 1 "$anneal" collect --once spool -o spool/parts
    says 'must not be in'
    run 1 "$anneal" collect --once nowhere -o parts
    run 2 "$anneal" collect spool
    run 2 "$anneal" collect --once --span=1m spool -o parts
    says '--span'
    run 2 "$anneal" collect --limit=0 spool -o parts
    says 'expected a size'
    run 1 "$anneal" collect --once --host=a/b spool -o parts
    says '--host=a/b'
    # partial results are no profiles of a program
    "$anneal" merge -q --partial -o spool/x.partial "$raw/c-fe-clang19-run1.profraw"
    collect
    expect "$(account taken) $(account other)" '0 1'
}

status() {
    mkdir spool
    cp "$raw"/c-fe-clang19-run[12].profraw spool
    collect
    cp "$raw"/c-fe-clang19-run[12].profraw spool
    run 0 "$anneal" collect -q --once --host=there spool -o parts
    head -c 300 "$raw/c-ir-clang19-run1.profraw" >spool/torn.profraw
    run 0 "$anneal" collect -q --once --host=there spool -o parts
    run 0 "$anneal" fleet status parts
    found -q '^llvm-[0-9a-f]* *4 .* 2 .*thin' out
    found -q '^ *there *1 .*1 rejected' out
    # what is in several files counts once
    cp -r parts/llvm-[0-9]* .
    run 0 "$anneal" fleet status --json --runs=4 parts llvm-[0-9]*
    expect "$(jq -c '[.files, .repeated, .unreadable]' out)" '[5,4,0]'
    jq '.builds[] | select(.name | test("unreadable") | not)' out >build
    expect "$(jq -c '[.inputs, .rejected, .thin, .stale, .hours[47] + .hours[46]]' build)" '[4,0,false,false,4]'
    expect "$(jq -c '[.hosts[] | .name, .inputs]' build)" '["here",2,"there",2]'
    # a file that is damaged, and one that is none
    head -q -c 100 parts/llvm-[0-9]*/*.partial >short.partial
    run 1 "$anneal" fleet status parts short.partial
    says 'short.partial'
    run 1 "$anneal" fleet status "$raw/c-ir-clang19-run1.profraw"
    says 'not a partial result'
    run 1 "$anneal" fleet status spool
    says 'no partial results'
    run 2 "$anneal" fleet parts
}

check 'profiles of all families are taken, and nothing else' kinds
check 'profiles are told apart by the build-id' builds_by_id
check 'a damaged profile is kept and in the account' damaged
check 'a profile that was added before the service was killed counts once' counted_once
check 'what a service leaves that is killed while it names a file is removed' half_named
check 'a damaged partial result is put aside' damaged_partial
check 'a profile that is in use is left until it is not' in_use
check 'what a killed process had to do with its files is done' listed
check 'a partial result is shipped until the command takes it' shipped
check 'a command that hangs is ended' hung
check 'the service takes profiles as they appear, alone, and ends in order' service
check 'a partial result lasts as long as it is told to' spanned
check 'there is a limit' limited
check 'what makes no sense is refused' refused
check 'fleet status tells builds and hosts' status

# Processes add to a profile, the service is killed at any moment, what takes its partial results fails now and then or
# is killed with it: in the end every process is counted, once.
killed() {
    local kills=$1 processes=$2 service worker
    cat >app.c <<'END'
__attribute__((noinline)) static int add(int to) { return to + 1; }
int main(int count, char **words) { (void)words; return add(count) == 0; }
END
    # shellcheck disable=SC2046
    clang-19 -O1 -fprofile-instr-generate app.c -o app -Wl,--build-id $("$anneal" rt --ldflags)
    mkdir spool server
    # shellcheck disable=SC2016
    printf '%s\n' '[ $(($(date +%N | sed "s/^0*//;s/^$/0/") / 1000 % 3)) -ne 0 ] || exit 1' \
        'mkdir -p "$SERVER/$ANNEAL_BUILD"' 'cp "$1" "$SERVER/$2.new"' 'mv "$SERVER/$2.new" "$SERVER/$2"' >ship
    export SERVER=$PWD/server ANNEAL_PROFILE_FILE=$PWD/spool/app/%b.profraw
    seq "$processes" | xargs -P 3 -I{} ./app &
    worker=$!
    for ((i = 0; i < kills; i++)); do
        "$anneal" collect -q --every=0 --host=here spool -o parts --ship "sh $PWD/ship \"\$1\" \"\$2\"" 2>>said &
        service=$!
        sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
        kill -KILL $service 2>/dev/null || fail 'it has ended by itself' "$(grep error: said)"
        wait $service 2>/dev/null || :
    done
    wait $worker
    run 0 "$anneal" collect -q --once --host=here spool -o parts --ship 'mkdir -p "$SERVER/$ANNEAL_BUILD" && cp "$1" "$SERVER/$2"'
    find spool parts -type f | grep . && fail 'something is left'
    # shellcheck disable=SC2046
    run 0 "$anneal" merge -q -o all.profdata $(find server -name '*.partial')
    run 0 "$anneal" show --json all.profdata
    expect "$(jq .profile.total_count out)" $((2 * processes)) # main and add
    had "$(find server -name '*.partial' | wc -l) partial results of $processes processes, $kills kills"
}

check_with clang-19 'nothing is lost when the service is killed' killed 5 50
tier long
check_with clang-19 'nothing is lost when the service is killed 200 times' killed 200 3000

# Twenty hosts, and a server that fails; bench/fleet/campaign fails when a count is not what the hosts have counted.
fleet() {
    HOSTS=20 RUNS=400 RATE=0 EVERY=200ms SPAN=1s KILLS=20 SERVER=python ANNEAL=$anneal TMPDIR=$PWD \
        run 0 "$tests/../bench/fleet/campaign"
    expect "$(jq -c '[.hosts, .runs, .builds]' out)" '[20,400,2]'
    had "$(jq .partials out) partial results, $(jq .refused out) failures to ship"
}
check_with 'clang-19 curl readelf python3' 'all that many hosts count arrives once, whatever fails' fleet
finish
