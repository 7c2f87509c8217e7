/* Names of sources; see sources.h. */
#include "gcc/sources.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/path.h"

void an_source_names_free(struct an_source_names *sources)
{
    an_names_free(&sources->paths);
    an_arena_free(&sources->arena);
    an_vector_free(&sources->items);
    an_names_free(&sources->asked);
    an_vector_free(&sources->answers);
}

/* A path below the folder has a name relative to it. */
static const char *name_of(const struct an_source_names *sources, const char *path)
{
    size_t size = sources->folder ? strlen(sources->folder) : 0;
    bool is_below = size > 0 && strncmp(path, sources->folder, size) == 0 && path[size] == '/';
    return is_below && path[size + 1] ? path + size + 1 : path;
}

static size_t number_of(struct an_source_names *sources, const char *path, const char *called)
{
    bool is_new;
    size_t number = an_names_insert(&sources->paths, path, strlen(path), &is_new);
    if (number == AN_NO_NAME || !is_new)
        return number;
    struct an_source_name *source = an_vector_push(&sources->items);
    if (!source)
        return SIZE_MAX;
    *source =
        (struct an_source_name){sources->by_name ? path : name_of(sources, path), path, called};
    return number;
}

static char *join(struct an_source_names *sources, const char *folder, const char *path)
{
    size_t size = strlen(folder) + strlen(path) + 2;
    char *joined = an_arena_alloc(&sources->arena, size, 1);
    if (joined)
        snprintf(joined, size, "%s%s%s", folder, *folder ? "/" : "", path);
    return joined;
}

const char *an_source_mapped(struct an_source_names *sources, const char *path)
{
    for (size_t i = 0; i < sources->map_count; i++) {
        const struct an_coverage_map *map = &sources->maps[i];
        size_t size = strlen(map->from);
        while (size > 0 && map->from[size - 1] == '/') /* of "/", nothing is left */
            size--;
        if (strncmp(path, map->from, size) != 0)
            continue;
        const char *rest = path + size;
        if (*rest == '/' || (!*rest && size))
            return *rest ? join(sources, map->to, rest + strspn(rest, "/")) : map->to;
    }
    return path;
}

bool an_source_root_set(struct an_source_names *sources, const char *root)
{
    bool is_short = root && *root != '/' && sources->folder;
    sources->root = is_short ? join(sources, sources->folder, root) : root;
    return sources->root || !root;
}

/* What is not in its place may be below the root, with as much of its path as possible. */
static const char *look_below_root(struct an_source_names *sources, const char *path)
{
    if (an_file_is_there(path))
        return path;
    for (const char *rest = path; rest; rest = strchr(rest, '/')) {
        rest += strspn(rest, "/");
        const char *moved = join(sources, sources->root, rest);
        if (!moved || an_file_is_there(moved))
            return moved;
    }
    return path;
}

/* Each path is looked for once: that takes a call of the kernel for each of its parts. */
static const char *below_root(struct an_source_names *sources, const char *path)
{
    bool is_new;
    if (!sources->root)
        return path;
    size_t number = an_names_find(&sources->asked, path, strlen(path));
    if (number == AN_NO_NAME) {
        const char *kept = an_arena_copy(&sources->arena, path, strlen(path));
        const char *found = kept ? look_below_root(sources, kept) : NULL;
        const char **answer = found ? an_vector_push(&sources->answers) : NULL;
        number =
            answer ? an_names_insert(&sources->asked, kept, strlen(kept), &is_new) : AN_NO_NAME;
        if (number == AN_NO_NAME)
            return NULL;
        *answer = found == kept ? NULL : found;
    }
    const char *moved = sources->answers.items[number];
    return moved ? moved : path;
}

/* A source that has a name only, as "<built-in>". */
static bool is_made_up(const char *called)
{
    return *called == '<';
}

/* Where it is, if not where the compiler says: maps and the root may be relative to the folder. */
static const char *moved(struct an_source_names *sources, const char *called, const char *path,
                         const struct an_source_base *base)
{
    const char *place = an_source_mapped(sources, called);
    if (place == called)
        place = base->is_now ? path : an_source_mapped(sources, path);
    if (place && place != path && *place != '/' && sources->folder)
        place = join(sources, sources->folder, place);
    return place ? below_root(sources, place) : NULL;
}

size_t an_source_number(struct an_source_names *sources, const char *called,
                        const struct an_source_base *base)
{
    bool is_guess = base->is_guess && *called != '/';
    bool joins =
        !sources->by_name && *called != '/' && *base->folder && !(is_guess && is_made_up(called));
    const char *path = joins ? join(sources, base->folder, called) : called;
    const char *place = path && !sources->by_name ? moved(sources, called, path, base) : path;
    char *canonical = place ? an_arena_alloc(&sources->arena, strlen(place) + 1, 1) : NULL;
    if (!canonical)
        return SIZE_MAX;
    an_path_canonical(canonical, place, sources->by_name);
    return number_of(sources, canonical, is_guess && place == path ? called : NULL);
}

bool an_source_names_finish(struct an_source_names *sources)
{
    struct an_names names = {0};
    struct an_map times = {0};
    bool done = true, is_new;
    for (size_t i = 0; done && i < sources->items.count; i++) {
        const struct an_source_name *item = &sources->items.items[i];
        const char *name = item->called ? item->called : item->name;
        size_t number = an_names_insert(&names, name, strlen(name), &is_new);
        uint64_t *count = number != AN_NO_NAME ? an_map_insert(&times, number, &is_new) : NULL;
        done = count != NULL;
        if (count)
            ++*count;
    }
    for (size_t i = 0; done && i < sources->items.count; i++) {
        struct an_source_name *item = &sources->items.items[i];
        if (item->called &&
            *an_map_find(&times, an_names_find(&names, item->called, strlen(item->called))) == 1)
            item->name = item->called;
    }
    an_names_free(&names);
    an_map_free(&times);
    return done;
}
