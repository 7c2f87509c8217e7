/*
 * Translation of whole addresses in bulk: two cache misses and no search for each.
 *
 * All entries of a translation are one array of cells, sorted by the address they stand for. The
 * addresses are divided into pages of 4096 bytes and buckets of 64; a bucket has a bit for each
 * address at which a cell begins, and the number of cells before it:
 *
 *     address ──► page ──► bucket ──► cells before + bits at or below the address ──► cell
 *
 * A page in which no cell begins has no buckets, only the number. So memory grows with the entries,
 * and by 4 bytes for every page of address space between the first and the last.
 */
#ifndef AN_BRANCH_BAT_INDEX_H
#define AN_BRANCH_BAT_INDEX_H

#include "branch/bat_reverse.h"

struct an_bat_cell {
    uint32_t from;  /* first address, less the index's base */
    uint32_t to;    /* where it leads, less the index's other base */
    uint32_t limit; /* targets are at most that far behind; and flags */
};

enum { /* in limit */
       AN_BAT_CELL_LIMIT = 0x3fffffff,
       AN_BAT_CELL_MOVES = 0x40000000, /* sources are as far behind as targets */
};
#define AN_BAT_CELL_EMPTY 0x80000000u /* leads nowhere */

struct an_bat_bucket {
    uint64_t starts; /* lowest bit: lowest address */
    uint32_t before; /* cells that begin before the bucket */
    uint32_t unused;
};

struct an_bat_index {
    uint64_t base, size; /* of the addresses that are translated */
    uint64_t to_base;
    uint32_t *pages; /* number of the page's buckets, or AN_BAT_PAGE_PLAIN + cells before it */
    struct an_bat_bucket *buckets; /* 64 for each page that has some */
    struct an_bat_cell *cells;     /* the first leads nowhere: it stands for "before all others" */
    size_t cell_count;
};

#define AN_BAT_PAGE_PLAIN 0x80000000u

/*
 * From addresses of the BOLTed binary to those of the original, by the rule of an_bat_to_input().
 * AN_UNSUPPORTED when one of them spans 4 GiB or more. The caller frees *index.
 */
enum an_code an_bat_index_to_input(const struct an_bat *bat, const struct an_funcmap *map,
                                   struct an_bat_index **index, struct an_error *error);

/* From the original's addresses to the BOLTed binary's, as an_bat_from_input() does. */
enum an_code an_bat_index_from_input(const struct an_bat_reverse *reverse,
                                     struct an_bat_index **index, struct an_error *error);
void an_bat_index_free(struct an_bat_index *index);

static inline unsigned an_count_bits(uint64_t bits)
{
#ifdef __POPCNT__
    return (unsigned)__builtin_popcountll(bits);
#else
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(bits * UINT64_C(0x0101010101010101) >> 56);
#endif
}

/* Sets *to and returns true unless the address is outside of everything, or gone. */
static inline bool an_bat_index_find(const struct an_bat_index *index, uint64_t address,
                                     bool is_source, uint64_t *to)
{
    uint64_t at = address - index->base;
    if (at >= index->size)
        return false;
    uint32_t page = index->pages[at >> 12], number = page & ~AN_BAT_PAGE_PLAIN;
    if (!(page & AN_BAT_PAGE_PLAIN)) {
        const struct an_bat_bucket *bucket = &index->buckets[(size_t)page << 6 | (at >> 6 & 63)];
        number = bucket->before + an_count_bits(bucket->starts << (63 - (at & 63)));
    }
    struct an_bat_cell cell = index->cells[number];
    uint64_t distance = at - cell.from, limit = cell.limit & AN_BAT_CELL_LIMIT;
    if (is_source && !(cell.limit & AN_BAT_CELL_MOVES))
        distance = 0;
    *to = index->to_base + cell.to + (distance < limit ? distance : limit);
    return !(cell.limit & AN_BAT_CELL_EMPTY);
}

#endif
