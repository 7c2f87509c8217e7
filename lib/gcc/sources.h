/*
 * Names of sources: which of those that compilers were given mean the same file, and where it is.
 *
 * A source is a file, not a name: "util.c" of two folders are two. Where a relative name belongs is told by the folder in
 * which the compiler ran. clang's notes do not say, GCC's may name one that is not there any more, or was not
 * (-ffile-prefix-map). Then it is looked for, among the folder of the notes and those above it.
 */
#ifndef AN_GCC_SOURCES_H
#define AN_GCC_SOURCES_H

#include <anneal/coverage.h>

#include "base/map.h"
#include "base/vector.h"
#include "gcc/gcno.h"

/* A source, by the name that makes it one: its path, or what the compiler called it. */
struct an_source_name {
    const char *name, *path;
    const char
        *called; /* of what was not found, relative to a folder that nobody knows; otherwise NULL */
};

struct an_source_names {
    bool by_name;       /* as gcov has it */
    const char *folder; /* names are relative to this one, if they can be; may be NULL */
    const struct an_coverage_map *maps; /* folders that are elsewhere now */
    size_t map_count;
    const char
        *root; /* set by a function: where to look for what is not in its place; may be NULL */
    struct an_names
        asked; /* paths that were looked for below the root: most objects have the same */
    struct {
        AN_VECTOR(const char *);
    } answers; /* where these are; NULL: it is not there */
    struct an_arena arena;
    struct an_names paths;
    struct {
        AN_VECTOR(struct an_source_name);
    } items; /* numbered as in paths */
};

/* Where the sources of an object are that the compiler gave relative names. */
struct an_source_base {
    const char *folder; /* "": the current one */
    bool is_guess;      /* it is that of the notes, and no source is there */
    bool is_now;        /* by a map or by what is there; maps are for what the compiler was told */
};

/* Sets the root, NULL or relative to the folder. False when memory runs out. */
bool an_source_root_set(struct an_source_names *sources, const char *root);

/* Finds it for an object whose notes have this path. False when memory runs out. */
bool an_source_base_find(struct an_source_names *sources, const struct an_gcno *gcno,
                         const char *notes, struct an_source_base *base);

/* The number of a source as a compiler called it. SIZE_MAX when memory runs out. */
size_t an_source_number(struct an_source_names *sources, const char *called,
                        const struct an_source_base *base);

/* Sources that were not found get the names that the compiler gave them, if these tell them apart. */
bool an_source_names_finish(struct an_source_names *sources);
void an_source_names_free(struct an_source_names *sources);

/* The path where a map has it, or the path itself; NULL when memory runs out. */
const char *an_source_mapped(struct an_source_names *sources, const char *path);

#endif
