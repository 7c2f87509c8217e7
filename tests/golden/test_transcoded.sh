#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Raw profiles written by the tests themselves (support/raw_build.c) in layouts that no compiler
# here makes: where a peer reads the version, it has to find in them what it finds in the original;
# and anneal, in all versions from 5 to 11.
#
# usage: test_transcoded.sh ANNEAL TRANSCODE
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh" "$@"
transcode=$(realpath "$2")

# One file of each kind.
files="c-fe-clang13-run1 c-ir-clang13-run1 cxx-fe-clang14-run1 c-csir-clang16-run1 tiny-fe-clang19
    c-fe-clang19-run2 cxx-ir-clang19-run2 cond-fe-mcdc-clang19-run1 cxx-ir-vtable-clang19-run1
    c-ir-block-clang19-run1 c-ir-temporal-block-clang19-run2 c-fe-s390x-clang19-run1
    c-ir-powerpc-clang19-run1 cond-fe-mcdc-i386-clang19 lib-fe-concat-clang19"

anneal_reads() {
    "$transcode" "$corpus/raw/$1.profraw" "$2" "$3" "$4" >raw
    run 0 "$anneal" llvm-profdata merge --text raw
    same out "$corpus/text/$1.profraw.text"
}

peer_reads() {
    "$transcode" "$corpus/raw/$1.profraw" "$2" "$3" "$4" >raw
    run 0 "llvm-profdata-$5" merge --text -o text raw
    case $5/$4/$1 in
    1[3456]/big/*-ir-* | 1[3456]/big/*csir*)
        # names of calls are lost (differences.sh), and with them which of them are the same
        grep -v ':[0-9]*$' text >without_calls
        grep -v ':[0-9]*$' "$corpus/text/$1.profraw.text" >expected
        same without_calls expected
        ;;
    *) same text "$corpus/text/$1.profraw.text" ;;
    esac
}

for file in $files; do
    for version in 5 6 7 8 9 10 11; do
        for pointers in wide narrow; do
            for order in little big; do
                "$transcode" "$corpus/raw/$file.profraw" "$version" $pointers $order \
                    >/dev/null || continue # that version has no place for it
                name="$file as version $version, $pointers, $order"
                check "$name" anneal_reads "$file" "$version" $pointers $order
                case $version in
                7) peers=13 ;;
                8) peers='14 15 16' ;;
                10) peers=19 ;;
                *) continue ;;
                esac
                for peer in $peers; do
                    # The older ones know neither the marker of single-byte counters nor traces.
                    # 13 wants each of several profiles to begin at a multiple of 8, which its
                    # own runtime does not care for when there are binary ids.
                    case $file/$peer in *-block-*/1[456] | *-concat-*/13) continue ;; esac
                    check_with "llvm-profdata-$peer" "$name, by llvm-profdata-$peer" \
                        peer_reads "$file" "$version" $pointers $order $peer
                done
            done
        done
    done
done
finish
