/* Reading and writing the value data of one function; the layout is drawn in value_data.h. */
#include "llvm/value_data.h"

#include <stdlib.h>

#include "base/memory.h"

enum { BLOCK_HEAD = 8, KIND_HEAD = 8, PAIR = 16 };

static enum an_code read_kind(struct value_kind *kind, struct an_cursor *cursor,
                              struct an_error *error)
{
    uint64_t at = cursor->at;
    uint32_t number = an_cursor_u32(cursor);
    kind->sites = an_cursor_u32(cursor);
    kind->counts = an_cursor_take(cursor, kind->sites);
    an_cursor_take(cursor, -(size_t)kind->sites & 7);
    if (cursor->short_read)
        return an_fail_at(error, AN_MALFORMED, at, "value sites extend beyond their block");
    if (number >= AN_LLVM_VALUE_KINDS)
        return an_fail_at(error, AN_MALFORMED, at, "value kind %u, expected 0 to %d", number,
                          AN_LLVM_VALUE_KINDS - 1);
    kind->kind = (enum an_llvm_value_kind)number;
    size_t values = 0;
    for (uint32_t i = 0; i < kind->sites; i++)
        values += kind->counts[i];
    kind->pairs = an_cursor_take(cursor, values * PAIR);
    if (cursor->short_read)
        return an_fail_at(error, AN_MALFORMED, at, "values extend beyond their block");
    return AN_OK;
}

enum an_code an_value_block_read(struct value_block *block, struct an_bytes file, uint64_t at,
                                 uint64_t end, bool big, struct an_error *error)
{
    if (end - at < BLOCK_HEAD)
        return an_fail_at(error, AN_TRUNCATED, at, "value data ends before this block");
    uint32_t size = an_get32(file.data + at, big);
    uint32_t kinds = an_get32(file.data + at + 4, big);
    if (size > end - at)
        return an_fail_at(error, AN_TRUNCATED, at,
                          "block of value data claims %u bytes, but only %llu are left", size,
                          (unsigned long long)(end - at));
    if (size < BLOCK_HEAD || size % 8 || kinds > AN_LLVM_VALUE_KINDS)
        return an_fail_at(error, AN_MALFORMED, at, "block of value data of %u bytes and %u kinds",
                          size, kinds);
    block->size = size;
    block->kind_number = kinds;
    struct an_cursor cursor = an_cursor_at((struct an_bytes){file.data, (size_t)(at + size)},
                                           (size_t)at + BLOCK_HEAD, big);
    unsigned seen = 0;
    for (uint32_t i = 0; i < kinds; i++) {
        uint64_t here = cursor.at;
        enum an_code code = read_kind(&block->kinds[i], &cursor, error);
        if (code != AN_OK)
            return code;
        if (seen & (1u << block->kinds[i].kind))
            return an_fail_at(error, AN_MALFORMED, here, "value kind %d occurs twice",
                              block->kinds[i].kind);
        seen |= 1u << block->kinds[i].kind;
    }
    return AN_OK;
}

void an_value_scratch_free(struct value_scratch *scratch)
{
    free(scratch->sites);
    free(scratch->pairs);
    *scratch = (struct value_scratch){0};
}

static bool make_room(struct value_scratch *scratch, size_t sites, size_t pairs)
{
    if (sites > scratch->site_capacity) {
        free(scratch->sites);
        scratch->sites = an_alloc(2 * sites, sizeof *scratch->sites);
        scratch->site_capacity = scratch->sites ? 2 * sites : 0;
    }
    if (pairs > scratch->pair_capacity) {
        free(scratch->pairs);
        scratch->pairs = an_alloc(2 * pairs, sizeof *scratch->pairs);
        scratch->pair_capacity = scratch->pairs ? 2 * pairs : 0;
    }
    return scratch->site_capacity >= sites && scratch->pair_capacity >= pairs;
}

struct an_llvm_values *an_value_block_decode(const struct value_block *block, bool big,
                                             uint64_t (*map)(const void *context,
                                                             enum an_llvm_value_kind kind,
                                                             uint64_t value),
                                             const void *context, struct value_scratch *scratch)
{
    size_t sites = 0, pairs = 0;
    for (unsigned k = 0; k < block->kind_number; k++) {
        sites += block->kinds[k].sites;
        for (uint32_t i = 0; i < block->kinds[k].sites; i++)
            pairs += block->kinds[k].counts[i];
    }
    if (!make_room(scratch, sites, pairs))
        return NULL;
    struct an_llvm_site *site = scratch->sites;
    struct an_llvm_value *value = scratch->pairs;
    scratch->values = (struct an_llvm_values){0};
    for (unsigned k = 0; k < block->kind_number; k++) {
        const struct value_kind *kind = &block->kinds[k];
        const uint8_t *from = kind->pairs;
        scratch->values.site_count[kind->kind] = kind->sites;
        scratch->values.sites[kind->kind] = site;
        for (uint32_t i = 0; i < kind->sites; i++, site++) {
            *site = (struct an_llvm_site){value, kind->counts[i], kind->counts[i]};
            for (uint32_t v = 0; v < kind->counts[i]; v++, value++, from += PAIR) {
                value->value = an_get64(from, big);
                value->count = an_get64(from + 8, big);
                if (map)
                    value->value = map(context, kind->kind, value->value);
            }
        }
    }
    return &scratch->values;
}

uint64_t an_value_block_size(const struct an_llvm_values *values, unsigned kinds)
{
    uint64_t size = BLOCK_HEAD;
    for (unsigned kind = 0; values && kind < kinds; kind++) {
        uint32_t sites = values->site_count[kind];
        if (sites == 0)
            continue;
        size += KIND_HEAD + ((uint64_t)sites + 7) / 8 * 8;
        for (uint32_t i = 0; i < sites; i++)
            size += (uint64_t)values->sites[kind][i].count * PAIR;
    }
    return size;
}

static void write_kind(struct an_buffer *buffer, unsigned kind, const struct an_llvm_site *sites,
                       uint32_t number)
{
    an_buffer_le(buffer, kind, 4);
    an_buffer_le(buffer, number, 4);
    for (uint32_t i = 0; i < number; i++)
        an_buffer_le(buffer, sites[i].count, 1);
    for (uint32_t i = number; i % 8; i++)
        an_buffer_le(buffer, 0, 1);
    for (uint32_t i = 0; i < number; i++)
        for (uint32_t v = 0; v < sites[i].count; v++) {
            an_buffer_le64(buffer, sites[i].values[v].value);
            an_buffer_le64(buffer, sites[i].values[v].count);
        }
}

void an_value_block_write(struct an_buffer *buffer, const struct an_llvm_values *values,
                          unsigned kinds)
{
    unsigned number = 0;
    for (unsigned kind = 0; values && kind < kinds; kind++)
        number += values->site_count[kind] != 0;
    an_buffer_le(buffer, an_value_block_size(values, kinds), 4);
    an_buffer_le(buffer, number, 4);
    for (unsigned kind = 0; values && kind < kinds; kind++)
        if (values->site_count[kind])
            write_kind(buffer, kind, values->sites[kind], values->site_count[kind]);
}
