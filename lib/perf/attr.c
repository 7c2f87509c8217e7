/* Which fields the records of an event have; see attr.h. */
#include "perf/attr.h"

#include <stdio.h>

#include "perf/format.h"

/* A number of the attr, 0 if this version of it ends before. */
static uint64_t word(struct an_bytes attr, size_t at, bool big)
{
    return at + 8 <= attr.size ? an_get64(attr.data + at, big) : 0;
}

/* The flags are a struct of bit fields: the first is the lowest bit of a little-endian word, and
 * the highest of a big-endian one. */
static uint64_t flags_of(struct an_bytes attr, bool big)
{
    uint64_t stored = word(attr, PERF_ATTR_FLAGS, big), flags = 0;
    if (!big)
        return stored;
    for (int bit = 0; bit < 64; bit++)
        if (stored >> bit & 1)
            flags |= (uint64_t)1 << (63 - bit);
    return flags;
}

/* The place of a field, if it is there. */
static uint16_t place(uint64_t sample_type, uint64_t bit, uint16_t *at)
{
    if (!(sample_type & bit))
        return 0;
    uint16_t here = *at;
    *at += 8;
    return here;
}

static void lay_out_sample(struct perf_layout *layout)
{
    uint64_t type = layout->sample_type;
    uint16_t at = PERF_RECORD_HEAD;
    uint16_t identifier = place(type, PERF_HAS_IDENTIFIER, &at);
    layout->ip = place(type, PERF_HAS_IP, &at);
    layout->tid = place(type, PERF_HAS_TID, &at);
    layout->time = place(type, PERF_HAS_TIME, &at);
    layout->addr = place(type, PERF_HAS_ADDR, &at);
    uint16_t id = place(type, PERF_HAS_ID, &at);
    layout->id = identifier ? identifier : id;
    place(type, PERF_HAS_STREAM_ID, &at);
    layout->cpu = place(type, PERF_HAS_CPU, &at);
    layout->own_period = place(type, PERF_HAS_PERIOD, &at);
    layout->fixed = at;
}

/* From the end towards the payload. */
static void lay_out_end(struct perf_layout *layout)
{
    uint64_t type = layout->sample_type;
    uint16_t at = 8;
    if (!layout->sample_id_all)
        return;
    uint16_t identifier = place(type, PERF_HAS_IDENTIFIER, &at);
    place(type, PERF_HAS_CPU, &at);
    place(type, PERF_HAS_STREAM_ID, &at);
    uint16_t id = place(type, PERF_HAS_ID, &at);
    layout->end_id = identifier ? identifier : id;
    layout->end_time = place(type, PERF_HAS_TIME, &at);
    place(type, PERF_HAS_TID, &at);
    layout->end_size = at - 8;
}

enum an_code an_perf_attr_read(struct an_bytes bytes, bool big, struct perf_layout *layout,
                               struct an_samples_event *event, struct an_error *error)
{
    *layout = (struct perf_layout){0};
    *event = (struct an_samples_event){0};
    if (bytes.size < PERF_ATTR_LEAST)
        return an_fail(error, AN_MALFORMED,
                       "an event description of %zu bytes, expected at least 64", bytes.size);
    uint64_t flags = flags_of(bytes, big);
    layout->sample_type = word(bytes, PERF_ATTR_SAMPLE_TYPE, big);
    layout->read_format = word(bytes, PERF_ATTR_READ_FORMAT, big);
    layout->branch_type = word(bytes, PERF_ATTR_BRANCH_TYPE, big);
    layout->period = word(bytes, PERF_ATTR_PERIOD, big);
    layout->sample_id_all = flags & PERF_ATTR_SAMPLE_ID_ALL;
    lay_out_sample(layout);
    lay_out_end(layout);
    event->type = an_get32(bytes.data + PERF_ATTR_TYPE, big);
    event->config = word(bytes, PERF_ATTR_CONFIG, big);
    event->period = layout->period;
    event->by_frequency = flags & PERF_ATTR_FREQUENCY;
    event->sample_type = layout->sample_type;
    event->branch_type = layout->branch_type;
    return AN_OK;
}

/* ---- names ---- */

static const char *const hardware[] = {
    "cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branches",
    "branch-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "ref-cycles",
};

static const char *const software[] = {
    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};

enum { TYPE_HARDWARE = 0, TYPE_SOFTWARE = 1, TYPE_TRACEPOINT = 2, TYPE_CACHE = 3, TYPE_RAW = 4 };

/* ":u" and the like: what is counted, and how exactly. */
static void put_modifiers(uint64_t flags, char *text, size_t size)
{
    uint64_t excluded =
        flags & (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV);
    unsigned precise = flags >> PERF_ATTR_PRECISE_SHIFT & 3;
    snprintf(text, size, "%s%s%s%s%.*s", excluded || precise ? ":" : "",
             excluded && !(excluded & PERF_ATTR_EXCLUDE_USER) ? "u" : "",
             excluded && !(excluded & PERF_ATTR_EXCLUDE_KERNEL) ? "k" : "",
             excluded && !(excluded & PERF_ATTR_EXCLUDE_HV) ? "h" : "", (int)precise, "ppp");
}

void an_perf_attr_name(struct an_bytes attr, bool big, char *text, size_t size)
{
    uint32_t type = attr.size >= 4 ? an_get32(attr.data, big) : 0;
    uint64_t config = word(attr, PERF_ATTR_CONFIG, big);
    unsigned long long number = config;
    char modifiers[16];
    put_modifiers(flags_of(attr, big), modifiers, sizeof modifiers);
    if (type == TYPE_HARDWARE && config < sizeof hardware / sizeof *hardware)
        snprintf(text, size, "%s%s", hardware[config], modifiers);
    else if (type == TYPE_SOFTWARE && config < sizeof software / sizeof *software)
        snprintf(text, size, "%s%s", software[config], modifiers);
    else if (type == TYPE_TRACEPOINT)
        snprintf(text, size, "tracepoint %llu", number);
    else if (type == TYPE_CACHE)
        snprintf(text, size, "hw-cache 0x%llx%s", number, modifiers);
    else if (type == TYPE_RAW)
        snprintf(text, size, "raw 0x%llx%s", number, modifiers);
    else
        snprintf(text, size, "type %u config 0x%llx%s", type, number, modifiers);
}
