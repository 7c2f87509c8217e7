#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# make-flow.sh COMPILER...                g++-12, clang++-19, s390x-linux-gnu-g++-12: of this system
# ROOT=FOLDER make-flow.sh COMPILER...    of another system, as debootstrap makes it; needs root
#
# Makes the golden files of control flow, all by the compilers, of src/flow.cpp: flow.gcno in the folder of
# the compiler; of clang flow-VERSION.gcno, for each of the versions of GCC that it can write for. GCC 14 and
# newer write conditions, too, 15 paths. The stamp is a checksum of the code or random: files differ in it.
#
# Of clang there are counts, too, for the oldest and the newest of these: flow-VERSION-1.gcda and -2.gcda of two
# runs, and flow-VERSION-all.gcda, what they leave in one file.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
root=${ROOT:-}
work=$root/tmp/anneal-corpus

inside() {
    if [ -n "$root" ]; then
        chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin /bin/sh -ec "cd /tmp/anneal-corpus; $*"
    else
        (cd "$work" && sh -ec "$*")
    fi
}

for compiler; do
    version=${compiler##*-}
    flags="-O1 --coverage -c flow.cpp"
    if [ "$version" -ge 14 ] && [[ $compiler = *g++-* ]] && [[ $compiler != clang* ]]; then
        flags="$flags -fcondition-coverage"
    fi
    if [ "$version" -ge 15 ] && [[ $compiler != clang* ]]; then
        flags="$flags -fpath-coverage"
    fi
    rm -rf "$work"
    mkdir -p "$work"
    cp "$here"/src/* "$work"
    case $compiler in
    clang*)
        to=$here/clang-$version
        mkdir -p "$to"
        for layout in 407 408 A82 A93 B14; do
            inside "$compiler $flags -Xclang '-coverage-version=$layout*'"
            cp "$work/flow.gcno" "$to/flow-$layout.gcno"
        done
        for layout in 408 A93; do
            inside "$compiler -O1 --coverage -Xclang '-coverage-version=$layout*' -c flow.cpp &&
                $compiler --coverage flow.o -o flow"
            for run in '1 7' '2 40'; do
                inside "rm -f flow.gcda && ./flow ${run#* } >/dev/null"
                cp "$work/flow.gcda" "$to/flow-$layout-${run% *}.gcda"
            done
            inside "rm flow.gcda && ./flow 7 >/dev/null && ./flow 40 >/dev/null"
            cp "$work/flow.gcda" "$to/flow-$layout-all.gcda"
        done
        ;;
    *)
        to=$here/gcc-$version
        if [[ $compiler = *-linux-gnu-* ]]; then
            to=$to-${compiler%%-*}
        fi
        mkdir -p "$to"
        inside "$compiler $flags"
        cp "$work/flow.gcno" "$to/"
        ;;
    esac
    rm -rf "$work"
done
