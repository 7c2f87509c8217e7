#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# train: programs of clang 19 and GCC 12, with their own runtimes and anneal's. What the runs counted that went
# well is in the result, with its weight, and nothing else; the peers' merges of the same runs say what that is.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
unset ANNEAL_PROFILE_FILE GCOV_PREFIX GCOV_PREFIX_STRIP
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR" "$scratch/programs"
programs=$scratch/programs
tools='clang-19 llvm-profdata-19 gcc-12 jq'

build() {
    local flags
    flags=$("$anneal" rt --ldflags)
    cd "$programs"
    cp "$tests/support/trained.c" .
    clang-19 -O1 -fprofile-generate -c trained.c -o llvm.o
    clang-19 -fprofile-generate llvm.o -o llvm
    gcc-12 -O1 -fprofile-generate -ftest-coverage -c trained.c -o gcc.o
    gcc-12 -fprofile-generate gcc.o -o gcc
    gcc-12 -O1 trained.c -o plain
    # shellcheck disable=SC2086 # words are meant
    {
        clang-19 -fprofile-generate llvm.o -o llvm-ours $flags
        gcc-12 -fprofile-generate gcc.o -o gcc-ours $flags
    }
    touch built
}

# No work folder may be left, whatever happens, and no process.
nothing_is_left() {
    expect "$(ls -A "$TMPDIR")" ''
    ! pgrep -f "^$programs/" || fail 'processes are left'
}

# peer_llvm RESULT ARGUMENT...: llvm-profdata's merge of runs with these arguments
peer_llvm() {
    local argument result=$1
    mkdir raw
    for argument in "${@:2}"; do
        LLVM_PROFILE_FILE=$PWD/raw/%p.profraw "$programs/llvm" "$argument" >/dev/null 2>&1 || :
    done
    llvm-profdata-19 merge --num-threads=1 -o "$result" raw/*.profraw
    rm -r raw
}

# peer_gcc FOLDER ARGUMENT...: libgcov's
peer_gcc() {
    local argument
    for argument in "${@:2}"; do
        GCOV_PREFIX=$PWD/$1 "$programs/gcc" "$argument" >/dev/null 2>&1 || :
    done
}

train() {
    run "$1" "$anneal" train "${@:2}"
    nothing_is_left
}

# ---- what is merged ----

llvm_runs() {
    peer_llvm expected 1 2 3 10 40
    train 0 -o result "$programs/llvm" ::: 1 2 3 10 40
    says '5 of 5 runs succeeded' 'merged 5 profiles: 4 functions' '-> result ('
    same result expected
    train 0 -q -o ours "$programs/llvm-ours" ::: 1 2 3 10 40
    expect "$(cat err)" ''
    for file in ours expected; do # but for the ids of the binaries
        llvm-profdata-19 merge --text -o $file.text $file
    done
    same ours.text expected.text
    train 0 -q --format-version=7 -o old "$programs/llvm" ::: 1 2 3 10 40
    "$anneal" merge -q --format-version=7 -o expected7 expected
    same old expected7
    train 0 -q --for=clang-14 -o old "$programs/llvm" ::: 1 2 3 10 40
    "$anneal" merge -q --for=clang-14 -o expected14 expected
    same old expected14
}

gcc_runs() {
    peer_gcc expected 1 2 3 10 40
    train 0 -o result "$programs/gcc" ::: 1 2 3 10 40
    says 'merged 5 counter files' '-> result (1 module, gcda)'
    diff -r result expected
    train 0 -q -o result "$programs/gcc-ours" ::: 1 2 3 10 40 # in the place of the first one
    diff -r result expected
    expect "$(ls)" "$(printf 'err\nexpected\nout\nresult')"
}

both_kinds() {
    peer_llvm expected.profdata 7 9
    peer_gcc expected 7 9
    train 0 -o result/ sh -c "$programs/gcc \$1; $programs/llvm \$1" sh ::: 7 9
    same result/default.profdata expected.profdata
    rm result/default.profdata
    diff -r result expected
}

weights() {
    local numbers
    peer_llvm expected 10 10 10 20 7 7 5
    train 0 -o result -w 3,10 -w 1,20 -w 2,7 "$programs/llvm" ::: 5
    same result expected
    peer_gcc expected.gcc 10 10 10 20 7 7 5
    printf '# a comment\n3\t10\n\n20\n2\t7\r\n5' |
        train 0 -o result.gcc --ledger=ledger -f - "$programs/gcc"
    diff -r expected.gcc result.gcc
    expect "$(jq -c '[.ledger[] | [.workload, .weight]]' ledger)" '[["10",3],["20",1],["7",2],["5",1]]'
    # Between batches, too.
    (seq 1 40; printf '1000000\t41\n'; seq 42 90) >list
    train 0 -q -o result -f list "$programs/llvm"
    readarray -t numbers < <(seq 1 40; seq 42 90)
    peer_llvm part "${numbers[@]}"
    peer_llvm heavy 41
    llvm-profdata-19 merge --num-threads=1 -o expected part -weighted-input=1000000,heavy
    same <(llvm-profdata-19 show --counts --all-functions result) \
        <(llvm-profdata-19 show --counts --all-functions expected)
}

# Uniformity needs version 14. It gets through the batches, of 32 runs each, or it is told that it did not.
uniform_runs() {
    local corpus=$tests/data/llvm/raw number file
    cat >run <<'EOF'
#!/bin/sh
mkdir -p "${LLVM_PROFILE_FILE%/*}"
cp "$1" "${LLVM_PROFILE_FILE%/*}/1.profraw"
EOF
    chmod +x run
    for number in {1..40}; do
        [ "$number" = 35 ] && file=uniform-ir-clang23-run2 || file=uniform-ir-clang23-run1
        echo "$corpus/$file.profraw"
    done >list
    "$anneal" merge -q -f list -o expected
    train 0 -o result -f list ./run
    never_says 'cannot hold'
    same result expected
    # Beside runs of an older compiler
    sed "20s,.*,$corpus/c-ir-clang19-run1.profraw," list >mixed
    "$anneal" merge -f mixed -o expected 2>err
    says 'version 12 cannot hold the uniformity of 16 functions'
    train 0 -o result -f mixed ./run
    says 'version 12 cannot hold the uniformity of 16 functions'
    same result expected
    "$anneal" merge -q --format-version=14 -f mixed -o expected
    train 0 --format-version=14 -o result -f mixed ./run
    never_says 'cannot hold'
    same result expected
    train 0 --for=clang-23 -o result -f mixed ./run
    never_says 'cannot hold'
    same result expected
}

# The merge does not depend on how many runs there are at a time; it is that of the peers.
many_runs() {
    local jobs numbers
    seq 1 300 >list
    readarray -t numbers <list
    peer_llvm expected "${numbers[@]}"
    peer_gcc expected.gcc "${numbers[@]}"
    for jobs in 1 8; do
        train 0 -j$jobs -q -o result -f list "$programs/llvm"
        same result expected
        train 0 -j$jobs -q -o result.gcc -f list "$programs/gcc"
        diff -r result.gcc expected.gcc
    done
}

repeated() {
    peer_llvm expected 4 4 4 6 6 6
    train 0 --runs=3 -o result --ledger=ledger "$programs/llvm" ::: 4 6
    same result expected
    expect "$(jq -c '[.ledger[] | [.run, .workload, .workload_number]]' ledger)" \
        '[[1,"4",1],[2,"6",2],[3,"4",1],[4,"6",2],[5,"4",1],[6,"6",2]]'
}

# All processes of a run count.
forking_runs() {
    local program expected
    train 0 -q -o once "$programs/llvm-ours" ::: 5
    for program in llvm llvm-ours; do
        train 0 -q -o result "$programs/$program" ::: 5fork
    done
    expected=$("$programs/plain" 5)
    expected=$((expected + 2 * 111)) # 27 takes 111 steps
    expect "$(llvm-profdata-19 show --all-functions --counts result |
        grep -A6 -E ':?(half|triple):$' | sed -n 's/.*Block counts: \[\(.*\)\]/\1/p' | tr ', ' '\n' | awk '{ sum += $1 } END { print sum }')" "$expected"
    train 0 -q -o ours "$programs/gcc-ours" ::: 5fork 5fork
    train 0 -q -o theirs "$programs/gcc" ::: 5fork 5fork
    expect "$(gcov_steps ours)" $((2 * expected))
    expect "$(gcov_steps theirs)" $((2 * expected))
}

# gcov_steps FOLDER: how often half and triple were entered
gcov_steps() {
    cp "$(find "$1" -name '*.gcda')" "$programs"/gcc.gcno .
    gcov-12 --json-format --stdout gcc.gcda |
        jq '[.files[].functions[] | select(.name == "half" or .name == "triple") | .execution_count] | add'
}

# ---- what is left out ----

failures() {
    peer_llvm expected 1 2 3
    train 1 -o result -t 8s --kill-after=0.3s --ledger=ledger --json \
        "$programs/llvm" ::: 1 5fail 2 6crash 3 9_exit 7hang 8deaf
    says 'run 2 (5fail) failed: exit status 3' '| how 5fail ends' \
        'run 4 (6crash) failed: killed by signal 6' 'run 6 (9_exit) failed: left no profile' \
        'run 7 (7hang) failed: exceeded the time limit' 'run 8 (8deaf) failed: exceeded the time limit' \
        '5 of 8 runs failed (1 exited, 1 killed, 2 timed out, 1 no profile)' '3 of 8 runs succeeded'
    same result expected
    expect "$(jq -c '[.runs, .succeeded, .failed, .too_many_failed, (.failures | length)]' out)" '[8,3,5,true,5]'
    expect "$(jq -r '.ledger[].status' ledger | paste -sd,)" \
        'succeeded,exited,succeeded,killed,succeeded,no profile,timed out,timed out'
    expect "$(jq -c '.ledger[1] | [.exit_status, .last_words, .profiles[0].status]' ledger)" \
        '[3,"this is\nhow 5fail ends","left out"]'
    expect "$(jq -c '.ledger[0].profiles[0] | [.family, .status]' ledger)" '["llvm","used"]'
    peer_gcc expected.gcc 1 2 3
    train 1 -q -o result.gcc "$programs/gcc" ::: 1 5fail 2 6crash 3 9_exit
    diff -r result.gcc expected.gcc
    expect "$(cat err)" ''
}

failures_that_are_allowed() {
    train 0 --max-failures=2 -o result "$programs/llvm" ::: 1 2fail 3fail 4
    train 1 --max-failures=1 -o result "$programs/llvm" ::: 1 2fail 3fail 4
    train 0 --max-failures=50% -o result "$programs/llvm" ::: 1 2fail 3fail 4
    train 1 --max-failures=49.9% -o result "$programs/llvm" ::: 1 2fail 3fail 4
    peer_llvm expected 1 2fail 3fail 4
    train 1 --keep-failed -o result "$programs/llvm" ::: 1 2fail 3fail 4
    same result expected
    train 1 -j1 --fail-fast -o result --json "$programs/llvm" ::: 1 2fail 3 4
    expect "$(jq -c '[.succeeded, .failed, .not_run]' out)" '[1,1,2]'
    says '2 of 4 runs are complete'
}

no_profile_at_all() {
    echo old >result
    train 1 -o result "$programs/plain" ::: 1 2
    says 'left no profile (was it built with -fprofile-generate?' 'none of 2 runs left a valid profile'
    train 1 -o result "$programs/llvm" ::: 1fail 2fail
    says 'none of 2 runs left a valid profile: nothing written'
    # linked for profiles, but compiled without: each run leaves one that has no function
    clang-19 -O1 -c "$tests/support/trained.c" -o plain.o
    clang-19 -fprofile-generate -u __llvm_profile_runtime plain.o -o linked
    train 1 -o result ./linked ::: 1 2
    says 'none of 2 runs left a profile with functions: nothing written' '-fprofile-generate?'
    expect "$(cat result)" old
}

damaged_profiles() {
    cat >torn <<END
#!/bin/sh
"$programs/llvm" "\$1"
[ "\$1" != 2 ] || for file in "\${LLVM_PROFILE_FILE%/*}"/*; do truncate -s 200 "\$file"; done
END
    chmod +x torn
    peer_llvm expected 1 3
    train 1 -o result --ledger=ledger ./torn ::: 1 2 3
    says 'run 2 (2) failed: at byte' '1 of 3 runs failed (1 bad profile)' '2 of 3 runs succeeded'
    same result expected
    expect "$(jq -c '.ledger[1] | [.status, .profiles[0].status]' ledger)" '["bad profile","rejected"]'
}

# A run's processes end with it.
what_is_left_running() {
    train 0 -o result --kill-after=1s --ledger=ledger "$programs/llvm" ::: 3leave
    says '1 run left processes behind, which anneal ended'
    expect "$(jq '.ledger[0].left_running' ledger)" true
}

# ---- workloads ----

# The arguments of each run, one run a line.
arguments() {
    cat >show <<END
#!/bin/sh
for word; do printf '<%s>' "\$word"; done >>$PWD/seen
printf ' %s %s %s\\n' "\${ANNEAL_WORKLOAD-none}" "\$ANNEAL_WORKLOAD_NUMBER" "\$ANNEAL_RUN_NUMBER" >>$PWD/seen
exec "$programs/llvm" 1
END
    chmod +x show
    : >seen
    train 0 -q -j1 -o result ./show a -x ::: 1 'b  c'
    train 0 -q -j1 -o result -- ./show '{}-{}' x{}y ::: 1
    train 0 -q -j1 -o result -I %% ./show '{}' %% ::: 1
    train 0 -q -j1 -n 2 -o result ./show '{}'
    expect "$(cat seen)" '<a><-x><1> 1 1 1
<a><-x><b  c> b  c 2 2
<1-1><x1y> 1 1 1
<{}><1> 1 1 1
<{}> none 1 1
<{}> none 1 2'
    : >seen
    printf 'a b\0c\nd\0#e\0' >list
    train 0 -q -j1 -o result -0 -f list ./show
    mkdir files
    touch files/b 'files/a a' files/.hidden
    mkdir files/folder
    train 0 -q -j1 -o result -d files ./show
    expect "$(cat seen)" '<a b> a b 1 1
<c
d> c
d 2 2
<#e> #e 3 3
<files/a a> files/a a 1 1
<files/b> files/b 2 2'
}

surroundings() {
    cat >look <<END
#!/bin/sh
cat
[ ! -t 0 ] && [ "\$(ps -o pgid= -p \$\$)" -eq \$\$ ] && echo output && echo errors >&2
exec "$programs/llvm" 1
END
    chmod +x look
    run 0 "$anneal" train -o result ./look <<<input
    expect "$(cat out)" ''
    never_says errors
    run 0 "$anneal" train --keep-work --work-dir=. -o result ./look
    says "the work folder is $PWD/anneal-train."
    expect "$(cat anneal-train.*/run/0/stdout)" "$(printf 'output\n0')"
    expect "$(cat anneal-train.*/run/0/stderr)" errors
    ls anneal-train.*/run/0/llvm/*.profraw
}

# ---- outputs ----

folders_as_outputs() {
    mkdir result
    train 0 -o result "$programs/llvm" ::: 1
    [ -s result/default.profdata ]
    train 0 -o new/ "$programs/llvm" ::: 1
    [ -s new/default.profdata ]
    mkdir work
    echo precious >work/notes
    train 1 -o work -n 100 "$programs/gcc" ::: 1
    says 'work/notes: is not a profile, and its folder would be replaced'
    echo old >file
    train 1 -o file "$programs/gcc" ::: 1
    says 'file: is a file'
    expect "$(cat work/notes file)" "$(printf 'precious\nold')"
    ln -s result link
    train 0 -o link "$programs/gcc" ::: 1
    [ -L link ]
    [ ! -e result/default.profdata ]
    find result -name '*.gcda' | found gcc.gcda
}

in_place() {
    cp "$programs/trained.c" .
    gcc-12 -O1 -fprofile-generate -c trained.c
    gcc-12 -fprofile-generate trained.o -o trained
    train 0 --in-place ./trained ::: 10 20
    says '-> their places (1 module'
    cp trained.gcda first
    train 0 -q --in-place ./trained ::: 10 20
    same trained.gcda first
    rm trained.gcda
    ./trained 10 >out
    ./trained 20 >out
    same trained.gcda first
    expect "$(ls -A)" "$(printf 'err\nfirst\nout\ntrained\ntrained.c\ntrained.gcda\ntrained.o')"
    rm trained.gcda
    train 0 -q --flat -o flat ./trained ::: 10 20
    expect "$(ls flat)" "$(pwd -P | tr / '#')#trained.gcda"
    gcc-12 -O1 -fprofile-use=flat -Wmissing-profile -Werror -c trained.c
}

refusals() {
    train 2 -o result
    says 'no command to run'
    train 2 -o result ::: 1
    says 'no command to run'
    train 2 "$programs/llvm"
    says 'no output'
    train 2 -o - "$programs/llvm"
    says 'a file or a folder'
    train 1 -o result ./no-such-program ::: 1 2 3
    says './no-such-program: cannot run: No such file or directory'
    train 2 -j0 -o result "$programs/llvm"
    train 2 -jx -o result "$programs/llvm"
    train 2 --timeout=never -o result "$programs/llvm"
    train 2 --max-failures=101% -o result "$programs/llvm"
    train 2 --max-failures=-1 -o result "$programs/llvm"
    train 2 --format-version=4 -o result "$programs/llvm"
    train 2 --for=clang-14 --format-version=7 -o result "$programs/llvm"
    train 2 --for=no-such-compiler -o result "$programs/llvm"
    train 2 --flat --in-place "$programs/llvm"
    train 2 -I '' -o result "$programs/llvm"
    train 2 -w x -o result "$programs/llvm"
    says 'expected WEIGHT,WORKLOAD'
    train 2 -w 0,x -o result "$programs/llvm"
    train 1 -o result "$programs/llvm" :::
    says 'the list of workloads is empty'
    train 1 -f /dev/null -o result "$programs/llvm"
    says 'the list of workloads is empty'
    train 1 -f no-such-list -o result "$programs/llvm"
    says 'no-such-list'
    printf 'a\n0\tb\n' >list
    train 1 -f list -o result "$programs/llvm"
    says 'list: at byte 2: ' 'expected a weight of at least 1'
    printf 'a\0b\n' >list
    train 1 -f list -o result "$programs/llvm"
    says 'use -0 for NUL-terminated entries'
    train 1 -d no-such-folder -o result "$programs/llvm"
    train 1 -o list/below "$programs/llvm"
    says 'list/below'
    run 0 "$anneal" train -o made/for/it "$programs/llvm"
    [ -s made/for/it ]
    rm -r made
    train 1 --work-dir=nowhere -o result "$programs/llvm"
    says 'nowhere'
    [ ! -e result ]
}

# A program for each workload: one that is not there has failed, and the others run.
programs_as_workloads() {
    train 1 -o result '{}' ::: "$programs/llvm" ./no-such-program
    says 'run 2 (./no-such-program) failed: could not start: No such file' '1 of 2 runs succeeded'
}

# ---- ends ----

# until_runs FILE: the workload that makes it runs
until_runs() {
    await [ -e "$1" ]
}

interrupted() {
    local status=0 training
    cat >step <<END
#!/bin/sh
[ "\$1" != 3hang ] || touch $PWD/hangs
exec "$programs/llvm" "\$1"
END
    chmod +x step
    peer_llvm expected 1 2
    env --default-signal=INT "$anneal" train -j1 -o result --ledger=ledger ./step ::: 1 2 3hang 4 2>err &
    training=$!
    until_runs hangs
    kill -INT $training
    wait $training || status=$?
    expect $status 1
    says 'interrupted: 2 of 4 runs are complete'
    same result expected
    expect "$(jq -r '.ledger[].status' ledger | paste -sd,)" 'succeeded,succeeded,interrupted,not run'
    nothing_is_left
    rm hangs
    status=0
    "$anneal" train -j1 -o result ./step ::: 3hang 4 2>err &
    training=$!
    until_runs hangs
    kill -TERM $training
    wait $training || status=$?
    expect $status 1
    says 'no run was complete: nothing written'
    same result expected
    nothing_is_left
}

# signal_taken PID: none is pending
signal_taken() {
    ! grep -q '^ShdPnd:.*[1-9a-f]' "/proc/$1/status"
}

interrupted_twice() {
    local status=0 training
    cat >step <<END
#!/bin/sh
trap : TERM
touch $PWD/hangs
"$programs/llvm" "\$1"
"$programs/llvm" "\$1"
END
    chmod +x step
    echo old >result
    env --default-signal=INT "$anneal" train -j2 --kill-after=60s -o result ./step ::: 3deaf 4deaf 2>err &
    training=$!
    until_runs hangs
    kill -INT $training
    await signal_taken $training # two at a time would be one
    kill -INT $training
    wait $training || status=$?
    expect $status 1
    says 'interrupted: nothing written'
    expect "$(cat result)" old
    nothing_is_left
}

# Results and work folder on a file system of 256 KB.
a_full_disk() {
    mkdir disk
    mount -t tmpfs -o size=256k tmpfs disk
    trap 'umount disk' EXIT
    echo old >disk/result
    head -c 252k /dev/zero >disk/filler 2>err || :
    run 1 "$anneal" train -q -o disk/result "$programs/llvm" ::: 1 2
    expect "$(grep -c . err)" 1
    says disk/result 'No space left on device' 'the merged profile is kept in'
    expect "$(cat disk/result)" old
    expect "$(ls -A disk | paste -sd' ')" 'filler result'
    "$anneal" merge -q -o saved "$TMPDIR"/*/merged
    peer_llvm expected 1 2
    same saved expected
    rm -r "${TMPDIR:?}"/*
    train 1 -q --work-dir=disk -o result "$programs/llvm" ::: 1 2
    expect "$(grep -c . err)" 1
    [ ! -e result ]
    expect "$(ls -A disk | paste -sd' ')" 'filler result'
    umount disk
    trap - EXIT
}

not_as_root() {
    [ "$(id -u)" -eq 0 ] || return 0
    mkdir home closed
    chmod 777 home
    chmod 755 . .. closed "$scratch" "$programs"
    cp "$anneal" program
    run 0 env TMPDIR=home setpriv --reuid=65534 --regid=65534 --clear-groups \
        ./program train -o home/result "$programs/llvm" ::: 1
    run 1 env TMPDIR=home setpriv --reuid=65534 --regid=65534 --clear-groups \
        ./program train -o closed/result "$programs/llvm" ::: 1
    says 'closed/result: cannot write to it: Permission denied'
    expect "$(ls home)" result
}

# ---- shares ----

# as_text PROFILE: its functions and their counts, in the order of names
as_text() {
    llvm-profdata-19 show --counts --all-functions "$1" | grep -v '^Instrumentation'
}

# Shares of a training, in any number, are all of it: each run counts once, also when it left what another one left.
shares() {
    local number shares
    seq 1 70 >list
    echo '5	11' >>list
    train 0 -q -n 2 -o whole -f list "$programs/llvm"
    for shares in 1 3; do
        for number in $(seq $shares); do
            train 0 -n 2 --share="$number/$shares" -o parts$shares/ -f list "$programs/llvm"
            says 'partial result)' "-> parts$shares/share-$number-of-$shares.partial"
        done
        run 0 "$anneal" merge -o result$shares parts$shares/
        says 'merged 142 of 142 inputs' "of the inputs came in $shares partial result"
        same <(as_text result$shares) <(as_text whole)
    done
    # a share that comes twice counts once, and one of nothing is well
    run 0 "$anneal" merge -q -o again parts3/ parts3/share-2-of-3.partial
    same again result3
    train 0 --share=9/9 -o none/ "$programs/llvm" ::: 1 2 3
    says 'no run is left for share 9 of 9'
    expect "$(ls none)" ''
    # numbers of runs are those of the whole
    train 1 --json --share=2/3 --ledger=ledger -o part "$programs/llvm" ::: 1 3 4 5 7fail 8
    says 'run 5 (7fail) failed: exit status 3'
    expect "$(jq -c '[.share.number, .share.of, .runs]' out)" '[2,3,2]'
    expect "$(jq -c '[.ledger[] | [.run, .workload]]' ledger)" '[[2,"3"],[5,"7fail"]]'
    train 0 -q --share=2/2 -o part sh -c "echo \$ANNEAL_RUN_NUMBER >number; $programs/llvm 3" sh ::: a b
    expect "$(cat number)" 2
}

shares_of_gcc() {
    local number
    seq 1 40 >list
    echo '3	11' >>list
    train 0 -q -n 2 -o whole -f list "$programs/gcc"
    for number in 1 2; do
        train 0 -n 2 --share=$number/2 -o parts/ -f list "$programs/gcc"
        says '(1 module, partial result)'
    done
    run 0 "$anneal" merge -o result parts/
    says 'merged 82 of 82 inputs'
    diff -r result whole
    train 0 --partial -o both.partial "$programs/gcc" ::: 1 2
    train 0 --partial -o folder/ "$programs/gcc" ::: 1 2
    expect "$(ls folder)" default.partial
    # one kind of profile in a partial result; what was there stays
    echo before >both.partial
    train 1 --partial -o both.partial sh -c "$programs/gcc \$1; $programs/llvm \$1" sh ::: 7 9
    says 'profiles of clang and of gcc'
    expect "$(cat both.partial)" before
    train 2 --partial --in-place "$programs/gcc" ::: 1
    train 2 --share=1/2 --for=clang-14 -o x "$programs/llvm" ::: 1
}

# What Slurm, OpenMPI and others tell a process of a job.
shares_of_jobs() {
    local command=("$programs/llvm" ::: 1 2 3 4 5 6 7 8) job=(--json --share=job -o parts/)
    unset "${!SLURM_@}" "${!OMPI_@}" "${!PMI_@}"
    share() { # VARIABLE=VALUE... SHARE
        run 0 env "${@:1:$# - 1}" "$anneal" train -q "${job[@]}" "${command[@]}"
        expect "$(jq -r '"\(.share.number)/\(.share.of)"' out)" "${*: -1}"
    }
    share OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4 3/4
    share PMI_RANK=0 PMI_SIZE=2 1/2
    share SLURM_PROCID=7 SLURM_NTASKS=8 SLURM_STEP_NUM_TASKS=8 8/8
    share SLURM_ARRAY_TASK_ID=20 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_MAX=30 SLURM_ARRAY_TASK_COUNT=3 2/3
    # in the script of a job of an array, where there is one process; and in a step of it
    share SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=1 \
        SLURM_ARRAY_TASK_COUNT=2 2/2
    share SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=4 SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=1 \
        SLURM_ARRAY_TASK_COUNT=2 6/8
    expect "$(ls parts | first)" share-1-of-2.partial
    train 2 "${job[@]}" "${command[@]}"
    says 'no process of an MPI job, of srun or of an array of jobs'
    run 2 env SLURM_PROCID=0 SLURM_NTASKS=4 "$anneal" train "${job[@]}" "${command[@]}"
    run 2 env SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=3 \
        "$anneal" train "${job[@]}" "${command[@]}"
    says 'not equally far apart'
    run 2 env PMI_RANK=0 PMI_SIZE=2 "$anneal" train --share=job -o file "${command[@]}"
    says 'each process writes a file of its own'
    local wrong
    for wrong in 0/3 4/3 1 1/ /3 1/3x -1/3 1/0 ''; do
        train 2 --share="$wrong" -o x "${command[@]}"
        says 'expected K/N'
    done
    nothing_is_left
}

check_with "$tools" 'programs to be trained' build
if [ -e "$programs/built" ]; then
    check "runs of clang's programs" llvm_runs
    check "runs of GCC's programs" gcc_runs
    check 'runs of both' both_kinds
    check 'weights' weights
    check 'uniformity of code for GPUs' uniform_runs
    check 'the same for any number of jobs' many_runs
    check 'repeated runs' repeated
    check_with gcov-12 'runs that fork' forking_runs
    check 'failures' failures
    check 'failures that are allowed' failures_that_are_allowed
    check 'no profile at all' no_profile_at_all
    check 'damaged profiles' damaged_profiles
    check 'what runs leave running' what_is_left_running
    check 'arguments' arguments
    check "a run's surroundings" surroundings
    check 'folders as outputs' folders_as_outputs
    check 'in place, and flat' in_place
    check 'shares' shares
    check "shares of GCC's programs" shares_of_gcc
    check 'shares of jobs' shares_of_jobs
    check 'refusals' refusals
    check 'programs as workloads' programs_as_workloads
    check 'interrupted' interrupted
    check 'interrupted twice' interrupted_twice
    if mkdir "$scratch/disk" && mount -t tmpfs -o size=64k tmpfs "$scratch/disk" 2>/dev/null; then
        umount "$scratch/disk"
        check 'a full disk' a_full_disk
    else
        skip 'a full disk' 'mounting is not allowed here'
    fi
    check_with setpriv 'not as root' not_as_root
fi
finish
