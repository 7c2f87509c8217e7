/* The files that were found so far. What is in the list owns its bytes. */
#ifndef AN_CONSOLE_FOUND_H
#define AN_CONSOLE_FOUND_H

#include <anneal/console.h>

#include "base/map.h"
#include "base/vector.h"
#include "console/line.h"
#include "console/prefix.h"

/* Names, and what is to be said; they last as long as the list. */
struct an_texts {
    struct an_arena arena;
    bool failed; /* memory ran out: the list is not to be used */
};

enum {
    AN_FOUND_RECENT = 64,      /* files whose prefixes are known */
    AN_FOUND_MOST_NAME = 4096, /* characters; what has more is no name */
};

struct an_found {
    struct an_console_file file;
    struct an_texts *texts;
    bool has_checksum; /* the log has one for it, right or wrong */
    bool is_dropped;   /* another copy stands for it */
    uint8_t *bytes;    /* of the file */
};

struct an_console {
    struct an_texts texts;
    struct an_names index; /* of the names */
    struct {
        AN_VECTOR(size_t);
    } latest;                                   /* of each name: the file that was added last */
    struct an_prefix prefixes[AN_FOUND_RECENT]; /* of the files that were added last, by index */
    struct an_found spill;                      /* one that is left out */
    uint64_t left_out;
    uint64_t lines;
    AN_VECTOR(struct an_found);
};

/*
 * Adds a file with a copy of its name; its status is "not verified", and its bytes are taken over from
 * the buffer. NULL when memory runs out. When there are too many, the one that is returned is left out of
 * the list, and lasts until the next one.
 */
struct an_found *an_found_add(struct an_console *console, const char *name, size_t name_size,
                              enum an_console_form form, struct an_buffer *bytes);

/* Its lines began with that. */
void an_found_behind(struct an_console *console, struct an_found *found,
                     const struct an_prefix *prefix);

/* It is damaged, for this reason. Of several reasons the first one stays. line: 0 if it has none. */
void an_found_blame(struct an_found *found, uint64_t line, const char *what, ...) AN_PRINTF(3, 4);

void an_found_doubt(struct an_found *found, const char *what, ...) AN_PRINTF(2, 3);

/* The file of this name that was added last, or NULL. Not after files were dropped. */
struct an_found *an_found_latest(struct an_console *console, const char *name, size_t size);

/* Drops what another copy stands for. */
void an_found_sweep(struct an_console *console);

#endif
