#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Slurm on three hosts, each with a network of its own: anneal-mpi started by srun and by mpirun, arrays of jobs, shares of a
# training, and a host that is lost in the middle.
#
# usage: test_slurm.sh ANNEAL [ANNEAL_MPI]
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/mpi/slurm_cluster.sh
. "$here/slurm_cluster.sh"
lacks=
for tool in $cluster_tools mpirun clang-19; do
    command -v "$tool" >/dev/null || lacks="$lacks $tool"
done
unshare --net --mount --pid --fork --mount-proc true 2>/dev/null || lacks="$lacks namespaces"
[ -n "$lacks" ] || cluster_enter "$0" "$@"
# shellcheck source=tests/tap.sh
. "$here/../tap.sh" "$@"
tier long
anneal_mpi=${2:+$(realpath "$2")}
cluster=$scratch/cluster
export SLURM_CONF=$cluster/slurm.conf
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_oob_tcp_if_include=eth0

starts() {
    mkdir "$cluster"
    cluster_start "$cluster"
    await cluster_is_up || fail "$(tail -n 3 "$cluster"/*.log)"
    run 0 on h0 srun -N 3 -n 6 sh -c 'echo "$SLURM_PROCID $(hostname)"'
    expect "$(sort out | tr '\n' ' ')" '0 h1 1 h1 2 h2 3 h2 4 h3 5 h3 '
}

# runs FIRST LAST: profiles of so many runs of two functions, no two of the same counts
runs() {
    local i
    for ((i = $1; i <= $2; i++)); do
        printf ':ir\nmain\n1\n2\n%d\n%d\n\nhelper%d\n2\n1\n%d\n' "$i" $((i % 7)) $((i % 5)) $((3 * i)) >"run$i.proftext"
        echo "$PWD/run$i.proftext"
    done
}

# one LIST RESULT: by one process, through a partial result
one() {
    run 0 "$anneal" merge -q --partial -o one.partial -f "$1"
    run 0 "$anneal" merge -q -o "$2" one.partial
}

merges() {
    local processes
    runs 1 300 >list
    one list expected
    for processes in 1 3 6; do
        run 0 on h0 srun --mpi=pmix -n $processes "$anneal_mpi" merge -o ours -f list
        says 'merged 300 of 300 inputs' "$processes process"
        same ours expected
        rm ours
    done
    run 0 on h0 salloc -Q -N 3 -n 6 mpirun "$anneal_mpi" merge -o ours -f list
    says '6 processes'
    same ours expected
}

# As docs/formats/partial.md has it: an array of jobs without MPI.
arrays() {
    runs 1 300 >list
    one list expected
    cat >job <<END
#!/bin/bash
set -o pipefail
awk -v n="\$SLURM_ARRAY_TASK_ID" 'NR % 16 == n' list | '$anneal' merge -q --partial -f - -o "part.\$SLURM_ARRAY_TASK_ID"
END
    run 0 on h0 sbatch -Q -W --array=0-15 -o 'job-%a.out' job
    cat job-*.out
    run 0 "$anneal" merge -o ours part.*
    says 'merged 300 of 300 inputs'
    same ours expected
}

# A host goes in the middle of a job: it is named, and the next job takes what is there.
loses_a_host() {
    local job status=0 pid
    runs 1 700 >list # three pieces, of 256
    one list expected
    rm run300.proftext
    mkfifo run300.proftext # in the second piece, which the second process will not end
    echo before >ours
    on h0 srun -K --mpi=pmix -N 3 -n 3 "$anneal_mpi" merge --resume "$PWD/pieces" -o ours -f list >out 2>err &
    job=$!
    two_pieces() {
        [ "$(find pieces -name '*.partial' 2>/dev/null | wc -l)" -eq 2 ]
    }
    await two_pieces || fail "no pieces: $(cat err)"
    for pid in $(pgrep -f "^$anneal_mpi merge"); do
        tr '\0' '\n' <"/proc/$pid/environ" | found -x 'SLURM_NODEID=1' && kill -KILL "$pid"
    done
    wait $job || status=$?
    [ $status -ne 0 ] || fail 'a job that lost a process ends well'
    grep -q 'h2' err || fail "nobody says which: $(cat err)"
    expect "$(cat ours)" before
    rm run300.proftext
    runs 300 300 >/dev/null
    run 0 on h0 srun --mpi=pmix -N 2 -n 4 "$anneal_mpi" merge --resume "$PWD/pieces" -o ours -f list
    says "2 of 3 pieces were in $PWD/pieces already"
    same ours expected
}

# counts PROFILE: its functions and their counts, in the order of names
counts() {
    llvm-profdata-19 show --counts --all-functions "$1" | grep -v '^Instrumentation'
}

trains() {
    cp "$tests/support/trained.c" .
    clang-19 -O1 -fprofile-generate trained.c -o program
    seq 1 60 >list
    run 0 "$anneal" train -q -n 2 -o whole -f list ./program
    run 0 on h0 srun -n 6 "$anneal" train -q -j1 -n 2 --share=job -o step/ -f list ./program
    expect "$(find step -name 'share-?-of-6.partial' | wc -l)" 6
    run 0 "$anneal" merge -o ours step/
    says 'merged 120 of 120 inputs'
    same <(counts ours) <(counts whole)
    # an array of jobs, and steps in these
    printf '#!/bin/bash\n%q train -q -j1 -n 2 --share=job -o array/ -f list ./program\n' "$anneal" >job
    run 0 on h0 sbatch -Q -W --array=1-4 -n 2 -o 'job-%a.out' job
    expect "$(ls array)" "$(printf 'share-%d-of-4.partial\n' 1 2 3 4)"
    run 0 "$anneal" merge -q -o ours array/
    same <(counts ours) <(counts whole)
    printf '#!/bin/bash\nsrun -n 2 %q train -q -j1 -n 2 --share=job -o steps/ -f list ./program\n' "$anneal" >job
    run 0 on h0 sbatch -Q -W --array=10-30:10 -n 2 -o 'job-%a.out' job
    expect "$(find steps -name 'share-?-of-6.partial' | wc -l)" 6
    run 0 "$anneal" merge -q -o ours steps/
    same <(counts ours) <(counts whole)
    # OpenMPI's mpirun, of a program that is none of MPI's
    run 0 on h0 salloc -Q -n 4 mpirun "$anneal" train -q -j1 -n 2 --share=job -o ranks/ -f list ./program
    run 0 "$anneal" merge -q -o ours ranks/
    same <(counts ours) <(counts whole)
}

if [ -z "$anneal_mpi" ]; then
    skip 'a cluster of Slurm' 'anneal-mpi was not built: there is no MPI here (libopenmpi-dev)'
elif [ -n "$lacks" ]; then
    skip 'a cluster of Slurm' "missing:$lacks; install: scripts/bootstrap test-long"
else
    check 'a cluster of Slurm on three hosts' starts
    check 'processes of srun and mpirun merge' merges
    check 'an array of jobs merges' arrays
    check 'a job that lost a host goes on' loses_a_host
    check 'steps, arrays and ranks share a training' trains
fi
finish
