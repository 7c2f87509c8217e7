/* See gcc_gcda.h. */
#include "core/gcc_gcda.h"

#include "core/bytes.h"
#include "core/gcc_lists.h"

enum {
    WORD = 4,
    VALUE = 8,
    FUNCTION = 0x01000000,
    COUNTERS = 0x01a10000,
    KIND_SHIFT = 17,
};
#define SUMMARY 0xa1000000u
#define DETOUR 0xa5000000u

/* ---- reading ---- */

/* The records of an old file, one by one. */
struct reader {
    const uint8_t *at, *end;
    unsigned unit; /* bytes that a length of 1 stands for */
};

struct record {
    uint32_t tag;
    bool is_zeros; /* so many bytes of zeros that are not there */
    size_t size;
    const uint8_t *bytes;
};

/* False at the end, and for a record that does not fit; which of both, *is_end tells. */
static bool next_record(struct reader *reader, struct record *record, bool *is_end)
{
    *is_end = false;
    if (reader->end - reader->at < WORD)
        return false;
    record->tag = an_rt_load32(reader->at);
    if (record->tag == 0) {
        *is_end = true;
        return false;
    }
    if (reader->end - reader->at < 2 * WORD)
        return false;
    int32_t length = (int32_t)an_rt_load32(reader->at + WORD);
    record->is_zeros = length < 0;
    record->size = (size_t)(length < 0 ? -(int64_t)length : length) * reader->unit;
    record->bytes = reader->at + 2 * WORD;
    reader->at = record->bytes;
    if (record->is_zeros)
        return true;
    if (record->size > (size_t)(reader->end - reader->at))
        return false;
    reader->at += record->size;
    return true;
}

static bool has_checksum(uint32_t version)
{
    return an_rt_gcc_release(version) >= 12;
}

static size_t header_size(uint32_t version)
{
    return (has_checksum(version) ? 4 : 3) * WORD;
}

static unsigned unit_of(uint32_t version)
{
    return has_checksum(version) ? 1 : WORD;
}

static struct reader read_from(const uint8_t *old, size_t size)
{
    uint32_t version = an_rt_load32(old + WORD);
    struct reader reader = {old + header_size(version), old + size, unit_of(version)};
    struct reader ahead = reader;
    struct record record;
    bool is_end;
    if (next_record(&ahead, &record, &is_end) && record.tag == DETOUR && !record.is_zeros)
        return ahead;
    return reader;
}

/* How many values are in lists of so many places; false when they do not fill the bytes. */
static bool lists_fill(const uint8_t *bytes, size_t size, unsigned places)
{
    size_t at = 0;
    for (unsigned i = 0; i < places; i++) {
        if (size - at < 2 * VALUE)
            return false;
        uint64_t pairs = an_rt_load_gcc_counter(bytes + at + VALUE);
        if (pairs > (size - at - 2 * VALUE) / (2 * VALUE))
            return false;
        at += 2 * VALUE + (size_t)pairs * 2 * VALUE;
    }
    return at == size;
}

static bool counters_fit(const struct an_rt_gcc_counters *own, unsigned kind,
                         const struct record *record)
{
    if (record->tag != COUNTERS + ((uint32_t)kind << KIND_SHIFT))
        return false;
    if (record->is_zeros || !an_rt_gcc_is_list(kind))
        return record->size == (size_t)own->number * VALUE;
    return lists_fill(record->bytes, record->size, own->number / AN_RT_PLACE);
}

/* The counters of one function in the file are those that the program has. */
static bool function_fits(const struct an_rt_gcc_info *info,
                          const struct an_rt_gcc_function *function, struct reader *reader)
{
    struct record record;
    bool is_end;
    unsigned present = 0;
    for (unsigned kind = 0; kind < an_rt_gcc_kinds(info); kind++) {
        if (!info->merge[kind])
            continue;
        if (!next_record(reader, &record, &is_end) ||
            !counters_fit(&function->counters[present++], kind, &record))
            return false;
    }
    return true;
}

static bool is_counters(const struct reader *reader)
{
    return reader->end - reader->at >= WORD && an_rt_load32(reader->at) >= COUNTERS &&
           an_rt_load32(reader->at) < SUMMARY;
}

/* Counters of a function that this program does not have. */
static bool skip_counters(struct reader *reader)
{
    struct record record;
    bool is_end;
    while (is_counters(reader))
        if (!next_record(reader, &record, &is_end))
            return false;
    return true;
}

static bool identity_fits(const struct an_rt_gcc_function *function, const struct record *record)
{
    return an_rt_load32(record->bytes) == function->ident &&
           an_rt_load32(record->bytes + WORD) == function->line_sum &&
           an_rt_load32(record->bytes + 2 * WORD) == function->flow_sum;
}

static enum an_rt_fit judge_functions(const struct an_rt_gcc_info *info, struct reader *reader)
{
    struct record record;
    bool is_end;
    for (unsigned i = 0; i < an_rt_gcc_functions(info); i++) {
        const struct an_rt_gcc_function *function = an_rt_gcc_function(info, i);
        if (!next_record(reader, &record, &is_end))
            return is_end ? AN_RT_OTHER : AN_RT_DAMAGED;
        if (record.tag != FUNCTION || record.is_zeros || (record.size && record.size != 3 * WORD))
            return AN_RT_DAMAGED;
        if (record.size == 0)
            continue;
        if (function && !identity_fits(function, &record))
            return AN_RT_OTHER;
        if (function ? !function_fits(info, function, reader) : !skip_counters(reader))
            return AN_RT_DAMAGED;
    }
    if (next_record(reader, &record, &is_end))
        return AN_RT_OTHER;
    return is_end ? AN_RT_FITS : AN_RT_DAMAGED;
}

static bool read_summary(struct reader *reader, uint32_t *runs, uint32_t *greatest)
{
    struct reader ahead = *reader;
    struct record record = {0};
    bool is_end;
    *runs = *greatest = 0;
    if (!next_record(&ahead, &record, &is_end) || record.tag != SUMMARY)
        return is_end || record.tag == FUNCTION;
    if (record.size != 2 * WORD || record.is_zeros)
        return false;
    *runs = an_rt_load32(record.bytes);
    *greatest = an_rt_load32(record.bytes + WORD);
    *reader = ahead;
    return true;
}

enum an_rt_fit an_rt_gcda_judge(const struct an_rt_gcc_info *info, const uint8_t *old, size_t size,
                                uint32_t *stamp)
{
    uint32_t runs, greatest;
    if (size < 3 * WORD || an_rt_load32(old) != AN_RT_GCDA_MAGIC ||
        !an_rt_gcc_release(an_rt_load32(old + WORD)) ||
        size < header_size(an_rt_load32(old + WORD)) + WORD)
        return AN_RT_DAMAGED;
    uint32_t version = an_rt_load32(old + WORD);
    *stamp = an_rt_load32(old + 2 * WORD);
    if (version != info->version || *stamp != info->stamp ||
        (has_checksum(version) && an_rt_load32(old + 3 * WORD) != info->checksum))
        return AN_RT_OTHER;
    struct reader reader = read_from(old, size);
    return read_summary(&reader, &runs, &greatest) ? judge_functions(info, &reader) : AN_RT_DAMAGED;
}

/* ---- writing ---- */

struct writer {
    struct an_rt_sink *sink;
    unsigned unit;
    bool failed;
};

static void put(struct writer *writer, const void *bytes, size_t size)
{
    writer->failed = writer->failed || !an_rt_put(writer->sink, bytes, size);
}

static void put_word(struct writer *writer, uint32_t word)
{
    put(writer, &word, sizeof word);
}

static void put_tag(struct writer *writer, uint32_t tag, ptrdiff_t bytes)
{
    put_word(writer, tag);
    put_word(writer, (uint32_t)(bytes / (ptrdiff_t)writer->unit));
}

/* They become what they are in the file. */
static void put_counts(struct writer *writer, int64_t *counts, size_t number)
{
    for (size_t i = 0; i < number; i++)
        counts[i] = (int64_t)an_rt_gcc_word_pair((uint64_t)counts[i]);
    put(writer, counts, number * sizeof *counts);
}

static int64_t merged(unsigned kind, int64_t own, int64_t theirs)
{
    switch (kind) {
    case AN_RT_IOR:
    case AN_RT_CONDITIONS:
    case AN_RT_PATHS:
        return own | theirs;
    case AN_RT_TIME: /* when it first ran; 0: never */
        return own == 0 || (theirs != 0 && theirs < own) ? theirs : own;
    default:
        return own + theirs;
    }
}

static int64_t value_at(unsigned kind, const struct an_rt_gcc_counters *own,
                        const struct record *old, uint32_t i)
{
    bool has_old = old && !old->is_zeros;
    return merged(kind, own->values[i],
                  has_old ? (int64_t)an_rt_load_gcc_counter(old->bytes + (size_t)i * VALUE) : 0);
}

static void put_values(struct writer *writer, unsigned kind, const struct an_rt_gcc_counters *own,
                       const struct record *old)
{
    bool are_zero = true;
    for (uint32_t i = 0; are_zero && i < own->number; i++)
        are_zero = value_at(kind, own, old, i) == 0;
    ptrdiff_t size = (ptrdiff_t)own->number * VALUE;
    put_tag(writer, COUNTERS + ((uint32_t)kind << KIND_SHIFT), are_zero ? -size : size);
    for (uint32_t i = 0; !are_zero && i < own->number; i++) {
        int64_t value = value_at(kind, own, old, i);
        put_counts(writer, &value, 1);
    }
}

/* The list of the next place, added to the one in the file, which *old then passes. */
static void merge_list(struct an_rt_gcc_list *list, const int64_t *place, const uint8_t **old)
{
    an_rt_gcc_list_take(list, place);
    if (!*old)
        return;
    an_rt_gcc_list_add(list, *old);
    *old += 2 * VALUE + (size_t)an_rt_load_gcc_counter(*old + VALUE) * 2 * VALUE;
}

/*
 * Lists vary in length, and other threads may make them longer: they are taken twice, and a list that grew
 * meanwhile is written as long as it was.
 */
static void put_lists(struct writer *writer, unsigned kind, const struct an_rt_gcc_counters *own,
                      const struct record *old)
{
    struct an_rt_gcc_list list;
    unsigned places = own->number / AN_RT_PLACE;
    bool has_old = old && !old->is_zeros;
    uint8_t *lengths = an_rt_scratch(places + 1);
    ptrdiff_t size = 0;
    if (!lengths) {
        writer->failed = true;
        return;
    }
    const uint8_t *at = has_old ? old->bytes : NULL;
    for (unsigned i = 0; i < places; i++) {
        merge_list(&list, own->values + (size_t)i * AN_RT_PLACE, &at);
        lengths[i] = (uint8_t)list.length;
        size += 2 * VALUE + list.length * 2 * VALUE;
    }
    put_tag(writer, COUNTERS + ((uint32_t)kind << KIND_SHIFT), size);
    at = has_old ? old->bytes : NULL;
    for (unsigned i = 0; i < places; i++) {
        merge_list(&list, own->values + (size_t)i * AN_RT_PLACE, &at);
        int64_t head[2] = {list.total, lengths[i]};
        put_counts(writer, head, 2);
        put_counts(writer, &list.pairs[0].value, 2 * (size_t)lengths[i]);
    }
    an_rt_scratch_free(lengths, places + 1);
}

static void put_counters(struct writer *writer, const struct an_rt_gcc_info *info,
                         const struct an_rt_gcc_function *function, struct reader *old)
{
    unsigned present = 0;
    for (unsigned kind = 0; kind < an_rt_gcc_kinds(info); kind++) {
        struct record record;
        bool is_end;
        if (!info->merge[kind])
            continue;
        const struct record *there = old && next_record(old, &record, &is_end) ? &record : NULL;
        const struct an_rt_gcc_counters *own = &function->counters[present++];
        (an_rt_gcc_is_list(kind) ? put_lists : put_values)(writer, kind, own, there);
    }
}

static void put_own(struct writer *writer, const struct an_rt_gcc_info *info,
                    const struct an_rt_gcc_function *function, struct reader *old)
{
    put_tag(writer, FUNCTION, 3 * WORD);
    put_word(writer, function->ident);
    put_word(writer, function->line_sum);
    put_word(writer, function->flow_sum);
    put_counters(writer, info, function, old);
}

/* As the file has it, for another program has this function. */
static void put_theirs(struct writer *writer, const struct record *record, struct reader *old)
{
    const uint8_t *from = record->bytes - 2 * WORD;
    skip_counters(old);
    put(writer, from, (size_t)(old->at - from));
}

static void put_functions(struct writer *writer, const struct an_rt_gcc_info *info,
                          struct reader *old)
{
    for (unsigned i = 0; i < an_rt_gcc_functions(info); i++) {
        const struct an_rt_gcc_function *function = an_rt_gcc_function(info, i);
        struct record record;
        bool is_end;
        bool is_in_file = old && next_record(old, &record, &is_end) && record.size;
        if (function)
            put_own(writer, info, function, is_in_file ? old : NULL);
        else if (is_in_file)
            put_theirs(writer, &record, old);
        else
            put_tag(writer, FUNCTION, 0);
    }
}

bool an_rt_gcda_write(const struct an_rt_gcc_info *info, int64_t greatest, const uint8_t *old,
                      size_t size, struct an_rt_sink *sink)
{
    struct writer writer = {sink, unit_of(info->version), false};
    struct reader reader;
    uint32_t runs = 0, greatest_sum = 0;
    if (old) {
        reader = read_from(old, size);
        read_summary(&reader, &runs, &greatest_sum);
    }
    put_word(&writer, AN_RT_GCDA_MAGIC);
    put_word(&writer, info->version);
    put_word(&writer, info->stamp);
    if (has_checksum(info->version))
        put_word(&writer, info->checksum);
    if (greatest != AN_RT_NO_SUMMARY) {
        put_tag(&writer, SUMMARY, 2 * WORD);
        put_word(&writer, runs + 1);
        put_word(&writer, greatest_sum + (uint32_t)greatest);
    }
    put_functions(&writer, info, old ? &reader : NULL);
    put_word(&writer, 0);
    return !writer.failed;
}

size_t an_rt_gcda_detour(const struct an_rt_gcc_info *info, size_t size,
                         uint8_t detour[AN_RT_DETOUR])
{
    size_t at = header_size(info->version);
    uint32_t words[2] = {DETOUR, (uint32_t)(size - at - sizeof words) / unit_of(info->version)};
    memcpy(detour, words, sizeof words);
    return at;
}

/* ---- counts ---- */

int64_t an_rt_gcda_greatest(const struct an_rt_gcc_info *info)
{
    int64_t greatest = 0;
    for (unsigned i = 0; info->merge[AN_RT_ARCS] && i < an_rt_gcc_functions(info); i++) {
        const struct an_rt_gcc_function *function = an_rt_gcc_function(info, i);
        for (uint32_t k = 0; function && k < function->counters[0].number; k++)
            if (function->counters[0].values[k] > greatest)
                greatest = function->counters[0].values[k];
    }
    return greatest;
}

static void reset_function(const struct an_rt_gcc_info *info,
                           const struct an_rt_gcc_function *function)
{
    unsigned present = 0;
    for (unsigned kind = 0; kind < an_rt_gcc_kinds(info); kind++)
        if (info->merge[kind]) {
            const struct an_rt_gcc_counters *own = &function->counters[present++];
            memset(own->values, 0, own->number * sizeof *own->values);
        }
}

void an_rt_gcda_reset(const struct an_rt_gcc_info *info)
{
    for (unsigned i = 0; i < an_rt_gcc_functions(info); i++) {
        const struct an_rt_gcc_function *function = an_rt_gcc_function(info, i);
        if (function)
            reset_function(info, function);
    }
}
