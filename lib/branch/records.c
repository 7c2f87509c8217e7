/* Sorting, summing and writing records; see records.h. */
#include "branch/records.h"

#include <stdlib.h>
#include <string.h>

void an_records_free(struct an_records *records)
{
    an_vector_free(&records->branches);
    an_vector_free(&records->memory);
}

bool an_records_add(struct an_records *records, an_place from, an_place to, uint64_t count,
                    uint64_t mispreds)
{
    struct an_record *record = an_vector_push(&records->branches);
    if (record)
        *record = (struct an_record){from, to, count, mispreds};
    return record != NULL;
}

/* Sorts by one byte of a key, for all bytes that differ at all, the lowest first (radix sort). */
static void sort_by_byte(const struct an_record *from, struct an_record *to, size_t count,
                         const size_t counts[256], bool by_from, unsigned shift)
{
    size_t starts[256], sum = 0;
    for (int i = 0; i < 256; i++) {
        starts[i] = sum;
        sum += counts[i];
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t key = by_from ? from[i].from : from[i].to;
        to[starts[key >> shift & 0xff]++] = from[i];
    }
}

static bool sort_records(struct an_record **records, size_t count)
{
    struct an_record *from = *records, *to = an_alloc(count, sizeof *to);
    if (!to)
        return false;
    for (unsigned pass = 0; pass < 16; pass++) {
        bool by_from = pass >= 8;
        unsigned shift = pass % 8 * 8;
        size_t counts[256] = {0};
        for (size_t i = 0; i < count; i++)
            counts[(by_from ? from[i].from : from[i].to) >> shift & 0xff]++;
        if (count == 0 || counts[(by_from ? from[0].from : from[0].to) >> shift & 0xff] == count)
            continue;
        sort_by_byte(from, to, count, counts, by_from, shift);
        struct an_record *swap = from;
        from = to;
        to = swap;
    }
    *records = from;
    free(to);
    return true;
}

static uint64_t saturated(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

bool an_records_combine(struct an_records *records)
{
    size_t kept = 0, count = records->branches.count;
    if (!sort_records(&records->branches.items, count))
        return false;
    records->branches.capacity = count;
    struct an_record *items = records->branches.items;
    for (size_t i = 0; i < count; i++) {
        if (kept && items[kept - 1].from == items[i].from && items[kept - 1].to == items[i].to) {
            items[kept - 1].count = saturated(items[kept - 1].count, items[i].count);
            items[kept - 1].mispreds = saturated(items[kept - 1].mispreds, items[i].mispreds);
            continue;
        }
        items[kept++] = items[i];
    }
    records->branches.count = kept;
    return true;
}

/* --- writing --- */

struct writing {
    const struct an_records *records;
    const struct an_functions *functions;
    const struct an_records_format *format;
    struct an_buffer *buffer;
    uint32_t *rank; /* of each function, by name; the unknown one is first */
    struct name {
        const char *text; /* escaped, with a blank behind it */
        uint32_t length, function;
    } *names;
    size_t name_count;
};

static int by_text(const void *a, const void *b)
{
    const struct name *left = a, *right = b;
    int order = strcmp(left->text, right->text);
    return order ? order : (left->function > right->function) - (left->function < right->function);
}

/* Numbers the functions that occur by their names. */
static bool rank_functions(struct writing *writing, struct an_arena *arena)
{
    size_t functions = writing->functions->count;
    const struct an_records *records = writing->records;
    writing->rank = an_alloc_zero(functions + 1, sizeof *writing->rank);
    if (!writing->rank)
        return false;
    for (size_t i = 0; i < records->branches.count; i++) {
        uint32_t from = an_place_function(records->branches.items[i].from);
        uint32_t to = an_place_function(records->branches.items[i].to);
        writing->rank[from < functions ? from : functions] = 1;
        writing->rank[to < functions ? to : functions] = 1;
    }
    for (size_t i = 0; i < records->memory.count; i++)
        writing->rank[an_place_function(records->memory.items[i].from)] = 1;
    writing->names = an_alloc(functions + 1, sizeof *writing->names);
    for (size_t i = 0; i < functions && writing->names; i++)
        if (writing->rank[i])
            writing->names[writing->name_count++] =
                (struct name){writing->format->name(&writing->functions->items[i]), 0, (uint32_t)i};
    if (!writing->names)
        return false;
    if (writing->name_count)
        qsort(writing->names, writing->name_count, sizeof *writing->names, by_text);
    for (size_t i = 0; i < writing->name_count; i++) {
        struct name *name = &writing->names[i];
        size_t length = strlen(name->text);
        char *text = an_arena_alloc(arena, 2 * length + 4, 1), *end = text;
        if (!text)
            return false;
        *end++ = '1';
        *end++ = ' ';
        for (const char *c = name->text; *c; c++) {
            if (*c == ' ' || *c == '\\')
                *end++ = '\\';
            *end++ = *c;
        }
        *end++ = ' ';
        name->text = text;
        name->length = (uint32_t)(end - text);
        writing->rank[name->function] = (uint32_t)i + 1;
    }
    writing->rank[functions] = 0;
    return true;
}

enum { MOST_DIGITS = 20 };

static uint8_t *put_hex(uint8_t *to, uint64_t value, char after)
{
    int digits = value ? (67 - __builtin_clzll(value)) / 4 : 1;
    for (int i = digits; i-- > 0; value >>= 4)
        to[i] = (uint8_t)"0123456789abcdef"[value & 15];
    to[digits] = (uint8_t)after;
    return to + digits + 1;
}

static uint8_t *put_decimal(uint8_t *to, uint64_t value, char after)
{
    uint8_t digits[MOST_DIGITS];
    int count = 0;
    do {
        digits[count++] = (uint8_t)('0' + value % 10);
        value /= 10;
    } while (value);
    while (count)
        *to++ = digits[--count];
    *to++ = (uint8_t)after;
    return to;
}

static const struct name unknown = {"0 [unknown] ", 12, 0};

static const struct name *name_of(const struct writing *writing, uint32_t rank)
{
    return rank ? &writing->names[rank - 1] : &unknown;
}

static uint8_t *put_place(const struct writing *writing, uint8_t *to, an_place place)
{
    const struct name *name = name_of(writing, an_place_function(place));
    uint64_t offset = (uint32_t)place;
    if (name == &unknown && writing->format->counted)
        offset = an_counted_original(writing->format->counted, (uint32_t)place);
    memcpy(to, name->text, name->length);
    return put_hex(to + name->length, offset, ' ');
}

static void put_record(const struct writing *writing, const struct an_record *record)
{
    const struct name *from = name_of(writing, an_place_function(record->from));
    const struct name *to = name_of(writing, an_place_function(record->to));
    struct an_buffer *buffer = writing->buffer;
    size_t most = (size_t)from->length + to->length + 4 * (MOST_DIGITS + 1);
    uint8_t *start = an_buffer_extend(buffer, most), *end = start;
    if (!start)
        return;
    end = put_place(writing, end, record->from);
    if (!writing->format->no_branches) {
        end = put_place(writing, end, record->to);
        end = put_decimal(end, record->mispreds, ' ');
    }
    end = put_decimal(end, record->count, '\n');
    buffer->size -= most - (size_t)(end - start);
}

/* Ranks in place of indexes, so that order is that of names; what has no known source comes behind
 * what has one, at its target's place. */
static bool put_branches(struct writing *writing)
{
    const struct an_records *records = writing->records;
    size_t count = records->branches.count, functions = writing->functions->count;
    struct an_record *ranked = an_alloc(count, sizeof *ranked);
    if (!ranked)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct an_record *record = &records->branches.items[i];
        uint32_t from = an_place_function(record->from), to = an_place_function(record->to);
        ranked[i] = *record;
        ranked[i].from = an_place_make(writing->rank[from < functions ? from : functions],
                                       (uint32_t)record->from);
        ranked[i].to =
            an_place_make(writing->rank[to < functions ? to : functions], (uint32_t)record->to);
    }
    bool done = sort_records(&ranked, count);
    size_t without_source = 0, at;
    while (done && without_source < count && an_place_function(ranked[without_source].from) == 0)
        without_source++;
    size_t orphan = 0;
    at = without_source;
    while (done && (at < count || orphan < without_source)) {
        uint32_t owner = at < count ? an_place_function(ranked[at].from) : UINT32_MAX;
        uint32_t other =
            orphan < without_source ? an_place_function(ranked[orphan].to) : UINT32_MAX;
        if (owner <= other)
            put_record(writing, &ranked[at++]);
        else
            put_record(writing, &ranked[orphan++]);
    }
    free(ranked);
    return done;
}

static int by_memory(const void *a, const void *b)
{
    const struct an_memory_record *left = a, *right = b;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    int order = strcmp(left->object ? left->object : "", right->object ? right->object : "");
    if (order)
        return order;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

static bool put_memory(const struct writing *writing)
{
    size_t count = writing->records->memory.count;
    struct an_memory_record *items = an_alloc(count, sizeof *items);
    if (!items)
        return false;
    for (size_t i = 0; i < count; i++) {
        items[i] = writing->records->memory.items[i];
        items[i].from =
            an_place_make(writing->rank[an_place_function(items[i].from)], (uint32_t)items[i].from);
    }
    if (count)
        qsort(items, count, sizeof *items, by_memory);
    for (size_t i = 0; i < count; i++) {
        const struct an_memory_record *item = &items[i];
        uint64_t sum = item->count;
        while (i + 1 < count && by_memory(&items[i], &items[i + 1]) == 0)
            sum += items[++i].count;
        const struct name *from = name_of(writing, an_place_function(item->from));
        an_buffer_print(writing->buffer, "4 %.*s%x %s %s %llx %llu\n", (int)from->length - 2,
                        from->text + 2, (uint32_t)item->from, item->object ? "4" : "3",
                        item->object ? item->object : "[unknown]", (unsigned long long)item->offset,
                        (unsigned long long)sum);
    }
    free(items);
    return true;
}

void an_records_write(const struct an_records *records, const struct an_functions *functions,
                      const struct an_records_format *format, struct an_buffer *buffer)
{
    struct writing writing = {
        .records = records, .functions = functions, .format = format, .buffer = buffer};
    struct an_arena arena = {0};
    if (format->no_branches) /* llvm-bolt looks for this first, and knows it on no other line */
        an_buffer_print(buffer, "no_lbr%s%s\n", *format->events ? " " : "", format->events);
    if (format->bolted)
        an_buffer_print(buffer, "boltedcollection\n");
    if (!rank_functions(&writing, &arena) || !put_branches(&writing) || !put_memory(&writing))
        buffer->failed = true;
    an_arena_free(&arena);
    free(writing.rank);
    free(writing.names);
}
