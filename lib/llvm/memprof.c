/* The model of memory profiles, and merging them; see memprof.h. */
#include "llvm/memprof.h"

#include <string.h>

#include "base/blake3.h"

unsigned an_memprof_field_size(unsigned field)
{
    /* Counts, sums and pointers have 64 bits: MIBEntryDef.inc. */
    const uint32_t wide = 1u << 2 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 10 | 1u << 19 | 1u << 20 |
                          1u << 23 | 1u << 27;
    return wide >> field & 1 ? 8 : 4;
}

unsigned an_memprof_schema_size(uint32_t schema)
{
    unsigned size = 0;
    for (unsigned field = 1; field < MEMPROF_FIELDS; field++)
        if (schema >> field & 1)
            size += an_memprof_field_size(field);
    return size;
}

void an_memprof_free(struct memprof *memprof)
{
    an_arena_free(&memprof->arena);
    an_names_free(&memprof->frames);
    an_vector_free(&memprof->nodes);
    an_map_free(&memprof->children);
    an_vector_free(&memprof->stacks);
    an_map_free(&memprof->stack_of);
    an_vector_free(&memprof->records);
    an_map_free(&memprof->record_of);
    an_vector_free(&memprof->allocations);
    an_vector_free(&memprof->sites);
    an_names_free(&memprof->known_sites);
    *memprof = (struct memprof){0};
}

uint32_t an_memprof_schema(const struct memprof *memprof, unsigned version, bool is_full)
{
    bool is_all = is_full || version < 2;
    return memprof->schema | (memprof->measured & (is_all ? MEMPROF_ALL : MEMPROF_HOT_COLD));
}

/* ---- frames and stacks ---- */

uint32_t an_memprof_frame(struct memprof *memprof, const uint8_t *bytes)
{
    size_t known = an_names_find(&memprof->frames, (const char *)bytes, MEMPROF_FRAME);
    if (known != AN_NO_NAME)
        return (uint32_t)known;
    char *copy = an_arena_copy(&memprof->arena, bytes, MEMPROF_FRAME);
    bool is_new;
    size_t index =
        copy ? an_names_insert(&memprof->frames, copy, MEMPROF_FRAME, &is_new) : AN_NO_NAME;
    return index < MEMPROF_NONE ? (uint32_t)index : MEMPROF_NONE;
}

static bool begin_tree(struct memprof *memprof)
{
    if (memprof->nodes.count)
        return true;
    struct memprof_node *top = an_vector_push(&memprof->nodes);
    if (top)
        *top = (struct memprof_node){MEMPROF_NONE, MEMPROF_NONE, 0};
    return top;
}

uint32_t an_memprof_node(struct memprof *memprof, uint32_t parent, uint32_t frame)
{
    bool is_new = false;
    uint64_t key = (uint64_t)parent << 32 | frame;
    uint64_t *place = begin_tree(memprof) ? an_map_insert(&memprof->children, key, &is_new) : NULL;
    if (!place)
        return MEMPROF_NONE;
    if (is_new) {
        size_t index = memprof->nodes.count;
        uint32_t depth = memprof->nodes.items[parent].depth + 1;
        struct memprof_node *node = index < MEMPROF_NONE ? an_vector_push(&memprof->nodes) : NULL;
        if (!node)
            return MEMPROF_NONE;
        *node = (struct memprof_node){parent, frame, depth};
        *place = index;
    }
    return (uint32_t)*place;
}

bool an_memprof_stack(struct memprof *memprof, uint32_t node)
{
    bool is_new = false;
    uint64_t *place = begin_tree(memprof) ? an_map_insert(&memprof->stack_of, node, &is_new) : NULL;
    if (!place || !is_new)
        return place;
    uint32_t *stack = an_vector_push(&memprof->stacks);
    if (!stack)
        return false;
    *stack = node;
    *place = memprof->stacks.count;
    return true;
}

/*
 * LLVM 20 has given frames other numbers than before. Up to LLVM 19 they are combined from the fields in the way of Boost's
 * hash_combine.
 */
uint64_t an_memprof_frame_id(const uint8_t *frame, bool is_new)
{
    if (is_new)
        return an_blake3_64(frame, MEMPROF_FRAME);
    uint64_t fields[] = {an_get64(frame, false), an_get32(frame + 8, false),
                         an_get32(frame + 12, false), frame[16]};
    uint64_t id = 0;
    for (int i = 0; i < 4; i++)
        id ^= fields[i] + 0x9e3779b97f4a7c15 + (id << 6) + (id >> 2);
    return id;
}

uint64_t an_memprof_stack_id(const struct memprof *memprof, const uint64_t *frame_ids,
                             uint32_t node, struct an_buffer *scratch)
{
    scratch->size = 0;
    for (; node != MEMPROF_TOP; node = memprof->nodes.items[node].parent)
        an_buffer_le64(scratch, frame_ids[memprof->nodes.items[node].frame]);
    return an_blake3_64(scratch->data, scratch->size);
}

/* ---- records ---- */

uint32_t an_memprof_record(struct memprof *memprof, uint64_t function)
{
    bool is_new = false;
    uint64_t *place = an_map_insert(&memprof->record_of, function, &is_new);
    if (!place)
        return MEMPROF_NONE;
    if (is_new) {
        struct memprof_record *record =
            memprof->records.count + 1 < MEMPROF_NONE ? an_vector_push(&memprof->records) : NULL;
        if (!record)
            return MEMPROF_NONE;
        const struct memprof_list none = {MEMPROF_NONE, MEMPROF_NONE, 0};
        *record = (struct memprof_record){function, none, none};
        *place = memprof->records.count;
    }
    return (uint32_t)(*place - 1);
}

/* behind: where the list's last item says which one comes next; NULL when there is none yet. */
static void append(struct memprof_list *list, uint32_t index, uint32_t *behind)
{
    *(behind ? behind : &list->first) = index;
    list->last = index;
    list->number++;
}

uint64_t *an_memprof_numbers(struct memprof *memprof, size_t count)
{
    return an_arena_zero(&memprof->arena, count, sizeof(uint64_t));
}

bool an_memprof_allocation(struct memprof *memprof, uint32_t record, uint32_t stack,
                           const uint64_t *values)
{
    struct memprof_list *list = &memprof->records.items[record].allocations;
    uint32_t index = (uint32_t)memprof->allocations.count;
    struct memprof_allocation *allocation =
        index < MEMPROF_NONE ? an_vector_push(&memprof->allocations) : NULL;
    if (!allocation)
        return false;
    *allocation = (struct memprof_allocation){stack, MEMPROF_NONE, values};
    append(list, index, list->number ? &memprof->allocations.items[list->last].next : NULL);
    return an_memprof_stack(memprof, stack);
}

/* What makes a call site up. */
static const uint64_t *site_words(struct memprof *memprof, uint32_t record, uint32_t stack,
                                  const uint64_t *callees, size_t callee_number, size_t *size)
{
    *size = (1 + callee_number) * sizeof *callees;
    uint64_t *words = an_memprof_numbers(memprof, 1 + callee_number);
    if (words) {
        words[0] = (uint64_t)record << 32 | stack;
        if (callee_number)
            memcpy(words + 1, callees, callee_number * sizeof *callees);
    }
    return words;
}

bool an_memprof_site(struct memprof *memprof, uint32_t record, uint32_t stack,
                     const uint64_t *callees, uint64_t callee_number)
{
    struct memprof_list *list = &memprof->records.items[record].sites;
    uint32_t index = (uint32_t)memprof->sites.count;
    struct memprof_site *site = index < MEMPROF_NONE ? an_vector_push(&memprof->sites) : NULL;
    if (!site)
        return false;
    *site = (struct memprof_site){stack, MEMPROF_NONE, callees, callee_number};
    append(list, index, list->number ? &memprof->sites.items[list->last].next : NULL);
    size_t size;
    bool is_new;
    const uint64_t *words =
        site_words(memprof, record, stack, callees, (size_t)callee_number, &size);
    return words &&
           an_names_insert(&memprof->known_sites, (const char *)words, size, &is_new) !=
               AN_NO_NAME &&
           an_memprof_stack(memprof, stack);
}

/* ---- merging ---- */

bool an_memprof_fits(const struct memprof *into, const struct memprof *from)
{
    return !into->accesses.size || !from->accesses.size ||
           (into->accesses.size == from->accesses.size &&
            memcmp(into->accesses.data, from->accesses.data, from->accesses.size) == 0);
}

/* Fills in, for each frame and node of `from`, the one of `into`. */
static bool merge_stacks(struct memprof *into, const struct memprof *from, uint32_t *frames,
                         uint32_t *nodes)
{
    for (size_t i = 0; i < from->frames.count; i++) {
        frames[i] = an_memprof_frame(into, (const uint8_t *)from->frames.names[i].text);
        if (frames[i] == MEMPROF_NONE)
            return false;
    }
    if (from->nodes.count)
        nodes[0] = MEMPROF_TOP;
    for (size_t i = 1; i < from->nodes.count; i++) {
        const struct memprof_node *node = &from->nodes.items[i];
        nodes[i] = an_memprof_node(into, nodes[node->parent], frames[node->frame]);
        if (nodes[i] == MEMPROF_NONE)
            return false;
    }
    for (size_t i = 0; i < from->stacks.count; i++)
        if (!an_memprof_stack(into, nodes[from->stacks.items[i]]))
            return false;
    return true;
}

static const uint64_t *copy_numbers(struct memprof *memprof, const uint64_t *numbers, size_t count)
{
    uint64_t *copy = an_memprof_numbers(memprof, count);
    if (copy && count)
        memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

/* Adds a call site, unless it was there before this merge, when there were so many of them. */
static bool merge_site(struct memprof *into, uint32_t record, uint32_t stack,
                       const struct memprof_site *site, size_t before)
{
    size_t size;
    const uint64_t *words =
        site_words(into, record, stack, site->callees, (size_t)site->callee_number, &size);
    if (!words)
        return false;
    if (an_names_find(&into->known_sites, (const char *)words, size) < before)
        return true;
    return an_memprof_site(into, record, stack, words + 1, site->callee_number);
}

static bool merge_record(struct memprof *into, const struct memprof *from,
                         const struct memprof_record *record, const uint32_t *nodes, size_t before)
{
    uint32_t target = an_memprof_record(into, record->function);
    if (target == MEMPROF_NONE)
        return false;
    uint32_t at = record->allocations.first;
    for (; at != MEMPROF_NONE; at = from->allocations.items[at].next) {
        const struct memprof_allocation *allocation = &from->allocations.items[at];
        const uint64_t *values = copy_numbers(into, allocation->values, MEMPROF_FIELDS);
        if (!values || !an_memprof_allocation(into, target, nodes[allocation->stack], values))
            return false;
    }
    for (at = record->sites.first; at != MEMPROF_NONE; at = from->sites.items[at].next) {
        const struct memprof_site *site = &from->sites.items[at];
        if (!merge_site(into, target, nodes[site->stack], site, before))
            return false;
    }
    return true;
}

static bool merge_accesses(struct memprof *into, const struct memprof *from)
{
    if (into->accesses.size || !from->accesses.size)
        return true;
    const void *copy = an_arena_copy(&into->arena, from->accesses.data, from->accesses.size);
    if (copy)
        into->accesses = (struct an_bytes){copy, from->accesses.size};
    return copy;
}

bool an_memprof_merge(struct memprof *into, const struct memprof *from)
{
    if (!from->exists)
        return true;
    size_t before = into->known_sites.count;
    uint32_t *frames = an_alloc(from->frames.count, sizeof *frames);
    uint32_t *nodes = an_alloc(from->nodes.count, sizeof *nodes);
    bool done =
        frames && nodes && merge_stacks(into, from, frames, nodes) && merge_accesses(into, from);
    for (size_t i = 0; done && i < from->records.count; i++)
        done = merge_record(into, from, &from->records.items[i], nodes, before);
    free(frames);
    free(nodes);
    into->has_summary = !into->exists && from->has_summary;
    memcpy(into->summary, from->summary, sizeof into->summary);
    into->exists = true;
    into->is_indexed |= from->is_indexed;
    into->is_raw |= from->is_raw;
    into->schema |= from->schema;
    into->measured |= from->measured;
    into->has_new_ids |= from->has_new_ids;
    if (into->version < from->version)
        into->version = from->version;
    return done;
}
