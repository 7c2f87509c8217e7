/* A pool of threads that lives as long as one batch of tasks; see pool.h. */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MOST_THREADS = 256 };

struct batch {
    atomic_size_t next;
    size_t count;
    void (*task)(void *context, size_t index);
    void *context;
};

static void *work(void *argument)
{
    struct batch *batch = argument;
    for (;;) {
        size_t index = atomic_fetch_add(&batch->next, 1);
        if (index >= batch->count)
            return NULL;
        batch->task(batch->context, index);
    }
}

unsigned an_pool_processors(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 1;
    int count = CPU_COUNT(&allowed);
    return count > 0 ? (unsigned)count : 1;
}

void an_pool_run(unsigned threads, size_t count, void (*task)(void *context, size_t index),
                 void *context)
{
    struct batch batch = {.count = count, .task = task, .context = context};
    pthread_t started[MOST_THREADS];
    unsigned running = 0;
    if (threads > count)
        threads = (unsigned)count;
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    while (running + 1 < threads && pthread_create(&started[running], NULL, work, &batch) == 0)
        running++;
    work(&batch);
    while (running)
        pthread_join(started[--running], NULL);
}
