# SPDX-License-Identifier: Apache-2.0
#
# Where anneal differs from its model on purpose. Sourced by the golden tests: what is not listed
# here has to be the same, byte for byte, and what is listed has to differ, in this way only.
# shellcheck shell=bash

# expected_text FILE TEXT: the peer's TEXT for FILE with the known difference put right, on stdout
expected_text() {
    case $1 in
    # llvm-profdata up to 16 does not know the marker of single-byte counters: its text leaves out
    # what the counts mean.
    raw/c-ir-functionentry-clang1[456]-run[12].profraw | \
        indexed/c-ir-functionentry-clang1[456].merged.profdata | \
        indexed/c-ir-functionentry-clang1[456].weighted.profdata)
        sed '2a# Instrument block coverage\n:single_byte_coverage' "$2"
        ;;
    # llvm-profdata 13 to 16 do not turn the name hash around when they learn the addresses of
    # functions from a big-endian file, so indirect calls lose their names. The same program on
    # i386 has them.
    raw/c-ir-s390x-clang1[34]-run1.profraw | raw/c-ir-powerpc-clang1[34]-run1.profraw)
        same_program=${2/s390x/i386}
        cat "${same_program/powerpc/i386}"
        ;;
    # LLVM 13 stops counting at 2^64-1, the later ones at 2^64-3.
    indexed/text-saturate-weighted-llvm13.profdata)
        sed 's/^18446744073709551615$/18446744073709551613/' "$2"
        ;;
    *)
        cat "$2"
        ;;
    esac
}

# differs FILE: whether it is one of those above
differs() {
    case $1 in
    raw/c-ir-functionentry-clang1[456]-* | indexed/c-ir-functionentry-clang1[456].*) return 0 ;;
    raw/c-ir-s390x-clang1[34]-* | raw/c-ir-powerpc-clang1[34]-*) return 0 ;;
    indexed/text-saturate-weighted-llvm13.profdata) return 0 ;;
    *) return 1 ;;
    esac
}

# expect_no_words FILE: nothing was said, but for what text cannot hold, which the peer leaves out without a word
expect_no_words() {
    case $1 in
    *uniform-*) says 'text cannot hold the uniformity of 16 functions' ;;
    *) expect "$(cat err)" '' ;;
    esac
}

# same_text FILE TEXT GOT: fails unless GOT is what is expected for FILE
same_text() {
    expected_text "$1" "$2" >expected
    same "$3" expected
    if differs "$1"; then
        ! cmp -s expected "$2" || fail "$1 does not differ any more: strike it off the list"
    else
        same expected "$2"
    fi
}

# as_arguments WEIGHT:FILE...: sets the array arguments, in the corpus folder
as_arguments() {
    local input
    arguments=()
    for input; do
        if [ "${input%%:*}" = 1 ]; then
            arguments+=("$corpus/${input#*:}")
        else
            arguments+=("--weighted-input=${input%%:*},$corpus/${input#*:}")
        fi
    done
}

# version_for LLVM: the newest indexed version that it reads
version_for() {
    case $1 in
    13 | 14) echo 7 ;;
    15) echo 8 ;;
    16) echo 9 ;;
    19) echo 12 ;;
    esac
}
