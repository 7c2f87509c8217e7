/* Everything that a recording holds, collected through lib/perf/samples.h, to be compared. */
#ifndef AN_TEST_COLLECT_H
#define AN_TEST_COLLECT_H

#include <pthread.h>

#include "base/bytes.h"
#include "perf/samples.h"

struct collected {
    enum an_code code;
    struct an_error error; /* of what failed: opening, the first walk or the second */
    const char *failed;    /* which of them; NULL when none did */
    struct an_samples *samples;
    struct an_task_event *tasks; /* names are copies */
    size_t task_count;
    struct an_branch_sample *items; /* branches are copies; in order of offset, then of time */
    size_t item_count;
    pthread_mutex_t lock;
    size_t room;
};

/* The recording at path by so many threads. To be freed in any case. */
void collect_path(struct collected *all, const char *path, const struct an_samples_options *options,
                  unsigned threads);

/* The same of bytes, through a file, or through a pipe. */
void collect_bytes(struct collected *all, struct an_bytes bytes,
                   const struct an_samples_options *options, unsigned threads);
void collect_piped(struct collected *all, struct an_bytes bytes, unsigned threads);
void collected_free(struct collected *all);

#endif
