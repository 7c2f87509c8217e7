/* Names of sources: which of those that compilers were given mean the same file, and where it is. */
#ifndef AN_GCC_SOURCES_H
#define AN_GCC_SOURCES_H

#include "base/map.h"
#include "base/vector.h"

/* A source, by the name that makes it one: its path, or what the compiler called it. */
struct an_source_name {
    const char *name, *path;
};

struct an_source_names {
    bool by_name;       /* as gcov has it */
    const char *folder; /* names are relative to this one, if they can be; may be NULL */
    struct an_arena arena;
    struct an_names paths;
    struct {
        AN_VECTOR(struct an_source_name);
    } items; /* numbered as in paths */
};

/*
 * The number of a source as a compiler called it that ran in `folder` ("": it does not say). SIZE_MAX when
 * memory runs out.
 */
size_t an_source_number(struct an_source_names *sources, const char *called, const char *folder);
void an_source_names_free(struct an_source_names *sources);

#endif
