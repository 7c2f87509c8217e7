#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes the profiles in the folder yaml, with llvm-bolt and perf2bolt 19, gcc, and a merge-fdata of LLVM 21 or newer, which
# is named: one of LLVM 19 forgets parts of the header. Counts and hashes depend on the compiler; the tests do not.
#
#     usage: make-yaml.sh MERGE_FDATA...
#
#     one.yaml, two.yaml    what llvm-bolt -w makes of two runs (llvm-bolt -instrument): branches, indirect calls, a switch
#     merged.yaml           these two, by merge-fdata
#     samples.yaml          llvm-bolt -w of samples without branches
#     aggregated.yaml       perf2bolt -w of branch counts (pre-aggregated), with functions that have no blocks
#     made/counts           these counts
#     made/program          the program that they are of
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")/yaml" && pwd)
bolt=/usr/lib/llvm-19/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >one.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static __attribute__((noinline)) int twice(int n) { return n % 3 ? 2 * n : n; }
static __attribute__((noinline)) int more(int n) { return n & 1 ? n + 1 : n ^ 5; }
static int (*const ways[])(int) = {twice, more, twice, twice};
__attribute__((noinline)) int choose(int n)
{
    switch (n % 11) {
    case 0: return n + 5;
    case 1: return n * 3;
    case 2: return n ^ 77;
    case 3: return n - 1;
    case 4: return n << 2;
    case 5: return n | 9;
    case 6: return n & 255;
    case 7: return -n;
    default: return ways[n & 3](n);
    }
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100, sum = 0;
    for (int i = 0; i < n; i += argc - 1)
        sum += choose(i);
    printf("%d\n", sum);
    return 0;
}
END
gcc -O2 -fno-pie -fno-reorder-blocks-and-partition -no-pie -Wl,-q -Wl,--build-id one.c -o program
"$bolt/llvm-bolt" program -o instrumented -instrument -instrumentation-file="$PWD/out.fdata" >log 2>&1
./instrumented 2000 >/dev/null 2>&1
mv out.fdata one.fdata
./instrumented 230 two three >/dev/null 2>&1
mv out.fdata two.fdata
for name in one two; do
    "$bolt/llvm-bolt" program -data=$name.fdata -w "$here/$name.yaml" -o /dev/null >log 2>&1
done
cp "$here"/{one,two}.yaml .
"$@" one.yaml two.yaml >"$here/merged.yaml"

{
    echo 'no_lbr cycles:u:'
    nm program | awk '$3 == "choose" || $3 == "main" { for (i = 0; i < 6; i++) printf "1 %s %x %d\n", $3, 0, 7 + i }'
} >samples.fdata
"$bolt/llvm-bolt" program -data=samples.fdata -w "$here/samples.yaml" -o /dev/null >log 2>&1

# Jumps and calls of the program, as a recorder would have counted them.
objdump -d --no-show-raw-insn program | awk '
    /^[0-9a-f]+ <(main|choose|twice|more)>:/ { inside = 1 }
    /^$/ { inside = 0 }
    inside && ($2 ~ /^j/ || $2 == "call") && $3 ~ /^[0-9a-f]+$/ { sub(":", "", $1); print "B", $1, $3, NR % 50 + 1, NR % 3 }
' >"$here/made/counts"
cp program "$here/made/program"
"$bolt/perf2bolt" -pa -p "$here/made/counts" -w "$here/aggregated.yaml" -o /dev/null program >log 2>&1
wc -l "$here"/*.yaml
