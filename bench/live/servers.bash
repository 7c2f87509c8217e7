# Sourced by the scripts beside it: several servers, each with a name, of which some get new code while
# they run, and all are measured in turn. Behind record/server.bash.
# shellcheck shell=bash

anneal=$(realpath "${ANNEAL:-$here/../../build/cli/anneal}")
bolt=/usr/lib/llvm-19/bin/llvm-bolt
rounds=${ROUNDS:-15}
slices=${SLICES:-12}
slice_seconds=${SLICE_SECONDS:-0.4}
recording=${RECORD:-30s}
declare -A of # processes, by name

# begin NAME FILE: a server with a copy of the data, warm
begin() {
    mkdir -p "$work/servers/$1"
    attend cp -a "$work/data" "$work/servers/$1/"
    start_server "$2" "$work/servers/$1"
    of[$1]=$server
    load 5
}

choose() {
    server=${of[$1]}
    home=$work/servers/$1
}

# under_load NAME COMMAND...: while its clients are at work, of whom none may see an error
under_load() {
    choose "$1"
    clients_of --time=0 run >"$work/load.log" 2>&1 &
    child=$!
    sleep 1
    "${@:2}" || give_up "failed: ${*:2}"
    kill -0 "$child" 2>/dev/null || give_up "the clients have ended: $(tail -n 3 "$work/load.log")"
    kill "$child"
    wait "$child" || true
    child=
    ! grep -q FATAL "$work/load.log" || give_up "a transaction failed; see $work/load.log"
}

# live OPTION...: at the server that is chosen; its pauses are kept
live() {
    local keep=(--keep-anyway)
    [ "$1" != --revert ] || keep=()
    "$anneal" live -p "$server" "${keep[@]}" --json "$@" >"$work/live.json"
    jq -r '(.rounds // [.])[] | .pause_ms' "$work/live.json" >>"$work/pauses.tsv"
}

start_results() {
    rm -rf "$work/servers"
    printf 'stage\tround\tserver\tper_second\tuser_us\n' >"$work/results.tsv"
    : >"$work/pauses.tsv"
}

# Transactions of the server that is chosen, so far
commits() {
    mariadb --no-defaults -u root -S "$home/socket" -N -e "SHOW GLOBAL STATUS LIKE 'Com_commit'" |
        cut -f2
}

# measure STAGE NAME...: all under load, but only one of them at a time, in slices so short that the
# speed of the machine, if it drifts, is the same for all; the clients of the others are stopped.
measure() {
    local stage=$1 round slice i name user before_user before_commits now
    local -A load
    shift
    local names=("$@")
    for name; do
        choose "$name"
        clients_of --time=0 run >"$work/load-$name.log" 2>&1 &
        load[$name]=$!
        child="${load[*]}"
        sleep 2
        kill -STOP "${load[$name]}"
    done
    for ((round = 1; round <= rounds; round++)); do
        local -A before_user before_commits
        for name; do
            choose "$name"
            before_commits[$name]=$(commits)
            read -r before_user["$name"] _ < <(ticks)
        done
        for ((slice = 0; slice < slices; slice++)); do
            for ((i = 0; i < $#; i++)); do
                name=${names[(i + slice) % $#]}
                kill -CONT "${load[$name]}"
                sleep "$slice_seconds"
                kill -STOP "${load[$name]}"
            done
        done
        for name; do
            choose "$name"
            read -r user _ < <(ticks)
            now=$(commits)
            printf '%s\t%s\t%s\t' "$stage" "$round" "$name"
            awk -v n=$((now - before_commits[$name])) -v ticks=$((user - before_user[$name])) \
                -v hz="$(getconf CLK_TCK)" -v seconds="$slices" -v slice="$slice_seconds" \
                'BEGIN { printf "%.2f\t%.2f\n", n / (seconds * slice), ticks / hz * 1e6 / n }'
        done >>"$work/results.tsv"
    done
    for name; do
        kill -0 "${load[$name]}" || give_up "clients have ended; see $work/load-$name.log"
        kill "${load[$name]}"
        kill -CONT "${load[$name]}"
        wait "${load[$name]}" || true
        ! grep -q FATAL "$work/load-$name.log" ||
            give_up "a transaction failed; see $work/load-$name.log"
    done
    child=
    say "stage $stage is done"
}

# summarise: results.tsv to summary.tsv: medians, and those of the ratios to the original of the same round
summarise() {
    awk -F '\t' '
        function median(list, part, n, i, k, t) {
            n = split(list, part, " ")
            for (i = 2; i <= n; i++)
                for (k = i; k > 1 && part[k] + 0 < part[k - 1] + 0; k--) {
                    t = part[k]; part[k] = part[k - 1]; part[k - 1] = t
                }
            return n % 2 ? part[(n + 1) / 2] : (part[n / 2] + part[n / 2 + 1]) / 2
        }
        NR > 1 {
            key = $1 "\t" $3
            if (!(key in users)) names[++count] = key
            users[key] = users[key] " " $5
            rates[key] = rates[key] " " $4
            user[key, $2] = $5
            rounds[$1, $2] = 1
        }
        END {
            for (at in rounds) {
                split(at, part, SUBSEP)
                for (i = 1; i <= count; i++)
                    if (index(names[i], part[1] "\t") == 1)
                        ratios[names[i]] = ratios[names[i]] " " \
                            user[names[i], part[2]] / user[part[1] "\toriginal", part[2]]
            }
            print "stage\tserver\tuser_us\tper_second\tuser_ratio"
            for (i = 1; i <= count; i++)
                printf "%s\t%.1f\t%.1f\t%.3f\n", names[i], median(users[names[i]]), \
                    median(rates[names[i]]), median(ratios[names[i]])
        }' "$work/results.tsv" >"$work/summary.tsv"
}
