/* Decoding a line of uuencode; see uu.h. */
#include "console/uu.h"

#include <string.h>

#include "base/bytes.h"
#include "console/line.h"

enum { VALUE = 0x3f, BACK_QUOTE = 0x100, BLANK = 0x200, WRONG = 0x8000 };

#define WRONG_4 WRONG, WRONG, WRONG, WRONG
#define WRONG_16 WRONG_4, WRONG_4, WRONG_4, WRONG_4
#define RIGHT_4(n) (n), (n) + 1, (n) + 2, (n) + 3
#define RIGHT_16(n) RIGHT_4(n), RIGHT_4((n) + 4), RIGHT_4((n) + 8), RIGHT_4((n) + 12)

static const uint16_t meaning[256] = {
    WRONG_16,
    WRONG_16, /* control characters */
    BLANK,
    1,
    2,
    3,
    RIGHT_4(4), /* ' ' */
    RIGHT_4(8),
    RIGHT_4(12), /* '(' */
    RIGHT_16(16),
    RIGHT_16(32),
    RIGHT_16(48), /* '0' to '_' */
    BACK_QUOTE,
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

#define EACH(byte) ((byte) * 0x0101010101010101u)

/* Three bytes, the high one first, and one more that the next ones replace. */
static void put_24(uint8_t *to, uint32_t value)
{
    uint32_t bytes = AN_HOST_BIG ? value << 8 : __builtin_bswap32(value << 8);
    memcpy(to, &bytes, 4);
}

/*
 * Two groups of four at once, in the bytes of a word: each character less 0x20 must be at most 0x40. The six
 * bits of neighbours are put together, twice.
 */
static unsigned decode_two_groups(const char *text, uint8_t *to)
{
    uint64_t each = an_get64(text, false) - EACH(0x20);
    uint64_t wrong = (each | (each + EACH(0x3f))) & EACH(0x80);
    uint64_t blank = (each - EACH(1)) & ~each & EACH(0x80);
    uint64_t six = each & EACH(0x3f);
    uint64_t twelve = (six & 0x003f003f003f003fu) << 6 | (six >> 8 & 0x003f003f003f003fu);
    uint64_t all = (twelve & 0x00000fff00000fffu) << 12 | (twelve >> 16 & 0x00000fff00000fffu);
    put_24(to, (uint32_t)all);
    put_24(to + 3, (uint32_t)(all >> 32));
    return (wrong ? WRONG : 0) | (each & EACH(0x40) ? BACK_QUOTE : 0) | (blank ? BLANK : 0);
}

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
    for (; groups > 1; groups -= 2, text += 8, to += 6)
        all |= decode_two_groups(text, to);
    return groups ? all | decode_group(text, to) : all;
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
    unsigned first = size ? meaning[(uint8_t)text[0]] : BLANK;
    *line = (struct an_uu){.count = first & VALUE};
    if (first & WRONG || line->count > AN_UU_FULL)
        return false;
    if (line->count == 0) {
        line->has_back_quote = first & BACK_QUOTE;
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
    unsigned all = decode_groups(from, groups, line->bytes);
    if (all & WRONG)
        return false;
    line->has_back_quote = all & BACK_QUOTE;
    line->has_blank = line->lost ? size > 1 && memchr(text + 1, ' ', size - 1) : all & BLANK;
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
