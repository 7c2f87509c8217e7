/*
 * Training runs leave thousands of raw profiles of the same binary. Only three things differ
 * between them: the counters, the value data, and, under address space randomisation, the pointers,
 * all by the same distance. So the first profile of a layout yields a plan: a copy of its data and
 * name sections, and for each of its functions the record that it goes to. A further profile is
 * compared with that copy; if they agree, its counters section is added to the plan's as one array
 * and only its value data is looked at function by function. Nothing is decompressed, hashed or
 * looked up by name again.
 *
 *     profile   | header | data ........ | counters ...... | names | value data |
 *                           compare           add             compare   merge
 *     plan               | data (copy)   | counts of the    | names |
 *                                          profile's records
 *
 * A function whose name and hash were known before the layout was (from another binary, or twice
 * in the same one) is not part of the array: it is "loose" and merged by itself.
 */
#include "llvm/raw_merge.h"

#include <string.h>

#include "base/map.h"
#include "base/secret.h"
#include "llvm/raw_layout.h"
#include "llvm/raw_plan.h"
#include "llvm/raw_sites.h"
#include "llvm/value_data.h"

/* A raw profile of the current file, with its plan. */
struct part {
    struct raw_image image;
    struct plan *plan;
    uint64_t load_delta;
    uint64_t largest; /* no counter is larger */
    size_t first_found, found_end;
};

enum {
    MOST_SOURCES = 64, /* more raw profiles in one file are read one by one if they have traces */
    FEW_PLANS = 8,     /* are compared with one by one, more are looked up */
};

struct raw_merger {
    struct {
        AN_VECTOR(struct plan *);
    } plans;
    struct an_map
        by_layout; /* plans + 1 by the hashes of their layouts; where two share one, the first */
    size_t hashed; /* plans that are in it */
    struct {
        AN_VECTOR(struct part);
    } parts;
    struct {
        AN_VECTOR(struct found);
    } found; /* of all parts */
    struct value_scratch scratch;
    uint64_t *scratch_counts;
    size_t scratch_capacity;
};

/* ---- life ---- */

struct raw_merger *an_raw_merger_new(void)
{
    return an_alloc_zero(1, sizeof(struct raw_merger));
}

void an_raw_merger_free(struct raw_merger *merger)
{
    if (!merger)
        return;
    for (size_t i = 0; i < merger->plans.count; i++)
        an_raw_plan_free(merger->plans.items[i]);
    an_vector_free(&merger->plans);
    an_map_free(&merger->by_layout);
    an_vector_free(&merger->parts);
    an_vector_free(&merger->found);
    an_value_scratch_free(&merger->scratch);
    free(merger->scratch_counts);
    free(merger);
}

/* ---- adding a profile by its plan ---- */

/* Adds counters whose sums cannot overflow. */
static void add_safely(uint64_t *into, const uint8_t *from, size_t number, uint64_t weight)
{
    if (weight == 1)
        for (size_t i = 0; i < number; i++)
            into[i] += an_load64(from + 8 * i);
    else
        for (size_t i = 0; i < number; i++)
            into[i] += an_load64(from + 8 * i) * weight;
}

/* The careful way, function by function. */
static void add_slots(const struct merge_sink *sink, struct plan *plan, const uint8_t *counters,
                      uint32_t first, uint32_t number, uint64_t weight, uint32_t *function)
{
    while (number) {
        const struct planned *planned = &plan->planned[*function];
        if (!planned->record || planned->slot + planned->record->count_number <= first) {
            ++*function;
            continue;
        }
        if (planned->slot > first) { /* a time stamp */
            number -= planned->slot - first;
            first = planned->slot;
            continue;
        }
        uint32_t end = planned->slot + planned->record->count_number;
        uint32_t here = end - first < number ? end - first : number;
        unsigned warnings = 0;
        for (uint32_t i = 0; i < here; i++) {
            uint64_t count = an_load64(counters + 8 * (size_t)(first + i));
            an_counts_add(plan->counts + first + i, &count, 1, weight, &warnings);
        }
        an_raw_plan_warn(plan, sink, *function, warnings);
        first += here;
        number -= here;
    }
}

static void add_counters(const struct merge_sink *sink, struct plan *plan, const struct part *part,
                         uint64_t weight)
{
    const uint8_t *counters = part->image.counters.data;
    uint32_t function = 0;
    bool safe = an_profile_raise_bound(sink->profile, part->largest, weight);
    for (size_t s = 0; s < plan->spans.count; s++) {
        struct span span = plan->spans.items[s];
        if (safe)
            add_safely(plan->counts + span.first, counters + 8 * (size_t)span.first, span.number,
                       weight);
        else
            add_slots(sink, plan, counters, span.first, span.number, weight, &function);
    }
}

static void add_bitmaps(const struct plan *plan, const struct raw_image *image)
{
    for (uint64_t i = 0; image->bitmap.size && i < image->data_number; i++) {
        struct record *record = plan->planned[i].record;
        if (!record || !record->bitmap_bytes)
            continue;
        struct raw_record raw;
        an_raw_record(image, i, &raw);
        for (uint32_t b = 0; b < raw.bitmap_bytes; b++)
            record->bitmap[b] |= image->bitmap.data[raw.bitmap_offset + b];
    }
}

static bool add_loose(struct raw_merger *merger, const struct merge_sink *sink, struct plan *plan,
                      const struct raw_image *image, uint32_t i, const struct value_block *block,
                      uint64_t weight)
{
    struct raw_record raw;
    an_raw_record(image, i, &raw);
    if (raw.slots > merger->scratch_capacity) {
        free(merger->scratch_counts);
        merger->scratch_counts = an_alloc(2 * (size_t)raw.slots, sizeof(uint64_t));
        merger->scratch_capacity = merger->scratch_counts ? 2 * (size_t)raw.slots : 0;
        if (!merger->scratch_counts)
            return false;
    }
    an_raw_counts(image, &raw, merger->scratch_counts);
    struct an_llvm_record record = {
        .hash = raw.hash,
        .counts = merger->scratch_counts,
        .count_number = an_raw_count_number(image, &raw),
        .bitmap_bytes = raw.bitmap_bytes,
        .bitmap = (uint8_t *)image->bitmap.data + raw.bitmap_offset,
    };
    if (block) {
        record.values = an_value_block_decode(block, image->big, an_addresses_map, &plan->addresses,
                                              &merger->scratch);
        if (!record.values)
            return false;
    }
    unsigned warnings = 0;
    bool done =
        an_profile_add(sink->profile, plan->planned[i].function, &record, weight, &warnings);
    an_raw_plan_warn(plan, sink, i, warnings);
    return done;
}

/* From the second profile on the order in which the first one had its values does not count. */
static void forget_first_order(const struct plan *plan)
{
    for (size_t v = 0; v < plan->valued_number; v++) {
        struct record *record = plan->planned[plan->valued[v].planned].record;
        for (int kind = 0; record && kind < AN_LLVM_VALUE_KINDS; kind++)
            if (record->order[kind] == FIRST_ORDER)
                record->order[kind] = NO_ORDER;
    }
}

/* Merges the functions that are not in the array, in the profile's order. */
static bool add_all_loose(struct raw_merger *merger, const struct merge_sink *sink,
                          struct plan *plan, const struct raw_image *image, uint64_t weight)
{
    uint64_t at = image->values_at;
    size_t valued = 0;
    for (size_t l = 0; l < plan->loose_number; l++) {
        struct value_block block;
        struct an_error never;
        bool has_block = false;
        for (; valued < plan->valued_number && plan->valued[valued].planned <= plan->loose[l];
             valued++) {
            if (an_value_block_read(&block, image->file, at, image->end, image->big, &never) !=
                AN_OK)
                return false; /* it was checked */
            at += block.size;
            has_block = plan->valued[valued].planned == plan->loose[l];
        }
        if (!add_loose(merger, sink, plan, image, plan->loose[l], has_block ? &block : NULL,
                       weight))
            return false;
    }
    return true;
}

/* Adds the values of direct functions, site by site. */
static bool add_values(const struct raw_merger *merger, const struct merge_sink *sink,
                       struct plan *plan, const struct part *part, uint64_t weight)
{
    for (size_t next = part->first_found; next < part->found_end; next++) {
        const struct found *found = &merger->found.items[next];
        uint32_t i = plan->valued[found->valued].planned;
        unsigned warnings = 0;
        if (plan->planned[i].record &&
            !an_raw_add_site(sink, plan, plan->planned[i].record, found, weight, &warnings))
            return false;
        an_raw_plan_warn(plan, sink, i, warnings);
    }
    return true;
}

static enum an_code apply(struct raw_merger *merger, const struct merge_sink *sink,
                          const struct part *part, uint64_t weight, struct an_error *error)
{
    struct plan *plan = part->plan;
    const struct raw_image *image = &part->image;
    if (plan->applied == 1)
        forget_first_order(plan);
    plan->addresses.load_delta = part->load_delta;
    add_counters(sink, plan, part, weight);
    add_bitmaps(plan, image);
    bool done = add_values(merger, sink, plan, part, weight) &&
                add_all_loose(merger, sink, plan, image, weight);
    plan->applied++;
    struct an_cursor ids = an_cursor_at(
        (struct an_bytes){image->binary_ids.data, (size_t)image->binary_ids.size}, 0, image->big);
    while (done && an_cursor_left(&ids)) {
        uint64_t size;
        const uint8_t *bytes = an_cursor_block(&ids, an_raw_pads_binary_ids(image->version), &size);
        done = an_profile_add_binary_id(sink->profile, bytes, (size_t)size);
    }
    return done ? AN_OK : an_fail_memory(error);
}

/* ---- a file ---- */

static bool is_plain(const struct raw_image *image)
{
    return image->big == AN_HOST_BIG && !(image->variants & AN_LLVM_BYTE_COVERAGE) &&
           image->uniform.size == 0;
}

/*
 * Sums the counters up and finds a bound for them (all their bits or-ed together). False when one
 * is so large that the file has to be looked at more closely.
 */
static bool sum_counters(struct part *part, uint64_t *total)
{
    const struct raw_section *counters = &part->image.counters;
    size_t number = (size_t)counters->size / 8;
    uint64_t sum = 0, either = 0;
    for (size_t i = 0; i < number; i++) {
        uint64_t count = an_load64(counters->data + 8 * i);
        sum += count;
        either |= count;
    }
    part->largest = either;
    if (either >> 32 && (either >> 48 || number >> 15)) /* the sum may have wrapped, or worse */
        return false;
    if (part->plan && part->plan->stamps)
        sum -= an_raw_stamps_sum(part->plan->stamps, &part->image);
    *total = an_saturating_add(*total, sum);
    return true;
}

/* Remembers the sites of a checked block that have values. */
static bool note_found(struct raw_merger *merger, const struct plan *plan, size_t v,
                       const struct value_block *block)
{
    const struct valued *valued = &plan->valued[v];
    for (unsigned k = 0; k < block->kind_number; k++) {
        const struct value_kind *kind = &block->kinds[k];
        const uint8_t *pairs = kind->pairs;
        uint32_t first = valued->first_site;
        for (unsigned before = 0; before < kind->kind; before++)
            first += valued->sites[before];
        for (uint32_t s = 0; s < kind->sites; s++) {
            if (kind->counts[s] == 0)
                continue;
            struct found *found = an_vector_push(&merger->found);
            if (!found)
                return false;
            *found =
                (struct found){pairs, (uint32_t)v, first + s, (uint8_t)kind->kind, kind->counts[s]};
            pairs += 16 * (size_t)kind->counts[s];
        }
    }
    return true;
}

/* Checks the value data of a profile of a known layout, and notes where values are. */
static enum an_code find_values(struct raw_merger *merger, struct part *part,
                                struct an_error *error)
{
    struct raw_image *image = &part->image;
    const struct plan *plan = part->plan;
    uint64_t at = image->values_at;
    part->first_found = merger->found.count;
    for (size_t v = 0; v < plan->valued_number; v++) {
        struct value_block block;
        enum an_code code = an_raw_read_values(image, plan->valued[v].sites, &at, &block, error);
        if (code == AN_OK && !note_found(merger, plan, v, &block))
            code = an_fail_memory(error);
        if (code != AN_OK)
            return code;
    }
    part->found_end = merger->found.count;
    image->end = at;
    return AN_OK;
}

static bool suits(struct part *part, struct plan *plan)
{
    uint64_t delta;
    if (!an_raw_plan_matches(plan, &part->image, &delta))
        return false;
    part->plan = plan;
    part->load_delta = delta;
    return true;
}

/* Sets the part's plan if there is one for its layout. False when memory runs out. */
static bool find_plan(struct raw_merger *merger, struct part *part)
{
    part->plan = NULL;
    for (size_t p = 0; p < merger->plans.count && p < FEW_PLANS; p++)
        if (suits(part, merger->plans.items[p]))
            return true;
    if (merger->plans.count <= FEW_PLANS)
        return true;
    uint64_t secret = an_secret_for(merger);
    for (; merger->hashed < merger->plans.count; merger->hashed++) {
        const struct plan *plan = merger->plans.items[merger->hashed];
        bool is_new;
        uint64_t *slot =
            an_map_insert(&merger->by_layout, an_raw_layout_hash(&plan->image, secret), &is_new);
        if (!slot)
            return false;
        if (is_new)
            *slot = merger->hashed + 1;
    }
    const uint64_t *found =
        an_map_find(&merger->by_layout, an_raw_layout_hash(&part->image, secret));
    if (found)
        suits(part, merger->plans.items[*found - 1]);
    return true;
}

/* Comparing with a checked layout leaves only the counters' sizes and the value data to check. */
static enum an_code check_part(struct raw_merger *merger, struct part *part,
                               struct an_llvm_info *info, struct an_error *error)
{
    struct raw_image *image = &part->image;
    if (!find_plan(merger, part))
        return an_fail_memory(error);
    uint64_t total = 0;
    bool plausible = sum_counters(part, &total);
    if (!part->plan || !plausible)
        return an_raw_check(image, &info->total_count, error);
    info->total_count = an_saturating_add(info->total_count, total);
    return AN_OK;
}

static enum an_code open_parts(struct raw_merger *merger, struct an_bytes file,
                               struct an_llvm_info *info, bool *plain, struct an_error *error)
{
    uint64_t at = 0;
    bool more = true;
    merger->parts.count = merger->found.count = 0;
    *plain = true;
    while (more) {
        struct part *part = an_vector_push(&merger->parts);
        if (!part)
            return an_fail_memory(error);
        *part = (struct part){0};
        enum an_code code = an_raw_open(&part->image, file, at, error);
        if (code == AN_OK)
            code = an_raw_check_kind(&merger->parts.items[0].image, &part->image, error);
        if (code != AN_OK)
            return code;
        *plain = is_plain(&part->image);
        if (!*plain)
            return AN_OK;
        code = check_part(merger, part, info, error);
        if (code == AN_OK && part->plan)
            code = find_values(merger, part, error);
        if (code == AN_OK)
            code = an_raw_next(&part->image, &at, &more, error);
        if (code != AN_OK)
            return code;
        info->variants |= part->image.variants;
        info->functions += (size_t)part->image.data_number;
    }
    *plain = merger->parts.count <= MOST_SOURCES || !(info->variants & AN_LLVM_TEMPORAL);
    return AN_OK;
}

/* A plan for a part of a new layout, without its functions yet: nothing in the profile changes. */
static enum an_code prepare_plan(struct raw_merger *merger, struct part *part,
                                 struct an_error *error)
{
    struct plan **place = an_vector_push(&merger->plans);
    if (!place)
        return an_fail_memory(error);
    part->plan = *place = an_alloc_zero(1, sizeof **place);
    enum an_code code =
        part->plan ? an_raw_plan_make(part->plan, &part->image, error) : an_fail_memory(error);
    return code == AN_OK ? find_values(merger, part, error) : code;
}

/* All that can fail because of the file; the profile is not touched. */
static enum an_code prepare(struct raw_merger *merger, const struct merge_sink *sink,
                            const struct an_llvm_info *info, struct an_error *error)
{
    if (!an_profile_kind_fits(sink->profile, info->variants))
        return an_fail(error, AN_MISMATCH, "other kind of instrumentation");
    size_t known = merger->plans.count;
    enum an_code code = AN_OK;
    for (size_t p = 0; code == AN_OK && p < merger->parts.count; p++)
        if (!merger->parts.items[p].plan)
            code = prepare_plan(merger, &merger->parts.items[p], error);
    while (code != AN_OK && merger->plans.count > known)
        an_raw_plan_free(merger->plans.items[--merger->plans.count]);
    return code;
}

/* The trace of a file, of all its parts: the process ran once. */
static bool add_trace(struct raw_merger *merger, struct an_llvm_profile *profile, uint64_t weight,
                      struct an_llvm_info *info)
{
    struct trace_source sources[MOST_SOURCES];
    size_t count = 0;
    for (size_t p = 0; p < merger->parts.count; p++) {
        const struct part *part = &merger->parts.items[p];
        if (part->plan->stamps)
            sources[count++] = (struct trace_source){part->plan->stamps, &part->image};
    }
    if (!an_raw_has_trace(sources, count))
        return true;
    info->trace_count = 1;
    if (!profile->trace_length)
        return true;
    size_t place = an_profile_draw_trace(profile);
    if (place == AN_NO_PLACE)
        return true;
    struct an_llvm_trace trace = {.weight = weight};
    if (!an_raw_trace(sources, count, &profile->arena, &trace))
        return false;
    if (trace.function_count > profile->trace_length)
        trace.function_count = (size_t)profile->trace_length;
    return an_profile_put_trace(profile, place, &trace);
}

enum an_code an_raw_merge(struct raw_merger *merger, const struct merge_sink *sink,
                          struct an_bytes file, uint64_t weight, struct an_llvm_info *info,
                          bool *done, struct an_error *error)
{
    *done = false;
    enum an_code code = open_parts(merger, file, info, done, error);
    if (code != AN_OK || !*done)
        return code;
    info->format = AN_LLVM_RAW;
    info->version = merger->parts.items[0].image.version;
    info->raw_profiles = merger->parts.count;
    code = prepare(merger, sink, info, error);
    if (code == AN_OK)
        an_profile_merge_kind(sink->profile, info->variants);
    for (size_t p = 0; code == AN_OK && p < merger->parts.count; p++) {
        struct part *part = &merger->parts.items[p];
        if (!part->plan->counts && !an_raw_plan_functions(part->plan, sink))
            return an_fail_memory(error);
        info->unnamed += part->plan->unnamed;
        code = apply(merger, sink, part, weight, error);
    }
    if (code == AN_OK && !add_trace(merger, sink->profile, weight, info))
        code = an_fail_memory(error);
    return code;
}
