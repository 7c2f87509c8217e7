/*
 * Computations whose results are known, in registers of all kinds. x86-64 only. They rest now and
 * then, so that there is time for all.
 */
#include <fenv.h>
#include <immintrin.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/undisturbed/ward.h"

static void rest(struct ward *ward)
{
    beat(ward);
    usleep(8000);
}

__attribute__((noinline)) static uint64_t checksum(uint64_t value)
{
    for (unsigned i = 0; i < 50000; i++) {
        value = value << 7 ^ value >> 9 ^ i;
        switch (value % 5) {
        case 0:
            value += 3;
            break;
        case 1:
            value *= 5;
            break;
        case 2:
            value ^= value >> 33;
            break;
        default:
            value = ~value;
        }
    }
    return value;
}

static void run_checksum(struct ward *ward)
{
    volatile uint64_t seed = 42;
    uint64_t expected = checksum(seed);
    for (; !is_ending(); rest(ward))
        if (checksum(seed) != expected)
            disturbed(ward, "a wrong checksum");
}

/* The result is kept on the processor's stack, with all its 80 bits, over many instructions. */
static void series(unsigned char *result)
{
    memset(result, 0, 16);
    __asm__ volatile("fldpi\n"
                     "fld1\n"
                     "movl $3000, %%ecx\n"
                     "1: fadd %%st(1), %%st\n"
                     "fsqrt\n"
                     "fxch\n"
                     "fadd %%st(1), %%st\n"
                     "fxch\n"
                     "decl %%ecx\n"
                     "jnz 1b\n"
                     "faddp\n"
                     "fstpt %0"
                     : "+m"(*(unsigned char(*)[16])result)
                     :
                     : "ecx", "cc", "st", "st(1)", "st(2)");
}

static void run_x87(struct ward *ward)
{
    unsigned char expected[16], result[16];
    for (series(expected); !is_ending(); rest(ward)) {
        series(result);
        if (memcmp(result, expected, sizeof result) != 0)
            disturbed(ward, "a wrong result");
    }
}

__attribute__((target("avx2"))) static void mix_wide(uint64_t *result)
{
    __m256i a = _mm256_set_epi64x(1, 2, 3, 4), b = _mm256_set_epi64x(5, 6, 7, 8);
    for (unsigned i = 0; i < 20000; i++) {
        a = _mm256_add_epi64(_mm256_xor_si256(a, _mm256_slli_epi64(b, 7)), b);
        b = _mm256_permute4x64_epi64(_mm256_add_epi64(b, _mm256_srli_epi64(a, 9)), 0x39);
    }
    _mm256_storeu_si256((__m256i *)result, _mm256_xor_si256(a, b));
}

static void mix_narrow(uint64_t *result)
{
    __m128i a = _mm_set_epi64x(1, 2), b = _mm_set_epi64x(3, 4);
    for (unsigned i = 0; i < 20000; i++) {
        a = _mm_add_epi64(_mm_xor_si128(a, _mm_slli_epi64(b, 7)), b);
        b = _mm_shuffle_epi32(_mm_add_epi64(b, _mm_srli_epi64(a, 9)), 0x4e);
    }
    _mm_storeu_si128((__m128i *)result, _mm_xor_si128(a, b));
}

static void run_vectors(struct ward *ward)
{
    void (*mix)(uint64_t *) = __builtin_cpu_supports("avx2") ? mix_wide : mix_narrow;
    uint64_t expected[4] = {0}, result[4] = {0};
    for (mix(expected); !is_ending(); rest(ward)) {
        mix(result);
        if (memcmp(result, expected, sizeof result) != 0)
            disturbed(ward, "a wrong result");
    }
}

/* The way of rounding is part of a thread's state. */
static void run_rounding(struct ward *ward)
{
    volatile double one = 1, three = 3;
    fesetround(FE_UPWARD);
    double expected = one / three;
    for (; !is_ending(); rest(ward))
        for (unsigned i = 0; i < 5000; i++)
            if (one / three != expected || fegetround() != FE_UPWARD)
                disturbed(ward, "rounded wrongly");
}

/* ---- strings, forwards and backwards ---- */

enum { BIG = 1 << 20 };

static void fill(unsigned char *bytes, unsigned char value)
{
    size_t count = BIG;
    __asm__ volatile("rep stosb" : "+D"(bytes), "+c"(count) : "a"(value) : "memory");
}

static void copy(unsigned char *to, const unsigned char *from)
{
    size_t count = BIG;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

static void copy_backwards(unsigned char *to, const unsigned char *from)
{
    size_t count = BIG;
    to += BIG - 1;
    from += BIG - 1;
    __asm__ volatile("std\n"
                     "rep movsb\n"
                     "cld"
                     : "+D"(to), "+S"(from), "+c"(count)
                     :
                     : "memory", "cc");
}

static void run_strings(struct ward *ward)
{
    unsigned char *bytes = malloc(BIG), *copied = malloc(BIG), value = 0;
    if (!bytes || !copied)
        give_up("malloc");
    for (; !is_ending(); rest(ward), value++) {
        fill(bytes, value);
        bytes[value] ^= 1;
        (value % 2 ? copy : copy_backwards)(copied, bytes);
        if (memcmp(bytes, copied, BIG) != 0 || copied[value] == value || copied[BIG - 1] != value)
            disturbed(ward, "a wrong copy");
    }
    free(bytes);
    free(copied);
}

/* ---- control ---- */

static jmp_buf place;
static void jump(unsigned depth);
static void (*volatile deeper)(unsigned) = jump;

static void jump(unsigned depth)
{
    if (depth == 0)
        longjmp(place, 7);
    deeper(depth - 1);
}

static void run_jumps(struct ward *ward)
{
    for (; !is_ending(); rest(ward)) {
        for (volatile unsigned i = 0; i < 2000; i++) {
            int result = setjmp(place);
            if (result == 0)
                jump(i % 8);
            else if (result != 7)
                disturbed(ward, "longjmp: result %d", result);
        }
    }
}

/* Whoever steps a thread must not let it see, or put back, the trap flag. */
static void run_flags(struct ward *ward)
{
    for (; !is_ending(); rest(ward)) {
        for (unsigned i = 0; i < 5000; i++) {
            uint64_t flags;
            __asm__ volatile("subq $128, %%rsp\n"
                             "pushfq\n"
                             "popq %0\n"
                             "pushq %0\n"
                             "nop\n"
                             "popfq\n"
                             "addq $128, %%rsp"
                             : "=&r"(flags)
                             :
                             : "cc", "memory");
            if (flags & 0x100)
                disturbed(ward, "the trap flag is set");
        }
    }
}

/* The 128 bytes below the stack belong to the function that is running. */
static void run_red_zone(struct ward *ward)
{
    for (; !is_ending(); rest(ward)) {
        for (uint64_t i = 1; i < 2000; i++) {
            uint64_t sum = 0;
            __asm__ volatile("movq %1, -8(%%rsp)\n"
                             "movq %1, -64(%%rsp)\n"
                             "movq %1, -128(%%rsp)\n"
                             "movl $20, %%ecx\n"
                             "1: decl %%ecx\n"
                             "jnz 1b\n"
                             "addq -8(%%rsp), %0\n"
                             "addq -64(%%rsp), %0\n"
                             "addq -128(%%rsp), %0\n"
                             : "+r"(sum)
                             : "r"(i)
                             : "ecx", "cc", "memory");
            if (sum != 3 * i)
                disturbed(ward, "the stack has changed");
        }
    }
}

struct ward computations[] = {
    {.name = "checksum 1", .run = run_checksum},
    {.name = "checksum 2", .run = run_checksum},
    {.name = "x87", .run = run_x87},
    {.name = "vectors", .run = run_vectors},
    {.name = "rounding", .run = run_rounding},
    {.name = "strings", .run = run_strings},
    {.name = "jumps", .run = run_jumps},
    {.name = "flags", .run = run_flags},
    {.name = "red zone", .run = run_red_zone},
    {0},
};
