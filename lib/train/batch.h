/*
 * From the profiles of single runs to merged ones.
 *
 *     WORK/run/0/llvm/...  gcc/...   ┐ a batch of     WORK/merged/000000/3.profdata   ┐ at the
 *     WORK/run/1/llvm/...  gcc/...   ├ neighbours ─►                    /gcc/...      ├ end ─► one
 *     ...                            ┘                WORK/merged/000001/...          ┘
 *
 * A batch is merged as soon as all its runs have ended, and then their folders can go: so the disk holds the
 * profiles of some runs only, and the result does not depend on which of them was faster.
 *
 * Weights are applied to whole merges: runs of one weight are merged as they are, and the sum is multiplied. (To
 * add a profile with a weight to others is not quite the same with LLVM's values, docs/reference/merge.md.)
 */
#ifndef AN_TRAIN_BATCH_H
#define AN_TRAIN_BATCH_H

#include <anneal/train.h>

#include "base/map.h"
#include "base/memory.h"

enum { AN_BATCH_RUNS = 32 };

/* The partial result of a batch's runs, when the whole is to be one, too. */
#define AN_BATCH_PARTIAL "of-runs.partial"

/* Names of profiles, each kept once however many runs leave it. */
struct an_train_names {
    struct an_names names;
    struct an_arena arena;
};

/* What a training works with. */
struct an_training {
    const struct an_train_options *options;
    struct an_train_result *result;
    const char *work; /* the folder */
};

/* The folder of a run, to be freed; NULL: no memory. */
char *an_training_run_folder(const struct an_training *training, size_t run);

/* Notes which profiles a run left. */
enum an_code an_batch_note(const struct an_training *training, size_t run, struct an_error *error);

/* Whether what a run left is to be merged. */
bool an_batch_takes(const struct an_training *training, const struct an_train_run *run);

/*
 * Merges the runs of a batch, those that are taken. Their profiles get their status; a run with one that is
 * rejected becomes AN_TRAIN_BAD_PROFILE, if it had succeeded.
 */
enum an_code an_batch_merge(const struct an_training *training, size_t batch,
                            struct an_error *error);

/* What all batches together are. */
struct an_merged {
    void *llvm; /* a profile in bytes; NULL: none, or without functions */
    size_t llvm_size;
    void *partial; /* instead of both: a partial result, of `family` */
    size_t partial_size;
    enum an_train_family family;
    struct an_train_names names;   /* of GCC's modules: paths without the slash they begin with */
    struct an_gcc_merged *modules; /* for each of them */
};

/* Merges all batches. Free *merged in any case. */
enum an_code an_batch_merge_all(const struct an_training *training, struct an_merged *merged,
                                struct an_error *error);
void an_merged_free(struct an_merged *merged);

/* The same where a partial result is made. */
enum an_code an_batch_merge_partials(const struct an_training *training, struct an_merged *merged,
                                     struct an_error *error);

#endif
