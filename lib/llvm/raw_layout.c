/*
 * Comparing layouts. Under address space randomisation the records of two runs of one binary differ
 * in their pointers: those to functions by the same distance everywhere, those to counters (up to
 * version 7) by the distance of their sections, and those to value nodes, which only the running
 * program follows, in any way.
 */
#include "llvm/raw_layout.h"

#include <string.h>

#include <xxhash.h>

static bool same_bytes(const struct raw_section *a, const struct raw_section *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, (size_t)a->size) == 0);
}

/*
 * 64-bit records as words: all but the pointers must be equal, the pointer to the counters (and
 * the bitmap) relative to where the section is, the function's address up to `delta`.
 */
static bool same_wide_data(const struct raw_image *a, const struct raw_image *b, uint64_t delta)
{
    const struct raw_fields *f = &a->fields;
    size_t words = f->size / 8, function = f->function_pointer / 8;
    bool relative = a->version >= 8;
    uint64_t counters = relative ? 0 : b->counters_delta - a->counters_delta;
    const uint8_t *left = a->data.data, *right = b->data.data;
    uint64_t different = relative ? a->counters_delta ^ b->counters_delta : 0;
    bool bitmap = a->bitmap.size != 0; /* without one, its delta is the address of the data */
    if (bitmap)
        different |= a->bitmap_delta ^ b->bitmap_delta;
    for (uint64_t i = 0; i < a->data_number; i++, left += f->size, right += f->size) {
        different |= an_load64(left) ^ an_load64(right);
        different |= an_load64(left + 8) ^ an_load64(right + 8);
        different |= (an_load64(right + 16) - an_load64(left + 16)) ^ counters;
        if (bitmap)
            different |= an_load64(left + f->bitmap_pointer) ^ an_load64(right + f->bitmap_pointer);
        uint64_t from = an_load64(left + 8 * function);
        different |= (an_load64(right + 8 * function) - from) ^ (from ? delta : 0);
        for (size_t w = function + 2; w < words; w++)
            different |= an_load64(left + 8 * w) ^ an_load64(right + 8 * w);
    }
    return different == 0;
}

static bool same_narrow_data(const struct raw_image *a, const struct raw_image *b, uint64_t delta)
{
    for (uint64_t i = 0; i < a->data_number; i++) {
        struct raw_record x, y;
        an_raw_record(a, i, &x);
        an_raw_record(b, i, &y);
        uint64_t moved = x.function_address ? (uint32_t)(x.function_address + delta) : 0;
        if (x.name_hash != y.name_hash || x.hash != y.hash || x.slots != y.slots ||
            x.counter_offset != y.counter_offset || x.bitmap_bytes != y.bitmap_bytes ||
            x.bitmap_offset != y.bitmap_offset || x.sites[0] != y.sites[0] ||
            x.sites[1] != y.sites[1] || x.sites[2] != y.sites[2] || moved != y.function_address)
            return false;
    }
    return true;
}

static bool same_vtables(const struct raw_image *a, const struct raw_image *b, uint64_t delta)
{
    for (uint64_t i = 0; i < a->vtable_number; i++) {
        struct raw_vtable x, y;
        an_raw_vtable(a, i, &x);
        an_raw_vtable(b, i, &y);
        if (x.name_hash != y.name_hash || x.size != y.size ||
            y.address - x.address != (x.address ? delta : 0))
            return false;
    }
    return true;
}

bool an_raw_same_layout(const struct raw_image *known, const struct raw_image *image,
                        bool has_probe, uint64_t probe, uint64_t *delta)
{
    if (known->version_word != image->version_word || known->wide != image->wide ||
        known->data_number != image->data_number || known->counters.size != image->counters.size ||
        known->bitmap.size != image->bitmap.size || known->vtable_number != image->vtable_number ||
        !same_bytes(&known->binary_ids, &image->binary_ids) ||
        !same_bytes(&known->names, &image->names) ||
        !same_bytes(&known->vtable_names, &image->vtable_names))
        return false;
    *delta = 0;
    if (has_probe) {
        struct raw_record ours, theirs;
        an_raw_record(known, probe, &ours);
        an_raw_record(image, probe, &theirs);
        *delta = theirs.function_address - ours.function_address;
    }
    return (image->wide ? same_wide_data(known, image, *delta)
                        : same_narrow_data(known, image, *delta)) &&
           same_vtables(known, image, *delta);
}

static uint64_t hash_section(const struct raw_section *section, uint64_t seed)
{
    return XXH3_64bits_withSeed(section->size ? (const void *)section->data : "",
                                (size_t)section->size, seed);
}

/* How far a function or a table is behind the first one that has an address; ~0: it has none. */
static uint64_t distance(const struct raw_image *image, uint64_t address, uint64_t first)
{
    uint64_t behind = image->wide ? address - first : (uint32_t)(address - first);
    return address ? behind : UINT64_MAX;
}

static uint64_t hash_record(const struct raw_image *image, uint64_t i, uint64_t *first,
                            uint64_t seed)
{
    struct raw_record raw;
    an_raw_record(image, i, &raw);
    if (!*first)
        *first = raw.function_address;
    const uint64_t words[] = {
        raw.name_hash,
        raw.hash,
        raw.counter_offset,
        raw.bitmap_offset,
        distance(image, raw.function_address, *first),
        (uint64_t)raw.bitmap_bytes << 32 | raw.slots,
        (uint64_t)raw.sites[2] << 32 | (uint32_t)raw.sites[1] << 16 | raw.sites[0],
    };
    return XXH3_64bits_withSeed(words, sizeof words, seed);
}

static uint64_t hash_vtable(const struct raw_image *image, uint64_t i, uint64_t first,
                            uint64_t seed)
{
    struct raw_vtable vtable;
    an_raw_vtable(image, i, &vtable);
    const uint64_t words[] = {vtable.name_hash, distance(image, vtable.address, first),
                              vtable.size};
    return XXH3_64bits_withSeed(words, sizeof words, seed);
}

uint64_t an_raw_layout_hash(const struct raw_image *image, uint64_t secret)
{
    const uint64_t head[] = {image->version_word,  image->wide,        image->data_number,
                             image->counters.size, image->bitmap.size, image->vtable_number};
    uint64_t hash = XXH3_64bits_withSeed(head, sizeof head, secret), first = 0;
    hash = hash_section(&image->binary_ids, hash);
    hash = hash_section(&image->names, hash);
    hash = hash_section(&image->vtable_names, hash);
    for (uint64_t i = 0; i < image->data_number; i++)
        hash = hash_record(image, i, &first, hash);
    for (uint64_t i = 0; i < image->vtable_number; i++)
        hash = hash_vtable(image, i, first, hash);
    return hash;
}
