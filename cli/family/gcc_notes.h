/*
 * gcno files below a folder, by the stamp of the compilation. Counts may have another name and place than their object:
 * -fprofile-dir makes #home#me#project#x.gcda of one, whole path and all.
 */
#ifndef AN_CLI_FAMILY_GCC_NOTES_H
#define AN_CLI_FAMILY_GCC_NOTES_H

#include <stdbool.h>
#include <stdint.h>

#include <anneal/gcc.h>

#include "base/map.h"
#include "base/vector.h"

struct gcc_notes {
    const char *folder; /* NULL: there are none */
    bool is_searched;   /* that is done when the first one is needed */
    struct an_map stamps;
    struct {
        AN_VECTOR(struct gcc_notes_file);
    } files;
};

/* What a file is, and its stamp, by its first bytes; as an_gcc_identify() tells. */
enum an_gcc_kind_of_file gcc_look(const char *path, uint32_t *stamp);

/*
 * The path of a gcno with this stamp, and if there are several, the one that is called most like the gcda; NULL: there
 * is none. To be freed.
 */
char *gcc_notes_find(struct gcc_notes *notes, uint32_t stamp, const char *gcda);
void gcc_notes_free(struct gcc_notes *notes);

#endif
