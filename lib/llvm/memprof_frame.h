/*
 * What is known of a program's addresses: the frames that one stands for, which is several where functions were inlined.
 *
 *     address ──► place ──► frame of the innermost function ──► ... ──► frame of the function that all are inlined into
 */
#ifndef AN_LLVM_MEMPROF_FRAME_H
#define AN_LLVM_MEMPROF_FRAME_H

#include <pthread.h>

#include "elf/elf.h"
#include "llvm/memprof.h"

struct memprof_located {
    uint8_t frame[MEMPROF_FRAME]; /* as in files */
    const char *name;             /* by which LLVM knows the function */
};

struct memprof_place {
    size_t first; /* in the frames */
    size_t count; /* 0: nothing is known of it, or it belongs to the runtime */
};

struct memprof_debug; /* an open program; see memprof_dwarf.h */

struct memprof_binary {
    struct an_arena arena;
    struct an_elf *elf;
    struct memprof_debug *debug; /* NULL: it was not needed yet */
    struct an_bytes build_id;
    uint64_t text; /* where the program wants its executable segment to be */
    pthread_mutex_t lock;
    struct {
        AN_VECTOR(struct memprof_located);
    } frames;
    struct {
        AN_VECTOR(struct memprof_place);
    } places;
    struct an_map place_of; /* address -> index + 1 */
};

/* Appends a frame to the last place. False: no memory. */
bool an_memprof_frame_add(struct memprof_binary *binary, const char *name, uint32_t line,
                          uint32_t column, bool is_inlined);

#endif
