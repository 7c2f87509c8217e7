/* Making the dense index; see bat_index.h. */
#include "branch/bat_index.h"

#include <stdlib.h>

#include "base/vector.h"

/* A stretch of addresses that is translated by one table, or by none: then offsets stay. */
struct region {
    uint64_t start, end;
    uint64_t to;
    size_t number; /* of the fragment or function */
    bool has_entries;
};

struct wide_cell { /* before the bases are known */
    uint64_t from, to;
    uint32_t limit;
};

struct maker {
    struct {
        AN_VECTOR(struct region);
    } regions;
    struct {
        AN_VECTOR(struct wide_cell);
    } cells;
    bool failed;
};

static void add_region(struct maker *m, struct region region)
{
    struct region *place = region.end > region.start ? an_vector_push(&m->regions) : NULL;
    if (place)
        *place = region;
    else
        m->failed = m->failed || region.end > region.start;
}

/* Where two cells begin at one address the later one counts. */
static void add_cell(struct maker *m, uint64_t from, uint64_t to, uint32_t limit)
{
    struct wide_cell *last = m->cells.count ? &m->cells.items[m->cells.count - 1] : NULL;
    struct wide_cell *place = last && last->from == from ? last : an_vector_push(&m->cells);
    if (place)
        *place = (struct wide_cell){from, to, limit};
    else
        m->failed = true;
}

static int by_start(const void *left, const void *right)
{
    const struct region *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->has_entries != b->has_entries)
        return a->has_entries ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

/* Whether a region without entries says nothing that the one around it does not. */
static bool is_covered(const struct region *outer, const struct region *inner)
{
    return inner->start < outer->end && (inner->start == outer->start || outer->has_entries ||
                                         inner->to - outer->to == inner->start - outer->start);
}

/* Sorts the regions so that none begins inside of another, as far as they have a say. */
static void settle(struct maker *m)
{
    struct region *all = m->regions.items;
    size_t kept = 0;
    if (m->regions.count)
        qsort(all, m->regions.count, sizeof *all, by_start);
    for (size_t i = 0; i < m->regions.count; i++) {
        struct region *last = kept ? &all[kept - 1] : NULL;
        if (last && !all[i].has_entries && is_covered(last, &all[i]))
            continue;
        if (last && last->end > all[i].start)
            last->end = all[i].start;
        all[kept++] = all[i];
    }
    m->regions.count = kept;
}

/* The index over cells that are there: pages, then their buckets. */
static enum an_code fill(struct an_bat_index *index, struct an_error *error)
{
    size_t pages = (size_t)(index->size >> 12) + 1, used = 0;
    index->pages = an_alloc_zero(pages, sizeof *index->pages);
    if (!index->pages)
        return an_fail_memory(error);
    for (size_t i = 1; i < index->cell_count; i++) {
        uint32_t *page = &index->pages[index->cells[i].from >> 12];
        if (!*page)
            *page = (uint32_t)++used;
    }
    index->buckets = an_alloc_zero(used << 6, sizeof *index->buckets);
    if (!index->buckets)
        return an_fail_memory(error);
    for (size_t i = 1; i < index->cell_count; i++) {
        uint32_t from = index->cells[i].from;
        size_t page = index->pages[from >> 12] - 1;
        index->buckets[page << 6 | (from >> 6 & 63)].starts |= UINT64_C(1) << (from & 63);
    }
    uint32_t before = 0;
    for (size_t i = 0; i < pages; i++) {
        uint32_t page = index->pages[i];
        index->pages[i] = page ? page - 1 : AN_BAT_PAGE_PLAIN | before;
        for (size_t k = 0; page && k < 64; k++) {
            struct an_bat_bucket *bucket = &index->buckets[(size_t)(page - 1) << 6 | k];
            bucket->before = before;
            before += an_count_bits(bucket->starts);
        }
    }
    return AN_OK;
}

static enum an_code narrow(const struct maker *m, struct an_bat_index *index,
                           struct an_error *error)
{
    uint64_t lowest = UINT64_MAX, highest = 0;
    const struct wide_cell *cells = m->cells.items;
    for (size_t i = 0; i < m->cells.count; i++) {
        if (cells[i].limit & AN_BAT_CELL_EMPTY)
            continue;
        lowest = cells[i].to < lowest ? cells[i].to : lowest;
        highest = cells[i].to > highest ? cells[i].to : highest;
    }
    index->base = m->cells.count ? cells[0].from : 0;
    index->size = m->cells.count ? cells[m->cells.count - 1].from - index->base : 0;
    index->to_base = lowest <= highest ? lowest : 0;
    if (index->size > UINT32_MAX || (lowest <= highest && highest - lowest > UINT32_MAX) ||
        m->cells.count >= INT32_MAX)
        return an_fail(error, AN_UNSUPPORTED, "code spread over 4 GiB or more");
    index->cell_count = m->cells.count + 1;
    index->cells = an_alloc(index->cell_count, sizeof *index->cells);
    if (!index->cells)
        return an_fail_memory(error);
    index->cells[0] = (struct an_bat_cell){0, 0, AN_BAT_CELL_EMPTY};
    for (size_t i = 0; i < m->cells.count; i++) {
        bool is_empty = cells[i].limit & AN_BAT_CELL_EMPTY;
        index->cells[i + 1] = (struct an_bat_cell){
            .from = (uint32_t)(cells[i].from - index->base),
            .to = is_empty ? 0 : (uint32_t)(cells[i].to - index->to_base),
            .limit = cells[i].limit,
        };
    }
    return AN_OK;
}

static enum an_code finish(struct maker *m, struct an_bat_index **index, struct an_error *error)
{
    struct an_bat_index *result = m->failed ? NULL : an_alloc_zero(1, sizeof *result);
    enum an_code code = result ? narrow(m, result, error) : an_fail_memory(error);
    if (code == AN_OK)
        code = fill(result, error);
    an_vector_free(&m->regions);
    an_vector_free(&m->cells);
    if (code == AN_OK)
        *index = result;
    else
        an_bat_index_free(result);
    return code;
}

void an_bat_index_free(struct an_bat_index *index)
{
    if (!index)
        return;
    free(index->pages);
    free(index->buckets);
    free(index->cells);
    free(index);
}

/* ---- from the BOLTed binary to the original ---- */

/* Before the first entry offsets stay as they are, whatever they are for. */
static void add_fragment(struct maker *m, const struct an_bat *bat, const struct region *region)
{
    const struct an_bat_function *function = &bat->functions[region->number];
    const struct an_bat_entry *entries = an_bat_entries(bat, function);
    add_cell(m, region->start, region->to, AN_BAT_CELL_LIMIT | AN_BAT_CELL_MOVES);
    for (uint32_t i = 0; i < function->entry_count; i++)
        if (entries[i].output < region->end - region->start)
            add_cell(m, region->start + entries[i].output,
                     region->to + an_bat_entry_input(entries[i]), AN_BAT_CELL_LIMIT);
}

static void list_fragments(struct maker *m, const struct an_bat *bat, const struct an_funcmap *map)
{
    for (size_t i = 0; i < bat->function_count; i++) {
        const struct an_bat_function *function = &bat->functions[i];
        const struct an_funcmap_record *record = an_funcmap_find(map, function->address);
        const struct an_funcmap_record *end = map->records + map->count;
        while (record && record + 1 < end && record->flags & AN_FUNCMAP_FOLDED &&
               record[1].output == function->address)
            record++;
        if (record)
            add_region(m, (struct region){function->address, function->address + function->size,
                                          record->input, i, true});
    }
}

static void list_plain(struct maker *m, const struct an_bat *bat, const struct an_funcmap *map)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct an_funcmap_record *record = &map->records[i];
        uint64_t end;
        if (an_bat_function_at(bat, record->output) || record->flags ||
            __builtin_add_overflow(record->output, record->size, &end))
            continue;
        add_region(m, (struct region){record->output, end, record->input, i, false});
    }
}

enum an_code an_bat_index_to_input(const struct an_bat *bat, const struct an_funcmap *map,
                                   struct an_bat_index **index, struct an_error *error)
{
    struct maker m = {0};
    *index = NULL;
    list_fragments(&m, bat, map);
    list_plain(&m, bat, map);
    settle(&m);
    for (size_t i = 0; i < m.regions.count && !m.failed; i++) {
        const struct region *region = &m.regions.items[i];
        if (region->has_entries)
            add_fragment(&m, bat, region);
        else
            add_cell(&m, region->start, region->to, AN_BAT_CELL_LIMIT | AN_BAT_CELL_MOVES);
        add_cell(&m, region->end, 0, AN_BAT_CELL_EMPTY);
    }
    return finish(&m, index, error);
}

/* ---- from the original to the BOLTed binary ---- */

static void add_function(struct maker *m, const struct an_bat_reverse *reverse,
                         const struct region *region)
{
    const struct an_bat_reverse_function *function = &reverse->functions[region->number];
    const struct an_bat_reverse_entry *entries = &reverse->entries[function->first_entry];
    add_cell(m, region->start, region->to, AN_BAT_CELL_LIMIT | AN_BAT_CELL_MOVES);
    for (uint32_t i = 0; i < function->entry_count; i++) {
        uint64_t from = region->start + (entries[i].input >> 1);
        uint32_t room = entries[i].room - 1;
        if (from >= region->end)
            break;
        if (entries[i].function == AN_BAT_NOWHERE)
            add_cell(m, from, 0, AN_BAT_CELL_EMPTY);
        else
            add_cell(m, from, reverse->fragments[entries[i].function] + entries[i].output,
                     room < AN_BAT_CELL_LIMIT ? room : AN_BAT_CELL_LIMIT);
    }
}

enum an_code an_bat_index_from_input(const struct an_bat_reverse *reverse,
                                     struct an_bat_index **index, struct an_error *error)
{
    struct maker m = {0};
    *index = NULL;
    for (size_t i = 0; i < reverse->function_count; i++) {
        const struct an_bat_reverse_function *function = &reverse->functions[i];
        add_region(&m, (struct region){function->input, function->input + function->size,
                                       function->output, i, function->entry_count != 0});
    }
    settle(&m);
    for (size_t i = 0; i < m.regions.count && !m.failed; i++) {
        const struct region *region = &m.regions.items[i];
        if (region->has_entries)
            add_function(&m, reverse, region);
        else
            add_cell(&m, region->start, region->to, AN_BAT_CELL_LIMIT | AN_BAT_CELL_MOVES);
        add_cell(&m, region->end, 0, AN_BAT_CELL_EMPTY);
    }
    return finish(&m, index, error);
}
