/* Raw profiles: what compiler-rt's runtime writes at exit. */
#ifndef AN_LLVM_RAW_H
#define AN_LLVM_RAW_H

#include <anneal/llvm.h>

#include "base/bytes.h"
#include "base/error.h"
#include "llvm/names.h"

/* A part of the file, with its place for messages. */
struct raw_section {
    const uint8_t *data;
    uint64_t size; /* bytes */
    uint64_t at;   /* offset in the file */
};

/* Where the fields of one function's data record are; 0 bytes wide where a version has none. */
struct raw_fields {
    uint8_t size; /* of the whole record */
    uint8_t pointer;
    uint8_t counter_pointer;
    uint8_t uniform_pointer; /* 0: none */
    uint8_t bitmap_pointer;  /* 0: none */
    uint8_t function_pointer;
    uint8_t counter_number;
    uint8_t sites;
    uint8_t kinds;        /* how many 16-bit site numbers there are */
    uint8_t bitmap_bytes; /* 0: none */
};

/* One raw profile; a file can hold several. All sections are inside the file. */
struct raw_image {
    struct an_bytes file;
    uint64_t at;  /* of the header */
    uint64_t end; /* behind the value data; known once checked */
    unsigned version;
    unsigned variants;
    uint64_t version_word;
    bool big;
    bool wide;
    struct raw_fields fields;
    struct raw_section header, binary_ids, data, counters, bitmap, uniform, names, vtables,
        vtable_names;
    uint64_t values_at;
    uint64_t data_number;
    uint64_t vtable_number;
    uint64_t counters_delta;
    uint64_t bitmap_delta;
    uint64_t uniform_delta;
};

struct raw_record {
    uint64_t name_hash;
    uint64_t hash;
    uint64_t function_address;
    uint64_t counter_offset; /* in the counters section */
    uint64_t bitmap_offset;
    uint64_t uniform_offset; /* where the profile has such counters */
    uint32_t slots;          /* counters including the timestamp's place */
    uint32_t bitmap_bytes;
    uint16_t sites[AN_LLVM_VALUE_KINDS];
};

/* Reads and checks the header at `at`: afterwards all sections lie inside the file. */
enum an_code an_raw_open(struct raw_image *image, struct an_bytes file, uint64_t at,
                         struct an_error *error);

/* The same for a profile that may have counters only (correlated.h); and whether it has. */
enum an_code an_raw_open_bare(struct raw_image *image, struct an_bytes file, uint64_t at,
                              struct an_error *error);
bool an_raw_lacks_data(const struct raw_image *image);

/* Where fields are in a version's data records. */
struct raw_fields an_raw_fields(unsigned version, bool wide);

/* Makes the copy of an image's header one of a profile with data: so many functions, with their counters from 0 on, and so
 * many bytes of names. */
void an_raw_patch_header(uint8_t *header, const struct raw_image *image, uint64_t functions,
                         uint64_t names);

/*
 * Checks every record and all value data, sets image->end. Afterwards nothing in the image needs
 * a further check. *total grows by the sum of the counters.
 */
enum an_code an_raw_check(struct raw_image *image, uint64_t *total, struct an_error *error);

/*
 * Reads and checks the block of value data at *at, which belongs to a function with these sites,
 * and steps over it.
 */
struct value_block;
enum an_code an_raw_read_values(const struct raw_image *image,
                                const uint16_t sites[AN_LLVM_VALUE_KINDS], uint64_t *at,
                                struct value_block *block, struct an_error *error);

/* Decodes record i. */
void an_raw_record(const struct raw_image *image, uint64_t i, struct raw_record *record);

/* How many counters a function has in the model, its timestamp aside. */
uint32_t an_raw_count_number(const struct raw_image *image, const struct raw_record *record);

/* Writes a record's counters, in the model's form. Returns the timestamp, or 0. */
uint64_t an_raw_counts(const struct raw_image *image, const struct raw_record *record,
                       uint64_t *counts);

/* Writes the bits of a record of a profile that has uniform counters (an_llvm_uniform_bytes). */
void an_raw_uniform(const struct raw_image *image, const struct raw_record *record, uint8_t *bits);

/* Up to version 7 binary ids, and so all that follows them, are not aligned. */
static inline bool an_raw_pads_binary_ids(unsigned version)
{
    return version >= 8;
}

/* 1 or 8 bytes */
static inline unsigned an_raw_counter_size(const struct raw_image *image)
{
    return image->variants & AN_LLVM_BYTE_COVERAGE ? 1 : 8;
}

/* Whether the record has a block of value data. */
static inline bool an_raw_has_values(const struct raw_record *record)
{
    return record->sites[0] | record->sites[1] | record->sites[2];
}

/* Reads a vtable record. */
struct raw_vtable {
    uint64_t name_hash;
    uint64_t address;
    uint64_t size;
};
void an_raw_vtable(const struct raw_image *image, uint64_t i, struct raw_vtable *vtable);
uint64_t an_raw_vtable_size(bool wide);

/* After a whole image the next one begins, after zero bytes. *more tells whether there is one. */
enum an_code an_raw_next(const struct raw_image *image, uint64_t *at, bool *more,
                         struct an_error *error);

/* Fails when two raw profiles of one file cannot be merged. */
enum an_code an_raw_check_kind(const struct raw_image *first, const struct raw_image *image,
                               struct an_error *error);

/* Whether the bytes begin as a raw profile. */
bool an_raw_recognise(struct an_bytes file);

#endif
