/*
 * Where one binary was mapped, in which process, when: turns the addresses of samples into those
 * that the binary itself uses.
 *
 * A program that is linked to fixed addresses has them everywhere; what matters is whether the
 * process ran it. Anything else was moved, by another distance in each process, perhaps in several
 * pieces. A fork inherits mappings, an exec ends them, a new mapping ends what lay in its place.
 * Events are taken in the order of their times, and each sample is looked up at its own: a process is
 * a list of what it had mapped (mapped.h) from which time on.
 */
#ifndef AN_PERF_MAPPINGS_H
#define AN_PERF_MAPPINGS_H

#include "base/map.h"
#include "base/vector.h"
#include "elf/elf.h"
#include "perf/mapped.h"
#include "perf/samples.h"

struct an_mapped_since {
    uint64_t time;
    uint32_t tree;
};

struct an_process {
    uint32_t pid;
    bool has_bias;
    uint64_t first_bias;               /* of its first mapping */
    AN_VECTOR(struct an_mapped_since); /* by time, which differs */
};

/* A file that is looked for among the mappings. */
struct an_mapped_file {
    const struct an_elf *elf;
    const char *name;  /* without folders, when it was recorded */
    const char *other; /* another one that is meant, as perf's list of build-ids tells; or NULL */
};

struct an_mappings {
    struct {
        AN_VECTOR(struct an_process);
    } processes;
    struct an_mapped mapped; /* what they had mapped */
    struct an_map by_pid;    /* index + 1 */
    uint32_t only_pid;       /* the one that is wanted; 0: all */
    bool fixed;              /* the binary's addresses are the process's */
    bool assume_bias; /* what lies elsewhere was moved as far as the first mapping: code that was
                             copied there */
    struct {
        AN_VECTOR(struct an_mapping);
    } everywhere;        /* in all processes at all times, before anything else */
    size_t other_builds; /* mappings of files of that name with another build-id: not taken */
    char seen[256];      /* names of other files that were mapped, for a message */
};

struct an_mappings_options {
    const struct an_mapped_file *files; /* a binary, and layouts of its code */
    size_t file_count;
    bool ignore_build_id; /* take mappings of another build too */
    uint32_t only_pid;    /* 0: all */
};

/* Reads all task events. The caller frees the mappings, also on failure. */
enum an_code an_mappings_read(struct an_mappings *mappings, struct an_samples *samples,
                              const struct an_mappings_options *options, struct an_error *error);
void an_mappings_free(struct an_mappings *mappings);

/* How many of the processes are wanted. */
size_t an_mappings_wanted(const struct an_mappings *mappings);

/* The process of a sample, if it is wanted and it had the binary mapped at that time; else NULL. */
const struct an_process *an_mappings_process(const struct an_mappings *mappings, uint32_t pid,
                                             uint64_t time);

/* What a process had mapped at a time. */
static inline uint32_t an_process_tree(const struct an_process *process, uint64_t time)
{
    size_t low = 0, high = process->count;
    if (high && process->items[high - 1].time <= time)
        return process->items[high - 1].tree;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (process->items[middle].time <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? process->items[low - 1].tree : 0;
}

/* The binary's own address of a process's, or 0 when it is none of the binary's. */
static inline uint64_t an_mappings_address(const struct an_mappings *mappings,
                                           const struct an_process *process, uint64_t time,
                                           uint64_t address)
{
    for (size_t i = 0; i < mappings->everywhere.count; i++) {
        const struct an_mapping *mapping = &mappings->everywhere.items[i];
        if (address - mapping->start < mapping->end - mapping->start)
            return address - mapping->bias;
    }
    if (mappings->fixed)
        return address;
    const struct an_mapping *mapping =
        an_mapped_find(&mappings->mapped, an_process_tree(process, time), address);
    if (mapping)
        return address - mapping->bias;
    return mappings->assume_bias && process->has_bias ? address - process->first_bias : 0;
}

#endif
