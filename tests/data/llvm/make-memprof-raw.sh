#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes memprof_raw/: raw memory profiles of programs by clang 19 and 22 of Debian 12, what is left of these programs that tells of
# functions, and what llvm-profdata of the same release makes of both. Addresses and times differ in each run, so new ones are not
# byte for byte those that are here.
#
# RELEASE.debug is the program. RELEASE-run1, -run2: raw profiles. -accesses: one with histograms; in its YAML, the addresses
# that these have in llvm-profdata itself are put to 0.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
to=$here/memprof_raw
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$to"
cd "$work"
cp "$here/src/memprof.cpp" .

# run NAME PROGRAM [ARGUMENT]...
run() {
    local name=$1
    shift
    MEMPROF_OPTIONS=print_text=0:log_path=$work/log "$@"
    mv log.* "$to/$name.memprofraw"
}

# keep PROGRAM NAME: its headers, build-id and debug information
keep() {
    objcopy --only-keep-debug "$1" all
    strip --strip-unneeded --keep-section='.debug*' -o few all
    objcopy --compress-debug-sections few "$to/$2.debug"
}

for release in 19 22; do
    build=("clang++-$release" -O2 -g -fdebug-compilation-dir=. -fmemory-profile -fno-omit-frame-pointer
        -mno-omit-leaf-frame-pointer "-Wl,--build-id" memprof.cpp)
    "${build[@]}" -o program
    "${build[@]}" -mllvm -memprof-histogram -mllvm -memprof-use-callbacks=true -o counted
    keep program $release
    keep counted $release-accesses
    run $release-run1 ./program
    run $release-run2 ./program again
    run $release-accesses ./counted
    for name in run1 run2 accesses; do
        debug=$to/$release.debug
        [ $name != accesses ] || debug=$to/$release-accesses.debug
        for version in 2 3; do
            llvm-profdata-$release merge --profiled-binary "$debug" --memprof-version=$version \
                -o "$to/$release-$name-v$version.profdata" "$to/$release-$name.memprofraw"
        done
        llvm-profdata-$release show --memory --profiled-binary "$debug" "$to/$release-$name.memprofraw" |
            sed '/AccessHistogramSize: [1-9]/,/AccessHistogram:/s/AccessHistogram: .*/AccessHistogram: 0/' >"$to/$release-$name.yaml"
    done
    llvm-profdata-$release merge --profiled-binary "$to/$release.debug" --memprof-version=2 --memprof-full-schema \
        -o "$to/$release-run1-full.profdata" "$to/$release-run1.memprofraw"
done
gzip -9nf "$to"/*.yaml
chmod 644 "$to"/*
