#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A computed goto in a position-independent program, and llvm-bolt.
#
# Version: bolt-19 1:19.1.7-3~deb12u1, beside bolt-22 1:22.1.8-1~deb12u1.
# Likely guess: a function that llvm-bolt cannot rewrite is left as it is, with a warning, and all others are optimized; and if
# position-independent code is fine in general (Debian's own programs are), an interpreter's loop in it is, too.
# Behaviour: the table of labels (&&label) needs relocations by the loader, and one such function ends llvm-bolt 19 for the whole
# program: "unable to get new address", status 1, without any option for optimizing, and also when that function never ran. An
# output file that cannot be run stays behind. The same source without -fPIE and -pie is rewritten, and so is the
# program with that function among --skip-funcs. llvm-bolt 22 rewrites all three.
# What to do: llvm-bolt 22; or link the program with -no-pie; or --skip-funcs, which leaves an interpreter's hottest function out.
# shellcheck source=findings/packages.bash
. "$(dirname "$0")/packages.bash"
unpack bolt-19=1:19.1.7-3~deb12u1 libllvm19=1:19.1.7-3~deb12u1 bolt-22=1:22.1.8-1~deb12u1 libllvm22=1:22.1.8-1~deb12u1

cat >p.c <<'END'
__attribute__((noinline)) int run(const unsigned char *code)
{
    static const void *const labels[] = {&&add, &&twice, &&end};
    int value = 1;
    goto *labels[*code++];
add:
    value += 3;
    goto *labels[*code++];
twice:
    value *= 2;
    goto *labels[*code++];
end:
    return value;
}
int main(int argc, char **argv)
{
    (void)argv;
    const unsigned char code[] = {0, 1, 1, 0, (unsigned char)argc, 2};
    return run(code) == 0;
}
END
gcc -O2 -fPIE -pie -Wl,-q p.c -o movable || exit 2
gcc -O2 -fno-pie -no-pie -Wl,-q p.c -o fixed || exit 2

# rewrites VERSION PROGRAM [OPTION]: what comes of it
rewrites() {
    local version=$1 program=$2
    shift 2
    rm -f out
    if "$root/usr/lib/llvm-$version/bin/llvm-bolt" "$program" -o out "$@" >log 2>&1; then
        ./out && echo 'a program that runs'
    else
        grep -o 'unable to get new address' log
        [ -x out ] || echo 'no program'
    fi | paste -sd ',' | sed 's/,/, /g'
}
seen '19, position-independent' 'unable to get new address, no program' "$(rewrites 19 movable)"
seen '19, that function skipped' 'a program that runs' "$(rewrites 19 movable --skip-funcs=run)"
seen '19, not position-independent' 'a program that runs' "$(rewrites 19 fixed)"
seen '22, position-independent' 'a program that runs' "$(rewrites 22 movable)"
end
