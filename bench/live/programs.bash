# SPDX-License-Identifier: Apache-2.0
#
# Sourced by bench/live/clock, bench/record/shares and bench/record/windows: ten programs of different kinds, as Debian has
# their sources, each at some endless work of which it keeps count itself. Behind record/server.bash.
# shellcheck shell=bash
#
#     build_NAME     $work/NAME, with relocations
#     start_NAME     sets process, and counter: a command that prints how much it has done
#     stop_program   whatever start_NAME has started; stop_all also the loops of BUSY
#     server programs also have clients, which say nothing

programs_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # those who source this go through them
programs=(lua duktape gawk zstd sqlite leveldb rust redis memcached nginx)
options=(-O2 -g1 -fno-reorder-blocks-and-partition)
port=${PORT:-18950}

# ---- processes ----

helpers=() # of the program that runs
busy=()
process=

stop_program() {
    local one
    for one in "${helpers[@]}" $process; do
        kill "$one" 2>/dev/null || true
        wait "$one" 2>/dev/null || true
    done
    helpers=()
    process=
}

stop_all() {
    stop_program
    [ ${#busy[@]} -eq 0 ] || kill "${busy[@]}" 2>/dev/null || true
}

# ---- for the script that sources this ----

# take_arguments [--json] WORK [PROGRAM...]: sets json, work and programs; what is started ends with the script
take_arguments() {
    json=false
    if [ "${1:-}" = --json ]; then
        json=true
        shift
    fi
    if [ $# -lt 1 ]; then
        sed -n 's/^#     \(bench.*\)/usage: \1/p' "$0" >&2
        exit 2
    fi
    mkdir -p "$1"
    work=$(realpath "$1")
    shift
    [ $# -eq 0 ] || programs=("$@")
    need jq gcc
    trap stop_all EXIT
}

# print_table: a table with tabs, or what --json makes of it
print_table() {
    if $json; then
        jq -Rn '[inputs | split("\t")] | .[0] as $keys | .[1:] | map([$keys, .] | transpose |
            map({(.[0]): (.[1] | tonumber? // .)}) | add)'
    else
        cat
    fi
}

build_programs() {
    local name
    for name in "${programs[@]}"; do
        build "$name"
    done
}

# start_busy: so many loops as BUSY says, which compute
start_busy() {
    local i
    for ((i = 0; i < ${BUSY:-0}; i++)); do
        while :; do :; done &
        busy+=($!)
    done
}

# ---- the programs ----

# source_of PACKAGE: a fresh copy of its sources, which becomes the current folder
source_of() {
    # shellcheck disable=SC2154 # work is set by those who source this
    "$programs_here/../../scripts/debian-source" "$1" "$work/sources/$1" >&2
    rm -rf "$work/build/$1"
    mkdir -p "$work/build/$1"
    tar -xf "$(ls "$work/sources/$1"/*.orig.tar.?z)" -C "$work/build/$1" --strip-components=1
    cd "$work/build/$1" || exit
}

# build NAME: unless it is there
build() {
    [ -x "$work/$1" ] || (
        exec >"$work/$1.build" 2>&1
        "build_$1"
    ) || give_up "$1 cannot be built; see $work/$1.build"
}

# run_it COMMAND...: one that prints a line with its count behind each unit of work
run_it() {
    "$@" >"$work/said" 2>"$work/errors" &
    process=$!
    counter="tail -n 1 $work/said"
    until [ -s "$work/said" ]; do
        kill -0 "$process" || give_up "$1 has failed: $(cat "$work/errors")"
        sleep 0.05
    done
}

# serve COMMAND...: one that listens at the port
serve() {
    "$@" >"$work/said" 2>"$work/errors" &
    process=$!
    until (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
        kill -0 "$process" || give_up "$1 has failed: $(cat "$work/errors")"
        sleep 0.05
    done
}

# clients COMMAND...: in the background, until the program is stopped
clients() {
    "$@" >"$work/clients" 2>&1 &
    helpers+=($!)
    sleep 2
    kill -0 "${helpers[-1]}" || give_up "the clients have ended: $(tail -n 3 "$work/clients")"
}

# ---- interpreters ----

build_lua() {
    source_of lua5.4
    make -C src lua MYCFLAGS="${options[*]} -DLUA_USE_LINUX" MYLDFLAGS=-Wl,-q,-E MYLIBS=-ldl
    cp src/lua "$work/lua"
}

start_lua() {
    run_it "$work/lua" "$programs_here/drivers/work.lua"
}

build_duktape() {
    source_of duktape
    gcc "${options[@]}" -Isrc "$programs_here/drivers/duktape.c" src/duktape.c -o "$work/duktape" -Wl,-q -lm
}

start_duktape() {
    run_it "$work/duktape" "$programs_here/drivers/work.js"
}

build_gawk() {
    source_of gawk
    ./configure CFLAGS="${options[*]}" LDFLAGS=-Wl,-q --disable-extensions
    make -C support
    make gawk
    cp gawk "$work/gawk"
}

start_gawk() {
    run_it "$work/gawk" -f "$programs_here/drivers/work.awk"
}

# ---- libraries, in a program that uses them ----

build_zstd() {
    source_of libzstd
    gcc "${options[@]}" -DZSTD_DISABLE_ASM=1 -Ilib "$programs_here/drivers/zstd.c" \
        lib/common/*.c lib/compress/*.c lib/decompress/*.c -o "$work/zstd" -Wl,-q -pthread
}

start_zstd() {
    run_it "$work/zstd" "$programs_here/programs.bash"
}

build_sqlite() {
    source_of sqlite3
    ./configure --disable-tcl
    make sqlite3.c
    gcc "${options[@]}" -I. "$programs_here/drivers/sqlite.c" sqlite3.c -o "$work/sqlite" -Wl,-q -pthread -ldl -lm
}

start_sqlite() {
    run_it "$work/sqlite"
}

build_leveldb() {
    source_of leveldb
    sed -i 's/cxx_std_11/cxx_std_17/; s/CMAKE_CXX_STANDARD 11/CMAKE_CXX_STANDARD 17/' CMakeLists.txt
    cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="${options[*]}" -DLEVELDB_BUILD_TESTS=OFF \
        -DLEVELDB_BUILD_BENCHMARKS=OFF -DHAVE_SNAPPY=0 .
    make leveldb
    g++ -std=c++17 "${options[@]}" -Iinclude "$programs_here/drivers/leveldb.cpp" libleveldb.a \
        -o "$work/leveldb" -Wl,-q -pthread
}

start_leveldb() {
    rm -rf "$work/leveldb.data"
    run_it "$work/leveldb" "$work/leveldb.data"
}

# Debian has crates as packages: librust-regex-dev, librust-serde-json-dev.
build_rust() {
    rm -rf "$work/build/rust"
    mkdir -p "$work/build/rust/src"
    cd "$work/build/rust" || exit
    cp "$programs_here/drivers/rust.rs" src/main.rs
    cat >Cargo.toml <<END
[package]
name = "work"
version = "0.0.0"
edition = "2021"
[dependencies]
regex = "*"
serde_json = "*"
[profile.release]
debug = 1
END
    RUSTFLAGS='-C link-arg=-Wl,-q' cargo build --release --offline \
        --config 'source.crates-io.replace-with="debian"' \
        --config 'source.debian.directory="/usr/share/cargo/registry"'
    cp target/release/work "$work/rust"
}

start_rust() {
    run_it "$work/rust"
}

# ---- servers ----

build_redis() {
    source_of redis
    make -C src redis-server redis-cli redis-benchmark MALLOC=libc OPTIMIZATION="${options[*]}" LDFLAGS=-Wl,-q
    cp src/redis-benchmark src/redis-cli "$work/"
    cp src/redis-server "$work/redis"
}

start_redis() {
    serve "$work/redis" --port "$port" --save '' --appendonly no
    clients "$work/redis-benchmark" -p "$port" -c 50 -n 2000000000 -r 100000 \
        -t set,get,incr,lpush,rpop,sadd,hset,zadd
    counter="$work/redis-cli -p $port info stats | sed -n 's/total_commands_processed://p'"
}

build_memcached() {
    source_of memcached
    ./configure CFLAGS="${options[*]}" LDFLAGS=-Wl,-q
    make memcached
    cp memcached "$work/memcached"
}

# Without clients.
serve_memcached() {
    serve "$work/memcached" -u root -l 127.0.0.1 -p "$port" -t 4 -m 256
    counter="exec 3<>/dev/tcp/127.0.0.1/$port; printf 'stats\r\nquit\r\n' >&3; awk '/ cmd_(get|set) / { n += \$3 } END { print n }' <&3"
    counter="bash -c $(printf %q "$counter")"
}

start_memcached() {
    serve_memcached
    clients memcaslap -s "127.0.0.1:$port" -T 2 -c 32 -t 100000s -v 0.1
}

build_nginx() {
    source_of nginx
    ./configure --with-cc-opt="${options[*]}" --with-ld-opt=-Wl,-q --with-http_stub_status_module \
        --without-http_rewrite_module --without-http_gzip_module
    make
    cp objs/nginx "$work/nginx"
}

start_nginx() {
    rm -rf "$work/nginx.home"
    mkdir -p "$work/nginx.home"/{logs,pages}
    head -c 5000 "$programs_here/programs.bash" >"$work/nginx.home/pages/index.html"
    cat >"$work/nginx.home/conf" <<END
worker_processes 1;
daemon off;
master_process off;
events { worker_connections 256; }
http {
    access_log logs/access.log;
    server {
        listen 127.0.0.1:$port;
        root pages;
        location /status { stub_status; }
    }
}
END
    serve "$work/nginx" -p "$work/nginx.home" -c conf
    clients wrk -t 1 -c 16 -d 100000s "http://127.0.0.1:$port/index.html"
    counter="bash -c $(printf %q "exec 3<>/dev/tcp/127.0.0.1/$port; printf 'GET /status HTTP/1.0\r\n\r\n' >&3; awk '/^ *[0-9]+ [0-9]+ [0-9]+/ { print \$3 }' <&3")"
}
