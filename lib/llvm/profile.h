/* The model: a profile in memory. The public half is in anneal/llvm.h. */
#ifndef AN_LLVM_PROFILE_H
#define AN_LLVM_PROFILE_H

#include <anneal/llvm.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/vector.h"
#include "llvm/memprof.h"
#include "llvm/origins.h"
#include "llvm/random.h"
#include "llvm/shape.h"

/*
 * LLVM sorts every site by count after each addition, and by value before the next. Doing that once
 * at the end gives the same, provided that it is known whether there was a next addition: it makes
 * the value decide between equal counts.
 */
enum value_order {
    FIRST_ORDER, /* added once: as the file had them, or by count already */
    BY_VALUE,    /* added to, and sorted by value */
    NO_ORDER,    /* added to, in any order; no value occurs twice */
};

struct record {
    uint64_t hash;
    uint64_t *counts;
    uint8_t *bitmap;
    uint8_t *uniform;              /* NULL: not known */
    struct an_llvm_values *values; /* NULL: no sites */
    struct record *next;           /* of the same name, in order of insertion */
    uint32_t function;             /* index of the name */
    uint32_t count_number;
    uint32_t bitmap_bytes;
    uint8_t order[AN_LLVM_VALUE_KINDS]; /* enum value_order of the sites of each kind */
    uint32_t origin, rank;              /* where it comes first; see lossless.h */
};

struct function {
    struct record *first;
    struct record *last;
    uint64_t name_hash;
    uint32_t records;
};

struct an_llvm_profile {
    struct an_arena arena;
    struct an_names names; /* index = function index */
    struct {
        AN_VECTOR(struct function);
    } functions;
    struct an_map by_hash; /* name hash -> function index + 1 */
    struct an_map crowded; /* finds records of names that have more than a few; see profile.c */
    size_t records;
    size_t filtered; /* functions that were taken out again */
    unsigned variants;
    bool has_kind; /* variants were set by a first input */

    /* The newest version that every compiler reads that an input is known to come from, as far as 12 does not do for it; 0:
     * that is known of none. */
    unsigned version;

    struct {
        AN_VECTOR(struct an_llvm_binary_id);
    } binary_ids;
    struct an_names known_ids; /* the same, to be looked up */
    struct an_names vtable_names;

    struct {
        AN_VECTOR(struct an_llvm_trace);
    } traces;
    uint64_t trace_stream_size;
    uint64_t trace_reservoir;
    uint64_t trace_length;
    enum an_llvm_trace_rule trace_rule;
    struct an_random random;

    /*
     * One of several pieces that are merged at a time: it is known beforehand where the trace of each input goes
     * (AN_NO_PLACE: nowhere). Then `traces` has all places, most of them empty.
     */
    const size_t *foreseen; /* of the input that is being added; NULL: this is no such piece */
    size_t traced;          /* inputs that had a trace */

    struct memprof memprof;

    uint64_t bound; /* no count in the profile is larger, pseudo counts aside */

    /*
     * Set when something happened whose outcome depends on the order of the inputs (a site that
     * overflowed, a mismatch): then pieces merged apart may not be put together.
     */
    bool order_matters;

    struct lossless lossless;
};

/*
 * The function of this name, made if new. The name is copied. AN_NO_NAME when memory runs out.
 * name_hash is what the caller believes to be the name's hash, or 0: it speeds the search up. With
 * `sure` it was computed from the name; what only stands in a file is computed again.
 */
size_t an_profile_function(struct an_llvm_profile *profile, const char *name, size_t length,
                           uint64_t name_hash, bool sure);

/* Makes room for so many more functions. False when memory runs out. */
bool an_profile_expect(struct an_llvm_profile *profile, size_t functions);

/* Adds a record, as an_llvm_profile_add(). False when memory runs out. */
bool an_profile_add(struct an_llvm_profile *profile, size_t function,
                    const struct an_llvm_record *record, uint64_t weight, unsigned *warnings);

/* The record with this hash, or NULL. Of a lossless profile, the one of this shape, which may be NULL otherwise. */
struct record *an_profile_find(const struct an_llvm_profile *profile, size_t function,
                               uint64_t hash, const struct record_shape *shape);

/* A new record without counts; NULL when memory runs out. */
struct record *an_profile_new_record(struct an_llvm_profile *profile, size_t function,
                                     uint64_t hash, const struct record_shape *shape);

/* Makes these the records of a function, in this order. Those that are left out must not be used any more. False when memory
 * runs out. */
bool an_profile_relink(struct an_llvm_profile *profile, size_t function, struct record **records,
                       size_t count);

/* Fills a new record, or merges into an old one: LLVM's InstrProfWriter::addRecord. */
bool an_record_fill(struct an_llvm_profile *profile, struct record *into,
                    const struct an_llvm_record *from, uint64_t weight, unsigned *warnings);
bool an_record_merge(struct an_llvm_profile *profile, struct record *into,
                     const struct an_llvm_record *from, uint64_t weight, unsigned *warnings);

/* Adds counts[0..number) times weight to into[], stopping at LARGEST_COUNT. */
void an_counts_add(uint64_t *into, const uint64_t *counts, size_t number, uint64_t weight,
                   unsigned *warnings);

/*
 * Says that counts of at most `largest` times weight are going to be added, to each count at most
 * one. True when no sum can overflow then, so that the adding need not look.
 */
bool an_profile_raise_bound(struct an_llvm_profile *profile, uint64_t largest, uint64_t weight);

/* a + b, stopping at UINT64_MAX. */
static inline uint64_t an_saturating_add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Takes into account that an input comes from a compiler that reads up to this version; 0: not known. */
void an_profile_note_version(struct an_llvm_profile *profile, unsigned version);

/* Whether a profile of this kind can be merged into this one; and doing so, false if it cannot. */
bool an_profile_kind_fits(const struct an_llvm_profile *profile, unsigned variants);
bool an_profile_merge_kind(struct an_llvm_profile *profile, unsigned variants);

bool an_profile_add_binary_id(struct an_llvm_profile *profile, const uint8_t *bytes, size_t size);

/* Adds the name of a virtual table, which is copied. False when memory runs out. */
bool an_profile_add_vtable_name(struct an_llvm_profile *profile, const char *name, size_t length);

/* Adds traces, sampling when there are more than the reservoir holds; see traces.c. */
bool an_profile_add_traces(struct an_llvm_profile *profile, const struct an_llvm_trace *traces,
                           size_t count, uint64_t stream_size, uint64_t weight);

#define AN_NO_PLACE SIZE_MAX

/*
 * Takes a run's trace into account, and tells where it goes in the reservoir: an_profile_put_trace() has to follow, unless
 * that is AN_NO_PLACE.
 */
size_t an_profile_draw_trace(struct an_llvm_profile *profile);

/* Puts a trace to its place. Its functions belong to the profile's arena. False: no memory. */
bool an_profile_put_trace(struct an_llvm_profile *profile, size_t place,
                          const struct an_llvm_trace *trace);

/* The same for a trace of another profile, which is copied. */
bool an_profile_take_trace(struct an_llvm_profile *profile, size_t place,
                           const struct an_llvm_trace *trace);

/* Fills in where each of `count` runs, with one trace each, has its trace in the end. */
bool an_profile_foresee_traces(const struct an_llvm_profile *profile, size_t *places, size_t count);

/* Merges all that `from` has into `into`, function by function. False when memory runs out. */
bool an_profile_merge(struct an_llvm_profile *into, const struct an_llvm_profile *from);

/* Sorts a record's sites of one kind by value, for merging. */
void an_record_order_by_value(struct record *record, int kind, bool lossless);

/* Brings the value sites of all records into their final order. Does nothing to a lossless profile. */
void an_profile_settle(struct an_llvm_profile *profile);

/* A record as readers deliver it. */
struct an_llvm_record an_profile_view(const struct an_llvm_profile *profile,
                                      const struct record *record);

#endif
