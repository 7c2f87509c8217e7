/* See linker_map.h. */
#include "fdo/linker_map.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/file.h"

static bool add(struct an_fdo_linker_map *map, const uint8_t *word, size_t length)
{
    bool is_new;
    return an_map_insert(&map->words, XXH64(word, length, 0), &is_new) != NULL;
}

/* Where the section's name begins, which lld and mold put behind what it is of. */
static bool is_section(const uint8_t *at, const uint8_t *end)
{
    return at[0] == ':' && end - at > 1 && at[1] == '(';
}

bool an_fdo_linker_map_read_bytes(struct an_fdo_linker_map *map, struct an_bytes bytes)
{
    const uint8_t *at = bytes.data, *end = at + bytes.size, *start = NULL;
    bool fits = true;
    *map = (struct an_fdo_linker_map){0};
    for (; fits && at < end; at++) {
        bool is_end = isspace(*at) || is_section(at, end);
        if (is_end && start && at > start)
            fits = add(map, start, (size_t)(at - start));
        if (is_end)
            start = isspace(*at) ? at + 1 : NULL;
        else if (*at == '/' && start)
            start = at + 1;
    }
    return fits;
}

bool an_fdo_linker_map_read(struct an_fdo_linker_map *map, const char *path)
{
    struct an_error ignored;
    struct an_file file = {0};
    *map = (struct an_fdo_linker_map){0};
    bool is_read = an_file_load(&file, path, &ignored) == AN_OK &&
                   an_fdo_linker_map_read_bytes(map, file.bytes);
    an_file_close(&file);
    return is_read;
}

static bool has_space(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (isspace((unsigned char)text[i]))
            return true;
    return false;
}

static bool has(const struct an_fdo_linker_map *map, const char *before, const char *member,
                size_t length, const char *behind)
{
    char word[PATH_MAX];
    int size = snprintf(word, sizeof word, "%s%.*s%s", before, (int)length, member, behind);
    return size < 0 || size >= PATH_MAX ||
           an_map_find(&map->words, XXH64(word, (size_t)size, 0)) != NULL;
}

bool an_fdo_linker_map_has(const struct an_fdo_linker_map *map, const char *archive, bool is_thin,
                           const char *member, size_t length)
{
    char before[PATH_MAX];
    const char *name = an_file_name(archive), *slash = memrchr(member, '/', length);
    if (length >= PATH_MAX || has_space(name, strlen(name)) || has_space(member, length) ||
        snprintf(before, sizeof before, "%s(", name) >= PATH_MAX)
        return true;
    if (!is_thin)
        return has(map, before, member, length, ")");
    if (slash) {
        length -= (size_t)(slash + 1 - member);
        member = slash + 1;
    }
    return has(map, before, member, length, ")") || has(map, "", member, length, ")") ||
           has(map, "", member, length, "");
}

void an_fdo_linker_map_free(struct an_fdo_linker_map *map)
{
    an_map_free(&map->words);
}
