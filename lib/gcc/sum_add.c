/* Adding files and partial results; see sum.h. */
#include "gcc/sum.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/ledger.h"
#include "base/pool.h"
#include "gcc/account.h"

/* ---- modules ---- */

/* The number of a module, which is new if need be; AN_NO_NAME when memory runs out. */
static size_t find_module(struct an_gcc_sum *sum, const char *name, size_t length)
{
    bool is_new;
    size_t number = an_names_find(&sum->names, name, length);
    if (number != AN_NO_NAME)
        return number;
    char *copy = an_alloc(length + 1, 1);
    struct an_gcc_summed *module = copy ? an_vector_push(&sum->modules) : NULL;
    if (!module) {
        free(copy);
        return AN_NO_NAME;
    }
    *module = (struct an_gcc_summed){.builds = {.count = 0}};
    memcpy(copy, name, length);
    number = an_names_insert(&sum->names, copy, length, &is_new);
    if (number == AN_NO_NAME) {
        free(copy);
        sum->modules.count--;
    }
    return number;
}

/* The build of a file's header: one that is there, or a new one; NULL when memory runs out. */
static struct an_gcc_build *find_build(struct an_gcc_summed *module,
                                       const struct an_gcda_header *header)
{
    for (size_t i = 0; i < module->builds.count; i++)
        if (an_gcc_build_has(&module->builds.items[i], header))
            return &module->builds.items[i];
    struct an_gcc_build *build = an_vector_push(&module->builds);
    if (build)
        *build = (struct an_gcc_build){.inputs = {.count = 0}};
    return build;
}

static void step(struct an_gcc_summing *job)
{
    pthread_mutex_lock(&job->lock);
    job->done++;
    if (job->options->progress)
        job->options->progress(job->options->context, job->done, job->total);
    pthread_mutex_unlock(&job->lock);
}

static unsigned threads_of(const struct an_gcc_summing *job)
{
    return job->options->threads ? job->options->threads : an_pool_processors();
}

static void note_error(struct an_gcc_summing *job, const struct an_error *error)
{
    pthread_mutex_lock(&job->lock);
    job->error = *error;
    pthread_mutex_unlock(&job->lock);
}

/* ---- files ---- */

struct hand {
    struct an_file file;
    struct an_buffer weighted;
    struct an_gcda_plan plan;
};

static void drop_hand(struct hand *hand)
{
    an_file_close(&hand->file);
    an_buffer_free(&hand->weighted);
    an_gcda_plan_free(&hand->plan);
}

static enum an_code add_bytes(const struct an_gcc_summing *job, struct an_gcc_summed *module,
                              struct hand *hand, const struct merge_item *item,
                              struct an_bytes bytes, struct an_error *error)
{
    struct an_ledger_entry *entry = &job->ledger->entries[item->input];
    struct an_gcda_walk walk;
    struct an_gcda_added added;
    enum an_code code = an_gcda_walk(&walk, bytes, error);
    if (code == AN_OK)
        code = an_gcc_weigh(&bytes, entry->weight, &hand->weighted, entry, error);
    if (code != AN_OK)
        return code;
    struct an_gcc_build *build = find_build(module, &walk.header);
    if (!build)
        return an_fail_memory(error);
    code = an_gcc_build_add(build, &hand->plan, bytes, &item->digest, &added, error);
    if (code == AN_OK && entry->weight == 1)
        an_gcc_account(entry, walk.header.version.major, added.total, added.functions);
    if (build->inputs.count == 0) { /* it was new, and the file was no good */
        an_gcc_build_free(build);
        module->builds.count--;
    }
    return code;
}

static enum an_code add_item(const struct an_gcc_summing *job, struct an_gcc_summed *module,
                             struct hand *hand, struct merge_item *item, struct an_error *error)
{
    struct an_ledger_entry *entry = &job->ledger->entries[item->input];
    struct an_bytes bytes;
    enum an_code code =
        an_gather_load(entry->path, &hand->file, &job->kept[item->input], entry, &bytes, error);
    if (code == AN_OK)
        code = an_gather_verify(&job->how, item, entry->path, bytes, error);
    if (code == AN_OK)
        code = add_bytes(job, module, hand, item, bytes, error);
    item->is_merged = code == AN_OK;
    return code;
}

static void add_files(void *context, size_t number)
{
    struct an_gcc_summing *job = context;
    struct an_gcc_summed *module = &job->sum->modules.items[number];
    struct hand hand = {.plan = {.functions = 0}};
    struct an_error error;
    for (size_t i = 0; i < module->items.count; i++) {
        struct merge_item *item = &job->gathered.items[module->items.items[i]];
        enum an_code code = add_item(job, module, &hand, item, &error);
        if (code == AN_NO_MEMORY) {
            note_error(job, &error);
            break;
        }
        an_ledger_conclude(&job->ledger->entries[item->input], job->sources[item->input].path, code,
                           &error);
    }
    drop_hand(&hand);
    step(job);
}

static enum an_code sort_files(struct an_gcc_summing *job, struct an_error *error)
{
    for (size_t i = 0; i < job->gathered.count; i++) {
        const struct merge_item *item = &job->gathered.items[i];
        const struct an_gcc_source *source = &job->sources[item->input];
        if (item->is_partial) {
            job->total++;
            continue;
        }
        size_t number = find_module(job->sum, source->name, source->length);
        if (number == AN_NO_NAME)
            return an_fail_memory(error);
        size_t *place = an_vector_push(&job->sum->modules.items[number].items);
        if (!place)
            return an_fail_memory(error);
        *place = i;
    }
    job->total += job->sum->modules.count;
    return AN_OK;
}

/* ---- partial results ---- */

/* What a partial result has. */
struct arrival {
    struct an_gcc_summing *job;
    struct an_gcc_part *parts;
    size_t count;
    size_t *firsts; /* where the parts of each module begin, and the end of the last one */
    size_t *into;   /* the modules that they go into */
};

/* All builds of a module that have arrived, which are one behind the other. */
static void absorb_module(void *context, size_t number)
{
    const struct arrival *arrival = context;
    struct an_gcc_summed *module = &arrival->job->sum->modules.items[arrival->into[number]];
    struct an_gcda_plan plan = {.functions = 0};
    struct an_error error;
    bool done = true;
    for (size_t i = arrival->firsts[number]; done && i < arrival->firsts[number + 1]; i++) {
        struct an_gcc_part *part = &arrival->parts[i];
        struct an_gcc_build *build = find_build(module, &part->build.gcda.header);
        if (build && build->inputs.count == 0) {
            *build = part->build;
            part->build = (struct an_gcc_build){.inputs = {.count = 0}};
            continue;
        }
        done = build && an_gcda_look(&plan, &build->gcda, part->file, &error) == AN_OK &&
               an_gcc_build_absorb(build, &plan, &part->build);
    }
    if (!done) { /* it fitted before */
        an_fail_memory(&error);
        note_error(arrival->job, &error);
    }
    an_gcda_plan_free(&plan);
}

/* Whether all of it can be added. */
static enum an_code check_arrival(const struct arrival *arrival, struct an_error *error)
{
    const struct an_gcc_sum *sum = arrival->job->sum;
    struct an_gcda_plan plan = {.functions = 0};
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < arrival->count; i++) {
        const struct an_gcc_part *part = &arrival->parts[i];
        size_t number = an_names_find(&sum->names, part->name.text, part->name.length);
        const struct an_gcc_summed *module =
            number == AN_NO_NAME ? NULL : &sum->modules.items[number];
        for (size_t k = 0; module && code == AN_OK && k < module->builds.count; k++)
            if (an_gcc_build_has(&module->builds.items[k], &part->build.gcda.header))
                code = an_gcda_look(&plan, &module->builds.items[k].gcda, part->file, error);
    }
    an_gcda_plan_free(&plan);
    return code;
}

static bool is_same_name(const struct an_name *one, const struct an_name *other)
{
    return one->length == other->length && memcmp(one->text, other->text, one->length) == 0;
}

static enum an_code absorb(struct arrival *arrival, struct an_error *error)
{
    size_t modules = 0;
    arrival->firsts = an_alloc(arrival->count + 1, sizeof *arrival->firsts);
    arrival->into = an_alloc(arrival->count, sizeof *arrival->into);
    bool done = arrival->firsts && arrival->into;
    for (size_t i = 0; done && i < arrival->count; i++) {
        const struct an_name *name = &arrival->parts[i].name;
        if (i && is_same_name(name, &arrival->parts[i - 1].name))
            continue;
        arrival->firsts[modules] = i;
        arrival->into[modules] = find_module(arrival->job->sum, name->text, name->length);
        done = arrival->into[modules++] != AN_NO_NAME;
    }
    if (done) {
        arrival->firsts[modules] = arrival->count;
        an_pool_run(threads_of(arrival->job), modules, absorb_module, arrival);
    }
    free(arrival->firsts);
    free(arrival->into);
    return done ? AN_OK : an_fail_memory(error);
}

static enum an_code add_content(struct an_gcc_summing *job, const struct merge_item *item,
                                struct an_bytes content, struct an_error *error)
{
    struct arrival arrival = {.job = job};
    enum an_code code =
        an_gcc_partial_read(content, item->ledger, item->at, &arrival.parts, &arrival.count, error);
    if (code != AN_OK)
        return code;
    code = check_arrival(&arrival, error);
    if (code == AN_OK)
        code = absorb(&arrival, error);
    an_gcc_parts_free(arrival.parts, arrival.count);
    return code;
}

static enum an_code add_partial(struct an_gcc_summing *job, struct merge_item *item,
                                struct an_error *error)
{
    struct an_ledger_entry *entry = &job->ledger->entries[item->input];
    struct an_file file = {0};
    struct an_buffer content = {0};
    struct an_bytes bytes;
    enum an_code code =
        an_gather_load(entry->path, &file, &job->kept[item->input], entry, &bytes, error);
    if (code == AN_OK)
        code = an_gather_content(item, bytes, &content, error);
    if (code == AN_OK)
        code = add_content(job, item, (struct an_bytes){content.data, content.size}, error);
    item->is_merged = code == AN_OK;
    an_buffer_free(&content);
    an_file_close(&file);
    return code;
}

static enum an_code add_partials(struct an_gcc_summing *job, struct an_error *error)
{
    for (size_t i = 0; i < job->gathered.count; i++) {
        struct merge_item *item = &job->gathered.items[i];
        if (!item->is_partial)
            continue;
        enum an_code code = add_partial(job, item, error);
        if (code == AN_NO_MEMORY || job->error.code != AN_OK)
            return code == AN_NO_MEMORY ? code : AN_OK;
        an_ledger_conclude(&job->ledger->entries[item->input], job->sources[item->input].path, code,
                           error);
        step(job);
    }
    return AN_OK;
}

/* ---- all of it ---- */

enum an_code an_gcc_sum_add(struct an_gcc_summing *job, struct an_error *error)
{
    enum an_code code = sort_files(job, error);
    if (code != AN_OK)
        return code;
    an_pool_run(threads_of(job), job->sum->modules.count, add_files, job);
    code = add_partials(job, error);
    if (code == AN_OK && job->error.code != AN_OK) {
        *error = job->error;
        code = error->code;
    }
    return code;
}
