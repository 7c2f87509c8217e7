/*
 * rewrite_recording INPUT OUTPUT
 *
 * Reads a recording of one event with the library's reader (lib/perf/samples.h), and writes what
 * it says with the library's writer (lib/record/perf_writer.h), in the order of time and in rounds.
 * The peers must find the same in both (record/test_perf_writer_peer.sh). Of branches, what they
 * were predicted as is lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "perf/samples.h"
#include "record/perf_writer.h"

enum { IN_ROUND = 50 };

/* A sample, or what happened to a process: then it has a kind. */
struct item {
    bool is_task;
    uint64_t time;
    size_t number;
    struct an_task_event task;
    struct an_branch_sample sample;
    struct an_perf_branch *branches; /* oldest first */
};

struct items {
    AN_VECTOR(struct item);
};

static struct item *add(struct items *items, uint64_t time)
{
    struct item *item = an_vector_push(items);
    if (!item)
        abort();
    *item = (struct item){.time = time, .number = items->count};
    return item;
}

static enum an_code on_task(void *context, const struct an_task_event *event,
                            struct an_error *error)
{
    (void)error;
    struct item *item = add(context, event->time);
    item->is_task = true;
    item->task = *event;
    item->task.name = event->name ? strdup(event->name) : NULL;
    return AN_OK;
}

static enum an_code on_sample(void *context, unsigned thread, const struct an_branch_sample *sample,
                              struct an_error *error)
{
    (void)thread;
    (void)error;
    struct item *item = add(context, sample->time);
    item->sample = *sample;
    item->branches = calloc(sample->branch_count + 1, sizeof *item->branches);
    if (!item->branches)
        abort();
    for (uint64_t i = 0; i < sample->branch_count; i++)
        item->branches[sample->branch_count - 1 - i] =
            (struct an_perf_branch){an_branch_from(sample, i), an_branch_to(sample, i)};
    return AN_OK;
}

static int compare(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static struct an_perf_thread thread_of(uint32_t pid, uint32_t tid)
{
    return (struct an_perf_thread){(int32_t)pid, (int32_t)tid};
}

static void write_mapping(struct an_perf_writer *writer, const struct an_task_event *task)
{
    an_perf_writer_mmap(writer, task->time, thread_of(task->pid, task->tid),
                        &(struct an_proc_map){.start = task->start,
                                              .size = task->length,
                                              .offset = task->file_offset,
                                              .major = task->device_major,
                                              .minor = task->device_minor,
                                              .inode = task->inode,
                                              .protection = task->protection,
                                              .flags = task->flags,
                                              .path = task->name});
}

static void write_task(struct an_perf_writer *writer, const struct an_task_event *task)
{
    struct an_perf_thread thread = thread_of(task->pid, task->tid);
    struct an_perf_thread parent = thread_of(task->parent_pid, task->parent_tid);
    if (task->kind == AN_TASK_MMAP && task->pid != UINT32_MAX)
        write_mapping(writer, task);
    else if (task->kind == AN_TASK_COMM)
        an_perf_writer_comm(writer, task->time, thread, task->name, task->exec);
    else if (task->kind == AN_TASK_FORK)
        an_perf_writer_fork(writer, task->time, thread, parent);
    else if (task->kind == AN_TASK_EXIT)
        an_perf_writer_exit(writer, task->time, thread, parent);
}

static void write_items(struct an_perf_writer *writer, const struct items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        const struct item *item = &items->items[i];
        if (item->is_task)
            write_task(writer, &item->task);
        else
            an_perf_writer_sample(writer, item->time, thread_of(item->sample.pid, item->sample.tid),
                                  item->sample.ip, item->sample.period, item->branches,
                                  item->sample.branch_count);
        if (i % IN_ROUND == IN_ROUND - 1)
            an_perf_writer_round(writer);
    }
}

static enum an_code write_all(const char *path, const struct an_samples_info *info,
                              const struct items *items, struct an_error *error)
{
    struct perf_event_attr attr = {
        .type = info->events[0].type,
        .config = info->events[0].config,
        .sample_freq = info->events[0].period,
        .freq = 1,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
                       PERF_SAMPLE_BRANCH_STACK,
        .branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
        .sample_id_all = 1,
        .exclude_kernel = 1,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .task = 1,
    };
    struct an_perf_writer *writer;
    enum an_code code = an_perf_writer_open(path, &attr, info->events[0].name, &writer, error);
    if (code != AN_OK)
        return code;
    for (size_t i = 0; i < info->build_id_count; i++)
        an_perf_writer_build_id(
            writer, info->build_ids[i].filename,
            (struct an_bytes){info->build_ids[i].bytes, info->build_ids[i].size});
    write_items(writer, items);
    return an_perf_writer_close(writer, error);
}

int main(int argc, char **argv)
{
    struct an_samples *samples = NULL;
    struct items items = {0};
    struct an_error error;
    char text[2048];
    if (argc != 3)
        return 2;
    enum an_code code = an_samples_open(argv[1], NULL, &samples, &error);
    if (code == AN_OK)
        code = an_samples_tasks(samples, on_task, &items, &error);
    if (code == AN_OK)
        code = an_samples_each(samples, 1, on_sample, &items, &error);
    if (code == AN_OK) {
        qsort(items.items, items.count, sizeof *items.items, compare);
        code = write_all(argv[2], an_samples_info(samples), &items, &error);
    }
    if (code != AN_OK)
        fprintf(stderr, "%s\n", an_error_format(&error, text, sizeof text));
    for (size_t i = 0; i < items.count; i++) {
        free((char *)items.items[i].task.name);
        free(items.items[i].branches);
    }
    free(items.items);
    an_samples_close(samples);
    return code != AN_OK;
}
