/*
 * What GCC leaves in an object for the runtime; it hands this to __gcov_init. Counters have 64 bits, pointers as
 * many as the target's.
 *
 *     info      version (32) │ next │ stamp (32) │ checksum (32; GCC 12) │ name of the gcda file │
 *               merge functions, one for each kind of counters; NULL: the object has none of that kind │
 *               number of functions (32) │ functions
 *     function  key: the info that it belongs to, when the linker kept this copy of it │ ident (32) │
 *               checksum of its line (32) │ checksum of its flow (32) │ for each kind that the object has:
 *               number of counters (32) │ counters
 *
 * There are 8 kinds until GCC 13, 9 in GCC 14 (conditions) and 10 from GCC 15 on (paths). Counters of frequent
 * values are three words for each place: total, length of the list, list.
 * (GCC's libgcc/libgcov.h, gcc/coverage.cc. anneal's lib/gcc/format.h draws the file.)
 */
#ifndef AN_RT_GCC_INFO_H
#define AN_RT_GCC_INFO_H

#include "core/port.h"

enum {
    AN_RT_ARCS,
    AN_RT_INTERVAL,
    AN_RT_POW2,
    AN_RT_TOPN,
    AN_RT_INDIRECT,
    AN_RT_AVERAGE,
    AN_RT_IOR,
    AN_RT_TIME,
    AN_RT_CONDITIONS,
    AN_RT_PATHS,
};

struct an_rt_gcc_info {
    uint32_t version;
    struct an_rt_gcc_info *next;
    uint32_t stamp, checksum;
    const char *name;
    void (*merge[])(int64_t *, unsigned); /* the rest depends on how many these are */
};

struct an_rt_gcc_counters {
    uint32_t number;
    int64_t *values;
};

struct an_rt_gcc_function {
    const struct an_rt_gcc_info *key;
    uint32_t ident, line_sum, flow_sum;
    struct an_rt_gcc_counters counters[];
};

/* A list of values with their counts, in the order in which they came. */
struct an_rt_gcc_pair {
    int64_t value, count;
    struct an_rt_gcc_pair *next;
};

enum { AN_RT_GCC_OLDEST = 11, AN_RT_GCC_NEWEST = 16 };

/* GCC's release: 11, 12...; 0: none that is known. */
unsigned an_rt_gcc_release(uint32_t version);

/* The same, of releases that are not known, too; 0: no release. */
unsigned an_rt_gcc_any_release(uint32_t version);

unsigned an_rt_gcc_kinds(const struct an_rt_gcc_info *info);
unsigned an_rt_gcc_functions(const struct an_rt_gcc_info *info);

/* NULL when the program has another object's copy of it, or none. */
const struct an_rt_gcc_function *an_rt_gcc_function(const struct an_rt_gcc_info *info,
                                                    unsigned number);

static inline bool an_rt_gcc_is_list(unsigned kind)
{
    return kind == AN_RT_TOPN || kind == AN_RT_INDIRECT;
}

enum { AN_RT_PLACE = 3 }; /* words of a place of a list */

/* Processors of 32 bits add 64 in two steps: what an interrupt counts in between may be lost. */
static inline void an_rt_gcc_count(int64_t *counter, int64_t by, bool atomic)
{
#if UINTPTR_MAX > UINT32_MAX
    if (atomic) {
        __atomic_fetch_add(counter, by, __ATOMIC_RELAXED);
        return;
    }
#endif
    (void)atomic;
    *counter += by;
}

#endif
