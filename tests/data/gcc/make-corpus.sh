#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# make-corpus.sh VERSION...           with this system's gcc-VERSION
# ROOT=FOLDER make-corpus.sh ...      with those of another system, as debootstrap makes it; needs root
# TARGET=s390x-linux-gnu QEMU=qemu-s390x-static make-corpus.sh ...    a cross compiler; big-endian
#
# Makes the golden files of GCC's profiles, all by GCC itself, in a folder for each version and target:
#
#     values.gcno, values-N.gcda   src/values.c, and what each of three runs leaves
#     values-all.gcda              what these runs leave when they share one file: libgcov's merging
#     values-tool.gcda             gcov-tool's merging of the first two
#     right-a.gcda, right-b.gcda   one object in two programs, of which only one has its limit()
#     right-all.gcda               in one file, first a, then b
#
# Addresses are not random (setarch -R), so that the files are the same each time but for the stamp.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
root=${ROOT:-}
target=${TARGET:-}
runner=${QEMU:-}
work=$root/tmp/anneal-corpus

inside() {
    if [ -n "$root" ]; then
        chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin /bin/sh -ec "cd /tmp/anneal-corpus; $*"
    else
        (cd "$work" && sh -ec "$*")
    fi
}

# keep FROM TO: in the folder of the version
keep() {
    cp "$work/$1" "$to/$2"
}

# each run of `values` with other arguments
run_of() {
    case $1 in
    1) echo 10 ;;
    2) echo 1000 ;;
    3) echo 40 x ;;
    esac
}

for version; do
    prefix=${target:+$target-}
    gcc=${prefix}gcc-$version
    tool=${prefix}gcov-tool-$version
    to=$here/gcc-$version${target:+-${target%%-*}}
    start="setarch -R $runner"
    flags="-O2 -fprofile-generate -fprofile-update=single ${target:+-static}"
    if [ "$version" -ge 14 ]; then
        flags="$flags -fcondition-coverage"
    fi
    if [ "$version" -ge 15 ]; then
        flags="$flags -fpath-coverage"
    fi
    rm -rf "$work" "$to"
    mkdir -p "$work" "$to"
    cp "$here"/src/* "$work"
    inside "$gcc $flags -ftest-coverage -c values.c && $gcc $flags values.o -o values"
    for run in 1 2 3; do
        rm -f "$work/values.gcda"
        inside "$start ./values $(run_of $run) >/dev/null"
        keep values.gcda values-$run.gcda
    done
    rm "$work/values.gcda"
    for run in 1 2 3; do
        inside "$start ./values $(run_of $run) >/dev/null"
    done
    keep values.gcda values-all.gcda
    cp "$work/values.gcno" "$to/"
    rm "$work"/*.gcda
    mkdir -p "$work/one" "$work/two"
    cp "$to/values-1.gcda" "$work/one/values.gcda"
    cp "$to/values-2.gcda" "$work/two/values.gcda"
    inside "$tool merge one two -o both && mv both/values.gcda ."
    keep values.gcda values-tool.gcda

    for source in left right program; do
        inside "$gcc $flags -fno-inline -c $source.cpp"
    done
    inside "$gcc $flags program.o left.o right.o -o a && $gcc $flags program.o right.o left.o -o b"
    for program in a b; do
        rm -f "$work"/*.gcda
        inside "$start ./$program 12"
        keep right.gcda right-$program.gcda
    done
    rm "$work"/*.gcda
    inside "$start ./a 12; $start ./b 12"
    keep right.gcda right-all.gcda
    rm -rf "$work"
done
