/*
 * What one command links: objects and archives that it names, and libraries by -l in folders by -L. (What is in the
 * system's folders was not compiled here.)
 */
#ifndef AN_FDO_LINKED_H
#define AN_FDO_LINKED_H

#include <limits.h>

#include "base/memory.h"
#include "base/vector.h"
#include "fdo/arguments.h"

/* One object: a file, or a member of an archive. */
struct an_fdo_linked_object {
    const char *name;    /* the file's path, or the member's name */
    const char *archive; /* of a member */
    bool is_member;
    bool is_beside;  /* a thin archive's */
    bool is_bitcode; /* which the linker makes into something else */
    size_t size;
};

struct an_fdo_linked {
    struct {
        AN_VECTOR(struct an_fdo_linked_object);
    } objects;
    bool has_members;
    char instrumented[PATH_MAX]; /* the first one that has counters (instrumented.h); "": none */
    struct an_arena arena;
};

/* Reads all objects once. To be freed in any case; false: no memory. */
bool an_fdo_linked_read(struct an_fdo_linked *linked, const struct an_fdo_arguments *arguments);

/*
 * Leaves out the members that the linker has not taken, by the map that it has written. Without one, or of bitcode, nothing is
 * known, and all stays.
 */
void an_fdo_linked_keep_taken(struct an_fdo_linked *linked, const char *path);

/*
 * Whether an object is among them: that file, or a member of its name and size, for archives do not say where their members
 * are from. The path is absolute; those of the files are taken from `folder`.
 */
bool an_fdo_linked_has(const struct an_fdo_linked *linked, const char *object, const char *folder);

void an_fdo_linked_free(struct an_fdo_linked *linked);

#endif
