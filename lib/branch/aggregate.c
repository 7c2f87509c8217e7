/*
 * Aggregation: recording -> mappings and counts -> control flow of what was hit -> records. The
 * interface is anneal/branch.h; each step is a file of its own.
 */
#include <anneal/branch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/options.h"
#include "base/pool.h"
#include "branch/recorded.h"
#include "branch/resolve.h"
#include "branch/sampling.h"
#include "branch/usable.h"
#include "elf/instructions.h"
#include "perf/preaggregated.h"

struct an_aggregate {
    struct an_elf *elf;
    struct an_functions functions;
    struct an_bat *bat;
    struct an_recorded recorded;
    struct an_sampling sampling;
    struct an_counted counted;
    struct an_flow *flow;
    struct an_records records;
    struct an_aggregate_options options;
    struct an_aggregate_counts counts;
    struct an_buffer events;  /* names of what was sampled */
    struct an_error unusable; /* why nothing can be written, if so */
};

void an_aggregate_free(struct an_aggregate *aggregate)
{
    if (!aggregate)
        return;
    an_records_free(&aggregate->records);
    an_flow_free(aggregate->flow);
    an_counted_free(&aggregate->counted);
    an_sampling_free(&aggregate->sampling);
    an_recorded_close(&aggregate->recorded);
    an_bat_free(aggregate->bat);
    an_functions_free(&aggregate->functions);
    an_elf_close(aggregate->elf);
    an_buffer_free(&aggregate->events);
    free(aggregate);
}

const struct an_aggregate_counts *an_aggregate_counts(const struct an_aggregate *aggregate)
{
    return &aggregate->counts;
}

static enum an_code open_binary(struct an_aggregate *aggregate, const char *path,
                                struct an_error *error)
{
    enum an_code code = an_elf_open(path, &aggregate->elf, error);
    if (code != AN_OK)
        return code;
    const struct an_arch *arch;
    code = an_elf_arch(aggregate->elf, &arch, error);
    if (code != AN_OK)
        return code;
    size_t count;
    const struct an_elf_segment *segments = an_elf_segments(aggregate->elf, &count);
    aggregate->counted.base = count ? UINT64_MAX : 0;
    for (size_t i = 0; i < count; i++)
        if (segments[i].address < aggregate->counted.base)
            aggregate->counted.base = segments[i].address;
    return code;
}

static enum an_code know_binary(struct an_aggregate *aggregate, struct an_error *error)
{
    enum an_code code = an_functions_find(aggregate->elf, &aggregate->functions, error);
    if (code != AN_OK || !an_elf_section(aggregate->elf, AN_BAT_SECTION))
        return code;
    aggregate->counts.bolted = true;
    return an_bat_open(aggregate->elf, &aggregate->bat, error);
}

/* --- what was sampled --- */

static void name_events(struct an_aggregate *aggregate)
{
    const struct an_samples_info *info = an_samples_info(aggregate->recorded.samples);
    for (size_t i = 0; i < info->event_count && i < 64; i++)
        if (aggregate->sampling.events_seen >> i & 1)
            an_buffer_print(&aggregate->events, "%s%s:", aggregate->events.size ? " " : "",
                            info->events[i].name ? info->events[i].name : "unknown");
    if (aggregate->events.size)
        an_buffer_put(&aggregate->events, "", 1); /* the end of a string */
}

static enum an_code open_recording(struct an_aggregate *aggregate, const char *recording,
                                   struct an_error *error)
{
    struct an_recorded_options options = {
        .pid = aggregate->options.pid,
        .ignore_build_id = aggregate->options.ignore_build_id,
        .allow_truncated = aggregate->options.allow_truncated,
        .any_entries = aggregate->options.no_branches,
    };
    enum an_code code =
        an_recorded_open(&aggregate->recorded, recording, aggregate->elf, &options, error);
    aggregate->counts.build_id = aggregate->recorded.build_id;
    aggregate->counts.processes = an_mappings_wanted(&aggregate->recorded.mappings);
    aggregate->counts.available = aggregate->recorded.mappings.processes.count;
    return code;
}

/* What the binary's functions are, and which processes ran it, do not depend on each other. */
struct preparation {
    struct an_aggregate *aggregate;
    const char *recording;
    enum an_code codes[2];
    struct an_error errors[2];
};

static void prepare(void *context, size_t part)
{
    struct preparation *preparation = context;
    struct an_error *error = &preparation->errors[part];
    preparation->codes[part] =
        part == 0 ? know_binary(preparation->aggregate, error)
                  : open_recording(preparation->aggregate, preparation->recording, error);
}

static enum an_code read_recording(struct an_aggregate *aggregate, const char *recording,
                                   struct an_error *error)
{
    struct preparation preparation = {.aggregate = aggregate, .recording = recording};
    an_pool_run(an_samples_threads(aggregate->options.threads), 2, prepare, &preparation);
    enum an_code code = AN_OK;
    for (int part = 0; part < 2 && code == AN_OK; part++) {
        code = preparation.codes[part];
        if (code != AN_OK)
            *error = preparation.errors[part];
    }
    uint64_t longest = 0;
    bool branches = !aggregate->options.no_branches;
    if (code == AN_OK && aggregate->bat && branches)
        code = an_sampling_longest(aggregate->recorded.samples, aggregate->options.threads,
                                   &longest, error);
    aggregate->counts.skylake = longest == 32;
    struct an_sampling_options options = {
        .threads = aggregate->options.threads,
        .no_branches = aggregate->options.no_branches,
        .use_event_pc = aggregate->options.use_event_pc,
        .keep_interrupts = aggregate->options.keep_interrupts,
        .skip_two_newest = aggregate->counts.skylake,
        .progress = aggregate->options.progress,
        .context = aggregate->options.context,
    };
    if (code == AN_OK)
        code =
            an_sampling_read(&aggregate->sampling, &aggregate->counted, aggregate->recorded.samples,
                             &aggregate->recorded.mappings, &options, error);
    if (code != AN_OK)
        return code;
    const struct an_samples_counts *seen = an_samples_counts(aggregate->recorded.samples);
    struct an_aggregate_counts *counts = &aggregate->counts;
    counts->cut = seen->cut;
    counts->cut_at = seen->cut_at;
    counts->samples = aggregate->sampling.counts.samples;
    counts->matching = aggregate->sampling.counts.matching;
    counts->without_branches = aggregate->sampling.counts.without_branches;
    counts->branches = aggregate->sampling.counts.branches;
    counts->runs = aggregate->sampling.counts.runs;
    counts->homeless = seen->homeless;
    name_events(aggregate);
    return aggregate->events.failed ? an_fail_memory(error) : AN_OK;
}

/* --- from addresses to places --- */

static void mark(struct an_aggregate *aggregate, bool *hit, uint32_t address)
{
    size_t function = an_functions_containing(&aggregate->functions,
                                              an_counted_absolute(&aggregate->counted, address));
    if (function != AN_NO_FUNCTION && !hit[function]) {
        hit[function] = true;
        aggregate->counts.functions++;
    }
}

static bool *mark_hits(struct an_aggregate *aggregate)
{
    const struct an_counted *counted = &aggregate->counted;
    const struct an_tally *tally = &counted->tally;
    bool *hit = an_alloc_zero(aggregate->functions.count + 1, sizeof *hit);
    for (size_t i = 0; hit && tally->slots && i <= tally->mask; i++)
        if (tally->slots[i].occupied) {
            mark(aggregate, hit, tally->slots[i].from);
            mark(aggregate, hit, tally->slots[i].to);
        }
    for (size_t i = 0; hit && i < counted->runs.count; i++) {
        mark(aggregate, hit, counted->runs.items[i].start);
        mark(aggregate, hit, counted->runs.items[i].end);
    }
    return hit;
}

static bool resolve_slot(struct an_aggregate *aggregate, struct an_resolver *resolver,
                         const struct an_tally_slot *slot)
{
    const struct an_counted *counted = &aggregate->counted;
    uint64_t from = an_counted_absolute(counted, slot->from);
    uint64_t to = an_counted_absolute(counted, slot->to);
    if (counted->places) {
        bool known;
        bool done = an_resolve_place(resolver, from, slot->count, &known);
        aggregate->counts.unknown_samples += known ? 0 : slot->count;
        return done;
    }
    if (!an_resolve_branch(resolver, counted, slot))
        return false;
    return slot->next == AN_TALLY_NOWHERE ||
           an_resolve_run(resolver, from, to, an_counted_absolute(counted, slot->next),
                          slot->count);
}

static bool resolve_counted(struct an_aggregate *aggregate, struct an_resolver *resolver)
{
    const struct an_counted *counted = &aggregate->counted;
    const struct an_tally *tally = &counted->tally;
    for (size_t i = 0; tally->slots && i <= tally->mask; i++)
        if (tally->slots[i].occupied && !resolve_slot(aggregate, resolver, &tally->slots[i]))
            return false;
    for (size_t i = 0; i < counted->runs.count; i++) {
        const struct an_counted_run *run = &counted->runs.items[i];
        uint64_t start = an_counted_absolute(counted, run->start);
        uint64_t end = an_counted_absolute(counted, run->end);
        if (!an_resolve_run(resolver, run->from_outside ? 0 : start, start, end, run->count))
            return false;
    }
    return true;
}

static bool resolve_loads(struct an_aggregate *aggregate)
{
    for (size_t i = 0; i < aggregate->sampling.memory.count; i++) {
        const struct an_memory_sample *load = &aggregate->sampling.memory.items[i];
        size_t function = an_functions_containing(&aggregate->functions, load->pc);
        const struct an_object *object =
            function == AN_NO_FUNCTION ? NULL
                                       : an_functions_object(&aggregate->functions, load->address);
        if (!object) /* of the stack or the heap: nothing that could be laid out better */
            continue;
        struct an_memory_record *record = an_vector_push(&aggregate->records.memory);
        if (!record)
            return false;
        uint64_t offset = load->pc - aggregate->functions.items[function].address;
        *record = (struct an_memory_record){an_place_make(function, offset), object->name,
                                            load->address - object->address, 1};
    }
    return true;
}

static enum an_code resolve(struct an_aggregate *aggregate, struct an_error *error)
{
    bool *hit = mark_hits(aggregate);
    if (!hit)
        return an_fail_memory(error);
    bool decode = !aggregate->bat && !aggregate->counted.places;
    if (!decode)
        memset(hit, 0, aggregate->functions.count);
    enum an_code code =
        an_flow_build(aggregate->elf, &aggregate->functions, hit,
                      an_samples_threads(aggregate->options.threads), &aggregate->flow, error);
    free(hit);
    if (code != AN_OK)
        return code;
    struct an_resolver resolver = {.functions = &aggregate->functions,
                                   .flow = aggregate->flow,
                                   .bat = aggregate->bat,
                                   .records = &aggregate->records};
    if (aggregate->bat)
        resolver.bat_runs = an_bat_runs_new(aggregate->bat);
    bool done = (!aggregate->bat || resolver.bat_runs) && resolve_counted(aggregate, &resolver) &&
                an_resolve_finish(&resolver) && resolve_loads(aggregate);
    an_bat_runs_free(resolver.bat_runs);
    aggregate->counts.mismatching = resolver.mismatching;
    aggregate->counts.out_of_range = resolver.out_of_range;
    aggregate->counts.untraceable = resolver.untraceable;
    aggregate->counts.in_plt = resolver.in_plt;
    aggregate->counts.cold = resolver.cold;
    aggregate->counts.records = aggregate->records.branches.count;
    aggregate->counts.memory_records = aggregate->records.memory.count;
    return done ? AN_OK : an_fail_memory(error);
}

static enum an_code read_counts(struct an_aggregate *aggregate, const char *path,
                                struct an_error *error)
{
    enum an_code code = know_binary(aggregate, error);
    if (code == AN_OK)
        aggregate->counted.keeps_outside = aggregate->options.keep_outside;
    if (code == AN_OK)
        code = an_counted_read(&aggregate->counted, path, aggregate->elf, error);
    if (code == AN_OK && aggregate->options.no_branches && aggregate->counted.entries &&
        !aggregate->counted.places) {
        an_fail(error, AN_MISMATCH, "it has branches, not sampled addresses");
        an_error_in(error, path);
        code = an_error_hint(error, "leave out --nl");
    }
    aggregate->counts.counted = true;
    aggregate->counts.samples = aggregate->counted.entries;
    aggregate->counts.matching = aggregate->counted.entries - aggregate->counted.foreign;
    aggregate->counts.branches = aggregate->counted.branch_sum;
    aggregate->counts.runs = aggregate->counted.run_sum;
    if (code == AN_OK && aggregate->counted.events.size) {
        aggregate->events = aggregate->counted.events; /* taken over */
        aggregate->counted.events = (struct an_buffer){0};
        an_buffer_put(&aggregate->events, "", 1);
        code = aggregate->events.failed ? an_fail_memory(error) : AN_OK;
    }
    return code;
}

/* Once all is known: what to say in place of an empty profile. */
static void explain(struct an_aggregate *aggregate, const char *recording, const char *binary)
{
    const struct an_aggregate_counts *counts = &aggregate->counts;
    const struct an_usable seen = {
        .recording = recording,
        .binary = binary,
        .info = counts->counted ? NULL : an_samples_info(aggregate->recorded.samples),
        .pid = aggregate->options.pid,
        .places = aggregate->counted.places,
        .could_be_places = true,
        .samples = counts->samples,
        .matching = counts->matching,
        .homeless = counts->homeless,
        .without_branches = counts->without_branches,
        .branches = counts->branches,
    };
    an_usable_refuse(&seen, &aggregate->unusable);
}

enum an_code an_aggregate_run(const struct an_aggregate_options *options, const char *recording,
                              const char *binary, struct an_aggregate **out, struct an_error *error)
{
    struct an_aggregate_options full;
    *out = NULL;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    struct an_aggregate *aggregate = an_alloc_zero(1, sizeof *aggregate);
    if (!aggregate)
        return an_fail_memory(error);
    aggregate->options = full;
    code = open_binary(aggregate, binary, error);
    if (code == AN_OK && full.for_fdata)
        code = an_usable_check_names(aggregate->elf, error);
    bool counted = full.input == AN_AGGREGATE_COUNTS ||
                   (full.input == AN_AGGREGATE_DETECT && an_counted_recognise(recording));
    if (code == AN_OK)
        code = counted ? read_counts(aggregate, recording, error)
                       : read_recording(aggregate, recording, error);
    if (code == AN_OK)
        code = resolve(aggregate, error);
    if (code != AN_OK) {
        an_aggregate_free(aggregate);
        return code;
    }
    explain(aggregate, recording, binary);
    *out = aggregate;
    return AN_OK;
}

/* --- writing --- */

static const char *plain_name(const struct an_function *function)
{
    return function->name;
}

/* Of a binary that BOLT made, the name with the source file is preferred: it is the one that the
 * input's function has, whatever became of the numbers. */
static const char *lasting_name(const struct an_function *function)
{
    return function->file_name ? function->file_name : function->name;
}

static bool in_same_function(void *context, uint64_t one, uint64_t other)
{
    size_t function = an_functions_with_code(context, one);
    return function != AN_NO_FUNCTION && function == an_functions_with_code(context, other);
}

/* The names that the header of fdata has, a line for each. */
static void put_events(const struct an_aggregate *aggregate, struct an_buffer *buffer)
{
    const char *at = aggregate->events.size ? (const char *)aggregate->events.data : "";
    while (aggregate->counted.places && *at) {
        size_t length = strcspn(at, " ");
        struct an_preaggregated_entry entry = {
            .kind = AN_PREAGGREGATED_EVENT, .event = at, .event_length = length};
        if (length)
            an_preaggregated_write(buffer, &entry);
        at += length + strspn(at + length, " ");
    }
}

/* Addresses and counts; nothing when there are none. */
static void put_counts(const struct an_aggregate *aggregate, struct an_buffer *buffer)
{
    put_events(aggregate, buffer);
    size_t before = buffer->size;
    if (!an_counted_write(&aggregate->counted, buffer, in_same_function,
                          (void *)&aggregate->functions))
        buffer->failed = true;
    if (buffer->size == before)
        buffer->size = 0;
}

enum an_code an_aggregate_write(const struct an_aggregate *aggregate,
                                enum an_aggregate_output output, void **bytes, size_t *size,
                                struct an_error *error)
{
    bool has_records = aggregate->counts.records || aggregate->counts.memory_records;
    if (output == AN_AGGREGATE_FDATA && an_usable_check_names(aggregate->elf, error) != AN_OK)
        return error->code;
    if (output == AN_AGGREGATE_FDATA && !has_records) {
        *error = aggregate->unusable;
        return error->code;
    }
    struct an_buffer buffer = {0};
    struct an_records_format format = {
        .bolted = aggregate->bat != NULL,
        .no_branches = aggregate->counted.places,
        .events = aggregate->events.size ? (const char *)aggregate->events.data : "",
        .name = aggregate->bat ? lasting_name : plain_name,
        .counted = &aggregate->counted,
    };
    if (output == AN_AGGREGATE_FDATA)
        an_records_write(&aggregate->records, &aggregate->functions, &format, &buffer);
    else
        put_counts(aggregate, &buffer);
    if (buffer.failed) {
        an_buffer_free(&buffer);
        return an_fail_memory(error);
    }
    if (!buffer.size) {
        an_buffer_free(&buffer);
        *error = aggregate->unusable;
        return error->code;
    }
    *bytes = buffer.data;
    *size = buffer.size;
    return AN_OK;
}
