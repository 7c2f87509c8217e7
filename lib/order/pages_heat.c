/*
 * What a layout costs a program that runs on and on: how many pages hold most of what is run (each takes an entry of
 * the instruction TLB, and its lines the caches), and how many calls stay on their page.
 */
#include <stdlib.h>

#include "base/error.h"
#include "order/behaviour.h"

enum { SHARES = 3 };
static const double shares[SHARES] = {0.50, 0.90, 0.99};

/* Each function's heat is spread over its bytes. */
static double spread(const struct an_behaviour *behaviour, const struct an_pages_layout *layout,
                     uint64_t page_size, double *pages, uint64_t first_page, uint64_t page_count)
{
    double all = 0;
    for (uint32_t f = 0; f < behaviour->functions.count; f++) {
        double heat = (double)an_behaviour_heat(behaviour, f), size = 0;
        for (uint32_t i = layout->first[f]; i < layout->first[f + 1]; i++)
            size += (double)layout->places[i].size;
        for (uint32_t i = layout->first[f]; i < layout->first[f + 1] && heat > 0 && size > 0; i++) {
            uint64_t at = layout->places[i].address, end = at + layout->places[i].size;
            while (at < end) {
                uint64_t page = at / page_size, stop = (page + 1) * page_size;
                stop = stop < end ? stop : end;
                if (page - first_page < page_count)
                    pages[page - first_page] += heat * (double)(stop - at) / size;
                at = stop;
            }
        }
        all += size > 0 ? heat : 0;
    }
    return all;
}

static int hotter(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left > right ? -1 : left < right;
}

/* Where a function begins; false when it is nowhere. */
static bool begins(const struct an_pages_layout *layout, uint32_t function, uint64_t *address)
{
    if (layout->first[function] == layout->first[function + 1] ||
        !layout->places[layout->first[function]].size)
        return false;
    *address = layout->places[layout->first[function]].address;
    return true;
}

static bool look_at_calls(const struct an_behaviour *behaviour,
                          const struct an_pages_layout *layout, uint64_t page_size, double *within)
{
    size_t count;
    struct behaviour_call *calls = an_behaviour_calls(behaviour, &count);
    double all = 0, near = 0;
    for (size_t i = 0; calls && i < count; i++) {
        uint64_t from, to;
        if (!begins(layout, calls[i].caller, &from) || !begins(layout, calls[i].callee, &to))
            continue;
        all += (double)calls[i].count;
        near += from / page_size == to / page_size ? (double)calls[i].count : 0;
    }
    *within = all > 0 ? near / all : 0;
    free(calls);
    return calls;
}

enum an_code an_pages_heat(const struct an_behaviour *behaviour,
                           const struct an_pages_layout *layout, uint64_t page_size,
                           struct an_pages_heat *heat, struct an_error *error)
{
    uint64_t first_page = layout->start / page_size;
    uint64_t page_count = layout->end / page_size + 1 - first_page;
    double *pages = an_alloc_zero((size_t)page_count + 1, sizeof *pages);
    *heat = (struct an_pages_heat){0};
    if (!pages || !look_at_calls(behaviour, layout, page_size, &heat->calls_within)) {
        free(pages);
        return an_fail_memory(error);
    }
    double all = spread(behaviour, layout, page_size, pages, first_page, page_count);
    qsort(pages, (size_t)page_count, sizeof *pages, hotter);
    for (int s = 0; s < SHARES; s++) {
        double sum = 0;
        while (heat->pages[s] < page_count && sum < shares[s] * all * (1 - 1e-9))
            sum += pages[heat->pages[s]++];
    }
    free(pages);
    return AN_OK;
}
