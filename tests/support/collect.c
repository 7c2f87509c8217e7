/* Collecting recordings; see collect.h. */
#include "support/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static enum an_code on_task(void *context, const struct an_task_event *event,
                            struct an_error *error)
{
    struct collected *all = context;
    (void)error;
    all->tasks = must(realloc(all->tasks, (all->task_count + 1) * sizeof *all->tasks));
    struct an_task_event *copy = &all->tasks[all->task_count++];
    *copy = *event;
    if (event->name)
        copy->name = must(strdup(event->name));
    return AN_OK;
}

static enum an_code on_sample(void *context, unsigned thread, const struct an_branch_sample *sample,
                              struct an_error *error)
{
    struct collected *all = context;
    size_t size = (size_t)sample->branch_count * AN_BRANCH_SIZE;
    (void)thread;
    (void)error;
    uint8_t *branches = must(malloc(size + 1));
    if (size)
        memcpy(branches, sample->branches, size);
    pthread_mutex_lock(&all->lock);
    if (all->item_count == all->room) {
        all->room = all->room ? 2 * all->room : 64;
        all->items = must(realloc(all->items, all->room * sizeof *all->items));
    }
    struct an_branch_sample *copy = &all->items[all->item_count++];
    *copy = *sample;
    copy->branches = branches;
    pthread_mutex_unlock(&all->lock);
    return AN_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct an_branch_sample *left = a, *right = b;
    if (left->offset != right->offset)
        return left->offset < right->offset ? -1 : 1;
    return (left->time > right->time) - (left->time < right->time);
}

void collect_path(struct collected *all, const char *path, const struct an_samples_options *options,
                  unsigned threads)
{
    *all = (struct collected){.lock = PTHREAD_MUTEX_INITIALIZER};
    all->failed = "open";
    all->code = an_samples_open(path, options, &all->samples, &all->error);
    if (all->code != AN_OK)
        return;
    all->failed = "tasks";
    all->code = an_samples_tasks(all->samples, on_task, all, &all->error);
    if (all->code != AN_OK)
        return;
    all->failed = "each";
    all->code = an_samples_each(all->samples, threads, on_sample, all, &all->error);
    if (all->code != AN_OK)
        return;
    all->failed = NULL;
    if (all->item_count)
        qsort(all->items, all->item_count, sizeof *all->items, by_place);
}

void collect_bytes(struct collected *all, struct an_bytes bytes,
                   const struct an_samples_options *options, unsigned threads)
{
    char path[40];
    int fd = memfd_create("recording", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes.data, bytes.size) != (ssize_t)bytes.size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    collect_path(all, path, options, threads);
    close(fd);
}

struct pump {
    struct an_bytes bytes;
    int fd;
};

static void *write_all(void *context)
{
    struct pump *pump = context;
    while (pump->bytes.size) {
        ssize_t done = write(pump->fd, pump->bytes.data, pump->bytes.size);
        if (done <= 0)
            abort();
        pump->bytes.data += done;
        pump->bytes.size -= (size_t)done;
    }
    close(pump->fd);
    return NULL;
}

void collect_piped(struct collected *all, struct an_bytes bytes, unsigned threads)
{
    int ends[2];
    char path[40];
    pthread_t writer;
    if (pipe(ends) != 0)
        abort();
    struct pump pump = {bytes, ends[1]};
    if (pthread_create(&writer, NULL, write_all, &pump) != 0)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    collect_path(all, path, NULL, threads);
    pthread_join(writer, NULL);
    close(ends[0]);
}

void collected_free(struct collected *all)
{
    for (size_t i = 0; i < all->task_count; i++)
        free((char *)all->tasks[i].name);
    for (size_t i = 0; i < all->item_count; i++)
        free((uint8_t *)all->items[i].branches);
    free(all->tasks);
    free(all->items);
    an_samples_close(all->samples);
}
