/*
 * A profile in memory: names, under each name the records of its structures (hashes), and what
 * belongs to the profile as a whole. Adding a record follows LLVM's InstrProfWriter::addRecord and
 * InstrProfRecord::merge and scale, step by step, because the compiler's view of a merged profile
 * is defined by them.
 */
#include "llvm/profile.h"

#include <string.h>

#include "base/error.h"
#include "llvm/format.h"
#include "llvm/values.h"

struct an_llvm_profile *an_llvm_profile_new(void)
{
    struct an_llvm_profile *profile = an_alloc_zero(1, sizeof *profile);
    if (profile) {
        profile->trace_reservoir = 100;
        profile->trace_length = 10000;
        an_random_start(&profile->random, AN_RANDOM_DEFAULT_SEED);
    }
    return profile;
}

void an_llvm_profile_free(struct an_llvm_profile *profile)
{
    if (!profile)
        return;
    an_arena_free(&profile->arena);
    an_names_free(&profile->names);
    an_names_free(&profile->vtable_names);
    an_names_free(&profile->known_ids);
    an_map_free(&profile->by_hash);
    an_map_free(&profile->crowded);
    an_vector_free(&profile->functions);
    an_vector_free(&profile->binary_ids);
    an_vector_free(&profile->traces);
    an_lossless_free(&profile->lossless);
    an_memprof_free(&profile->memprof);
    free(profile);
}

unsigned an_llvm_profile_variants(const struct an_llvm_profile *profile)
{
    return profile->variants;
}

size_t an_llvm_profile_memprof_functions(const struct an_llvm_profile *profile)
{
    return profile->memprof.records.count;
}

size_t an_llvm_profile_functions(const struct an_llvm_profile *profile)
{
    return profile->functions.count - profile->filtered;
}

size_t an_llvm_profile_records(const struct an_llvm_profile *profile)
{
    return profile->records;
}

/* ---- finding and making records ---- */

static size_t new_function(struct an_llvm_profile *profile, const char *name, size_t length,
                           uint64_t name_hash)
{
    char *copy = an_arena_copy(&profile->arena, name, length);
    bool is_new;
    struct function *function = copy ? an_vector_push(&profile->functions) : NULL;
    if (!function)
        return AN_NO_NAME;
    /* The name comes last: once it is in the table, nothing may fail. */
    uint64_t *slot = an_map_insert(&profile->by_hash, name_hash, &is_new);
    if (slot && is_new)
        *slot = 0;
    size_t index = slot ? an_names_insert(&profile->names, copy, length, &is_new) : AN_NO_NAME;
    if (index == AN_NO_NAME) {
        profile->functions.count--;
        return AN_NO_NAME;
    }
    if (!*slot)
        *slot = index + 1;
    *function = (struct function){.name_hash = name_hash};
    return index;
}

size_t an_profile_function(struct an_llvm_profile *profile, const char *name, size_t length,
                           uint64_t name_hash, bool sure)
{
    if (name_hash) { /* cheaper than hashing the text again */
        const uint64_t *slot = an_map_find(&profile->by_hash, name_hash);
        if (slot && *slot) {
            const struct an_name *known = &profile->names.names[*slot - 1];
            if (known->length == length && memcmp(known->text, name, length) == 0)
                return *slot - 1;
        } else if (sure) { /* all names have their hashes there */
            return new_function(profile, name, length, name_hash);
        }
    }
    size_t index = an_names_find(&profile->names, name, length);
    if (index != AN_NO_NAME)
        return index;
    return new_function(profile, name, length, sure ? name_hash : an_llvm_name_hash(name, length));
}

bool an_profile_expect(struct an_llvm_profile *profile, size_t functions)
{
    size_t wanted;
    return !__builtin_add_overflow(profile->functions.count, functions, &wanted) &&
           an_vector_reserve(&profile->functions, wanted) &&
           an_map_reserve(&profile->by_hash, wanted) && an_names_reserve(&profile->names, wanted);
}

/*
 * A name has one record as a rule and two when it is context-sensitive, so a list serves. Records
 * from the 17th on are also in a map, lest a hostile file make the list a quadratic trap.
 */
enum { LISTED_RECORDS = 16 };

static uint64_t crowd_key(size_t function, uint64_t identity)
{
    return (identity ^ (identity >> 29)) * 0xbf58476d1ce4e5b9u + function;
}

/* What tells the records of one name apart. */
static uint64_t identity_of(const struct an_llvm_profile *profile, uint64_t hash,
                            const struct record_shape *shape)
{
    return profile->lossless.is_on ? an_shape_mix(shape, hash) : hash;
}

static uint64_t record_identity(const struct an_llvm_profile *profile, const struct record *record)
{
    if (!profile->lossless.is_on)
        return record->hash;
    struct an_llvm_record view = an_profile_view(profile, record);
    struct record_shape shape = an_shape_of(&view);
    return an_shape_mix(&shape, record->hash);
}

struct record *an_profile_find(const struct an_llvm_profile *profile, size_t function,
                               uint64_t hash, const struct record_shape *shape)
{
    unsigned steps = 0;
    uint64_t identity = identity_of(profile, hash, shape);
    struct record *r = profile->functions.items[function].first;
    for (; r && steps < LISTED_RECORDS; r = r->next, steps++)
        if (r->hash == hash && record_identity(profile, r) == identity)
            return r;
    if (!r)
        return NULL;
    const uint64_t *found = an_map_find(&profile->crowded, crowd_key(function, identity));
    if (!found)
        return NULL;
    struct record *candidate = (struct record *)(uintptr_t)*found;
    if (candidate->hash == hash && candidate->function == function &&
        record_identity(profile, candidate) == identity)
        return candidate;
    while (r &&
           (r->hash != hash || record_identity(profile, r) != identity)) /* two keys of one value */
        r = r->next;
    return r;
}

/* Puts a record behind those that the function has. */
static bool append_record(struct an_llvm_profile *profile, struct record *record, uint64_t identity)
{
    struct function *owner = &profile->functions.items[record->function];
    if (owner->records >= LISTED_RECORDS) {
        bool is_new;
        uint64_t *slot =
            an_map_insert(&profile->crowded, crowd_key(record->function, identity), &is_new);
        if (!slot)
            return false;
        if (is_new)
            *slot = (uintptr_t)record;
    }
    record->next = NULL;
    if (owner->last)
        owner->last->next = record;
    else
        owner->first = record;
    owner->last = record;
    owner->records++;
    profile->records++;
    return true;
}

struct record *an_profile_new_record(struct an_llvm_profile *profile, size_t function,
                                     uint64_t hash, const struct record_shape *shape)
{
    struct record *record = an_arena_zero(&profile->arena, 1, sizeof *record);
    if (!record)
        return NULL;
    record->hash = hash;
    record->function = (uint32_t)function;
    record->origin = profile->lossless.origin;
    record->rank = profile->functions.items[function].records;
    return append_record(profile, record, identity_of(profile, hash, shape)) ? record : NULL;
}

bool an_profile_relink(struct an_llvm_profile *profile, size_t function, struct record **records,
                       size_t count)
{
    struct function *owner = &profile->functions.items[function];
    bool done = true;
    profile->records -= owner->records;
    owner->first = owner->last = NULL;
    owner->records = 0;
    for (size_t i = 0; done && i < count; i++)
        done = append_record(profile, records[i], record_identity(profile, records[i]));
    return done;
}

struct an_llvm_record an_profile_view(const struct an_llvm_profile *profile,
                                      const struct record *record)
{
    const struct an_name *name = &profile->names.names[record->function];
    return (struct an_llvm_record){
        .name = name->text,
        .name_length = name->length,
        .hash = record->hash,
        .counts = record->counts,
        .count_number = record->count_number,
        .bitmap_bytes = record->bitmap_bytes,
        .bitmap = record->bitmap,
        .values = record->values,
        .uniform = record->uniform,
    };
}

/* ---- adding ---- */

/* One counter the careful way: both the product and the sum can overflow. */
static uint64_t add_carefully(uint64_t old, uint64_t count, uint64_t weight, unsigned *warnings)
{
    uint64_t product, sum;
    bool overflow = __builtin_mul_overflow(count, weight, &product);
    overflow = overflow || __builtin_add_overflow(old, product, &sum) || sum > LARGEST_COUNT;
    if (!overflow)
        return sum;
    *warnings |= 1u << AN_LLVM_COUNTER_OVERFLOW;
    return LARGEST_COUNT;
}

void an_counts_add(uint64_t *into, const uint64_t *counts, size_t number, uint64_t weight,
                   unsigned *warnings)
{
    for (size_t i = 0; i < number; i++)
        into[i] = add_carefully(into[i], counts[i], weight, warnings);
}

bool an_profile_raise_bound(struct an_llvm_profile *profile, uint64_t largest, uint64_t weight)
{
    uint64_t added;
    if (__builtin_mul_overflow(largest, weight, &added))
        added = UINT64_MAX;
    profile->bound = an_saturating_add(profile->bound, added);
    return profile->bound <= LARGEST_COUNT;
}

static uint64_t largest_of(const struct an_llvm_record *record)
{
    uint64_t either = 0;
    for (uint32_t i = 0; i < record->count_number; i++)
        either |= record->counts[i];
    return either;
}

static bool is_pseudo(const uint64_t *counts)
{
    return counts[0] == AN_LLVM_HOT || counts[0] == AN_LLVM_WARM;
}

static bool fill_values(struct an_llvm_profile *profile, struct record *into,
                        const struct an_llvm_values *from, uint64_t weight, unsigned *warnings)
{
    for (int kind = 0; from && kind < AN_LLVM_VALUE_KINDS; kind++) {
        uint32_t count = from->site_count[kind];
        if (count == 0)
            continue;
        if (!an_values_make_sites(&into->values, kind, count, &profile->arena))
            return false;
        for (uint32_t i = 0; i < count; i++) {
            const struct an_llvm_site *site = &from->sites[kind][i];
            if (!an_site_set(&into->values->sites[kind][i], site->values, site->count, weight,
                             profile->lossless.is_on, &profile->arena, warnings))
                return false;
        }
    }
    return true;
}

/* What is not uniform in one run is not uniform; runs of which it is not known change nothing. */
static bool merge_uniform(struct an_llvm_profile *profile, struct record *into,
                          const struct an_llvm_record *from)
{
    uint32_t size = an_llvm_uniform_bytes(from->count_number);
    if (!from->uniform)
        return true;
    if (!into->uniform) {
        into->uniform =
            (uint8_t *)an_arena_copy(&profile->arena, (const char *)from->uniform, size);
        return into->uniform;
    }
    for (uint32_t i = 0; i < size; i++)
        into->uniform[i] &= from->uniform[i];
    return true;
}

bool an_record_fill(struct an_llvm_profile *profile, struct record *into,
                    const struct an_llvm_record *from, uint64_t weight, unsigned *warnings)
{
    into->counts = an_arena_alloc(&profile->arena, from->count_number, sizeof *into->counts);
    if (!into->counts)
        return false;
    into->count_number = from->count_number;
    an_profile_raise_bound(profile, largest_of(from), weight);
    memcpy(into->counts, from->counts, from->count_number * sizeof *into->counts);
    if (weight > 1) {
        memset(into->counts, 0, from->count_number * sizeof *into->counts);
        an_counts_add(into->counts, from->counts, from->count_number, weight, warnings);
    }
    if (from->bitmap_bytes) {
        into->bitmap = (uint8_t *)an_arena_copy(&profile->arena, from->bitmap, from->bitmap_bytes);
        if (!into->bitmap)
            return false;
        into->bitmap_bytes = from->bitmap_bytes;
    }
    if (!merge_uniform(profile, into, from))
        return false;
    return fill_values(profile, into, from->values, weight, warnings);
}

static uint32_t sites_of(const struct an_llvm_values *values, int kind)
{
    return values ? values->site_count[kind] : 0;
}

static bool is_by_value(const struct an_llvm_site *site)
{
    for (uint32_t i = 1; i < site->count; i++)
        if (site->values[i].value < site->values[i - 1].value)
            return false;
    return true;
}

/* In records without an order some sites may be sorted, with equal values that must not move. */
void an_record_order_by_value(struct record *record, int kind, bool lossless)
{
    if (record->order[kind] == BY_VALUE)
        return;
    for (uint32_t i = 0; record->values && i < record->values->site_count[kind]; i++) {
        struct an_llvm_site *site = &record->values->sites[kind][i];
        if (lossless)
            an_site_order_both(site);
        else if (record->order[kind] == FIRST_ORDER || !is_by_value(site))
            an_site_order_by_value(site);
    }
    record->order[kind] = BY_VALUE;
}

static bool merge_values(struct an_llvm_profile *profile, struct record *into,
                         const struct an_llvm_values *from, uint64_t weight, unsigned *warnings)
{
    for (int kind = 0; kind < AN_LLVM_VALUE_KINDS; kind++) {
        uint32_t count = sites_of(from, kind);
        if (count != sites_of(into->values, kind)) {
            *warnings |= 1u << AN_LLVM_VALUE_SITE_MISMATCH;
            continue;
        }
        bool lossless = profile->lossless.is_on;
        if (count)
            an_record_order_by_value(into, kind, lossless);
        for (uint32_t i = 0; i < count; i++) {
            /* The record is the caller's to use up: sort its site where it lies. */
            struct an_llvm_site *site = &from->sites[kind][i];
            if (lossless) {
                if (!an_site_merge_all(&into->values->sites[kind][i], site, weight, &profile->arena,
                                       warnings))
                    return false;
                continue;
            }
            an_site_order_by_value(site);
            if (!an_site_merge(&into->values->sites[kind][i], site->values, site->count, weight,
                               &profile->arena, warnings, &profile->order_matters))
                return false;
        }
    }
    return true;
}

bool an_record_merge(struct an_llvm_profile *profile, struct record *into,
                     const struct an_llvm_record *from, uint64_t weight, unsigned *warnings)
{
    if (into->count_number != from->count_number) {
        *warnings |= 1u << AN_LLVM_COUNT_MISMATCH;
        return true;
    }
    bool pseudo = is_pseudo(into->counts);
    if (pseudo || is_pseudo(from->counts)) {
        profile->order_matters = true;
        if (!pseudo || !is_pseudo(from->counts))
            *warnings |= 1u << AN_LLVM_COUNT_MISMATCH;
        else if (from->counts[0] == AN_LLVM_HOT)
            into->counts[0] = AN_LLVM_HOT;
        return true;
    }
    if (an_profile_raise_bound(profile, largest_of(from), weight))
        for (uint32_t i = 0; i < from->count_number; i++)
            into->counts[i] += from->counts[i] * weight;
    else
        an_counts_add(into->counts, from->counts, from->count_number, weight, warnings);
    if (!merge_uniform(profile, into, from))
        return false;
    if (into->bitmap_bytes != from->bitmap_bytes) {
        *warnings |= 1u << AN_LLVM_BITMAP_MISMATCH;
        return true;
    }
    for (uint32_t i = 0; i < from->bitmap_bytes; i++)
        into->bitmap[i] |= from->bitmap[i];
    return merge_values(profile, into, from->values, weight, warnings);
}

/* A mark that is multiplied is the largest count, as LLVM has it; where nothing is lost, in whatever order it comes. */
static const struct an_llvm_record *unmarked(struct an_llvm_profile *profile,
                                             const struct an_llvm_record *from,
                                             struct an_llvm_record *copy)
{
    *copy = *from;
    copy->counts = an_arena_alloc(&profile->arena, from->count_number, sizeof *copy->counts);
    if (!copy->counts)
        return NULL;
    memcpy(copy->counts, from->counts, from->count_number * sizeof *copy->counts);
    copy->counts[0] = LARGEST_COUNT;
    return copy;
}

bool an_profile_add(struct an_llvm_profile *profile, size_t function,
                    const struct an_llvm_record *from, uint64_t weight, unsigned *warnings)
{
    unsigned arisen = 0;
    struct an_llvm_record copy;
    struct record_shape shape = an_shape_of(from);
    if (profile->lossless.is_on && shape.is_pseudo && weight > 1) {
        from = unmarked(profile, from, &copy);
        if (!from)
            return false;
        shape.is_pseudo = false;
    }
    struct record *record = an_profile_find(profile, function, from->hash, &shape);
    bool done;
    if (record) {
        done = an_record_merge(profile, record, from, weight, &arisen);
    } else {
        record = an_profile_new_record(profile, function, from->hash, &shape);
        done = record && an_record_fill(profile, record, from, weight, &arisen);
    }
    if (arisen)
        profile->order_matters = true;
    *warnings |= arisen;
    return done;
}

enum an_code an_llvm_profile_add(struct an_llvm_profile *profile,
                                 const struct an_llvm_record *record, uint64_t weight,
                                 unsigned *warnings, struct an_error *error)
{
    if (record->count_number == 0)
        return an_fail(error, AN_USAGE, "a function needs at least one counter");
    size_t function = an_profile_function(profile, record->name, record->name_length, 0, false);
    if (function == AN_NO_NAME || !an_profile_add(profile, function, record, weight, warnings))
        return an_fail_memory(error);
    return AN_OK;
}

/* ---- what belongs to the whole ---- */

void an_profile_note_version(struct an_llvm_profile *profile, unsigned version)
{
    if (version && (!profile->version || version < profile->version))
        profile->version = version;
}

/*
 * Front-end and IR profiles count different things. Raw front-end profiles carry no mark, so "not
 * IR" is what tells them; llvm-profdata 19 looks only at the text marker :fe and mixes the others.
 * Coverage says 1 for any count, and loop entries are counted in other places: sums with other
 * profiles would be neither.
 */
bool an_profile_kind_fits(const struct an_llvm_profile *profile, unsigned variants)
{
    if (!profile->has_kind)
        return true;
    unsigned both = profile->variants | variants;
    return !((profile->variants ^ variants) & AN_LLVM_KINDS) &&
           !((both & AN_LLVM_ENTRY_ONLY) && (both & AN_LLVM_ENTRY_FIRST));
}

bool an_profile_merge_kind(struct an_llvm_profile *profile, unsigned variants)
{
    if (!an_profile_kind_fits(profile, variants))
        return false;
    profile->variants |= variants;
    profile->has_kind = true;
    return true;
}

bool an_profile_add_binary_id(struct an_llvm_profile *profile, const uint8_t *bytes, size_t size)
{
    bool is_new;
    if (an_names_find(&profile->known_ids, (const char *)bytes, size) != AN_NO_NAME)
        return true;
    char *copy = an_arena_copy(&profile->arena, (const char *)bytes, size);
    struct an_llvm_binary_id *place = copy ? an_vector_push(&profile->binary_ids) : NULL;
    if (!place)
        return false;
    if (an_names_insert(&profile->known_ids, copy, size, &is_new) == AN_NO_NAME) {
        profile->binary_ids.count--;
        return false;
    }
    *place = (struct an_llvm_binary_id){(const uint8_t *)copy, size};
    return true;
}

bool an_profile_add_vtable_name(struct an_llvm_profile *profile, const char *name, size_t length)
{
    bool is_new;
    if (an_names_find(&profile->vtable_names, name, length) != AN_NO_NAME)
        return true;
    char *copy = an_arena_copy(&profile->arena, name, length);
    return copy && an_names_insert(&profile->vtable_names, copy, length, &is_new) != AN_NO_NAME;
}

static void settle(struct record *record, int kind)
{
    if (record->order[kind] == NO_ORDER)
        an_record_order_by_value(record, kind, false);
    for (uint32_t i = 0; i < record->values->site_count[kind]; i++)
        an_site_order_by_count(&record->values->sites[kind][i]);
    record->order[kind] = FIRST_ORDER;
}

void an_profile_settle(struct an_llvm_profile *profile)
{
    if (profile->lossless.is_on) /* sorting by count would cut sites */
        return;
    for (size_t f = 0; f < profile->functions.count; f++)
        for (struct record *r = profile->functions.items[f].first; r; r = r->next)
            for (int kind = 0; r->values && kind < AN_LLVM_VALUE_KINDS; kind++)
                settle(r, kind);
}

bool an_llvm_profile_next(struct an_llvm_profile *profile, struct an_llvm_cursor *cursor,
                          struct an_llvm_record *record)
{
    const struct record *next = cursor->next;
    if (cursor->function == 0)
        an_profile_settle(profile);
    while (!next && cursor->function < profile->functions.count)
        next = profile->functions.items[cursor->function++].first;
    if (!next)
        return false;
    *record = an_profile_view(profile, next);
    cursor->next = next->next;
    return true;
}

size_t an_llvm_profile_filter(struct an_llvm_profile *profile,
                              bool (*keep)(void *context, const char *name, size_t name_length),
                              void *context)
{
    size_t removed = 0;
    for (size_t f = 0; f < profile->functions.count; f++) {
        struct function *function = &profile->functions.items[f];
        const struct an_name *name = &profile->names.names[f];
        if (!function->first || keep(context, name->text, name->length))
            continue;
        profile->records -= function->records;
        profile->filtered++;
        function->first = function->last = NULL;
        function->records = 0;
        removed++;
    }
    return removed;
}
