# Sourced by the scripts beside it: several servers, each with a name, of which some get new code while
# they run, and all are measured in turn. Behind record/server.bash.
# shellcheck shell=bash

anneal=$(realpath "${ANNEAL:-$here/../../build/cli/anneal}")
bolt=/usr/lib/llvm-19/bin/llvm-bolt
rounds=${ROUNDS:-9}
seconds_each=${SECONDS_EACH:-4}
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
    "$anneal" live -p "$server" --keep-anyway --json "$@" >"$work/live.json"
    jq -r '(.rounds // [.])[] | .pause_ms' "$work/live.json" >>"$work/pauses.tsv"
}

start_results() {
    rm -rf "$work/servers"
    printf 'stage\tround\tserver\tper_second\tuser_us\n' >"$work/results.tsv"
    : >"$work/pauses.tsv"
}

# measure STAGE NAME...: in turn, each round beginning with another one
measure() {
    local stage=$1 round i
    shift
    local names=("$@")
    for ((round = 1; round <= rounds; round++)); do
        for ((i = 0; i < $#; i++)); do
            choose "${names[(i + round) % $#]}"
            load "$seconds_each"
            printf '%s\t%s\t%s\t%s\t%s\n' "$stage" "$round" "${names[(i + round) % $#]}" "$rate" \
                "$user_time" >>"$work/results.tsv"
        done
    done
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
