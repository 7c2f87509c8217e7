#!/usr/bin/env bash
# Makes the small binaries in binaries/: with switch tables, landing pads, symbols of all kinds,
# static relocations and a PLT, and small enough to be damaged thousands of times.
# Needs gcc 12 and GNU ld.
set -euo pipefail
cd "$(dirname "$0")/binaries"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/one.c" <<'EOP'
extern int outside(int), other(int);
extern volatile int data[];
__attribute__((noinline)) static int helper(int x) { return x & 1 ? x * 3 : x / 2; }
int choose(int x)
{
    switch (x) {
    case 0: return helper(x) + 1;
    case 1: return outside(x);
    case 2: return data[3];
    case 3: data[1] = x; return 9;
    case 4: return other(x);
    case 5: return helper(helper(x));
    case 6: x++; __attribute__((fallthrough));
    default: return x;
    }
}
int go(const unsigned char *code, int x)
{
    static void *const steps[] = {&&add, &&sub, &&stop};
    goto *steps[*code++];
add: x++; goto *steps[*code++];
sub: x -= data[0]; goto *steps[*code++];
stop: return x;
}
static void leave(int *x) { data[*x & 3] = 0; }
int guarded(int x)
{
    int y __attribute__((cleanup(leave))) = x;
    outside(y);
    if (__builtin_expect(x == 12345, 0)) { other(1); other(2); other(3); }
    return outside(x) + y;
}
int volatile data[8];
__asm__(".globl nosize\n.type nosize,@function\nnosize: lock incl (%rdi)\n1: loop 1b\njmp choose\n"
        "plain: ret\n.size plain2,4\n.type plain2,@function\nplain2: nop\nnop\nnop\nret");
EOP
cat >"$work/two.c" <<'EOP'
__attribute__((noinline)) static int helper(int x) { return x & 2 ? -x : x ^ 5; }
int outside(int x) { return helper(x) + 1; }
__attribute__((weak)) int other(int x) { return helper(x); }
int alias(int) __attribute__((alias("outside")));
void _start(void) { other(outside(3)); for (;;) ; }
void __gcc_personality_v0(void) {}
void _Unwind_Resume(void) {}
EOP
cd "$work"
flags=(-O2 -g0 -fexceptions -fcf-protection=none "-ffile-prefix-map=$work=.")
gcc "${flags[@]}" -fno-pie -c one.c two.c
gcc -no-pie -nostdlib -static -Wl,-q -Wl,--build-id -Wl,-z,max-page-size=4096 -Wl,-z,noseparate-code one.o two.o -o "$OLDPWD/fixed"
gcc "${flags[@]}" -fPIC -c one.c two.c
gcc -shared -nostdlib -Wl,--build-id -Wl,-z,max-page-size=4096 -Wl,-z,noseparate-code one.o two.o -o "$OLDPWD/shared"
ls -l "$OLDPWD"
