/* A profile of fdata in memory: what kind it is, its records, and after settling their order. */
#ifndef AN_BOLT_FDATA_PROFILE_H
#define AN_BOLT_FDATA_PROFILE_H

#include <anneal/fdata.h>

#include "base/error.h"
#include "bolt/fdata_header.h"
#include "bolt/fdata_table.h"

/* An event, and by what it comes before others: first input that names it, place in there. */
struct fdata_ranked_event {
    struct an_fdata_event event;
    uint64_t rank;
};

/* Where a record is: an entry, or one of its variants. */
struct fdata_place {
    uint32_t entry;
    uint32_t variant_plus_1; /* 0: the entry itself */
};

struct an_fdata_profile {
    struct fdata_table table;
    bool has_kind; /* else no_lbr and bolted say nothing yet */
    bool no_lbr, bolted;
    bool whole_lines; /* mispredictions are part of what tells records apart */
    bool is_lossless; /* nothing depends on the order of inputs */
    struct {
        AN_VECTOR(struct fdata_ranked_event);
    } events;
    struct an_fdata_event *sorted_events; /* once settled */
    struct an_arena arena;                /* the events' names */
    struct fdata_place *order;            /* of the records, once settled; else NULL */
    size_t order_count;
    struct an_fdata_info info; /* once settled */
};

/* NULL: no memory. */
struct an_fdata_profile *an_fdata_profile_new(bool whole_lines);

/* Remembers an event's name, once, with its smallest rank; false when memory runs out. */
bool an_fdata_profile_add_event(struct an_fdata_profile *profile, const char *name, size_t length,
                                uint64_t rank);

/* Remembers the events of the how manyth input's header. */
bool an_fdata_profile_add_events(struct an_fdata_profile *profile,
                                 const struct fdata_header *header, size_t input);

/* Adds all of part, a profile of the same kind or of none yet, whose records are taken over. */
bool an_fdata_profile_absorb(struct an_fdata_profile *profile, struct an_fdata_profile *part);

/* The location whose function a record belongs to, or NULL: `from`, or `to` of a branch when the
 * former is no symbol. */
const struct an_fdata_location *an_fdata_owner(const struct an_fdata_record *record);

/* Counts a record among those of its kind. */
void an_fdata_info_add(struct an_fdata_info *info, const struct an_fdata_record *record);

/* The most that a count of the profile can be. */
static inline uint64_t an_fdata_profile_most(const struct an_fdata_profile *profile)
{
    return profile->whole_lines ? UINT64_MAX : AN_FDATA_MOST;
}

/* What a record's lines add up to. */
void an_fdata_sums(const struct an_fdata_profile *profile, struct fdata_place place,
                   uint64_t *mispreds, uint64_t *count);

/* Takes a record's key apart. */
void an_fdata_decode(const struct an_fdata_profile *profile, struct fdata_place place,
                     struct an_fdata_record *record);

#endif
