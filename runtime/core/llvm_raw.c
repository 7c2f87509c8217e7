/* See llvm_raw.h. */
#include "core/llvm_raw.h"

#include "core/llvm_file.h"
#include "core/llvm_targets.h"
#include "core/llvm_times.h"
#include "core/llvm_values.h"

enum {
    VALUES_IN_FILE = AN_RT_VALUES_MOST,             /* of a site: their number is a byte */
    COUNTER_CHUNK = sizeof(void *) == 8 ? 256 : 16, /* small processors have little memory */
};
#define LARGEST_COUNT (1ull << 56) /* LLVM takes more for damage */

struct pair {
    uint64_t value, count;
};

struct writer {
    const struct an_rt_module *module;
    const struct an_rt_file *old; /* NULL: nothing to add to */
    uint64_t words[AN_RT_WORDS];  /* the header */
    struct an_rt_targets targets;
    struct an_rt_sink *sink;
    uint8_t *counts;    /* how many values each site of the function gets */
    size_t count_limit; /* as many as the function with the most sites has */
    unsigned most;      /* values of a site in the program */
    uint64_t chunk[COUNTER_CHUNK];
    /* The values of the site that is being written. */
    unsigned pair_count;
    struct pair pairs[]; /* room for the program's, and for the old profile's if there is one */
};

enum an_rt_fit an_rt_raw_judge(const struct an_rt_module *module, const uint8_t *old, size_t size,
                               uint64_t *owner)
{
    struct an_rt_file file = {0};
    enum an_rt_fit fit = an_rt_file_open(&file, module, old, size);
    uint64_t version_word = file.words[AN_RT_VERSION];
    const struct an_rt_layout *layout = an_rt_layout((uint8_t)version_word);
    *owner = 0;
    if (fit == AN_RT_OTHER && layout && file.words[AN_RT_RECORDS] == 0)
        *owner = an_rt_bare_signature(version_word, file.words[AN_RT_COUNTERS], file.binary_ids,
                                      file.words[AN_RT_BINARY_IDS]);
    else if (fit == AN_RT_OTHER && layout)
        *owner = an_rt_signature(layout, version_word, file.data, file.words[AN_RT_RECORDS]);
    return fit;
}

enum an_rt_fit an_rt_raw_find(const struct an_rt_module *module, const uint8_t *old, size_t size,
                              size_t *at)
{
    enum an_rt_fit fit = AN_RT_OTHER;
    *at = 0;
    while (*at < size && fit == AN_RT_OTHER) {
        struct an_rt_file file = {0};
        fit = an_rt_file_open(&file, module, old + *at, size - *at);
        if (fit == AN_RT_OTHER)
            *at = file.rest ? (size_t)(file.rest - old) : size;
    }
    return fit;
}

static uint64_t sum(uint64_t one, uint64_t two)
{
    uint64_t both = one + two;
    return both < one || both > LARGEST_COUNT ? LARGEST_COUNT : both;
}

/* ---- sections ---- */

static bool put_build_id(struct an_rt_sink *sink, const struct an_rt_span *id)
{
    uint64_t size = id->size;
    return an_rt_put(sink, &size, sizeof size) && an_rt_put(sink, id->begin, id->size) &&
           an_rt_put_zeros(sink, -size & 7);
}

/* LLVM 13 does not pad them, so that its own data would be out of line. */
static bool has_build_id(const struct an_rt_module *module)
{
    return module->build_id.size && module->layout.version > 7;
}

AN_RT_ONCE static void make_header(const struct an_rt_module *module, uint64_t words[AN_RT_WORDS])
{
    memset(words, 0, AN_RT_WORDS * sizeof *words); /* there are no uniform counters */
    words[AN_RT_MAGIC] = AN_RT_RAW_MAGIC;
    words[AN_RT_VERSION] = module->version_word;
    words[AN_RT_BINARY_IDS] = has_build_id(module) ? 8 + (module->build_id.size + 7) / 8 * 8 : 0;
    words[AN_RT_RECORDS] = module->records;
    uint64_t align = module->page ? module->page : 8;
    words[AN_RT_COUNTERS] =
        module->counters.size / (module->version_word & AN_RT_BYTE_COVERAGE ? 1 : 8);
    words[AN_RT_PADDING_AFTER_COUNTERS] = -(uint64_t)module->counters.size & (align - 1);
    words[AN_RT_BITMAP] = module->bitmap.size;
    words[AN_RT_PADDING_AFTER_BITMAP] = -(uint64_t)module->bitmap.size & 7;
    words[AN_RT_NAMES] = module->names.size;
    words[AN_RT_COUNTERS_DELTA] = module->counters_delta;
    words[AN_RT_BITMAP_DELTA] = module->bitmap_delta;
    words[AN_RT_NAMES_DELTA] = (uintptr_t)module->names.begin;
    words[AN_RT_VTABLES] = module->vtables.size / AN_RT_VTABLE;
    words[AN_RT_VTABLE_NAMES] = module->vtable_names.size;
    words[AN_RT_LAST_KIND] = module->layout.kinds - 1u;
}

/* The bytes in front of the counters: they may have to begin a page. Returns how many these are. */
AN_RT_ONCE static uint64_t align_counters(const struct an_rt_module *module,
                                          uint64_t words[AN_RT_WORDS])
{
    uint64_t before = words[AN_RT_BINARY_IDS] + module->data.size;
    for (unsigned word = 0; word < AN_RT_WORDS; word++)
        before += an_rt_word_is_in(module->layout.version, word) ? sizeof *words : 0;
    words[AN_RT_PADDING_BEFORE_COUNTERS] = module->page ? -before & (module->page - 1) : 0;
    return before + words[AN_RT_PADDING_BEFORE_COUNTERS];
}

uint64_t an_rt_raw_place_of_counters(const struct an_rt_module *module)
{
    uint64_t words[AN_RT_WORDS];
    make_header(module, words);
    return align_counters(module, words);
}

AN_RT_ONCE static bool put_header(struct writer *writer)
{
    const struct an_rt_module *module = writer->module;
    uint64_t *words = writer->words;
    if (writer->old) {
        memcpy(words, writer->old->words, sizeof writer->words);
    } else {
        make_header(module, words);
        align_counters(module, words);
    }
    for (unsigned word = 0; word < AN_RT_WORDS; word++)
        if (an_rt_word_is_in(module->layout.version, word) &&
            !an_rt_put(writer->sink, &words[word], sizeof words[word]))
            return false;
    if (writer->old)
        return an_rt_put(writer->sink, writer->old->binary_ids, words[AN_RT_BINARY_IDS]);
    return !has_build_id(module) || put_build_id(writer->sink, &module->build_id);
}

static bool put_data(struct writer *writer)
{
    const struct an_rt_span *data = &writer->module->data;
    return an_rt_put(writer->sink, writer->old ? writer->old->data : data->begin, data->size) &&
           an_rt_put_zeros(writer->sink, writer->words[AN_RT_PADDING_BEFORE_COUNTERS]);
}

static bool put_counters(struct writer *writer)
{
    const uint8_t *own = writer->module->counts;
    size_t count = writer->module->counters.size / 8;
    uint64_t *chunk = writer->chunk;
    for (size_t from = 0; from < count; from += COUNTER_CHUNK) {
        size_t some = count - from < COUNTER_CHUNK ? count - from : COUNTER_CHUNK;
        const uint8_t *old = writer->old ? writer->old->counters + 8 * from : NULL;
        for (size_t i = 0; i < some; i++) {
            uint64_t mine = an_rt_load64(own + 8 * (from + i));
            chunk[i] = sum(mine, old ? an_rt_load64(old + 8 * i) : 0);
        }
        if (!an_rt_put(writer->sink, chunk, 8 * some))
            return false;
    }
    return true;
}

/* Bytes that mean "ran" or "true" by their bits: 0 is what ran in coverage, 1 what was seen in bitmaps. */
static bool put_bytes(struct writer *writer, const uint8_t *own, size_t size, const uint8_t *old,
                      bool zero_wins)
{
    uint8_t *chunk = (uint8_t *)writer->chunk;
    for (size_t from = 0; from < size; from += COUNTER_CHUNK) {
        size_t some = size - from < COUNTER_CHUNK ? size - from : COUNTER_CHUNK;
        for (size_t i = 0; i < some; i++) {
            uint8_t mine = own[from + i];
            uint8_t theirs = old ? old[from + i] : mine;
            chunk[i] = zero_wins ? mine & theirs : mine | theirs;
        }
        if (!an_rt_put(writer->sink, chunk, some))
            return false;
    }
    return true;
}

AN_RT_ONCE static bool put_padded(struct writer *writer, const struct an_rt_span *own,
                                  const uint8_t *old)
{
    return an_rt_put(writer->sink, old ? old : own->begin, own->size) &&
           an_rt_put_zeros(writer->sink, -own->size & 7);
}

static bool put_sections(struct writer *writer)
{
    const struct an_rt_module *module = writer->module;
    const struct an_rt_file *old = writer->old;
    if (!put_header(writer) || !put_data(writer))
        return false;
    bool done = module->version_word & AN_RT_BYTE_COVERAGE
                    ? put_bytes(writer, module->counts, module->counters.size,
                                old ? old->counters : NULL, true)
                    : put_counters(writer);
    return done && an_rt_put_zeros(writer->sink, writer->words[AN_RT_PADDING_AFTER_COUNTERS]) &&
           put_bytes(writer, module->bitmap.begin, module->bitmap.size, old ? old->bitmap : NULL,
                     false) &&
           an_rt_put_zeros(writer->sink, writer->words[AN_RT_PADDING_AFTER_BITMAP]) &&
           put_padded(writer, &module->names, NULL) &&
           put_padded(writer, &module->vtables, old ? old->vtables : NULL) &&
           put_padded(writer, &module->vtable_names, NULL);
}

/* ---- values ---- */

/* The sites of one kind of one function, in the program and in the old profile. */
struct sites {
    const uint8_t *record;
    unsigned kind, count, first; /* first: its number among the sites of all kinds */
    struct an_rt_value_record old;
    const uint8_t *old_pairs; /* of the site that is next */
};

static void add_pair(struct writer *writer, uint64_t value, uint64_t count)
{
    for (unsigned i = 0; i < writer->pair_count; i++)
        if (writer->pairs[i].value == value) {
            writer->pairs[i].count = sum(writer->pairs[i].count, count);
            return;
        }
    writer->pairs[writer->pair_count++] = (struct pair){value, count};
}

/* More than a file can have: the rarest ones go. */
static void keep_most_frequent(struct writer *writer)
{
    while (writer->pair_count > VALUES_IN_FILE) {
        unsigned rarest = 0;
        for (unsigned i = 1; i < writer->pair_count; i++)
            if (writer->pairs[i].count < writer->pairs[rarest].count)
                rarest = i;
        writer->pairs[rarest] = writer->pairs[--writer->pair_count];
    }
}

/* Gathers the values of a site; they have to be asked for in order. */
static void gather(struct writer *writer, struct sites *sites, unsigned site)
{
    unsigned old_count = writer->old ? sites->old.counts[site] : 0;
    writer->pair_count = 0;
    for (unsigned i = 0; i < old_count; i++, sites->old_pairs += sizeof(struct pair))
        writer->pairs[writer->pair_count++] =
            (struct pair){an_rt_load64(sites->old_pairs), an_rt_load64(sites->old_pairs + 8)};
    const struct an_rt_node *node =
        an_rt_values(writer->module, sites->record, sites->first + site);
    for (unsigned seen = 0; node && seen < writer->most; node = node->next, seen++) {
        uint64_t count = writer->module->is_part ? node->due : node->count;
        if (count || !node->count) /* what was seen before all counts became 0 is known */
            add_pair(writer, an_rt_targets_find(&writer->targets, sites->kind, node->value), count);
    }
    keep_most_frequent(writer);
}

static uint32_t head_size(const struct sites *sites)
{
    return (8 + sites->count + 7) / 8 * 8;
}

/*
 * Other threads may count on: what is decided here, how many values a site gets, is what put_sites keeps to.
 */
static uint32_t size_of(struct writer *writer, struct sites *sites)
{
    uint32_t size = head_size(sites);
    sites->old_pairs = sites->old.pairs;
    for (unsigned site = 0; site < sites->count; site++) {
        gather(writer, sites, site);
        writer->counts[sites->first + site] = (uint8_t)writer->pair_count;
        size += writer->pair_count * (uint32_t)sizeof(struct pair);
    }
    return size;
}

static bool put_sites(struct writer *writer, struct sites *sites)
{
    uint32_t head[2] = {sites->kind, sites->count};
    const uint8_t *counts = writer->counts + sites->first;
    if (!an_rt_put(writer->sink, head, sizeof head) ||
        !an_rt_put(writer->sink, counts, sites->count) ||
        !an_rt_put_zeros(writer->sink, head_size(sites) - 8 - sites->count))
        return false;
    sites->old_pairs = sites->old.pairs;
    for (unsigned site = 0; site < sites->count; site++) {
        gather(writer, sites, site);
        while (writer->pair_count < counts[site])
            writer->pairs[writer->pair_count++] = (struct pair){0, 0};
        if (!an_rt_put(writer->sink, writer->pairs, counts[site] * sizeof(struct pair)))
            return false;
    }
    return true;
}

/* The kinds of values of a function, and where the old profile has them; *block moves behind its block. */
static unsigned find_sites(struct writer *writer, const uint8_t *record, const uint8_t **block,
                           struct sites sites[AN_RT_KINDS])
{
    const struct an_rt_layout *layout = &writer->module->layout;
    const uint8_t *inside = writer->old ? *block + 8 : NULL;
    unsigned kinds = 0, first = 0;
    for (unsigned kind = 0; kind < layout->kinds; kind++) {
        unsigned count = an_rt_sites(layout, record, kind);
        if (count == 0)
            continue;
        sites[kinds] =
            (struct sites){.record = record, .kind = kind, .count = count, .first = first};
        if (writer->old)
            an_rt_value_record_next(&sites[kinds].old, &inside, writer->old->rest);
        first += count;
        kinds++;
    }
    if (writer->old && kinds)
        *block = inside;
    return kinds;
}

static bool put_values(struct writer *writer)
{
    const struct an_rt_module *module = writer->module;
    const uint8_t *block = writer->old ? writer->old->values : NULL;
    for (size_t i = 0; i < module->records; i++) {
        struct sites sites[AN_RT_KINDS];
        uint32_t head[2] = {8, find_sites(writer, an_rt_record(module, i), &block, sites)};
        if (head[1] == 0)
            continue;
        for (unsigned kind = 0; kind < head[1]; kind++)
            head[0] += size_of(writer, &sites[kind]);
        if (!an_rt_put(writer->sink, head, sizeof head))
            return false;
        for (unsigned kind = 0; kind < head[1]; kind++)
            if (!put_sites(writer, &sites[kind]))
                return false;
    }
    return true;
}

static bool make_counts(struct writer *writer)
{
    const struct an_rt_module *module = writer->module;
    size_t most = 1;
    for (size_t i = 0; i < module->records; i++) {
        size_t sites = an_rt_sites_of(&module->layout, an_rt_record(module, i));
        most = sites > most ? sites : most;
    }
    writer->count_limit = most;
    writer->counts = an_rt_scratch(most);
    return writer->counts;
}

static bool put_all(struct writer *writer)
{
    if (!make_counts(writer))
        return false;
    bool done = put_sections(writer) && put_values(writer);
    an_rt_scratch_free(writer->counts, writer->count_limit);
    return done;
}

/* The module's own profile; added to `old` unless that is NULL. */
static bool write_one(const struct an_rt_module *module, const struct an_rt_file *old,
                      struct an_rt_sink *sink)
{
    /* Too large for small stacks. */
    unsigned most = an_rt_values_kept;
    size_t pairs = most + (old ? VALUES_IN_FILE : 0);
    size_t size = sizeof(struct writer) + pairs * sizeof(struct pair);
    struct writer *writer = an_rt_scratch(size);
    if (!writer)
        return false;
    writer->module = module;
    writer->most = most;
    writer->sink = sink;
    writer->old = old;
    const struct an_rt_addresses ours = {module->data.begin, module->vtables.begin};
    const struct an_rt_addresses theirs = {old ? old->data : ours.data,
                                           old ? old->vtables : ours.vtables};
    bool done = an_rt_targets_make(&writer->targets, module, &ours, &theirs);
    if (done) {
        done = put_all(writer);
        an_rt_targets_free(&writer->targets);
    }
    an_rt_scratch_free(writer, size);
    return done;
}

/* Adds to an old profile, with the order of this run in place of that one's. */
AN_RT_ONCE static bool write_newer(const struct an_rt_module *module, struct an_rt_file *old,
                                   struct an_rt_sink *sink)
{
    uint8_t *counters = an_rt_scratch(module->counters.size);
    if (!counters)
        return false;
    memcpy(counters, old->counters, module->counters.size);
    an_rt_times_clear(module, counters);
    old->counters = counters;
    bool done = write_one(module, old, sink);
    an_rt_scratch_free(counters, module->counters.size);
    return done;
}

bool an_rt_raw_write_own(const struct an_rt_module *module, struct an_rt_sink *sink)
{
    return write_one(module, NULL, sink);
}

bool an_rt_raw_write(const struct an_rt_module *module, const uint8_t *old, size_t size,
                     struct an_rt_sink *sink)
{
    struct an_rt_file file;
    if (!old)
        return write_one(module, NULL, sink);
    if (an_rt_file_open(&file, module, old, size) != AN_RT_FITS)
        return false;
    bool done =
        an_rt_has_times(module) ? write_newer(module, &file, sink) : write_one(module, &file, sink);
    return done && an_rt_put(sink, file.rest, (size_t)(file.end - file.rest));
}

bool an_rt_raw_write_among(const struct an_rt_module *module, const uint8_t *old, size_t size,
                           struct an_rt_sink *sink)
{
    size_t at;
    if (!old)
        return write_one(module, NULL, sink);
    bool is_there = an_rt_raw_find(module, old, size, &at) == AN_RT_FITS;
    return an_rt_put(sink, old, at) &&
           an_rt_raw_write(module, is_there ? old + at : NULL, size - at, sink);
}
