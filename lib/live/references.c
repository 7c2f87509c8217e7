/* Looking for references to code; see references.h. */
#include "live/references.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "live/pages.h"
#include "live/stacks.h"

enum { RED_ZONE = 128, GUARD = 48 };

/*
 * The part of a thread's stack below what it uses: old return addresses lie there for long, and mean nothing,
 * unless a context sleeps there (makecontext() with a stack in an array). Such a context is known
 * somewhere by the address of its stack: from the lowest address that something has, the part counts.
 */
struct unused {
    uint64_t start, end, lowest;
};

struct search {
    struct an_target *target;
    struct an_pages pages;
    pthread_mutex_t mutex; /* of what is found, by several hands (hands.h) */
    bool failed;           /* memory is not known */
    struct an_code_range *ranges;
    size_t count;
    uint64_t lowest, highest;          /* of all ranges */
    uint64_t probes_start, probes_end; /* [uprobes]; 0 and 0: there is none */
    bool is_in_kernel;                 /* a return address is */
    uint64_t guard;                    /* of the C library */
    uint64_t *piece;
    struct {
        AN_VECTOR(struct unused);
    } unused;      /* by address, once all threads have been looked at */
    uint64_t most; /* nanoseconds that a stop may take */
    double *pause;
    struct an_threads threads;
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

static bool is_of_probes(const struct search *search, uint64_t word)
{
    return word - search->probes_start < search->probes_end - search->probes_start;
}

/* In the text of maps; 0 and 0 when there is none. */
static void find_in_maps(const char *maps, uint64_t *start, uint64_t *end)
{
    unsigned long long first = 0, last = 0;
    const char *at = strstr(maps, "[uprobes]\n");
    while (at && at > maps && at[-1] != '\n')
        at--;
    bool found = at && sscanf(at, "%llx-%llx", &first, &last) == 2;
    *start = found ? first : 0;
    *end = found ? last : 0;
}

/* Before the stop, since the kernel takes a while to list what many threads have. */
static bool find_probes(struct search *search)
{
    struct an_buffer text;
    if (!an_proc_text(search->target->living, "maps", &text))
        return false;
    find_in_maps((const char *)text.data, &search->probes_start, &search->probes_end);
    an_buffer_free(&text);
    return true;
}

/* The page comes into being when the first probe is hit. If that may have been before the stop, a return address may
 * be in the kernel. */
static bool check_probes(struct search *search)
{
    uint64_t before = search->probes_start;
    bool known = find_probes(search);
    search->is_in_kernel = search->is_in_kernel || search->probes_start != before;
    for (size_t i = 0; known && search->is_in_kernel && i < search->count; i++)
        search->ranges[i].is_referenced = true;
    return known;
}

static void mark(struct search *search, struct an_code_range *range, bool is_in_kernel)
{
    pthread_mutex_lock(&search->mutex);
    range->is_referenced = true;
    search->is_in_kernel = search->is_in_kernel || is_in_kernel;
    pthread_mutex_unlock(&search->mutex);
}

static void look_at(struct search *search, uint64_t word)
{
    bool is_in_kernel = is_of_probes(search, word);
    for (size_t i = 0; i < search->count; i++)
        if (is_in_kernel || (word >= search->ranges[i].start && word < search->ranges[i].end))
            mark(search, &search->ranges[i], is_in_kernel);
}

/* What setjmp() keeps is disguised: glibc's PTR_MANGLE, with a number that all threads have at %fs:48. */
static uint64_t revealed(const struct search *search, uint64_t word)
{
    return (word >> 17 | word << 47) ^ search->guard;
}

/* The unused part that an address is in, or NULL. */
static struct unused *unused_at(const struct search *search, uint64_t address)
{
    size_t low = 0, high = search->unused.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (search->unused.items[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    bool inside = low < search->unused.count && search->unused.items[low].start <= address;
    return inside ? &search->unused.items[low] : NULL;
}

static void lower(struct search *search, struct unused *unused, uint64_t address)
{
    pthread_mutex_lock(&search->mutex);
    if (address < unused->lowest)
        unused->lowest = address;
    pthread_mutex_unlock(&search->mutex);
}

static void look_at_words(struct search *search, const uint64_t *words, size_t count)
{
    uint64_t first = search->unused.count ? search->unused.items[0].start : 0;
    uint64_t span =
        search->unused.count ? search->unused.items[search->unused.count - 1].end - first : 0;
    uint64_t lowest = search->lowest, size = search->highest - lowest;
    for (size_t i = 0; i < count; i++) {
        if (words[i] - lowest < size || is_of_probes(search, words[i]))
            look_at(search, words[i]);
        if (revealed(search, words[i]) - lowest < size)
            look_at(search, revealed(search, words[i]));
        struct unused *unused = words[i] - first < span ? unused_at(search, words[i]) : NULL;
        if (unused)
            lower(search, unused, words[i]);
    }
}

static void look_at_bytes(void *context, uint64_t address, const void *bytes, size_t size)
{
    (void)address;
    look_at_words(context, bytes, size / 8);
}

static void fail(struct search *search)
{
    pthread_mutex_lock(&search->mutex);
    search->failed = true;
    pthread_mutex_unlock(&search->mutex);
}

static void read_memory(struct search *search, uint64_t start, uint64_t end)
{
    if (!an_pages_each(&search->pages, start & ~(uint64_t)7, end, search->piece, look_at_bytes,
                       search))
        fail(search);
}

/* A stack that is long, while others are read. */
static void read_stack(struct search *search, uint64_t start, uint64_t end)
{
    void *piece = an_alloc(AN_PIECE, 1);
    if (!piece || !an_pages_each(&search->pages, start, end, piece, look_at_bytes, search))
        fail(search);
    free(piece);
}

static void look_at_registers(struct search *search, const struct user_regs_struct *registers)
{
    uint64_t words[sizeof *registers / 8];
    memcpy(words, registers, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        look_at(search, words[i]);
}

static bool add_unused(struct search *search, const struct an_target_mapping *mapping, uint64_t end)
{
    if (!an_target_is_stack(search->target, mapping) || end <= mapping->start)
        return true;
    struct unused *unused = an_vector_push(&search->unused);
    if (unused)
        *unused = (struct unused){mapping->start, end, UINT64_MAX};
    return unused != NULL;
}

static int by_address(const void *one, const void *other)
{
    const struct unused *a = one, *b = other;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* False when a thread's stack is not known, since it is new. */
static bool find_stacks(struct search *search, const struct an_threads *threads)
{
    bool has_guard = false;
    search->unused.count = 0;
    for (size_t i = 0; i < threads->list.count; i++) {
        const struct an_thread *thread = &threads->list.items[i];
        const struct an_target_mapping *mapping =
            thread->is_gone ? NULL : an_target_mapping_at(search->target, thread->registers.rsp);
        if (thread->is_gone)
            continue;
        if (!mapping || !add_unused(search, mapping, thread->registers.rsp - RED_ZONE))
            return false;
        has_guard = has_guard || an_target_read(search->target, thread->registers.fs_base + GUARD,
                                                &search->guard, sizeof search->guard);
    }
    if (search->unused.count)
        qsort(search->unused.items, search->unused.count, sizeof *search->unused.items, by_address);
    return true;
}

static void look_at_stack(void *context, const struct an_stack *stack)
{
    struct search *search = context;
    look_at_registers(search, &stack->thread->registers);
    if (!an_threads_in_time(&search->threads))
        fail(search); /* there may be a better moment */
    else if (stack->words)
        look_at_words(search, stack->words, stack->count);
    else
        read_stack(search, stack->start, stack->mapping->end);
}

static bool look_at_threads(struct search *search, struct an_threads *threads)
{
    return find_stacks(search, threads) && an_stacks_each(threads, RED_ZONE, look_at_stack, search);
}

static enum an_code unknown(struct an_error *error)
{
    return an_fail(error, AN_SYSTEM, "a thread's stack, or what is mapped, is not known");
}

static enum an_code stop_and_look(struct search *search, struct an_error *error)
{
    struct an_threads *threads = &search->threads;
    enum an_code code = an_target_look(search->target, error);
    if (code == AN_OK && !find_probes(search))
        code = unknown(error);
    if (code != AN_OK)
        return code;
    code = an_threads_stop(threads, search->most, error);
    if (code == AN_OK) {
        bool known = look_at_threads(search, threads);
        an_threads_release(threads);
        if (!known || !check_probes(search))
            code = unknown(error);
    }
    double pause = (double)threads->pause * 1e-9;
    *search->pause = pause > *search->pause ? pause : *search->pause;
    bound(search);
    return code;
}

static bool is_own_page(const struct search *search, uint64_t address)
{
    for (size_t i = 0; i < search->count; i++)
        if (search->ranges[i].own == address)
            return true;
    return false;
}

static bool is_done(const struct search *search)
{
    return search->lowest >= search->highest;
}

/* All that can be written, but for unused parts of stacks: these last, from where something refers to. */
static void look_at_memory(struct search *search)
{
    for (size_t i = 0; i < search->target->maps.count && !is_done(search); i++) {
        const struct an_target_mapping *mapping = &search->target->maps.items[i];
        const struct unused *unused = unused_at(search, mapping->start);
        if ((mapping->flags & AN_MAP_WRITE) && (mapping->flags & AN_MAP_READ) &&
            an_pages_are_memory(mapping) && !is_own_page(search, mapping->start))
            read_memory(search, unused ? unused->end : mapping->start, mapping->end);
        bound(search);
    }
    for (size_t i = 0; i < search->unused.count && !is_done(search); i++) {
        const struct unused *unused = &search->unused.items[i];
        if (unused->lowest < unused->end)
            read_memory(search, unused->lowest, unused->end);
        bound(search);
    }
}

enum an_code an_references_find(struct an_target *target, struct an_code_range *ranges,
                                size_t count, uint64_t most, double *pause, struct an_error *error)
{
    struct search search = {
        .target = target, .ranges = ranges, .count = count, .most = most, .pause = pause};
    enum an_code code = AN_OK;
    search.piece = an_alloc(AN_PIECE, 1);
    if (!search.piece)
        code = an_fail_memory(error);
    an_pages_open(&search.pages, target);
    pthread_mutex_init(&search.mutex, NULL);
    an_threads_open(&search.threads, target);
    bound(&search);
    if (code == AN_OK)
        code = stop_and_look(&search, error);
    if (code == AN_OK && !is_done(&search)) {
        look_at_memory(&search);
        if (!is_done(&search))
            code = stop_and_look(&search, error);
    }
    if (code == AN_OK && search.failed)
        code = an_fail(error, AN_SYSTEM, "cannot read the memory of process %d", target->pid);
    for (size_t i = 0; i < count; i++) {
        ranges[i].is_referenced = ranges[i].is_referenced || code != AN_OK;
        ranges[i].may_be_in_kernel = search.is_in_kernel;
    }
    an_threads_close(&search.threads);
    pthread_mutex_destroy(&search.mutex);
    an_pages_close(&search.pages);
    free(search.piece);
    an_vector_free(&search.unused);
    return code;
}
