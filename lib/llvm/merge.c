/*
 * Merging files.
 *
 *     inputs ──► shares, one a thread ──► a profile each ──► put together in order
 *
 * Each thread takes a run of neighbouring inputs, so that putting the parts together in order is
 * merging in order. Nearly everything that merging does is a sum and does not care about order;
 * where something did (a site with more values than are kept, a mismatch between two inputs, an
 * overflow, a full trace reservoir), the parts are thrown away and the inputs are merged again one
 * after the other. So the result never depends on the number of threads, and is what
 * llvm-profdata --num-threads=1 makes of the same inputs.
 *
 * An input counts whole or not at all: it is checked to its last byte before the first count of it
 * is added.
 *
 * Where partial results are read or made, nothing is lost on the way, and nothing depends on order (lossless.h). What there is
 * to merge is found out first, then (gather.h).
 */
#include <stdatomic.h>
#include <string.h>

#include "base/file.h"
#include "base/ledger.h"
#include "base/options.h"
#include "base/pool.h"
#include "partial/gather.h"
#include "llvm/correlated.h"
#include "llvm/format.h"
#include "llvm/local_names.h"
#include "llvm/lossless.h"
#include "llvm/memprof_records.h"
#include "llvm/partial.h"
#include "llvm/profile.h"
#include "llvm/raw_merge.h"
#include "llvm/reader.h"

struct job;

/* One thread's share. */
struct share {
    struct job *job;
    size_t first, end; /* of the items */
    struct an_llvm_profile *profile;
    struct raw_merger *merger;
    struct an_file file;
    struct an_error error; /* of the whole, as running out of memory */
};

struct job {
    const struct an_llvm_merge_options *options;
    const struct an_llvm_input *inputs;
    size_t count;
    struct an_gathering how;
    struct merge_items gathered; /* of a lossless merge; otherwise the inputs are the items */
    bool is_lossless;
    atomic_bool has_partials; /* that was not known */
    struct an_ledger *ledger;
    struct an_file *kept; /* inputs that can be read only once, when they were loaded */
    bool silent;
    struct share *shares;
    size_t share_number;
    size_t *trace_places; /* of several shares: where each input's trace goes in the end */
    atomic_size_t done;
    atomic_bool in_vain; /* the order turned out to matter: the shares will be thrown away */
};

static size_t items_of(const struct job *job)
{
    return job->is_lossless ? job->gathered.count : job->count;
}

/* ---- one input ---- */

static const char *instrumentation(unsigned variants)
{
    return variants & AN_LLVM_IR ? "IR (-fprofile-generate)"
                                 : "front-end (-fprofile-instr-generate)";
}

static const char *what_is_counted(unsigned variants)
{
    return variants & AN_LLVM_BYTE_COVERAGE ? "single-byte coverage" : "counts";
}

static const char *with_or_without(unsigned variants)
{
    return variants & AN_LLVM_LOOP_ENTRIES ? "with" : "without";
}

static enum an_code other_kind(const struct an_llvm_profile *profile, unsigned variants,
                               struct an_error *error)
{
    unsigned differences = profile->variants ^ variants, both = profile->variants | variants;
    if (differences & AN_LLVM_IR)
        an_fail(error, AN_MISMATCH, "%s profile, but the inputs before it are %s profiles",
                instrumentation(variants), instrumentation(profile->variants));
    else if (both & AN_LLVM_ENTRY_ONLY && both & AN_LLVM_ENTRY_FIRST)
        an_fail(error, AN_MISMATCH,
                "profiles of function entries cannot be merged with profiles of all blocks");
    else if (differences & AN_LLVM_BYTE_COVERAGE)
        an_fail(error, AN_MISMATCH, "profile of %s, but the inputs before it have %s",
                what_is_counted(variants), what_is_counted(profile->variants));
    else
        an_fail(error, AN_MISMATCH,
                "profile %s -pgo-instrument-loop-entries, but the inputs before it are %s it",
                with_or_without(variants), with_or_without(profile->variants));
    return an_error_hint(error, "merge each kind separately");
}

static enum an_code other_accesses(struct an_error *error)
{
    an_fail(error, AN_MISMATCH,
            "memory profile with data accesses that are not those of the inputs before it");
    return an_error_hint(error, "how these add up is not known; leave one of the profiles out");
}

static void enter(struct an_ledger_entry *entry, const struct an_llvm_info *info,
                  bool leaves_memprof_out)
{
    entry->format = an_llvm_format_name(info->format);
    entry->version = info->version;
    entry->variants = info->variants;
    entry->functions = info->functions;
    entry->unnamed = info->unnamed;
    entry->total_count = info->total_count;
    entry->memprof_bytes = leaves_memprof_out ? info->memprof_bytes : 0;
}

/* The newest version that the compiler reads which made the input; 0: that is not known. Older ones read 12, too, where that
 * does as well (see write.c). */
static unsigned version_read(const struct an_llvm_info *info)
{
    if (info->format == AN_LLVM_TEXT)
        return 0;
    unsigned version = info->version;
    if (info->format == AN_LLVM_RAW)
        version = version > 10 ? INDEXED_PACKED : 0;
    return version > AN_LLVM_DEFAULT_VERSION ? version : AN_LLVM_DEFAULT_VERSION;
}

static bool keep_vtable_name(void *context, const char *name, size_t length)
{
    return an_profile_add_vtable_name(context, name, length);
}

static bool add_all(struct an_llvm_reader *reader, const struct merge_sink *sink, uint64_t weight)
{
    struct an_llvm_record record;
    uint64_t name_hash;
    bool sure = reader->info.format == AN_LLVM_RAW; /* found by its hash */
    while (an_reader_next(reader, &record, &name_hash)) {
        unsigned warnings = 0;
        size_t function =
            an_sink_function(sink, record.name, record.name_length, name_hash, sure && name_hash);
        if (function == AN_NO_NAME ||
            !an_profile_add(sink->profile, function, &record, weight, &warnings))
            return false;
        an_sink_warn(sink, record.name, record.name_length, warnings);
    }
    return !reader->failed;
}

/* A memory profile that no other profile is with says nothing of how functions are counted. */
static bool is_memprof_alone(const struct an_llvm_info *info)
{
    return info->variants & AN_LLVM_MEMPROF && info->functions == 0;
}

static enum an_code merge_by_reader(const struct merge_sink *sink, struct an_bytes file,
                                    uint64_t weight, struct an_llvm_info *info,
                                    struct an_error *error)
{
    struct an_llvm_reader *reader;
    enum an_code code = an_llvm_reader_open(&reader, file.data, file.size, error);
    if (code != AN_OK)
        return code;
    *info = reader->info;
    struct an_llvm_profile *profile = sink->profile;
    if (!is_memprof_alone(info) &&
        !an_profile_merge_kind(profile, info->variants & ~(unsigned)AN_LLVM_MEMPROF)) {
        code = other_kind(profile, info->variants, error);
    } else if (!an_memprof_fits(&profile->memprof, &reader->memprof)) {
        code = other_accesses(error);
    } else {
        bool done = add_all(reader, sink, weight);
        if (done && !profile->lossless.is_on)
            done = an_memprof_merge(&profile->memprof, &reader->memprof);
        for (size_t i = 0; done && i < info->binary_id_count; i++)
            done = an_profile_add_binary_id(profile, info->binary_ids[i].bytes,
                                            info->binary_ids[i].size);
        if (done && (sink->options->keep_vtable_names || profile->lossless.is_on))
            done = an_reader_vtable_names(reader, keep_vtable_name, profile);
        if (done && info->trace_count)
            done = an_profile_add_traces(profile, info->traces, info->trace_count,
                                         info->trace_stream_size,
                                         info->format == AN_LLVM_RAW ? weight : 0);
        if (!done)
            code = an_fail_memory(error);
    }
    an_llvm_reader_close(reader);
    return code;
}

/* Its measurements do not depend on how functions are counted, so they go with any profile. */
static enum an_code merge_memory(const struct merge_sink *sink, struct an_bytes file,
                                 struct an_ledger_entry *entry, struct an_error *error)
{
    struct memprof memprof = {0};
    struct an_llvm_profile *profile = sink->profile;
    bool as_19 = sink->options->memory_release && sink->options->memory_release <= 19;
    bool is_left_out = profile->lossless.is_on;
    unsigned version = 0;
    enum an_code code =
        an_memprof_convert(&memprof, file, sink->options->correlation, as_19, &version, error);
    if (code == AN_OK && !is_left_out && !an_memprof_merge(&profile->memprof, &memprof))
        code = an_fail_memory(error);
    an_memprof_free(&memprof);
    if (code == AN_OK) {
        entry->format = an_llvm_format_name(AN_LLVM_RAW_MEMORY);
        entry->version = version;
        entry->variants = AN_LLVM_MEMPROF;
        entry->memprof_bytes = is_left_out ? file.size : 0;
    }
    return code;
}

static enum an_code merge_complete(struct share *share, const struct merge_sink *sink,
                                   struct an_bytes file, uint64_t weight,
                                   struct an_ledger_entry *entry, struct an_error *error)
{
    struct an_llvm_info info = {0};
    bool done = false;
    enum an_code code = AN_OK;
    if (an_raw_recognise(file) && !sink->options->keep_vtable_names)
        code = an_raw_merge(share->merger, sink, file, weight, &info, &done, error);
    if (code == AN_MISMATCH)
        other_kind(sink->profile, info.variants, error);
    if (code == AN_OK && !done)
        code = merge_by_reader(sink, file, weight, &info, error);
    if (code == AN_OK) {
        enter(entry, &info, sink->profile->lossless.is_on);
        an_profile_note_version(sink->profile, version_read(&info));
    }
    return code;
}

/* What a merge takes of a file is copied, so what completes a profile is needed no longer. */
static enum an_code merge_bytes(struct share *share, const struct merge_sink *sink,
                                struct an_bytes file, uint64_t weight,
                                struct an_ledger_entry *entry, struct an_error *error)
{
    struct an_buffer complete = {0};
    bool is_needed = false;
    enum an_code code = AN_OK;
    if (an_memprof_raw_recognise(file))
        return merge_memory(sink, file, entry, error);
    if (sink->options->correlation && an_raw_recognise(file))
        code = an_llvm_correlate(sink->options->correlation, file, &complete, &is_needed, error);
    if (is_needed)
        file = (struct an_bytes){complete.data, complete.size};
    if (code == AN_OK)
        code = merge_complete(share, sink, file, weight, entry, error);
    an_buffer_free(&complete);
    return code;
}

static enum an_code merge_partial(const struct merge_sink *sink, const struct merge_item *item,
                                  struct an_bytes file, struct an_error *error)
{
    struct an_buffer content = {0};
    unsigned variants;
    enum an_code code = an_gather_content(item, file, &content, error);
    if (code == AN_OK) {
        struct an_bytes bytes = {content.data, content.size};
        code = an_llvm_partial_merge(sink, bytes, item->ledger, item->at, &variants, error);
        if (code == AN_MISMATCH)
            other_kind(sink->profile, variants, error);
    }
    an_buffer_free(&content);
    return code;
}

/* An item of a lossless merge, which is the input that it was when it was looked at. */
static enum an_code merge_gathered(struct share *share, const struct merge_sink *sink,
                                   const struct merge_item *item, struct an_bytes bytes,
                                   struct an_ledger_entry *entry, struct an_error *error)
{
    if (item->is_partial)
        return merge_partial(sink, item, bytes, error);
    const char *path = share->job->inputs[item->input].path;
    enum an_code code = an_gather_verify(&share->job->how, item, path, bytes, error);
    if (code != AN_OK)
        return code;
    if (!an_lossless_begin(&share->profile->lossless, &item->digest))
        return an_fail_memory(error);
    code = merge_bytes(share, sink, bytes, entry->weight, entry, error);
    return share->profile->lossless.failed ? an_fail_memory(error) : code;
}

/* False when the whole merge has to stop. */
static bool merge_item(struct share *share, size_t i)
{
    struct job *job = share->job;
    struct merge_item *item = job->is_lossless ? &job->gathered.items[i] : NULL;
    size_t number = item ? item->input : i;
    const struct an_llvm_input *input = &job->inputs[number];
    struct an_ledger_entry *entry = &job->ledger->entries[number];
    struct merge_sink sink = {share->profile, job->options, input->path, job->silent};
    share->profile->foreseen = job->trace_places ? &job->trace_places[i] : NULL;
    struct an_error error;
    struct an_bytes bytes;
    enum an_code code =
        an_gather_load(input->path, &share->file, &job->kept[number], entry, &bytes, &error);
    if (code == AN_OK) {
        entry->bytes = bytes.size;
        if (bytes.size == 0) {
            entry->status = AN_INPUT_EMPTY;
            return true;
        }
        if (item) {
            code = merge_gathered(share, &sink, item, bytes, entry, &error);
            item->is_merged = code == AN_OK;
        } else if (an_partial_recognise(bytes.data, bytes.size, NULL)) {
            job->has_partials = job->in_vain = true;
            return false;
        } else {
            code = merge_bytes(share, &sink, bytes, input->weight, entry, &error);
        }
        if (code == AN_UNKNOWN && !error.hint[0])
            an_error_hint(&error, "profiles of different kinds cannot be merged into one");
    }
    if (code == AN_NO_MEMORY) {
        share->error = error;
        return false;
    }
    an_ledger_conclude(entry, input->path, code, &error);
    return true;
}

/* ---- shares ---- */

static void work(void *context, size_t index)
{
    struct job *job = context;
    struct share *share = &job->shares[index];
    for (size_t i = share->first; i < share->end; i++) {
        if (job->in_vain || !merge_item(share, i))
            return;
        if (job->share_number > 1 && !job->is_lossless && share->profile->order_matters)
            job->in_vain = true;
        size_t done = atomic_fetch_add(&job->done, 1) + 1;
        if (index == 0 && job->options->progress) /* one share speaks for all */
            job->options->progress(job->options->context, done, items_of(job));
    }
}

static void free_shares(struct job *job)
{
    for (size_t i = 0; i < job->share_number; i++) {
        an_llvm_profile_free(job->shares[i].profile);
        an_raw_merger_free(job->shares[i].merger);
        an_file_close(&job->shares[i].file);
    }
    free(job->shares);
    free(job->trace_places);
    job->shares = NULL;
    job->trace_places = NULL;
    job->share_number = 0;
}

/*
 * Which traces a reservoir keeps depends on how many came before, which a share cannot know of those in front of
 * it. But nearly always each input has one trace, and then all of it is known beforehand. If it turns out
 * otherwise, the inputs are merged again one after the other.
 */
static enum an_code foresee_traces(struct job *job, struct an_error *error)
{
    job->trace_places = an_alloc(job->count, sizeof *job->trace_places);
    const struct an_llvm_profile *first = job->shares[0].profile;
    size_t room = first->trace_reservoir < job->count ? (size_t)first->trace_reservoir : job->count;
    if (!job->trace_places || !an_profile_foresee_traces(first, job->trace_places, job->count))
        return an_fail_memory(error);
    for (size_t i = 0; i < job->share_number; i++) {
        struct an_llvm_profile *profile = job->shares[i].profile;
        if (!an_vector_reserve(&profile->traces, room))
            return an_fail_memory(error);
        if (room)
            memset(profile->traces.items, 0, room * sizeof *profile->traces.items);
        profile->traces.count = room;
    }
    return AN_OK;
}

/* Whether all inputs had one trace, or none had any: then the whole has its reservoir. */
static bool as_foreseen(struct job *job)
{
    struct an_llvm_profile *whole = job->shares[0].profile;
    size_t traced = 0;
    for (size_t i = 0; i < job->share_number; i++)
        traced += job->shares[i].profile->traced;
    whole->foreseen = NULL;
    whole->trace_stream_size = traced;
    if (!traced)
        whole->traces.count = 0;
    return !traced || traced == job->count;
}

/* Options say 0 for the usual number. */
static void limit(uint64_t *number, uint64_t option)
{
    if (option)
        *number = option == AN_LLVM_NONE ? 0 : option;
}

static enum an_code make_shares(struct job *job, size_t number, struct an_error *error)
{
    job->shares = an_alloc_zero(number, sizeof *job->shares);
    if (!job->shares)
        return an_fail_memory(error);
    job->share_number = number;
    size_t count = items_of(job);
    for (size_t i = 0; i < number; i++) {
        struct share *share = &job->shares[i];
        share->job = job;
        share->first = count / number * i + (i < count % number ? i : count % number);
        share->end = share->first + count / number + (i < count % number);
        share->profile = an_llvm_profile_new();
        share->merger = an_raw_merger_new();
        if (!share->profile || !share->merger)
            return an_fail_memory(error);
        share->profile->lossless.is_on = job->is_lossless;
        limit(&share->profile->trace_reservoir, job->options->trace_reservoir);
        limit(&share->profile->trace_length, job->options->trace_length);
        share->profile->trace_rule = job->options->trace_rule;
        if (job->options->trace_seed)
            an_random_start(&share->profile->random, job->options->trace_seed);
    }
    return number > 1 && !job->is_lossless ? foresee_traces(job, error) : AN_OK;
}

/* Starts the ledger anew, for a second round. */
static void forget(struct job *job)
{
    if (job->is_lossless)
        an_gather_forget(&job->gathered, job->ledger);
    for (size_t i = 0; !job->is_lossless && i < job->count; i++)
        an_gather_forget_entry(&job->ledger->entries[i]);
}

/* Merges everything in `number` shares; *in_order is false when they must not be put together. */
static enum an_code round_of(struct job *job, size_t number, bool *in_order, struct an_error *error)
{
    enum an_code code = make_shares(job, number, error);
    if (code != AN_OK)
        return code;
    job->silent = number > 1;
    job->done = 0;
    job->in_vain = false;
    an_pool_run((unsigned)number, number, work, job);
    *in_order = !job->has_partials || job->is_lossless;
    if (!*in_order)
        return AN_OK;
    struct an_llvm_profile *whole = job->shares[0].profile;
    for (size_t i = 0; i < number; i++) {
        struct share *share = &job->shares[i];
        if (share->error.code != AN_OK) {
            *error = share->error;
            return error->code;
        }
        if (number > 1 && share->profile->order_matters)
            *in_order = false;
    }
    *in_order = *in_order || job->is_lossless;
    for (size_t i = 1; i < number && *in_order; i++) {
        struct an_llvm_profile *part = job->shares[i].profile;
        an_profile_settle(part); /* where it has the only record of a function, its order counts */
        if (!an_memprof_fits(&whole->memprof, &part->memprof) ||
            (part->has_kind && !an_profile_merge_kind(whole, part->variants)))
            *in_order = false; /* once more, in one share: it will say which input does not fit */
        else if (!an_profile_merge(whole, part))
            return an_fail_memory(error);
        if (whole->order_matters && !job->is_lossless)
            *in_order = false;
        if (whole->lossless.failed)
            return an_fail_memory(error);
    }
    if (number > 1 && !job->is_lossless && !as_foreseen(job))
        *in_order = false;
    return AN_OK;
}

/*
 * How many inputs are worth another thread. What a thread makes of them is put together with the rest name by name. For
 * profiles that are not raw, this is the very work that the thread was to take over. Raw ones are mostly of one layout, and
 * making a plan of it takes as long as adding a hundred profiles of it, which each thread does for itself, with memory for all
 * functions (measured with 3,000 and with 200,000 of them).
 */
enum { INPUTS_PER_THREAD = 64 };

/* Weighted values depend on the order of inputs. */
static size_t shares_wanted(const struct job *job)
{
    size_t count = items_of(job);
    for (size_t i = 0; !job->is_lossless && i < count; i++)
        if (job->inputs[i].weight != 1)
            return 1;
    size_t number = job->options->threads ? job->options->threads : an_pool_processors();
    if (number > 1 && count > 1) {
        size_t useful = (count + INPUTS_PER_THREAD - 1) / INPUTS_PER_THREAD;
        number = number < useful ? number : useful;
    }
    return number && count > 1 ? number : 1;
}

static enum an_code merge_all(struct job *job, struct an_error *error)
{
    size_t number = shares_wanted(job);
    bool in_order;
    enum an_code code = round_of(job, number, &in_order, error);
    if (code == AN_OK && !job->has_partials && !in_order) {
        free_shares(job);
        forget(job);
        code = round_of(job, 1, &in_order, error);
    }
    return code;
}

/* The same without loss, for partial results. */
static enum an_code merge_gathering(struct job *job, struct an_error *error)
{
    free_shares(job);
    forget(job);
    job->is_lossless = true;
    job->how = (struct an_gathering){.family = AN_PARTIAL_LLVM,
                                     .threads = job->options->threads,
                                     .count_copies = job->options->count_copies};
    enum an_code code = an_gather(&job->how, job->ledger, job->kept, &job->gathered, error);
    if (code == AN_OK)
        code = merge_all(job, error);
    if (code == AN_OK)
        code = an_gather_account(&job->gathered, job->ledger, error);
    if (code != AN_OK || job->options->partial)
        return code;
    struct an_llvm_profile *profile = job->shares[0].profile;
    struct merge_sink sink = {profile, job->options, "the inputs", false};
    if (!an_lossless_resolve(profile, &sink))
        return an_fail_memory(error);
    if (!job->options->keep_vtable_names)
        an_names_free(&profile->vtable_names);
    return AN_OK;
}

/* Runs of programs that compilers of different releases made add up. */
static enum an_code join_local_names(struct job *job, struct an_error *error)
{
    struct an_llvm_profile *profile = job->shares[0].profile;
    struct merge_sink sink = {profile, job->options, "the inputs", false};
    return an_local_names_join(profile, &profile->names, &sink) ? AN_OK : an_fail_memory(error);
}

enum an_code an_llvm_merge(const struct an_llvm_merge_options *options,
                           const struct an_llvm_input *inputs, size_t count,
                           struct an_llvm_profile **profile, struct an_ledger **ledger,
                           struct an_error *error)
{
    struct an_llvm_merge_options full;
    struct job job = {.options = &full, .inputs = inputs, .count = count};
    *profile = NULL;
    *ledger = NULL;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    *ledger = job.ledger = an_ledger_new(count);
    job.kept = an_alloc_zero(count, sizeof *job.kept);
    if (!job.ledger || !job.kept) {
        free(job.kept);
        return an_fail_memory(error);
    }
    for (size_t i = 0; code == AN_OK && i < count; i++)
        if (!an_ledger_name(job.ledger, i, inputs[i].path, inputs[i].weight))
            code = an_fail_memory(error);
        else if (inputs[i].weight == 0)
            code = an_fail(error, AN_USAGE, "the weight of an input must be at least 1");
    if (code == AN_OK && !full.partial)
        code = merge_all(&job, error);
    if (code == AN_OK && (full.partial || job.has_partials))
        code = merge_gathering(&job, error);
    if (code == AN_OK)
        code = an_ledger_close(job.ledger, error);
    if (code == AN_OK)
        code = an_ledger_judge(job.ledger, job.options->failure_mode, error);
    if (code == AN_OK && !full.partial && !full.keep_local_names)
        code = join_local_names(&job, error);
    if (code == AN_OK) {
        *profile = job.shares[0].profile;
        job.shares[0].profile = NULL;
    }
    free_shares(&job);
    an_gather_free(&job.gathered);
    for (size_t i = 0; i < count; i++)
        an_file_close(&job.kept[i]);
    free(job.kept);
    return code;
}
