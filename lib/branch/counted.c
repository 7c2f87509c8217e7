/* Between counts and the pre-aggregated format; see counted.h. */
#include "branch/counted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "perf/preaggregated.h"

void an_counted_free(struct an_counted *counted)
{
    an_tally_free(&counted->tally);
    an_vector_free(&counted->runs);
    an_buffer_free(&counted->events);
    an_vector_free(&counted->outside);
    an_map_free(&counted->outside_index);
}

bool an_counted_recognise(const char *path)
{
    enum { ENOUGH = 4096 };
    struct an_file file = {0};
    struct an_error ignored;
    bool is = strcmp(path, "-") != 0 && an_file_peek(&file, path, ENOUGH, &ignored) == AN_OK &&
              an_preaggregated_recognise(file.bytes);
    an_file_close(&file);
    return is;
}

struct reading {
    struct an_counted *counted;
    char build_id[129]; /* the binary's, in hexadecimal; "" when it has none */
    bool failed;        /* no memory */
};

/* A place without a build-id is of the binary itself. */
static bool is_ours(const struct reading *reading, const struct an_preaggregated_place *place)
{
    size_t length = place->build_id_length;
    return !place->build_id ||
           (*reading->build_id && length && length <= strlen(reading->build_id) &&
            memcmp(place->build_id, reading->build_id, length) == 0);
}

/* The number of an address outside of the binary, or 0: no memory, or too many of them. */
static uint32_t number_outside(struct reading *reading, uint64_t address)
{
    struct an_counted *counted = reading->counted;
    bool is_new;
    uint64_t *index = an_map_insert(&counted->outside_index, address, &is_new);
    if (index && is_new) {
        uint64_t *place = an_vector_push(&counted->outside);
        *index = counted->outside.count - 1;
        if (place)
            *place = address;
        else
            index = NULL;
    }
    reading->failed = reading->failed || !index;
    return index && *index < AN_TALLY_NOWHERE - AN_COUNTED_OUTSIDE
               ? AN_COUNTED_OUTSIDE + (uint32_t)*index
               : 0;
}

/* 0: not in the binary. */
static uint32_t inside(const struct reading *reading, const struct an_preaggregated_place *place)
{
    return is_ours(reading, place) ? an_counted_relative(reading->counted, place->offset) : 0;
}

static uint32_t locate(struct reading *reading, const struct an_preaggregated_place *place)
{
    uint32_t relative = inside(reading, place);
    if (!reading->counted->keeps_outside || place->offset >= AN_PREAGGREGATED_RETURN ||
        place->offset == 0 || (relative && relative < AN_COUNTED_OUTSIDE))
        return relative;
    return number_outside(reading, place->offset);
}

static bool add_run(struct reading *reading, const struct an_preaggregated_place *start,
                    const struct an_preaggregated_place *end, bool from_outside, uint64_t count)
{
    struct an_counted_run *run = an_vector_push(&reading->counted->runs);
    if (run)
        *run = (struct an_counted_run){locate(reading, start), locate(reading, end), from_outside,
                                       count};
    reading->counted->run_sum += count;
    return run != NULL;
}

static bool add_branch(struct reading *reading, const struct an_preaggregated_entry *entry,
                       bool has_run)
{
    struct an_tally_branch branch = {.from = locate(reading, &entry->from),
                                     .to = locate(reading, &entry->to),
                                     .next = AN_TALLY_NOWHERE};
    if (entry->kind == AN_PREAGGREGATED_SAMPLE)
        branch.to = 0;
    reading->counted->branch_sum += entry->count;
    if (has_run) {
        branch.next = locate(reading, &entry->run_to);
        reading->counted->run_sum += entry->count;
    }
    return an_tally_add_many(&reading->counted->tally, &branch, entry->count,
                             entry->mispredictions);
}

/* A branch and the run behind it, or only one of them. A return into the binary is no branch to count. */
static bool add_trace(struct reading *reading, const struct an_preaggregated_entry *entry)
{
    bool has_run = entry->run_to.offset != AN_PREAGGREGATED_ABSENT;
    bool is_return = entry->kind == AN_PREAGGREGATED_TRACE_RETURN && !inside(reading, &entry->from);
    if (entry->from.offset < AN_PREAGGREGATED_RETURN && !is_return)
        return add_branch(reading, entry, has_run);
    return !has_run ||
           add_run(reading, &entry->to, &entry->run_to,
                   is_return || entry->from.offset != AN_PREAGGREGATED_ABSENT, entry->count);
}

static bool add_entry(struct reading *reading, const struct an_preaggregated_entry *entry)
{
    switch (entry->kind) {
    case AN_PREAGGREGATED_RUN:
    case AN_PREAGGREGATED_RUN_FROM_OUTSIDE:
    case AN_PREAGGREGATED_RUN_FROM_RETURN:
        return add_run(reading, &entry->from, &entry->to, entry->kind != AN_PREAGGREGATED_RUN,
                       entry->count);
    case AN_PREAGGREGATED_TRACE:
    case AN_PREAGGREGATED_TRACE_RETURN:
        return add_trace(reading, entry);
    default:
        return add_branch(reading, entry, false);
    }
}

/* Names are separated by blanks, each of them once; as many as are kept of a recording. */
static bool add_event(struct an_buffer *events, const struct an_preaggregated_entry *entry)
{
    enum { MOST_EVENTS = 64 };
    const char *at = (const char *)events->data, *end = at + events->size;
    for (int known = 0; at < end; known++) {
        const char *blank = memchr(at, ' ', (size_t)(end - at));
        size_t length = (size_t)((blank ? blank : end) - at);
        if (known == MOST_EVENTS ||
            (length == entry->event_length && memcmp(at, entry->event, length) == 0))
            return true;
        at += length + 1;
    }
    if (events->size)
        an_buffer_put(events, " ", 1);
    an_buffer_put(events, entry->event, entry->event_length);
    return !events->failed;
}

static enum an_code take(void *context, const struct an_preaggregated_entry *entry,
                         struct an_error *error)
{
    struct reading *reading = context;
    struct an_counted *counted = reading->counted;
    if (entry->kind == AN_PREAGGREGATED_EVENT)
        return add_event(&counted->events, entry) ? AN_OK : an_fail_memory(error);
    bool is_place = entry->kind == AN_PREAGGREGATED_SAMPLE;
    if (counted->entries++ == 0)
        counted->places = is_place;
    if (is_place != counted->places) {
        an_fail_at(error, AN_MISMATCH, entry->file_offset, "%s among %s",
                   is_place ? "a sample" : "a branch", is_place ? "branches" : "samples");
        return an_error_hint(error, "split the file into one with samples and one with branches");
    }
    if (entry->count == 0)
        return AN_OK;
    if (!is_ours(reading, &entry->from) && (is_place || !is_ours(reading, &entry->to))) {
        counted->foreign++;
        return AN_OK;
    }
    return add_entry(reading, entry) && !reading->failed ? AN_OK : an_fail_memory(error);
}

enum an_code an_counted_read(struct an_counted *counted, const char *path, const struct an_elf *elf,
                             struct an_error *error)
{
    struct an_file file = {0};
    struct reading reading = {.counted = counted};
    struct an_bytes id = an_elf_build_id(elf);
    for (size_t i = 0; i < id.size && 2 * i + 2 < sizeof reading.build_id; i++)
        snprintf(reading.build_id + 2 * i, 3, "%02x", id.data[i]);
    enum an_code code = an_file_load(&file, path, error);
    if (code == AN_OK && file.bytes.size == 0) {
        an_fail(error, AN_EMPTY, "empty file");
        code = an_error_in(error, path);
    }
    if (code == AN_OK) {
        code = an_preaggregated_read(file.bytes, take, &reading, error);
        if (code != AN_OK)
            an_error_in(error, path);
    }
    an_file_close(&file);
    return code;
}

/* --- writing --- */

struct line {
    uint64_t from, to, count, mispreds;
    char kind;
};

struct lines {
    AN_VECTOR(struct line);
};

static bool add_line(struct lines *lines, char kind, uint64_t from, uint64_t to, uint64_t count,
                     uint64_t mispreds)
{
    struct line *line = an_vector_push(lines);
    if (line)
        *line = (struct line){from, to, count, mispreds, kind};
    return line != NULL;
}

static int by_line(const void *a, const void *b)
{
    const struct line *left = a, *right = b;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    return (left->to > right->to) - (left->to < right->to);
}

static void write_lines(struct lines *lines, struct an_buffer *buffer)
{
    if (lines->count)
        qsort(lines->items, lines->count, sizeof *lines->items, by_line);
    for (size_t i = 0; i < lines->count; i++) {
        struct line sum = lines->items[i];
        while (i + 1 < lines->count && by_line(&sum, &lines->items[i + 1]) == 0) {
            sum.count += lines->items[++i].count;
            sum.mispreds += lines->items[i].mispreds;
        }
        struct an_preaggregated_entry entry = {.kind = (enum an_preaggregated_kind)sum.kind,
                                               .from.offset = sum.from,
                                               .to.offset = sum.to,
                                               .count = sum.count,
                                               .mispredictions = sum.mispreds};
        an_preaggregated_write(buffer, &entry);
    }
}

bool an_counted_write(const struct an_counted *counted, struct an_buffer *buffer,
                      bool (*same_function)(void *context, uint64_t one, uint64_t other),
                      void *context)
{
    struct lines lines = {0};
    bool done = true;
    for (size_t i = 0; counted->tally.slots && i <= counted->tally.mask && done; i++) {
        const struct an_tally_slot *slot = &counted->tally.slots[i];
        if (!slot->occupied)
            continue;
        uint64_t from = an_counted_absolute(counted, slot->from);
        uint64_t to = an_counted_absolute(counted, slot->to);
        if (counted->places) { /* what lies outside of the binary has no address */
            done = !from || add_line(&lines, 'S', from, 0, slot->count, 0);
            continue;
        }
        if (from || to)
            done = add_line(&lines, 'B', from, to, slot->count, slot->mispreds);
        if (slot->next != AN_TALLY_NOWHERE && to && slot->next && done)
            done = add_line(&lines, same_function(context, from, to) ? 'F' : 'f', to,
                            an_counted_absolute(counted, slot->next), slot->count, 0);
    }
    for (size_t i = 0; i < counted->runs.count && done; i++) {
        const struct an_counted_run *run = &counted->runs.items[i];
        done = add_line(&lines, run->from_outside ? 'f' : 'F',
                        an_counted_absolute(counted, run->start),
                        an_counted_absolute(counted, run->end), run->count, 0);
    }
    if (done)
        write_lines(&lines, buffer);
    an_vector_free(&lines);
    return done && !buffer->failed;
}
