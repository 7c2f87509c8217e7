/* The files that were found so far. What is in the list owns its bytes. */
#ifndef AN_CONSOLE_FOUND_H
#define AN_CONSOLE_FOUND_H

#include <anneal/console.h>

#include "base/map.h"
#include "base/vector.h"
#include "console/line.h"
#include "console/prefix.h"

struct an_found {
    struct an_console_file file;
    struct an_prefix prefix;
    bool has_checksum; /* the log has one for it, right or wrong */
    bool is_dropped;   /* another copy stands for it */
    uint8_t *bytes;    /* of the file */
};

struct an_console {
    struct an_arena names;
    struct an_names index; /* of the names */
    struct {
        AN_VECTOR(size_t);
    } latest; /* of each name: the file that was added last */
    uint64_t lines;
    AN_VECTOR(struct an_found);
};

/*
 * Adds a file with a copy of its name; its status is "not verified", and its bytes are taken over from
 * the buffer. NULL when memory runs out.
 */
struct an_found *an_found_add(struct an_console *console, const char *name, size_t name_size,
                              enum an_console_form form, struct an_buffer *bytes);

/* It is damaged, for this reason. Of several reasons the first one stays. line: 0 if it has none. */
void an_found_blame(struct an_found *found, uint64_t line, const char *what, ...) AN_PRINTF(3, 4);

void an_found_doubt(struct an_found *found, const char *what, ...) AN_PRINTF(2, 3);

/* The file of this name that was added last, or NULL. Not after files were dropped. */
struct an_found *an_found_latest(struct an_console *console, const char *name, size_t size);

/* Drops what another copy stands for. */
void an_found_sweep(struct an_console *console);

#endif
