/* Merging without loss; see lossless.h. */
#include "llvm/lossless.h"

#include <stdlib.h>
#include <string.h>

#include "llvm/sink.h"
#include "llvm/trace_draw.h"

/* ---- records ---- */

bool an_lossless_add(struct an_llvm_profile *profile, size_t function,
                     const struct an_llvm_record *from, const uint8_t order[AN_LLVM_VALUE_KINDS],
                     struct record_origin origin, unsigned *warnings)
{
    struct record_shape shape = an_shape_of(from);
    struct record *record = an_profile_find(profile, function, from->hash, &shape);
    if (record) {
        struct record_origin old = {record->origin, record->rank};
        if (an_lossless_compare(&profile->lossless, origin, old) < 0) {
            record->origin = origin.input;
            record->rank = origin.rank;
        }
        return an_record_merge(profile, record, from, 1, warnings);
    }
    record = an_profile_new_record(profile, function, from->hash, &shape);
    if (!record || !an_record_fill(profile, record, from, 1, warnings))
        return false;
    record->origin = origin.input;
    record->rank = origin.rank;
    memcpy(record->order, order, sizeof record->order);
    return true;
}

/* A record with what it is sorted by. */
struct placed {
    const struct an_llvm_profile *profile;
    struct record *record;
    size_t place;
};

static int by_origin(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;
    int order = an_lossless_compare(
        &left->profile->lossless, (struct record_origin){left->record->origin, left->record->rank},
        (struct record_origin){right->record->origin, right->record->rank});
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

static int by_hash(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;
    if (left->record->hash != right->record->hash)
        return left->record->hash < right->record->hash ? -1 : 1;
    return (left->place > right->place) - (left->place < right->place);
}

/* The records of a function in the order of their origins, for the caller to free. NULL: no memory. */
static struct placed *arranged(struct an_llvm_profile *profile, const struct function *function)
{
    struct placed *list = an_alloc(function->records, sizeof *list);
    size_t count = 0;
    for (struct record *r = function->first; list && r; r = r->next, count++)
        list[count] = (struct placed){profile, r, count};
    if (!list)
        return NULL;
    qsort(list, count, sizeof *list, by_origin);
    for (size_t i = 0; i < count; i++)
        list[i].place = i;
    return list;
}

static bool relink(struct an_llvm_profile *profile, size_t function, const struct placed *list,
                   size_t count)
{
    struct record **records = an_alloc(count, sizeof *records);
    size_t left = 0;
    for (size_t i = 0; records && i < count; i++)
        if (list[i].record)
            records[left++] = list[i].record;
    bool done = records && an_profile_relink(profile, function, records, left);
    free(records);
    return done;
}

/* Merges records of one hash into the first of them, which may keep some of what they have. */
static bool merge_shapes(struct an_llvm_profile *profile, const struct merge_sink *sink,
                         size_t function, struct placed *list, size_t count)
{
    const struct an_name *name = &profile->names.names[function];
    bool done = true;
    qsort(list, count, sizeof *list, by_hash);
    for (size_t first = 0, i = 1; done && i < count; i++) {
        if (list[i].record->hash != list[first].record->hash) {
            first = i;
            continue;
        }
        struct an_llvm_record view = an_profile_view(profile, list[i].record);
        unsigned warnings = 0;
        done = an_record_merge(profile, list[first].record, &view, 1, &warnings);
        an_sink_warn(sink, name->text, name->length, warnings);
        list[i].record = NULL;
    }
    return done;
}

static int by_place(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;
    return (left->place > right->place) - (left->place < right->place);
}

/* Arranges the records of all functions that have several; with a sink, shapes become one. */
static bool arrange_records(struct an_llvm_profile *profile, const struct merge_sink *sink)
{
    bool done = true;
    an_map_free(&profile->crowded); /* relinking fills it anew */
    for (size_t f = 0; done && f < profile->functions.count; f++) {
        const struct function *function = &profile->functions.items[f];
        size_t count = function->records;
        if (count < 2)
            continue;
        struct placed *list = arranged(profile, function);
        done = list != NULL;
        if (done && sink) {
            done = merge_shapes(profile, sink, f, list, count);
            qsort(list, count, sizeof *list, by_place);
        }
        done = done && relink(profile, f, list, count);
        free(list);
    }
    return done;
}

/* ---- traces ---- */

bool an_lossless_merge_traces(struct an_llvm_profile *profile, const struct an_llvm_profile *from,
                              uint32_t offset)
{
    bool done = true;
    an_lossless_limit_traces(profile, from->trace_reservoir, from->trace_length);
    for (size_t i = 0; done && i < from->traces.count; i++) {
        const struct trace_mark *mark = &from->lossless.marks.items[i];
        size_t place =
            an_lossless_draw_trace(profile, offset + mark->input, mark->index, mark->rate);
        done =
            place == AN_NO_PLACE || an_profile_take_trace(profile, place, &from->traces.items[i]);
    }
    profile->trace_stream_size =
        an_saturating_add(profile->trace_stream_size, from->trace_stream_size);
    return done;
}

/* A trace with its mark. */
struct marked {
    const struct an_llvm_profile *profile;
    struct an_llvm_trace trace;
    struct trace_mark mark;
};

static int by_input(const void *a, const void *b)
{
    const struct marked *left = a, *right = b;
    int order =
        an_lossless_compare_inputs(&left->profile->lossless, left->mark.input, right->mark.input);
    return order ? order
                 : (left->mark.index > right->mark.index) - (left->mark.index < right->mark.index);
}

static bool arrange_traces(struct an_llvm_profile *profile)
{
    size_t count = profile->traces.count;
    struct marked *list = an_alloc(count, sizeof *list);
    if (!list)
        return false;
    for (size_t i = 0; i < count; i++)
        list[i] =
            (struct marked){profile, profile->traces.items[i], profile->lossless.marks.items[i]};
    qsort(list, count, sizeof *list, by_input);
    profile->lossless.knows_last = false;
    for (size_t i = 0; i < count; i++) {
        profile->traces.items[i] = list[i].trace;
        profile->lossless.marks.items[i] = list[i].mark;
    }
    free(list);
    return true;
}

/* ---- the whole ---- */

static void order_sites(struct an_llvm_profile *profile)
{
    for (size_t f = 0; f < profile->functions.count; f++)
        for (struct record *r = profile->functions.items[f].first; r; r = r->next)
            for (int kind = 0; r->values && kind < AN_LLVM_VALUE_KINDS; kind++)
                if (r->order[kind] != FIRST_ORDER) {
                    r->order[kind] = NO_ORDER; /* some of the sites may be sorted, and not all */
                    an_record_order_by_value(r, kind, true);
                }
}

bool an_lossless_arrange(struct an_llvm_profile *profile)
{
    order_sites(profile);
    return arrange_records(profile, NULL) && arrange_traces(profile);
}

bool an_lossless_resolve(struct an_llvm_profile *profile, const struct merge_sink *sink)
{
    if (!arrange_records(profile, sink) || !arrange_traces(profile))
        return false;
    order_sites(profile);
    profile->lossless.is_on = false;
    return true;
}
