/*
 * Making plans; what they are for is told in raw_merge.c.
 */
#include "llvm/raw_plan.h"

#include <string.h>

#include "llvm/raw_layout.h"
#include "llvm/values.h"

void an_raw_plan_free(struct plan *plan)
{
    if (!plan)
        return;
    an_symbols_free(&plan->symbols);
    an_addresses_free(&plan->addresses);
    an_vector_free(&plan->spans);
    an_value_memo_free(&plan->memo);
    free(plan->state);
    free(plan->sites);
    free(plan->copy);
    free(plan->planned);
    free(plan->valued);
    free(plan->loose);
    free(plan->stamps);
    free(plan);
}

bool an_raw_plan_matches(const struct plan *plan, const struct raw_image *image, uint64_t *delta)
{
    return an_raw_same_layout(&plan->image, image, plan->has_probe, plan->probe, delta);
}

void an_raw_plan_warn(struct plan *plan, const struct merge_sink *sink, uint32_t i,
                      unsigned warnings)
{
    if (!warnings || plan->planned[i].warned == plan->applied + 1)
        return;
    plan->planned[i].warned = plan->applied + 1;
    const struct an_name *name = &sink->profile->names.names[plan->planned[i].function];
    an_sink_warn(sink, name->text, name->length, warnings);
}

static void copy_section(struct raw_section *section, uint8_t **to)
{
    if (section->size)
        memcpy(*to, section->data, (size_t)section->size);
    section->data = *to;
    *to += section->size;
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

static struct record_shape shape_of(const struct raw_image *image, const struct raw_record *raw)
{
    return (struct record_shape){an_raw_count_number(image, raw),
                                 raw->bitmap_bytes,
                                 {raw->sites[0], raw->sites[1], raw->sites[2]},
                                 false};
}

/* Makes the record of function i, with its counters inside the plan's array. */
static bool make_direct(struct plan *plan, struct an_llvm_profile *profile, uint64_t i,
                        const struct raw_record *raw, const struct record_shape *shape)
{
    struct planned *planned = &plan->planned[i];
    struct record *record = an_profile_new_record(profile, planned->function, raw->hash, shape);
    if (!record)
        return false;
    planned->record = record;
    /* The place of a time stamp belongs to the span, so that neighbours make one; nobody looks at its sum. */
    uint32_t slot = (uint32_t)(raw->counter_offset / 8);
    planned->slot = slot + (plan->image.variants & AN_LLVM_TEMPORAL ? 1 : 0);
    record->counts = plan->counts + planned->slot;
    record->count_number = an_raw_count_number(&plan->image, raw);
    if (raw->bitmap_bytes) {
        record->bitmap = an_arena_zero(&profile->arena, raw->bitmap_bytes, 1);
        if (!record->bitmap)
            return false;
        record->bitmap_bytes = raw->bitmap_bytes;
    }
    for (int kind = 0; kind < AN_LLVM_VALUE_KINDS; kind++)
        if (raw->sites[kind] &&
            !an_values_make_sites(&record->values, kind, raw->sites[kind], &profile->arena))
            return false;
    return add_span(plan, slot, raw->slots);
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
    plan->state = an_alloc_zero(sites, 1);
    plan->sites = an_alloc_zero(sites, sizeof(struct an_llvm_site *));
    return plan->state && plan->sites;
}

static void find_sites(struct plan *plan)
{
    for (size_t v = 0; v < plan->valued_number; v++) {
        const struct valued *valued = &plan->valued[v];
        const struct record *record = plan->planned[valued->planned].record;
        uint32_t number = valued->first_site;
        for (int kind = 0; record && kind < AN_LLVM_VALUE_KINDS; kind++)
            for (uint32_t s = 0; s < valued->sites[kind]; s++)
                plan->sites[number++] = &record->values->sites[kind][s];
    }
}

bool an_raw_plan_functions(struct plan *plan, const struct merge_sink *sink)
{
    const struct raw_image *image = &plan->image;
    uint64_t free_slot = 0; /* counters before this one are taken */
    plan->counts = an_arena_zero(&sink->profile->arena, (size_t)image->counters.size / 8 + 1,
                                 sizeof *plan->counts);
    if (!plan->counts || !an_profile_expect(sink->profile, (size_t)image->data_number))
        return false;
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
        if (raw.function_address && !plan->has_probe) {
            plan->has_probe = true;
            plan->probe = i;
        }
        uint64_t slot = raw.counter_offset / 8;
        struct record_shape shape = shape_of(image, &raw);
        bool direct = raw.counter_offset % 8 == 0 && slot >= free_slot && slot < UINT32_MAX &&
                      !an_profile_find(sink->profile, function, raw.hash, &shape);
        if (direct && !make_direct(plan, sink->profile, i, &raw, &shape))
            return false;
        if (direct)
            free_slot = slot + raw.slots;
        else
            plan->loose[plan->loose_number++] = (uint32_t)i;
    }
    find_sites(plan);
    return true;
}

enum an_code an_raw_plan_make(struct plan *plan, const struct raw_image *image,
                              struct an_error *error)
{
    if (image->data_number > UINT32_MAX || !copy_image(plan, image))
        return an_fail_memory(error);
    size_t number = (size_t)image->data_number;
    const struct raw_section *names = &plan->image.names, *vtables = &plan->image.vtable_names;
    if (!an_symbols_expect(&plan->symbols, number))
        return an_fail_memory(error);
    enum an_code code = an_symbols_read(
        &plan->symbols, (struct an_bytes){names->data, (size_t)names->size}, names->at, error);
    if (code == AN_OK)
        code =
            an_symbols_read(&plan->symbols, (struct an_bytes){vtables->data, (size_t)vtables->size},
                            vtables->at, error);
    if (code != AN_OK)
        return code;
    plan->planned = an_alloc_table(number, sizeof *plan->planned);
    plan->valued = an_alloc(number, sizeof *plan->valued);
    plan->loose = an_alloc(number, sizeof *plan->loose);
    bool temporal = image->variants & AN_LLVM_TEMPORAL;
    if (temporal)
        plan->stamps = an_raw_stamps(&plan->image);
    if (!plan->planned || !plan->valued || !plan->loose || (temporal && !plan->stamps) ||
        !an_addresses_learn(&plan->addresses, &plan->image) || !list_valued(plan))
        return an_fail_memory(error);
    return AN_OK;
}
