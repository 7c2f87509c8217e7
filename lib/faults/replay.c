/* Replaying mappings and faults; see replay.h. */
#include "faults/replay.h"

#include <string.h>

enum { FILE_SHIFT = 48 }; /* pages of a file have smaller numbers */
enum { HAD_FAULT = 1, HAD_MAJOR = 2 };

/* ---- processes ---- */

static struct an_replay_process *find_process(const struct an_replay *replay, uint32_t pid)
{
    const uint64_t *index = an_map_find(&replay->by_pid, pid);
    return index && *index ? &replay->processes.items[*index - 1] : NULL;
}

static struct an_replay_process *make_process(struct an_replay *replay, uint32_t pid)
{
    bool is_new;
    uint64_t *index = an_map_insert(&replay->by_pid, pid, &is_new);
    if (!index)
        return NULL;
    if (!*index) {
        struct an_replay_process *process = an_vector_push(&replay->processes);
        if (!process)
            return NULL;
        *process = (struct an_replay_process){0};
        *index = replay->processes.count;
    }
    return &replay->processes.items[*index - 1];
}

static void forget_mappings(struct an_replay *replay, uint32_t pid)
{
    struct an_replay_process *process = find_process(replay, pid);
    if (process)
        process->count = 0;
}

/* A thread has the mappings of its process anyway. */
static bool take_fork(struct an_replay *replay, const struct an_fault_event *event)
{
    if (event->pid == event->parent)
        return true;
    forget_mappings(replay, event->pid); /* of another one that had the number before */
    const struct an_replay_process *parent = find_process(replay, event->parent);
    if (!parent || !parent->count)
        return true;
    struct an_replay_process *child = make_process(replay, event->pid);
    parent = find_process(replay, event->parent); /* may have moved */
    if (!child || !an_vector_reserve(child, parent->count))
        return false;
    memcpy(child->items, parent->items, parent->count * sizeof *parent->items);
    child->count = parent->count;
    return true;
}

/* ---- mappings ---- */

static bool add_mapping(struct an_replay_process *process, struct an_replay_mapping mapping)
{
    struct an_replay_mapping *place = an_vector_push(process);
    if (place)
        *place = mapping;
    return place != NULL;
}

/* Takes a range of addresses out of all mappings. */
static bool cut_out(struct an_replay_process *process, uint64_t start, uint64_t end)
{
    for (size_t i = process->count; i-- > 0;) {
        struct an_replay_mapping old = process->items[i];
        if (old.end <= start || old.start >= end)
            continue;
        process->items[i] = process->items[--process->count];
        struct an_replay_mapping rest = old;
        rest.end = start;
        if (old.start < start && !add_mapping(process, rest))
            return false;
        rest = old;
        rest.offset += end - old.start;
        rest.start = end;
        if (old.end > end && !add_mapping(process, rest))
            return false;
    }
    return true;
}

static bool take_mapping(struct an_replay *replay, const struct an_fault_event *event)
{
    struct an_replay_process *process = find_process(replay, event->pid);
    uint64_t start = event->address, end = start + event->length;
    if (end < start)
        end = UINT64_MAX;
    if (process && !cut_out(process, start, end))
        return false;
    if (event->file == AN_NOT_WATCHED)
        return true;
    process = process ? process : make_process(replay, event->pid);
    return process &&
           add_mapping(process, (struct an_replay_mapping){start, end, event->offset, event->file});
}

/* ---- faults ---- */

static const struct an_replay_mapping *find_mapping(const struct an_replay_process *process,
                                                    uint64_t address)
{
    for (size_t i = 0; process && i < process->count; i++)
        if (address >= process->items[i].start && address < process->items[i].end)
            return &process->items[i];
    return NULL;
}

static void count_fault(struct an_faults_text *text, bool is_major, uint64_t had)
{
    text->major += is_major;
    text->minor += !is_major;
    text->fault_pages += !(had & HAD_FAULT);
    text->major_pages += is_major && !(had & HAD_MAJOR);
}

static bool take_fault(struct an_replay *replay, const struct an_fault_event *event)
{
    bool is_major = event->kind == AN_FAULT_MAJOR, is_new;
    replay->major += is_major;
    replay->minor += !is_major;
    const struct an_replay_mapping *mapping =
        find_mapping(find_process(replay, event->pid), event->address);
    if (!mapping)
        return true;
    uint64_t page = (event->address - mapping->start + mapping->offset) / replay->page_size;
    uint64_t *had =
        an_map_insert(&replay->pages, (uint64_t)mapping->file << FILE_SHIFT | page, &is_new);
    if (!had)
        return false;
    count_fault(&replay->files[mapping->file], is_major, *had);
    count_fault(&replay->total, is_major, *had);
    *had |= HAD_FAULT | (is_major ? HAD_MAJOR : 0);
    return true;
}

bool an_replay_take(struct an_replay *replay, const struct an_fault_event *event)
{
    switch (event->kind) {
    case AN_FAULT_MAP:
        return take_mapping(replay, event);
    case AN_FAULT_FORK:
        return take_fork(replay, event);
    case AN_FAULT_EXEC:
        forget_mappings(replay, event->pid);
        return true;
    default:
        return take_fault(replay, event);
    }
}

void an_replay_free(struct an_replay *replay)
{
    for (size_t i = 0; i < replay->processes.count; i++)
        an_vector_free(&replay->processes.items[i]);
    an_vector_free(&replay->processes);
    an_map_free(&replay->by_pid);
    an_map_free(&replay->pages);
}
