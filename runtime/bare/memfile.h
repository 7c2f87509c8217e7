/*
 * Files in memory that can be written and not read: they wait in the heap for the end of the program, when all
 * that are complete are printed.
 *
 *     file    next │ first piece │ last piece │ is complete │ name, 0
 *     piece   next │ size │ bytes
 *
 * A file is one piece that grows, unless something else was taken from the heap in between; then it goes on in
 * another piece. When the heap is full, the program is told so once for each file ("memfile: out of memory"),
 * and the memory of that file is given back as far as nothing lies behind it, so that a smaller one may still
 * have room.
 */
#ifndef AN_BARE_MEMFILE_H
#define AN_BARE_MEMFILE_H

#include "core/port.h"

struct an_memfile_piece {
    struct an_memfile_piece *next;
    size_t size;
    uint8_t bytes[];
};

struct an_memfile {
    struct an_memfile *next;
    struct an_memfile_piece *first, *last;
    bool is_complete;
    char name[];
};

/*
 * A file whose name is `name`, without a slash in front, with the number of the core behind it. It need not be
 * closed, but only then will it be printed. Two files may have the same name. NULL: no memory.
 */
struct an_memfile *an_memfile_create(const char *name);

/* Appends. False: no memory; the file is gone, and its pointer is of no more use. */
bool an_memfile_write(struct an_memfile *file, const void *bytes, size_t size);

/* The file is complete. */
void an_memfile_close(struct an_memfile *file);

/* Gives a file up that is not closed, because memory ran out elsewhere, and says so. */
void an_memfile_fail(struct an_memfile *file);

/* For profiles: a sink that writes to the file. */
struct an_memfile_sink {
    struct an_rt_sink sink;
    struct an_memfile *file; /* NULL once memory ran out */
};
struct an_memfile_sink an_memfile_sink(struct an_memfile *file);

/* The file that was created first, and all others behind it by `next`. NULL: there is none. */
const struct an_memfile *an_memfile_first(void);

/* From now on there are none: for programs that give the runtime another heap. */
void an_memfile_forget(void);

#endif
