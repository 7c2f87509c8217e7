/*
 * Merging gcda files and partial results without loss; see anneal/gcc.h.
 *
 *     files ─► by module ─► threads, one at a module ─┐
 *     partial results, one after the other,           ├─► builds of modules ─► one of each module
 *         their modules by threads ───────────────────┘                    └─► a partial result
 */
#include <anneal/gcc.h>

#include <pthread.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/ledger.h"
#include "base/map.h"
#include "base/options.h"
#include "base/pool.h"
#include "gcc/account.h"
#include "gcc/partial.h"
#include "partial/digest.h"
#include "partial/gather.h"
#include "partial/partial.h"

/* The builds that there are of a module. */
struct module {
    struct {
        AN_VECTOR(struct an_gcc_build);
    } builds;
    struct {
        AN_VECTOR(size_t);
    } items; /* the files of it, in the order of their digests */
};

struct an_gcc_sum {
    struct an_names names; /* of modules, copied */
    struct {
        AN_VECTOR(struct module);
    } modules;
    size_t *order; /* of those that have a build: by their names, */
    size_t count;  /* and how many these are */
    bool is_partial;
};

struct job {
    const struct an_gcc_sum_options *options;
    const struct an_gcc_source *sources;
    size_t count;
    struct an_gather_part *parts;
    struct an_gathering how;
    struct merge_items gathered;
    struct an_file *kept;
    struct an_ledger *ledger;
    struct an_gcc_sum *sum;
    size_t done, total;

    /* Of the partial result at hand: */
    struct an_gcc_part *arrived;
    size_t arrived_count;
    size_t *firsts; /* where the parts of each module begin, and the end of the last one */
    size_t *into;   /* the modules that they go into */

    struct an_error late; /* of an input that was used in a partial result, and is not any more */

    pthread_mutex_t lock;  /* of what follows, and of `done` */
    struct an_error error; /* running out of memory */
};

bool an_gcc_is_partial(const void *bytes, size_t size)
{
    unsigned family;
    return an_partial_recognise(bytes, size, &family) && family == AN_PARTIAL_GCC;
}

/* ---- modules ---- */

/* The number of a module, which is new if need be; AN_NO_NAME when memory runs out. */
static size_t find_module(struct an_gcc_sum *sum, const char *name, size_t length)
{
    bool is_new;
    size_t number = an_names_find(&sum->names, name, length);
    if (number != AN_NO_NAME)
        return number;
    char *copy = an_alloc(length + 1, 1);
    struct module *module = copy ? an_vector_push(&sum->modules) : NULL;
    if (!module) {
        free(copy);
        return AN_NO_NAME;
    }
    *module = (struct module){.builds = {.count = 0}};
    memcpy(copy, name, length);
    number = an_names_insert(&sum->names, copy, length, &is_new);
    if (number == AN_NO_NAME) {
        free(copy);
        sum->modules.count--;
    }
    return number;
}

/* The build of a file's header: one that is there, or a new one; NULL when memory runs out. */
static struct an_gcc_build *find_build(struct module *module, const struct an_gcda_header *header)
{
    for (size_t i = 0; i < module->builds.count; i++)
        if (an_gcc_build_has(&module->builds.items[i], header))
            return &module->builds.items[i];
    struct an_gcc_build *build = an_vector_push(&module->builds);
    if (build)
        *build = (struct an_gcc_build){.inputs = {.count = 0}};
    return build;
}

static void step(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    job->done++;
    if (job->options->progress)
        job->options->progress(job->options->context, job->done, job->total);
    pthread_mutex_unlock(&job->lock);
}

static void note_error(struct job *job, const struct an_error *error)
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

static enum an_code add_bytes(const struct job *job, struct module *module, struct hand *hand,
                              const struct merge_item *item, struct an_bytes bytes,
                              struct an_error *error)
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

static enum an_code add_item(const struct job *job, struct module *module, struct hand *hand,
                             struct merge_item *item, struct an_error *error)
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
    struct job *job = context;
    struct module *module = &job->sum->modules.items[number];
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

static enum an_code sort_files(struct job *job, struct an_error *error)
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

/* All builds of a module that have arrived, which are one behind the other. */
static void absorb_module(void *context, size_t number)
{
    struct job *job = context;
    struct module *module = &job->sum->modules.items[job->into[number]];
    struct an_gcda_plan plan = {.functions = 0};
    struct an_error error;
    bool done = true;
    for (size_t i = job->firsts[number]; done && i < job->firsts[number + 1]; i++) {
        struct an_gcc_part *part = &job->arrived[i];
        struct an_gcc_build *build = find_build(module, &part->build.gcda.header);
        if (build && build->inputs.count == 0) {
            *build = part->build;
            part->build = (struct an_gcc_build){.inputs = {.count = 0}};
            continue;
        }
        done = build && an_gcc_build_fits(build, &plan, part->file, &error) == AN_OK &&
               an_gcc_build_absorb(build, &plan, &part->build);
    }
    if (!done) { /* it fitted before */
        an_fail_memory(&error);
        note_error(job, &error);
    }
    an_gcda_plan_free(&plan);
}

/* Whether all of it can be added. */
static enum an_code check_arrived(const struct job *job, struct an_error *error)
{
    struct an_gcda_plan plan = {.functions = 0};
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < job->arrived_count; i++) {
        const struct an_gcc_part *part = &job->arrived[i];
        size_t number = an_names_find(&job->sum->names, part->name.text, part->name.length);
        struct module *module = number == AN_NO_NAME ? NULL : &job->sum->modules.items[number];
        for (size_t k = 0; module && code == AN_OK && k < module->builds.count; k++)
            if (an_gcc_build_has(&module->builds.items[k], &part->build.gcda.header))
                code = an_gcc_build_fits(&module->builds.items[k], &plan, part->file, error);
    }
    an_gcda_plan_free(&plan);
    return code;
}

static bool is_same_name(const struct an_name *one, const struct an_name *other)
{
    return one->length == other->length && memcmp(one->text, other->text, one->length) == 0;
}

static enum an_code absorb(struct job *job, struct an_error *error)
{
    size_t modules = 0;
    job->firsts = an_alloc(job->arrived_count + 1, sizeof *job->firsts);
    job->into = an_alloc(job->arrived_count, sizeof *job->into);
    bool done = job->firsts && job->into;
    for (size_t i = 0; done && i < job->arrived_count; i++) {
        const struct an_gcc_part *part = &job->arrived[i];
        if (i && is_same_name(&part->name, &job->arrived[i - 1].name))
            continue;
        job->firsts[modules] = i;
        job->into[modules] = find_module(job->sum, part->name.text, part->name.length);
        done = job->into[modules++] != AN_NO_NAME;
    }
    if (done) {
        job->firsts[modules] = job->arrived_count;
        an_pool_run(job->options->threads ? job->options->threads : an_pool_processors(), modules,
                    absorb_module, job);
    }
    free(job->firsts);
    free(job->into);
    return done ? AN_OK : an_fail_memory(error);
}

static enum an_code add_content(struct job *job, const struct merge_item *item,
                                struct an_bytes content, struct an_error *error)
{
    enum an_code code = an_gcc_partial_read(content, item->ledger, item->at, &job->arrived,
                                            &job->arrived_count, error);
    if (code != AN_OK)
        return code;
    code = check_arrived(job, error);
    if (code == AN_OK)
        code = absorb(job, error);
    an_gcc_parts_free(job->arrived, job->arrived_count);
    return code;
}

static enum an_code add_partial(struct job *job, struct merge_item *item, struct an_error *error)
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

static enum an_code add_partials(struct job *job, struct an_error *error)
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

/* ---- one build of each ---- */

/* Entries of the ledger by their digests. */
static bool list_entries(const struct an_ledger *ledger, struct an_names *digests, size_t **entries)
{
    bool is_new, done = true;
    *entries = an_alloc(ledger->count, sizeof **entries);
    for (size_t i = 0; *entries && done && i < ledger->count; i++) {
        if (ledger->entries[i].status != AN_INPUT_USED)
            continue;
        size_t number = an_names_insert(digests, (const char *)ledger->entries[i].digest.bytes,
                                        sizeof(struct an_digest), &is_new);
        done = number != AN_NO_NAME;
        if (done)
            (*entries)[number] = i;
    }
    return *entries && done;
}

static void reject_build(struct job *job, const struct an_gcc_build *build,
                         const struct an_gcc_build *first, const struct an_names *digests,
                         const size_t *entries)
{
    struct an_error error;
    an_fail(&error, AN_MISMATCH, "its stamp is %#010x, but that of those before is %#010x",
            build->gcda.header.stamp, first->gcda.header.stamp);
    an_error_hint(&error, "it is from another build of that source file");
    for (size_t i = 0; i < build->inputs.count; i++) {
        size_t number = an_names_find(digests, (const char *)build->inputs.items[i].bytes,
                                      sizeof(struct an_digest));
        if (number == AN_NO_NAME)
            continue;
        struct an_ledger_entry *entry = &job->ledger->entries[entries[number]];
        struct an_error own = error;
        an_ledger_conclude(entry, entry->path, AN_MISMATCH, &own);
        if (entry->partial && job->late.code == AN_OK)
            job->late = own;
    }
}

/* The build of the first input stays, and is the only one then. */
static void choose_build(struct job *job, struct module *module, const struct an_names *digests,
                         const size_t *entries)
{
    size_t first = 0;
    for (size_t i = 1; i < module->builds.count; i++) {
        struct an_digest one = an_gcc_build_first(&module->builds.items[i]);
        struct an_digest other = an_gcc_build_first(&module->builds.items[first]);
        first = an_digest_compare(&one, &other) < 0 ? i : first;
    }
    struct an_gcc_build kept = module->builds.items[first];
    for (size_t i = 0; i < module->builds.count; i++)
        if (i != first) {
            reject_build(job, &module->builds.items[i], &kept, digests, entries);
            an_gcc_build_free(&module->builds.items[i]);
        }
    module->builds.items[0] = kept;
    module->builds.count = 1;
}

static enum an_code choose_builds(struct job *job, struct an_error *error)
{
    struct an_names digests = {0};
    size_t *entries = NULL;
    bool done = list_entries(job->ledger, &digests, &entries);
    for (size_t i = 0; done && i < job->sum->modules.count; i++)
        if (job->sum->modules.items[i].builds.count > 1)
            choose_build(job, &job->sum->modules.items[i], &digests, entries);
    an_names_free(&digests);
    free(entries);
    return done ? AN_OK : an_fail_memory(error);
}

/* ---- the whole ---- */

static int by_name(const void *a, const void *b, void *context)
{
    const struct an_names *names = context;
    const struct an_name *left = &names->names[*(const size_t *)a];
    const struct an_name *right = &names->names[*(const size_t *)b];
    size_t shorter = left->length < right->length ? left->length : right->length;
    int order = shorter ? memcmp(left->text, right->text, shorter) : 0;
    return order ? order : (left->length > right->length) - (left->length < right->length);
}

/* Modules of which no input was any good are left out. */
static enum an_code number_modules(struct an_gcc_sum *sum, struct an_error *error)
{
    size_t left = 0;
    sum->order = an_alloc(sum->modules.count, sizeof *sum->order);
    if (!sum->order)
        return an_fail_memory(error);
    for (size_t i = 0; i < sum->modules.count; i++)
        if (sum->modules.items[i].builds.count)
            sum->order[left++] = i;
    qsort_r(sum->order, left, sizeof *sum->order, by_name, &sum->names);
    sum->count = left;
    return AN_OK;
}

static enum an_code start(struct job *job, struct an_error *error)
{
    job->parts = an_alloc(job->count, sizeof *job->parts);
    if (!job->parts)
        return an_fail_memory(error);
    for (size_t i = 0; i < job->count; i++) {
        const struct an_gcc_source *source = &job->sources[i];
        if (!an_ledger_name(job->ledger, i, source->path, source->weight))
            return an_fail_memory(error);
        if (source->weight == 0)
            return an_fail(error, AN_USAGE, "the weight of an input must be at least 1");
        job->parts[i] = (struct an_gather_part){
            source->run == AN_GCC_ALONE ? AN_GATHER_ALONE : source->run, source->name};
    }
    job->how = (struct an_gathering){.family = AN_PARTIAL_GCC,
                                     .threads = job->options->threads,
                                     .count_copies = job->options->count_copies,
                                     .parts = job->parts};
    return AN_OK;
}

static enum an_code run(struct job *job, struct an_error *error)
{
    enum an_code code = start(job, error);
    if (code == AN_OK)
        code = an_gather(&job->how, job->ledger, job->kept, &job->gathered, error);
    if (code == AN_OK)
        code = sort_files(job, error);
    if (code == AN_OK)
        an_pool_run(job->how.threads ? job->how.threads : an_pool_processors(),
                    job->sum->modules.count, add_files, job);
    if (code == AN_OK)
        code = add_partials(job, error);
    if (code == AN_OK && job->error.code != AN_OK) {
        *error = job->error;
        return error->code;
    }
    if (code == AN_OK)
        code = an_gather_account(&job->gathered, job->ledger, error);
    if (code == AN_OK && !job->options->partial)
        code = choose_builds(job, error);
    if (code == AN_OK)
        code = number_modules(job->sum, error);
    if (code == AN_OK)
        code = an_ledger_close(job->ledger, error);
    if (code == AN_OK)
        code = an_ledger_judge(job->ledger, job->options->failure_mode, error);
    if (code == AN_OK && job->late.code != AN_OK && job->options->failure_mode == AN_FAIL_ANY) {
        *error = job->late;
        code = error->code;
    }
    return code;
}

enum an_code an_gcc_sum_make(const struct an_gcc_sum_options *options,
                             const struct an_gcc_source *sources, size_t count,
                             struct an_gcc_sum **sum, struct an_ledger **ledger,
                             struct an_error *error)
{
    struct an_gcc_sum_options full;
    struct job job = {.options = &full, .sources = sources, .count = count};
    *sum = NULL;
    *ledger = NULL;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    pthread_mutex_init(&job.lock, NULL);
    *ledger = job.ledger = an_ledger_new(count);
    job.kept = an_alloc_zero(count, sizeof *job.kept);
    job.sum = an_alloc_zero(1, sizeof *job.sum);
    if (job.sum)
        job.sum->is_partial = full.partial;
    code = job.ledger && job.kept && job.sum ? run(&job, error) : an_fail_memory(error);
    pthread_mutex_destroy(&job.lock);
    an_gather_free(&job.gathered);
    for (size_t i = 0; job.kept && i < count; i++)
        an_file_close(&job.kept[i]);
    free(job.kept);
    free(job.parts);
    if (code == AN_OK)
        *sum = job.sum;
    else
        an_gcc_sum_free(job.sum);
    return code;
}

void an_gcc_sum_free(struct an_gcc_sum *sum)
{
    if (!sum)
        return;
    for (size_t i = 0; i < sum->modules.count; i++) {
        struct module *module = &sum->modules.items[i];
        for (size_t k = 0; k < module->builds.count; k++)
            an_gcc_build_free(&module->builds.items[k]);
        an_vector_free(&module->builds);
        an_vector_free(&module->items);
    }
    for (size_t i = 0; i < sum->names.count; i++)
        free((char *)sum->names.names[i].text);
    an_names_free(&sum->names);
    an_vector_free(&sum->modules);
    free(sum->order);
    free(sum);
}

/* ---- results ---- */

size_t an_gcc_sum_modules(const struct an_gcc_sum *sum)
{
    return sum->count;
}

const char *an_gcc_sum_name(const struct an_gcc_sum *sum, size_t module, size_t *length)
{
    const struct an_name *name = &sum->names.names[sum->order[module]];
    *length = name->length;
    return name->text;
}

size_t an_gcc_sum_inputs(const struct an_gcc_sum *sum, size_t module)
{
    const struct module *of = &sum->modules.items[sum->order[module]];
    size_t inputs = 0;
    for (size_t i = 0; i < of->builds.count; i++)
        inputs += of->builds.items[i].inputs.count;
    return inputs;
}

static enum an_code hand_over(enum an_code code, struct an_buffer *buffer, void **bytes,
                              size_t *size)
{
    *bytes = NULL;
    *size = 0;
    if (code == AN_OK) {
        *bytes = buffer->data;
        *size = buffer->size;
    } else {
        an_buffer_free(buffer);
    }
    return code;
}

enum an_code an_gcc_sum_write(struct an_gcc_sum *sum, size_t module, void **bytes, size_t *size,
                              struct an_error *error)
{
    struct an_buffer buffer = {0};
    struct module *of = &sum->modules.items[sum->order[module]];
    enum an_code code = sum->is_partial ? an_fail(error, AN_USAGE,
                                                  "a sum that was to be partial is written as such")
                                        : an_gcc_build_write(&of->builds.items[0], &buffer, error);
    return hand_over(code, &buffer, bytes, size);
}

/* All builds as parts; they are lent, and given back. */
static struct an_gcc_part *list_parts(struct an_gcc_sum *sum, size_t *count)
{
    size_t number = 0;
    *count = 0;
    for (size_t i = 0; i < sum->count; i++)
        number += sum->modules.items[sum->order[i]].builds.count;
    struct an_gcc_part *parts = an_alloc_zero(number, sizeof *parts);
    for (size_t i = 0; parts && i < sum->count; i++) {
        struct module *module = &sum->modules.items[sum->order[i]];
        for (size_t k = 0; k < module->builds.count; k++)
            parts[(*count)++] = (struct an_gcc_part){.name = sum->names.names[sum->order[i]],
                                                     .build = module->builds.items[k]};
    }
    return parts;
}

enum an_code an_gcc_sum_write_partial(struct an_gcc_sum *sum, const struct an_ledger *ledger,
                                      void **bytes, size_t *size, struct an_error *error)
{
    struct an_buffer content = {0}, buffer = {0};
    enum an_code code = AN_OK;
    size_t count;
    struct an_gcc_part *parts = list_parts(sum, &count);
    if (!parts)
        code = an_fail_memory(error);
    else if (!sum->is_partial)
        code = an_fail(error, AN_USAGE, "only a sum that was to be partial is written as such");
    if (code == AN_OK)
        code = an_gcc_partial_write(parts, count, ledger, &content, error);
    if (code == AN_OK)
        code = an_partial_write(AN_PARTIAL_GCC, ledger,
                                (struct an_bytes){content.data, content.size}, &buffer, error);
    free(parts);
    an_buffer_free(&content);
    return hand_over(code, &buffer, bytes, size);
}
