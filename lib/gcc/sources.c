/* Names of sources; see sources.h. */
#include "gcc/sources.h"

#include <stdio.h>
#include <string.h>

#include "base/path.h"

void an_source_names_free(struct an_source_names *sources)
{
    an_names_free(&sources->paths);
    an_arena_free(&sources->arena);
    an_vector_free(&sources->items);
}

/* A path below the folder has a name relative to it. */
static const char *name_of(const struct an_source_names *sources, const char *path)
{
    size_t size = sources->folder ? strlen(sources->folder) : 0;
    bool is_below = size > 0 && strncmp(path, sources->folder, size) == 0 && path[size] == '/';
    return is_below && path[size + 1] ? path + size + 1 : path;
}

static size_t number_of(struct an_source_names *sources, const char *path)
{
    bool is_new;
    size_t number = an_names_insert(&sources->paths, path, strlen(path), &is_new);
    if (number == AN_NO_NAME || !is_new)
        return number;
    struct an_source_name *source = an_vector_push(&sources->items);
    if (!source)
        return SIZE_MAX;
    *source = (struct an_source_name){sources->by_name ? path : name_of(sources, path), path};
    return number;
}

size_t an_source_number(struct an_source_names *sources, const char *called, const char *folder)
{
    bool joins = !sources->by_name && *called != '/' && *folder;
    size_t size = strlen(called) + (joins ? strlen(folder) + 1 : 0);
    char *joined = an_arena_alloc(&sources->arena, size + 1, 1);
    char *canonical = an_arena_alloc(&sources->arena, size + 1, 1);
    if (!joined || !canonical)
        return SIZE_MAX;
    snprintf(joined, size + 1, "%s%s%s", joins ? folder : "", joins ? "/" : "", called);
    an_path_canonical(canonical, joined, sources->by_name);
    return number_of(sources, canonical);
}
