/*
 * What a linker has taken out of archives, by the map that it writes on request (-Map). It names what it took, and nothing
 * else, in every line that is about it:
 *
 *     GNU ld, gold         folder/libx.a(member.o)
 *     lld, mold            folder/libx.a(member.o):(.text.f)
 *     of a thin archive    folder/member.o (GNU ld), folder/libx.a(folder/member.o) (the others)
 */
#ifndef AN_FDO_LINKER_MAP_H
#define AN_FDO_LINKER_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/map.h"

struct an_fdo_linker_map {
    struct an_map words; /* hashes of what is behind the last slash of each word */
};

/* To be freed in any case. False: there is no such file, or no memory. */
bool an_fdo_linker_map_read(struct an_fdo_linker_map *map, const char *path);

/* The same of what is in the file. */
bool an_fdo_linker_map_read_bytes(struct an_fdo_linker_map *map, struct an_bytes bytes);

/* Whether it names that member of an archive. A name that has spaces, or is too long, is always there. */
bool an_fdo_linker_map_has(const struct an_fdo_linker_map *map, const char *archive, bool is_thin,
                           const char *member, size_t length);

void an_fdo_linker_map_free(struct an_fdo_linker_map *map);

#endif
