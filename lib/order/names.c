/*
 * Names. What GCC and clang add begins with a full stop, and ends with numbers: "f.constprop.0.isra.1".
 * (GCC: clone_function_name in cgraphclones.cc; LLVM: ".llvm." by ThinLTO's promotion, ".__uniq." by
 * -funique-internal-linkage-names, ".specialized." by function specialisation.)
 */
#include "order/names.h"

#include <ctype.h>
#include <string.h>

static const char *const added[] = {
    "constprop", "isra",       "part",  "lto_priv",    "llvm",     "__uniq",
    "simdclone", "localalias", "clone", "specialized", "resolver", "outlined",
};

static bool is_number(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isdigit((unsigned char)word[i]))
            return false;
    return length;
}

static bool is_added(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        if (strlen(added[i]) == length && memcmp(added[i], word, length) == 0)
            return true;
    return false;
}

/* Takes words off the end: a number only with the word in front of it. */
size_t an_name_stem(const char *symbol, size_t length)
{
    size_t stem = length, end = length;
    while (end) {
        const char *stop = memrchr(symbol, '.', end);
        if (!stop || stop == symbol)
            break;
        size_t word = end - (size_t)(stop + 1 - symbol);
        end = (size_t)(stop - symbol);
        if (is_added(stop + 1, word))
            stem = end;
        else if (!is_number(stop + 1, word))
            break;
    }
    return stem;
}

size_t an_name_hot_length(const char *symbol, size_t length)
{
    static const char mark[] = ".cold";
    const size_t size = sizeof mark - 1;
    for (size_t at = 1; at + size <= length; at++) /* a name that begins with it is no part */
        if (memcmp(symbol + at, mark, size) == 0 &&
            (at + size == length || symbol[at + size] == '.'))
            return at;
    return length;
}

bool an_name_is_cold(const char *symbol)
{
    size_t length = strlen(symbol);
    return an_name_hot_length(symbol, length) < length;
}

/* The part of a path in front of `end`: where it begins. */
static const char *last_part(const char *path, const char *end)
{
    const char *slash = memrchr(path, '/', (size_t)(end - path));
    return slash ? slash + 1 : path;
}

static bool is_relative(const char *part, size_t length)
{
    return (length == 1 && part[0] == '.') || (length == 2 && memcmp(part, "..", 2) == 0);
}

bool an_name_same_file(const char *one, const char *other)
{
    const char *end = one + strlen(one), *other_end = other + strlen(other);
    for (;;) {
        const char *part = last_part(one, end), *other_part = last_part(other, other_end);
        size_t length = (size_t)(end - part), other_length = (size_t)(other_end - other_part);
        if (is_relative(part, length) || is_relative(other_part, other_length))
            return true;
        if (length != other_length || memcmp(part, other_part, length) != 0)
            return false;
        if (part == one || other_part == other)
            return true;
        end = part - 1;
        other_end = other_part - 1;
    }
}
