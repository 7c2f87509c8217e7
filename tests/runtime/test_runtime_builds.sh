#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The runtime in build systems, by the texts in docs/reference/rt.md.
#
# usage: test_runtime_builds.sh ANNEAL
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
guide=$tests/../docs/reference/rt.md
unset ANNEAL_PROFILE_FILE LLVM_PROFILE_FILE GCOV_PREFIX GCOV_PREFIX_STRIP

# from_guide LANGUAGE: its block of code
from_guide() {
    awk -v fence="\`\`\`$1" '$0 == "```" { inside = 0 } inside { print } $0 == fence { inside = 1 }' "$guide" >text
    [ -s text ] || fail "nothing for $1 in the guide"
    cat text
}

# sources: a program and a shared library
sources() {
    echo 'int part(int x) { return 3 * x; }' >part.c
    printf '%s\n' 'int part(int x);' 'int main(void) { return part(1) != 3; }' >main.c
    PATH=$(dirname "$anneal"):$PATH
}

# counted COMPILER FOLDER: two runs of the program, which are added up, and of the library
counted() {
    export GCOV_PREFIX=$PWD/counts GCOV_PREFIX_STRIP=99 ANNEAL_PROFILE_FILE=$PWD/counts/all.profraw
    for _ in 1 2; do
        run 0 "$2/main"
        [ ! -s err ]
    done
    case $1 in
    gcc*)
        cp counts/*.gcda .
        for file in *.gcda; do
            gcov-12 -t -j "$file" | jq -r '.files[].functions[] | "\(.name) \(.execution_count)"'
        done | sort >counted
        ;;
    clang*)
        "llvm-profdata-${1#*-}" merge --text counts/all*.profraw | awk '/^[a-z]/ { name = $1 }
            /^# Counter Values/ { getline; print name, $1 }' | sort >counted
        ;;
    esac
    printf '%s\n' 'main 2' 'part 2' | diff counted -
}

# gather: gcov wants the notes beside the counts
gather() {
    find "$1" -name '*.gcno' -exec cp {} . \;
}

with_cmake() {
    sources
    {
        echo 'cmake_minimum_required(VERSION 3.19)'
        echo 'project(example C)'
        from_guide cmake
        echo 'add_library(part SHARED part.c)'
        echo 'add_executable(main main.c)'
        echo 'target_link_libraries(main part)'
    } >CMakeLists.txt
    run 0 env CC="$1" cmake -B build -DPROFILE=ON -DCMAKE_C_FLAGS="$2"
    run 0 cmake --build build
    gather build
    counted "$1" build
}

with_meson() {
    sources
    {
        echo "project('example', 'c')"
        from_guide meson
        echo "part = shared_library('part', 'part.c')"
        echo "executable('main', 'main.c', link_with: part)"
    } >meson.build
    echo "option('profile', type: 'boolean', value: false)" >meson_options.txt
    run 0 env CC="$1" CFLAGS="$2" meson setup build -Dprofile=true
    run 0 ninja -C build
    gather build
    counted "$1" build
}

for compiler in gcc-12 clang-19; do
    flags=$([ $compiler = gcc-12 ] && echo -ftest-coverage || true)
    tools=$([ $compiler = gcc-12 ] && echo gcov-12 jq || echo llvm-profdata-19)
    check_with "$compiler cmake $tools" "CMake, $compiler" with_cmake $compiler "$flags"
    check_with "$compiler meson ninja $tools" "Meson, $compiler" with_meson $compiler "$flags"
done
finish
