/* Encoding BAT for tests; see bat_build.h. The layouts are drawn in lib/bolt/bat_*.c. */
#include "support/bat_build.h"

#include "support/test.h"

const char *bat_file(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s%s", CORPUS, name);
    return path;
}

void bat_build_sleb128(struct an_buffer *buffer, int64_t value)
{
    for (;;) {
        uint8_t byte = value & 0x7f;
        value >>= 7;
        bool done = (value == 0 && !(byte & 0x40)) || (value == -1 && byte & 0x40);
        an_buffer_le(buffer, done ? byte : byte | 0x80u, 1);
        if (done)
            return;
    }
}

struct an_buffer bat_build_note(const struct an_buffer *description)
{
    struct an_buffer note = {0};
    an_buffer_le(&note, 5, 4);
    an_buffer_le(&note, description->size, 4);
    an_buffer_le(&note, 1, 4);
    an_buffer_put(&note, "BOLT\0\0\0", 8);
    an_buffer_put(&note, description->data, description->size);
    while (note.size % 4)
        an_buffer_le(&note, 0, 1);
    assert_false(note.failed);
    return note;
}

static void put_words(struct an_buffer *to, const struct built_function *functions, size_t count)
{
    size_t cold = 0;
    an_buffer_le(to, count, 4);
    for (size_t i = 0; i < count; i++) {
        an_buffer_le64(to, functions[i].address);
        an_buffer_le(to, functions[i].count, 4);
        for (size_t k = 0; k < functions[i].count; k++) {
            const struct built_entry *entry = &functions[i].entries[k];
            an_buffer_le(to, entry->output, 4);
            an_buffer_le(to, entry->input | (entry->is_branch ? 0x80000000u : 0), 4);
        }
        cold += functions[i].parent != 0;
    }
    an_buffer_le(to, cold, 4);
    for (size_t i = 0; i < count; i++)
        if (functions[i].parent) {
            an_buffer_le64(to, functions[i].address);
            an_buffer_le64(to, functions[i].parent);
        }
}

struct deltas {
    struct an_buffer *to;
    bool has_hashes;
    uint64_t address; /* the last one written */
};

static uint32_t whole_input(const struct built_entry *entry)
{
    return entry->input << 1 | entry->is_branch;
}

/* How many of the first entries have input = output + skew. */
static size_t equal_entries(const struct built_function *function, uint32_t skew)
{
    size_t equal = 0;
    while (equal < function->count &&
           function->entries[equal].input == function->entries[equal].output + skew)
        equal++;
    return equal;
}

static void put_bits(struct an_buffer *to, const struct built_function *function, size_t equal)
{
    for (size_t i = 0; i < equal; i += 8) {
        uint8_t byte = 0;
        for (size_t k = i; k < equal && k < i + 8; k++)
            byte |= (uint8_t)(function->entries[k].is_branch << (k - i));
        an_buffer_le(to, byte, 1);
    }
}

static void put_entries(struct deltas *d, const struct built_function *function, uint32_t skew)
{
    size_t equal = d->has_hashes ? equal_entries(function, skew) : 0;
    uint64_t input = 0, index = 0;
    an_buffer_uleb128(d->to, function->count);
    if (d->has_hashes) {
        an_buffer_uleb128(d->to, equal);
        put_bits(d->to, function, equal);
    }
    for (size_t i = 0; i < function->count; i++) {
        const struct built_entry *entry = &function->entries[i];
        an_buffer_uleb128(d->to, function->address + entry->output - d->address);
        d->address = function->address + entry->output;
        if (i >= equal)
            bat_build_sleb128(d->to, (int64_t)(whole_input(entry) - input));
        input = whole_input(entry);
        if (!d->has_hashes || entry->is_branch)
            continue;
        an_buffer_le64(d->to, entry->hash);
        an_buffer_uleb128(d->to, entry->index - index);
        index = entry->index;
    }
}

static void put_hot(struct deltas *d, const struct built_function *function)
{
    an_buffer_uleb128(d->to, function->address - d->address);
    d->address = function->address;
    if (d->has_hashes) {
        an_buffer_le64(d->to, function->hash);
        an_buffer_uleb128(d->to, function->blocks);
        an_buffer_uleb128(d->to, function->secondary_count);
    }
    put_entries(d, function, 0);
    uint32_t before = 0;
    for (size_t i = 0; d->has_hashes && i < function->secondary_count; i++) {
        an_buffer_uleb128(d->to, function->secondary[i] - before);
        before = function->secondary[i];
    }
}

/* Among hot fragments only, or among all. */
static uint64_t place_of(const struct built_function *functions, size_t count, uint64_t address,
                         bool among_all)
{
    uint64_t place = 0;
    for (size_t i = 0; i < count && functions[i].address < address; i++)
        place += among_all || !functions[i].parent;
    return place;
}

static void put_deltas(struct an_buffer *to, bool has_hashes,
                       const struct built_function *functions, size_t count, bool among_all)
{
    struct deltas d = {to, has_hashes, 0};
    uint64_t cold = 0, before = 0, number = 0;
    for (size_t i = 0; i < count; i++)
        cold += functions[i].parent != 0;
    an_buffer_uleb128(to, count - cold);
    for (size_t i = 0; i < count; i++)
        if (!functions[i].parent)
            put_hot(&d, &functions[i]);
    an_buffer_uleb128(to, cold);
    for (size_t i = 0; i < count; i++) {
        const struct built_function *function = &functions[i];
        if (!function->parent)
            continue;
        uint64_t place = has_hashes ? place_of(functions, count, function->parent, among_all)
                                    : number++; /* the slip of LLVM 18 */
        uint32_t skew = function->count ? function->entries[0].input : 0;
        an_buffer_uleb128(to, function->address - d.address);
        d.address = function->address;
        an_buffer_uleb128(to, place - before);
        before = place;
        if (has_hashes)
            an_buffer_uleb128(to, skew);
        put_entries(&d, function, skew);
    }
}

struct an_buffer bat_build(enum an_bat_encoding encoding, const struct built_function *functions,
                           size_t count, bool places_among_all)
{
    struct an_buffer description = {0};
    if (encoding == AN_BAT_WORDS)
        put_words(&description, functions, count);
    else
        put_deltas(&description, encoding == AN_BAT_HASHES, functions, count, places_among_all);
    struct an_buffer note = bat_build_note(&description);
    an_buffer_free(&description);
    return note;
}
