/* What the steps of a translation share; inside of anneal/branch.h. */
#ifndef AN_BRANCH_TRANSLATION_H
#define AN_BRANCH_TRANSLATION_H

#include <anneal/branch.h>

#include "bolt/bat_reverse.h"
#include "branch/flow.h"
#include "branch/layouts.h"
#include "branch/sampling.h"

struct an_translation {
    struct an_translate_options options;
    struct an_layouts layouts;
    struct an_mappings mappings;
    struct an_samples *samples;
    struct an_sampling sampling;
    struct an_counted counted;
    struct an_flow *flow; /* of the original's code that ran */
    struct an_records records;
    struct an_translate_counts counts;
    uint64_t *by_layout;
    bool *on_stack;                 /* by function, if it is known */
    struct an_bat_reverse *reverse; /* into the target, if it is not the original */
    struct an_error unusable;       /* why nothing can be written, if so */
};

/* Reads what was recorded, or counted, at the addresses that the layouts were linked to. */
enum an_code an_translation_read(struct an_translation *translation, const char *recording,
                                 struct an_error *error);

/* Turns what was read into records between places in the original's functions. */
enum an_code an_translation_resolve(struct an_translation *translation, struct an_error *error);

/* A place as an address: in the target if there is one, else in the original. False: the target
 * does not have it. */
bool an_translation_address(const struct an_translation *translation, an_place place,
                            bool is_source, uint64_t *address);

#endif
