/* Looking for references to code; see references.h. */
#include "live/references.h"

#include <stdlib.h>
#include <string.h>

#include "live/threads.h"

enum { RED_ZONE = 128, PIECE = 1 << 20 };

struct search {
    struct an_target *target;
    struct an_code_range *ranges;
    size_t count;
    uint64_t lowest, highest; /* of all ranges */
    uint64_t *piece;
    struct {
        AN_VECTOR(uint64_t);
    } stacks; /* where each thread's begins to be used */
    double *pause;
};

static void bound(struct search *search)
{
    search->lowest = UINT64_MAX;
    search->highest = 0;
    for (size_t i = 0; i < search->count; i++) {
        const struct an_code_range *range = &search->ranges[i];
        if (range->is_referenced)
            continue;
        search->lowest = range->start < search->lowest ? range->start : search->lowest;
        search->highest = range->end > search->highest ? range->end : search->highest;
    }
}

static void look_at(struct search *search, uint64_t word)
{
    for (size_t i = 0; i < search->count; i++)
        if (word >= search->ranges[i].start && word < search->ranges[i].end)
            search->ranges[i].is_referenced = true;
}

static void look_at_words(struct search *search, const uint64_t *words, size_t count)
{
    uint64_t lowest = search->lowest, size = search->highest - lowest;
    for (size_t i = 0; i < count; i++)
        if (words[i] - lowest < size)
            look_at(search, words[i]);
}

/* Memory that cannot be read is none that code could use. */
static void read_memory(struct search *search, uint64_t start, uint64_t end)
{
    for (uint64_t at = start & ~(uint64_t)7; at < end; at += PIECE) {
        size_t size = end - at < PIECE ? (size_t)(end - at) : PIECE;
        if (an_target_read(search->target, at, search->piece, size / 8 * 8))
            look_at_words(search, search->piece, size / 8);
    }
}

static void look_at_registers(struct search *search, const struct user_regs_struct *registers)
{
    uint64_t words[sizeof *registers / 8];
    memcpy(words, registers, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        look_at(search, words[i]);
}

static bool look_at_threads(struct search *search, const struct an_threads *threads)
{
    search->stacks.count = 0;
    for (size_t i = 0; i < threads->list.count; i++) {
        const struct an_thread *thread = &threads->list.items[i];
        uint64_t *stack = thread->is_gone ? NULL : an_vector_push(&search->stacks);
        if (thread->is_gone)
            continue;
        const struct an_target_mapping *mapping =
            an_target_mapping_at(search->target, thread->registers.rsp);
        if (!stack || !mapping)
            return false;
        *stack = thread->registers.rsp - RED_ZONE;
        look_at_registers(search, &thread->registers);
        read_memory(search, *stack, mapping->end);
    }
    return true;
}

static enum an_code stop_and_look(struct search *search, struct an_error *error)
{
    enum { PATIENCE = 40000000 };
    struct an_threads threads = {0};
    enum an_code code = an_target_look(search->target, error);
    if (code == AN_OK)
        code = an_threads_stop(&threads, search->target, PATIENCE, error);
    if (code == AN_OK) {
        if (!look_at_threads(search, &threads))
            code = an_fail(error, AN_SYSTEM, "a thread's stack is not known");
        an_threads_release(&threads);
        double pause = (double)threads.pause * 1e-9;
        *search->pause = pause > *search->pause ? pause : *search->pause;
    }
    an_threads_free(&threads);
    bound(search);
    return code;
}

/* A stack below what is used of it has only what was. */
static uint64_t begin_of_use(const struct search *search, const struct an_target_mapping *mapping)
{
    uint64_t begin = mapping->start;
    for (size_t i = 0; i < search->stacks.count; i++) {
        uint64_t stack = search->stacks.items[i];
        if (stack >= mapping->start && stack < mapping->end && stack > begin)
            begin = stack;
    }
    return begin;
}

static bool is_own_page(const struct search *search, uint64_t address)
{
    for (size_t i = 0; i < search->count; i++)
        if (search->ranges[i].own == address)
            return true;
    return false;
}

static void look_at_memory(struct search *search)
{
    for (size_t i = 0; i < search->target->maps.count; i++) {
        const struct an_target_mapping *mapping = &search->target->maps.items[i];
        if ((mapping->flags & AN_MAP_WRITE) && (mapping->flags & AN_MAP_READ) &&
            search->lowest < search->highest && !is_own_page(search, mapping->start))
            read_memory(search, begin_of_use(search, mapping), mapping->end);
        bound(search);
    }
}

enum an_code an_references_find(struct an_target *target, struct an_code_range *ranges,
                                size_t count, double *pause, struct an_error *error)
{
    struct search search = {.target = target, .ranges = ranges, .count = count, .pause = pause};
    enum an_code code = AN_OK;
    search.piece = an_alloc(PIECE, 1);
    if (!search.piece)
        code = an_fail_memory(error);
    bound(&search);
    if (code == AN_OK)
        code = stop_and_look(&search, error);
    if (code == AN_OK && search.lowest < search.highest) {
        look_at_memory(&search);
        if (search.lowest < search.highest)
            code = stop_and_look(&search, error);
    }
    for (size_t i = 0; code != AN_OK && i < count; i++)
        ranges[i].is_referenced = true;
    free(search.piece);
    an_vector_free(&search.stacks);
    return code;
}
