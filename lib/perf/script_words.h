/* Words and numbers of a line of text, for readers of text formats. */
#ifndef AN_PERF_SCRIPT_WORDS_H
#define AN_PERF_SCRIPT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line that is being read: what is left of it. */
struct words {
    const char *at;
    const char *end;
};

struct word {
    const char *at; /* NULL: none was left */
    const char *end;
};

static inline void words_skip_spaces(struct words *words)
{
    while (words->at < words->end && (*words->at == ' ' || *words->at == '\t'))
        words->at++;
}

/* The next word, which words then stand behind. */
static inline struct word words_next(struct words *words)
{
    words_skip_spaces(words);
    struct word word = {words->at, words->at};
    while (words->at < words->end && *words->at != ' ' && *words->at != '\t')
        words->at++;
    word.end = words->at;
    if (word.at == word.end)
        word.at = NULL;
    return word;
}

static inline struct word words_peek(const struct words *words)
{
    struct words copy = *words;
    return words_next(&copy);
}

/* The value of a hexadecimal digit, and 1; 0 for what is none. A table, since whether a digit is a
 * letter cannot be predicted. */
static const uint8_t hex_and_1[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* Above 15 when it is none. */
static inline unsigned hex_digit(char c)
{
    return (unsigned)hex_and_1[(uint8_t)c] - 1;
}

/* A number at words->at, which is then left behind. False when there is none, or when it does not
 * fit into 64 bits. */
static inline bool take_hex(struct words *words, uint64_t *value)
{
    const char *at = words->at;
    uint64_t number = 0;
    unsigned digit;
    for (; at < words->end && (digit = hex_and_1[(uint8_t)*at]) != 0; at++) {
        if (number >> 60)
            return false;
        number = number << 4 | (digit - 1);
    }
    bool found = at > words->at;
    words->at = at;
    *value = number;
    return found;
}

static inline bool take_decimal(struct words *words, uint64_t *value)
{
    const char *start = words->at;
    *value = 0;
    for (; words->at < words->end && *words->at >= '0' && *words->at <= '9'; words->at++)
        if (__builtin_mul_overflow(*value, (uint64_t)10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*words->at - '0'), value))
            return false;
    return words->at > start;
}

static inline bool take_char(struct words *words, char c)
{
    if (words->at == words->end || *words->at != c)
        return false;
    words->at++;
    return true;
}

static inline bool take_text(struct words *words, const char *text)
{
    const char *at = words->at;
    for (; *text; text++, at++)
        if (at == words->end || *at != *text)
            return false;
    words->at = at;
    return true;
}

/* 0x and a hexadecimal number; 0 may stand without 0x, as printf("%#x") prints it. */
static inline bool take_prefixed_hex(struct words *words, uint64_t *value)
{
    take_text(words, "0x");
    return take_hex(words, value);
}

/* SECONDS.FRACTION: with six or nine digits of fraction. */
static inline bool is_time(struct word word, uint64_t *nanoseconds)
{
    struct words words = {word.at, word.end};
    uint64_t seconds, fraction;
    if (!word.at || !take_decimal(&words, &seconds) || !take_char(&words, '.'))
        return false;
    const char *start = words.at;
    if (!take_decimal(&words, &fraction))
        return false;
    size_t digits = (size_t)(words.at - start);
    if (!take_char(&words, ':') || words.at != words.end || (digits != 6 && digits != 9))
        return false;
    if (digits == 6)
        fraction *= 1000;
    return !__builtin_mul_overflow(seconds, (uint64_t)1000000000, nanoseconds) &&
           !__builtin_add_overflow(*nanoseconds, fraction, nanoseconds);
}

#endif
