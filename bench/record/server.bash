# Sourced by the scripts beside it: MariaDB servers of one's own, over sockets and no network, and
# sysbench as their clients. Whatever was started is ended when the script ends.
# shellcheck shell=bash
#
# open_work sets binary (the server with relocations) and work (the folder that keeps everything).

server_cpus=${SERVER_CPUS-0}
load_cpus=${LOAD_CPUS-1}
tables=${TABLES:-4}
rows=${ROWS:-100000}
clients=${CLIENTS:-4}
workload=oltp_read_only # of sysbench

# For all profiles the same.
# shellcheck disable=SC2034 # for the scripts that source this
bolt_options=(-reorder-blocks=ext-tsp -reorder-functions=cdsort -split-functions -split-all-cold
    -split-eh -dyno-stats)

servers=() # processes
server=    # the one that is meant
home=      # and its folder: data, socket, log
child=     # processes that the script waits for, or nothing
recorder=  # likewise

say() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

give_up() {
    say "$@"
    exit 1
}

need() {
    local tool
    for tool; do
        command -v "$tool" >/dev/null || give_up "$tool is missing"
    done
}

# ---- processes ----

# Runs a program in such a way that an interrupt is obeyed at once.
attend() {
    local status=0
    "$@" &
    child=$!
    wait "$child" || status=$?
    child=
    return $status
}

# For use in the background only: the shell becomes the command, on these processors.
become() {
    if [ -n "$1" ]; then
        exec taskset -c "$1" "${@:2}"
    fi
    exec "${@:2}"
}

stop_servers() {
    local process i
    for process in "${servers[@]}"; do
        kill "$process" 2>/dev/null || true
    done
    for process in "${servers[@]}"; do
        for ((i = 0; i < 600; i++)); do
            kill -0 "$process" 2>/dev/null || break
            sleep 0.1
        done
        kill -KILL "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    servers=()
}

end_all() {
    local process
    trap '' INT TERM HUP
    for process in $child $recorder; do
        kill "$process" 2>/dev/null || true
        kill -CONT "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    stop_servers
}

trap end_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# start_server BINARY [FOLDER]: until it answers
start_server() {
    local i
    home=${2:-$work}
    become "$server_cpus" "$1" --no-defaults --user="$(id -un)" --datadir="$home/data" \
        --socket="$home/socket" --skip-networking --pid-file="$home/server.pid" \
        --lc-messages-dir=/usr/share/mysql --log-error="$home/server.err" \
        --innodb-buffer-pool-size=512M --innodb-buffer-pool-dump-at-shutdown=OFF \
        --innodb-buffer-pool-load-at-startup=OFF </dev/null >/dev/null 2>&1 &
    server=$!
    servers+=("$server")
    for ((i = 0; i < 300; i++)); do
        mariadb-admin --no-defaults -u root -S "$home/socket" ping >/dev/null 2>&1 && return
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    give_up "$1 does not start; see $home/server.err"
}

# ---- load ----

clients_of() {
    become "$load_cpus" sysbench "$workload" --mysql-socket="$home/socket" --mysql-user=root \
        --tables="$tables" --table-size="$rows" --threads="$clients" --rand-seed=1 "$@"
}

# The server's CPU time so far, in user mode and in the kernel, in ticks of the clock.
ticks() {
    sed 's/.*) //' "/proc/$server/stat" | cut -d' ' -f12,13
}

# load SECONDS: sets transactions, and in microseconds user_time and system_time that the server
# needed for each of them, and rate: transactions in a second.
load() {
    local user system user_after system_after status=0
    read -r user system < <(ticks)
    clients_of --time="$1" run >"$work/load.log" 2>&1 &
    child=$!
    wait "$child" || status=$?
    child=
    [ $status -eq 0 ] || give_up "sysbench failed: $(tail -n 3 "$work/load.log")"
    read -r user_after system_after < <(ticks)
    read -r transactions rate < <(sed -n \
        's/^ *transactions: *\([0-9]*\) *(\([0-9.]*\) per sec.*/\1 \2/p' "$work/load.log")
    read -r user_time system_time < <(awk -v in_user=$((user_after - user)) \
        -v in_kernel=$((system_after - system)) -v n="$transactions" -v hz="$(getconf CLK_TCK)" \
        'BEGIN { printf "%.2f %.2f\n", in_user / hz * 1e6 / n, in_kernel / hz * 1e6 / n }')
}

# ---- the data ----

prepare() {
    [ ! -e "$work/data.done" ] || return 0
    say "making $tables tables of $rows rows"
    rm -rf "$work/data"
    attend mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$work/data" \
        --auth-root-authentication-method=normal --skip-test-db >"$work/install.log" 2>&1 ||
        give_up "mariadb-install-db failed; see $work/install.log"
    start_server "$binary"
    mariadb --no-defaults -u root -S "$home/socket" -e 'CREATE DATABASE sbtest'
    clients_of prepare >"$work/install.log" 2>&1 &
    child=$!
    wait "$child" || give_up "sysbench prepare failed; see $work/install.log"
    child=
    stop_servers
    touch "$work/data.done"
}

# open_work BINARY FOLDER
open_work() {
    need taskset mariadb mariadb-admin mariadb-install-db sysbench awk
    binary=$(realpath "$1")
    mkdir -p "$2"
    work=$(realpath "$2")
    [ ${#work} -lt 70 ] || give_up "$work: too long a path for a socket's"
    prepare
}

# ---- results ----

# show_table JSON FILE: tab separated values, the first line being names
show_table() {
    if "$1"; then
        awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; printf "["; next }
            { printf "%s\n  {", (NR > 2 ? "," : "")
              for (i = 1; i <= NF; i++)
                  printf "%s\"%s\": %s", (i > 1 ? ", " : ""), name[i],
                      $i == "-" ? "null" : $i ~ /^[-0-9.]+$/ ? $i : "\"" $i "\""
              printf "}" }
            END { print "\n]" }' "$2"
    else
        column -t -s $'\t' "$2"
    fi
}
