/*
 * Memory profiles (-fmemory-profile): what was allocated where, by call stack. They are a section of indexed profiles, or come
 * from raw ones, which are files of their own (memprof_raw.h).
 *
 *     record of a function ──► its allocations: a call stack, and what was measured of it
 *                         └──► its call sites that lead to allocations: the piece of a call stack that is inlined there
 *     call stack ──► frames, from the leaf to the root
 *     frame ──► function, line within it, column, whether it is inlined
 *
 * In memory, call stacks are a tree with the roots of stacks at its top, so that what they have in common is there once: a
 * stack is the node of its leaf.
 */
#ifndef AN_LLVM_MEMPROF_H
#define AN_LLVM_MEMPROF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/vector.h"

enum {
    MEMPROF_NEWEST = 4,
    MEMPROF_USUAL = 3,   /* which LLVM 19 and all later ones read */
    MEMPROF_FIELDS = 28, /* 1 to 27: what there is to measure */
    MEMPROF_FRAME = 17,  /* bytes of a frame in files */
    MEMPROF_SUMMARY = 6, /* fields of a summary */
};

/* Fields that have a meaning here. */
enum {
    MEMPROF_COUNT = 1,
    MEMPROF_SIZE = 5,
    MEMPROF_LIFETIME = 10,
    MEMPROF_DENSITY = 23,
    MEMPROF_HISTOGRAM = 26,    /* how many accesses are counted apart */
    MEMPROF_HISTOGRAM_AT = 27, /* where the process had them */
};

/* Schemas: all fields, and those by which LLVM's compiler tells hot from cold. */
#define MEMPROF_ALL 0xffffffeu
#define MEMPROF_HOT_COLD                                                                           \
    (1u << MEMPROF_COUNT | 1u << MEMPROF_SIZE | 1u << MEMPROF_LIFETIME | 1u << MEMPROF_DENSITY)

#define MEMPROF_NONE UINT32_MAX
#define MEMPROF_TOP 0u /* the node above all roots; the stack of no frames */

/* How many bytes a field has in files: 4 or 8. */
unsigned an_memprof_field_size(unsigned field);

/* Bytes of all fields that a schema, a bit for each, has. */
unsigned an_memprof_schema_size(uint32_t schema);

struct memprof_node {
    uint32_t parent, frame;
    uint32_t depth; /* frames down to here */
};

struct memprof_allocation {
    uint32_t stack; /* node */
    uint32_t next;  /* of the same record, or MEMPROF_NONE */
    /* MEMPROF_FIELDS of them, 0 for what the schema does not have; the first one is no field: of a raw profile, it is the index of
     * the measurement. */
    const uint64_t *values;
};

struct memprof_site {
    uint32_t stack;
    uint32_t next;
    const uint64_t *callees; /* functions that were called there (version 4) */
    uint64_t callee_number;
};

struct memprof_list {
    uint32_t first, last, number;
};

struct memprof_record {
    uint64_t function; /* a hash of its name */
    struct memprof_list allocations, sites;
};

struct memprof {
    struct an_arena arena;
    struct an_names frames; /* as in files, 17 bytes each */
    struct {
        AN_VECTOR(struct memprof_node);
    } nodes;
    struct an_map children; /* parent and frame -> node */
    struct {
        AN_VECTOR(uint32_t);
    } stacks;               /* nodes, in the order in which stacks came */
    struct an_map stack_of; /* node -> index in stacks + 1 */
    struct {
        AN_VECTOR(struct memprof_record);
    } records;
    struct an_map record_of; /* function -> index + 1 */
    struct {
        AN_VECTOR(struct memprof_allocation);
    } allocations;
    struct {
        AN_VECTOR(struct memprof_site);
    } sites;
    struct an_names
        known_sites; /* of all records: a text for each, which has all that makes it up */
    struct an_bytes
        accesses; /* how data was accessed (version 4), as in the file; belongs to the arena */
    /* Of a single input, as it was (version 4): what is hot or cold in it is for the tool to say that made it. */
    uint64_t summary[MEMPROF_SUMMARY];
    bool has_summary;
    unsigned version;                /* the newest of the indexed inputs */
    uint32_t schema;                 /* a bit for each field that an indexed input has */
    uint32_t measured;               /* and that raw inputs have */
    bool exists, is_indexed, is_raw; /* at least one input */
    bool has_new_ids;                /* an input's frames have the numbers of LLVM 20 and later */
};

void an_memprof_free(struct memprof *memprof);

/* All that follows returns MEMPROF_NONE, or false, when memory runs out, or there is too much to be numbered. */

/* The frame of these MEMPROF_FRAME bytes, which are copied. */
uint32_t an_memprof_frame(struct memprof *memprof, const uint8_t *bytes);

/* The node of a frame below another one, which is nearer to the root. */
uint32_t an_memprof_node(struct memprof *memprof, uint32_t parent, uint32_t frame);

/* Says that there is a stack whose leaf is this node. */
bool an_memprof_stack(struct memprof *memprof, uint32_t node);

/* The record of a function. */
uint32_t an_memprof_record(struct memprof *memprof, uint64_t function);

/* Room for values and callees. NULL: no memory. */
uint64_t *an_memprof_numbers(struct memprof *memprof, size_t count);

/* Adds these to a record; values and callees have to be the memory profile's own. */
bool an_memprof_allocation(struct memprof *memprof, uint32_t record, uint32_t stack,
                           const uint64_t *values);
bool an_memprof_site(struct memprof *memprof, uint32_t record, uint32_t stack,
                     const uint64_t *callees, uint64_t callee_number);

/* Whether both can be merged: it is not known how profiles of data accesses add up. */
bool an_memprof_fits(const struct memprof *into, const struct memprof *from);

/*
 * Adds all of `from`: what a function's record had comes first. Allocations follow each other, as those of one function do
 * that ran several times, and LLVM's compiler makes one of them. Call sites that the record had before are not repeated.
 */
bool an_memprof_merge(struct memprof *into, const struct memprof *from);

/* The number by which LLVM knows a frame, since LLVM 20 or before. */
uint64_t an_memprof_frame_id(const uint8_t *frame, bool is_new);

/* The number of a stack, by those of all frames. */
uint64_t an_memprof_stack_id(const struct memprof *memprof, const uint64_t *frame_ids,
                             uint32_t node, struct an_buffer *scratch);

/* What of it is written as this version: all that is known, or what LLVM writes where nobody asks for more. */
uint32_t an_memprof_schema(const struct memprof *memprof, unsigned version, bool is_full);

/* What version 4 has in front. False: no memory. */
bool an_memprof_sum_up(const struct memprof *memprof, uint64_t fields[MEMPROF_SUMMARY]);

/* Reads the section of a file that begins at `at` and ends before `end`, into an empty memory profile; to be freed in any
 * case. */
enum an_code an_memprof_read(struct memprof *memprof, struct an_bytes file, uint64_t at,
                             uint64_t end, struct an_error *error);

/* Appends the section, as this version, with these fields of allocations. Places in it are right if the buffer's first byte gets to `origin` in the file. */
enum an_code an_memprof_write(const struct memprof *memprof, unsigned version, uint32_t schema,
                              uint64_t origin, struct an_buffer *buffer, struct an_error *error);

#endif
