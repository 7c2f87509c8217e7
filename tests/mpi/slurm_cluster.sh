# SPDX-License-Identifier: Apache-2.0
#
# Sourced: a cluster of Slurm on this machine. Each host is a network and a name of its own; they see one another over a bridge,
# and share the files. All of it is in namespaces that go with the process that made them.
#
#     h0 (slurmctld, commands)   h1, h2, h3 (slurmd, two processors each)
#
#     cluster_enter "$0" "$@"          goes on in new namespaces
#     cluster_start FOLDER             starts it
#     on HOST COMMAND...               runs a command there
# shellcheck shell=bash

cluster_hosts='h0 h1 h2 h3'
cluster_tools='munged slurmctld slurmd srun sbatch sinfo ip unshare nsenter hostname mount'

cluster_enter() {
    [ -z "${IN_CLUSTER:-}" ] || return 0
    IN_CLUSTER=1 exec unshare --net --mount --pid --fork --kill-child --mount-proc bash "$@"
}

# What a process of this host has: its network, its name, and the folder in which PMIx keeps what is its own.
on() {
    local host=$1
    shift
    # shellcheck disable=SC2016 # sh expands them
    nsenter --net="/run/netns/$host" unshare --uts --mount sh -c \
        'hostname "$0" && mount --bind "$1/mpi.conf.$0" "$1/mpi.conf" && shift && exec "$@"' \
        "$host" "$cluster" "$@"
}

cluster_network() {
    local host number=1
    mkdir -p /run/netns
    mount -t tmpfs tmpfs /run/netns
    ip link set lo up
    ip link add bridge type bridge
    ip link set bridge up
    for host in $cluster_hosts; do
        ip netns add "$host"
        ip link add "to-$host" type veth peer name eth0 netns "$host"
        ip link set "to-$host" master bridge up
        ip -n "$host" addr add "10.77.0.$number/24" dev eth0
        ip -n "$host" link set eth0 up
        ip -n "$host" link set lo up
        echo "10.77.0.$number $host" >>"$cluster/hosts"
        mkdir -p "$cluster/own/$host" "$cluster/spool/$host"
        echo "PMIxCliTmpDirBase=$cluster/own/$host" >"$cluster/mpi.conf.$host"
        number=$((number + 1))
    done
    echo '127.0.0.1 localhost' >>"$cluster/hosts"
    mount --bind "$cluster/hosts" /etc/hosts
    touch "$cluster/mpi.conf"
}

cluster_configure() {
    cat >"$cluster/slurm.conf" <<END
ClusterName=test
SlurmctldHost=h0(10.77.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket
CredType=cred/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool/%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/%n.log
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0
ReturnToService=2
NodeName=h[1-3] CPUs=2 State=UNKNOWN
PartitionName=all Nodes=h[1-3] Default=YES MaxTime=INFINITE State=UP
END
}

cluster_is_up() {
    [ "$(on h0 sinfo -h -t idle -o %D 2>/dev/null)" = 3 ]
}

cluster_start() {
    local host
    cluster=$1
    export SLURM_CONF=$cluster/slurm.conf
    mkdir -p "$cluster/state"
    chmod 700 "$cluster"
    cluster_network
    cluster_configure
    head -c 1024 /dev/urandom >"$cluster/munge.key"
    chmod 600 "$cluster/munge.key"
    munged --force --socket="$cluster/munge.socket" --key-file="$cluster/munge.key" --seed-file="$cluster/munge.seed" \
        --pid-file="$cluster/munge.pid" --log-file="$cluster/munge.log"
    on h0 slurmctld -D >"$cluster/slurmctld.out" 2>&1 &
    for host in h1 h2 h3; do
        on "$host" slurmd -D -N "$host" >"$cluster/slurmd-$host.out" 2>&1 &
    done
}
