/*
 * The program that left a raw memory profile: what its debug information says of an address, which may be in several functions,
 * each inlined into the next.
 *
 *     address ──► frame of the innermost function ──► ... ──► frame of the function that all of these are inlined into
 *
 * What was found is kept: many profiles have the same addresses.
 */
#ifndef AN_LLVM_MEMPROF_BINARY_H
#define AN_LLVM_MEMPROF_BINARY_H

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

struct memprof_binary {
    struct an_arena arena;
    struct an_elf *elf;
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

/* Loads a program, and checks that it is one. NULL: *error says why not. */
struct memprof_binary *an_memprof_binary_open(const char *path, struct an_error *error);
void an_memprof_binary_free(struct memprof_binary *binary);

/* For one thread at a time: */

/* Finds out about addresses, as the program has them when it is where it wants to be. */
enum an_code an_memprof_binary_locate(struct memprof_binary *binary, const uint64_t *addresses,
                                      size_t count, struct an_error *error);

/* The index of the place of an address that was located. */
uint32_t an_memprof_binary_place(const struct memprof_binary *binary, uint64_t address);

/* Appends a frame to the last place. False: no memory. */
bool an_memprof_binary_add(struct memprof_binary *binary, const char *name, uint32_t line,
                           uint32_t column, bool is_inlined);

/* Adds, for each of these addresses, which are new and ascending, a place from debug information. */
enum an_code an_memprof_dwarf_locate(struct memprof_binary *binary, const uint64_t *addresses,
                                     size_t count, struct an_error *error);

#endif
