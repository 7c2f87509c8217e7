#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Programs for boards in folders of their own, built as docs/guides/boards.md tells: by make, and by CMake.
#
# usage: test_own_program.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
unset MAKEFLAGS MAKELEVEL GCOV_PREFIX GCOV_PREFIX_STRIP
mkdir "$scratch/bin"
ln -s "$anneal" "$scratch/bin/anneal"
PATH=$scratch/bin:$PATH
tier long

# The first commands of the guide, in an empty folder
ten_lines() {
    awk '$0 == "```" { inside = 0 } inside { print } $0 == "```bash" { inside = 1 }' "$tests/../docs/guides/boards.md" >../guide.sh
    [ "$(wc -l <../guide.sh)" -le 10 ] || fail 'more than ten lines:' "$(cat ../guide.sh)"
    run 0 bash -e ../guide.sh </dev/null
    prints hello
    says '1 verified'
    grep -q 'main.c' coverage/index.html
    run 0 anneal cov --json build
    expect "$(jq -c '[.files[0].functions[] | [.name, .execution_count]]' out)" '[["larger",1],["main",1]]'
}

# With clang's counters of source lines, which its own tool reads
clang_coverage() {
    printf '%s\n' '#include "bare/bare.h"' 'int once(int x) { return x ? 2 : 3; }' \
        'int main(void) { an_bare_print(once(1) == 2 ? "hello\n" : "what?\n"); return 0; }' >main.c
    make -s -f "$(anneal rt --board)/Makefile" BOARD=cortex-m3-mps2 COMPILER=clang SRCS=main.c PROFILE=coverage run \
        </dev/null >session.log
    run 0 anneal extract session.log
    llvm-profdata-19 merge -o main.profdata default.profraw0
    llvm-cov-19 export build/*/main.o -instr-profile=main.profdata >export.json
    expect "$(jq -c '[.data[0].functions[] | [.name, .count]] | sort' export.json)" '[["main",1],["once",1]]'
}

# The guide's commands for counters only
counters_only() {
    awk '/^## / { inside = 0 } /^## Counters only/ { part = 1 } $0 == "```" { inside = 0; if (part) part = -1 }
        inside && part == 1 { print } $0 == "```sh" { inside = 1 }' "$tests/../docs/guides/boards.md" >../guide.sh
    expect "$(wc -l <../guide.sh)" 3
    run 0 bash -e ../guide.sh </dev/null
    run 0 llvm-profdata-19 show --counts --function=take_packet small.profdata
    prints 'Block counts: [100, 50, 10]'
}

# Sources of one name, in several languages; what has changed is compiled again: a header, or the options.
many_sources() {
    local make=(make -s -f "$(anneal rt --board)/Makefile" BOARD=cortex-m3-mps2 PROFILE=coverage CPPFLAGS=-Iinclude
        SRCS="main.cc a/util.c b/util.c b/next.S") made=build/cortex-m3-mps2-gcc-coverage
    mkdir a b include
    printf '%s\n' '#ifdef __cplusplus' 'extern "C" {' '#endif' 'int a(int), b(int), next(int);' '#ifdef __cplusplus' '}' \
        '#endif' '#define MOST 3' >include/util.h
    printf '%s\n' '#include "util.h"' 'int a(int x) { return x > MOST ? MOST : x; }' >a/util.c
    printf '%s\n' '#include "util.h"' 'int b(int x) { return x < 0 ? 0 : x; }' >b/util.c
    printf '%s\n' '.syntax unified' '.thumb' '.text' '.globl next' '.thumb_func' 'next: adds r0, r0, #1' 'bx lr' >b/next.S
    printf '%s\n' '#include "bare/bare.h"' '#include "util.h"' \
        'int main() { an_bare_print(a(next(b(8))) == 3 ? "three\n" : "not three\n"); }' >main.cc
    timeout 50 "${make[@]}" run </dev/null >session.log
    grep -q '^three' session.log || fail "$(cat session.log)"
    run 0 anneal extract -C / session.log
    says '3 verified'
    run 0 anneal cov --json build
    expect "$(jq -c '[.files[].functions[] | [.name, .execution_count]] | sort' out)" '[["a",1],["b",1],["main",1]]'
    touch -r $made/image.elf time
    run 0 "${make[@]}"
    [ ! $made/image.elf -nt time ] || fail 'it was linked again'
    sed -i 's/MOST 3/MOST 4/' include/util.h
    timeout 50 "${make[@]}" run </dev/null >session.log
    grep -q '^not three' session.log || fail "$(cat session.log)"
    timeout 50 "${make[@]}" COMPRESS=1 run </dev/null >session.log
    expect "$(grep -c '^begin .*\.gz' session.log)" 3
}

# What make would take for a build without counters, or for nothing at all, is an error.
wrong_options() {
    local make=(make -s -f "$(anneal rt --board)/Makefile" BOARD=cortex-m3-mps2 SRCS=main.c)
    : >main.c
    : >main.rs
    run 2 "${make[@]}" PROFILE=covrage
    says "PROFILE is 'covrage', but may be one of: correlated coverage generate none use"
    run 2 "${make[@]}" PROFILE=correlated
    says 'PROFILE=correlated is for COMPILER=clang'
    run 2 "${make[@]}" COMPILER=cc
    says "COMPILER is 'cc', but may be one of: clang gcc"
    run 2 "${make[@]}" BOARD=cortex
    says "BOARD is 'cortex', but may be one of: cortex-m3-mps2 mips64-malta riscv64-virt"
    run 2 "${make[@]}" SRCS=main.rs
    says 'main.rs is neither C'
    mkdir 'a b'
    run 2 "${make[@]}" -C 'a b'
    says 'has a space'
}

# cmake_project BOARD COMPILER FOLDER: its profiles are below that folder then
cmake_project() {
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(hello C CXX)
add_library(queue STATIC queue.c)
add_executable(hello main.cc)
target_link_libraries(hello queue)
anneal_board_run(hello)
END
    echo 'int twice(int x) { return x > 2 ? 2 * x : x; }' >queue.c
    printf '%s\n' '#include "bare/bare.h"' 'extern "C" int twice(int);' \
        'int main() { an_bare_print(twice(3) == 6 ? "hello\n" : "what?\n"); }' >main.cc
    run 0 cmake -B build -DCMAKE_TOOLCHAIN_FILE="$(anneal rt --board)/toolchain.cmake" -DBOARD="$1" -DCOMPILER="$2" \
        -DCOMPRESS=1
    run 0 cmake --build build
    cmake --build build --target run-hello </dev/null >session.log
    grep -q '^hello' session.log || fail "$(cat session.log)"
    run 0 anneal extract -C "$3" session.log
    says ' 0 not verified, 0 damaged'
}

with_gcc() {
    cmake_project riscv64-virt gcc /
    run 0 anneal cov --json build
    expect "$(jq -c '[.files[].functions[] | [.demangled_name, .execution_count]] | sort' out)" '[["main",4],["twice",4]]'
}

with_clang() {
    cmake_project cortex-m3-mps2 clang .
    run 0 llvm-profdata-19 show --all-functions --counts default.profraw0
    prints twice
}

wrong_board() {
    printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(hello C)' >CMakeLists.txt
    run 1 cmake -B build -DCMAKE_TOOLCHAIN_FILE="$(anneal rt --board)/toolchain.cmake" -DBOARD=no-such-board
    says 'the runtime for no-such-board cannot be built'
}

tools='qemu-system-arm arm-none-eabi-gcc make jq'
check_with "$tools" 'ten lines of the guide' ten_lines
check_with "$tools arm-none-eabi-g++" 'sources of several folders and languages' many_sources
check_with make 'options that are none' wrong_options
check_with "$tools clang-19 llvm-profdata-19 llvm-cov-19" 'coverage by clang' clang_coverage
check_with "$tools clang-19 llvm-profdata-19" 'counters only, by the guide' counters_only
check_with 'qemu-system-riscv64 riscv64-unknown-elf-gcc riscv64-unknown-elf-g++ make cmake jq' 'CMake, GCC' with_gcc
check_with "$tools cmake clang-19 clang++-19 llvm-profdata-19" 'CMake, clang' with_clang
check_with 'make cmake' 'CMake, a wrong board' wrong_board
finish
