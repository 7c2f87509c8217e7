/* The model: kind, records, sums, filtering. Its order is made in fdata_order.c. */
#include "bolt/fdata_profile.h"

#include <string.h>

#include "bolt/fdata_line.h"

struct an_fdata_profile *an_fdata_profile_new(bool whole_lines)
{
    struct an_fdata_profile *profile = an_alloc_zero(1, sizeof *profile);
    if (profile)
        profile->whole_lines = whole_lines;
    return profile;
}

void an_fdata_profile_free(struct an_fdata_profile *profile)
{
    if (!profile)
        return;
    an_fdata_table_free(&profile->table);
    an_vector_free(&profile->events);
    an_arena_free(&profile->arena);
    free(profile->sorted_events);
    free(profile->order);
    free(profile);
}

bool an_fdata_profile_add_event(struct an_fdata_profile *profile, const char *name, size_t length,
                                uint64_t rank)
{
    for (size_t i = 0; i < profile->events.count; i++) {
        struct fdata_ranked_event *known = &profile->events.items[i];
        if (known->event.length != length || memcmp(known->event.name, name, length) != 0)
            continue;
        if (known->rank > rank)
            known->rank = rank;
        return true;
    }
    char *copy = an_arena_copy(&profile->arena, name, length);
    struct fdata_ranked_event *added = copy ? an_vector_push(&profile->events) : NULL;
    if (!added)
        return false;
    *added = (struct fdata_ranked_event){{copy, length}, rank};
    return true;
}

bool an_fdata_profile_add_events(struct an_fdata_profile *profile,
                                 const struct fdata_header *header, size_t input)
{
    const char *at = header->events, *end = at + header->events_length;
    struct an_fdata_event event;
    for (size_t i = 0; an_fdata_next_event(&at, end, &event); i++)
        if (!an_fdata_profile_add_event(profile, event.name, event.length,
                                        (uint64_t)input << 16 | i))
            return false;
    return true;
}

bool an_fdata_profile_absorb(struct an_fdata_profile *profile, struct an_fdata_profile *part)
{
    if (!part->has_kind)
        return true;
    profile->has_kind = true;
    profile->no_lbr = part->no_lbr;
    profile->bolted = part->bolted;
    for (size_t i = 0; i < part->events.count; i++) {
        const struct fdata_ranked_event *from = &part->events.items[i];
        if (!an_fdata_profile_add_event(profile, from->event.name, from->event.length, from->rank))
            return false;
    }
    return an_fdata_table_absorb(&profile->table, &part->table);
}

const struct an_fdata_location *an_fdata_owner(const struct an_fdata_record *record)
{
    if (record->from.kind % 3 != 0)
        return &record->from;
    return record->kind == AN_FDATA_BRANCH && record->to.kind % 3 != 0 ? &record->to : NULL;
}

static void add_saturating(uint64_t *sum, uint64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = UINT64_MAX;
}

void an_fdata_info_add(struct an_fdata_info *info, const struct an_fdata_record *record)
{
    info->branches += record->kind == AN_FDATA_BRANCH;
    info->samples += record->kind == AN_FDATA_SAMPLE;
    info->memory += record->kind == AN_FDATA_MEMORY;
    add_saturating(record->kind == AN_FDATA_MEMORY ? &info->memory_count : &info->total_count,
                   record->count);
    add_saturating(&info->total_mispreds, record->mispreds);
}

const struct an_fdata_info *an_fdata_profile_info(const struct an_fdata_profile *profile)
{
    an_assert(profile->order);
    return &profile->info;
}

void an_fdata_sums(const struct an_fdata_profile *profile, struct fdata_place place,
                   uint64_t *mispreds, uint64_t *count)
{
    uint64_t most = an_fdata_profile_most(profile);
    if (place.variant_plus_1) {
        const struct fdata_variant *variant =
            &profile->table.variants.items[place.variant_plus_1 - 1];
        *mispreds = variant->mispreds;
        *count = an_fdata_clamped(variant->count, most);
    } else {
        const struct fdata_entry *entry = &profile->table.entries.items[place.entry];
        *mispreds = an_fdata_clamped(entry->mispreds, most);
        *count = an_fdata_clamped(entry->count, most);
    }
}

void an_fdata_decode(const struct an_fdata_profile *profile, struct fdata_place place,
                     struct an_fdata_record *record)
{
    const struct fdata_node *node = &profile->table.nodes.items[place.entry];
    const char *at = node->key, *end = node->key + node->length;
    bool memory = *at >= '3';
    *record = (struct an_fdata_record){
        .kind = memory            ? AN_FDATA_MEMORY
                : profile->no_lbr ? AN_FDATA_SAMPLE
                                  : AN_FDATA_BRANCH,
    };
    record->from = an_fdata_location_decode(&at, end);
    if (record->kind != AN_FDATA_SAMPLE)
        record->to = an_fdata_location_decode(&at, end);
    an_fdata_sums(profile, place, &record->mispreds, &record->count);
}

bool an_fdata_profile_record(const struct an_fdata_profile *profile, size_t index,
                             struct an_fdata_record *record)
{
    an_assert(profile->order);
    if (index >= profile->order_count)
        return false;
    an_fdata_decode(profile, profile->order[index], record);
    return true;
}

/* ---- filtering ---- */

struct filter {
    bool (*keep)(void *context, const char *name, size_t length);
    void *context;
    struct an_names names;
    struct {
        AN_VECTOR(bool);
    } verdicts;
    struct an_buffer plain;
};

/* 1: in a function to keep; 0: not; -1: no memory. */
static int judge(struct filter *filter, const struct an_fdata_location *location)
{
    if (location->kind % 3 == 0)
        return 0;
    bool is_new;
    size_t number = an_names_insert(&filter->names, location->name, location->name_length, &is_new);
    if (number == AN_NO_NAME)
        return -1;
    if (!is_new)
        return filter->verdicts.items[number];
    bool *verdict = an_vector_push(&filter->verdicts);
    filter->plain.size = 0;
    char *plain = (char *)an_buffer_extend(&filter->plain, location->name_length + 1);
    if (!verdict || !plain)
        return -1;
    size_t length = an_fdata_unescape(location->name, location->name_length, plain);
    plain[length] = '\0';
    *verdict = filter->keep(filter->context, plain, length);
    return *verdict;
}

/* Finds out which entries stay; false when memory runs out. */
static bool judge_all(struct an_fdata_profile *profile, struct filter *filter, bool *stays)
{
    for (size_t i = 0; i < profile->table.entries.count; i++) {
        struct an_fdata_record record;
        an_fdata_decode(profile, (struct fdata_place){(uint32_t)i, 0}, &record);
        int from = judge(filter, &record.from), to = 0;
        if (from == 0 && record.kind == AN_FDATA_BRANCH)
            to = judge(filter, &record.to);
        if (from < 0 || to < 0)
            return false;
        stays[i] = from || to;
    }
    return true;
}

/* Takes out the records of entries that do not stay, and tells how many there were. */
static size_t remove_others(struct fdata_table *table, const bool *stays, const uint32_t *indexes)
{
    size_t removed = 0;
    for (size_t i = 0; i < table->entries.count; i++)
        if (!stays[i] && table->entries.items[i].lines) {
            table->entries.items[i].lines = 0;
            removed++;
        }
    for (size_t i = 0; i < table->variants.count; i++)
        if (!stays[indexes[table->variants.items[i].number]] && table->variants.items[i].lines) {
            table->variants.items[i].lines = 0;
            removed++;
        }
    return removed;
}

enum an_code an_fdata_profile_filter(struct an_fdata_profile *profile,
                                     bool (*keep)(void *context, const char *name, size_t length),
                                     void *context, size_t *removed, struct an_error *error)
{
    struct filter filter = {.keep = keep, .context = context};
    bool *stays = an_alloc(profile->table.entries.count, sizeof *stays);
    uint32_t *indexes = an_fdata_table_indexes(&profile->table);
    bool done = stays && indexes && judge_all(profile, &filter, stays);
    if (done) {
        *removed = remove_others(&profile->table, stays, indexes);
        free(profile->order);
        profile->order = NULL;
    }
    free(stays);
    free(indexes);
    an_names_free(&filter.names);
    an_vector_free(&filter.verdicts);
    an_buffer_free(&filter.plain);
    return done ? AN_OK : an_fail_memory(error);
}
