#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# BOLT's address translation, as llvm-bolt 16 and 19 write it, against BOLT's own code that reads it
# (tests/bolt/bat_peer.cpp). The program is tests/data/bat/src; with SQLITE=DIR, a folder that has
# sqlite3.c and shell.c, also SQLite's shell.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

lines=$(realpath "$2")
round=$(realpath "$3")
sources=$tests/bolt
made=$scratch/made
mkdir "$made"

llvm() { # VERSION TOOL...: BOLT's tools look for their parts beside them
    local version=$1 tool=$2
    shift 2
    "/usr/lib/llvm-$version/bin/$tool" "$@"
}

# What has to be there for a version: its tools, its runtime for instrumentation, its libraries.
parts() {
    local bin=/usr/lib/llvm-$1/bin
    echo "$bin/llvm-bolt $bin/llvm-config /usr/lib/llvm-19/bin/llvm-bolt g++"
}

build_shapes() {
    mkdir "$made/objects"
    (cd "$made/objects" && g++ -O2 -fno-reorder-blocks-and-partition -c "$tests"/data/bat/src/*.cpp)
    g++ -Wl,-q "$made"/objects/*.o -o "$made/shapes"
}

build_plain() { # without relocations, so that BOLT has to leave functions where they are
    g++ "$made"/objects/*.o -o "$made/plain"
    cp "$made/shapes.fdata" "$made/plain.fdata"
}

build_sqlite() {
    gcc -O2 -fno-reorder-blocks-and-partition -Wl,-q -DSQLITE_THREADSAFE=0 \
        -DSQLITE_OMIT_LOAD_EXTENSION "$SQLITE/sqlite3.c" "$SQLITE/shell.c" -o "$made/sqlite" -lm
}

use() { # PROGRAM, on typical input
    case $(basename "$1") in
    shapes* | plain*) "$1" 100 ;;
    sqlite*) "$1" :memory: 'create table t(a integer primary key, b text);
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)
            insert into t select i, "x" || i from n;
        create index i on t(b); select count(*), group_concat(b) from t where b like "x1%";
        delete from t where a % 3 = 0; select max(b), sum(a) from t group by a % 7;' ;;
    esac
}

profile() { # PROGRAM
    llvm 19 llvm-bolt "$made/$1" -o "$made/$1.train" -instrument \
        -instrumentation-file="$made/$1.fdata" >/dev/null 2>&1
    use "$made/$1.train" >/dev/null
    [ -s "$made/$1.fdata" ]
}

bolt() { # VERSION PROGRAM RESULT OPTION...
    local version=$1 program=$2 result=$3 order=-reorder-functions=hfsort
    shift 3
    [ "$program" != plain ] || order=-reorder-functions=none
    llvm "$version" llvm-bolt "$made/$program" -o "$made/$result" -data="$made/$program.fdata" \
        -reorder-blocks=ext-tsp "$order" -split-functions -split-all-cold --enable-bat "$@" \
        >/dev/null 2>&1
    llvm 19 llvm-objcopy --dump-section ".note.bolt_bat=$made/$result.bat" "$made/$result" \
        /dev/null
    expect "$(use "$made/$result")" "$(use "$made/$program")"
}

build_peer() { # VERSION
    local root=/usr/lib/llvm-$1
    g++ -std=c++17 -O1 -fno-rtti -fno-exceptions -w -DLLVM="$1" -I"$root/include" \
        "$sources/bat_peer.cpp" -o "$made/peer-$1" -L"$root/lib" -Wl,-rpath,"$root/lib" \
        -lLLVMBOLTProfile -lLLVMBOLTCore -lLLVMBOLTUtils -l"LLVM-$1"
}

# ---- cases ----

dumps_the_same() { # VERSION BINARY
    "$made/peer-$1" dump "$made/$2.bat" >expected
    run 0 "$anneal" bat --dump-all "$made/$2"
    same out expected
    [ "$(wc -l <expected)" -gt 500 ]
}

translates_the_same() { # VERSION BINARY
    "$lines" list "$made/$2" >list
    "$lines" translate "$made/$2" >mine
    "$made/peer-$1" translate "$made/$2.bat" <list | grep -v ^BOLT-INFO >expected
    same mine expected
    grep -q 'trace.*-' mine
}

goes_there_and_back() { # PROGRAM BINARY
    run 0 "$round" "$made/$1" "$made/$2"
    prints 'entries '
    read -r _ _ _ back _ <out
    [ "$back" -gt 500 ]
}

translates_like_the_tool() { # BINARY; there are symbols at and between functions
    local first
    first=$(nm "$made/$1" | awk '$2 == "T" && $3 == "main" {print $1}')
    run 0 "$anneal" bat --translate=0x0 --translate="0x$first" --translate="$((0x$first + 9))" \
        --translate=0b101 "$made/$1"
    prints 'BOLT-INFO: Parsed ' 'Translating addresses according to parsed BAT tables:' \
        "0x$(printf %x "$((0x$first))") -> main + 0x0"
    expect "$(wc -l <out)" "$(($(grep -c ^BOLT out) + 5))"
}

# With -force-patch BOLT puts jumps to the new functions where the old ones were.
map_is_what_jumps_say() { # PROGRAM BINARY
    "$anneal" bat --function-map "$made/$1" "$made/$2" -o map 2>err
    "$anneal" bat --show-function-map --json map >map.json
    jq -e '.records | length > 20' map.json >/dev/null
    python3 - "$made/$2" map.json <<'PY'
import json, struct, sys
data = open(sys.argv[1], 'rb').read()
records = json.load(open(sys.argv[2]))['records']
headers, = struct.unpack_from('<Q', data, 32)
size, count = struct.unpack_from('<HH', data, 54)
loads = []
for i in range(count):
    kind, flags, offset, address, _, length = struct.unpack_from('<IIQQQQ', data, headers + i * size)
    if kind == 1:
        loads.append((address, length, offset))
seen = 0
for record in records:
    new, old = int(record['bolted'], 16), int(record['original'], 16)
    if new == old or record['cold'] or record['folded']:
        continue
    for address, length, offset in loads:
        if address <= old and old + 5 <= address + length:
            code = data[offset + old - address:][:5]
            if code[0] == 0xe9 and record['size'] >= 5:
                target = old + 5 + struct.unpack('<i', code[1:])[0]
                assert target == new, f'{old:x} jumps to {target:x}, the map says {new:x}'
                seen += 1
assert seen > 10, f'only {seen} entries were patched'
PY
}

# Four files have a function settle(), each with another body, and BOLT changes their order. They are
# told apart by their first instruction.
same_names_are_told_apart() { # PROGRAM BINARY
    "$anneal" bat --function-map "$made/$1" "$made/$2" -o map 2>/dev/null
    "$anneal" bat --show-function-map map >records
    code() { # BINARY ADDRESS
        llvm 19 llvm-objdump -d --no-show-raw-insn --no-leading-addr --start-address="$2" \
            --stop-address="$(($2 + 16))" "$1" | awk 'NR > 6 && NF && !/:$/' | first
    }
    local old new
    : >found
    for old in $(nm "$made/$1" | awk '$3 ~ /^_ZL6settle/ {print $1}'); do
        old=$(printf 0x%x "$((0x$old))")
        new=$(awk -v old="$old" '$3 == old && !/cold/ {print $1}' records)
        expect "$(wc -w <<<"$new")" 1
        expect "$(code "$made/$2" "$new")" "$(code "$made/$1" "$old")"
        code "$made/$1" "$old" >>found
    done
    expect "$(sort -u found | wc -l)" 4
}

# Two functions are the same; BOLT folds them into one.
folded_functions_are_in_the_map() { # PROGRAM BINARY
    "$anneal" bat --function-map "$made/$1" "$made/$2" -o mapped --embed 2>err
    says ' folded functions'
    "$anneal" bat --show-function-map mapped >records
    local name at places=()
    for name in _Z5widenl _Z8heightenl; do
        at=0x$(nm "$made/$1" | awk -v name=$name '$3 == name {print $1}')
        places+=("$("$anneal" bat --from-original="$at" mapped | sed 's/.* -> //')")
        expect "$(grep -c "^${places[0]} <- $(printf 0x%x "$at") size" records)" 1
    done
    expect "${places[1]}" "${places[0]}"
    expect "$(grep "^${places[0]} " records | grep -c folded)" 1
}

embeds() { # PROGRAM BINARY
    "$anneal" bat --function-map "$made/$1" "$made/$2" -o map 2>/dev/null
    "$anneal" bat --function-map "$made/$1" "$made/$2" -o "$1.mapped" --embed 2>/dev/null
    "$anneal" bat --show-function-map map >expected
    run 0 "$anneal" bat --show-function-map "$1.mapped"
    same out expected
    expect "$(use "./$1.mapped")" "$(use "$made/$1")"
    readelf -SlW "$1.mapped" >sections 2>&1
    ! grep -i 'warning\|error' sections
    readelf -n "$1.mapped" >notes 2>&1
    ! grep -i 'warning\|error' notes
    # A binary that has a map gets a new one in its place.
    "$anneal" bat --function-map "$made/$1" "$1.mapped" -o again --embed 2>/dev/null
    expect "$(readelf -SW again | grep -c anneal.funcmap)" 1
    run 0 "$anneal" bat --show-function-map again
    same out expected
}

leaves_the_rest_alone() { # PROGRAM BINARY
    "$anneal" bat --function-map "$made/$1" "$made/$2" -o "$1.mapped" --embed 2>/dev/null
    python3 - "$made/$2" "$1.mapped" <<'PY'
import struct, sys
def parts(path):
    data = open(path, 'rb').read()
    headers, = struct.unpack_from('<Q', data, 40)
    size, count, names = struct.unpack_from('<HHH', data, 58)
    sections = [list(struct.unpack_from('<IIQQQQIIQQ', data, headers + i * size)) for i in range(count)]
    base = sections[names][4]
    result = {}
    for i, s in enumerate(sections):
        name = data[base + s[0]:data.index(b'\0', base + s[0])].decode()
        content = b'' if s[1] == 8 else data[s[4]:s[4] + s[5]]
        result[i, name] = (s[1:4] + ([] if name == '.shstrtab' else [s[4]]) + s[6:], content)
    return data, headers, result
old, end, before = parts(sys.argv[1])
new, _, after = parts(sys.argv[2])
added = [key for key in after if key not in before]
assert [name for _, name in added] == ['.note.anneal.funcmap'], added
for key in before:
    if key[1] == '.shstrtab':
        assert after[key][1].startswith(before[key][1])
    else:
        assert before[key] == after[key], key
assert old[:40] == new[:40] and old[48:60] == new[48:60] and old[62:end] == new[62:end]
PY
}

is_read_by_perf2bolt() { # PROGRAM BINARY
    "$anneal" bat --function-map "$made/$1" "$made/$2" -o "$1.mapped" --embed 2>/dev/null
    local main
    main=$(nm "$1.mapped" | awk '$3 == "main" {print $1}')
    echo "B $main $main 7 0" >branches
    llvm 19 perf2bolt -pa -p branches "$1.mapped" -o mapped.fdata >log 2>&1
    llvm 19 perf2bolt -pa -p branches "$made/$2" -o plain.fdata >log 2>&1
    same mapped.fdata plain.fdata
    grep -q main mapped.fdata
}

shows_one_function() { # BINARY
    run 0 "$anneal" bat --function=main "$made/$1"
    expect "$(grep -c '^Function Address' out)" 2
    run 0 "$anneal" bat --json --function=main "$made/$1"
    jq -e '.functions | length == 2 and (.[0].cold | not) and .[1].cold and
        .[1].parent == .[0].address and .[0].entries[0].input == 0' out >/dev/null
    run 1 "$anneal" bat --function=no_such "$made/$1"
    says "no function 'no_such'"
}

refuses_strangers() { # PROGRAM BINARY
    run 1 "$anneal" bat "$made/$1"
    says 'no address translation' '--enable-bat'
    run 1 "$anneal" bat --function-map "$anneal" "$made/$2" -o map
    says 'functions are in both binaries'
    [ ! -e map ]
    run 1 "$anneal" bat --from-original=0x1000 "$made/$2"
    says 'no function map' '--embed'
}

try_version() { # VERSION PROGRAM
    local version=$1 program=$2 name=$2.$1 tools
    tools=$(parts "$version")
    tier any
    check_with "$tools" "$name: is BOLTed" bolt "$version" "$program" "$name" --lite
    tier long
    if [ -e "$made/peer-$version" ]; then
        check "$name: all tables as BOLT prints them" dumps_the_same "$version" "$name"
        check "$name: all addresses as BOLT translates them" translates_the_same "$version" "$name"
    fi
    tier check
    check_with "$tools" "$name: entries come back, indexes agree" goes_there_and_back "$program" "$name"
    check_with "$tools" "$name: --translate" translates_like_the_tool "$name"
    check_with "$tools" "$name: --function" shows_one_function "$name"
    check_with "$tools" "$name: the map is embedded" embeds "$program" "$name"
    check_with "$tools" "$name: nothing else changes" leaves_the_rest_alone "$program" "$name"
}

programs=shapes
[ -z "${SQLITE:-}" ] || programs="$programs sqlite"
tools=$(parts 19)
tier long
for version in 16 19; do
    if compgen -G "/usr/lib/llvm-$version/lib/libLLVMBOLTProfile.a" >/dev/null; then
        check_with "$(parts $version)" "the peer of LLVM $version is built" build_peer $version
    elif [ "${CI:-}" = true ] && [ $version = 19 ]; then
        check "the peer of LLVM $version" fail 'missing: llvm-19-dev'
    else
        skip "the peer of LLVM $version" "missing: llvm-$version-dev; install: scripts/bootstrap test-long"
    fi
done
for program in $programs; do
    tier any
    check_with "$tools" "$program: is built" build_"$program"
    check_with "$tools" "$program: is profiled" profile "$program"
    tier check
    for version in 16 19; do
        try_version $version "$program"
    done
    check_with "$tools" "$program: is BOLTed with jumps to new functions" \
        bolt 19 "$program" "$program.patched" -force-patch
    check_with "$tools" "$program: the jumps agree with the map" \
        map_is_what_jumps_say "$program" "$program.patched"
    check_with "$tools" "$program: perf2bolt takes a binary with a map" \
        is_read_by_perf2bolt "$program" "$program.19"
    check_with "$tools" "$program: other binaries are refused" \
        refuses_strangers "$program" "$program.19"
done
check_with "$tools" 'identical functions: BOLTed' bolt 19 shapes shapes.folded --icf
check_with "$tools" 'identical functions: both are in the map' \
    folded_functions_are_in_the_map shapes shapes.folded
check_with "$tools" 'identical functions: entries come back, indexes agree' \
    goes_there_and_back shapes shapes.folded
check_with "$tools" 'without relocations: is built' build_plain
check_with "$tools" 'without relocations: BOLTed' bolt 19 plain plain.19 --icf
check_with "$tools" 'without relocations: identical functions are in the map' \
    folded_functions_are_in_the_map plain plain.19
check_with "$tools" 'without relocations: entries come back, indexes agree' \
    goes_there_and_back plain plain.19
check_with "$tools" 'local functions of one name' same_names_are_told_apart shapes shapes.19
finish
