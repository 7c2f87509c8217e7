/*
 * How often the data of a program was accessed: the part of memory profiles that version 4 adds to allocations.
 *
 *     +------------------------------------------------------------+
 *     | u64 names | u64 cold symbols                               |
 *     | u64 size | names and cold symbols | padding to 8           |
 *     | u64 number of | u64 hashes of cold texts                   |
 *     | u64 records, { u64 name or hash | u8 which | u64 accesses |
 *     |   u64 places, { u64 name of a file | u32 line }... }...    |
 *     +------------------------------------------------------------+
 *
 * A record is of a symbol, which has a name, or of a text in the program, of which the hash is known. Names are numbered in the
 * order of their section (names.h), cold symbols behind all others. (DataAccessProf.cpp)
 */
#ifndef AN_LLVM_MEMPROF_ACCESSES_H
#define AN_LLVM_MEMPROF_ACCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/yaml_layout.h"

struct memprof_accesses {
    uint64_t name_number, cold_number;
    struct an_bytes names;
    uint64_t cold_hash_number;
    struct an_cursor cold_hashes;
    uint64_t record_number;
    struct an_cursor records;
    size_t size; /* of all */
};

/* Finds the parts of what begins there. False: it does not fit. */
bool an_memprof_accesses_open(struct memprof_accesses *accesses, struct an_bytes from);

/* Appends them as llvm-profdata shows them. */
enum an_code an_memprof_accesses_put(const struct memprof_accesses *accesses,
                                     struct yaml_layout *layout, struct an_error *error);

#endif
