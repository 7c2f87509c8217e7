/*
 * What of a raw memory profile goes where:
 *
 *     call stack     a ──► b ──► c      addresses, from the leaf to the root; those that no function is known for, and those
 *                    │     │     │      of the runtime, are left out, and a call stack of which nothing remains
 *     functions    f1,f2   f3  f4,f5    f1 is inlined into f2
 *
 *     allocation of f1 and f2: the call stack f1 f2 f3 f4 f5      functions that the allocating call is inlined into
 *     call site  of f2: f1 f2    of f3: f3    of f4 and f5: f4 f5 all functions but the first, with all that is at their address
 *
 * A call site is an address: two that look the same are two.
 */
#include "llvm/memprof_records.h"

#include <stdio.h>
#include <string.h>

#include "llvm/correlated.h"
#include "llvm/dense_order.h"

/* The call sites of a function. */
struct site_function {
    uint64_t function;
    uint32_t first, last;
};

struct site {
    uint32_t place; /* an address */
    uint32_t next;  /* of the same function */
};

struct conversion {
    struct memprof *memprof;
    const struct memprof_raw *raw;
    struct memprof_binary *binary;
    struct an_error *error;
    bool as_19;
    uint64_t start, end;    /* where the text was */
    uint32_t *trace_order;  /* as LLVM walks through them */
    uint32_t *nodes;        /* of each measurement; MEMPROF_NONE: nothing is left of it */
    uint32_t *node_of;      /* by place: of what is at this address alone */
    const uint64_t *values; /* of the measurement at hand */
    struct {
        AN_VECTOR(struct site_function);
    } functions;
    struct an_map function_of; /* -> index + 1 */
    struct {
        AN_VECTOR(struct site);
    } sites;
    struct an_map known_sites; /* function and place */
};

static bool fail_memory(struct conversion *conversion)
{
    an_fail_memory(conversion->error);
    return false;
}

/* ---- the program ---- */

static bool find_text(struct conversion *conversion)
{
    const struct memprof_raw *raw = conversion->raw;
    struct an_bytes id = conversion->binary->build_id;
    size_t found = 0;
    for (size_t i = 0; i < raw->segments.count; i++) {
        const struct memprof_segment *segment = &raw->segments.items[i];
        if (segment->build_id.size != id.size ||
            memcmp(segment->build_id.data, id.data, id.size) != 0)
            continue;
        conversion->start = segment->start;
        conversion->end = segment->end;
        found++;
    }
    if (found == 1)
        return true;
    an_fail(conversion->error, AN_MISMATCH,
            "raw memory profile with %zu executable segments of %s, expected 1", found,
            an_elf_path(conversion->binary->elf));
    return false;
}

/* An address as the program has it, when it is where it wants to be. */
static uint64_t in_program(const struct conversion *conversion, uint64_t address)
{
    if (address <= conversion->start || address > conversion->end)
        return address;
    return address - conversion->start + conversion->binary->text;
}

static uint32_t place_of(const struct conversion *conversion, uint64_t address)
{
    return an_memprof_binary_place(conversion->binary, in_program(conversion, address));
}

static const struct memprof_located *frames_of(const struct conversion *conversion, uint32_t place,
                                               size_t *count)
{
    const struct memprof_place *its = &conversion->binary->places.items[place];
    *count = its->count;
    return its->count ? &conversion->binary->frames.items[its->first] : NULL;
}

static bool locate(struct conversion *conversion)
{
    const struct memprof_raw *raw = conversion->raw;
    size_t count = 0;
    for (size_t t = 0; t < raw->traces.count; t++)
        count += raw->traces.items[t].count; /* which are all in memory */
    uint64_t *addresses = an_alloc(count, sizeof *addresses);
    if (!addresses)
        return fail_memory(conversion);
    count = 0;
    for (size_t t = 0; t < raw->traces.count; t++)
        for (size_t a = 0; a < raw->traces.items[t].count; a++)
            addresses[count++] = in_program(conversion, raw->traces.items[t].addresses[a]);
    bool done =
        an_memprof_binary_locate(conversion->binary, addresses, count, conversion->error) == AN_OK;
    free(addresses);
    return done;
}

/* ---- orders ---- */

/*
 * LLVM has call stacks in a table; those of one raw profile after the other go to it as another table has them. Fills in the
 * numbers as they are inserted into the former.
 */
static bool insertions(struct conversion *conversion, uint64_t *numbers, size_t *count)
{
    const struct memprof_raw *raw = conversion->raw;
    size_t first = 0;
    *count = 0;
    for (size_t g = 0; g < raw->ends.count; g++) {
        const uint64_t *its = raw->numbers.items + first;
        size_t number = raw->ends.items[g] - first;
        if (*count == 0 && number) {
            memcpy(numbers, its, number * sizeof *numbers); /* this one becomes the table */
            *count = number;
        } else if (number) {
            size_t distinct = an_dense_order(its, number, conversion->trace_order);
            if (distinct == SIZE_MAX)
                return false;
            for (size_t i = 0; i < distinct; i++)
                numbers[(*count)++] = its[conversion->trace_order[i]];
        }
        first = raw->ends.items[g];
    }
    return true;
}

static bool order_traces(struct conversion *conversion)
{
    const struct memprof_raw *raw = conversion->raw;
    size_t all = raw->numbers.count, count = 0, distinct = SIZE_MAX;
    uint64_t *numbers = an_alloc(all, sizeof *numbers);
    conversion->trace_order = an_alloc(all, sizeof *conversion->trace_order);
    if (numbers && conversion->trace_order && insertions(conversion, numbers, &count))
        distinct = an_dense_order(numbers, count, conversion->trace_order);
    for (size_t i = 0; distinct != SIZE_MAX && i < distinct; i++) {
        const struct memprof_trace *trace =
            an_memprof_raw_trace(raw, numbers[conversion->trace_order[i]]);
        conversion->trace_order[i] = (uint32_t)(trace - raw->traces.items);
    }
    free(numbers);
    return distinct != SIZE_MAX || fail_memory(conversion);
}

/* ---- frames ---- */

/* Frames in the order in which they are come upon; LLVM 19 has a table of them, too. */
static bool insert_frames(struct conversion *conversion, const struct memprof_located **frames,
                          size_t count)
{
    uint32_t *order = an_alloc(count, sizeof *order);
    uint64_t *ids = an_alloc(count, sizeof *ids);
    bool done = order && ids;
    size_t distinct = count;
    for (size_t i = 0; done && i < count; i++) {
        order[i] = (uint32_t)i;
        ids[i] = an_memprof_frame_id(frames[i]->frame, false);
    }
    if (done && conversion->as_19)
        distinct = an_dense_order(ids, count, order);
    done = done && distinct != SIZE_MAX;
    for (size_t i = 0; done && i < distinct; i++)
        done = an_memprof_frame(conversion->memprof, frames[order[i]]->frame) != MEMPROF_NONE;
    free(order);
    free(ids);
    return done || fail_memory(conversion);
}

/* Lists the frames of addresses that were not seen before; `frames` has room for all. */
static size_t list_frames(const struct conversion *conversion, const struct memprof_trace *trace,
                          bool *seen, const struct memprof_located **frames)
{
    size_t listed = 0;
    for (size_t a = 0; a < trace->count; a++) {
        uint32_t place = place_of(conversion, trace->addresses[a]);
        size_t count;
        const struct memprof_located *its = frames_of(conversion, place, &count);
        for (size_t f = 0; !seen[place] && f < count; f++)
            frames[listed++] = &its[f];
        seen[place] = true;
    }
    return listed;
}

static bool add_frames(struct conversion *conversion)
{
    const struct memprof_raw *raw = conversion->raw;
    bool *seen = an_alloc_zero(conversion->binary->places.count, sizeof *seen);
    const struct memprof_located **frames =
        an_alloc(conversion->binary->frames.count, sizeof *frames);
    bool done = seen && frames;
    size_t count = 0;
    for (size_t i = 0; done && i < raw->traces.count; i++)
        count += list_frames(conversion, &raw->traces.items[conversion->trace_order[i]], seen,
                             frames + count);
    done = done ? insert_frames(conversion, frames, count) : fail_memory(conversion);
    free(frames);
    free(seen);
    return done;
}

/* ---- call stacks ---- */

/* The node of what is at an address, below another one. */
static uint32_t node_below(struct conversion *conversion, uint32_t parent, uint32_t place)
{
    struct memprof *memprof = conversion->memprof;
    size_t count;
    const struct memprof_located *its = frames_of(conversion, place, &count);
    while (count-- && parent != MEMPROF_NONE) {
        uint32_t frame = an_memprof_frame(memprof, its[count].frame);
        parent = frame == MEMPROF_NONE ? MEMPROF_NONE : an_memprof_node(memprof, parent, frame);
    }
    return parent;
}

static bool add_site(struct conversion *conversion, uint64_t function, uint32_t place)
{
    bool is_new = false;
    uint64_t *index = an_map_insert(&conversion->function_of, function, &is_new);
    if (index && is_new) {
        struct site_function *added = an_vector_push(&conversion->functions);
        if (!added)
            return false;
        *added = (struct site_function){function, MEMPROF_NONE, MEMPROF_NONE};
        *index = conversion->functions.count;
    }
    if (!index || *index >= MEMPROF_NONE)
        return false;
    uint64_t key = *index << 32 | place;
    struct site_function *its = &conversion->functions.items[*index - 1];
    if (!an_map_insert(&conversion->known_sites, key, &is_new))
        return false;
    if (!is_new)
        return true;
    uint32_t at = (uint32_t)conversion->sites.count;
    struct site *site = at < MEMPROF_NONE ? an_vector_push(&conversion->sites) : NULL;
    if (!site)
        return false;
    *site = (struct site){place, MEMPROF_NONE};
    *(its->last == MEMPROF_NONE ? &its->first : &conversion->sites.items[its->last].next) = at;
    its->last = at;
    return true;
}

/* What is at an address are call sites, but for the allocation itself. */
static bool add_sites(struct conversion *conversion, uint32_t place, bool is_leaf)
{
    size_t count;
    const struct memprof_located *its = frames_of(conversion, place, &count);
    for (size_t f = is_leaf; f < count; f++)
        if (!add_site(conversion, an_get64(its[f].frame, false), place))
            return false;
    if (count && conversion->node_of[place] == MEMPROF_NONE)
        conversion->node_of[place] = node_below(conversion, MEMPROF_TOP, place);
    return true;
}

static bool add_stack(struct conversion *conversion, const struct memprof_trace *trace,
                      uint32_t *node)
{
    size_t count;
    *node = MEMPROF_TOP;
    for (size_t a = trace->count; a-- > 0;) {
        *node = node_below(conversion, *node, place_of(conversion, trace->addresses[a]));
        if (*node == MEMPROF_NONE)
            return false;
    }
    if (*node == MEMPROF_TOP) {
        *node = MEMPROF_NONE;
        return true;
    }
    bool is_leaf = true;
    for (size_t a = 0; a < trace->count; a++) {
        uint32_t place = place_of(conversion, trace->addresses[a]);
        frames_of(conversion, place, &count);
        if (count && !add_sites(conversion, place, is_leaf))
            return false;
        is_leaf = is_leaf && !count;
    }
    return true;
}

static bool add_stacks(struct conversion *conversion)
{
    const struct memprof_raw *raw = conversion->raw;
    size_t places = conversion->binary->places.count, measured = raw->measured.count;
    conversion->nodes = an_alloc(measured, sizeof *conversion->nodes);
    conversion->node_of = an_alloc(places, sizeof *conversion->node_of);
    if (!conversion->nodes || !conversion->node_of)
        return fail_memory(conversion);
    if (places)
        memset(conversion->node_of, 0xff, places * sizeof *conversion->node_of);
    for (size_t m = 0; m < measured; m++) {
        const struct memprof_trace *trace = an_memprof_raw_trace(raw, raw->measured.items[m].stack);
        if (!trace) {
            an_fail(conversion->error, AN_MALFORMED,
                    "raw memory profile: measurements of a call stack that is not there");
            return false;
        }
        if (!add_stack(conversion, trace, &conversion->nodes[m]))
            return fail_memory(conversion);
    }
    return true;
}

/* The nodes of all stacks in the order in which LLVM comes upon them; `nodes` has room for all. */
static size_t list_stacks(const struct conversion *conversion, uint32_t *nodes)
{
    size_t count = 0;
    for (size_t m = 0; m < conversion->raw->measured.count; m++)
        if (conversion->nodes[m] != MEMPROF_NONE)
            nodes[count++] = conversion->nodes[m];
    for (size_t f = 0; f < conversion->functions.count; f++) {
        uint32_t at = conversion->functions.items[f].first;
        for (; at != MEMPROF_NONE; at = conversion->sites.items[at].next)
            nodes[count++] = conversion->node_of[conversion->sites.items[at].place];
    }
    return count;
}

static bool number_stacks(const struct memprof *memprof, const uint32_t *nodes, size_t count,
                          uint64_t *ids)
{
    struct an_buffer scratch = {0};
    uint64_t *frame_ids = an_alloc(memprof->frames.count, sizeof *frame_ids);
    for (size_t i = 0; frame_ids && i < memprof->frames.count; i++)
        frame_ids[i] = an_memprof_frame_id((const uint8_t *)memprof->frames.names[i].text, false);
    for (size_t i = 0; frame_ids && i < count; i++)
        ids[i] = an_memprof_stack_id(memprof, frame_ids, nodes[i], &scratch);
    bool done = frame_ids && !scratch.failed;
    an_buffer_free(&scratch);
    free(frame_ids);
    return done;
}

/* LLVM 19 has a table of call stacks, too. */
static bool insert_stacks(struct conversion *conversion)
{
    size_t most = conversion->raw->measured.count + conversion->sites.count;
    uint32_t *nodes = an_alloc(most, sizeof *nodes), *order = an_alloc(most, sizeof *order);
    uint64_t *ids = an_alloc(most, sizeof *ids);
    bool done = nodes && order && ids;
    size_t count = done ? list_stacks(conversion, nodes) : 0, distinct = count;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    if (done && conversion->as_19) {
        done = number_stacks(conversion->memprof, nodes, count, ids);
        distinct = done ? an_dense_order(ids, count, order) : SIZE_MAX;
        done = distinct != SIZE_MAX;
    }
    for (size_t i = 0; done && i < distinct; i++)
        done = an_memprof_stack(conversion->memprof, nodes[order[i]]);
    free(nodes);
    free(order);
    free(ids);
    return done || fail_memory(conversion);
}

/* ---- records ---- */

/* An allocation belongs to the function whose call allocates, and to all that this one is inlined into. */
static bool add_allocation(struct conversion *conversion, uint32_t stack,
                           const struct memprof_measured *measured)
{
    struct memprof *memprof = conversion->memprof;
    uint64_t *values = an_memprof_numbers(memprof, MEMPROF_FIELDS);
    if (!values)
        return false;
    memcpy(values, measured->values, sizeof measured->values);
    values[0] = (uint64_t)(measured - conversion->raw->measured.items);
    for (uint32_t node = stack; node != MEMPROF_TOP; node = memprof->nodes.items[node].parent) {
        const uint8_t *frame =
            (const uint8_t *)memprof->frames.names[memprof->nodes.items[node].frame].text;
        uint32_t record = an_memprof_record(memprof, an_get64(frame, false));
        if (record == MEMPROF_NONE || !an_memprof_allocation(memprof, record, stack, values))
            return false;
        if (!frame[16])
            break;
    }
    return true;
}

static bool add_records(struct conversion *conversion)
{
    struct memprof *memprof = conversion->memprof;
    for (size_t m = 0; m < conversion->raw->measured.count; m++)
        if (conversion->nodes[m] != MEMPROF_NONE &&
            !add_allocation(conversion, conversion->nodes[m], &conversion->raw->measured.items[m]))
            return fail_memory(conversion);
    for (size_t f = 0; f < conversion->functions.count; f++) {
        const struct site_function *its = &conversion->functions.items[f];
        uint32_t record = an_memprof_record(memprof, its->function);
        if (record == MEMPROF_NONE)
            return fail_memory(conversion);
        for (uint32_t at = its->first; at != MEMPROF_NONE; at = conversion->sites.items[at].next)
            if (!an_memprof_site(memprof, record,
                                 conversion->node_of[conversion->sites.items[at].place], NULL, 0))
                return fail_memory(conversion);
    }
    return true;
}

/* ---- the whole ---- */

/* How many call stacks are left. None: the program is without debug information, or nothing of it allocates. */
static bool count_traces(struct conversion *conversion, size_t *left)
{
    const struct memprof_raw *raw = conversion->raw;
    *left = 0;
    for (size_t t = 0; t < raw->traces.count; t++) {
        size_t count = 0;
        for (size_t a = 0; !count && a < raw->traces.items[t].count; a++)
            frames_of(conversion, place_of(conversion, raw->traces.items[t].addresses[a]), &count);
        *left += count != 0;
    }
    if (*left)
        return true;
    an_fail(conversion->error, AN_MISMATCH,
            "raw memory profile, of no call stack of which %s has debug information",
            an_elf_path(conversion->binary->elf));
    an_error_hint(conversion->error, "build it with -g or -gmlt -fdebug-info-for-profiling");
    return false;
}

enum an_code an_memprof_from_raw(struct memprof *memprof, const struct memprof_raw *raw,
                                 struct memprof_binary *binary, bool as_19, size_t *traces,
                                 struct an_error *error)
{
    struct conversion conversion = {
        .memprof = memprof, .raw = raw, .binary = binary, .error = error, .as_19 = as_19};
    memprof->exists = memprof->is_raw = true;
    memprof->measured = MEMPROF_ALL;
    memprof->has_new_ids = !as_19;
    bool done = find_text(&conversion) && locate(&conversion) &&
                count_traces(&conversion, traces) && order_traces(&conversion) &&
                add_frames(&conversion) && add_stacks(&conversion) && insert_stacks(&conversion) &&
                add_records(&conversion);
    free(conversion.trace_order);
    free(conversion.nodes);
    free(conversion.node_of);
    an_vector_free(&conversion.functions);
    an_map_free(&conversion.function_of);
    an_vector_free(&conversion.sites);
    an_map_free(&conversion.known_sites);
    return done ? AN_OK : error->code;
}

/* ---- files ---- */

/* The first segment is of the program; others are of libraries. */
struct memprof_binary *an_memprof_program(const struct memprof_raw *raw,
                                          const struct an_llvm_correlation *correlation,
                                          struct an_error *error)
{
    struct memprof_binary *program = an_correlation_program(correlation, raw);
    if (program)
        return program;
    char id[2 * 32 + 1] = "";
    struct an_bytes its = {NULL, 0};
    if (raw->segments.count)
        its = raw->segments.items[0].build_id;
    for (size_t i = 0; i < its.size; i++)
        snprintf(id + 2 * i, 3, "%02x", its.data[i]);
    an_fail(error, AN_MISMATCH, "raw memory profile, and the program that left it was not named");
    an_error_hint(error, "name it by --profiled-binary; its build-id is %s",
                  its.size ? id : "missing: link it with --build-id");
    return NULL;
}

enum an_code an_memprof_convert(struct memprof *memprof, struct an_bytes file,
                                const struct an_llvm_correlation *correlation, bool as_19,
                                unsigned *version, struct an_error *error)
{
    struct memprof_raw raw = {0};
    struct memprof_binary *program = NULL;
    enum an_code code = an_memprof_raw_read(&raw, file, error);
    if (code == AN_OK) {
        program = an_memprof_program(&raw, correlation, error);
        code = program ? AN_OK : error->code;
    }
    if (program) {
        size_t traces;
        pthread_mutex_lock(&program->lock);
        code = an_memprof_from_raw(memprof, &raw, program, as_19, &traces, error);
        pthread_mutex_unlock(&program->lock);
    }
    *version = raw.version;
    an_memprof_raw_free(&raw);
    return code;
}
