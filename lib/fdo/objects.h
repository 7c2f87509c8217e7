/* The objects that a file which is linked has: itself, or those in it, if it is an archive. */
#ifndef AN_FDO_OBJECTS_H
#define AN_FDO_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

struct an_fdo_object {
    const char *archive; /* that it is in, or NULL */
    const char *name;    /* the file's, or, in an archive, the member's; not ended by a 0 */
    size_t name_length;
    bool is_beside; /* a file of its own, that a thin archive names */
    struct an_bytes bytes;
};

/* What takes an object; true: it wants no more. */
typedef bool (*an_fdo_take)(void *context, const struct an_fdo_object *object);

/* Whether one was taken for the last one. Of a file that cannot be read, or is no regular one, there are none. */
bool an_fdo_objects_of(const char *path, an_fdo_take take, void *context);

/* The same of a file's content. */
bool an_fdo_objects_in(const char *path, struct an_bytes bytes, an_fdo_take take, void *context);

#endif
