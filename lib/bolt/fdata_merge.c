/*
 * Merging fdata files.
 *
 *     inputs ──► threads, each with a table of its own ──► one table ──► settled profile
 *
 * All of it is sums, so threads take the next input as they become free and their tables are added
 * up in the end. What depends on the order of inputs is which kind of profile comes first (the
 * others are refused): when the kinds turn out to be mixed, the tables are thrown away and the
 * inputs are merged again one after the other.
 *
 * Where partial results are read or made, it is found out first what there is to merge (partial/gather.h), and kinds come in
 * that order.
 */
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/ledger.h"
#include "base/options.h"
#include "base/pool.h"
#include "bolt/fdata_partial.h"
#include "bolt/fdata_scan.h"
#include "partial/gather.h"

/*
 * What a thread has to itself is learned once more in each: which lines there are, and in which
 * order they come. Measured on 100 profiles of 1.7 MB, a second thread saves a quarter of the time
 * and takes half as much again of the processors.
 */
enum { BYTES_PER_THREAD = 128 << 20, SIZES_LOOKED_AT = 64, MOST_SHARES = 256 };

struct job;

struct share {
    struct job *job;
    struct an_fdata_profile *profile;
    struct fdata_scanner scanner;
    struct an_file file;
    struct an_error error; /* of the whole, as running out of memory */
};

/* What an input's header says, as far as it was read. */
enum { KIND_UNKNOWN = 0, KIND_KNOWN = 1, KIND_NO_LBR = 2, KIND_BOLTED = 4 };

struct job {
    const struct an_fdata_merge_options *options;
    const struct an_fdata_input *inputs;
    size_t count;
    struct an_ledger *ledger;
    struct an_file *kept; /* inputs that can be read only once, when they were loaded */
    struct an_gathering how;
    struct merge_items gathered; /* of a merge without loss; otherwise the inputs are the items */
    bool is_lossless;
    atomic_bool has_partials; /* that was not known */
    uint8_t *kinds;           /* of the items */
    struct share *shares;
    size_t share_number;
    atomic_size_t next, done;
};

static size_t items_of(const struct job *job)
{
    return job->is_lossless ? job->gathered.count : job->count;
}

/* ---- one input ---- */

static enum an_code check_kind(const struct an_fdata_profile *profile,
                               const struct fdata_header *header, struct an_error *error)
{
    if (!profile->has_kind ||
        (profile->no_lbr == header->no_lbr && profile->bolted == header->bolted))
        return AN_OK;
    if (profile->no_lbr != header->no_lbr)
        an_fail(error, AN_MISMATCH,
                "a profile %s branch records (LBR), but the inputs before it are %s",
                header->no_lbr ? "without" : "with", header->no_lbr ? "with them" : "without");
    else
        an_fail(error, AN_MISMATCH,
                "recorded on %s program (%sboltedcollection), unlike the inputs before it",
                header->bolted ? "a BOLT-optimized" : "an original", header->bolted ? "" : "no ");
    return an_error_hint(error, "merge each kind separately");
}

/* Merges the records of item i behind its header. */
static enum an_code merge_records(struct share *share, size_t i, struct an_bytes file,
                                  const struct fdata_header *from, uint64_t weight,
                                  struct fdata_sums *sums, struct an_error *error)
{
    struct job *job = share->job;
    struct an_fdata_profile *profile = share->profile;
    struct fdata_header header = *from;
    enum an_code code;
    job->kinds[i] = (uint8_t)(KIND_KNOWN | (header.no_lbr ? KIND_NO_LBR : 0) |
                              (header.bolted ? KIND_BOLTED : 0));
    code = check_kind(profile, &header, error);
    if (code != AN_OK)
        return code;
    profile->no_lbr = header.no_lbr;
    code = an_fdata_scan(&share->scanner, profile, file, &header, weight, sums, error);
    if (code == AN_OK && !an_fdata_profile_add_events(profile, &header, i))
        code = an_fail_memory(error);
    if (code != AN_OK) {
        if (!profile->has_kind) { /* what was learned means something in that kind only */
            an_fdata_table_free(&profile->table);
            profile->no_lbr = false;
        }
        return code;
    }
    profile->has_kind = true;
    profile->bolted = header.bolted;
    return AN_OK;
}

static enum an_code merge_bytes(struct share *share, size_t i, size_t input, struct an_bytes file,
                                struct an_error *error)
{
    struct job *job = share->job;
    struct an_ledger_entry *entry = &job->ledger->entries[input];
    struct fdata_header header;
    struct fdata_sums sums;
    enum an_code code = an_fdata_header_read(file, &header, error);
    if (code == AN_OK)
        code = merge_records(share, i, file, &header, job->inputs[input].weight, &sums, error);
    if (code != AN_OK)
        return code;
    entry->format = "fdata";
    entry->functions = sums.functions;
    entry->total_count = sums.total_count;
    return AN_OK;
}

static enum an_code merge_partial(struct share *share, size_t i, struct an_bytes file,
                                  struct an_error *error)
{
    const struct merge_item *item = &share->job->gathered.items[i];
    struct an_buffer content = {0};
    struct an_bytes text;
    struct fdata_header kind = {0}, header;
    struct fdata_sums sums;
    enum an_code code = an_gather_content(item, file, &content, error);
    if (code == AN_OK)
        code = an_fdata_partial_read((struct an_bytes){content.data, content.size}, item->at, &text,
                                     &kind, error);
    header = kind;
    if (code == AN_OK && text.size)
        code = an_fdata_header_read(text, &header, error);
    if (code == AN_OK && (header.no_lbr != kind.no_lbr || header.bolted != kind.bolted))
        code = an_fail_at(error, AN_MALFORMED, item->at, "partial result that contradicts itself");
    if (code == AN_OK && item->ledger->count)
        code = merge_records(share, i, text, &header, 1, &sums, error);
    an_buffer_free(&content);
    return code;
}

/* An item of a merge without loss, which is the input that it was when it was looked at. */
static enum an_code merge_gathered(struct share *share, size_t i, struct an_bytes file,
                                   struct an_error *error)
{
    const struct merge_item *item = &share->job->gathered.items[i];
    if (item->is_partial)
        return merge_partial(share, i, file, error);
    const char *path = share->job->inputs[item->input].path;
    enum an_code code = an_gather_verify(&share->job->how, item, path, file, error);
    return code == AN_OK ? merge_bytes(share, i, item->input, file, error) : code;
}

/* False when the whole merge has to stop. */
static bool merge_item(struct share *share, size_t i)
{
    struct job *job = share->job;
    struct merge_item *item = job->is_lossless ? &job->gathered.items[i] : NULL;
    size_t input = item ? item->input : i;
    struct an_ledger_entry *entry = &job->ledger->entries[input];
    const char *path = job->inputs[input].path;
    struct an_error error;
    struct an_bytes bytes;
    enum an_code code =
        an_gather_load(path, &share->file, &job->kept[input], entry, &bytes, &error);
    if (code == AN_OK) {
        entry->bytes = bytes.size;
        if (bytes.size == 0) {
            entry->status = AN_INPUT_EMPTY;
            return true;
        }
        if (item) {
            code = merge_gathered(share, i, bytes, &error);
            item->is_merged = code == AN_OK;
        } else if (an_partial_recognise(bytes.data, bytes.size, NULL) &&
                   !job->options->whole_lines) {
            job->has_partials = true;
            return false;
        } else {
            code = merge_bytes(share, i, input, bytes, &error);
        }
    }
    if (code == AN_NO_MEMORY) {
        share->error = error;
        return false;
    }
    an_ledger_conclude(entry, path, code, &error);
    return true;
}

/* ---- threads ---- */

static void work(void *context, size_t index)
{
    struct job *job = context;
    struct share *share = &job->shares[index];
    size_t count = items_of(job);
    for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < count;) {
        if (!merge_item(share, i)) {
            job->next = count; /* nobody needs to go on */
            return;
        }
        size_t done = atomic_fetch_add(&job->done, 1) + 1;
        if (index == 0 && job->options->progress) /* one thread speaks for all */
            job->options->progress(job->options->context, done, count);
    }
}

static void free_shares(struct job *job)
{
    for (size_t i = 0; i < job->share_number; i++) {
        an_fdata_profile_free(job->shares[i].profile);
        an_fdata_scanner_free(&job->shares[i].scanner);
        an_file_close(&job->shares[i].file);
    }
    free(job->shares);
    job->shares = NULL;
    job->share_number = 0;
}

static enum an_code make_shares(struct job *job, size_t number, struct an_error *error)
{
    job->shares = an_alloc_zero(number, sizeof *job->shares);
    if (!job->shares)
        return an_fail_memory(error);
    job->share_number = number;
    for (size_t i = 0; i < number; i++) {
        job->shares[i].job = job;
        job->shares[i].profile = an_fdata_profile_new(job->options->whole_lines);
        if (!job->shares[i].profile)
            return an_fail_memory(error);
        job->shares[i].profile->is_lossless = job->is_lossless;
    }
    return AN_OK;
}

/* Are inputs of more than one kind among those that were read? */
static bool kinds_differ(const struct job *job)
{
    uint8_t kind = KIND_UNKNOWN;
    for (size_t i = 0; i < items_of(job); i++) {
        if (job->kinds[i] == KIND_UNKNOWN)
            continue;
        if (kind != KIND_UNKNOWN && job->kinds[i] != kind)
            return true;
        kind = job->kinds[i];
    }
    return false;
}

/* Adds the others' tables to that of the first share. */
static enum an_code add_up(struct job *job, struct an_error *error)
{
    struct an_fdata_profile *whole = job->shares[0].profile;
    for (size_t i = 1; i < job->share_number; i++)
        if (!an_fdata_profile_absorb(whole, job->shares[i].profile))
            return an_fail_memory(error);
    return AN_OK;
}

/* Merges everything in `number` shares; *mixed is true when they must not be added up. */
static enum an_code round_of(struct job *job, size_t number, bool *mixed, struct an_error *error)
{
    enum an_code code = make_shares(job, number, error);
    if (code != AN_OK)
        return code;
    job->next = job->done = 0;
    an_pool_run((unsigned)number, number, work, job);
    for (size_t i = 0; i < number; i++)
        if (job->shares[i].error.code != AN_OK) {
            *error = job->shares[i].error;
            return error->code;
        }
    *mixed = number > 1 && kinds_differ(job);
    if (job->has_partials && !job->is_lossless)
        return AN_OK; /* it will be done otherwise */
    return *mixed ? AN_OK : add_up(job, error);
}

/* Starts the ledger anew, for a second round. */
static void forget(struct job *job)
{
    if (job->is_lossless)
        an_gather_forget(&job->gathered, job->ledger);
    for (size_t i = 0; !job->is_lossless && i < job->count; i++)
        an_gather_forget_entry(&job->ledger->entries[i]);
    memset(job->kinds, KIND_UNKNOWN, items_of(job));
}

/* As many threads as there is work for, by the sizes of the first inputs. */
static size_t shares_wanted(const struct job *job)
{
    size_t number = job->options->threads ? job->options->threads : an_pool_processors();
    if (number > MOST_SHARES)
        number = MOST_SHARES;
    if (number > items_of(job))
        number = items_of(job);
    double bytes = 0;
    size_t looked_at = 0;
    for (; number > 1 && looked_at < job->count && looked_at < SIZES_LOOKED_AT; looked_at++) {
        struct stat info;
        if (stat(job->inputs[looked_at].path, &info) == 0)
            bytes += (double)info.st_size;
    }
    if (looked_at)
        bytes *= (double)job->count / (double)looked_at;
    size_t useful = (size_t)(bytes / BYTES_PER_THREAD);
    if (!job->options->threads && number > useful)
        number = useful;
    return number ? number : 1;
}

static enum an_code merge_all(struct job *job, struct an_error *error)
{
    bool mixed;
    job->kinds = an_alloc_zero(items_of(job), sizeof *job->kinds);
    if (!job->kinds)
        return an_fail_memory(error);
    enum an_code code = round_of(job, shares_wanted(job), &mixed, error);
    if (code == AN_OK && mixed && (job->is_lossless || !job->has_partials)) {
        free_shares(job);
        forget(job);
        code = round_of(job, 1, &mixed, error);
    }
    return code;
}

/* The same without loss, for partial results. */
static enum an_code merge_gathering(struct job *job, struct an_error *error)
{
    if (job->kinds)
        forget(job);
    free_shares(job);
    free(job->kinds);
    job->kinds = NULL;
    job->is_lossless = true;
    job->how = (struct an_gathering){.family = AN_PARTIAL_FDATA,
                                     .threads = job->options->threads,
                                     .count_copies = job->options->count_copies};
    enum an_code code = an_gather(&job->how, job->ledger, job->kept, &job->gathered, error);
    if (code == AN_OK)
        code = merge_all(job, error);
    return code == AN_OK ? an_gather_account(&job->gathered, job->ledger, error) : code;
}

static enum an_code start_ledger(const struct job *job, struct an_error *error)
{
    for (size_t i = 0; i < job->count; i++) {
        if (!an_ledger_name(job->ledger, i, job->inputs[i].path, job->inputs[i].weight))
            return an_fail_memory(error);
        if (job->inputs[i].weight == 0)
            return an_fail(error, AN_USAGE, "the weight of an input must be at least 1");
    }
    return AN_OK;
}

static enum an_code run(struct job *job, struct an_fdata_profile **profile, struct an_error *error)
{
    enum an_code code = start_ledger(job, error);
    if (code == AN_OK && job->options->partial && job->options->whole_lines)
        code = an_fail(error, AN_USAGE, "partial results have no whole lines");
    if (code == AN_OK && !job->options->partial)
        code = merge_all(job, error);
    if (code == AN_OK && (job->options->partial || job->has_partials))
        code = merge_gathering(job, error);
    if (code == AN_OK)
        code = an_ledger_close(job->ledger, error);
    if (code == AN_OK)
        code = an_ledger_judge(job->ledger, job->options->failure_mode, error);
    if (code == AN_OK)
        code = an_fdata_profile_settle(job->shares[0].profile, error);
    if (code == AN_OK) {
        *profile = job->shares[0].profile;
        job->shares[0].profile = NULL;
    }
    return code;
}

enum an_code an_fdata_merge(const struct an_fdata_merge_options *options,
                            const struct an_fdata_input *inputs, size_t count,
                            struct an_fdata_profile **profile, struct an_ledger **ledger,
                            struct an_error *error)
{
    struct an_fdata_merge_options full;
    struct job job = {.options = &full, .inputs = inputs, .count = count};
    *profile = NULL;
    *ledger = NULL;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    *ledger = job.ledger = an_ledger_new(count);
    job.kept = an_alloc_zero(count, sizeof *job.kept);
    code = job.ledger && job.kept ? run(&job, profile, error) : an_fail_memory(error);
    free_shares(&job);
    an_gather_free(&job.gathered);
    for (size_t i = 0; job.kept && i < count; i++)
        an_file_close(&job.kept[i]);
    free(job.kept);
    free(job.kinds);
    return code;
}
