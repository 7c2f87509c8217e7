/* Adding up a branch profile by function; see fdata_functions.h. */
#include "fdata_functions.h"

#include <stdlib.h>
#include <string.h>

static void add(uint64_t *sum, uint64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = UINT64_MAX;
}

static struct fdata_function *function_of(struct fdata_functions *functions,
                                          const struct an_fdata_location *location)
{
    bool is_new;
    size_t index =
        an_names_insert(&functions->names, location->name, location->name_length, &is_new);
    if (index == AN_NO_NAME)
        return NULL;
    if (!is_new)
        return &functions->items[index];
    if (index == functions->capacity) {
        size_t capacity = functions->capacity ? 2 * functions->capacity : 256;
        struct fdata_function *grown = realloc(functions->items, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        functions->items = grown;
        functions->capacity = capacity;
    }
    functions->count = index + 1;
    functions->items[index] =
        (struct fdata_function){.name = location->name, .length = location->name_length};
    return &functions->items[index];
}

static void own(struct fdata_functions *functions, struct fdata_function *owner, size_t index)
{
    owner->records++;
    if (owner->last)
        functions->next[owner->last - 1] = index + 1;
    else
        owner->first = index + 1;
    owner->last = index + 1;
}

static bool add_record(struct fdata_functions *functions, const struct an_fdata_record *record,
                       size_t index)
{
    bool leaves = record->from.kind % 3 != 0;
    bool reaches = record->kind == AN_FDATA_BRANCH && record->to.kind != 0;
    if (leaves) {
        struct fdata_function *from = function_of(functions, &record->from);
        if (!from)
            return false;
        own(functions, from, index);
        add(record->kind == AN_FDATA_MEMORY ? &from->accesses : &from->branches, record->count);
        add(&from->mispreds, record->mispreds);
    }
    if (reaches) {
        struct fdata_function *to = function_of(functions, &record->to);
        if (!to)
            return false;
        if (!leaves)
            own(functions, to, index);
        if (record->to.offset == 0)
            add(&to->entries, record->count);
    }
    return true;
}

bool fdata_functions_read(struct fdata_functions *functions, const struct an_fdata_profile *profile)
{
    const struct an_fdata_info *info = an_fdata_profile_info(profile);
    struct an_fdata_record record;
    functions->next =
        calloc(info->branches + info->samples + info->memory + 1, sizeof *functions->next);
    bool done = functions->next != NULL;
    for (size_t i = 0; done && an_fdata_profile_record(profile, i, &record); i++)
        done = add_record(functions, &record, i);
    return done;
}

static int by_name(const void *a, const void *b)
{
    const struct fdata_function *left = a, *right = b;
    size_t shorter = left->length < right->length ? left->length : right->length;
    int order = memcmp(left->name, right->name, shorter);
    return order ? order : (left->length > right->length) - (left->length < right->length);
}

void fdata_functions_sort_by_name(struct fdata_functions *functions)
{
    if (functions->count)
        qsort(functions->items, functions->count, sizeof *functions->items, by_name);
}

static int hottest_first(const void *a, const void *b)
{
    const struct fdata_function *left = a, *right = b;
    if (left->branches != right->branches)
        return left->branches > right->branches ? -1 : 1;
    if (left->entries != right->entries)
        return left->entries > right->entries ? -1 : 1;
    return by_name(a, b);
}

void fdata_functions_sort(struct fdata_functions *functions)
{
    if (functions->count)
        qsort(functions->items, functions->count, sizeof *functions->items, hottest_first);
}

void fdata_functions_free(struct fdata_functions *functions)
{
    free(functions->items);
    free(functions->next);
    an_names_free(&functions->names);
    *functions = (struct fdata_functions){0};
}
