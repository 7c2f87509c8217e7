/* Inside an an_llvm_reader; the public half is in anneal/llvm.h. */
#ifndef AN_LLVM_READER_H
#define AN_LLVM_READER_H

#include <anneal/llvm.h>

#include "llvm/addresses.h"
#include "llvm/indexed.h"
#include "llvm/raw.h"
#include "llvm/text.h"

/* One of the raw profiles in a file, with what its addresses and hashes mean. */
struct raw_part {
    struct raw_image image;
    struct an_symbols symbols;
    struct addresses addresses;
};

struct an_llvm_reader {
    struct an_bytes file;
    struct an_llvm_info info;
    bool failed;

    struct {
        AN_VECTOR(struct raw_part);
    } parts;
    struct indexed_image indexed;
    struct memprof memprof; /* of an indexed profile */
    struct text_image text;

    /* where the walk is */
    size_t part;
    uint64_t index;     /* record in the part, or in the text */
    uint64_t values_at; /* value data of the next raw record */
    struct indexed_walk walk;

    /* memory of the current record */
    uint64_t *counts;
    size_t count_capacity;
    uint8_t *bitmap;
    size_t bitmap_capacity;
    uint8_t *uniform;
    size_t uniform_capacity;
    struct value_scratch values;

    struct {
        AN_VECTOR(struct an_llvm_binary_id);
    } binary_ids;
    struct {
        AN_VECTOR(struct an_llvm_trace);
    } traces;
    struct an_arena arena;     /* of traces */
    struct an_symbols symbols; /* of an indexed profile, made when first asked for */
    bool symbols_made;
};

/* As an_llvm_reader_next(), and tells the name's hash when the file has it, else 0. */
bool an_reader_next(struct an_llvm_reader *reader, struct an_llvm_record *record,
                    uint64_t *name_hash);

/* Calls visit for every virtual table name of the file. False when memory runs out. */
bool an_reader_vtable_names(struct an_llvm_reader *reader,
                            bool (*visit)(void *context, const char *name, size_t length),
                            void *context);

#endif
