/*
 * What a process executes: its program and its executable mappings, as /proc tells, written as the
 * records that the kernel would make (COMM, MMAP2, build-ids).
 */
#ifndef AN_RECORD_PROCESS_CODE_H
#define AN_RECORD_PROCESS_CODE_H

#include "base/vector.h"
#include "record/perf_writer.h"

struct an_process_code_mapping {
    uint64_t start, size, offset, inode;
};

/* All zero: nothing is known yet. */
struct an_process_code {
    char *program; /* the path of its file */
    struct {
        AN_VECTOR(struct an_process_code_mapping);
    } mappings;          /* that are executable, and were written */
    uint64_t vvar, vdso; /* where they are mapped, or 0 */
};

/*
 * Finds out what process `pid` executes now and writes what is new of it. With `exec` it is known
 * to run another program than before, though perhaps of the same file. False when memory runs out;
 * a process that is gone stays as it was.
 */
bool an_process_code_look(struct an_process_code *image, int32_t pid, bool exec, uint64_t time,
                          struct an_perf_writer *writer);

/* Whether an address is in a mapping that was written. */
bool an_process_code_knows(const struct an_process_code *image, uint64_t address);

/* Whether an address is in the vdso. */
bool an_process_code_in_vdso(const struct an_process_code *image, uint64_t address);

/* Until it runs another program, a child has what its parent has, and readers know. False when
 * memory runs out. `child` is all zero before. */
bool an_process_code_inherit(struct an_process_code *child, const struct an_process_code *parent);

/* Frees what is in it. */
void an_process_code_free(struct an_process_code *image);

#endif
