/*
 * Reading the memory profile of an indexed profile. All offsets count from the beginning of the file.
 *
 *     +------------------------------------------------------------+
 *     | u64 version (from version 1; 0 begins with an offset)      |
 *     | u64 offset of the record table     (first up to version 2) |
 *     | u64 offset of the frames' items    up to version 2         |
 *     | u64 offset of the frame table      up to version 2         |
 *     | u64 offset of the call stacks' items       version 2       |
 *     | u64 offset of the call stack table         version 2       |
 *     | u64 offset of the call stacks      from version 3          |
 *     | u64 offset of the records' items   from version 3          |
 *     | u64 offset of the record table     from version 3          |
 *     | u64 offset of data accesses, or 0  from version 4          |
 *     | summary: u32 fields | u64 field... from version 4          |
 *     | u64 number of | u64 fields of allocations (the schema)     |
 *     +------------------------------------------------------------+
 *     | frames, from version 3: u64 function | u32 line |          |
 *     |   u32 column | u8 inlined                                  |
 *     | call stacks, from version 3: u32...                        |
 *     | record table: function -> record                           |
 *     | frame table, up to version 2: number -> frame              |
 *     | call stack table, version 2: number -> u64 frame...        |
 *     | data accesses, from version 4: memprof_accesses.h          |
 *     +------------------------------------------------------------+
 *
 *     record:  u64 allocations, { stack | fields of the schema }...
 *              u64 call sites, { stack | u64 callees | u64 callee... }...   (callees from version 4)
 *     stack:   u64 frames, u64 frame...   up to version 1
 *              u64 number in the table    version 2
 *              u32 place                  from version 3
 *
 * From version 3 on, call stacks are an array. From a stack's place on, there is the number of its frames, and its frames from
 * leaf to root; where it goes on like another one, how far behind that is stands there as a negative number.
 *
 * Sources: MemProf.cpp, IndexedMemProfData.cpp, MemProfRadixTree.cpp, DataAccessProf.cpp; what LLVM 19 to 23 write.
 */
#include <string.h>

#include "llvm/chained.h"
#include "llvm/memprof.h"
#include "llvm/memprof_accesses.h"

struct item {
    uint64_t key, at, size;
};

struct items {
    AN_VECTOR(struct item);
};

struct section {
    struct memprof *memprof;
    struct an_bytes file; /* up to the end of the section */
    struct an_error *error;
    unsigned version;
    unsigned schema_number;
    uint8_t schema[MEMPROF_FIELDS]; /* the fields, as they follow each other */
    unsigned values_size;
    uint64_t at, records_at, record_table, frames_at, frame_table, stacks_at, stack_table, accesses;
    struct an_map frame_of, node_of; /* numbers -> indices, up to version 2 */
    /* from version 3 on */
    uint32_t frame_number, *frames;
    uint32_t place_number, *nodes; /* by place in the array of stacks */
    struct {
        AN_VECTOR(uint32_t);
    } path;
};

static bool fail(struct section *section, uint64_t at, const char *what)
{
    an_fail_at(section->error, AN_MALFORMED, at, "memory profile: %s", what);
    return false;
}

static bool fail_memory(struct section *section)
{
    an_fail_memory(section->error);
    return false;
}

/* ---- the header ---- */

static bool read_schema(struct section *section, struct an_cursor *cursor)
{
    uint64_t at = cursor->at, number = an_cursor_u64(cursor);
    if (cursor->short_read || number >= MEMPROF_FIELDS)
        return fail(section, at, "more fields of allocations than the 27 that are known");
    section->schema_number = (unsigned)number;
    for (unsigned i = 0; i < number; i++) {
        uint64_t field = an_cursor_u64(cursor);
        if (cursor->short_read || field == 0 || field >= MEMPROF_FIELDS)
            return fail(section, cursor->at, "a field of allocations that is not known");
        section->schema[i] = (uint8_t)field;
        section->memprof->schema |= 1u << field;
        section->values_size += an_memprof_field_size((unsigned)field);
    }
    return true;
}

static bool read_offsets(struct section *section, struct an_cursor *cursor)
{
    if (section->version >= 3) {
        section->stacks_at = an_cursor_u64(cursor);
        section->records_at = an_cursor_u64(cursor);
        section->record_table = an_cursor_u64(cursor);
    } else {
        section->record_table = an_cursor_u64(cursor);
        section->frames_at = an_cursor_u64(cursor);
        section->frame_table = an_cursor_u64(cursor);
    }
    if (section->version == 2) {
        section->stacks_at = an_cursor_u64(cursor);
        section->stack_table = an_cursor_u64(cursor);
    }
    if (section->version >= 4) {
        section->accesses = an_cursor_u64(cursor);
        uint64_t fields = an_cursor_u32(cursor);
        if (fields > an_cursor_left(cursor) / 8)
            return fail(section, cursor->at, "its summary does not fit the file");
        const uint8_t *summary = an_cursor_take(cursor, (size_t)fields * 8);
        section->memprof->has_summary = fields == MEMPROF_SUMMARY;
        for (size_t i = 0; summary && fields == MEMPROF_SUMMARY && i < fields; i++)
            section->memprof->summary[i] = an_get64(summary + 8 * i, false);
    }
    return true;
}

static bool read_header(struct section *section)
{
    struct an_cursor cursor = an_cursor_at(section->file, (size_t)section->at, false);
    uint64_t version = an_cursor_u64(&cursor);
    if (version > MEMPROF_NEWEST && !cursor.short_read &&
        (version <= section->at || version >= section->file.size)) {
        an_fail_at(section->error, AN_UNSUPPORTED, section->at,
                   "memory profile of version %llu, expected 0 to %d", (unsigned long long)version,
                   MEMPROF_NEWEST);
        return false;
    }
    if (version > MEMPROF_NEWEST || version == 0) { /* the first offset */
        version = 0;
        cursor.at = (size_t)section->at;
    }
    section->version = section->memprof->version = (unsigned)version;
    if (!read_offsets(section, &cursor) || !read_schema(section, &cursor))
        return false;
    if (cursor.short_read)
        return fail(section, section->at, "its header does not fit the file");
    if (version >= 3)
        section->frames_at = cursor.at;
    else
        section->records_at = cursor.at;
    return true;
}

/* ---- tables ---- */

/* Fills in where the items of a table are, in the file's order. */
static bool list_items(struct section *section, uint64_t at, uint64_t table, bool has_key_size,
                       struct items *items)
{
    struct an_cursor head = an_cursor_at(section->file, 0, false);
    if (table < at || table > section->file.size || section->file.size - table < 16)
        return fail(section, section->at, "a table that does not fit the file");
    head.at = (size_t)table;
    an_cursor_u64(&head); /* buckets */
    uint64_t entries = an_cursor_u64(&head);
    struct an_bytes bytes = {section->file.data, (size_t)table};
    struct an_cursor cursor = an_cursor_at(bytes, (size_t)at, false);
    unsigned in_bucket = 0;
    for (uint64_t i = 0; i < entries; i++) {
        while (in_bucket == 0 && !cursor.short_read)
            in_bucket = an_cursor_u16(&cursor);
        in_bucket--;
        uint64_t here = cursor.at;
        an_cursor_u64(&cursor); /* hash: the key itself */
        uint64_t key_size = has_key_size ? an_cursor_u64(&cursor) : 8;
        uint64_t size = an_cursor_u64(&cursor), key = an_cursor_u64(&cursor);
        if (cursor.short_read || key_size != 8 || size > an_cursor_left(&cursor))
            return fail(section, here, "an item that does not fit its table");
        struct item *item = an_vector_push(items);
        if (!item)
            return fail_memory(section);
        *item = (struct item){key, cursor.at, size};
        an_cursor_take(&cursor, (size_t)size);
    }
    return true;
}

/* Brings items into an order in which they may have been inserted. */
static bool order_items(struct section *section, struct items *items)
{
    uint64_t *hashes = an_alloc(items->count, sizeof *hashes);
    uint32_t *order = an_alloc(items->count, sizeof *order);
    struct item *ordered = an_alloc(items->count ? items->count : 1, sizeof *ordered);
    bool done = hashes && order && ordered;
    for (size_t i = 0; done && i < items->count; i++)
        hashes[i] = items->items[i].key;
    done = done && an_chained_insertions(hashes, items->count, order);
    for (size_t i = 0; done && i < items->count; i++)
        ordered[i] = items->items[order[i]];
    free(hashes);
    free(order);
    if (!done) {
        free(ordered);
        return fail_memory(section);
    }
    free(items->items);
    items->items = ordered;
    items->capacity = items->count ? items->count : 1;
    return true;
}

static bool for_items(struct section *section, uint64_t at, uint64_t table, bool has_key_size,
                      bool (*visit)(struct section *section, const struct item *item))
{
    struct items items = {0};
    bool done =
        list_items(section, at, table, has_key_size, &items) && order_items(section, &items);
    for (size_t i = 0; done && i < items.count; i++)
        done = visit(section, &items.items[i]);
    an_vector_free(&items);
    return done;
}

static bool remember(struct section *section, struct an_map *map, uint64_t key, uint32_t index)
{
    bool is_new;
    uint64_t *place = index != MEMPROF_NONE ? an_map_insert(map, key, &is_new) : NULL;
    if (!place)
        return fail_memory(section);
    *place = index;
    return true;
}

/* ---- frames and stacks up to version 2 ---- */

static bool visit_frame(struct section *section, const struct item *item)
{
    if (item->size != MEMPROF_FRAME)
        return fail(section, item->at, "a frame that has not 17 bytes");
    const uint8_t *frame = section->file.data + item->at;
    section->memprof->has_new_ids |= item->key == an_memprof_frame_id(frame, true);
    return remember(section, &section->frame_of, item->key,
                    an_memprof_frame(section->memprof, frame));
}

/* The stack of these frames. */
static bool find_stack(struct section *section, uint64_t at, uint64_t number, uint32_t *stack)
{
    *stack = MEMPROF_TOP;
    for (uint64_t i = number; i-- > 0;) {
        uint64_t key = an_get64(section->file.data + at + 8 * i, false);
        const uint64_t *frame = an_map_find(&section->frame_of, key);
        if (!frame)
            return fail(section, at + 8 * i, "a call stack with a frame that is not there");
        *stack = an_memprof_node(section->memprof, *stack, (uint32_t)*frame);
        if (*stack == MEMPROF_NONE)
            return fail_memory(section);
    }
    return an_memprof_stack(section->memprof, *stack) || fail_memory(section);
}

static bool visit_stack(struct section *section, const struct item *item)
{
    uint32_t stack;
    if (item->size % 8)
        return fail(section, item->at, "a call stack that is not one of whole frames");
    return find_stack(section, item->at, item->size / 8, &stack) &&
           remember(section, &section->node_of, item->key, stack);
}

/* ---- frames and stacks from version 3 on ---- */

static bool read_frames(struct section *section)
{
    if (section->stacks_at < section->frames_at || section->records_at < section->stacks_at ||
        section->records_at > section->file.size)
        return fail(section, section->at, "its parts do not follow each other in the file");
    uint64_t number = (section->stacks_at - section->frames_at) / MEMPROF_FRAME;
    uint64_t places = (section->records_at - section->stacks_at) / 4;
    if (number > INT32_MAX || places > INT32_MAX)
        return fail(section, section->at, "too many frames");
    section->frame_number = (uint32_t)number;
    section->place_number = (uint32_t)places;
    section->frames = an_alloc(section->frame_number, sizeof *section->frames);
    section->nodes = an_alloc(section->place_number, sizeof *section->nodes);
    if (!section->frames || !section->nodes)
        return fail_memory(section);
    for (uint32_t i = 0; i < section->frame_number; i++) {
        const uint8_t *frame = section->file.data + section->frames_at + MEMPROF_FRAME * (size_t)i;
        section->frames[i] = an_memprof_frame(section->memprof, frame);
        if (section->frames[i] == MEMPROF_NONE)
            return fail_memory(section);
    }
    memset(section->nodes, 0xff, places * sizeof *section->nodes);
    return true;
}

static uint32_t word_at(const struct section *section, uint64_t place)
{
    return an_get32(section->file.data + section->stacks_at + 4 * place, false);
}

/*
 * The stack at a place. The node of each place is known once a stack went through it. Frames nearer to the root are behind,
 * so this ends, and a place is walked through once: all stacks that lead to it have the rest in common.
 */
static bool stack_at(struct section *section, uint64_t at, uint64_t place, uint32_t *stack)
{
    static const char *const what = "a call stack that does not fit the array";
    if (place >= section->place_number)
        return fail(section, at, what);
    uint32_t left = word_at(section, place++), node = MEMPROF_TOP;
    for (section->path.count = 0; left; left--, place++) {
        int32_t word = place < section->place_number ? (int32_t)word_at(section, place) : 0;
        if (word < 0)
            place += (uint64_t)-(int64_t)word;
        if (place >= section->place_number)
            return fail(section, at, what);
        if (section->nodes[place] != MEMPROF_NONE) {
            node = section->nodes[place];
            if (section->memprof->nodes.items[node].depth != left)
                return fail(section, at, what);
            break;
        }
        if (word_at(section, place) >= section->frame_number)
            return fail(section, at, "a call stack with a frame that is not there");
        uint32_t *step = an_vector_push(&section->path);
        if (!step)
            return fail_memory(section);
        *step = (uint32_t)place;
    }
    for (size_t i = section->path.count; i-- > 0;) {
        uint32_t here = section->path.items[i];
        node = an_memprof_node(section->memprof, node, section->frames[word_at(section, here)]);
        if (node == MEMPROF_NONE)
            return fail_memory(section);
        section->nodes[here] = node;
    }
    *stack = node;
    return true;
}

/* ---- records ---- */

static bool read_stack(struct section *section, struct an_cursor *cursor, uint32_t *stack)
{
    uint64_t at = cursor->at;
    uint64_t number = section->version >= 3 ? an_cursor_u32(cursor) : an_cursor_u64(cursor);
    if (cursor->short_read)
        return fail(section, at, "a record that is cut short");
    if (section->version >= 3)
        return stack_at(section, at, number, stack);
    if (section->version < 2) {
        uint64_t from = cursor->at;
        if (number > an_cursor_left(cursor) / 8)
            return fail(section, at, "a record that is cut short");
        an_cursor_take(cursor, (size_t)number * 8);
        return find_stack(section, from, number, stack);
    }
    const uint64_t *node = an_map_find(&section->node_of, number);
    if (!node)
        return fail(section, at, "a record with a call stack that is not there");
    *stack = (uint32_t)*node;
    return true;
}

static unsigned stack_size(const struct section *section)
{
    return section->version >= 3 ? 4 : 8;
}

static bool read_allocations(struct section *section, struct an_cursor *cursor, uint32_t record)
{
    uint64_t at = cursor->at, number = an_cursor_u64(cursor);
    if (number > an_cursor_left(cursor) / (stack_size(section) + section->values_size))
        return fail(section, at, "more allocations than the record has room for");
    for (uint64_t i = 0; i < number; i++) {
        uint32_t stack;
        if (!read_stack(section, cursor, &stack))
            return false;
        uint64_t *values = an_memprof_numbers(section->memprof, MEMPROF_FIELDS);
        if (!values)
            return fail_memory(section);
        for (unsigned f = 0; f < section->schema_number; f++) {
            unsigned field = section->schema[f];
            values[field] =
                an_memprof_field_size(field) == 8 ? an_cursor_u64(cursor) : an_cursor_u32(cursor);
        }
        if (!an_memprof_allocation(section->memprof, record, stack, values))
            return fail_memory(section);
    }
    return true;
}

static bool read_sites(struct section *section, struct an_cursor *cursor, uint32_t record)
{
    uint64_t at = cursor->at, number = an_cursor_u64(cursor);
    if (number > an_cursor_left(cursor) / stack_size(section))
        return fail(section, at, "more call sites than the record has room for");
    for (uint64_t i = 0; i < number; i++) {
        uint32_t stack;
        if (!read_stack(section, cursor, &stack))
            return false;
        uint64_t callees = section->version >= 4 ? an_cursor_u64(cursor) : 0;
        if (callees > an_cursor_left(cursor) / 8)
            return fail(section, cursor->at, "more callees than the record has room for");
        uint64_t *numbers = an_memprof_numbers(section->memprof, (size_t)callees);
        for (uint64_t c = 0; numbers && c < callees; c++)
            numbers[c] = an_cursor_u64(cursor);
        if (!numbers || !an_memprof_site(section->memprof, record, stack, numbers, callees))
            return fail_memory(section);
    }
    return true;
}

static bool visit_record(struct section *section, const struct item *item)
{
    struct an_bytes bytes = {section->file.data, (size_t)(item->at + item->size)};
    struct an_cursor cursor = an_cursor_at(bytes, (size_t)item->at, false);
    uint32_t record = an_memprof_record(section->memprof, item->key);
    if (record == MEMPROF_NONE)
        return fail_memory(section);
    if (!read_allocations(section, &cursor, record) || !read_sites(section, &cursor, record))
        return false;
    if (cursor.short_read)
        return fail(section, item->at, "a record that is cut short");
    return true;
}

/* ---- data accesses ---- */

/* They are kept as they are, and only walked through to see where they end. */
static bool read_accesses(struct section *section)
{
    if (!section->accesses)
        return true;
    if (section->accesses > section->file.size)
        return fail(section, section->at, "data accesses that do not fit the file");
    struct an_bytes from = {section->file.data + section->accesses,
                            section->file.size - (size_t)section->accesses};
    struct memprof_accesses accesses;
    if (!an_memprof_accesses_open(&accesses, from))
        return fail(section, section->accesses, "data accesses that do not fit the file");
    const void *copy = an_arena_copy(&section->memprof->arena, from.data, accesses.size);
    section->memprof->accesses = (struct an_bytes){copy, accesses.size};
    return copy || fail_memory(section);
}

/* ---- the whole ---- */

/* Whether writing it gives the same bytes. */
static bool is_reproduced(struct section *section)
{
    struct an_buffer buffer = {0};
    struct an_error ignored;
    uint64_t size = section->file.size - section->at;
    bool same = an_memprof_write(section->memprof, section->version, section->memprof->schema,
                                 section->at, &buffer, &ignored) == AN_OK &&
                !buffer.failed && buffer.size <= size &&
                memcmp(buffer.data, section->file.data + section->at, buffer.size) == 0;
    an_buffer_free(&buffer);
    return same;
}

/* Version 3 does not have the numbers of frames, but things are ordered by them in it. */
static void find_ids(struct section *section)
{
    struct memprof *memprof = section->memprof;
    if (section->version < 3)
        return;
    memprof->has_new_ids = true;
    if (section->version > 3 || is_reproduced(section))
        return;
    memprof->has_new_ids = false;
    memprof->has_new_ids = !is_reproduced(section);
}

static bool read_section(struct section *section)
{
    bool by_array = section->version >= 3;
    if (by_array && !read_frames(section))
        return false;
    if (!by_array &&
        !for_items(section, section->frames_at, section->frame_table, true, visit_frame))
        return false;
    if (section->version == 2 &&
        !for_items(section, section->stacks_at, section->stack_table, false, visit_stack))
        return false;
    return for_items(section, section->records_at, section->record_table, true, visit_record) &&
           read_accesses(section);
}

enum an_code an_memprof_read(struct memprof *memprof, struct an_bytes file, uint64_t at,
                             uint64_t end, struct an_error *error)
{
    struct section section = {.memprof = memprof, .file = file, .error = error, .at = at};
    section.file.size = (size_t)end;
    memprof->exists = memprof->is_indexed = true;
    bool done = read_header(&section) && read_section(&section);
    if (done)
        find_ids(&section);
    an_map_free(&section.frame_of);
    an_map_free(&section.node_of);
    an_vector_free(&section.path);
    free(section.frames);
    free(section.nodes);
    return done ? AN_OK : error->code;
}
