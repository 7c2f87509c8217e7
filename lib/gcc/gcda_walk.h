/*
 * Walking through the records of a gcda file: everything that can be said of a file by itself is checked
 * here, so that those who read it and those who add it up need not.
 */
#ifndef AN_GCC_GCDA_WALK_H
#define AN_GCC_GCDA_WALK_H

#include "gcc/format.h"

/* More is refused, so that numbers of counters and values fit into 32 bits. */
enum { AN_GCDA_MOST_BYTES = 512 << 20 };

struct an_gcda_header {
    struct an_gcc_version version;
    bool big; /* byte order */
    uint32_t stamp, checksum;
};

enum an_gcda_what {
    AN_GCDA_END,
    AN_GCDA_SUMMARY,
    AN_GCDA_PROGRAM,
    AN_GCDA_FUNCTION,
    AN_GCDA_COUNTERS,
};

struct an_gcda_record {
    enum an_gcda_what what;
    size_t at;                   /* where it begins */
    uint32_t runs, sum_max;      /* of a summary */
    struct an_cursor program;    /* what is in that one; see program.h */
    bool is_present;             /* a function; else there is nothing about it */
    uint32_t ident;              /* tells functions of an object apart */
    uint32_t line_sum, flow_sum; /* its checksums */
    unsigned kind;               /* of counters */
    enum an_gcc_rule rule;       /* its rule */
    bool are_zero;               /* all of them; then there are no values */
    uint32_t count;              /* of lists: with totals and lengths */
    uint32_t places;             /* how many lists these are */
    const uint8_t *values;       /* in the file */
};

struct an_gcda_walk {
    struct an_gcda_header header;
    struct an_cursor cursor;
    bool in_function;
    int last_kind; /* of the function; -1: none yet */
};

/* Reads the header of a file. AN_MALFORMED and the like say where. */
enum an_code an_gcda_walk(struct an_gcda_walk *walk, struct an_bytes file, struct an_error *error);

/*
 * The next record; AN_GCDA_END behind the last one. What stands behind the end mark does not count:
 * libgcov leaves the rest of a longer file there.
 */
enum an_code an_gcda_next(struct an_gcda_walk *walk, struct an_gcda_record *record,
                          struct an_error *error);

/* A value of the file. */
static inline uint64_t an_gcda_value(const uint8_t *from, bool big)
{
    if (!big && !AN_HOST_BIG)
        return an_load64(from);
    return an_get32(from, big) | (uint64_t)an_get32(from + 4, big) << 32;
}

/* So many values of the file. */
static inline void an_gcda_values(uint64_t *to, const uint8_t *from, size_t count, bool big)
{
    if (!big && !AN_HOST_BIG && count)
        memcpy(to, from, 8 * count);
    for (size_t i = 0; (big || AN_HOST_BIG) && i < count; i++)
        to[i] = an_gcda_value(from + 8 * i, big);
}

#endif
