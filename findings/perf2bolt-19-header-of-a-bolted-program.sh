#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# perf2bolt 19 -nl of a program that llvm-bolt has made (with -enable-bat).
#
# Version: bolt-19 1:19.1.7-3~deb12u1; recorded by linux-perf 6.1.192-2.
# Likely guess: llvm-bolt reads what perf2bolt of the same release writes.
# Behaviour: the profile begins with "boltedcollection" and then "no_lbr". llvm-bolt expects these lines the other way
# round: "no valid profile data found", exit status 1. With the two lines exchanged it takes the same file.
# What to do: exchange them.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
unpack bolt-19=1:19.1.7-3~deb12u1 libllvm19=1:19.1.7-3~deb12u1 linux-perf=6.1.192-2
bin=$root/usr/lib/llvm-19/bin
export PATH=$root/usr/bin:$PATH

cat >p.c <<'END'
static volatile unsigned long sink;
__attribute__((noinline)) unsigned long add_up(unsigned long count)
{
    unsigned long sum = 0;
    for (unsigned long i = 0; i < count; i++)
        sum += i % 5 ? i : 3 * i;
    return sum;
}
int main(void)
{
    for (int i = 0; i < 5; i++)
        sink += add_up(50000000);
    return 0;
}
END
gcc -O1 -no-pie -fno-pie -Wl,-q p.c -o p || exit 2
printf '1 main 0 1 add_up 0 0 5\n' >by-hand.fdata
"$bin/llvm-bolt" p -data=by-hand.fdata -reorder-blocks=ext-tsp -enable-bat -o bolted >log 2>&1 || exit 2
perf record -q -e cpu-clock:u -o perf.data ./bolted >log 2>&1 || { echo 'cannot be tried: perf may not record here' && exit 2; }
"$bin/perf2bolt" -nl -p perf.data -o samples.fdata bolted >log 2>&1 || { tail -n 3 log && exit 2; }

seen 'the profile begins with' 'boltedcollection no_lbr' "$(head -n 2 samples.fdata | cut -d' ' -f1 | tr '\n' ' ' | sed 's/ $//')"
"$bin/llvm-bolt" p -data=samples.fdata -o again >log 2>&1
seen 'llvm-bolt exits with' 1 $?
seen 'and says' 'no valid profile data found' "$(grep -ao 'no valid profile data found' log)"
{ sed -n 2p samples.fdata && sed -n 1p samples.fdata && tail -n +3 samples.fdata; } >exchanged.fdata
"$bin/llvm-bolt" p -data=exchanged.fdata -o again >log 2>&1
seen 'with the lines exchanged it exits with' 0 $?
end
