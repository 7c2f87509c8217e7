/*
 * The final order of a profile: it depends on what the records are and on nothing else, so that the
 * same runs give the same file, whatever the number of threads and the order of inputs.
 *
 * Names are long and few, records are many. So names are sorted first and compared by their rank
 * from then on: the records go to one bucket for each name of `from` (another if they are memory
 * records, which llvm-bolt wants after all branches), and buckets are sorted by themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "bolt/fdata_profile.h"

/* The key of an entry, taken apart. */
struct item {
    uint64_t from_offset, to_offset;
    uint32_t from_name, to_name; /* numbers, later ranks */
    uint8_t from_kind, to_kind;
};

struct sorter {
    const struct an_fdata_profile *profile;
    struct an_names names;
    struct item *items;                 /* of the entries */
    struct fdata_place *found, *sorted; /* the records, as they come and in order */
    size_t count;
    uint32_t *ranks; /* of the names */
    size_t *buckets; /* where each begins; the last one where all end */
};

enum { SMALL = 12 }; /* buckets up to this are sorted by insertion */

static bool number_name(struct sorter *sorter, const struct an_fdata_location *location,
                        uint32_t *number)
{
    bool is_new;
    size_t found = an_names_insert(&sorter->names, location->name, location->name_length, &is_new);
    *number = (uint32_t)found;
    return found < UINT32_MAX;
}

static bool make_item(struct sorter *sorter, uint32_t entry)
{
    struct item *item = &sorter->items[entry];
    struct an_fdata_record record;
    an_fdata_decode(sorter->profile, (struct fdata_place){entry, 0}, &record);
    *item = (struct item){
        .from_offset = record.from.offset,
        .to_offset = record.to.offset,
        .from_kind = record.from.kind,
        .to_kind = record.to.kind,
    };
    return number_name(sorter, &record.from, &item->from_name) &&
           (record.kind == AN_FDATA_SAMPLE || number_name(sorter, &record.to, &item->to_name));
}

static void add_record(struct sorter *sorter, struct fdata_place place, struct an_fdata_info *info)
{
    struct an_fdata_record record = {.kind = sorter->items[place.entry].from_kind >= 3
                                                 ? AN_FDATA_MEMORY
                                             : sorter->profile->no_lbr ? AN_FDATA_SAMPLE
                                                                       : AN_FDATA_BRANCH};
    sorter->found[sorter->count++] = place;
    an_fdata_sums(sorter->profile, place, &record.mispreds, &record.count);
    an_fdata_info_add(info, &record);
}

static bool find_records(struct sorter *sorter, struct an_fdata_info *info)
{
    const struct fdata_table *table = &sorter->profile->table;
    uint32_t *indexes = an_fdata_table_indexes(table);
    bool done = indexes;
    for (size_t i = 0; done && i < table->entries.count; i++) {
        done = make_item(sorter, (uint32_t)i);
        if (done && table->entries.items[i].lines)
            add_record(sorter, (struct fdata_place){(uint32_t)i, 0}, info);
    }
    for (size_t i = 0; done && i < table->variants.count; i++)
        if (table->variants.items[i].lines)
            add_record(
                sorter,
                (struct fdata_place){indexes[table->variants.items[i].number], (uint32_t)i + 1},
                info);
    free(indexes);
    return done;
}

static int by_name(const void *a, const void *b, void *context)
{
    const struct an_names *names = context;
    const struct an_name *left = &names->names[*(const uint32_t *)a];
    const struct an_name *right = &names->names[*(const uint32_t *)b];
    size_t shorter = left->length < right->length ? left->length : right->length;
    int order = memcmp(left->text, right->text, shorter);
    return order ? order : (left->length > right->length) - (left->length < right->length);
}

static bool rank_names(struct sorter *sorter)
{
    size_t count = sorter->names.count;
    uint32_t *order = an_alloc(count + 1, sizeof *order);
    sorter->ranks = an_alloc(count + 1, sizeof *sorter->ranks);
    if (order && sorter->ranks) {
        for (size_t i = 0; i < count; i++)
            order[i] = (uint32_t)i;
        qsort_r(order, count, sizeof *order, by_name, &sorter->names);
        for (size_t i = 0; i < count; i++)
            sorter->ranks[order[i]] = (uint32_t)i;
    }
    free(order);
    return order && sorter->ranks;
}

static size_t bucket_of(const struct sorter *sorter, struct fdata_place place)
{
    const struct item *item = &sorter->items[place.entry];
    return item->from_name + (item->from_kind >= 3 ? sorter->names.count : 0);
}

static void apply_ranks(struct sorter *sorter)
{
    for (size_t i = 0; sorter->names.count && i < sorter->profile->table.entries.count; i++) {
        struct item *item = &sorter->items[i];
        item->from_name = sorter->ranks[item->from_name];
        item->to_name = sorter->ranks[item->to_name];
    }
}

/* Sorts the records by bucket, keeping the order inside. */
static bool fill_buckets(struct sorter *sorter)
{
    size_t number = 2 * sorter->names.count;
    sorter->buckets = an_alloc_zero(number + 2, sizeof *sorter->buckets);
    sorter->sorted = an_alloc(sorter->count + 1, sizeof *sorter->sorted);
    if (!sorter->buckets || !sorter->sorted)
        return false;
    size_t *next = sorter->buckets + 1; /* one ahead: filling moves each start to its end */
    apply_ranks(sorter);
    for (size_t i = 0; i < sorter->count; i++)
        next[bucket_of(sorter, sorter->found[i]) + 1]++;
    for (size_t i = 1; i <= number; i++)
        next[i] += next[i - 1];
    for (size_t i = 0; i < sorter->count; i++)
        sorter->sorted[next[bucket_of(sorter, sorter->found[i])]++] = sorter->found[i];
    return true;
}

static uint64_t mispreds_of(const struct sorter *sorter, struct fdata_place place)
{
    return place.variant_plus_1
               ? sorter->profile->table.variants.items[place.variant_plus_1 - 1].mispreds
               : 0;
}

/* What is left when lines are merged whole: other ways to write the same, and mispredictions. */
static int by_text(const struct sorter *sorter, struct fdata_place a, struct fdata_place b)
{
    const struct fdata_node *left = &sorter->profile->table.nodes.items[a.entry];
    const struct fdata_node *right = &sorter->profile->table.nodes.items[b.entry];
    uint64_t left_mispreds = mispreds_of(sorter, a), right_mispreds = mispreds_of(sorter, b);
    size_t shorter = left->length < right->length ? left->length : right->length;
    int order = left == right ? 0 : memcmp(left->key, right->key, shorter);
    if (order == 0)
        order = (left->length > right->length) - (left->length < right->length);
    return order ? order : (left_mispreds > right_mispreds) - (left_mispreds < right_mispreds);
}

#define COMPARE(field)                                                                             \
    if (left->field != right->field)                                                               \
    return left->field < right->field ? -1 : 1

static int by_place(const void *a, const void *b, void *context)
{
    const struct fdata_place *one = a, *other = b;
    const struct sorter *sorter = context;
    const struct item *left = &sorter->items[one->entry], *right = &sorter->items[other->entry];
    COMPARE(from_offset);
    COMPARE(to_name);
    COMPARE(to_offset);
    COMPARE(from_kind);
    COMPARE(to_kind);
    return by_text(sorter, *one, *other);
}

static void sort_few(struct sorter *sorter, struct fdata_place *places, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct fdata_place moved = places[i];
        size_t to = i;
        for (; to > 0 && by_place(&places[to - 1], &moved, sorter) > 0; to--)
            places[to] = places[to - 1];
        places[to] = moved;
    }
}

static void sort_buckets(struct sorter *sorter)
{
    for (size_t i = 0; i < 2 * sorter->names.count; i++) {
        struct fdata_place *places = sorter->sorted + sorter->buckets[i];
        size_t count = sorter->buckets[i + 1] - sorter->buckets[i];
        if (count <= SMALL)
            sort_few(sorter, places, count);
        else
            qsort_r(places, count, sizeof *places, by_place, sorter);
    }
}

/* How many functions have records. */
static bool count_functions(const struct sorter *sorter, size_t *functions)
{
    const struct fdata_table *table = &sorter->profile->table;
    bool *seen = an_alloc_zero(table->owners.count + 1, sizeof *seen);
    *functions = 0;
    for (size_t i = 0; seen && i < sorter->count; i++) {
        uint32_t owner = table->nodes.items[sorter->found[i].entry].owner;
        if (owner == FDATA_NO_OWNER || seen[owner])
            continue;
        seen[owner] = true;
        ++*functions;
    }
    free(seen);
    return seen != NULL;
}

static int by_rank(const void *a, const void *b)
{
    const struct fdata_ranked_event *left = a, *right = b;
    return (left->rank > right->rank) - (left->rank < right->rank);
}

static int by_event_name(const void *a, const void *b)
{
    const struct an_fdata_event *left = &((const struct fdata_ranked_event *)a)->event;
    const struct an_fdata_event *right = &((const struct fdata_ranked_event *)b)->event;
    size_t shorter = left->length < right->length ? left->length : right->length;
    int order = memcmp(left->name, right->name, shorter);
    return order ? order : (left->length > right->length) - (left->length < right->length);
}

static bool sort_events(struct an_fdata_profile *profile)
{
    size_t count = profile->events.count;
    struct an_fdata_event *events = an_alloc(count + 1, sizeof *events);
    if (!events)
        return false;
    if (count)
        qsort(profile->events.items, count, sizeof *profile->events.items,
              profile->is_lossless ? by_event_name : by_rank);
    for (size_t i = 0; i < count; i++)
        events[i] = profile->events.items[i].event;
    free(profile->sorted_events);
    profile->sorted_events = events;
    return true;
}

static void free_sorter(struct sorter *sorter)
{
    an_names_free(&sorter->names);
    free(sorter->items);
    free(sorter->found);
    free(sorter->sorted);
    free(sorter->ranks);
    free(sorter->buckets);
}

enum an_code an_fdata_profile_settle(struct an_fdata_profile *profile, struct an_error *error)
{
    struct sorter sorter = {.profile = profile};
    struct an_fdata_info info = {
        .no_lbr = profile->no_lbr,
        .bolted = profile->bolted,
        .event_count = profile->events.count,
    };
    size_t entries = profile->table.entries.count;
    an_fdata_table_free_spare(&profile->table);
    sorter.items = an_alloc(entries + 1, sizeof *sorter.items);
    sorter.found = an_alloc(entries + profile->table.variants.count + 1, sizeof *sorter.found);
    bool done = sorter.items && sorter.found && find_records(&sorter, &info) &&
                rank_names(&sorter) && count_functions(&sorter, &info.functions) &&
                fill_buckets(&sorter) && sort_events(profile);
    if (done) {
        sort_buckets(&sorter);
        free(profile->order);
        profile->order = sorter.sorted;
        sorter.sorted = NULL;
        profile->order_count = sorter.count;
        profile->info = info;
        profile->info.events = profile->sorted_events;
    }
    free_sorter(&sorter);
    return done ? AN_OK : an_fail_memory(error);
}
