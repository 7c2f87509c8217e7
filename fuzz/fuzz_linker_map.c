/*
 * What linkers write of the members that they take (lib/fdo/linker_map.h). Claims: a word that ends in "NAME(MEMBER)" names
 * that member; what is in no byte of the map is not named.
 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "fdo/linker_map.h"
#include "harness.h"

const bool takes_several_files = false;

enum { LONGEST = 200 };

/* A word with one pair of parentheses, at its end, and without what else has a meaning. */
static void claim_named(const struct an_fdo_linker_map *map, const char *word, size_t length)
{
    char archive[LONGEST];
    const char *open = memchr(word, '(', length);
    size_t before = open ? (size_t)(open - word) : 0;
    if (!before || length >= LONGEST || word[length - 1] != ')' || memchr(word, '/', length) ||
        memchr(word, ':', length) || memchr(word, 0, length) ||
        memchr(open + 1, '(', length - before - 1) ||
        memchr(word, ')', length) != word + length - 1 || length - before < 3)
        return;
    memcpy(archive, word, before);
    archive[before] = 0;
    const char *member = open + 1;
    size_t size = length - before - 2;
    claim(an_fdo_linker_map_has(map, archive, false, member, size));
    claim(an_fdo_linker_map_has(map, archive, true, member, size));
}

static void claim_words(const struct an_fdo_linker_map *map, const char *text, size_t size)
{
    size_t start = 0;
    for (size_t at = 0; at <= size; at++) {
        if (at < size && !isspace((unsigned char)text[at]))
            continue;
        if (at < size && at > start)
            claim_named(map, text + start, at - start);
        start = at + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char nobody[] = "nobody.o";
    struct an_fdo_linker_map map;
    char *copy = malloc(size ? size : 1); /* its end is where a sanitizer looks */
    claim(copy);
    if (size)
        memcpy(copy, bytes, size);
    struct an_bytes file = {(const uint8_t *)copy, size};
    if (an_fdo_linker_map_read_bytes(&map, file)) {
        claim_words(&map, copy, size);
        if (!memmem(copy, size, nobody, sizeof nobody - 1))
            claim(!an_fdo_linker_map_has(&map, "libx.a", false, nobody, sizeof nobody - 1) &&
                  !an_fdo_linker_map_has(&map, "libx.a", true, nobody, sizeof nobody - 1));
    }
    an_fdo_linker_map_free(&map);
    free(copy);
    return 0;
}
