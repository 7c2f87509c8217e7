/* Counting the branches of samples on several threads; see sampling.h. */
#include "branch/sampling.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Where the kernel's half of the address space begins. */
#define KERNEL_BASE 0xffff800000000000u

struct worker {
    struct an_sampling result;
    struct an_tally tally;
    char apart[64]; /* no two workers in one cache line */
};

struct work {
    const struct an_samples_info *info;
    const struct an_mappings *mappings;
    const struct an_sampling_options *options;
    const struct an_counted *counted;
    struct worker *workers;
    unsigned threads;
    uint64_t expected; /* samples, as the first walk has seen them */
    bool *loads;       /* by event: it samples memory loads */
};

/* What has no time counts as the last of all. */
static uint64_t time_of(const struct an_branch_sample *sample)
{
    return sample->has_time ? sample->time : UINT64_MAX - 1;
}

static uint32_t locate(const struct work *work, const struct an_process *process, uint64_t time,
                       uint64_t address)
{
    return an_counted_relative(work->counted,
                               an_mappings_address(work->mappings, process, time, address));
}

static bool is_kernel(uint64_t address)
{
    return address >= KERNEL_BASE;
}

/* A sample's branches on their way to the tally. */
struct stack {
    struct worker *worker;
    struct an_tally_branch batch[AN_TALLY_BATCH];
    size_t filled;
    uint32_t next;                  /* where the branch behind was taken */
    struct an_tally_branch pending; /* an entry jump whose predecessor is still to come */
    bool is_pending;
};

static bool emit(struct stack *stack, const struct an_tally_branch *branch)
{
    stack->worker->result.counts.runs += branch->next != AN_TALLY_NOWHERE;
    stack->batch[stack->filled++] = *branch;
    if (stack->filled < AN_TALLY_BATCH)
        return true;
    stack->filled = 0;
    return an_tally_add(&stack->worker->tally, stack->batch, AN_TALLY_BATCH);
}

/* Branches come newest first. What led to an entry jump leads on to where that went. */
static bool push(const struct work *work, struct stack *stack, struct an_tally_branch branch)
{
    if (stack->is_pending && branch.to == stack->pending.from) {
        branch.to = stack->pending.to;
        branch.next = stack->pending.next;
        stack->worker->result.counts.entry_jumps++;
    } else if (stack->is_pending && !emit(stack, &stack->pending)) {
        return false;
    }
    const struct an_entries *entries = work->options->entries;
    stack->is_pending = entries && an_entries_is_jump(entries, branch.from, branch.to);
    if (stack->is_pending) {
        stack->pending = branch;
        return true;
    }
    return emit(stack, &branch);
}

static enum an_code take_branches(const struct work *work, struct worker *worker,
                                  const struct an_process *process,
                                  const struct an_branch_sample *sample, struct an_error *error)
{
    struct stack stack = {.worker = worker, .next = AN_TALLY_NOWHERE};
    uint64_t time = time_of(sample), taken = 0;
    bool done = true;
    if (work->options->use_event_pc && sample->has_ip && sample->ip)
        stack.next = locate(work, process, time, sample->ip);
    for (uint64_t i = 0; i < sample->branch_count && done; i++) {
        uint64_t from = an_branch_from(sample, i), to = an_branch_to(sample, i);
        if ((is_kernel(from) || is_kernel(to)) && !work->options->keep_interrupts)
            continue;
        taken++;
        if (work->options->skip_two_newest && taken <= 2)
            continue;
        struct an_tally_branch branch = {
            locate(work, process, time, from), locate(work, process, time, to), stack.next,
            (an_branch_flags(sample, i) & AN_BRANCH_MISPREDICTED) != 0};
        /* 0 is "unknown" where addresses are the process's own; elsewhere, a place outside */
        stack.next = from || !work->mappings->fixed ? branch.from : AN_TALLY_NOWHERE;
        done = push(work, &stack, branch);
    }
    worker->result.counts.branches += taken;
    worker->result.counts.without_branches += taken == 0;
    done = done && (!stack.is_pending || emit(&stack, &stack.pending)) &&
           (!stack.filled || an_tally_add(&worker->tally, stack.batch, stack.filled));
    return done ? AN_OK : an_fail_memory(error);
}

static bool take_place(const struct work *work, struct worker *worker,
                       const struct an_process *process, const struct an_branch_sample *sample)
{
    struct an_tally_branch place = {.from = locate(work, process, time_of(sample), sample->ip),
                                    .next = AN_TALLY_NOWHERE};
    return an_tally_add_many(&worker->tally, &place, 1, 0);
}

static bool take_load(const struct work *work, struct worker *worker,
                      const struct an_process *process, const struct an_branch_sample *sample)
{
    uint64_t time = time_of(sample);
    uint64_t own = an_mappings_address(work->mappings, process, time, sample->addr);
    struct an_memory_sample *load = an_vector_push(&worker->result.memory);
    if (load)
        *load = (struct an_memory_sample){
            an_mappings_address(work->mappings, process, time, sample->ip),
            own ? own : sample->addr};
    return load != NULL;
}

static const struct an_process *process_of(const struct work *work,
                                           const struct an_branch_sample *sample)
{
    return an_mappings_process(work->mappings, sample->pid, time_of(sample));
}

/* The first thread speaks for all: each takes about as many. */
static void tell(const struct work *work, uint64_t taken)
{
    enum { NOW_AND_THEN = 4096 };
    if (!work->options->progress || taken % NOW_AND_THEN || !work->expected)
        return;
    uint64_t all = taken * work->threads;
    work->options->progress(work->options->context, all < work->expected ? all : work->expected,
                            work->expected);
}

static enum an_code take(void *context, unsigned thread, const struct an_branch_sample *sample,
                         struct an_error *error)
{
    struct work *work = context;
    struct worker *worker = &work->workers[thread];
    struct an_sampling *result = &worker->result;
    result->counts.samples++;
    if (thread == 0)
        tell(work, result->counts.samples);
    const struct an_process *process = process_of(work, sample);
    bool nowhere = work->options->no_branches && work->mappings->fixed && !sample->ip;
    if (!process || nowhere)
        return AN_OK;
    result->counts.matching++;
    if (sample->event < 64)
        result->events_seen |= (uint64_t)1 << sample->event;
    if (sample->has_addr && work->loads[sample->event] && !take_load(work, worker, process, sample))
        return an_fail_memory(error);
    if (!work->options->no_branches)
        return take_branches(work, worker, process, sample, error);
    return !sample->has_ip || take_place(work, worker, process, sample) ? AN_OK
                                                                        : an_fail_memory(error);
}

static bool join(struct an_sampling *all, const struct an_sampling *part)
{
    struct an_sampling_counts *sum = &all->counts;
    sum->samples += part->counts.samples;
    sum->matching += part->counts.matching;
    sum->without_branches += part->counts.without_branches;
    sum->branches += part->counts.branches;
    sum->entry_jumps += part->counts.entry_jumps;
    sum->runs += part->counts.runs;
    all->events_seen |= part->events_seen;
    for (size_t i = 0; i < part->memory.count; i++) {
        struct an_memory_sample *load = an_vector_push(&all->memory);
        if (!load)
            return false;
        *load = part->memory.items[i];
    }
    return true;
}

static bool prepare(struct work *work, unsigned threads)
{
    size_t events = work->info->event_count;
    work->workers = an_alloc_zero(threads, sizeof *work->workers);
    work->loads = an_alloc_zero(events + 1, sizeof *work->loads);
    for (size_t i = 0; i < events && work->loads; i++)
        work->loads[i] =
            work->info->events[i].name && strstr(work->info->events[i].name, "mem-loads") != NULL;
    return work->workers && work->loads;
}

enum an_code an_sampling_check(const struct an_samples *samples, struct an_error *error)
{
    const struct an_samples_info *info = an_samples_info(samples);
    for (size_t i = 0; i < info->event_count; i++) {
        if (!(info->events[i].branch_type & PERF_SAMPLE_BRANCH_CALL_STACK))
            continue;
        an_fail(error, AN_UNSUPPORTED, "its entries are frames of call stacks, not branches");
        return an_error_hint(error, "record with -j any,u, without --call-graph lbr");
    }
    return AN_OK;
}

enum an_code an_sampling_read(struct an_sampling *sampling, struct an_counted *counted,
                              struct an_samples *samples, const struct an_mappings *mappings,
                              const struct an_sampling_options *options, struct an_error *error)
{
    *sampling = (struct an_sampling){0};
    unsigned threads = an_samples_threads(options->threads);
    struct work work = {.info = an_samples_info(samples),
                        .mappings = mappings,
                        .options = options,
                        .counted = counted};
    counted->places = options->no_branches;
    enum an_code code = prepare(&work, threads) ? AN_OK : an_fail_memory(error);
    if (code == AN_OK)
        code = an_samples_each(samples, threads, take, &work, error);
    for (unsigned i = 0; i < threads && work.workers; i++) {
        struct an_sampling *part = &work.workers[i].result;
        if (i == 0) {
            *sampling = *part; /* taken over, not copied */
            counted->tally = work.workers[i].tally;
            continue;
        }
        if (code == AN_OK &&
            (!join(sampling, part) || !an_tally_join(&counted->tally, &work.workers[i].tally)))
            code = an_fail_memory(error);
        an_tally_free(&work.workers[i].tally);
        an_sampling_free(part);
    }
    free(work.workers);
    free(work.loads);
    return code;
}

void an_sampling_free(struct an_sampling *sampling)
{
    an_vector_free(&sampling->memory);
}

struct longest {
    uint64_t *of_thread;
};

static enum an_code measure(void *context, unsigned thread, const struct an_branch_sample *sample,
                            struct an_error *error)
{
    struct longest *longest = context;
    (void)error;
    if (sample->branch_count > longest->of_thread[thread])
        longest->of_thread[thread] = sample->branch_count;
    return AN_OK;
}

enum an_code an_sampling_longest(struct an_samples *samples, unsigned threads, uint64_t *longest,
                                 struct an_error *error)
{
    threads = an_samples_threads(threads);
    struct longest measured = {an_alloc_zero(threads, sizeof *measured.of_thread)};
    if (!measured.of_thread)
        return an_fail_memory(error);
    enum an_code code = an_samples_each(samples, threads, measure, &measured, error);
    *longest = 0;
    for (unsigned i = 0; i < threads; i++)
        if (measured.of_thread[i] > *longest)
            *longest = measured.of_thread[i];
    free(measured.of_thread);
    return code;
}
