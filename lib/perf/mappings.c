/* Following mmap, fork and exec of a recording; see mappings.h. */
#include "perf/mappings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

struct event {
    enum an_task_kind kind;
    const struct an_mapped_file *file; /* MMAP: which of ours it is; else NULL */
    uint64_t order;                    /* in the file: decides between equal times */
    uint64_t time, start, length, offset;
    uint32_t pid, parent;
};

struct reading {
    struct an_mappings *mappings;
    const struct an_mappings_options *options;
    struct {
        AN_VECTOR(struct event);
    } events;
};

static bool same_build(const struct an_elf *elf, const struct an_task_event *task)
{
    struct an_bytes id = an_elf_build_id(elf);
    return !task->build_id_size || !id.size || task->build_id_size > id.size ||
           memcmp(id.data, task->build_id, task->build_id_size) == 0;
}

/* The file name of a path as perf has it, also of a file that was removed meanwhile. */
static bool has_name(const char *path, const char *name)
{
    size_t length = an_file_linked_length(path);
    const char *slash = memrchr(path, '/', length);
    const char *base = slash ? slash + 1 : path;
    size_t base_length = length - (size_t)(base - path);
    return base_length == strlen(name) && memcmp(base, name, base_length) == 0;
}

/* Keeps the first few names. */
static void remember(struct an_mappings *mappings, const char *path)
{
    const char *name = an_file_name(path);
    size_t used = strlen(mappings->seen), length = strlen(name);
    if (!*name || *path != '/' || used + length + 3 > sizeof mappings->seen ||
        strstr(mappings->seen, name))
        return;
    snprintf(mappings->seen + used, sizeof mappings->seen - used, "%s%s", used ? ", " : "", name);
}

static bool is_file(const struct an_mapped_file *file, const char *path)
{
    return has_name(path, file->name) || (file->other && has_name(path, file->other));
}

/* The file of ours that a mapping is of, or NULL. */
static const struct an_mapped_file *ours(struct reading *reading, const struct an_task_event *task)
{
    const struct an_mappings_options *options = reading->options;
    bool other_build = false;
    if (!task->name || task->name[0] == '[')
        return NULL;
    for (size_t i = 0; i < options->file_count; i++) {
        const struct an_mapped_file *file = &options->files[i];
        if (!is_file(file, task->name))
            continue;
        if (options->ignore_build_id || same_build(file->elf, task))
            return file;
        other_build = true;
    }
    if (other_build)
        reading->mappings->other_builds++;
    else
        remember(reading->mappings, task->name);
    return NULL;
}

static enum an_code take_task(void *context, const struct an_task_event *task,
                              struct an_error *error)
{
    struct reading *reading = context;
    bool wanted = task->kind == AN_TASK_MMAP ? task->executable
                  : task->kind == AN_TASK_COMM
                      ? task->exec
                      : task->kind == AN_TASK_FORK && task->pid != task->parent_pid;
    if (!wanted || task->pid == UINT32_MAX)
        return AN_OK;
    struct event *event = an_vector_push(&reading->events);
    if (!event)
        return an_fail_memory(error);
    *event = (struct event){
        .kind = task->kind,
        .file = task->kind == AN_TASK_MMAP ? ours(reading, task) : NULL,
        .order = reading->events.count,
        .time = task->time,
        .start = task->start,
        .length = task->length,
        .offset = task->file_offset,
        .pid = task->pid,
        .parent = task->parent_pid,
    };
    return AN_OK;
}

static int by_time(const void *a, const void *b)
{
    const struct event *left = a, *right = b;
    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    return (left->order > right->order) - (left->order < right->order);
}

static struct an_process *find(const struct an_mappings *mappings, uint32_t pid)
{
    const uint64_t *index = an_map_find(&mappings->by_pid, pid);
    return index ? &mappings->processes.items[*index - 1] : NULL;
}

static struct an_process *find_or_add(struct an_mappings *mappings, uint32_t pid)
{
    bool is_new;
    uint64_t *index = an_map_insert(&mappings->by_pid, pid, &is_new);
    if (!index)
        return NULL;
    if (is_new) {
        struct an_process *process = an_vector_push(&mappings->processes);
        if (!process)
            return NULL;
        *process = (struct an_process){.pid = pid};
        *index = mappings->processes.count;
    }
    return &mappings->processes.items[*index - 1];
}

/* The tree that holds from a time on, to be changed. NULL when memory runs out. */
static uint32_t *tree_from(struct an_process *process, uint64_t time)
{
    struct an_mapped_since *last = process->count ? &process->items[process->count - 1] : NULL;
    if (last && last->time == time)
        return &last->tree;
    uint32_t tree = last ? last->tree : 0;
    struct an_mapped_since *since = an_vector_push(process);
    if (!since)
        return NULL;
    *since = (struct an_mapped_since){time, tree};
    return &since->tree;
}

/* Ends what was mapped in a range. */
static bool end(struct an_mappings *mappings, struct an_process *process, uint64_t start,
                uint64_t stop, uint64_t time)
{
    uint32_t before = an_process_tree(process, time), tree = before;
    an_mapped_end(&mappings->mapped, &tree, start, stop);
    if (tree == before && !mappings->mapped.failed)
        return true;
    uint32_t *changed = tree_from(process, time);
    if (changed)
        *changed = tree;
    return changed && !mappings->mapped.failed;
}

static bool add(struct an_mappings *mappings, struct an_process *process, struct an_mapping mapping,
                uint64_t time)
{
    uint32_t *tree = tree_from(process, time);
    if (!tree)
        return false;
    an_mapped_add(&mappings->mapped, tree, mapping);
    if (!process->has_bias)
        process->first_bias = mapping.bias;
    process->has_bias = true;
    return !mappings->mapped.failed;
}

/* A child has what its parent has. */
static bool inherit(struct an_mappings *mappings, const struct an_process *parent,
                    struct an_process *child, uint64_t time)
{
    uint32_t tree = an_process_tree(parent, time);
    const struct an_mapping *oldest = an_mapped_oldest(&mappings->mapped, tree);
    if (!oldest)
        return true;
    an_mapped_keep(&mappings->mapped);
    child->has_bias = true;
    child->first_bias = oldest->bias;
    uint32_t *own = tree_from(child, time);
    if (own)
        *own = tree;
    return own != NULL;
}

/* How far a piece of the file, from `offset` on, was moved from where it was linked to. */
static bool bias_of(const struct an_elf *elf, uint64_t start, uint64_t offset, uint64_t *bias)
{
    enum { PAGE = 4096 };
    size_t count;
    const struct an_elf_segment *segment = an_elf_segments(elf, &count);
    for (int executable = 1; executable >= 0; executable--)
        for (size_t i = 0; i < count; i++) {
            uint64_t first = segment[i].offset & ~(uint64_t)(PAGE - 1);
            if (((segment[i].flags & PF_X) != 0) != executable || offset < first ||
                offset >= segment[i].offset + segment[i].file_size)
                continue;
            *bias = start - (segment[i].address - segment[i].offset + offset);
            return true;
        }
    return false;
}

static bool take_mapping(struct reading *reading, const struct event *event)
{
    struct an_mappings *mappings = reading->mappings;
    struct an_process *process = find(mappings, event->pid);
    uint64_t stop = event->start + event->length, bias;
    if (process && stop > event->start && !end(mappings, process, event->start, stop, event->time))
        return false;
    if (!event->file || stop <= event->start)
        return true;
    if (!bias_of(event->file->elf, event->start, event->offset, &bias))
        return true;
    process = find_or_add(mappings, event->pid);
    return process &&
           add(mappings, process, (struct an_mapping){event->start, stop, bias}, event->time);
}

static bool take_fork(struct an_mappings *mappings, const struct event *event)
{
    const struct an_process *parent = find(mappings, event->parent);
    /* what was forked before the recording began has mappings of its own in it */
    if (!parent || event->time == 0 || find(mappings, event->pid))
        return true;
    size_t index = (size_t)(parent - mappings->processes.items);
    struct an_process *child = find_or_add(mappings, event->pid);
    return child && inherit(mappings, &mappings->processes.items[index], child, event->time);
}

static bool take_event(struct reading *reading, const struct event *event)
{
    struct an_mappings *mappings = reading->mappings;
    struct an_process *process = find(mappings, event->pid);
    if (event->kind == AN_TASK_MMAP)
        return take_mapping(reading, event);
    if (event->kind == AN_TASK_FORK)
        return take_fork(mappings, event);
    return !process || end(mappings, process, 0, UINT64_MAX, event->time);
}

static bool replay(struct reading *reading)
{
    bool done = true;
    struct event *events = reading->events.items;
    if (reading->events.count)
        qsort(events, reading->events.count, sizeof *events, by_time);
    for (size_t i = 0; i < reading->events.count && done; i++) {
        if (i && events[i].time != events[i - 1].time)
            an_mapped_keep(&reading->mappings->mapped); /* each moment can be asked for */
        done = take_event(reading, &events[i]);
    }
    return done;
}

enum an_code an_mappings_read(struct an_mappings *mappings, struct an_samples *samples,
                              const struct an_mappings_options *options, struct an_error *error)
{
    *mappings = (struct an_mappings){.fixed = an_elf_is_fixed(options->files[0].elf),
                                     .only_pid = options->only_pid};
    struct reading reading = {.mappings = mappings, .options = options};
    enum an_code code = an_samples_tasks(samples, take_task, &reading, error);
    if (code == AN_OK && !replay(&reading))
        code = an_fail_memory(error);
    an_vector_free(&reading.events);
    return code;
}

void an_mappings_free(struct an_mappings *mappings)
{
    for (size_t i = 0; i < mappings->processes.count; i++)
        an_vector_free(&mappings->processes.items[i]);
    an_vector_free(&mappings->processes);
    an_mapped_free(&mappings->mapped);
    an_vector_free(&mappings->everywhere);
    an_map_free(&mappings->by_pid);
}

const struct an_process *an_mappings_process(const struct an_mappings *mappings, uint32_t pid,
                                             uint64_t time)
{
    bool wanted = !mappings->only_pid || pid == mappings->only_pid;
    const struct an_process *process = wanted ? find(mappings, pid) : NULL;
    return process && an_process_tree(process, time) ? process : NULL;
}

size_t an_mappings_wanted(const struct an_mappings *mappings)
{
    if (!mappings->only_pid)
        return mappings->processes.count;
    return find(mappings, mappings->only_pid) != NULL;
}
