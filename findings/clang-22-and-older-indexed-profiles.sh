#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# clang 22 and indexed profiles of the version before its own.
#
# Version: clang-22 and llvm-22 1:22.1.8-1~deb12u1.
# Likely guess: a compiler reads older versions of the indexed format without loss (llvm-profdata has an option that writes
# "the previous version"), as clang did for versions 4 to 12.
# Behaviour: since version 13, the four highest bits of a function's hash do not count. Programs that clang 22 instruments
# (-fprofile-instr-generate) have hashes without these bits in their records; but when clang 22 is given a profile of a version
# before 13, it looks for the hash with all bits. So every function whose hash has one of them loses its counts: large
# functions, mostly. At most a warning tells ("no profile data available", "out of date"); the exit status is 0. That befalls
# its own llvm-profdata --write-prev-version, too, which writes version 11.
# What to do: for clang 22 and later, write version 13, also when the profile comes from an older tool.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
version=1:22.1.8-1~deb12u1
unpack {clang-22,libclang-cpp22,libllvm22,libclang-common-22-dev,libclang-rt-22-dev,llvm-22}=$version
bin=$root/usr/lib/llvm-22/bin

# A function with enough of control flow for a hash that uses all 64 bits
{
    echo 'int main(int argc, char **argv) {'
    echo '    int n = 0;'
    for i in {1..8}; do
        echo "    for (int i = 0; i < argc + $i; i++) { if (i % $((i + 1)) == 0) n += i; while (n > $((i * 9))) n -= argc; }"
    done
    echo '    return n == -1; }'
} >p.c
"$bin/clang" -O1 -fprofile-instr-generate p.c -o p && LLVM_PROFILE_FILE=p.profraw ./p || exit 2
"$bin/llvm-profdata" merge -o own.profdata p.profraw || exit 2
"$bin/llvm-profdata" merge --write-prev-version -o older.profdata p.profraw || exit 2

# branches_of PROFILE: with weights
branches_of() {
    "$bin/clang" -O0 -S -emit-llvm -fprofile-instr-use="$1" p.c -o p.ll 2>messages || echo 'it fails:'
    grep -c '!prof' p.ll
}
seen 'version of own.profdata' 13 "$(od -A n -t u1 -j 8 -N 1 own.profdata | tr -d ' ')"
seen 'version of older.profdata' 11 "$(od -A n -t u1 -j 8 -N 1 older.profdata | tr -d ' ')"
seen 'places with counts, own.profdata' 25 "$(branches_of own.profdata)"
seen 'places with counts, older.profdata' 0 "$(branches_of older.profdata)"
cat messages
hash_of() {
    "$bin/llvm-profdata" show --all-functions "$1" | sed -n 's/^ *Hash: //p'
}
seen 'the highest four bits of the hash in the record' 0x0 "$(hash_of p.profraw | cut -c 1-3)"
end
