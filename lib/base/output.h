/*
 * A file that is written bit by bit and takes its name at the end, or not at all.
 *
 * The bytes go to an unnamed file in the destination's directory, are synchronised, and take the
 * name in one rename. Whatever fails or interrupts, the old file stays as it was and no temporary
 * file is left behind. (A process that is killed just before that rename leaves a hidden file. After
 * a power failure either file may be there, but whole: the directory itself is not synchronised.)
 *
 * "-" is standard output; a path that names something else than a regular file (/dev/null, a FIFO)
 * is written in place.
 */
#ifndef AN_BASE_OUTPUT_H
#define AN_BASE_OUTPUT_H

#include <limits.h>
#include <signal.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/error.h"

struct an_output {
    const char *path; /* for messages */
    int fd;
    bool in_place; /* nothing can be taken back, and an_output_write_at() does not work */
    bool owns_fd;
    bool holds_signals;
    bool can_be_remade; /* set it, and the file is not synchronised, which takes long for many */
    sigset_t signals;   /* the mask that is restored */
    mode_t mode;
    char target[PATH_MAX];    /* the file that is replaced: not a symbolic link to it */
    char temporary[PATH_MAX]; /* the new file's name until then; "" while it has none */
};

/*
 * Begins a file. path must live as long as the output. What was opened is committed or abandoned.
 *
 * Where a file system has no unnamed files, a hidden one stands for it, which must not be left
 * behind when a signal ends the program: with `hold_signals` they wait until the output is done,
 * which is right for files that are written at once.
 */
enum an_code an_output_open(struct an_output *output, const char *path, bool hold_signals,
                            struct an_error *error);

enum an_code an_output_write(struct an_output *output, struct an_bytes bytes,
                             struct an_error *error);

/* Overwrites what was written before. Not in place. */
enum an_code an_output_write_at(struct an_output *output, uint64_t offset, struct an_bytes bytes,
                                struct an_error *error);

/* The file takes its name, or is abandoned. */
enum an_code an_output_commit(struct an_output *output, struct an_error *error);
void an_output_abandon(struct an_output *output);

/*
 * Whether a file of this name is what a process leaves that was killed while it gave a file its name, one in the same folder
 * that begins with `first` and ends in `last`.
 */
bool an_output_is_left(const char *name, const char *first, const char *last);

#endif
