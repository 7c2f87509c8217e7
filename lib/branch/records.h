/*
 * Branches between places in functions, as numbers, until they are written as fdata: millions may
 * be added, and only what is left in the end gets its names.
 */
#ifndef AN_BRANCH_RECORDS_H
#define AN_BRANCH_RECORDS_H

#include "base/vector.h"
#include "branch/counted.h"
#include "elf/functions.h"

/* A function's index and an offset in it, which order as pairs; AN_PLACE_UNKNOWN lies in none. */
typedef uint64_t an_place;
#define AN_PLACE_UNKNOWN ((an_place)UINT32_MAX << 32)

static inline an_place an_place_make(size_t function, uint64_t offset)
{
    return (an_place)function << 32 | (uint32_t)offset;
}

static inline uint32_t an_place_function(an_place place)
{
    return (uint32_t)(place >> 32);
}

struct an_record {
    an_place from, to; /* to: 0 for a sample without branches */
    uint64_t count, mispreds;
};

struct an_memory_record {
    an_place from;
    const char *object; /* name of the data, or NULL */
    uint64_t offset, count;
};

struct an_records {
    struct {
        AN_VECTOR(struct an_record);
    } branches;
    struct {
        AN_VECTOR(struct an_memory_record);
    } memory;
};

bool an_records_add(struct an_records *records, an_place from, an_place to, uint64_t count,
                    uint64_t mispreds);
void an_records_free(struct an_records *records);

/* Makes one record of those between the same places. */
bool an_records_combine(struct an_records *records);

/* The name that a function has in the profile. */
typedef const char *an_function_name(const struct an_function *function);

struct an_records_format {
    bool bolted;            /* recorded on a program that BOLT had optimised */
    bool no_branches;       /* samples */
    const char *events;     /* of samples: names, separated by blanks */
    an_function_name *name; /* what functions are called */
    const struct an_counted
        *counted; /* what the offsets of unknown places are numbers in; NULL: they are 0 */
};

/*
 * Appends the records as fdata, in perf2bolt's order: by the name of the function that a record
 * belongs to (that of its source; of its target if the source is unknown), then by offset, then by
 * target. Failure shows in buffer->failed.
 */
void an_records_write(const struct an_records *records, const struct an_functions *functions,
                      const struct an_records_format *format, struct an_buffer *buffer);

#endif
