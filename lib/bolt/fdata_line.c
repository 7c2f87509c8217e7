/* Taking one line of fdata apart; see fdata_line.h. */
#include "bolt/fdata_line.h"

#include <string.h>

struct walk {
    const char *start, *at, *end;
    struct fdata_line *line;
};

static bool wrong(struct walk *walk, const char *wanted)
{
    walk->line->wrong_at = (size_t)(walk->at - walk->start);
    walk->line->wanted = wanted;
    return false;
}

/* One blank at least; more than one is allowed, but not how anneal writes it. */
static bool take_blanks(struct walk *walk)
{
    const char *from = walk->at;
    while (walk->at < walk->end && *walk->at == ' ')
        walk->at++;
    if (walk->at - from > 1)
        walk->line->plain = walk->line->canonical = false;
    return walk->at > from;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* As anneal and BOLT write it: in small letters, without zeros before it. */
static bool canonical_hex(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] >= 'A' && text[i] <= 'F')
            return false;
    return length == 1 || text[0] != '0';
}

static bool take_hex(struct walk *walk, uint64_t *value)
{
    const char *from = walk->at;
    int digit;
    *value = 0;
    while (walk->at < walk->end && (digit = hex_digit(*walk->at)) >= 0) {
        if (*value >> 60)
            return wrong(walk, "an offset of at most 64 bits");
        *value = *value << 4 | (unsigned)digit;
        walk->at++;
    }
    if (walk->at == from)
        return wrong(walk, "an offset, hexadecimal");
    if (!canonical_hex(from, (size_t)(walk->at - from)))
        walk->line->canonical = false;
    return true;
}

static bool take_decimal(struct walk *walk, uint64_t most, const char *wanted, uint64_t *value)
{
    const char *from = walk->at;
    *value = 0;
    for (; walk->at < walk->end && *walk->at >= '0' && *walk->at <= '9'; walk->at++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*walk->at - '0'), value))
            return wrong(walk, "a number of at most 64 bits");
    if (walk->at == from)
        return wrong(walk, wanted);
    if (*value > most) {
        walk->at = from;
        return wrong(walk, "a count below 2^63, the limit of llvm-bolt");
    }
    return true;
}

static bool take_name(struct walk *walk, struct an_fdata_location *location)
{
    location->name = walk->at;
    const char *blank = memchr(walk->at, ' ', (size_t)(walk->end - walk->at));
    size_t plain = (size_t)((blank ? blank : walk->end) - walk->at);
    if (!memchr(walk->at, '\\', plain))
        walk->at += plain;
    for (; walk->at < walk->end && *walk->at != ' '; walk->at++) {
        walk->at += *walk->at == '\\';
        if (walk->at == walk->end)
            return wrong(walk, "a character after the backslash");
    }
    location->name_length = (size_t)(walk->at - location->name);
    return location->name_length ? true : wrong(walk, "a name");
}

static bool take_location(struct walk *walk, char lowest, const char *wanted,
                          struct an_fdata_location *location)
{
    if (walk->at == walk->end || *walk->at < lowest || *walk->at > lowest + 2)
        return wrong(walk, wanted);
    location->kind = (uint8_t)(*walk->at++ - '0');
    if (!take_blanks(walk))
        return wrong(walk, "a space after the kind of location");
    if (!take_name(walk, location))
        return false;
    if (!take_blanks(walk))
        return wrong(walk, "an offset after the name");
    if (!take_hex(walk, &location->offset))
        return false;
    return take_blanks(walk) ? true : wrong(walk, "a space after the offset");
}

/* How long the line is up to here, without the blanks before here. */
static size_t length_so_far(const struct walk *walk)
{
    const char *end = walk->at;
    while (end > walk->start && end[-1] == ' ')
        end--;
    return (size_t)(end - walk->start);
}

/* The last number, and nothing but blanks behind it. */
static bool take_count(struct walk *walk, uint64_t most)
{
    struct fdata_line *line = walk->line;
    if (line->locations_length == 0)
        line->locations_length = length_so_far(walk);
    if (!take_decimal(walk, most, "a count, decimal", &line->record.count))
        return false;
    take_blanks(walk);
    return walk->at == walk->end ? true : wrong(walk, "the end of the line");
}

static bool take_branch(struct walk *walk, uint64_t most)
{
    struct an_fdata_record *record = &walk->line->record;
    if (!take_location(walk, '0', "0, 1 or 2 (the kind of the branch's target)", &record->to))
        return false;
    walk->line->locations_length = length_so_far(walk);
    if (!take_decimal(walk, most, "a number of mispredictions, decimal", &record->mispreds))
        return false;
    if (!take_blanks(walk))
        return wrong(walk, "a space after the mispredictions");
    return take_count(walk, most);
}

bool an_fdata_line_parse(const char *text, size_t length, bool no_lbr, uint64_t most,
                         struct fdata_line *line)
{
    struct walk walk = {text, text, text + length, line};
    struct an_fdata_record *record = &line->record;
    *line = (struct fdata_line){.canonical = true, .plain = true};
    bool memory = length && *text >= '3' && *text <= '5';
    record->kind = memory ? AN_FDATA_MEMORY : no_lbr ? AN_FDATA_SAMPLE : AN_FDATA_BRANCH;
    if (!take_location(&walk, memory ? '3' : '0',
                       "a line that begins with 0 to 5 (the kind of a location)", &record->from))
        return false;
    if (memory)
        return take_location(&walk, '3', "3, 4 or 5 (the kind of the address)", &record->to) &&
               take_count(&walk, most);
    return no_lbr ? take_count(&walk, most) : take_branch(&walk, most);
}

struct an_fdata_location an_fdata_location_decode(const char **text, const char *end)
{
    struct fdata_line unused;
    struct walk walk = {*text, *text, end, &unused};
    struct an_fdata_location location = {.kind = (uint8_t)(*walk.at++ - '0')};
    take_blanks(&walk);
    take_name(&walk, &location);
    take_blanks(&walk);
    take_hex(&walk, &location.offset);
    take_blanks(&walk);
    *text = walk.at;
    return location;
}

size_t an_fdata_unescape(const char *name, size_t length, char *plain)
{
    size_t size = 0;
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '\\' && i + 1 < length)
            i++;
        plain[size++] = name[i];
    }
    return size;
}
