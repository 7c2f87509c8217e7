#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# merge-fdata 19 and profiles of samples without branch records.
#
# Version: bolt-19 1:19.1.7-3~deb12u1.
# Likely guess: merge-fdata merges whatever perf2bolt writes and llvm-bolt reads.
# Behaviour: llvm-bolt takes a profile that begins with "no_lbr", as perf2bolt -nl writes it; merge-fdata refuses it,
# merged with another one or alone: "Malformed / corrupted profile counter." Its records have one count, and merge-fdata
# expects two.
# What to do: samples without branch records have to be merged before perf2bolt, or by another tool.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
unpack bolt-19=1:19.1.7-3~deb12u1 libllvm19=1:19.1.7-3~deb12u1
bin=$root/usr/lib/llvm-19/bin

printf '__attribute__((noinline)) int step(int n) { return n %% 3 ? n / 2 : n + 7; }\nint main(void) { return step(4); }\n' >p.c
gcc -O1 -no-pie -fno-pie -Wl,-q p.c -o p || exit 2
printf 'no_lbr cycles:\n1 step 0 10\n' >samples.fdata

"$bin/llvm-bolt" p -data=samples.fdata -o optimised >log 2>&1
seen 'llvm-bolt exits with' 0 $?
seen 'functions with a profile' 1 "$(sed -n 's/^BOLT-INFO: \([0-9]*\) out of .*/\1/p' log)"
"$bin/merge-fdata" samples.fdata samples.fdata >merged 2>log
seen 'merge-fdata exits with' 1 $?
seen 'and says' 'Malformed / corrupted profile counter.' "$(sed -n 's/^.*samples.fdata.: //p' log)"
end
