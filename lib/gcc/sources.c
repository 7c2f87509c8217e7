/* Names of sources; see sources.h. */
#include "gcc/sources.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A canonical path that grows part by part. */
struct canonical {
    char *path;
    size_t size;
    size_t fixed; /* what .. cannot take away again */
    bool is_absolute, blindly;
};

static void add_part(struct canonical *canonical, const char *part, size_t size)
{
    if (canonical->size > 0 || canonical->is_absolute)
        canonical->path[canonical->size++] = '/';
    memcpy(canonical->path + canonical->size, part, size);
    canonical->size += size;
}

static bool can_go_up(struct canonical *canonical)
{
    struct stat info;
    canonical->path[canonical->size] = '\0';
    if (canonical->size == canonical->fixed)
        return false;
    return canonical->blindly ? stat(canonical->path, &info) == 0
                              : lstat(canonical->path, &info) == 0 && !S_ISLNK(info.st_mode);
}

static void go_up(struct canonical *canonical)
{
    if (can_go_up(canonical)) {
        while (canonical->size > canonical->fixed && canonical->path[canonical->size] != '/')
            canonical->size--;
        return;
    }
    add_part(canonical, "..", 2);
    canonical->fixed = canonical->size;
}

void an_source_canonical(char *to, const char *path, bool blindly)
{
    struct canonical canonical = {.path = to, .is_absolute = *path == '/', .blindly = blindly};
    while (*path) {
        size_t size = strcspn(path, "/");
        if (size == 2 && path[0] == '.' && path[1] == '.')
            go_up(&canonical);
        else if (size > 0 && !(size == 1 && *path == '.'))
            add_part(&canonical, path, size);
        path += size;
        path += strspn(path, "/");
    }
    to[canonical.size] = '\0';
}

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
    an_source_canonical(canonical, joined, sources->by_name);
    return number_of(sources, canonical);
}
