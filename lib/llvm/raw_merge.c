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

#include "base/vector.h"
#include "llvm/addresses.h"
#include "llvm/format.h"
#include "llvm/sort.h"
#include "llvm/value_data.h"
#include "llvm/value_memo.h"
#include "llvm/values.h"

/* One function of a layout. */
struct planned {
    struct record *record; /* NULL: loose */
    uint32_t function;
    uint32_t slot; /* index of its first counter in the section; of direct ones only */
};

/* A function that has value sites, and how many. */
struct valued {
    uint32_t planned;
    uint32_t first_site; /* sites are numbered through */
    uint16_t sites[AN_LLVM_VALUE_KINDS];
};

/* A site that has values in the current profile. */
struct found {
    uint32_t valued;
    uint8_t kind;
    uint8_t number;
    uint16_t site;
    const uint8_t *pairs;
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
    uint64_t function_base; /* a function address to measure the load distance by, or 0 */
    uint64_t function_base_index;
    struct planned *planned;
    struct valued *valued; /* ascending */
    size_t valued_number;
    struct value_memo memo;
    uint8_t *irregular; /* per site: holds a value twice, or too many; the memo does not serve it */
    uint32_t *loose;
    size_t loose_number;
    uint64_t *counts; /* one for each slot of the section */
    struct {
        AN_VECTOR(struct span);
    } spans;
    size_t unnamed;
    unsigned applied; /* how many profiles have been added, up to 2 */
    bool spent;   /* making it failed half-way */
};

/* A raw profile of the current file, with its plan. */
struct part {
    struct raw_image image;
    struct plan *plan;
    uint64_t load_delta;
    uint64_t largest; /* no counter is larger */
    size_t first_found, found_end;
};

struct raw_merger {
    struct {
        AN_VECTOR(struct plan *);
    } plans;
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

/* ---- reporting ---- */

void an_sink_warn(const struct merge_sink *sink, const char *name, size_t name_length,
                  unsigned warnings)
{
    if (warnings)
        sink->profile->order_matters = true;
    if (!warnings || sink->silent || !sink->options->warn)
        return;
    for (int w = 0; w < AN_LLVM_WARNINGS; w++)
        if (warnings & (1u << w)) {
            sink->options->warn(sink->options->context, sink->path, name, name_length, w);
            return; /* LLVM reports the first for each function and file */
        }
}

size_t an_sink_function(const struct merge_sink *sink, const char *name, size_t name_length,
                        uint64_t name_hash, bool sure)
{
    if (sink->options->rename) {
        const char *renamed =
            sink->options->rename(sink->options->context, name, name_length);
        if (renamed)
            return an_profile_function(sink->profile, renamed, strlen(renamed), 0, false);
    }
    return an_profile_function(sink->profile, name, name_length, name_hash, sure);
}

/* ---- life ---- */

struct raw_merger *an_raw_merger_new(void)
{
    return an_alloc_zero(1, sizeof(struct raw_merger));
}

static void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    an_symbols_free(&plan->symbols);
    an_addresses_free(&plan->addresses);
    an_vector_free(&plan->spans);
    an_value_memo_free(&plan->memo);
    free(plan->irregular);
    free(plan->copy);
    free(plan->planned);
    free(plan->valued);
    free(plan->loose);
    free(plan);
}

void an_raw_merger_free(struct raw_merger *merger)
{
    if (!merger)
        return;
    for (size_t i = 0; i < merger->plans.count; i++)
        plan_free(merger->plans.items[i]);
    an_vector_free(&merger->plans);
    an_vector_free(&merger->parts);
    an_vector_free(&merger->found);
    an_value_scratch_free(&merger->scratch);
    free(merger->scratch_counts);
    free(merger);
}

/* ---- is this profile of that layout? ---- */

static bool same_bytes(const struct raw_section *a, const struct raw_section *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, (size_t)a->size) == 0);
}

/*
 * 64-bit records as words: all but the pointers must be equal, the pointer to the counters (and
 * the bitmap) relative to where the section is, the function's address up to `delta`.
 */
static bool same_wide_data(const struct raw_image *a, const struct raw_image *b, uint64_t delta)
{
    const struct raw_fields *f = &a->fields;
    size_t words = f->size / 8, function = f->function_pointer / 8;
    bool relative = a->version >= 8;
    uint64_t counters = relative ? 0 : b->counters_delta - a->counters_delta;
    const uint8_t *left = a->data.data, *right = b->data.data;
    uint64_t different = relative ? a->counters_delta ^ b->counters_delta : 0;
    bool bitmap = a->bitmap.size != 0; /* without one, its delta is the address of the data */
    if (bitmap)
        different |= a->bitmap_delta ^ b->bitmap_delta;
    for (uint64_t i = 0; i < a->data_number; i++, left += f->size, right += f->size) {
        different |= an_load64(left) ^ an_load64(right);
        different |= an_load64(left + 8) ^ an_load64(right + 8);
        different |= (an_load64(right + 16) - an_load64(left + 16)) ^ counters;
        if (bitmap)
            different |= an_load64(left + 24) ^ an_load64(right + 24);
        uint64_t from = an_load64(left + 8 * function);
        different |= (an_load64(right + 8 * function) - from) ^ (from ? delta : 0);
        for (size_t w = function + 2; w < words; w++)
            different |= an_load64(left + 8 * w) ^ an_load64(right + 8 * w);
    }
    return different == 0;
}

static bool same_narrow_data(const struct raw_image *a, const struct raw_image *b, uint64_t delta)
{
    for (uint64_t i = 0; i < a->data_number; i++) {
        struct raw_record x, y;
        an_raw_record(a, i, &x);
        an_raw_record(b, i, &y);
        uint64_t moved = x.function_address ? (uint32_t)(x.function_address + delta) : 0;
        if (x.name_hash != y.name_hash || x.hash != y.hash || x.slots != y.slots ||
            x.counter_offset != y.counter_offset || x.bitmap_bytes != y.bitmap_bytes ||
            x.bitmap_offset != y.bitmap_offset || x.sites[0] != y.sites[0] ||
            x.sites[1] != y.sites[1] || x.sites[2] != y.sites[2] || moved != y.function_address)
            return false;
    }
    return true;
}

static bool same_vtables(const struct raw_image *a, const struct raw_image *b, uint64_t delta)
{
    for (uint64_t i = 0; i < a->vtable_number; i++) {
        struct raw_vtable x, y;
        an_raw_vtable(a, i, &x);
        an_raw_vtable(b, i, &y);
        if (x.name_hash != y.name_hash || x.size != y.size ||
            y.address - x.address != (x.address ? delta : 0))
            return false;
    }
    return true;
}

static bool matches(const struct plan *plan, const struct raw_image *image, uint64_t *delta)
{
    const struct raw_image *known = &plan->image;
    if (plan->spent || known->version_word != image->version_word || known->wide != image->wide ||
        known->data_number != image->data_number ||
        known->counters.size != image->counters.size ||
        known->bitmap.size != image->bitmap.size ||
        known->vtable_number != image->vtable_number ||
        !same_bytes(&known->binary_ids, &image->binary_ids))
        return false;
    *delta = 0;
    if (plan->function_base) {
        struct raw_record record;
        an_raw_record(image, plan->function_base_index, &record);
        *delta = record.function_address - plan->function_base;
    }
    return (image->wide ? same_wide_data(known, image, *delta)
                        : same_narrow_data(known, image, *delta)) &&
           same_vtables(known, image, *delta);
}

/* ---- making a plan ---- */

static bool copy_section(struct raw_section *section, uint8_t **to)
{
    if (section->size)
        memcpy(*to, section->data, (size_t)section->size);
    section->data = *to;
    *to += section->size;
    return true;
}

/* Keeps what later profiles are compared with; the plan must not refer to the file. */
static bool copy_image(struct plan *plan, const struct raw_image *image)
{
    size_t size = (size_t)(image->binary_ids.size + image->data.size + image->names.size +
                           image->vtables.size + image->vtable_names.size);
    uint8_t *to = plan->copy = an_alloc(size, 1);
    if (!to)
        return false;
    plan->image = *image;
    plan->image.file = (struct an_bytes){0};
    plan->image.header.data = NULL;
    plan->image.counters.data = NULL;
    plan->image.bitmap.data = NULL;
    copy_section(&plan->image.binary_ids, &to);
    copy_section(&plan->image.data, &to);
    copy_section(&plan->image.names, &to);
    copy_section(&plan->image.vtables, &to);
    copy_section(&plan->image.vtable_names, &to);
    return true;
}

static bool add_span(struct plan *plan, uint32_t slot, uint32_t number)
{
    struct span *last = plan->spans.count ? &plan->spans.items[plan->spans.count - 1] : NULL;
    if (last && last->first + last->number == slot) {
        last->number += number;
        return true;
    }
    struct span *span = an_vector_push(&plan->spans);
    if (span)
        *span = (struct span){slot, number};
    return span != NULL;
}

/* Makes the record of function i, with its counters inside the plan's array. */
static bool make_direct(struct plan *plan, struct an_llvm_profile *profile, uint64_t i,
                        const struct raw_record *raw)
{
    struct planned *planned = &plan->planned[i];
    struct record *record = an_profile_new_record(profile, planned->function, raw->hash);
    if (!record)
        return false;
    planned->record = record;
    planned->slot = (uint32_t)(raw->counter_offset / 8);
    record->counts = plan->counts + planned->slot;
    record->count_number = raw->slots;
    if (raw->bitmap_bytes) {
        record->bitmap = an_arena_zero(&profile->arena, raw->bitmap_bytes, 1);
        if (!record->bitmap)
            return false;
        record->bitmap_bytes = raw->bitmap_bytes;
    }
    for (int kind = 0; kind < AN_LLVM_VALUE_KINDS; kind++)
        if (raw->sites[kind] && !an_values_make_sites(&record->values, kind, raw->sites[kind],
                                                      &profile->arena))
            return false;
    return add_span(plan, planned->slot, raw->slots);
}

static bool plan_functions(struct plan *plan, const struct merge_sink *sink)
{
    const struct raw_image *image = &plan->image;
    uint64_t free_slot = 0; /* counters before this one are taken */
    for (uint64_t i = 0; i < image->data_number; i++) {
        struct raw_record raw;
        an_raw_record(image, i, &raw);
        const struct an_name *name = an_symbols_find(&plan->symbols, raw.name_hash);
        plan->unnamed += !name;
        size_t function = an_sink_function(sink, name ? name->text : "", name ? name->length : 0,
                                           name ? raw.name_hash : 0, name != NULL);
        if (function == AN_NO_NAME)
            return false;
        plan->planned[i].function = (uint32_t)function;
        if (raw.function_address && !plan->function_base) {
            plan->function_base = raw.function_address;
            plan->function_base_index = i;
        }
        uint64_t slot = raw.counter_offset / 8;
        bool direct = raw.counter_offset % 8 == 0 && slot >= free_slot && slot < UINT32_MAX &&
                      !an_profile_find(sink->profile, function, raw.hash);
        if (direct && !make_direct(plan, sink->profile, i, &raw))
            return false;
        if (direct)
            free_slot = slot + raw.slots;
        else
            plan->loose[plan->loose_number++] = (uint32_t)i;
    }
    return true;
}

static bool list_valued(struct plan *plan)
{
    uint32_t sites = 0;
    for (uint64_t i = 0; i < plan->image.data_number; i++) {
        struct raw_record raw;
        an_raw_record(&plan->image, i, &raw);
        struct valued *valued = &plan->valued[plan->valued_number];
        valued->planned = (uint32_t)i;
        valued->first_site = sites;
        memcpy(valued->sites, raw.sites, sizeof valued->sites);
        plan->valued_number += an_raw_has_values(&raw);
        sites += (uint32_t)raw.sites[0] + raw.sites[1] + raw.sites[2];
    }
    plan->irregular = an_alloc_zero(sites, 1);
    return plan->irregular != NULL;
}

static enum an_code make_plan(struct plan *plan, const struct merge_sink *sink,
                              const struct raw_image *image, struct an_error *error)
{
    if (image->data_number > UINT32_MAX || !copy_image(plan, image))
        return an_fail_memory(error);
    const struct raw_section *names = &plan->image.names, *vtables = &plan->image.vtable_names;
    enum an_code code =
        an_symbols_read(&plan->symbols, (struct an_bytes){names->data, (size_t)names->size},
                        names->at, error);
    if (code == AN_OK)
        code = an_symbols_read(&plan->symbols,
                               (struct an_bytes){vtables->data, (size_t)vtables->size},
                               vtables->at, error);
    if (code != AN_OK)
        return code;
    size_t number = (size_t)image->data_number;
    plan->planned = an_alloc_zero(number, sizeof *plan->planned);
    plan->valued = an_alloc(number, sizeof *plan->valued);
    plan->loose = an_alloc(number, sizeof *plan->loose);
    plan->counts = an_arena_zero(&sink->profile->arena, (size_t)image->counters.size / 8 + 1,
                                 sizeof *plan->counts);
    if (!plan->planned || !plan->valued || !plan->loose || !plan->counts ||
        !an_addresses_learn(&plan->addresses, &plan->image) || !list_valued(plan))
        return an_fail_memory(error);
    return AN_OK;
}

/* ---- adding a profile by its plan ---- */

static void warn_about(const struct merge_sink *sink, const struct plan *plan, uint32_t i,
                       unsigned warnings)
{
    if (!warnings)
        return;
    const struct an_name *name =
        &sink->profile->names.names[plan->planned[i].function];
    an_sink_warn(sink, name->text, name->length, warnings);
}

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
static void add_slots(const struct merge_sink *sink, const struct plan *plan,
                      const uint8_t *counters, uint32_t first, uint32_t number, uint64_t weight,
                      uint32_t *function)
{
    while (number) {
        const struct planned *planned = &plan->planned[*function];
        if (!planned->record || planned->slot + planned->record->count_number <= first) {
            ++*function;
            continue;
        }
        uint32_t end = planned->slot + planned->record->count_number;
        uint32_t here = end - first < number ? end - first : number;
        unsigned warnings = 0;
        for (uint32_t i = 0; i < here; i++) {
            uint64_t count = an_load64(counters + 8 * (size_t)(first + i));
            an_counts_add(plan->counts + first + i, &count, 1, weight, &warnings);
        }
        warn_about(sink, plan, *function, warnings);
        first += here;
        number -= here;
    }
}

static void add_counters(const struct merge_sink *sink, const struct plan *plan,
                         const struct part *part, uint64_t weight)
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

/* Merges the values of one site as the rules say, whatever they are. */
static bool add_irregular(const struct merge_sink *sink, const struct plan *plan,
                          struct an_llvm_site *site, const struct found *found, uint64_t weight,
                          unsigned *warnings)
{
    struct an_llvm_value values[AN_LLVM_VALUES_PER_SITE];
    struct an_arena *arena = &sink->profile->arena;
    const uint8_t *pair = found->pairs;
    for (unsigned v = 0; v < found->number; v++, pair += 16) {
        values[v].value = an_addresses_map(&plan->addresses, found->kind, an_load64(pair));
        values[v].count = an_load64(pair + 8);
    }
    if (!plan->applied)
        return an_site_set(site, values, found->number, weight, arena, warnings);
    an_site_order_by_value(site);
    an_sort_by_value(values, found->number);
    return an_site_merge(site, values, found->number, weight, arena, warnings,
                         &sink->profile->order_matters);
}

#define EXTERNAL UINT64_MAX /* stands in the memo for every callee that is not instrumented */

/* Where the values of a site in the current profile go. */
struct placing {
    uint32_t place[AN_LLVM_VALUES_PER_SITE]; /* at or behind site->count: new */
    uint64_t key[AN_LLVM_VALUES_PER_SITE];   /* of new ones */
    uint64_t value[AN_LLVM_VALUES_PER_SITE];
    unsigned fresh;
};

static bool has_value(const struct an_llvm_site *site, uint64_t value)
{
    for (uint32_t i = 0; i < site->count; i++)
        if (site->values[i].value == value)
            return true;
    return false;
}

/*
 * Finds the places of all values of a site by the memo. *regular is false when that does not do: a
 * value occurs twice (as when two callees are not instrumented), or there are too many.
 */
static bool place_values(struct plan *plan, const struct an_llvm_site *site, uint32_t site_number,
                         const struct found *found, struct placing *placing, bool *regular)
{
    bool external = false;
    const uint8_t *pair = found->pairs;
    uint64_t moved = found->kind == AN_LLVM_MEMOP_SIZE ? 0 : plan->addresses.load_delta;
    placing->fresh = 0;
    *regular = false;
    for (unsigned v = 0; v < found->number; v++, pair += 16) {
        uint64_t key = an_load64(pair) - moved;
        struct value_memo_slot *slot = an_value_memo_find(&plan->memo, site_number, key);
        if (!slot)
            return false;
        if (slot->place_plus_1 && key != EXTERNAL) {
            placing->place[v] = slot->place_plus_1 - 1;
            continue;
        }
        uint64_t value = an_addresses_map(&plan->addresses, found->kind, an_load64(pair));
        if (value == 0 && found->kind != AN_LLVM_MEMOP_SIZE) {
            if (external)
                return true;
            external = true;
            key = EXTERNAL;
            slot = an_value_memo_find(&plan->memo, site_number, key);
            if (!slot)
                return false;
            if (slot->place_plus_1) {
                placing->place[v] = slot->place_plus_1 - 1;
                continue;
            }
        } else if (key == EXTERNAL) {
            return true;
        }
        if (has_value(site, value) || site->count + placing->fresh == AN_LLVM_VALUES_PER_SITE)
            return true;
        for (unsigned f = 0; f < v; f++)
            if (placing->place[f] >= site->count && placing->value[f] == value)
                return true;
        placing->place[v] = site->count + placing->fresh++;
        placing->key[v] = key;
        placing->value[v] = value;
    }
    *regular = true;
    return true;
}

/* Adds the values of one site where the memo says, new ones at the end. */
static bool add_placed(const struct merge_sink *sink, struct plan *plan, struct an_llvm_site *site,
                       uint32_t site_number, const struct found *found,
                       const struct placing *placing, uint64_t weight, unsigned *warnings)
{
    uint32_t known = site->count;
    if (!an_site_make_room(site, known + placing->fresh, &sink->profile->arena))
        return false;
    const uint8_t *pair = found->pairs;
    for (unsigned v = 0; v < found->number; v++, pair += 16) {
        uint64_t count = an_load64(pair + 8);
        uint32_t place = placing->place[v];
        if (place < known) {
            site->values[place].count =
                an_value_sum(site->values[place].count, count, weight, warnings);
            continue;
        }
        /* LLVM's rule: a value that is new to a known function is not multiplied. */
        site->values[place] = (struct an_llvm_value){
            placing->value[v], an_value_sum(0, count, plan->applied ? 1 : weight, warnings)};
        struct value_memo_slot *slot =
            an_value_memo_find(&plan->memo, site_number, placing->key[v]);
        if (!slot)
            return false;
        if (!slot->place_plus_1)
            an_value_memo_set(&plan->memo, slot, site_number, placing->key[v], place);
    }
    site->count = known + placing->fresh;
    return true;
}

static bool add_site(const struct merge_sink *sink, struct plan *plan, struct record *record,
                     const struct found *found, uint64_t weight, unsigned *warnings)
{
    const struct valued *valued = &plan->valued[found->valued];
    struct an_llvm_site *site = &record->values->sites[found->kind][found->site];
    uint32_t number = valued->first_site + found->site;
    for (unsigned kind = 0; kind < found->kind; kind++)
        number += valued->sites[kind];
    struct placing placing;
    bool regular = false;
    /* When something else was merged into the record, its sites were sorted: places are void. */
    if (record->order[found->kind] == BY_VALUE)
        plan->irregular[number] = 1;
    if (!plan->irregular[number] &&
        !place_values(plan, site, number, found, &placing, &regular))
        return false;
    if (regular)
        return add_placed(sink, plan, site, number, found, &placing, weight, warnings);
    if (!plan->irregular[number] && record->order[found->kind] != BY_VALUE)
        sink->profile->order_matters = true;
    plan->irregular[number] = 1;
    return add_irregular(sink, plan, site, found, weight, warnings);
}

/* Adds the sites that were found in the block of a direct function; steps over them. */
static bool add_found(const struct raw_merger *merger, const struct merge_sink *sink,
                      struct plan *plan, size_t valued, size_t *next, size_t end,
                      uint64_t weight)
{
    uint32_t i = plan->valued[valued].planned;
    struct record *record = plan->planned[i].record;
    unsigned warnings = 0;
    for (; *next < end && merger->found.items[*next].valued == valued; ++*next) {
        const struct found *found = &merger->found.items[*next];
        if (record && !add_site(sink, plan, record, found, weight, &warnings))
            return false;
    }
    warn_about(sink, plan, i, warnings);
    return true;
}

static bool add_loose(struct raw_merger *merger, const struct merge_sink *sink,
                      const struct plan *plan, const struct raw_image *image, uint32_t i,
                      const struct value_block *block, uint64_t weight)
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
        .count_number = raw.slots,
        .bitmap_bytes = raw.bitmap_bytes,
        .bitmap = (uint8_t *)image->bitmap.data + raw.bitmap_offset,
    };
    if (block) {
        record.values = an_value_block_decode(block, image->big, an_addresses_map,
                                              &plan->addresses, &merger->scratch);
        if (!record.values)
            return false;
    }
    unsigned warnings = 0;
    bool done =
        an_profile_add(sink->profile, plan->planned[i].function, &record, weight, &warnings);
    warn_about(sink, plan, i, warnings);
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
                          const struct plan *plan, const struct raw_image *image, uint64_t weight)
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

static bool add_values(const struct raw_merger *merger, const struct merge_sink *sink,
                       struct plan *plan, const struct part *part, uint64_t weight)
{
    size_t next = part->first_found;
    while (next < part->found_end)
        if (!add_found(merger, sink, plan, merger->found.items[next].valued, &next,
                       part->found_end, weight))
            return false;
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
    if (plan->applied < 2)
        plan->applied++;
    struct an_cursor ids = an_cursor_at(
        (struct an_bytes){image->binary_ids.data, (size_t)image->binary_ids.size}, 0, image->big);
    while (done && an_cursor_left(&ids)) {
        uint64_t size;
        const uint8_t *bytes =
            an_cursor_block(&ids, an_raw_pads_binary_ids(image->version), &size);
        done = an_profile_add_binary_id(sink->profile, bytes, (size_t)size);
    }
    return done ? AN_OK : an_fail_memory(error);
}

/* ---- a file ---- */

static bool is_plain(const struct raw_image *image)
{
    return image->big == AN_HOST_BIG &&
           !(image->variants & (AN_LLVM_TEMPORAL | AN_LLVM_BYTE_COVERAGE));
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
    *total = an_saturating_add(*total, sum);
    return true;
}

/* Remembers the sites of a checked block that have values. */
static bool note_found(struct raw_merger *merger, size_t valued, const struct value_block *block)
{
    for (unsigned k = 0; k < block->kind_number; k++) {
        const struct value_kind *kind = &block->kinds[k];
        const uint8_t *pairs = kind->pairs;
        for (uint32_t s = 0; s < kind->sites; s++) {
            if (kind->counts[s] == 0)
                continue;
            struct found *found = an_vector_push(&merger->found);
            if (!found)
                return false;
            *found = (struct found){(uint32_t)valued, (uint8_t)kind->kind, kind->counts[s],
                                    (uint16_t)s, pairs};
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
        enum an_code code =
            an_raw_read_values(image, plan->valued[v].sites, &at, &block, error);
        if (code == AN_OK && !note_found(merger, v, &block))
            code = an_fail_memory(error);
        if (code != AN_OK)
            return code;
    }
    part->found_end = merger->found.count;
    image->end = at;
    return AN_OK;
}

/* Comparing with a checked layout leaves only the counters' sizes and the value data to check. */
static enum an_code check_part(struct raw_merger *merger, struct part *part,
                               struct an_llvm_info *info, struct an_error *error)
{
    struct raw_image *image = &part->image;
    part->plan = NULL;
    for (size_t p = 0; p < merger->plans.count && !part->plan; p++) {
        uint64_t delta;
        if (matches(merger->plans.items[p], image, &delta)) {
            part->plan = merger->plans.items[p];
            part->load_delta = delta;
        }
    }
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
    return AN_OK;
}

/* A plan for a part of a new layout, without its functions yet: nothing in the profile changes. */
static enum an_code prepare_plan(struct raw_merger *merger, const struct merge_sink *sink,
                                 struct part *part, struct an_error *error)
{
    struct plan **place = an_vector_push(&merger->plans);
    if (!place)
        return an_fail_memory(error);
    *place = an_alloc_zero(1, sizeof **place);
    if (!*place) {
        merger->plans.count--;
        return an_fail_memory(error);
    }
    (*place)->spent = true; /* until its functions are planned */
    part->plan = *place;
    return make_plan(*place, sink, &part->image, error);
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
    for (size_t p = 0; p < merger->parts.count; p++) {
        struct part *part = &merger->parts.items[p];
        if (!part->plan) {
            code = prepare_plan(merger, sink, part, error);
            if (code == AN_OK)
                code = find_values(merger, part, error);
        }
        if (code != AN_OK)
            return code;
    }
    if (!an_profile_merge_kind(sink->profile, info->variants))
        return an_fail(error, AN_MISMATCH, "%s", "other kind of instrumentation");
    for (size_t p = 0; p < merger->parts.count; p++) {
        struct part *part = &merger->parts.items[p];
        if (part->plan->spent) {
            if (!plan_functions(part->plan, sink))
                return an_fail_memory(error);
            part->plan->spent = false;
        }
        info->unnamed += part->plan->unnamed;
        code = apply(merger, sink, part, weight, error);
        if (code != AN_OK)
            return code;
    }
    return AN_OK;
}
