/* Reading factors; see factors.h. */
#include "factors.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/command.h"

/* So that products of two fit into 64 bits. */
enum { MOST = 1 << 30 };

struct fraction {
    uint64_t numerator, denominator;
};

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool add_digit(uint64_t *number, char digit)
{
    *number = 10 * *number + (uint64_t)(digit - '0');
    return *number <= MOST;
}

static bool read_digits(const char **text, uint64_t *number)
{
    const char *start = *text;
    for (; isdigit((unsigned char)**text); ++*text)
        if (!add_digit(number, **text))
            return false;
    return *text > start;
}

/* 3, 0.25 or 2/3 */
static bool read_one(const char **text, struct fraction *fraction)
{
    *fraction = (struct fraction){0, 1};
    if (!read_digits(text, &fraction->numerator))
        return false;
    if (**text == '/') {
        ++*text;
        fraction->denominator = 0;
        if (!read_digits(text, &fraction->denominator))
            return false;
    } else if (**text == '.') {
        const char *point = ++*text;
        if (!read_digits(text, &fraction->numerator) || *text - point > 9)
            return false;
        for (; point < *text; point++)
            fraction->denominator *= 10;
    }
    return fraction->numerator > 0 && fraction->denominator > 0;
}

/* Brings all of them, and 1, to one denominator. The factor for those without one comes last. */
static bool make_whole(struct factors *factors, const struct fraction *fractions)
{
    uint64_t denominator = 1;
    for (size_t i = 0; i < factors->count; i++) {
        uint64_t divisor = common_divisor(fractions[i].numerator, fractions[i].denominator);
        uint64_t part = fractions[i].denominator / divisor;
        denominator = denominator / common_divisor(denominator, part) * part;
        if (denominator > MOST)
            return false;
    }
    for (size_t i = 0; i < factors->count; i++)
        factors->items[i] = fractions[i].numerator * denominator / fractions[i].denominator;
    factors->items[factors->count] = denominator;
    factors->were_fractions = denominator > 1;
    return true;
}

bool factors_parse(struct factors *factors, const char *text)
{
    size_t most = 2;
    for (const char *c = text; *c; c++)
        most += *c == ':';
    struct fraction *fractions = calloc(most, sizeof *fractions);
    *factors = (struct factors){.items = calloc(most, sizeof *factors->items)};
    bool good = fractions && factors->items;
    for (const char *at = text; good; at++) {
        good = read_one(&at, &fractions[factors->count++]) && (*at == ':' || *at == '\0');
        if (good && *at == '\0')
            break;
    }
    good = good && make_whole(factors, fractions);
    free(fractions);
    if (!good)
        say_error("'%s': expected factors such as 3:1:0.5 or 1/3, above 0 and at most %d", text,
                  MOST);
    return good;
}

void factors_free(struct factors *factors)
{
    free(factors->items);
}

uint64_t factors_of(const struct factors *factors, size_t run)
{
    if (!factors->items)
        return 1;
    return factors->items[run < factors->count ? run : factors->count];
}
