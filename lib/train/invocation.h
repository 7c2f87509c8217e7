/* What a run is started with: its arguments and its environment. */
#ifndef AN_TRAIN_INVOCATION_H
#define AN_TRAIN_INVOCATION_H

#include <anneal/train.h>

#include "base/memory.h"

struct an_invocation {
    char **arguments, **environment; /* ended by NULL; in the arena */
    struct an_arena arena;
};

struct an_invocation_of {
    const struct an_train_options *options;
    const char *folder; /* of the run */
    size_t workload;    /* its place in the list */
    size_t run;
};

/* False when memory runs out. Free it in either case. */
bool an_invocation_make(struct an_invocation *invocation, const struct an_invocation_of *of);
void an_invocation_free(struct an_invocation *invocation);

/* Whether the program itself depends on the workload. */
bool an_invocation_varies(const struct an_train_options *options);

/* Where in a run's folder its profiles are, and what it printed. */
#define AN_RUN_LLVM "llvm"
#define AN_RUN_GCC "gcc"
#define AN_RUN_OUTPUT "stdout"
#define AN_RUN_ERRORS "stderr"

#endif
