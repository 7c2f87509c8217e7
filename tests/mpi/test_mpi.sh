#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal-mpi: what the processes of a job make together is what one merge of partial results makes, for any number of them;
# what is wrong with an input is said as by anneal merge; and a job that lost a process goes on where it was.
#
# usage: test_mpi.sh ANNEAL [ANNEAL_MPI]
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
anneal_mpi=${2:+$(realpath "$2")}

# One machine is enough, and root may do it here. There is no ssh, and nothing to try that is faster than memory.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=/bin/false
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_orte_base_help_aggregate=0

# OpenMPI keeps memory to the end, some of it by plug-ins that it has unloaded by then: it cannot be told from anneal's.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

# job PROCESSES ARGUMENT...
job() {
    local processes=$1
    shift
    mpirun --oversubscribe -n "$processes" "$anneal_mpi" "$@"
}

# runs FIRST LAST: profiles of so many runs of two functions, no two of the same counts
runs() {
    local i
    for ((i = $1; i <= $2; i++)); do
        printf ':ir\nmain\n1\n2\n%d\n%d\n\nhelper%d\n2\n1\n%d\n' "$i" $((i % 7)) $((i % 5)) $((3 * i)) >"run$i.proftext"
        echo "run$i.proftext"
    done
}

# one LIST RESULT: by one process, through a partial result
one() {
    run 0 "$anneal" merge -q --partial -o one.partial -f "$1"
    run 0 "$anneal" merge -q -o "$2" one.partial
}

any_number() {
    local processes
    runs 1 41 >list
    one list expected
    for processes in 1 2 3 5 8; do
        run 0 job $processes merge -o ours -f list
        says 'merged 41 of 41 inputs' "$processes process"
        never_says 'of the inputs came in'
        same ours expected
    done
    # traces, of which a sample is drawn, and names of virtual tables
    printf '%s\n' "$corpus"/raw/c-ir-temporal-clang19-run*.profraw >list
    [ "$(wc -l <list)" -gt 1 ] || fail 'no inputs'
    one list expected
    run 0 job 3 merge -q -o ours -f list
    same ours expected
    # the options for the end count at the end
    runs 1 9 >list
    run 0 "$anneal" merge -q --partial -o one.partial -f list
    run 0 "$anneal" merge -q --text --function=helper -o expected one.partial
    run 0 job 3 merge -q --text --function=helper -o ours -f list
    same ours expected
    run 0 job 3 merge -q --partial -o ours -f list
    same ours one.partial
    sed 's/^/3,/' list >weighted
    one weighted expected
    run 0 job 2 merge -q -o ours -f weighted
    same ours expected
}

families() {
    local number
    printf '%s\n' "$corpus"/raw/c-ir-clang19-run*.profraw >list
    one list expected
    run 0 job 3 merge -q -o ours -f list
    same ours expected
    for number in 1 2 3 4; do
        printf '1 main 0 1 f 0 0 %d\n1 f 4 1 f 8 1 %d\n' "$number" $((number * number)) >run$number.fdata
    done
    printf '%s\n' run?.fdata >list
    one list expected
    run 0 job 3 merge -q -o ours -f list
    same ours expected
    # a run of GCC's program is a folder, which is not torn apart
    local gcc=$tests/data/gcc/gcc-12
    for number in 1 2 3 4 5; do
        mkdir -p "gcc/run$number/sub"
        cp "$(find "$gcc" -name '*.gcda' | sort | first)" "gcc/run$number/a.gcda"
        cp "gcc/run$number/a.gcda" "gcc/run$number/sub/b$number.gcda"
    done
    run 0 "$anneal" merge -q --partial -o one.partial gcc/run*
    run 0 "$anneal" merge -q -o expected.gcda one.partial
    run 0 job 3 merge -q -o ours.gcda gcc/run*
    run 0 diff -r ours.gcda expected.gcda
    cp "$(find "$tests/data" -name '*.yaml' -size +0 | sort | first)" p.yaml
    run 2 job 2 merge -o ours p.yaml
    says 'several processes cannot merge'
    # standard input is that of the process that leads
    run1=$corpus/raw/c-ir-clang19-run1.profraw
    printf '%s\n' "$corpus"/raw/c-ir-clang19-run*.profraw >list
    one list expected
    grep -v run1 list >others
    run 0 job 3 merge -q -o ours - -f others <"$run1"
    same ours expected
    run 2 job 2 merge --resume pieces -o ours - -f others <"$run1"
    says '--resume cannot go on with standard input'
    same ours expected
}

accounts() {
    runs 1 9 >list
    echo garbage >garbage.profraw
    printf 'main\n1\n2\n5\n' >cut.proftext
    { cat list && echo garbage.profraw && echo cut.proftext; } >bad
    echo before >ours
    run 1 job 3 merge -o ours -f bad
    says 'rejected: garbage.profraw' 'rejected: cut.proftext' 'nothing written: 2 of 11 inputs rejected'
    expect "$(cat ours)" before
    run 1 job 3 merge -o ours -f list missing.profraw
    says 'missing.profraw: No such file or directory'
    expect "$(cat ours)" before
    one list expected
    run 0 job 3 merge --failure-mode=all --ledger=ledger.json -o ours -f bad
    says 'rejected: garbage.profraw' 'merged 9 of 11 inputs'
    same ours expected
    expect "$(jq -r '[.inputs[].status] | group_by(.) | map("\(.[0]) \(length)") | join(", ")' ledger.json)" 'rejected 2, used 9'
    # there are processes for which nothing is left
    run 0 job 6 merge -q -o ours run1.proftext run2.proftext
    run 1 job 3 merge -o ours garbage.profraw
    says 'rejected: garbage.profraw' 'nothing written'
    run 2 job 3 merge --foo
    says "unknown option '--foo'" # once, and no process waits for ever
    expect "$(grep -c 'unknown option' err)" 1
    run 2 job 3 merge -o ours
    says 'no inputs'
    run 2 job 2
    says 'expected a command'
    run 0 job 2 merge --help
    grep -q -- '--resume' out || fail "$(cat out)"
    # a process that cannot work ends the job, and says who it is (one alone: mpirun 4.1.4 itself may crash when two do so at once)
    run 1 mpirun --oversubscribe -n 1 env TMPDIR="$PWD/none" "$anneal_mpi" merge -o ours -f list
    says 'no temporary folder can be made' 'rank '
    [ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'anneal-mpi.*' -user "$(id -un)" -newer list)" ] || fail 'folders are left'
}

# process_of RANK: its pid, in the job of this folder
process_of() {
    local pid
    for pid in $(pgrep -f "^$anneal_mpi merge"); do
        [ "$(readlink "/proc/$pid/cwd")" = "$PWD" ] || continue
        tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | found -x "OMPI_COMM_WORLD_RANK=$1" && echo "$pid"
    done
    return 0
}

two_pieces_are_there() {
    [ "$(find pieces -name '*.partial' | wc -l)" -eq 2 ] && [ -n "$(process_of 1)" ]
}

goes_on() {
    local job_pid status=0
    runs 1 700 >list # three pieces, of 256
    one list expected
    rm run300.proftext
    mkfifo run300.proftext # in the second piece, which the second process will not end
    echo before >ours
    mkdir tmp
    # mpirun waits so many seconds between SIGTERM and SIGKILL, always
    OMPI_MCA_odls_base_sigkill_timeout=8 TMPDIR=$PWD/tmp mpirun --oversubscribe -n 3 "$anneal_mpi" merge --resume "$PWD/pieces" -o ours -f list >out 2>err &
    job_pid=$!
    await two_pieces_are_there || fail "no pieces: $(cat err; ls pieces)"
    expect "$(find tmp -name 'anneal-mpi.*' | wc -l)" 3
    kill -KILL "$(process_of 1)"
    wait $job_pid || status=$?
    # what mpirun ends leaves nothing
    expect "$(find tmp -name 'anneal-mpi.*' | wc -l)" 1
    [ $status -ne 0 ] || fail 'a job that lost a process ends well'
    grep -q 'rank 1' err || fail "nobody says which: $(cat err)"
    expect "$(cat ours)" before
    rm run300.proftext
    runs 300 300 >/dev/null
    run 0 job 2 merge --resume pieces -o ours -f list
    says '2 of 3 pieces were in pieces already'
    same ours expected
    # one that is damaged is made again, and one of inputs that are others by now, too
    find pieces -name '*.partial' | sort | first >damaged
    printf x >>"$(cat damaged)"
    touch -d '2001-01-01' run700.proftext
    run 0 job 3 merge --resume pieces -o ours -f list
    same ours expected
    run 0 job 4 merge --resume pieces -o ours -f list
    says '3 of 3 pieces were in pieces already'
    same ours expected
    # a piece is no input: where rejected inputs are left out, a damaged one is made again, too
    rm pieces/*.partial
    run 0 job 2 merge --failure-mode=warn --resume pieces -o ours -f list
    printf x >>"$(find pieces -name '*.partial' | sort | first)"
    run 0 job 2 merge --failure-mode=warn --resume pieces -o ours -f list
    says '2 of 3 pieces were in pieces already'
    same ours expected
}

# Killed at any moment, a rank of three at a time, until a job comes through: every input is in the result, once. Until KILLS were.
killed_ranks() {
    local campaign rank tries=0 status killed=0
    runs 1 2100 >list # nine pieces
    one list expected
    for ((campaign = 0; killed < ${KILLS:-10}; campaign++)); do
        rm -rf pieces ours
        status=1
        while [ $status -ne 0 ]; do
            tries=$((tries + 1))
            status=0
            OMPI_MCA_odls_base_sigkill_timeout=0 mpirun --oversubscribe -n 3 "$anneal_mpi" merge -q --resume "$PWD/pieces" --ledger=ledger -o ours -f list >out 2>err &
            job_pid=$!
            if [ $((tries % 4)) -ne 0 ]; then # each fourth job is let be
                rank=$((RANDOM % 3))
                is_there() { [ -n "$(process_of $rank)" ] || ! kill -0 $job_pid 2>/dev/null; }
                await is_there || :
                sleep "$(printf '0.%03d' $((RANDOM % 200)))" # the moment, not an event
                # shellcheck disable=SC2046 # there may be none any more
                kill -KILL $(process_of $rank) 2>/dev/null && killed=$((killed + 1))
            fi
            wait $job_pid || status=$?
            [ $tries -lt 2000 ] || fail "$tries jobs, of which $killed lost a rank"
        done
        same ours expected
        expect "$(jq '[.inputs[] | select(.status == "used")] | length' ledger)" 2100
    done
    echo "$killed ranks killed in $tries jobs, $campaign campaigns" >>"$scratch/remarks"
}

# As all partial results do.
leaves_memory_out() {
    local golden=$corpus/memprof_raw counts=("$corpus"/raw/c-ir-clang19-run?.profraw)
    run 0 "$anneal" merge -q -o expected "${counts[@]}"
    run 0 job 3 merge --profiled-binary="$golden/19.debug" -o ours "$golden"/19-run?.memprofraw "${counts[@]}"
    says "merged $((2 + ${#counts[@]})) of $((2 + ${#counts[@]})) inputs"
    says '2 inputs with a memory profile, which partial results do not keep: left out: '
    same ours expected
}

# What completes raw profiles is known to all processes: none of them rejects what needs it.
completed() {
    local number
    cp "$corpus"/src/ops* .
    clang-19 -O1 -fprofile-instr-generate -mllvm -profile-correlate=binary -Wl,--build-id ops_main.c ops_util.c -o program
    for number in 1 2 3 4 5; do
        LLVM_PROFILE_FILE=$number.profraw ./program $number 5 >/dev/null
        echo $number.profraw
    done >list
    clang-19 -O1 -fprofile-instr-generate ops_main.c ops_util.c -o whole
    LLVM_PROFILE_FILE=whole.profraw ./whole 1 5 >/dev/null
    echo whole.profraw >>list
    run 0 "$anneal" merge -q --partial --binary-file=program -o one.partial -f list
    run 0 "$anneal" merge -q -o expected one.partial
    run 0 job 3 merge --failure-mode=all --binary-file=program -o ours -f list
    says 'merged 6 of 6 inputs'
    never_says 'leaves'
    same ours expected
    run 0 job 2 merge --resume pieces --binary-file=program -o ours -f list
    same ours expected
    touch -d 2001-01-01 program # another one, as it seems
    run 0 job 2 merge --resume pieces --binary-file=program -o ours -f list
    says '0 of 1 pieces were in pieces already'
    same ours expected
}

tools=mpirun
if [ -n "$anneal_mpi" ]; then
    check_with $tools 'any number of processes makes the same' any_number
    check_with $tools 'all families that have partial results' families
    check_with $tools 'each input is accounted for' accounts
    check_with "$tools clang-19" 'profiles that a binary completes' completed
    check_with "$tools" 'raw memory profiles are left out, and said to be' leaves_memory_out
    check_with $tools 'a job that lost a process goes on' goes_on
    tier long
    check_with "$tools jq" 'ranks that are killed at any moment' killed_ranks
else
    skip 'merges by several processes' 'anneal-mpi was not built: there is no MPI here (libopenmpi-dev)'
fi
finish
