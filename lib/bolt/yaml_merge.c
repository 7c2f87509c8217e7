/* Merging YAML profiles: one after the other, each read whole and then added, or refused. */
#include "base/file.h"
#include "base/ledger.h"
#include "base/options.h"
#include "bolt/yaml_join.h"

struct job {
    const struct an_yaml_merge_options *options;
    const struct an_yaml_input *inputs;
    size_t count;
    struct an_ledger *ledger;
    struct yaml_join join;
    struct an_file file;
};

static enum an_code merge_bytes(struct job *job, size_t i, struct an_error *error)
{
    struct an_ledger_entry *entry = &job->ledger->entries[i];
    struct an_yaml_profile *profile;
    enum an_code code =
        an_yaml_profile_read(&profile, job->file.bytes.data, job->file.bytes.size, error);
    if (code != AN_OK)
        return code;
    entry->format = "yaml";
    entry->version = profile->info.header.version;
    entry->functions = profile->info.functions;
    entry->total_count = profile->info.total_count;
    code = an_yaml_join(&job->join, profile, job->inputs[i].weight, error);
    an_yaml_profile_free(profile);
    return code;
}

static enum an_code merge_input(struct job *job, size_t i, struct an_error *error)
{
    struct an_ledger_entry *entry = &job->ledger->entries[i];
    enum an_code code = an_file_load(&job->file, job->inputs[i].path, error);
    if (code == AN_OK) {
        entry->bytes = job->file.bytes.size;
        entry->device = job->file.device;
        entry->inode = job->file.inode;
        if (job->file.bytes.size == 0) {
            entry->status = AN_INPUT_EMPTY;
            return AN_OK;
        }
        code = merge_bytes(job, i, error);
    }
    if (code == AN_NO_MEMORY)
        return code;
    an_ledger_conclude(entry, job->inputs[i].path, code, error);
    return AN_OK;
}

static enum an_code start(struct job *job, struct an_error *error)
{
    for (size_t i = 0; i < job->count; i++) {
        if (!an_ledger_name(job->ledger, i, job->inputs[i].path, job->inputs[i].weight))
            return an_fail_memory(error);
        if (job->inputs[i].weight == 0)
            return an_fail(error, AN_USAGE, "the weight of an input must be at least 1");
    }
    job->join.profile = an_yaml_profile_new();
    return job->join.profile ? AN_OK : an_fail_memory(error);
}

static enum an_code run(struct job *job, struct an_error *error)
{
    enum an_code code = start(job, error);
    for (size_t i = 0; code == AN_OK && i < job->count; i++) {
        code = merge_input(job, i, error);
        if (job->options->progress)
            job->options->progress(job->options->context, i + 1, job->count);
    }
    if (code == AN_OK)
        code = an_ledger_close(job->ledger, error);
    return code == AN_OK ? an_ledger_judge(job->ledger, job->options->failure_mode, error) : code;
}

enum an_code an_yaml_merge(const struct an_yaml_merge_options *options,
                           const struct an_yaml_input *inputs, size_t count,
                           struct an_yaml_profile **profile, struct an_ledger **ledger,
                           struct an_error *error)
{
    struct an_yaml_merge_options full;
    struct job job = {.options = &full, .inputs = inputs, .count = count};
    *profile = NULL;
    *ledger = NULL;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    *ledger = job.ledger = an_ledger_new(count);
    code = job.ledger ? run(&job, error) : an_fail_memory(error);
    if (code == AN_OK)
        *profile = an_yaml_join_end(&job.join);
    an_yaml_join_free(&job.join);
    an_file_close(&job.file);
    return code;
}
