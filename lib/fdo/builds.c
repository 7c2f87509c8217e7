/* See builds.h. */
#include "fdo/builds.h"

#include <stdbool.h>
#include <string.h>

#include "fdo/record.h"

static void find_folder(const char *path, const char *base, struct an_fdo_build *build)
{
    const char *below = an_fdo_below(path, base);
    const char *slash = below ? strchr(below, '/') : NULL;
    if (slash && strncmp(below, ".libs/", strlen(".libs/")) == 0) /* libtool's second object */
        slash = NULL;
    build->folder = slash ? below : ".";
    build->folder_length = slash ? (size_t)(slash - below) : 1;
}

static bool is_same_build(const struct an_fdo_build *a, const struct an_fdo_build *b)
{
    return a->folder_length == b->folder_length &&
           memcmp(a->folder, b->folder, a->folder_length) == 0 &&
           strcmp(a->compiler, b->compiler) == 0;
}

size_t an_fdo_builds_number(struct an_fdo_builds *builds, const char *path, const char *base,
                            const char *compiler)
{
    struct an_fdo_build build = {.compiler = compiler ? compiler : ""};
    size_t i = 0;
    find_folder(path, base, &build);
    while (i < builds->count && !is_same_build(&builds->items[i], &build))
        i++;
    struct an_fdo_build *added = i == builds->count ? an_vector_push(builds) : NULL;
    if (added)
        *added = build;
    return i < builds->count ? i : SIZE_MAX;
}
