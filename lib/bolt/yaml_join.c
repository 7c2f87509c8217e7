/*
 * Adding one YAML profile to another; see yaml_join.h.
 *
 * Profiles of one binary have nearly the same blocks in the same order. So what belongs together is looked for at the next
 * place of a list first, and only then in an index of it.
 *
 * The order of what comes out is that of the profile that had it first, with new blocks and successors behind it by their
 * numbers, as merge-fdata has them, and new calls by their places.
 */
#include "bolt/yaml_join.h"

#include <string.h>

/* ---- headers ---- */

static enum an_code check_header(const struct an_yaml_header *ours,
                                 const struct an_yaml_header *theirs, struct an_error *error)
{
    enum { KIND = AN_YAML_LBR | AN_YAML_SAMPLE };
    if (ours->hash != theirs->hash)
        an_fail(error, AN_MISMATCH, "hash-func is %s, but %s in the inputs before it",
                an_yaml_hash_name(theirs->hash), an_yaml_hash_name(ours->hash));
    else if (ours->dfs_order != theirs->dfs_order)
        an_fail(error, AN_MISMATCH, "dfs-order is %s, unlike in the inputs before it",
                theirs->dfs_order ? "true" : "false");
    else if (ours->flags && (ours->flags & KIND) != (theirs->flags & KIND))
        an_fail(error, AN_MISMATCH, "a profile of %s, unlike the inputs before it",
                theirs->flags & AN_YAML_LBR ? "branches (lbr)" : "samples without branches");
    else
        return AN_OK;
    return an_error_hint(error, "merge each kind separately");
}

static bool join_name(struct an_arena *arena, struct an_yaml_text *ours,
                      const struct an_yaml_text *theirs, bool *differ)
{
    if (ours->length == 0 && theirs->length)
        *ours = an_yaml_text_copy(arena, theirs->text, theirs->length);
    if (ours->text)
        *differ = *differ || !an_yaml_text_same(ours, theirs);
    return ours->text;
}

/* Whether `part` is one of the parts of a text between separators. */
static bool has_part(const struct an_yaml_text *whole, const struct an_yaml_text *part,
                     const char *separator)
{
    const char *at = whole->text, *end = whole->text + whole->length;
    size_t size = strlen(separator);
    for (;;) {
        const char *next = memmem(at, (size_t)(end - at), separator, size);
        size_t length = (size_t)((next ? next : end) - at);
        if (length == part->length && memcmp(at, part->text, length) == 0)
            return true;
        if (!next)
            return false;
        at = next + size;
    }
}

/* Adds what is not one of its parts yet. */
static bool join_parts(struct an_arena *arena, struct an_yaml_text *ours,
                       const struct an_yaml_text *theirs, const char *separator)
{
    size_t size = ours->length ? strlen(separator) : 0;
    if (theirs->length == 0 || an_yaml_text_same(ours, theirs) ||
        (size && has_part(ours, theirs, separator)))
        return true;
    char *text = an_arena_alloc(arena, ours->length + size + theirs->length + 1, 1);
    if (!text)
        return false;
    memcpy(text, ours->text, ours->length);
    stpcpy(text + ours->length, size ? separator : "");
    memcpy(text + ours->length + size, theirs->text, theirs->length + 1);
    *ours = (struct an_yaml_text){text, ours->length + size + theirs->length};
    return true;
}

static bool join_header(struct yaml_join *join, const struct an_yaml_header *theirs)
{
    struct an_yaml_info *info = &join->profile->info;
    struct an_yaml_header *ours = &info->header;
    struct an_arena *arena = &join->profile->arena;
    if (!join->has_header) {
        ours->hash = theirs->hash;
        ours->dfs_order = theirs->dfs_order;
    }
    if (join->has_header && (ours->events.length || theirs->events.length))
        info->has_other_events |= !an_yaml_text_same(&ours->events, &theirs->events);
    ours->flags |= theirs->flags;
    return join_name(arena, &ours->binary_name, &theirs->binary_name, &info->has_other_names) &&
           join_name(arena, &ours->build_id, &theirs->build_id, &info->has_other_builds) &&
           join_parts(arena, &ours->origin, &theirs->origin, "; ") &&
           join_parts(arena, &ours->events, &theirs->events, ",");
}

/* ---- finding items by number ---- */

/* Blocks and successors begin with their number. */
static uint32_t number_at(const void *list, size_t size, size_t i)
{
    return *(const uint32_t *)((const char *)list + i * size);
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static bool make_index(struct yaml_join *join, const void *list, size_t count, size_t size)
{
    if (!an_vector_reserve(&join->index, count))
        return false;
    for (size_t i = 0; i < count; i++)
        join->index.items[i] = (uint64_t)number_at(list, size, i) << 32 | i;
    join->index.count = count;
    if (count)
        qsort(join->index.items, count, sizeof *join->index.items, compare_numbers);
    return true;
}

static uint32_t find(const struct yaml_join *join, uint32_t number)
{
    size_t from = 0, to = join->index.count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        uint64_t item = join->index.items[middle];
        if (item >> 32 == number)
            return (uint32_t)item;
        if (item >> 32 < number)
            from = middle + 1;
        else
            to = middle;
    }
    return YAML_NOWHERE;
}

/* Sets the places of the items of `with` in `list`. */
static bool find_all(struct yaml_join *join, const void *list, size_t count, const void *with,
                     size_t with_count, size_t size)
{
    bool has_index = false;
    size_t next = 0;
    if (!an_vector_reserve(&join->places, with_count))
        return false;
    join->places.count = with_count;
    for (size_t i = 0; i < with_count; i++) {
        uint32_t number = number_at(with, size, i), place = (uint32_t)next;
        if (next >= count || number_at(list, size, next) != number) {
            if (!has_index && !make_index(join, list, count, size))
                return false;
            has_index = true;
            place = find(join, number);
        }
        join->places.items[i] = place;
        next = place == YAML_NOWHERE ? next : (size_t)place + 1;
    }
    return true;
}

/* Makes an index of the items of `with` that have no place: those to add, by their numbers. */
static bool list_new(struct yaml_join *join, const void *with, size_t size)
{
    join->index.count = 0;
    for (size_t i = 0; i < join->places.count; i++) {
        if (join->places.items[i] != YAML_NOWHERE)
            continue;
        uint64_t *item = an_vector_push(&join->index);
        if (!item)
            return false;
        *item = (uint64_t)number_at(with, size, i) << 32 | i;
    }
    if (join->index.count)
        qsort(join->index.items, join->index.count, sizeof *join->index.items, compare_numbers);
    return true;
}

/* ---- successors ---- */

static struct an_yaml_successor *successors_of(const struct an_yaml_block *block)
{
    return (struct an_yaml_successor *)(uintptr_t)block->successors; /* in our own arena */
}

static void add_successor(struct an_yaml_successor *to, const struct an_yaml_successor *from,
                          uint64_t weight)
{
    to->block = from->block;
    an_yaml_add(&to->count, an_yaml_times(from->count, weight));
    an_yaml_add(&to->mispreds, an_yaml_times(from->mispreds, weight));
}

static bool append_successor(struct yaml_join *join, struct an_yaml_block *to,
                             const struct an_yaml_successor *from, uint64_t weight)
{
    const void *list = to->successors;
    struct an_yaml_successor *added =
        an_yaml_push(&join->profile->arena, &list, &to->successor_count, sizeof *added);
    if (!added)
        return false;
    to->successors = list;
    add_successor(added, from, weight);
    return true;
}

static bool join_successors(struct yaml_join *join, struct an_yaml_block *to,
                            const struct an_yaml_block *from, uint64_t weight)
{
    size_t size = sizeof *from->successors;
    if (!find_all(join, to->successors, to->successor_count, from->successors,
                  from->successor_count, size) ||
        !list_new(join, from->successors, size))
        return false;
    for (size_t i = 0; i < from->successor_count; i++)
        if (join->places.items[i] != YAML_NOWHERE)
            add_successor(&successors_of(to)[join->places.items[i]], &from->successors[i], weight);
    for (size_t i = 0; i < join->index.count; i++)
        if (!append_successor(join, to, &from->successors[(uint32_t)join->index.items[i]], weight))
            return false;
    return true;
}

/* ---- calls ---- */

static int compare_calls(const void *a, const void *b)
{
    const struct an_yaml_call *left = a, *right = b;
    if (left->offset != right->offset)
        return left->offset < right->offset ? -1 : 1;
    if (left->function != right->function)
        return left->function < right->function ? -1 : 1;
    return (left->entry > right->entry) - (left->entry < right->entry);
}

static struct an_yaml_call *calls_of(const struct an_yaml_block *block)
{
    return (struct an_yaml_call *)(uintptr_t)block->calls;
}

static void add_call(struct an_yaml_call *to, const struct an_yaml_call *from, uint64_t weight)
{
    an_yaml_add(&to->count, an_yaml_times(from->count, weight));
    an_yaml_add(&to->mispreds, an_yaml_times(from->mispreds, weight));
}

static bool has_same_calls(const struct an_yaml_block *a, const struct an_yaml_block *b)
{
    if (a->call_count != b->call_count)
        return false;
    for (size_t i = 0; i < a->call_count; i++)
        if (compare_calls(&a->calls[i], &b->calls[i]) != 0)
            return false;
    return true;
}

static bool append_call(struct yaml_join *join, struct an_yaml_block *to,
                        const struct an_yaml_call *from, uint64_t weight)
{
    const void *list = to->calls;
    struct an_yaml_call *added =
        an_yaml_push(&join->profile->arena, &list, &to->call_count, sizeof *added);
    if (!added)
        return false;
    to->calls = list;
    *added = *from;
    added->count = added->mispreds = 0;
    add_call(added, from, weight);
    return true;
}

/* The calls of a block in the order of their keys, with their places for counts. */
static bool index_calls(struct yaml_join *join, const struct an_yaml_block *block)
{
    if (!an_vector_reserve(&join->calls, block->call_count))
        return false;
    join->calls.count = block->call_count;
    for (size_t i = 0; i < block->call_count; i++) {
        join->calls.items[i] = block->calls[i];
        join->calls.items[i].count = i;
    }
    if (join->calls.count > 1)
        qsort(join->calls.items, join->calls.count, sizeof *join->calls.items, compare_calls);
    return true;
}

/* Adds to the calls that are there already, and keeps the others aside. */
static bool add_calls(struct yaml_join *join, struct an_yaml_block *to,
                      const struct an_yaml_block *from, uint64_t weight)
{
    join->new_calls.count = 0;
    for (size_t i = 0; i < from->call_count; i++) {
        const struct an_yaml_call *call = &from->calls[i], *found = NULL;
        if (join->calls.count)
            found =
                bsearch(call, join->calls.items, join->calls.count, sizeof *call, compare_calls);
        struct an_yaml_call *place =
            found ? &calls_of(to)[found->count] : an_vector_push(&join->new_calls);
        if (!place)
            return false;
        if (found)
            add_call(place, call, weight);
        else
            *place = *call;
    }
    return true;
}

static bool join_calls(struct yaml_join *join, struct an_yaml_block *to,
                       const struct an_yaml_block *from, uint64_t weight)
{
    if (has_same_calls(to, from)) {
        for (size_t i = 0; i < from->call_count; i++)
            add_call(&calls_of(to)[i], &from->calls[i], weight);
        return true;
    }
    if (!index_calls(join, to) || !add_calls(join, to, from, weight))
        return false;
    const struct an_yaml_call *added = join->new_calls.items;
    if (join->new_calls.count > 1)
        qsort(join->new_calls.items, join->new_calls.count, sizeof *added, compare_calls);
    for (size_t i = 0; i < join->new_calls.count; i++) {
        if (i && compare_calls(&added[i - 1], &added[i]) == 0)
            add_call(&calls_of(to)[to->call_count - 1], &added[i], weight);
        else if (!append_call(join, to, &added[i], weight))
            return false;
    }
    return true;
}

/* ---- blocks ---- */

static struct an_yaml_block *blocks_of(const struct an_yaml_function *function)
{
    return (struct an_yaml_block *)(uintptr_t)function->blocks;
}

static void add_executions(struct an_yaml_block *to, const struct an_yaml_block *from,
                           uint64_t weight)
{
    an_yaml_add(&to->executed, an_yaml_times(from->executed, weight));
    an_yaml_add(&to->events, an_yaml_times(from->events, weight));
}

/* Uses the places and the index. */
static bool join_block(struct yaml_join *join, struct an_yaml_block *to,
                       const struct an_yaml_block *from, uint64_t weight)
{
    add_executions(to, from, weight);
    return join_calls(join, to, from, weight) && join_successors(join, to, from, weight);
}

static bool add_block(struct yaml_join *join, struct an_yaml_function *to,
                      const struct an_yaml_block *from, uint64_t weight)
{
    const void *list = to->blocks;
    struct an_yaml_block *block =
        an_yaml_push(&join->profile->arena, &list, &to->block_count, sizeof *block);
    if (!block)
        return false;
    to->blocks = list;
    block->number = from->number;
    block->instructions = from->instructions;
    block->hash = from->hash;
    add_executions(block, from, weight);
    bool done = true;
    for (size_t i = 0; done && i < from->call_count; i++)
        done = append_call(join, block, &from->calls[i], weight);
    for (size_t i = 0; done && i < from->successor_count; i++)
        done = append_successor(join, block, &from->successors[i], weight);
    return done;
}

/* Where the blocks of `from` are in `to`, taken out of the join, whose lists are used for each block. */
static uint32_t *places_of(struct yaml_join *join, const struct an_yaml_function *to,
                           const struct an_yaml_function *from)
{
    size_t size = from->block_count * sizeof *join->places.items;
    if (!find_all(join, to->blocks, to->block_count, from->blocks, from->block_count,
                  sizeof *from->blocks))
        return NULL;
    uint32_t *places = an_alloc(from->block_count + 1, sizeof *places);
    if (places && size)
        memcpy(places, join->places.items, size);
    return places;
}

static bool join_blocks(struct yaml_join *join, struct an_yaml_function *to,
                        const struct an_yaml_function *from, uint64_t weight)
{
    uint32_t *places = places_of(join, to, from);
    bool done = places && list_new(join, from->blocks, sizeof *from->blocks);
    size_t new_count = done ? join->index.count : 0;
    uint64_t *new_ones = an_alloc(new_count + 1, sizeof *new_ones);
    done = done && new_ones;
    if (done && new_count)
        memcpy(new_ones, join->index.items, new_count * sizeof *new_ones);
    for (size_t i = 0; done && i < from->block_count; i++)
        if (places[i] != YAML_NOWHERE)
            done = join_block(join, &blocks_of(to)[places[i]], &from->blocks[i], weight);
    for (size_t i = 0; done && i < new_count; i++)
        done = add_block(join, to, &from->blocks[(uint32_t)new_ones[i]], weight);
    free(new_ones);
    free(places);
    return done;
}

static enum an_code check_blocks(struct yaml_join *join, const struct an_yaml_function *ours,
                                 const struct an_yaml_function *theirs, struct an_error *error)
{
    if (!find_all(join, ours->blocks, ours->block_count, theirs->blocks, theirs->block_count,
                  sizeof *ours->blocks))
        return an_fail_memory(error);
    for (size_t i = 0; i < theirs->block_count; i++) {
        uint32_t place = join->places.items[i];
        const struct an_yaml_block *block = &theirs->blocks[i];
        if (place == YAML_NOWHERE)
            continue;
        if (ours->blocks[place].instructions != block->instructions)
            return an_fail(error, AN_MISMATCH,
                           "%.100s: block %u has %u instructions, but %u in the inputs before it",
                           theirs->name.text, block->number, block->instructions,
                           ours->blocks[place].instructions);
        if (ours->blocks[place].hash != block->hash)
            return an_fail(error, AN_MISMATCH,
                           "%.100s: block %u has another hash than in the inputs before it",
                           theirs->name.text, block->number);
    }
    return AN_OK;
}

/* ---- functions ---- */

static enum an_code check_function(struct yaml_join *join, const struct an_yaml_function *ours,
                                   const struct an_yaml_function *theirs, struct an_error *error)
{
    if (ours->block_number != theirs->block_number)
        return an_fail(error, AN_MISMATCH, "%.100s: %u blocks, but %u in the inputs before it",
                       theirs->name.text, theirs->block_number, ours->block_number);
    if (ours->id != theirs->id)
        return an_fail(error, AN_MISMATCH,
                       "%.100s: number (fid) %u, but %u in the inputs before it", theirs->name.text,
                       theirs->id, ours->id);
    if (ours->hash != theirs->hash)
        return an_fail(error, AN_MISMATCH, "%.100s: another hash than in the inputs before it",
                       theirs->name.text);
    return check_blocks(join, ours, theirs, error);
}

static struct an_yaml_function *find_function(struct yaml_join *join,
                                              const struct an_yaml_text *name)
{
    size_t number = an_names_find(&join->names, name->text, name->length);
    return number == AN_NO_NAME ? NULL : &join->functions.items[number];
}

static enum an_code check(struct yaml_join *join, const struct an_yaml_profile *with,
                          struct an_error *error)
{
    enum an_code code = AN_OK;
    if (join->has_header)
        code = check_header(&join->profile->info.header, &with->info.header, error);
    for (size_t i = 0; code == AN_OK && i < with->count; i++) {
        const struct an_yaml_function *ours = find_function(join, &with->functions[i].name);
        if (ours)
            code = check_function(join, ours, &with->functions[i], error);
    }
    if (code == AN_MISMATCH && !*error->hint)
        an_error_hint(error, "profiles of one binary, by one release of BOLT, can be merged");
    return code;
}

/* A function without counts like this one. */
static struct an_yaml_function *add_function(struct yaml_join *join,
                                             const struct an_yaml_function *like)
{
    bool is_new;
    struct an_yaml_function *function = an_vector_push(&join->functions);
    if (!function)
        return NULL;
    *function = (struct an_yaml_function){
        .name = an_yaml_text_copy(&join->profile->arena, like->name.text, like->name.length),
        .id = like->id,
        .block_number = like->block_number,
        .hash = like->hash,
    };
    bool done =
        function->name.text && an_names_insert(&join->names, function->name.text,
                                               function->name.length, &is_new) != AN_NO_NAME;
    return done ? function : NULL;
}

static bool join_function(struct yaml_join *join, const struct an_yaml_function *from,
                          uint64_t weight)
{
    struct an_yaml_function *to = find_function(join, &from->name);
    if (to) {
        an_yaml_add(&to->executed, an_yaml_times(from->executed, weight));
        an_yaml_add(&to->external, an_yaml_times(from->external, weight));
        return join_blocks(join, to, from, weight);
    }
    to = add_function(join, from);
    if (!to)
        return false;
    to->executed = an_yaml_times(from->executed, weight);
    to->external = an_yaml_times(from->external, weight);
    for (size_t i = 0; i < from->block_count; i++)
        if (!add_block(join, to, &from->blocks[i], weight))
            return false;
    return true;
}

enum an_code an_yaml_join(struct yaml_join *join, const struct an_yaml_profile *with,
                          uint64_t weight, struct an_error *error)
{
    enum an_code code = check(join, with, error);
    if (code != AN_OK)
        return code;
    bool done = join_header(join, &with->info.header);
    join->has_header = true;
    join->profile->info.has_probes |= with->info.has_probes;
    for (size_t i = 0; done && i < with->count; i++)
        done = join_function(join, &with->functions[i], weight);
    return done ? AN_OK : an_fail_memory(error);
}

/* ---- the end ---- */

static int compare_functions(const void *a, const void *b)
{
    const struct an_yaml_function *left = a, *right = b;
    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    size_t length = left->name.length < right->name.length ? left->name.length : right->name.length;
    int order = memcmp(left->name.text, right->name.text, length);
    return order ? order
                 : (left->name.length > right->name.length) -
                       (left->name.length < right->name.length);
}

struct an_yaml_profile *an_yaml_join_end(struct yaml_join *join)
{
    struct an_yaml_profile *profile = join->profile;
    profile->functions = join->functions.items;
    profile->count = join->functions.count;
    join->functions.items = NULL;
    join->profile = NULL;
    if (profile->count)
        qsort(profile->functions, profile->count, sizeof *profile->functions, compare_functions);
    an_yaml_sum(profile);
    return profile;
}

void an_yaml_join_free(struct yaml_join *join)
{
    an_yaml_profile_free(join->profile);
    an_vector_free(&join->functions);
    an_names_free(&join->names);
    an_vector_free(&join->index);
    an_vector_free(&join->places);
    an_vector_free(&join->calls);
    an_vector_free(&join->new_calls);
}
