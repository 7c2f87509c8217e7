/*
 * The text of a binary: which pages of the file it is, which of them are in the page cache, and how to get them
 * out of it.
 */
#ifndef AN_FAULTS_TEXT_H
#define AN_FAULTS_TEXT_H

#include <time.h>

#include <anneal/faults.h>

#include "base/error.h"
#include "base/vector.h"

struct an_watched_range {
    uint64_t first, end; /* pages of the file */
};

struct an_watched {
    struct an_faults_file about; /* .path belongs to this */
    uint64_t file_size, inode;
    struct timespec modified;
    struct {
        AN_VECTOR(struct an_watched_range);
    } ranges; /* in order, apart from each other */
};

/* Looks at a binary. Freed by an_watched_close(), also on failure. */
enum an_code an_watched_open(struct an_watched *text, const char *path, struct an_error *error);
void an_watched_close(struct an_watched *text);

/* Whether it still is the file that was opened, unchanged; a failure otherwise. */
enum an_code an_watched_check(const struct an_watched *text, struct an_error *error);

/* Whether a file or a folder is in a file system that is in memory, where nothing can be evicted. */
bool an_watched_in_memory(const char *path);

/* How many pages of the text are in the page cache; 0 when the system does not tell this user. */
enum an_code an_watched_resident(const struct an_watched *text, uint64_t *pages,
                                 struct an_error *error);

/* Takes the file out of the page cache. *left: pages of the text that are in it still; no failure. */
enum an_code an_watched_evict(const struct an_watched *text, uint64_t *left,
                              struct an_error *error);

/* The error that pages are left. */
enum an_code an_watched_fail_left(const struct an_watched *text, uint64_t left,
                                  struct an_error *error);

/* The read-ahead of a block device, below /sys; false when it is not known. */
bool an_watched_read_ahead(uint32_t device_major, uint32_t device_minor, uint64_t *bytes);

#endif
