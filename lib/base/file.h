/*
 * Whole files in, whole files out.
 *
 * Input: a small regular file is read into a buffer that is used again for the next one (cheaper
 * than mapping: no page faults, no SIGBUS when a profile shrinks while its program still writes
 * it); a large one is mapped; what is not a regular file (pipe, terminal) is read to its end.
 *
 * Output: as output.h has it, in one go.
 */
#ifndef AN_BASE_FILE_H
#define AN_BASE_FILE_H

#include "base/bytes.h"
#include "base/error.h"

struct an_file {
    struct an_bytes bytes; /* the content; valid until the next load or close */
    uint8_t *buffer;       /* owned, kept from file to file */
    size_t capacity;
    bool mapped;
    bool regular; /* reading the same path again gives the same bytes: not standard input */
    uint64_t device, inode;
    int64_t modified; /* seconds since 1970 */
};

/* Loads path ("-": standard input) into file, replacing what it held. On failure bytes are empty. */
enum an_code an_file_load(struct an_file *file, const char *path, struct an_error *error);

/* Loads at most the first `size` bytes of a regular file; AN_USAGE for anything else. */
enum an_code an_file_peek(struct an_file *file, const char *path, size_t size,
                          struct an_error *error);
void an_file_close(struct an_file *file);

/*
 * Replaces path by the bytes, whole or not at all. "-" is standard output; a path that names
 * something else than a regular file (/dev/null, a FIFO) is written in place.
 */
enum an_code an_file_replace(const char *path, struct an_bytes bytes, struct an_error *error);

/* The same for what can be made again: it is not synchronised, which takes long for many files. */
enum an_code an_file_remake(const char *path, struct an_bytes bytes, struct an_error *error);

/*
 * Makes the folders that a path names and that are not there: all of its parts but the last one, and all of them
 * when it ends in a slash. Those that are there stay as they are.
 */
enum an_code an_file_make_folders(const char *path, struct an_error *error);

/* Whether a path leads to a regular file. */
bool an_file_is_there(const char *path);

/* A path's last part, behind its folders: a part of the path itself. */
const char *an_file_name(const char *path);

/* The length of a path as the kernel shows it, in /proc or in recordings, without what it adds to that of a file
 * that has lost its name. */
size_t an_file_linked_length(const char *path);

#endif
