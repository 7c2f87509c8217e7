#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# merge-fdata 19 and YAML profiles.
#
# Version: bolt-19 1:19.1.7-3~deb12u1.
# Likely guess: merging one YAML profile, or two of the same binary, keeps their header.
# Behaviour: "dfs-order" and "hash-func" of the inputs are not kept. The first becomes true, though llvm-bolt writes false;
# the second is whatever was in memory: "std-hash" by chance, or a line without a value, with which llvm-bolt cannot read the
# file. Where it can, it takes the hashes of functions and blocks for others, and the numbers of blocks for other blocks.
# merge-fdata 21 and later keep what the first input has.
# What to do: merge YAML profiles with a newer merge-fdata, or put the two lines of the inputs back.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
unpack bolt-19=1:19.1.7-3~deb12u1 libllvm19=1:19.1.7-3~deb12u1
bin=$root/usr/lib/llvm-19/bin

printf '__attribute__((noinline)) int step(int n) { return n %% 3 ? n / 2 : n + 7; }\nint main(void) { return step(4); }\n' >p.c
gcc -O1 -no-pie -fno-pie -Wl,-q p.c -o p || exit 2
printf '1 main 5 1 step 0 0 10\n' >calls.fdata
"$bin/llvm-bolt" p -data=calls.fdata -w p.yaml -o optimised >log 2>&1 || exit 2

# line KEY FILE: what the header says
line() {
    sed -n "s/^  $1: *//p" "$2"
}

seen 'dfs-order of the input' false "$(line dfs-order p.yaml)"
seen 'hash-func of the input' xxh3 "$(line hash-func p.yaml)"
"$bin/merge-fdata" p.yaml >merged.yaml 2>log
seen 'merge-fdata exits with' 0 $?
seen 'dfs-order of the result' true "$(line dfs-order merged.yaml)"
kept=no
[ "$(line hash-func merged.yaml)" != xxh3 ] || kept=yes
seen 'hash-func of the input is kept' no $kept
end
