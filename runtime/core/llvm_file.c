/* See llvm_file.h. */
#include "core/llvm_file.h"

enum { VALUE_HEAD = 8, PAIR = 16 };

bool an_rt_word_is_in(unsigned version, enum an_rt_word word)
{
    switch (word) {
    case AN_RT_BITMAP:
    case AN_RT_PADDING_AFTER_BITMAP:
    case AN_RT_BITMAP_DELTA:
        return version >= 9;
    case AN_RT_VTABLES:
    case AN_RT_VTABLE_NAMES:
        return version >= 10;
    case AN_RT_UNIFORM_COUNTERS:
    case AN_RT_PADDING_AFTER_UNIFORM:
    case AN_RT_UNIFORM_DELTA:
        return version >= 11;
    default:
        return true;
    }
}

static bool read_header(struct an_rt_file *file, const uint8_t **at, const uint8_t *end)
{
    unsigned version = 0;
    for (unsigned word = 0; word < AN_RT_WORDS; word++) {
        file->words[word] = 0;
        if (!an_rt_word_is_in(version, word))
            continue;
        if (end - *at < 8)
            return false;
        file->words[word] = an_rt_load64(*at);
        *at += 8;
        if (word == AN_RT_VERSION)
            version = (uint8_t)file->words[word];
    }
    return true;
}

/* Cuts a section, and the padding behind it, off the bytes. */
static bool cut(const uint8_t **section, const uint8_t **at, const uint8_t *end, uint64_t number,
                uint64_t size, uint64_t padding)
{
    uint64_t left = (uint64_t)(end - *at);
    uint64_t bytes;
    *section = *at;
    if (__builtin_mul_overflow(number, size, &bytes) || bytes > left || padding > left - bytes)
        return false;
    *at += bytes + padding;
    return true;
}

static uint64_t to_8(uint64_t size)
{
    return -size & 7;
}

static bool cut_sections(struct an_rt_file *file, const struct an_rt_layout *layout,
                         const uint8_t **at, const uint8_t *end)
{
    const uint64_t *words = file->words;
    uint64_t counter = words[AN_RT_VERSION] & AN_RT_BYTE_COVERAGE ? 1 : 8;
    return cut(&file->binary_ids, at, end, words[AN_RT_BINARY_IDS], 1, 0) &&
           cut(&file->data, at, end, words[AN_RT_RECORDS], layout->record_size,
               words[AN_RT_PADDING_BEFORE_COUNTERS]) &&
           cut(&file->counters, at, end, words[AN_RT_COUNTERS], counter,
               words[AN_RT_PADDING_AFTER_COUNTERS]) &&
           cut(&file->bitmap, at, end, words[AN_RT_BITMAP], 1, words[AN_RT_PADDING_AFTER_BITMAP]) &&
           cut(&file->uniform, at, end, words[AN_RT_UNIFORM_COUNTERS], 8,
               words[AN_RT_PADDING_AFTER_UNIFORM]) &&
           cut(&file->names, at, end, words[AN_RT_NAMES], 1, to_8(words[AN_RT_NAMES])) &&
           cut(&file->vtables, at, end, words[AN_RT_VTABLES], AN_RT_VTABLE, 0) &&
           cut(&file->vtable_names, at, end, words[AN_RT_VTABLE_NAMES], 1,
               to_8(words[AN_RT_VTABLE_NAMES]));
}

bool an_rt_value_record_next(struct an_rt_value_record *record, const uint8_t **at,
                             const uint8_t *end)
{
    if (end - *at < VALUE_HEAD)
        return false;
    record->kind = an_rt_load32(*at);
    record->sites = an_rt_load32(*at + 4);
    record->counts = *at + VALUE_HEAD;
    uint64_t head = VALUE_HEAD + (uint64_t)record->sites, values = 0;
    head += to_8(head);
    if (head > (uint64_t)(end - *at))
        return false;
    for (uint32_t site = 0; site < record->sites; site++)
        values += record->counts[site];
    record->pairs = *at + head;
    if (values * PAIR > (uint64_t)(end - record->pairs))
        return false;
    *at = record->pairs + values * PAIR;
    return true;
}

/* The values of one function: of each kind just the sites that its record announces. */
static bool check_block(const struct an_rt_layout *layout, const uint8_t *record,
                        const uint8_t **at, const uint8_t *end)
{
    if (end - *at < VALUE_HEAD)
        return false;
    uint32_t size = an_rt_load32(*at), kinds = an_rt_load32(*at + 4);
    const uint8_t *inside = *at + VALUE_HEAD;
    if (size < VALUE_HEAD || size % 8 || size > (size_t)(end - *at))
        return false;
    const uint8_t *block_end = *at + size;
    for (unsigned kind = 0; kind < layout->kinds; kind++) {
        struct an_rt_value_record values;
        unsigned sites = an_rt_sites(layout, record, kind);
        if (sites == 0)
            continue;
        if (kinds-- == 0 || !an_rt_value_record_next(&values, &inside, block_end) ||
            values.kind != kind || values.sites != sites)
            return false;
    }
    *at = block_end;
    return kinds == 0 && inside == block_end;
}

static bool check_values(struct an_rt_file *file, const struct an_rt_layout *layout,
                         const uint8_t *at, const uint8_t *end)
{
    file->values = at;
    for (uint64_t i = 0; i < file->words[AN_RT_RECORDS]; i++) {
        const uint8_t *record = file->data + i * layout->record_size;
        if (an_rt_sites_of(layout, record) && !check_block(layout, record, &at, end))
            return false;
    }
    file->rest = at;
    file->end = end;
    return true;
}

static bool is_same_size(const struct an_rt_file *file, const struct an_rt_module *module)
{
    const uint64_t *words = file->words;
    uint64_t counter = module->version_word & AN_RT_BYTE_COVERAGE ? 1 : 8;
    return words[AN_RT_RECORDS] == module->records &&
           words[AN_RT_COUNTERS] * counter == module->counters.size &&
           words[AN_RT_BITMAP] == module->bitmap.size && words[AN_RT_UNIFORM_COUNTERS] == 0 &&
           words[AN_RT_PADDING_AFTER_UNIFORM] == 0 && words[AN_RT_NAMES] == module->names.size &&
           words[AN_RT_VTABLES] * AN_RT_VTABLE == module->vtables.size &&
           words[AN_RT_VTABLE_NAMES] == module->vtable_names.size;
}

/*
 * Whether the records are of the same functions with the same counters in the same places. Pointers in
 * them are another process's.
 */
static bool are_same_records(const struct an_rt_file *file, const struct an_rt_module *module)
{
    enum { COUNTERS = AN_RT_POINTER_TO_COUNTERS };
    const struct an_rt_layout *layout = &module->layout;
    size_t tail = layout->record_size - layout->counter_number;
    for (size_t i = 0; i < module->records; i++) {
        const uint8_t *ours = an_rt_record(module, i);
        const uint8_t *theirs = file->data + i * layout->record_size;
        uintptr_t ours_at = an_rt_load_address(ours + COUNTERS);
        uintptr_t theirs_at = an_rt_load_address(theirs + COUNTERS);
        if (layout->version == 7) {
            ours_at -= (uintptr_t)module->counters_delta;
            theirs_at -= (uintptr_t)file->words[AN_RT_COUNTERS_DELTA];
        }
        if (memcmp(ours, theirs, COUNTERS) != 0 || ours_at != theirs_at ||
            memcmp(ours + layout->counter_number, theirs + layout->counter_number, tail) != 0)
            return false;
    }
    return memcmp(file->names, module->names.begin, module->names.size) == 0;
}

/* Where records do not tell a build, its id does. */
static bool is_same_build(const struct an_rt_file *file, const struct an_rt_module *module)
{
    size_t size = module->build_id.size;
    if (module->records || size == 0)
        return true;
    return file->words[AN_RT_BINARY_IDS] >= 8 + size && an_rt_load64(file->binary_ids) == size &&
           memcmp(file->binary_ids + 8, module->build_id.begin, size) == 0;
}

enum an_rt_fit an_rt_file_open(struct an_rt_file *file, const struct an_rt_module *module,
                               const uint8_t *bytes, size_t size)
{
    const uint8_t *at = bytes, *end = bytes + size;
    if (!read_header(file, &at, end) || file->words[AN_RT_MAGIC] != AN_RT_RAW_MAGIC)
        return AN_RT_DAMAGED;
    unsigned version = (uint8_t)file->words[AN_RT_VERSION];
    const struct an_rt_layout *layout = an_rt_layout(version);
    if (!layout)
        return version ? AN_RT_OTHER : AN_RT_DAMAGED;
    if (!cut_sections(file, layout, &at, end) || !check_values(file, layout, at, end))
        return AN_RT_DAMAGED;
    bool is_same = file->words[AN_RT_VERSION] == module->version_word &&
                   is_same_size(file, module) && is_same_build(file, module) &&
                   are_same_records(file, module);
    return is_same ? AN_RT_FITS : AN_RT_OTHER;
}
