#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# perf2bolt 19 called by the name that Debian puts on the PATH.
#
# Version: bolt-19 1:19.1.7-3~deb12u1 (/usr/bin/perf2bolt-19 is a link to /usr/lib/llvm-19/bin/perf2bolt).
# Likely guess: perf2bolt-19 -o FILE writes a profile, as perf2bolt -o FILE does.
# Behaviour: the program decides by its own name what it is to do, and "perf2bolt-19" is not one that it knows. It aggregates
# the profile, optimizes with it as llvm-bolt would, writes an ELF file where the profile is expected, and exits with 0.
# What to do: call /usr/lib/llvm-19/bin/perf2bolt.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
unpack bolt-19=1:19.1.7-3~deb12u1 libllvm19=1:19.1.7-3~deb12u1

cat >p.c <<'END'
__attribute__((noinline)) int step(int n) { return n % 3 ? n / 2 : n + 7; }
int main(void)
{
    int n = 1;
    for (int i = 0; i < 1000; i++)
        n = step(n + i);
    return n == 5;
}
END
gcc -O1 -no-pie -fno-pie -Wl,-q p.c -o p || exit 2
address=$((0x$(nm p | awk '$3 == "step" { print $1 }')))
printf 'B %x %x 10 1\n' $address $((address + 4)) >branches # of pre-aggregated form: one branch, taken ten times

# kind NAME: what perf2bolt writes under this name
kind() {
    "$root/usr/$1" -pa -p branches -o result p >"log" 2>&1 || echo "exit status $?"
    head -c 4 result | tr -d '\177' | head -c 3
}
seen 'lib/llvm-19/bin/perf2bolt writes' '1 s' "$(kind lib/llvm-19/bin/perf2bolt)"
seen 'bin/perf2bolt-19 writes' 'ELF' "$(kind bin/perf2bolt-19)"
end
