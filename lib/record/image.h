/*
 * What a process executes: its program and its executable mappings, as /proc tells, written as the
 * records that the kernel would make (COMM, MMAP2, build-ids).
 */
#ifndef AN_RECORD_IMAGE_H
#define AN_RECORD_IMAGE_H

#include "base/vector.h"
#include "record/perf_writer.h"

struct an_image_mapping {
    uint64_t start, size, offset, inode;
};

/* All zero: nothing is known yet. */
struct an_image {
    char *program; /* the path of its file */
    struct {
        AN_VECTOR(struct an_image_mapping);
    } mappings;          /* that are executable, and were written */
    uint64_t vvar, vdso; /* where they are mapped, or 0 */
};

/*
 * Finds out what process `pid` executes now and writes what is new of it. With `exec` it is known
 * to run another program than before, though perhaps of the same file. False when memory runs out;
 * a process that is gone stays as it was.
 */
bool an_image_look(struct an_image *image, int32_t pid, bool exec, uint64_t time,
                   struct an_perf_writer *writer);

/* Whether an address is in a mapping that was written. */
bool an_image_knows(const struct an_image *image, uint64_t address);

/* Whether an address is in the vdso. */
bool an_image_in_vdso(const struct an_image *image, uint64_t address);

/* Until it runs another program, a child has what its parent has, and readers know. False when
 * memory runs out. `child` is all zero before. */
bool an_image_inherit(struct an_image *child, const struct an_image *parent);

/* Frees what is in it. */
void an_image_free(struct an_image *image);

#endif
