#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# make-gcov.sh VERSION...             with this system's g++-VERSION and gcov-VERSION
# ROOT=FOLDER make-gcov.sh ...        with those of another system, as debootstrap makes it; needs root
#
# Makes, in the folder of each version, by GCC itself:
#
#     words.gcno, words.gcda   src/words.cpp, with whatever that release can count for coverage, after one run
#     words.txt                what that release's gcov prints of it, and with which exit status: for each line of
#                              gcov-options, that line, then what is printed. Some need data: gcov's JSON is one line
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
root=${ROOT:-}
work=$root/tmp/anneal-corpus

inside() {
    if [ -n "$root" ]; then
        chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C /bin/sh -ec "cd /tmp/anneal-corpus; $*"
    else
        (cd "$work" && sh -ec "$*")
    fi
}

for version; do
    to=$here/gcc-$version
    flags="-O0 --coverage"
    [ "$version" -lt 14 ] || flags="$flags -fcondition-coverage"
    [ "$version" -lt 15 ] || flags="$flags -fpath-coverage"
    rm -rf "$work"
    mkdir -p "$work" "$to"
    cp "$here/src/words.cpp" "$work"
    touch -d 2020-01-01 "$work/words.cpp"
    inside "g++-$version $flags -c words.cpp && g++-$version --coverage words.o -o words && ./words"
    while read -r least options; do
        [ "$version" -ge "$least" ] || continue
        echo "== $options"
        inside "gcov-$version $options words.gcda 2>&1; echo \"exit status \$?\""
    done <"$here/gcov-options" >"$to/words.txt"
    cp "$work"/words.gc?? "$to/"
done
