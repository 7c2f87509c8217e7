/* What became of the profiles of a batch; see batch_sources.h. */
#include "train/batch_sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void an_batch_sources_free(struct an_batch_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        free(sources->items[i].path);
    an_vector_free(sources);
}

static char *problem_of(const struct an_ledger_entry *entry)
{
    char text[2048];
    struct an_error error = entry->error ? *entry->error : (struct an_error){.code = AN_MALFORMED};
    error.file[0] = '\0'; /* a path that is gone in the end */
    return strdup(an_error_format(&error, text, sizeof text));
}

static void add_saturating(uint64_t *sum, uint64_t count, uint64_t weight)
{
    uint64_t product;
    if (__builtin_mul_overflow(count, weight, &product) ||
        __builtin_add_overflow(*sum, product, sum))
        *sum = UINT64_MAX;
}

void an_batch_count_warning(void *context, const char *path, const char *name, size_t length,
                            enum an_llvm_warning warning)
{
    struct an_train_result *result = context;
    (void)path, (void)name, (void)length;
    result->warnings[warning]++;
}

void an_batch_account(const struct an_training *training, const struct an_batch_source *source,
                      const struct an_ledger_entry *entry)
{
    struct an_train_result *result = training->result;
    enum an_train_family family = source->profile->family;
    source->profile->status = entry->status;
    if (entry->status == AN_INPUT_REJECTED) {
        source->profile->problem = problem_of(entry);
        if (source->run->outcome == AN_TRAIN_SUCCEEDED)
            source->run->outcome = AN_TRAIN_BAD_PROFILE;
    }
    if (entry->status != AN_INPUT_USED)
        return;
    source->profile->total_count = entry->total_count;
    result->profiles[family]++;
    add_saturating(&result->totals[family], entry->total_count, source->weight);
}
