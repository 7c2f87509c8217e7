/*
 * What is known of a layout of raw profiles: where each function's counters and values go.
 */
#ifndef AN_LLVM_RAW_PLAN_H
#define AN_LLVM_RAW_PLAN_H

#include "base/vector.h"
#include "llvm/addresses.h"
#include "llvm/raw_trace.h"
#include "llvm/sink.h"
#include "llvm/value_memo.h"

/* One function of a layout. */
struct planned {
    struct record *record; /* NULL: loose */
    uint32_t function;
    uint32_t slot;   /* index of its first counter in the section; of direct ones only */
    uint32_t warned; /* in which profile of the layout a warning was reported, counted from 1 */
};

/* A function that has value sites, and how many. */
struct valued {
    uint32_t planned;
    uint32_t first_site; /* sites are numbered through */
    uint16_t sites[AN_LLVM_VALUE_KINDS];
};

/* Irregular sites hold a value twice, or too many: the memo does not serve them. */
enum site_state {
    REGULAR,
    IRREGULAR,          /* in some order */
    IRREGULAR_BY_VALUE, /* sorted, as the next merge wants it */
};

/* Counters that lie side by side in the section and in memory. */
struct span {
    uint32_t first; /* slot */
    uint32_t number;
};

struct plan {
    struct raw_image image; /* of the copy: its counters and value data are not there */
    uint8_t *copy;
    struct an_symbols symbols;
    struct addresses addresses;
    bool has_probe; /* record `probe` has an address to measure the load distance by */
    uint64_t probe;
    struct planned *planned;
    struct valued *valued; /* ascending */
    size_t valued_number;
    struct an_llvm_site **sites; /* by their number; NULL for those of loose functions */
    struct value_memo memo;
    uint8_t *state; /* of each site: enum site_state */
    uint32_t *loose;
    size_t loose_number;
    uint64_t *counts; /* one for each slot of the section; NULL until the functions are made */
    struct trace_stamp *stamps; /* of a temporal layout: where each function has its time stamp */
    struct {
        AN_VECTOR(struct span);
    } spans;
    size_t unnamed;
    uint32_t applied; /* how many profiles have been added */
};

/*
 * Makes a plan from the first profile of a layout, which was checked. It belongs to the caller also
 * when this fails. Before it can be used, an_raw_plan_functions() has to make its functions.
 */
enum an_code an_raw_plan_make(struct plan *plan, const struct raw_image *image,
                              struct an_error *error);

/* Makes the records of the layout's functions in the sink's profile. False: no memory. */
bool an_raw_plan_functions(struct plan *plan, const struct merge_sink *sink);

/* Whether an image has the plan's layout, and how far from the plan's it was loaded. */
bool an_raw_plan_matches(const struct plan *plan, const struct raw_image *image, uint64_t *delta);

/* Reports warnings about function i of the layout, once for each profile. */
void an_raw_plan_warn(struct plan *plan, const struct merge_sink *sink, uint32_t i,
                      unsigned warnings);
void an_raw_plan_free(struct plan *plan);

#endif
