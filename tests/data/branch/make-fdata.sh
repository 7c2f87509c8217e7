#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes the profiles in the folder fdata, with llvm-bolt and perf2bolt 19 and gcc. Addresses and
# counts depend on the compiler and the C library; the tests depend on neither.
#
#     instrumented-N.fdata    what llvm-bolt -instrument writes: small letters, no mispredictions
#     branches-N.fdata        perf2bolt of branch counts (pre-aggregated), with mispredictions
#     bolted.fdata            the same of a program that BOLT had optimized
#     samples.fdata           perf2bolt -nl of perf record without branch records
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")/fdata" && pwd)
bolt=/usr/lib/llvm-19/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Static functions of one name in two files get names like step/1, and unlikely parts step.cold/1.
cat >one.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int two(int n);
static __attribute__((noinline)) int step(int n)
{
    if (__builtin_expect(n % 1000 == 999, 0)) {
        fprintf(stderr, "%d\n", n);
        n += atoi("7");
    }
    return n % 3 ? n * 2 : n + 5;
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100, sum = 0;
    for (int i = 0; i < n; i++)
        sum += i & 1 ? step(i) : two(i);
    printf("%d\n", sum);
    return 0;
}
END
cat >two.c <<'END'
static __attribute__((noinline)) int step(int n)
{
    int sum = 0;
    for (int i = 0; i < n % 17; i++)
        sum += i ^ n;
    return sum;
}
int two(int n)
{
    int (*volatile call)(int) = step;
    return n % 5 ? call(n) : step(n + 1);
}
END
gcc -O2 -freorder-blocks-and-partition -no-pie -Wl,-q one.c two.c -o program

"$bolt/llvm-bolt" program -o instrumented -instrument -instrumentation-file="$PWD/out.fdata" >log 2>&1
for n in 1 2 3; do
    ./instrumented $((n * 700)) >/dev/null 2>&1
    mv out.fdata "$here/instrumented-$n.fdata"
done

# Branch counts as a recorder would have aggregated them: the instrumented branches' addresses.
address() { nm program | awk -v name="$1" '$3 == name && !seen++ { print $1 }'; }
main=$(address main) two=$(address two)
for n in 1 2; do
    {
        for at in 10 20 30 40; do
            printf 'B %x %x %d %d\n' $((0x$main + at)) $((0x$two)) $((at * n)) $((at * n / 10))
            printf 'B %x %x %d %d\n' $((0x$two + at / 5)) $((0x$two + at / 5 + 8)) $((at + n)) 1
            printf 'F %x %x %d\n' $((0x$two)) $((0x$two + 4)) $((at * n))
        done
        printf 'B X:0 %x 5 0\n' $((0x$main))
    } >counts
    "$bolt/perf2bolt" program -pa -p counts -o "$here/branches-$n.fdata" >log 2>&1
done

"$bolt/llvm-bolt" program -o optimized -data="$here/instrumented-1.fdata" -enable-bat \
    -reorder-blocks=ext-tsp >log 2>&1
two=$(nm optimized | awk '$3 == "two" && !seen++ { print $1 }')
printf 'B %x %x 12 3\nB %x %x 7 0\n' $((0x$two + 4)) $((0x$two)) $((0x$two + 9)) $((0x$two + 12)) >counts
"$bolt/perf2bolt" optimized -pa -p counts -o "$here/bolted.fdata" >log 2>&1 || cat log

perf record -q -e cpu-clock:u -o perf.data ./program 20000000 >/dev/null 2>&1
"$bolt/perf2bolt" program -nl -p perf.data -o "$here/samples.fdata" >log 2>&1
wc -l "$here"/*.fdata
