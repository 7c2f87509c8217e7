/*
 * In which folder the compiler ran that made an object; see sources.h.
 *
 * If the notes do not tell, or none of the sources that they mention is there (-ffile-prefix-map makes names relative and
 * leaves the folder), it is one below which these are: the folder of the notes or one above it. Of several, it is the
 * one with most of the sources, and of these the nearest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "gcc/sources.h"

/* Names of an object that are relative, each once. */
struct relative {
    AN_VECTOR(const char *);
};

struct search {
    struct an_source_names *sources;
    struct relative relative;
    char *path; /* room for the longest one */
    size_t size;
    size_t most;      /* sources in the best folder */
    const char *best; /* a folder; NULL: none has any */
};

static bool collect(const struct an_gcno *gcno, struct relative *relative)
{
    struct an_map known = {0};
    bool done = true, is_new;
    for (size_t i = 0; done && i < gcno->functions.count; i++) {
        const char *file = gcno->functions.items[i].file;
        if (*file == '/' || *file == '<' || file == an_gcno_no_name)
            continue;
        done = an_map_insert(&known, (uint64_t)(uintptr_t)file, &is_new) != NULL;
        if (!done || !is_new)
            continue;
        const char **name = an_vector_push(relative);
        done = name != NULL;
        if (name)
            *name = file;
    }
    an_map_free(&known);
    return done;
}

/* How many of the sources are below a folder; `below` is a relative one, or "". */
static bool try(struct search *search, const char *folder, size_t length, const char *below)
{
    size_t count = 0;
    for (size_t i = 0; i < search->relative.count; i++) {
        snprintf(search->path, search->size, "%.*s/%s/%s", (int)length, folder, below,
                 search->relative.items[i]);
        count += an_file_is_there(search->path);
    }
    if (count <= search->most)
        return true;
    snprintf(search->path, search->size, "%.*s/%s", (int)length, folder, below);
    search->most = count;
    search->best = an_arena_copy(&search->sources->arena, search->path, strlen(search->path));
    return search->best;
}

/* folders: the length of all of them together */
static bool make_room(struct search *search, size_t folders)
{
    size_t longest = 0, root = search->sources->root ? strlen(search->sources->root) : 0;
    for (size_t i = 0; i < search->relative.count; i++)
        if (strlen(search->relative.items[i]) > longest)
            longest = strlen(search->relative.items[i]);
    search->size = folders + root + longest + 3;
    search->path = malloc(search->size);
    return search->path;
}

/* From the notes upwards; the folder that the compiler is said to have run in may be below that. */
static bool try_all(struct search *search, const char *notes, const char *below)
{
    bool done = true;
    size_t length = strlen(notes);
    while (done && search->most < search->relative.count) {
        done = try(search, notes, length, below) && (!*below || try(search, notes, length, ""));
        if (length == 0)
            break;
        do
            length--;
        while (length > 0 && notes[length] != '/');
    }
    const char *root = search->sources->root;
    if (done && root && search->most == 0)
        done = try(search, root, strlen(root), below);
    return done;
}

/* The folder of a file, from the root; NULL when there is none. To be freed. */
static char *folder_of(const char *path)
{
    const char *name = an_file_name(path);
    char *folder = name > path ? strndup(path, (size_t)(name - path)) : strdup(".");
    char *real = folder ? realpath(folder, NULL) : NULL;
    free(folder);
    return real;
}

static bool look(struct search *search, const char *notes, const char *told,
                 struct an_source_base *base)
{
    bool is_whole = *told == '/';
    const char *below = is_whole ? "" : told;
    char *real = folder_of(notes);
    const char *from = real && strcmp(real, "/") != 0 ? real : "";
    bool done = make_room(search, strlen(told) + strlen(from));
    if (done && is_whole)
        done = try(search, told, strlen(told), "");
    bool is_elsewhere = search->most == 0;
    if (done && is_elsewhere)
        done = try_all(search, from, below);
    if (done && search->best) {
        base->folder = search->best;
        base->is_now |= is_elsewhere;
    } else if (done && !is_whole && real) {
        base->folder = an_arena_copy(&search->sources->arena, real, strlen(real));
        base->is_guess = true;
    }
    free(real);
    free(search->path);
    return done && base->folder;
}

bool an_source_base_find(struct an_source_names *sources, const struct an_gcno *gcno,
                         const char *notes, struct an_source_base *base)
{
    const char *told = gcno->folder ? gcno->folder : "";
    struct search search = {.sources = sources};
    *base = (struct an_source_base){.folder = told};
    if (sources->by_name)
        return true;
    const char *mapped = an_source_mapped(sources, told);
    if (!mapped)
        return false;
    base->folder = mapped;
    base->is_now = mapped != told;
    bool done = collect(gcno, &search.relative);
    if (done && search.relative.count)
        done = look(&search, notes, mapped, base);
    an_vector_free(&search.relative);
    return done;
}
