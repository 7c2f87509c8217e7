/*
 * The sections that LLVM's instrumentation leaves in a program or a shared library, and how a record of
 * a function looks, which depends on the compiler's version:
 *
 *                    7, 8 (LLVM 13 to 17)   9 (18)   10 (19 to 22)   11 (23)   7 (LLVM 13): the pointer
 *     name hash              0                0          0            0         to the counters is
 *     function hash          8                8          8            8         absolute; from 8 on it is
 *     counters              16               16         16           16         relative to the record
 *     uniform counters                                               24
 *     bitmap                                 24         24           32
 *     function              24               32         32           40
 *     values                32               40         40           48
 *     counter number        40               48         48           56
 *     sites of each kind    44 (2)           52 (2)     52 (3)       60 (3)
 *     size of a wave                                                 66
 *     bitmap bytes                           56         60           68
 *     size                  48               64         64           72
 *
 * These are records of 64-bit targets. Those of 32-bit targets have four bytes for each pointer (counters, uniform
 * counters, bitmap, function, values), and are 40, 48, 48 and 56 bytes long. Uniform counters and waves are those of
 * graphics processors: programs of this processor have none. lib/llvm/raw.c of anneal draws the file that the records
 * end up in. (Source: compiler-rt's InstrProfData.inc of the versions named; of 11, what clang 23 writes.)
 */
#ifndef AN_RT_LLVM_MODULE_H
#define AN_RT_LLVM_MODULE_H

#include "core/bytes.h"
#include "core/port.h"

enum { AN_RT_KINDS = 3 }; /* of values: targets of calls, sizes of memory operations, vtables */

/* Versions of the format that are known. */
enum { AN_RT_OLDEST = 7, AN_RT_NEWEST = 11 };

/* In records of all versions. */
enum { AN_RT_POINTER_TO_COUNTERS = 16 };

/* A record of a virtual table: hash of its name, address, size (32 bits). */
enum { AN_RT_VTABLE = 8 + 2 * sizeof(void *) };

/* Of the version word's upper half. */
#define AN_RT_BYTE_COVERAGE (1ull << 60)

struct an_rt_layout {
    uint8_t version;
    uint8_t record_size;
    uint8_t function, values, counter_number, sites;
    uint8_t bitmap, bitmap_bytes; /* 0: there is none */
    uint8_t kinds;
};

/* A value that was seen at a site, in a list. The compiler makes some room for these. */
struct an_rt_node {
    uint64_t value;
    uint64_t count;
    struct an_rt_node *next;
    uint64_t written; /* how far the count was when it was written: llvm_since.h */
    uint64_t due;     /* what is being written */
};

struct an_rt_part;

struct an_rt_module {
    struct an_rt_layout layout;
    uint64_t version_word; /* with variants in the upper half */
    struct an_rt_span data, counters, bitmap, names, vtables, vtable_names, nodes;
    struct an_rt_span build_id; /* size 0: none */
    const uint8_t *counts; /* what is written for counters: these themselves, or a copy of them */
    bool is_part;          /* of values, what is due is written, and not all of their counts */
    size_t records;
    size_t page; /* counters begin and end at such limits in the file; 0: nobody maps them */
    /* What the header says: records point to their counters and bitmaps relative to where they are in the program. */
    uint64_t counters_delta, bitmap_delta;
    const struct an_rt_part
        *parts; /* NULL: `data` is as it is in the program. Otherwise: llvm_mix.h */
    size_t part_count;
    size_t unknown; /* bytes of records of versions that are not known */
};

/* How version `version` of the format lays out its records; NULL: not known. */
const struct an_rt_layout *an_rt_layout(unsigned version);

/*
 * The module that this copy of the runtime is linked into. NULL: nothing in it is instrumented, or nothing by a version
 * that is known.
 */
const struct an_rt_module *an_rt_module(void);

/* The same; where that is NULL, what the profile is all the same: a header. */
const struct an_rt_module *an_rt_module_any(void);

/* The code counts there from now on, and not in its sections any more (continuous.h). */
void an_rt_module_move(uint8_t *counters, uint8_t *bitmap);

/*
 * What is instrumented, but by versions that are not known, so that its counts cannot be written: bytes of records. 0:
 * nothing. *told: the version of some object, perhaps of one that is known; 0: none told.
 */
size_t an_rt_unknown(unsigned *told);

/* A number that differs between builds whose profiles cannot be added up: of these records. */
uint64_t an_rt_signature(const struct an_rt_layout *layout, uint64_t version_word,
                         const uint8_t *data, size_t records);

/* The same where there are no records: of the number of counters and the build id. */
uint64_t an_rt_bare_signature(uint64_t version_word, uint64_t counters, const uint8_t *build_id,
                              size_t size);

static inline uint64_t an_rt_module_signature(const struct an_rt_module *module)
{
    if (module->records == 0)
        return an_rt_bare_signature(module->version_word, module->counters.size,
                                    module->build_id.begin, module->build_id.size);
    return an_rt_signature(&module->layout, module->version_word, module->data.begin,
                           module->records);
}

static inline uint8_t *an_rt_record(const struct an_rt_module *module, size_t number)
{
    return module->data.begin + number * module->layout.record_size;
}

/* Where the counters of a record begin in their section. */
static inline uintptr_t an_rt_counters_at(const struct an_rt_module *module, size_t number)
{
    uintptr_t pointer =
        an_rt_load_address(an_rt_record(module, number) + AN_RT_POINTER_TO_COUNTERS);
    size_t from_first = module->layout.version > 7 ? number * module->layout.record_size : 0;
    return pointer + from_first - (uintptr_t)module->counters_delta;
}

static inline unsigned an_rt_sites(const struct an_rt_layout *layout, const uint8_t *record,
                                   unsigned kind)
{
    return kind < layout->kinds ? an_rt_load16(record + layout->sites + 2 * kind) : 0;
}

/* Of all kinds. */
static inline unsigned an_rt_sites_of(const struct an_rt_layout *layout, const uint8_t *record)
{
    unsigned sites = 0;
    for (unsigned kind = 0; kind < layout->kinds; kind++)
        sites += an_rt_sites(layout, record, kind);
    return sites;
}

#endif
