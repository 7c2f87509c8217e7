/* The inputs of one module, one after the other, by several threads; see merge_module.h. */
#include "gcc/merge_module.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "base/file.h"
#include "base/ledger.h"
#include "gcc/account.h"
#include "gcc/notes.h"

/* What a thread has in hand. */
struct work {
    struct an_gcc_module *module;
    struct an_file file;
    struct an_buffer weighted; /* the file of as many runs, if it counts several times */
    struct an_gcda_plan plan;
    struct an_bytes bytes;
    size_t number;
};

/* What a file that does not go with the others would have brought is worth knowing. */
static void account_for_mismatch(struct an_ledger_entry *entry, struct an_bytes bytes)
{
    struct an_gcda gcda;
    struct an_error unused;
    if (an_gcda_read(&gcda, bytes, &unused) != AN_OK)
        return;
    an_gcc_account_for(entry, &gcda);
    an_gcda_free(&gcda);
}

/* ---- before its turn ---- */

static enum an_code load(struct work *work, struct an_error *error)
{
    const struct an_gcc_input *input = &work->module->inputs[work->number];
    struct an_ledger_entry *entry = &work->module->entries[work->number];
    if (input->bytes) {
        work->bytes = (struct an_bytes){input->bytes, input->size};
    } else {
        enum an_code code = an_file_load(&work->file, input->path, error);
        entry->device = work->file.device;
        entry->inode = work->file.inode;
        if (code != AN_OK)
            return code;
        work->bytes = work->file.bytes;
    }
    entry->bytes = work->bytes.size;
    return work->bytes.size ? AN_OK : AN_EMPTY;
}

static enum an_code weigh(struct work *work, struct an_error *error)
{
    return an_gcc_weigh(&work->bytes, work->module->inputs[work->number].weight, &work->weighted,
                        &work->module->entries[work->number], error);
}

static enum an_code look(struct work *work, struct an_error *error)
{
    struct an_gcc_module *module = work->module;
    pthread_rwlock_rdlock(&module->shape);
    enum an_code code = an_gcda_look(&work->plan, &module->gcda, work->bytes, error);
    pthread_rwlock_unlock(&module->shape);
    return code;
}

/* ---- when it is its turn ---- */

/* The first good input is the one that the others have to go with. */
static enum an_code add_first(struct work *work, struct an_error *error)
{
    struct an_gcda *gcda = &work->module->gcda;
    enum an_code code = an_gcda_read(gcda, work->bytes, error);
    work->module->written = work->file.modified;
    work->module->first = work->number;
    if (code == AN_OK && work->module->inputs[work->number].weight == 1)
        an_gcc_account_for(&work->module->entries[work->number], gcda);
    return code;
}

static enum an_code apply(struct work *work, struct an_error *error)
{
    struct an_gcc_module *module = work->module;
    struct an_gcda_added added;
    bool adopts = an_gcda_adopts(&work->plan);
    if (adopts)
        pthread_rwlock_wrlock(&module->shape);
    bool done = an_gcda_apply(&module->gcda, &work->plan, module->order, &added);
    if (adopts)
        pthread_rwlock_unlock(&module->shape);
    if (module->inputs[work->number].weight == 1)
        an_gcc_account(&module->entries[work->number], module->gcda.header.version.major,
                       added.total, added.functions);
    return done ? AN_OK : an_fail_memory(error);
}

enum { DATE_SIZE = 32 };

static const char *date_of(int64_t seconds, char text[DATE_SIZE])
{
    time_t time = (time_t)seconds;
    struct tm parts;
    if (!gmtime_r(&time, &parts) || strftime(text, DATE_SIZE, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0)
        text[0] = '\0';
    return text;
}

/* ", choose in flow.cpp:32", if the gcno beside an input knows the function; else nothing. */
static bool find_called(const struct an_gcda_difference *difference, const char *path, char *called,
                        size_t size)
{
    struct an_gcno gcno;
    struct an_error unused;
    if (an_notes_read(&gcno, path, &unused) != AN_OK)
        return false;
    const struct an_gcno_function *function = NULL;
    for (unsigned i = 0; !function && i < 2; i++)
        function = an_gcno_find(&gcno, difference->ident, difference->line_sums[i]);
    if (function)
        snprintf(called, size, ", %.70s in %.70s:%" PRIu32, function->name, function->file,
                 function->line);
    an_gcno_free(&gcno);
    return function != NULL;
}

/* Says it again with the name of the function, which stands beside one of both files. */
static void name_function(const struct work *work, struct an_error *error)
{
    const struct an_gcc_module *module = work->module;
    const struct an_gcda_difference *difference = &work->plan.difference;
    char called[200];
    if (difference->exists &&
        (find_called(difference, module->inputs[work->number].path, called, sizeof called) ||
         find_called(difference, module->inputs[module->first].path, called, sizeof called)))
        an_gcda_tell_difference(difference, called, error);
}

/* When both were written tells which one is the stray. */
static enum an_code explain_mismatch(struct work *work, struct an_error *error)
{
    char date[DATE_SIZE], first[DATE_SIZE];
    account_for_mismatch(&work->module->entries[work->number], work->bytes);
    name_function(work, error);
    if (work->module->inputs[work->number].bytes)
        return an_error_hint(error, "it is from another build");
    return an_error_hint(error, "it is from another build: written on %s, the first one on %s",
                         date_of(work->file.modified, date), date_of(work->module->written, first));
}

/* `looked`: what a look found, if there has been one. */
static enum an_code add(struct work *work, bool looked, enum an_code found, struct an_error *error)
{
    struct an_gcc_module *module = work->module;
    if (module->used == 0)
        return add_first(work, error);
    if (!looked || an_gcda_is_outdated(&work->plan, &module->gcda))
        found = look(work, error);
    if (found == AN_MISMATCH)
        return explain_mismatch(work, error);
    return found == AN_OK ? apply(work, error) : found;
}

/* ---- taking turns ---- */

/* Adding a file takes some 0.1 ms, and being woken about as long: most waits are over before one would
 * sleep. */
static void wait_for_turn(struct an_gcc_module *module, size_t turn)
{
    enum { YIELDS = 300 };
    for (int i = 0; i < YIELDS && atomic_load(&module->turn) != turn; i++)
        sched_yield();
    pthread_mutex_lock(&module->lock);
    while (module->turn != turn)
        pthread_cond_wait(&module->turned, &module->lock);
    pthread_mutex_unlock(&module->lock);
}

static bool has_first(struct an_gcc_module *module)
{
    pthread_mutex_lock(&module->lock);
    bool has = module->used != 0;
    pthread_mutex_unlock(&module->lock);
    return has;
}

static void settle(struct work *work, enum an_code code, struct an_error *error)
{
    struct an_ledger_entry *entry = &work->module->entries[work->number];
    if (code == AN_OK || code == AN_EMPTY) {
        entry->status = code == AN_OK ? AN_INPUT_USED : AN_INPUT_EMPTY;
        return;
    }
    an_error_in(error, entry->path);
    an_ledger_reject(entry, error);
}

/* Whether it was the last one. */
static bool pass_turn(struct an_gcc_module *module, enum an_code code, const struct an_error *error)
{
    pthread_mutex_lock(&module->lock);
    module->used += code == AN_OK;
    if (code == AN_NO_MEMORY)
        module->error = *error;
    bool last = atomic_fetch_add(&module->turn, 1) + 1 == module->count;
    pthread_cond_broadcast(&module->turned);
    pthread_mutex_unlock(&module->lock);
    return last;
}

static bool take(struct work *work, size_t turn)
{
    struct an_gcc_module *module = work->module;
    struct an_error error;
    work->number = module->numbers[turn];
    enum an_code found = AN_OK, code = load(work, &error);
    if (code == AN_OK)
        code = weigh(work, &error);
    bool looks = code == AN_OK && has_first(module);
    if (looks)
        found = look(work, &error);
    wait_for_turn(module, turn);
    if (code == AN_OK)
        code = add(work, looks, found, &error);
    settle(work, code, &error);
    return pass_turn(module, code, &error);
}

bool an_gcc_module_work(struct an_gcc_module *module)
{
    struct work work = {.module = module};
    bool last = false;
    for (;;) {
        pthread_mutex_lock(&module->lock);
        size_t turn = module->next < module->count ? module->next++ : module->count;
        pthread_mutex_unlock(&module->lock);
        if (turn == module->count)
            break;
        last |= take(&work, turn);
    }
    an_file_close(&work.file);
    an_buffer_free(&work.weighted);
    an_gcda_plan_free(&work.plan);
    return last;
}

void an_gcc_module_begin(struct an_gcc_module *module)
{
    pthread_mutex_init(&module->lock, NULL);
    pthread_cond_init(&module->turned, NULL);
    pthread_rwlock_init(&module->shape, NULL);
}

void an_gcc_module_end(struct an_gcc_module *module)
{
    pthread_mutex_destroy(&module->lock);
    pthread_cond_destroy(&module->turned);
    pthread_rwlock_destroy(&module->shape);
    if (module->used)
        an_gcda_free(&module->gcda);
}
