#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# anneal doctor: what it says of real binaries, in all the ways in which they are built, and whether
# llvm-bolt agrees; of processes; of machines on which things are forbidden; its forms of output.
#
# usage: test_doctor.sh ANNEAL FORBIDDING [STEP_RECORD WALK]
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
forbidding=$(realpath "$2")
walk=${4:+$(realpath "$4")}
bolt=/usr/lib/llvm-19/bin/llvm-bolt

if ! have gcc jq; then
    skip 'doctor' "missing:$missing"
    finish
fi

# Functions that gcc splits, with jump tables; and some with several implementations.
made=$scratch/made
mkdir "$made"
cat >"$made/split.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define WORK(n)                                                            \
    __attribute__((noinline)) static unsigned work##n(unsigned x)          \
    {                                                                      \
        if (__builtin_expect(x % 1000 == n, 0)) {                          \
            fprintf(stderr, "rare %u\n", x);                               \
            if (x == 12345678)                                             \
                abort();                                                   \
            for (unsigned i = 0; i < x % 7; i++)                           \
                x += (unsigned)strlen("abc") ^ i;                          \
        }                                                                  \
        switch (x % 9) {                                                   \
        case 0: return x + 3;                                              \
        case 1: return x ^ n;                                              \
        case 2: return x * 5;                                              \
        case 3: return x - n;                                              \
        case 4: while (x & 1) x >>= 1; return x;                           \
        case 5: return x * 7;                                              \
        default: return x + n;                                             \
        }                                                                  \
    }
WORK(1) WORK(2) WORK(3) WORK(4) WORK(5)
static unsigned (*const table[])(unsigned) = {work1, work2, work3, work4, work5};
int main(int argc, char **argv)
{
    unsigned x = 1, n = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
    if (!freopen("/dev/null", "w", stderr))
        return 1;
    for (unsigned i = 0; i < n; i++)
        x = table[x % 5](x) + work1(x);
    printf("%u\n", x);
    return 0;
}
END
cat >"$made/clones.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((target_clones("avx2", "default"))) int sum(const int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
#ifdef BY_ADDRESS
int (*by_address[])(const int *, int) = {sum};
#endif
int main(int argc, char **argv)
{
    int a[64], s = 0;
    char *text = malloc(10);
    for (int i = 0; i < 64; i++)
        a[i] = i * argc;
    for (int i = 0; i < 100; i++)
        s += sum(a, 64);
#ifdef BY_ADDRESS
    s += by_address[argc > 99](a, 64);
#endif
    strcpy(text, argv[0] ? "x" : "y");
    printf("%d %s\n", s, text);
    free(text);
    return 0;
}
END

# build NAME SOURCE COMPILER [OPTION]...
build() {
    local name=$1 source=$2
    shift 2
    "$@" -O2 -w "$made/$source.c" -o "$made/$name"
}
whole='-fno-reorder-blocks-and-partition'
build bare split gcc
build relocations split gcc -Wl,-q
build whole split gcc $whole
build fit split gcc $whole -Wl,-q -Wl,--build-id
build fixed split gcc $whole -Wl,-q -no-pie
build static split gcc $whole -Wl,-q -static
build static-pie split gcc $whole -Wl,-q -static-pie
build library split gcc $whole -Wl,-q -shared -fPIC
build nameless split gcc $whole -Wl,-q -Wl,--build-id=none
build stripped split gcc -s
build debug split gcc $whole -Wl,-q -g
build object split gcc -c
build late clones gcc -Wl,-q
build late-now clones gcc -Wl,-q -Wl,-z,now
build late-bare clones gcc
build scattered clones gcc -Wl,-q -DBY_ADDRESS
cp "$made/fit" "$made/strip-g"
strip -g "$made/strip-g"
cp "$made/relocations" "$made/strip"
strip "$made/strip"

# judge NAME [STATUS]: leaves the binary's part of the JSON in the file judged
judge() {
    run "${2:-0}" "$anneal" doctor --json "$made/$1"
    expect "$(cat err)" ''
    jq '.binaries[0]' out >judged
    jq -e ".fit == $([ "${2:-0}" = 0 ] && echo true || echo false) and .fit == .binaries[0].fit" \
        out >/dev/null
}

# finds ABOUT LEVEL WORDS [REMEDY]: in judged
finds() {
    local remedy
    expect "$1: $(jq -r --arg about "$1" '.findings[] | select(.about == $about) | .level' judged)" \
        "$1: $2"
    jq -e --arg about "$1" --arg words "$3" \
        '.findings[] | select(.about == $about) | .what | contains($words)' judged >/dev/null ||
        fail "about $1, no \"$3\":" "$(cat judged)"
    remedy=$(jq -r --arg about "$1" '.findings[] | select(.about == $about) | .remedy' judged)
    [[ $remedy = *${4:-}* ]] || fail "about $1, no remedy \"$4\" but \"$remedy\""
}

# never COMMAND...: it must fail, which the shell would let pass
never() {
    ! "$@" || fail "not expected: $*"
}

flags() {
    expect "$(jq -r .flags judged)" "$1"
}

says_what_gcc_needs() {
    judge bare 1
    finds relocations warning 'cannot move functions' -Wl,-q
    finds 'split functions' problem '5: ' $whole
    flags "-Wl,-q $whole"
    jq -e '.compiler == "gcc" and .kind == "pie" and .dynamic and .fragments == 5 and
        .functions > 5 and .symbols and (.relocations | not)' judged >/dev/null
    # what it says is enough
    # shellcheck disable=SC2046
    build again split gcc $(jq -r .flags judged)
    judge again
    flags ''
    jq -e '[.findings[].level] | all(. == "ok")' judged >/dev/null
}

judges_other_ways_to_build() {
    judge relocations
    finds relocations ok kept
    finds 'split functions' warning 'in part' $whole
    judge whole
    finds 'split functions' ok none
    flags '-Wl,-q'
    judge fit
    finds format ok 'x86-64, position-independent executable, dynamic'
    finds build-id ok "$(readelf -n "$made/fit" | sed -n 's/.*Build ID: //p')"
    judge fixed
    finds format ok 'executable at fixed addresses, dynamic'
    judge static
    finds format ok 'executable at fixed addresses, static'
    judge static-pie 1
    finds 'computed goto' problem 'functions, as for computed gotos: printf_positional/1' '-no-pie' # of glibc
    finds format warning 'static and position-independent' '-no-pie'
    judge library
    finds format ok 'shared library'
    judge nameless
    finds build-id warning none -Wl,--build-id
    flags '-Wl,--build-id'
    judge debug
    finds 'debug info' ok '-update-debug-sections'
    judge strip-g
    finds relocations ok kept
}

judges_what_is_no_use() {
    local name
    for name in stripped strip; do
        judge $name 1
        finds symbols problem none 'strip'
    done
    judge object 1
    finds format problem 'an object file' 'linked'
    expect "$(jq '.findings | length' judged)" 1
    judge late 1
    finds ifuncs problem 'out of order' -Wl,-z,now
    judge late-now
    judge late-bare
    finds ifuncs warning 'out of order' -Wl,-z,now
    judge scattered 1
    finds ifuncs problem 'two tables' -fuse-ld=lld
}

# An ELF file's first bytes decide. The same program, for other machines.
judges_other_machines() {
    local file
    cp "$made/fit" "$made/other"
    printf '\267\000' | dd of="$made/other" bs=1 seek=18 conv=notrunc status=none
    judge other 1
    finds format problem AArch64
    printf '\001' | dd of="$made/other" bs=1 seek=4 conv=notrunc status=none
    printf '\003\000' | dd of="$made/other" bs=1 seek=18 conv=notrunc status=none
    judge other 1
    finds format problem '32 bits, for Intel 80386'
    for file in i386 aarch64; do
        echo 'int f(int x) { return x + 1; }' |
            clang-19 --target=$file-linux-gnu -c -x c - -o "$made/$file" || continue
        judge $file 1
        finds format problem "$([ $file = i386 ] && echo '32 bits' || echo AArch64)"
    done
}

judges_what_is_no_binary() {
    echo '#!/bin/sh' >script
    : >empty
    mkdir folder
    ln -s nowhere link
    local file
    for file in script empty folder link missing /dev/null; do
        run 1 "$anneal" doctor --json $file
        jq -e '.binaries[0] | .path == "'$file'" and (.fit | not) and (has("kind") | not) and
            .flags == "" and .findings[0].about == "file" and .findings[0].level == "problem"' \
            out >/dev/null || fail "$file: $(cat out)"
    done
    run 1 "$anneal" doctor script
    prints 'not an ELF file'
    run 1 "$anneal" doctor missing
    prints 'No such file'
    run 1 "$anneal" doctor -q missing "$made/fit" # each is judged
    expect "$(grep -c '=>' out)" 1
}

knows_clang_and_rust() {
    clang-19 -O2 -w "$made/split.c" -o "$made/clang" -fuse-ld=lld -Wl,-q
    judge clang
    jq -e '.compiler == "clang"' judged >/dev/null
    build by-clang split clang-19
    judge by-clang
    flags '-Wl,-q'
}

# Runtimes with tables about code, by what they leave in a binary.
knows_runtimes() {
    echo 'int main(void) { return 0; } char caml_frametable[8] = {1};' >ocaml.c
    echo 'int main(void) { return 0; } int stg_upd_frame_info(void) { return 0; }' >haskell.c
    echo '__attribute__((section(".gopclntab"), used)) static const char table[8] = {1};
        int main(void) { return 0; }' >go.c
    for name in ocaml haskell go; do
        gcc -O2 -fno-reorder-blocks-and-partition -Wl,-q "$name.c" -o "$made/runtime-$name"
    done
    judge runtime-ocaml
    finds runtime warning 'OCaml: its runtime looks up return addresses'
    judge runtime-haskell
    finds runtime warning 'Haskell: its runtime'
    judge runtime-go 1
    finds runtime problem 'Go: its runtime' 'go build -pgo'
    run 1 "$anneal" doctor "$made/runtime-go"
    ! grep -q 'Rebuild it' out || fail "$(cat out)"
}

# A program with such a table of its own, and one with a table of labels.
knows_tables() {
    local program
    for program in frames labels; do
        gcc -std=gnu17 -O2 -fno-reorder-blocks-and-partition -Wl,-q,--build-id -pthread \
            "$tests/live/$program.c" -o "$made/$program"
        judge $program 1
        finds 'computed goto' problem 'data points into' # labels, or places behind calls: all the same to llvm-bolt
    done
    ! jq -e '.findings[] | select(.about == "return tables")' judged >/dev/null || fail "$(cat judged)"
    judge frames 1
    finds 'return tables' warning 'places within 3 functions, such as what calls return to'
}

# Real ones: the linker is told to keep relocations, as it would be for llvm-bolt.
knows_real_runtimes() {
    printf '%s\n' 'package main' 'func main() { println(len(make([]int, 3))) }' >real.go
    printf '%s\n' 'let () = print_int (List.length [1; 2])' >real.ml
    HOME=$PWD GOFLAGS=-mod=mod GOTOOLCHAIN=local go build -o "$made/real-go" real.go
    HOME=$PWD GOTOOLCHAIN=local go build -buildmode=pie -o "$made/real-go-pie" real.go
    ocamlopt -ccopt -Wl,-q -o "$made/real-ocaml" real.ml >ocaml.log 2>&1 || fail "$(cat ocaml.log)"
    for name in real-go real-go-pie; do
        judge $name 1
        finds runtime problem 'Go: its runtime'
    done
    # The table is data that is relocated, unless the program stays where it was linked.
    judge real-ocaml "$(readelf -h "$made/real-ocaml" | grep -c 'Type: *DYN')"
    finds runtime warning 'OCaml: its runtime'
    ! jq -e '.findings[] | select(.about == "return tables")' judged >/dev/null || fail "$(cat judged)"
}

check 'tells what gcc has to be called with, and that is enough' says_what_gcc_needs
check 'tells fit binaries and losses' judges_other_ways_to_build
check 'tells what is no use, and why' judges_what_is_no_use
check_with clang-19 'binaries for other machines' judges_other_machines
check 'what is no binary' judges_what_is_no_binary
check_with 'clang-19 ld.lld-19' 'binaries by clang' knows_clang_and_rust
check 'runtimes that look up return addresses' knows_runtimes
check 'tables of return addresses' knows_tables

# ---- llvm-bolt's opinion ----

# rewrites NAME [OPTION]...: llvm-bolt makes a program that does the same
rewrites() {
    local name=$1
    shift
    rm -f result
    "$bolt" "$made/$name" -o result "$@" >bolt.log 2>&1 &&
        [ "$(./result 2>&1)" = "$("$made/$name")" ]
}

bolt_agrees_on_what_is_fit() {
    local name
    for name in relocations whole fit fixed static late-now late-bare; do
        judge $name
        rewrites $name || fail "$name: $(tail -n 3 bolt.log)"
    done
    for name in fit fixed relocations; do
        rewrites $name -reorder-functions=cdsort || fail "$name: $(tail -n 3 bolt.log)"
    done
}

bolt_agrees_on_what_is_not() {
    local name
    for name in stripped strip object late scattered; do
        judge $name 1
        never rewrites $name
    done
    never rewrites scattered
    grep -q 'Offset overflow' bolt.log
}

# Without relocations functions stay where they are, and split ones as they are.
bolt_needs_relocations() {
    local name
    never rewrites whole -reorder-functions=cdsort
    grep -q 'only works when relocations are enabled' bolt.log
    for name in bare relocations whole; do
        "$walk" -o data -n 500 --gap 40 "$made/$name" >walk.log 2>&1
        "$anneal" aggregate -q -p data -o $name.fdata "$made/$name"
        rewrites $name -data=$name.fdata -reorder-blocks=ext-tsp
        mv bolt.log $name.log
    done
    grep -q ' 5 functions with profile could not be optimized' bare.log ||
        fail "$(grep profile bare.log)"
    for name in relocations whole; do
        never grep 'could not be optimized' $name.log
        grep 'modified layout of [1-9]' $name.log
    done
}

bolt_refuses_its_own() {
    "$bolt" "$made/fit" -o "$made/bolted" >bolt.log 2>&1
    judge bolted 1
    finds origin problem 'cannot be translated' 'made from'
    jq -e '.bolted and (.bat | not)' judged >/dev/null
    never rewrites bolted
    "$bolt" "$made/fit" -o "$made/bolted" -enable-bat >bolt.log 2>&1
    judge bolted 1
    finds origin problem 'can be translated'
    "$bolt" "$made/fit" -o "$made/bolted" -instrument -instrumentation-file="$PWD/x" >bolt.log 2>&1
    judge bolted 1
    never rewrites bolted
}

bolt_refuses_sanitizers() {
    build asan split gcc $whole -Wl,-q -fsanitize=address
    judge asan 1
    finds sanitizer problem 'address sanitizer'
    never rewrites asan
    grep -q sanitizer bolt.log
    build ubsan split gcc $whole -Wl,-q -fsanitize=undefined
    judge ubsan
    rewrites ubsan
}

# Labels of computed gotos lie in a table of run(); main() is in another one, by its start, which is no label.
goto_source() {
    cat >"$made/goto.c" <<'END'
#include <stdio.h>
int main(void);
int (*volatile itself)(void) = main;
__attribute__((noinline)) static int run(const unsigned char *code, int n)
{
    static const void *const step[] = {&&add, &&twice, &&end};
    goto *step[*code++];
add:
    n += 3;
    goto *step[*code++];
twice:
    n *= 2;
    goto *step[*code++];
end:
    return n;
}
int main(void)
{
    static const unsigned char code[] = {0, 1, 0, 2};
    return printf("%d %d\n", run(code, 2), itself == main) < 0;
}
END
}

# What a profile has of run(), three of four counts: by doctor, and by whoever makes the profile.
goto_has_its_share() {
    local counts=$made/goto.counts address
    printf '1 run/1 1 1 run/1 8 0 3\n1 main 2 1 main 8 0 1\n' >"$made/goto.fdata"
    run 1 "$anneal" doctor --profile "$made/goto.fdata" "$made/goto"
    grep -q 'warning *profile *run/1 has 75.0% of it' out
    printf '1 main 2 1 main 8 0 1\n' >"$made/goto.fdata"
    run 1 "$anneal" doctor --profile "$made/goto.fdata" "$made/goto"
    grep -q 'ok *profile *run/1 has 0.0% of it' out
    run 1 "$anneal" doctor --profile "$made/none.fdata" "$made/goto"
    grep -q 'problem *profile *.*none.fdata' out
    address=$(nm "$made/goto" | awk '$3 == "run" {print $1}')
    printf 'B %x %x 3 0\n' "0x$address" "$((0x$address + 4))" >"$counts"
    run 0 "$anneal" aggregate --pa -p "$counts" -o "$made/goto.fdata" "$made/goto"
    grep -q 'warning: run/1, with 100.0% of the profile, has computed gotos' err
}

bolt_refuses_computed_gotos() {
    local compiler
    goto_source
    for compiler in "gcc $whole" clang-19; do
        # shellcheck disable=SC2086 # they are several words
        build goto goto $compiler -Wl,-q -Wl,--build-id -fPIE -pie
        judge goto 1
        finds 'computed goto' problem 'into 1 function, as for computed gotos: run/1; in position-independent code, llvm-bolt 19 refuses' 'link with -no-pie'
        flags -no-pie
        jq -e '.computed_gotos == 1 and (.split_stacks | not)' judged >/dev/null
        never rewrites goto
        grep -q 'unable to get new address.* in function run/1' bolt.log
        rewrites goto -skip-funcs=run/1 # what the remedy says
        # shellcheck disable=SC2086
        build goto goto $compiler -Wl,-q -Wl,--build-id -fPIE -no-pie
        judge goto
        rewrites goto
    done
    build goto goto gcc $whole -Wl,-q -fPIE -pie
    goto_has_its_share
    build goto goto gcc $whole -fPIE -pie
    judge goto
    finds 'computed goto' warning 'llvm-bolt 19 would refuse that with -Wl,-q'
    flags '-Wl,-q -no-pie'
    rewrites goto
    # In the packed form, which this C library need not be able to load.
    build goto goto clang-19 -fuse-ld=lld -Wl,--pack-dyn-relocs=relr -Wl,-q -Wl,--build-id -fPIE -pie
    judge goto 1
    finds 'computed goto' problem 'into 1 function, as for computed gotos: run/1;'
    never "$bolt" "$made/goto" -o result >bolt.log 2>&1
    grep -q 'unable to get new address.* in function run/1' bolt.log
    build goto.so goto gcc $whole -Wl,-q -fPIC -shared
    judge goto.so 1
    finds 'computed goto' problem 'run/1' '-skip-funcs with this function'
    flags ''
    never "$bolt" "$made/goto.so" -o result >bolt.log 2>&1
}

# What llvm-bolt makes of these takes memory without end as soon as a stack has to grow: it is not run here.
split_stacks() {
    local linker
    for linker in bfd gold; do
        build stacks split gcc $whole -Wl,-q -fsplit-stack -fuse-ld=$linker
        judge stacks 1
        finds 'split stacks' problem 'does not run' 'build with -fno-split-stack'
        [[ $(jq -r .flags judged) = -fno-split-stack* ]]
        jq -e .split_stacks judged >/dev/null
    done
    strip "$made/stacks"
    judge stacks 1
    build stacks split gcc $whole -Wl,-q -fno-split-stack
    judge stacks
}

check_with "$bolt gcc clang-19 ld.lld" 'llvm-bolt refuses labels in data that is relocated' bolt_refuses_computed_gotos
check_with 'gcc ld.gold' 'split stacks are not fit' split_stacks
check_with $bolt 'llvm-bolt takes what is fit' bolt_agrees_on_what_is_fit
check_with $bolt 'llvm-bolt refuses or spoils what is not' bolt_agrees_on_what_is_not
if [ -n "$walk" ]; then
    check_with $bolt 'llvm-bolt does less without relocations' bolt_needs_relocations
fi
check_with "$bolt" 'llvm-bolt refuses its own output' bolt_refuses_its_own
check_with $bolt 'llvm-bolt refuses the address sanitizer' bolt_refuses_sanitizers

# ---- processes ----

# machine FIELD: of the machine, as anneal sees it
machine() {
    "$anneal" doctor --json | jq -r ".machine.$1"
}

# runs PROGRAM: the process does
runs() {
    [ "$(readlink "/proc/$pid/exe")" = "$(realpath "$1")" ]
}

# start COMMAND...: a process that runs until the case ends, with the number $pid
start() {
    "$@" >/dev/null 2>&1 &
    pid=$!
    # shellcheck disable=SC2064
    trap "kill -KILL $pid" EXIT
    await runs "$1"
}

judges_processes() {
    start "$made/fit" 2000000000
    run 0 "$anneal" doctor --json -p $pid
    jq -e --argjson pid $pid '.fit and .process.fit and .process.pid == $pid and
        .process.tracer == null and .process.method == .machine.method and
        .process.name == "fit" and .process.threads == 1 and .process.user == '"$(id -u)"' and
        (.binaries | length) == 1 and .binaries[0].path == .process.binary and
        .process.binary == "'"$made/fit"'"' out >/dev/null || fail "$(cat out)"
    run 0 "$anneal" doctor -p $pid
    prints "Process $pid" "it can be recorded" "=> fit. Next: anneal record -p $pid"
    # it was not stopped, and goes on
    expect "$(awk '/^TracerPid/ { print $2 }' /proc/$pid/status)" 0
    [[ $(awk '/^State/ { print $2 }' /proc/$pid/status) = [RS] ]]
}

judges_the_binary_too() {
    start "$made/bare" 2000000000
    run 1 "$anneal" doctor --json -p $pid "$made/fit"
    jq -e '(.fit | not) and .process.fit and [.binaries[].fit] == [false, true]' out >/dev/null
}

judges_deleted_binaries() {
    cp "$made/fit" "$made/gone"
    start "$made/gone" 2000000000
    rm "$made/gone"
    run 0 "$anneal" doctor --json -p $pid
    jq -e '.process.findings[] | select(.about == "binary") | .level == "warning" and
        (.remedy | startswith("cp /proc/"))' out >/dev/null
    jq -e '.binaries[0].fit and .binaries[0].functions > 5' out >/dev/null
    run 1 "$anneal" doctor -q --strict -p $pid
    prints "$made/gone is not"
}

wrong_processes() {
    run 1 "$anneal" doctor -p 4194304 # above the highest number that Linux knows
    prints 'no such process'
    run 1 "$anneal" doctor --json -p 0
    jq -e '.process | (.fit | not) and .method == null and (has("name") | not)' out >/dev/null
    run 2 "$anneal" doctor -p x
    says '--pid=x: expected a number'
    run 2 "$anneal" doctor -p -1
    run 2 "$anneal" doctor -p
    says 'needs an argument'
    [ ! -s out ]
}

# By somebody else, who seizes it (ptrace request 0x4206) and asks then.
judges_traced_ones() {
    start "$made/fit" 2000000000
    run 1 python3 -c 'import ctypes, subprocess, sys
ctypes.CDLL(None).ptrace(0x4206, int(sys.argv[-1]), None, None)
sys.exit(subprocess.run(sys.argv[1:]).returncode)' "$anneal" doctor --json -p $pid
    jq -e '(.fit | not) and .process.tracer > 0 and .process.method == null and
        (.process.findings[] | select(.about == "tracer") | .level == "problem" and
            (.what | contains("(python3")))' out >/dev/null || fail "$(cat out)"
}

if [ "$(machine method)" != null ] && [[ $(machine ptrace_scope) = @(null|0) || $(id -u) = 0 ]]; then
    check 'a process that can be recorded' judges_processes
    check 'a process whose binary is not fit' judges_the_binary_too
    check 'a process whose binary was deleted' judges_deleted_binaries
    if [ "$(machine branch_records)" != true ]; then
        check_with python3 'a process that is traced already' judges_traced_ones
    fi
else
    skip 'processes' 'no process can be recorded here'
fi
check 'processes that do not exist' wrong_processes

# As a user who may do little. What it runs has to be in a place that this user sees.
humble() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all -- "$@"
    else
        "$@"
    fi
}

of_another_user() {
    chmod 755 "$scratch" . && cp "$anneal" humble-anneal
    run 1 humble ./humble-anneal doctor --json -p 1
    jq -e '(.fit | not) and .process.method == null and .machine.user != 0 and
        .process.user == 0 and (.binaries | length) == 0 and
        (.process.findings[] | select(.about == "permission") |
            (.what | contains("belongs to user 0")) and .remedy == "run as root")' out >/dev/null ||
        fail "$(cat out)"
    run 0 humble ./humble-anneal doctor
    grep -qE '^  (ok|warning) +perf events +(of user|not for user)' out || fail "$(cat out)"
}

if [ "$(stat -c %u /proc/1)" = 0 ] && { [ "$(id -u)" != 0 ] || have setpriv; }; then
    check 'a process of another user' of_another_user
fi

# ---- the machine ----

tells_of_the_machine() {
    run 0 "$anneal" doctor --json
    jq -e --arg kernel "$(uname -r)" --arg processor "$(uname -m)" --argjson count "$(nproc)" \
        '.fit and .machine.kernel == $kernel and .machine.processor == $processor and
        .machine.processors == $count and (.machine.findings | length) == 5 and
        (has("process") | not) and .binaries == []' out >/dev/null || fail "$(cat out)"
    if [ -e /proc/sys/kernel/perf_event_paranoid ]; then
        expect "$(jq .machine.perf_event_paranoid out)" "$(cat /proc/sys/kernel/perf_event_paranoid)"
    fi
    run 0 "$anneal" doctor
    prints "Linux $(uname -r)"
}

# behind HOW CALL COMMAND...: where that system call is forbidden. (The leak sanitizer needs ptrace.)
behind() {
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" "$forbidding" "$@"
}

# What is forbidden is no failure of the machine's, but one of the process's.
says_what_is_forbidden() {
    local how
    for how in refuse kill hang; do
        run 0 behind $how ptrace "$anneal" doctor --json
        jq -e '.machine | (.tracing | not) and .seccomp and
            (.findings[] | select(.about == "tracing") | .level == "problem" and
                (.what | contains("PTRACE_SEIZE")))' out >/dev/null || fail "$how: $(cat out)"
        [ $how != kill ] || grep -q 'a seccomp filter kills its callers' out
        [ $how != hang ] || grep -q 'does not return' out
        run 0 behind $how perf_event_open "$anneal" doctor --json
        jq -e '.machine | (.branch_records | not) and
            (.findings[] | select(.about == "branch records") | .level == "warning")' out >/dev/null
    done
    run 0 behind refuse ptrace "$anneal" doctor -q "$made/fit"
    prints 'This machine' 'problem  tracing'
}

forbidden_for_processes() {
    start "$made/fit" 2000000000
    run 1 behind refuse ptrace "$anneal" doctor --json -p $pid
    jq -e '(.process.fit | not) and .process.method == null and .binaries[0].fit' out >/dev/null
}

filters=0
behind refuse ptrace true || filters=$?
if [ $filters -eq 0 ]; then
    check 'says what a container forbids' says_what_is_forbidden
    if [ "$(machine branch_records)" != true ]; then
        check 'no process can be recorded where tracing is forbidden' forbidden_for_processes
    fi
else
    skip 'says what a container forbids' 'no seccomp filters here'
fi
check 'tells of the machine' tells_of_the_machine

finds_tools() {
    mkdir tools
    printf '#!/bin/sh\necho "LLVM version 99.1.2"\n' >tools/llvm-bolt
    printf '#!/bin/sh\nexit 3\n' >tools/llvm-bolt-12
    printf '#!/bin/sh\necho "perf version 7.7"\n' >tools/perf
    printf '#!/bin/sh\n' >tools/llvm-bolt-13 # not executable
    chmod +x tools/llvm-bolt tools/llvm-bolt-12 tools/perf
    ln -s llvm-bolt tools/llvm-bolt-14 # the same once more
    mkdir tools/llvm-bolt-15
    PATH=$PWD/tools:relative::/no/such/folder run 0 "$anneal" doctor --json
    jq -c '[.tools[] | select(.path | startswith("'"$PWD"'")) | [.name, .path, .version]]' out >found
    expect "$(cat found)" "$(printf '[["llvm-bolt","%s/tools/llvm-bolt","99.1.2"],["llvm-bolt","%s/tools/llvm-bolt-12",null],["perf","%s/tools/perf","7.7"]]' "$PWD" "$PWD" "$PWD")"
    PATH=$PWD/tools run 0 "$anneal" doctor
    prints '99.1.2'
    tr -s ' \n' ' ' <out | found 'llvm-bolt-12 does not print its version'
    PATH=/nowhere run 0 "$anneal" doctor
    prints 'perf             not installed, and not required'
    if [ ! -e $bolt ]; then
        grep -q 'warning  llvm-bolt' out
    fi
}

check 'finds tools' finds_tools

# ---- the report ----

prints_a_report() {
    run 0 "$anneal" doctor "$made/whole" "$made/fit"
    never grep -E '^.{80}' out
    never grep -q $'\033' out
    grep -qx 'This machine' out
    grep -qx 'Tools' out
    grep -qx "$made/whole" out
    if [ "$(machine method)" != null ]; then
        grep -qFx "  => fit. Next: anneal record -- $made/fit ..." out
        (cd "$made" && "$anneal" doctor fit) | found -Fx '  => fit. Next: anneal record -- ./fit ...'
    fi
    grep -qx '  => fit, with limitations. Rebuild it with these options for gcc:' out
    grep -qx '       -Wl,-q' out
    grep -qx '                            -> link with -Wl,-q (--emit-relocs)' out
    expect "$(cat err)" ''
}

is_quiet() {
    run 0 "$anneal" doctor -q "$made/fit" "$made/whole"
    [ "$(machine method)" = null ] || expect "$(cat out)" ''
    run 1 "$anneal" doctor -q "$made/fit" "$made/bare"
    never grep -q "$made/fit" out
    prints "$made/bare" 'split functions' '=> not fit'
    never grep -q '^  ok' out
}

is_strict() {
    run 0 "$anneal" doctor --strict "$made/fit"
    run 1 "$anneal" doctor --strict "$made/whole"
    run 1 "$anneal" doctor --strict --json "$made/whole"
    jq -e '.fit == false and .binaries[0].fit == false' out >/dev/null
    run 1 "$anneal" doctor --strict -q "$made/whole"
    prints 'warning  relocations'
    never grep -q '^  ok' out
}

colours() {
    terminal=(python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)')
    unset NO_COLOR
    run 1 "${terminal[@]}" "$anneal" doctor "$made/bare"
    grep -q $'\033\\[32mok\033\\[0m       format' out
    grep -q $'\033\\[33mwarning\033\\[0m  relocations' out
    grep -q $'\033\\[31mproblem\033\\[0m  split functions' out
    NO_COLOR=1 run 1 "${terminal[@]}" "$anneal" doctor "$made/bare"
    never grep -q $'\033' out
    run 1 "${terminal[@]}" "$anneal" doctor --json "$made/bare"
    never grep -q $'\033' out
}

wrong_usage() {
    run 2 "$anneal" doctor --frobnicate
    says "unknown option '--frobnicate'" "try 'anneal doctor --help'"
    run 0 "$anneal" doctor --help
    prints 'Usage: anneal doctor' 'Examples:' 'anneal doctor -p $(pidof server)'
    "$anneal" doctor >/dev/full 2>err && fail 'a full disk goes unnoticed'
    says 'cannot write'
}

check 'prints a report' prints_a_report
check 'prints only what is wrong' is_quiet
check 'fails for warnings if asked to' is_strict
check_on_terminal 'colours, on a terminal only' colours
check 'wrong usage' wrong_usage

tier long
check_with 'go ocamlopt' 'real programs with such runtimes' knows_real_runtimes
finish
