/* Indexed profiles: what llvm-profdata merge writes and compilers read. */
#ifndef AN_LLVM_INDEXED_H
#define AN_LLVM_INDEXED_H

#include <anneal/llvm.h>

#include "base/bytes.h"
#include "base/error.h"
#include "llvm/profile.h"
#include "llvm/value_data.h"

struct indexed_image {
    struct an_bytes file;
    unsigned version;
    unsigned variants;
    uint64_t table_at;  /* first bucket's items */
    uint64_t table_end; /* bucket array */
    uint64_t buckets, entries;
    uint64_t records;     /* of all entries */
    uint64_t total_count; /* of all counters, saturating */
    bool has_memprof;
    uint64_t memprof_at, memprof_bytes;
    uint64_t binary_ids_at, binary_ids_size;
    uint64_t vtable_names_at, vtable_names_size;
    uint64_t traces_at, trace_number, trace_stream_size;
};

bool an_indexed_recognise(struct an_bytes file);

/* Reads the header and checks all that it leads to. */
enum an_code an_indexed_open(struct indexed_image *image, struct an_bytes file,
                             struct an_error *error);

/* A walk over the records of a checked image, in the file's order. */
struct indexed_walk {
    const struct indexed_image *image;
    uint64_t at;
    uint64_t entries_left;
    unsigned in_bucket; /* entries left in the current bucket */
    /* the current entry */
    const char *name;
    size_t name_length;
    uint64_t name_hash;
    uint64_t data_at, data_end;
};

struct indexed_record {
    uint64_t hash;
    uint64_t count_number;
    const uint8_t *counts; /* u64 each */
    uint64_t bitmap_bytes;
    const uint8_t *bitmap;
    unsigned bitmap_step;   /* from a byte of the bitmap to the next */
    const uint8_t *uniform; /* NULL: there are no such bits */
    bool has_values;
    struct value_block values;
};

struct indexed_walk an_indexed_walk(const struct indexed_image *image);

/* Steps to the next record; sets the walk's name and hash. AN_OK with *more false at the end. */
enum an_code an_indexed_next(struct indexed_walk *walk, struct indexed_record *record, bool *more,
                             struct an_error *error);

/* Serialises a settled profile for the compiler of a release (0: that is not known); bytes are appended to the buffer. Whatever
 * version and release the options ask for, they are these. */
enum an_code an_indexed_write(const struct an_llvm_profile *profile,
                              const struct an_llvm_write_options *options, unsigned version,
                              unsigned release, struct an_buffer *buffer,
                              struct an_llvm_left_out *left_out, struct an_error *error);

#endif
