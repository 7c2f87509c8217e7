/*
 * What every unit test includes. A test program runs one group of cmocka cases and reports them in
 * TAP, the format that meson and tests/run count.
 */
#ifndef AN_TEST_H
#define AN_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* gcc says it one way, clang the other. */
#if defined(__SANITIZE_ADDRESS__)
#define WITH_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ADDRESS_SANITIZER 1
#endif
#endif

/* The body of main() in a test program. */
#define RUN_TESTS(tests)                                                                           \
    (cmocka_set_message_output(CM_OUTPUT_TAP), cmocka_run_group_tests(tests, NULL, NULL))

/*
 * Each case belongs to one of two tiers, "check" and "long" (tests/README.md). TIER says which cases this
 * run takes; without it, all.
 */
static inline bool takes_tier(const char *name)
{
    const char *wanted = getenv("TIER");
    return !wanted || !*wanted || strcmp(wanted, name) == 0;
}

/* Whether bounds on time, and shares of it, are judged. */
static inline bool in_long_tier(void)
{
    return takes_tier("long");
}

/* Fails the case with a message unless the condition holds. */
#define check(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_error("%s:%d: %s: ", __FILE__, __LINE__, #condition);                            \
            print_error(__VA_ARGS__);                                                              \
            print_error("\n");                                                                     \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

/* Numbers that are random enough and the same in every run (xorshift64*, S. Vigna). */
static inline uint64_t next_number(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

static inline uint64_t number_below(uint64_t *state, uint64_t end)
{
    return next_number(state) % end;
}

#endif
