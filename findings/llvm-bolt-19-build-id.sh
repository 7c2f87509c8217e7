#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The build-id of a program that llvm-bolt 19 has made.
#
# Version: bolt-19 1:19.1.7-3~deb12u1.
# Likely guess: the program has the build-id of the one it was made from, as after strip or objcopy; or none, or one of
# its own contents.
# Behaviour: it has that of its input with the last bit inverted (16 to 23 are the same). So debug files and recordings of
# the input are not found by it, and two programs that were made of the same input by different profiles have the same
# one.
# What to do: invert the bit to find what belongs to the input; tell optimized programs apart by something else.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
unpack bolt-19=1:19.1.7-3~deb12u1 libllvm19=1:19.1.7-3~deb12u1
bin=$root/usr/lib/llvm-19/bin

cat >p.c <<'END'
#include <stdio.h>
__attribute__((noinline)) int half(int i)
{
    return i % 2 ? i / 2 : 3 * i;
}
int main(int count, char **words)
{
    (void)words;
    for (int i = 0; i < 100; i++)
        count += half(i);
    printf("%d\n", count);
    return 0;
}
END
id=00112233445566778899aabbccddeeff00112230
gcc -O1 -no-pie -fno-pie -Wl,-q -Wl,--build-id=0x$id p.c -o p || exit 2
printf '1 main 0 1 half 0 0 5\n' >calls.fdata
printf '1 main 0 1 half 0 0 5\n1 half 0 1 half 4 0 5\n' >jumps.fdata
# build_id PROGRAM
build_id() {
    readelf -n "$1" | awk '/Build ID/ { print $3 }'
}
for profile in calls jumps; do
    "$bin/llvm-bolt" p -data=$profile.fdata -reorder-blocks=ext-tsp -reorder-functions=hfsort -o $profile >log 2>&1 || exit 2
done
seen 'the build-id of the input is' $id "$(build_id p)"
seen 'of the program made by one profile' ${id%?}1 "$(build_id calls)"
seen 'and by another one' ${id%?}1 "$(build_id jumps)"
end
