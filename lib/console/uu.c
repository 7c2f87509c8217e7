/* Decoding a line of uuencode; see uu.h. */
#include "console/uu.h"

#include <string.h>

#include "base/bytes.h"
#include "console/line.h"

enum { VALUE = 0x3f, WRONG = AN_UU_WRONG };

#define WRONG_4 WRONG, WRONG, WRONG, WRONG
#define WRONG_16 WRONG_4, WRONG_4, WRONG_4, WRONG_4
#define RIGHT_4(n) (n), (n) + 1, (n) + 2, (n) + 3
#define RIGHT_16(n) RIGHT_4(n), RIGHT_4((n) + 4), RIGHT_4((n) + 8), RIGHT_4((n) + 12)

static const uint16_t meaning[256] = {
    WRONG_16,
    WRONG_16, /* control characters */
    AN_UU_BLANK,
    1,
    2,
    3,
    RIGHT_4(4), /* ' ' */
    RIGHT_4(8),
    RIGHT_4(12), /* '(' */
    RIGHT_16(16),
    RIGHT_16(32),
    RIGHT_16(48), /* '0' to '_' */
    AN_UU_BACK_QUOTE,
    WRONG,
    WRONG,
    WRONG,
    WRONG_4,
    WRONG_4,
    WRONG_4, /* '`', a to o */
    WRONG_16,
    WRONG_16,
    WRONG_16,
    WRONG_16,
    WRONG_16,
    WRONG_16,
    WRONG_16,
    WRONG_16,
    WRONG_16,
};

static unsigned decode_group(const char *text, uint8_t *to)
{
    unsigned a = meaning[(uint8_t)text[0]], b = meaning[(uint8_t)text[1]];
    unsigned c = meaning[(uint8_t)text[2]], d = meaning[(uint8_t)text[3]];
    to[0] = (uint8_t)(a << 2 | (b & VALUE) >> 4);
    to[1] = (uint8_t)(b << 4 | (c & VALUE) >> 2);
    to[2] = (uint8_t)(c << 6 | (d & VALUE));
    return a | b | c | d;
}

/* Decodes groups of four; returns all their meanings put together. */
static unsigned decode_groups(const char *text, size_t groups, uint8_t *to)
{
    unsigned all = 0;
    for (; groups; groups--, text += 4, to += 3)
        all |= decode_group(text, to);
    return all;
}

typedef uint8_t bytes_16 __attribute__((vector_size(16)));
typedef uint16_t pairs_8 __attribute__((vector_size(16)));
typedef uint32_t groups_4 __attribute__((vector_size(16)));
typedef uint64_t words_2 __attribute__((vector_size(16)));

static bool is_any(bytes_16 bytes)
{
    words_2 words = (words_2)bytes;
    return (words[0] | words[1]) != 0;
}

/*
 * Four groups of four at once: the six bits of neighbours are put together, then the twelve of pairs, then
 * the 24 of groups. Writes 12 bytes, and two more that the next ones replace.
 */
static bytes_16 decode_four_groups(const char *text, uint8_t *to)
{
    bytes_16 each;
    memcpy(&each, text, sizeof each);
    each -= 0x20;
    pairs_8 six = (pairs_8)(each & VALUE);
    groups_4 twelve = (groups_4)((six << 6 | six >> 8) & 0xfff);
    words_2 group = (words_2)((twelve << 12 | twelve >> 16) & 0xffffff);
    words_2 all = (group << 24 | group >> 32) << 16;
    for (size_t i = 0; i < 2; i++) {
        uint64_t word = __builtin_bswap64(all[i]);
        memcpy(to + 6 * i, &word, sizeof word);
    }
    return each;
}

unsigned an_uu_decode_whole(const char *text, uint8_t *to)
{
    static const unsigned char at[] = {0, 16, 32, 44}; /* the last ones twice */
    bytes_16 any = {0}, above = {0}, blank = {0};
    if (AN_HOST_BIG)
        return decode_groups(text, AN_UU_FULL / 3, to);
    for (size_t i = 0; i < 4; i++) {
        bytes_16 each = decode_four_groups(text + at[i], to + at[i] / 4 * 3);
        any |= each;
        above |= each + 0x3f; /* from 0x80 on: it was above 0x40 */
        blank |= (bytes_16)(each == 0);
    }
    return (is_any((any | above) & 0x80) ? AN_UU_WRONG : 0) |
           (is_any(any & 0x40) ? AN_UU_BACK_QUOTE : 0) | (is_any(blank) ? AN_UU_BLANK : 0);
}

static bool is_sum(const struct an_uu *line, char extra)
{
    unsigned sum = 0;
    for (size_t i = 0; i < line->count; i++)
        sum += line->bytes[i];
    return (meaning[(uint8_t)extra] & VALUE) == (sum & VALUE);
}

/* What is behind the groups: nothing, blanks, or one character. */
static bool take_extra(struct an_uu *line, const char *text, size_t size)
{
    size_t left = an_trimmed(text, size);
    if (left == 0)
        return true;
    line->has_extra = true;
    line->extra_is_sum = is_sum(line, text[0]);
    return left == 1;
}

bool an_uu_decode(const char *text, size_t size, struct an_uu *line)
{
    unsigned first = size ? meaning[(uint8_t)text[0]] : AN_UU_BLANK;
    *line = (struct an_uu){.count = first & VALUE};
    if (first & WRONG || line->count > AN_UU_FULL)
        return false;
    if (line->count == 0) {
        line->has_back_quote = first & AN_UU_BACK_QUOTE;
        return an_trimmed(text, size) <= (line->has_back_quote != 0);
    }
    size_t groups = (line->count + 2) / 3, needed = 4 * groups;
    char padded[64];
    const char *from = text + 1;
    if (size - 1 < needed) {
        line->lost = needed - (size - 1);
        memset(padded, ' ', sizeof padded);
        memcpy(padded, from, size - 1);
        from = padded;
    }
    bool is_whole = line->count == AN_UU_FULL;
    unsigned all =
        is_whole ? an_uu_decode_whole(from, line->bytes) : decode_groups(from, groups, line->bytes);
    if (all & WRONG)
        return false;
    line->has_back_quote = all & AN_UU_BACK_QUOTE;
    line->has_blank = line->lost ? size > 1 && memchr(text + 1, ' ', size - 1) : all & AN_UU_BLANK;
    line->keeps_blank = !line->lost && from[needed - 1] == ' ';
    for (size_t i = line->count; i < 3 * groups; i++)
        line->has_filling |= line->bytes[i] != 0;
    return line->lost || take_extra(line, text + 1 + needed, size - 1 - needed);
}

bool an_uu_resembles(const char *text, size_t size)
{
    enum { SHORTEST = 20, ABOUT = 6, RARE = 8 };
    size_t wrong = 0;
    size = an_trimmed(text, size);
    for (size_t i = 0; i < size; i++)
        wrong += meaning[(uint8_t)text[i]] == WRONG;
    bool begins = size >= SHORTEST && text[0] == 'M';
    bool is_as_long = size + ABOUT >= AN_UU_FULL_TEXT && size <= AN_UU_FULL_TEXT + ABOUT;
    /* Its beginning, with a message behind it that got in between. */
    size_t head = 0;
    while (head < size && meaning[(uint8_t)text[head]] != WRONG)
        head++;
    return ((begins || is_as_long) && wrong * RARE <= size) || (begins && head >= SHORTEST);
}
