/* Of several builds of a module, one stays; see sum.h. */
#include "gcc/sum.h"

#include <stdlib.h>

#include "base/ledger.h"
#include "base/memory.h"
#include "partial/digest.h"

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

static void reject_build(struct an_gcc_summing *job, const struct an_gcc_build *build,
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
static void choose_build(struct an_gcc_summing *job, struct an_gcc_summed *module,
                         const struct an_names *digests, const size_t *entries)
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

enum an_code an_gcc_sum_choose(struct an_gcc_summing *job, struct an_error *error)
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
