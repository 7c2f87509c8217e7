/* What the families of profiles are given to merge in a batch; batch.c has the table of them. */
#ifndef AN_TRAIN_BATCH_SOURCES_H
#define AN_TRAIN_BATCH_SOURCES_H

#include <anneal/ledger.h>

#include "base/vector.h"
#include "train/batch.h"

struct an_batch_source {
    struct an_train_run *run;
    struct an_train_profile *profile;
    char *path;
    uint64_t weight;
};

struct an_batch_sources {
    AN_VECTOR(struct an_batch_source);
};

void an_batch_sources_free(struct an_batch_sources *sources);

/* Notes what became of a source. */
void an_batch_account(const struct an_training *training, const struct an_batch_source *source,
                      const struct an_ledger_entry *entry);

/* For merges of LLVM's profiles whose context is the result: counts what they warn of. */
void an_batch_count_warning(void *context, const char *path, const char *name, size_t length,
                            enum an_llvm_warning warning);

/* Merges the sources of a family, at least one, into the batch's folder. It may take them out of the list. */
typedef enum an_code an_batch_merge_family(const struct an_training *training, size_t batch,
                                           struct an_batch_sources *sources,
                                           struct an_error *error);
an_batch_merge_family an_batch_merge_llvm, an_batch_merge_gcc;

/* Into a partial result. */
an_batch_merge_family an_batch_partial_llvm, an_batch_partial_gcc;

#endif
