/* Carrying out a plan; see apply.h. */
#include "live/apply.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#include "base/pool.h"
#include "live/crowded.h"
#include "live/inside.h"
#include "live/occupied.h"
#include "live/threads.h"
#include "record/memory.h"

struct span { /* places on one page */
    uint64_t page;
    size_t first, count;
    uint8_t *before, *after; /* the page, when something on it changes; else NULL */
    bool has_traps;          /* of somebody else, who may take them back at any time */
};

struct applier {
    struct an_target *target;
    struct an_plan *plan;
    uint64_t most; /* nanoseconds that a stop may take */
    struct {
        AN_VECTOR(struct span);
    } spans;
    uint8_t *pages; /* as they are, one after the other */
    uint8_t *wanted;
    struct an_inside inside;
    struct an_threads threads;
    struct an_crowded crowded;
    struct an_applied *applied;
    struct an_error *error;
};

/* ---- pages ---- */

static bool find_spans(struct applier *applier)
{
    const struct an_plan *plan = applier->plan;
    struct span *span = NULL;
    for (size_t i = 0; i < plan->places.count; i++) {
        uint64_t page = (plan->places.items[i].address + applier->target->bias) / AN_PAGE * AN_PAGE;
        if (!span || span->page != page) {
            span = an_vector_push(&applier->spans);
            if (!span)
                return false;
            *span = (struct span){.page = page, .first = i};
        }
        span->count++;
    }
    applier->pages = an_alloc(applier->spans.count + 1, AN_PAGE);
    applier->wanted = an_alloc(applier->spans.count + 1, AN_PAGE);
    return applier->pages && applier->wanted;
}

/*
 * Before the stop, so that it does not take the time that copying takes: one byte is written as it is,
 * which makes the page the process's own. Pages of data are its own already, or are read-only.
 */
static void touch(const struct applier *applier)
{
    for (size_t i = 0; i < applier->spans.count; i++) {
        const struct span *span = &applier->spans.items[i];
        const struct an_patch_site *place = &applier->plan->places.items[span->first];
        uint64_t address = place->address + applier->target->bias;
        uint8_t byte;
        if (place->is_code && an_target_read(applier->target, address, &byte, 1))
            an_target_write(applier->target, address, &byte, 1);
    }
}

/* Reads all pages, many at a time. */
static bool read_pages(struct applier *applier)
{
    enum { AT_ONCE = 512 };
    struct iovec here[AT_ONCE], there[AT_ONCE];
    for (size_t i = 0; i < applier->spans.count;) {
        size_t count = 0;
        for (; count < AT_ONCE && i + count < applier->spans.count; count++) {
            here[count] = (struct iovec){applier->pages + (i + count) * AN_PAGE, AN_PAGE};
            there[count] =
                (struct iovec){(void *)(uintptr_t)applier->spans.items[i + count].page, AN_PAGE};
        }
        ssize_t got = process_vm_readv(applier->target->living, here, count, there, count, 0);
        if (got != (ssize_t)(count * AN_PAGE))
            return false;
        i += count;
    }
    return true;
}

/* ---- what is to change ---- */

/* Which state a place is in; state_count when it is none of them. */
static uint32_t state_of(const struct an_plan *plan, const struct an_patch_site *place,
                         const uint8_t *bytes)
{
    uint32_t i = 0;
    while (i < place->state_count && memcmp(an_plan_state(plan, place, i), bytes, place->size) != 0)
        i++;
    return i;
}

/* A jump of an older generation to a place that is not what it shall be could come back: it is left
 * alone. (Places of the original come first, and so are known here.) */
static bool leads_well(const struct an_plan *plan, const struct an_patch_site *place)
{
    const struct an_patch_site *target = place->leads_to ? an_plan_at(plan, place->leads_to) : NULL;
    return !target || !(target->is_foreign || target->is_withheld);
}

/* Whether code has an int3 that is not its own: a probe of the kernel, or a breakpoint. */
static bool has_traps(const struct applier *applier, const struct span *span, const uint8_t *now)
{
    enum { TRAP = 0xcc };
    const struct an_target *target = applier->target;
    const uint8_t *at = now;
    for (; (at = memchr(at, TRAP, (size_t)(now + AN_PAGE - at))); at++) {
        uint64_t address = span->page + (uint64_t)(at - now) - target->bias;
        const uint8_t *own = an_elf_at(target->elf, address, 1);
        if (!(own && *own == TRAP) && !an_plan_around(applier->plan, address))
            return true;
    }
    return false;
}

/* Compares a page with what it shall be; marks entries that change. */
static void compare(struct applier *applier, size_t number)
{
    enum { JUMP = 0xe9 };
    struct span *span = &applier->spans.items[number];
    const uint8_t *now = applier->pages + number * AN_PAGE;
    uint8_t *wanted = applier->wanted + number * AN_PAGE;
    span->before = span->after = NULL;
    for (size_t i = 0; i < span->count; i++) {
        struct an_patch_site *place = &applier->plan->places.items[span->first + i];
        size_t at = (size_t)((place->address + applier->target->bias) % AN_PAGE);
        uint32_t state = at + place->size <= AN_PAGE ? state_of(applier->plan, place, now + at)
                                                     : place->state_count;
        place->is_foreign = state == place->state_count;
        place->is_own = state == place->own_state;
        place->is_jump = place->is_entry && at < AN_PAGE && now[at] == JUMP;
        place->changes = state != 0 && !place->is_foreign && !place->is_withheld &&
                         leads_well(applier->plan, place);
        applier->applied->foreign += place->is_foreign;
        if (!place->changes)
            continue;
        if (!span->after)
            memcpy(wanted, now, AN_PAGE);
        span->before = applier->pages + number * AN_PAGE;
        span->after = wanted;
        memcpy(wanted + at, an_plan_state(applier->plan, place, 0), place->size);
        applier->applied->places++;
    }
    span->has_traps = span->after && has_traps(applier, span, now);
}

static void compare_all(struct applier *applier)
{
    applier->applied->foreign = applier->applied->places = 0;
    for (size_t i = 0; i < applier->spans.count; i++)
        compare(applier, i);
}

/* ---- writing ---- */

/*
 * Code, and data that the process itself cannot write: from the first byte that changes to the last, which takes a
 * tenth of the time of single places. Other data: only what changes, since the kernel may write the rest for the
 * process. Code with traps in it, too: one that is removed before this must not come back.
 */
static bool write_span(const struct applier *applier, const struct span *span, const uint8_t *bytes)
{
    const struct an_target *target = applier->target;
    const struct an_target_mapping *mapping = an_target_mapping_at(target, span->page);
    const struct an_patch_site *places = &applier->plan->places.items[span->first];
    if (span->has_traps || (mapping && (mapping->flags & AN_MAP_WRITE))) {
        for (size_t i = 0; i < span->count; i++) {
            uint64_t address = places[i].address + target->bias;
            if (places[i].changes &&
                !an_target_write(target, address, bytes + address % AN_PAGE, places[i].size))
                return false;
        }
        return true;
    }
    size_t first = 0, end = AN_PAGE;
    while (first < end && span->before[first] == span->after[first])
        first++;
    while (end > first && span->before[end - 1] == span->after[end - 1])
        end--;
    return an_target_write(target, span->page + first, bytes + first, end - first);
}

/* Puts back what was written, in the reverse order, so that every state on the way was there before. */
static void take_back(const struct applier *applier, size_t count)
{
    while (count-- > 0) {
        const struct span *span = &applier->spans.items[count];
        if (span->after && !write_span(applier, span, span->before))
            applier->applied->is_torn = true;
    }
    const struct an_find_object_change *first = applier->plan->first;
    if (first && !applier->applied->is_torn && !an_find_object_take_back(applier->target, first))
        applier->applied->is_torn = true;
}

/*
 * The processors that the process's threads have left are free: several threads write, each some spans. The
 * places of the original may be written in any order, and before those of generations.
 */
enum { WRITERS = 4 };

struct writing {
    const struct applier *applier;
    size_t first, count; /* spans */
    bool failed[WRITERS];
};

static void write_part(void *context, size_t part)
{
    struct writing *writing = context;
    size_t end = writing->first + writing->count * (part + 1) / WRITERS;
    for (size_t i = writing->first + writing->count * part / WRITERS; i < end; i++) {
        const struct span *span = &writing->applier->spans.items[i];
        if (span->after && !write_span(writing->applier, span, span->after)) {
            writing->failed[part] = true;
            return;
        }
    }
}

static bool write_spans(const struct applier *applier, size_t first, size_t count)
{
    struct writing writing = {.applier = applier, .first = first, .count = count};
    unsigned processors = an_pool_processors();
    an_pool_run(processors < WRITERS ? processors : WRITERS, WRITERS, write_part, &writing);
    for (size_t i = 0; i < WRITERS; i++)
        if (writing.failed[i])
            return false;
    return true;
}

static enum an_code write_all(struct applier *applier)
{
    const struct an_patch_site *places = applier->plan->places.items;
    const struct an_find_object_change *first = applier->plan->first;
    size_t count = applier->spans.count, original = 0;
    if (first && !an_find_object_make(applier->target, first))
        return an_fail(applier->error, AN_SYSTEM,
                       "cannot tell the dynamic linker of process %d about frames of new code",
                       applier->target->pid);
    while (original < count && !places[applier->spans.items[original].first].is_of_generation)
        original++;
    if (!write_spans(applier, 0, original) || !write_spans(applier, original, count - original)) {
        take_back(applier, count);
        an_fail(applier->error, AN_SYSTEM, "cannot write the memory of process %d",
                applier->target->pid);
        return an_error_hint(applier->error, "nothing was changed");
    }
    for (size_t i = 0; i < count; i++)
        applier->applied->pages += applier->spans.items[i].after != NULL;
    return AN_OK;
}

/* ---- the stop ---- */

static void count_withheld(struct applier *applier)
{
    applier->applied->occupied = 0;
    for (size_t i = 0; i < applier->plan->places.count; i++) {
        const struct an_patch_site *place = &applier->plan->places.items[i];
        applier->applied->occupied += place->is_withheld && !an_patch_site_may_stay(place);
    }
    applier->applied->occupied -= applier->applied->referred;
}

/* All threads are stopped. *again: one was where something changes, and nothing was written. */
static enum an_code act(struct applier *applier, enum an_patience patience, bool *again)
{
    struct an_threads *threads = &applier->threads;
    if (!an_target_is_there(applier->target))
        return an_fail(applier->error, AN_SYSTEM, "process %d now runs another program",
                       applier->target->pid);
    size_t referred;
    struct an_occupation occupied = an_occupied(threads, applier->plan, patience);
    bool is_referred = an_inside_withhold(&applier->inside, threads, applier->plan, &referred);
    applier->applied->referred += referred;
    if (!an_threads_in_time(threads))
        return an_threads_late(threads, applier->error);
    if (occupied.unknown)
        return an_fail(applier->error, AN_SYSTEM, "cannot read a stack of process %d",
                       applier->target->pid);
    *again = occupied.waited_for > 0;
    if (occupied.withheld || is_referred)
        compare_all(applier);
    return *again ? AN_OK : write_all(applier);
}

/* Finds out what is to be written. */
static enum an_code look(struct applier *applier)
{
    enum an_code code = an_target_look(applier->target, applier->error);
    if (code == AN_OK && !read_pages(applier))
        code = an_fail_errno(applier->error, "", "cannot read the memory of the process");
    if (code == AN_OK)
        compare_all(applier);
    return code;
}

/* One stop. What can be found out before it is, to keep it short. */
static enum an_code attempt(struct applier *applier, enum an_patience patience, bool *again)
{
    struct an_threads *threads = &applier->threads;
    enum an_code code = look(applier);
    *again = false;
    if (code != AN_OK)
        return code;
    code = an_threads_stop(threads, applier->most, applier->error);
    bool stood = code == AN_OK;
    if (stood) {
        applier->applied->threads = threads->held;
        code = act(applier, patience, again);
        an_threads_release(threads);
    }
    if (code == AN_SYSTEM && !applier->applied->is_torn && an_target_is_there(applier->target))
        *again = true;
    if (!stood && an_crowded_note(&applier->crowded, threads, applier->error) != AN_OK) {
        *again = false;
        code = AN_UNSUPPORTED;
    }
    double pause = (double)threads->pause * 1e-9;
    if (pause > applier->applied->pause)
        applier->applied->pause = pause;
    return code;
}

/* Threads that stand in an entry leave it soon, but for one that sleeps there. In a block of a loop of few instructions
 * some of many threads may always be. A machine that is too busy to stop them at once may be so for longer. */
static enum an_code attempt_often(struct applier *applier)
{
    enum { ATTEMPTS = 40, SOON = 20, FOR_BLOCKS = 3, A_WHILE = 1000000, LONGER = 100000000 };
    enum an_code code = AN_OK;
    bool again = true;
    for (unsigned i = 0; again && i < ATTEMPTS; i++) {
        const struct timespec wait = {0, i < SOON ? A_WHILE : LONGER};
        if (i)
            nanosleep(&wait, NULL);
        enum an_patience patience = i + 2 >= ATTEMPTS ? AN_WAIT_FOR_NONE
                                    : i >= FOR_BLOCKS ? AN_WAIT_FOR_ENTRIES
                                                      : AN_WAIT_FOR_ALL;
        code = attempt(applier, patience, &again);
        applier->applied->attempts = i + 1;
    }
    return code;
}

enum an_code an_apply(struct an_target *target, struct an_plan *plan, uint64_t most,
                      struct an_applied *applied, struct an_error *error)
{
    struct applier applier = {
        .target = target, .plan = plan, .most = most, .applied = applied, .error = error};
    *applied = (struct an_applied){0};
    an_threads_open(&applier.threads, target);
    enum an_code code = AN_OK;
    if (!find_spans(&applier)) {
        code = an_fail_memory(error);
    } else {
        touch(&applier);
        code = look(&applier);
        if (code == AN_OK)
            code = an_inside_find(target, plan, &applier.inside, error);
        if (code == AN_OK)
            code = attempt_often(&applier);
        count_withheld(&applier);
    }
    an_threads_close(&applier.threads);
    free(applier.pages);
    free(applier.wanted);
    an_vector_free(&applier.spans);
    an_inside_free(&applier.inside);
    return code;
}
