/* Layouts that take turns; see crossover.h. */
#include "work/crossover.h"

#include <math.h>
#include <stdlib.h>

#include "base/interval.h"
#include "base/memory.h"

/* So many blocks fit into the time: twice those that an interval needs at least. */
enum { BLOCKS = 2 * AN_WORK_FEWEST_SLICES };

/* Of blocks of short turns, so many are looked at before an interval is taken to be narrow: a few may resemble one another by
 * chance. */
enum { FEWEST_SHORT = 4 * AN_WORK_FEWEST_SLICES };

/* The part of a turn in which threads come out of the code before, and the new one gets into the caches: at least this
 * is not counted. */
static const double settling = 0.05;

double an_crossover_length(const struct an_crossover *crossover)
{
    const double least = 0.05, most = 2;
    double usual = crossover->longest / (BLOCKS * 2 * crossover->count);
    if (crossover->turn > 0)
        usual = fmin(usual, crossover->turn);
    return fmin(most, fmax(least, usual));
}

/* How much more work is done in `b` in a block, as a logarithm, with the weights of the estimate. False: none was done in one. */
static bool ratio_of(const struct an_work_reading *a, const struct an_work_reading *b,
                     const struct an_work_estimate *estimate, double *logarithm)
{
    bool is_good = a->cpu && b->cpu;
    *logarithm = 0;
    for (size_t i = 0; is_good && i < AN_WORK_MOST; i++) {
        if (estimate->shares[i].weight <= 0)
            continue;
        is_good = a->entries[i] && b->entries[i];
        if (is_good)
            *logarithm += estimate->shares[i].weight * log((double)b->entries[i] / (double)b->cpu *
                                                           (double)a->cpu / (double)a->entries[i]);
    }
    return is_good;
}

/* Of many blocks, those that were disturbed most do not count. */
static void trim(const struct an_crossover *crossover, unsigned a, unsigned b,
                 struct an_work_estimate *estimate)
{
    const double outer = 0.2;
    const struct an_work_reading *as = crossover->slices[a].items, *bs = crossover->slices[b].items;
    size_t count = crossover->slices[a].count;
    double *ratios = an_alloc_zero(count + 1, sizeof *ratios), mean;
    bool is_good = ratios != NULL;
    for (size_t k = 0; is_good && k < count; k++)
        is_good = ratio_of(&as[k], &bs[k], estimate, &ratios[k]);
    if (is_good) {
        double half = an_interval_trimmed(ratios, count, outer, &mean);
        estimate->value = exp(mean);
        estimate->low = exp(mean - half);
        estimate->high = exp(mean + half);
    }
    free(ratios);
}

void an_crossover_compare(const struct an_crossover *crossover, unsigned a, unsigned b,
                          struct an_work_estimate *estimate)
{
    an_work_compare(crossover->slices[a].items, crossover->slices[b].items,
                    crossover->slices[0].count, crossover->functions, estimate);
    if (estimate->is_known && crossover->turn > 0 && estimate->slices >= FEWEST_SHORT)
        trim(crossover, a, b, estimate);
}

void an_crossover_free(struct an_crossover *crossover)
{
    for (unsigned i = 0; i < AN_CROSSOVER_MOST; i++)
        an_vector_free(&crossover->slices[i]);
}

/* ---- chance ---- */

/* From 0 to below 1 (xorshift64*, S. Vigna). */
static double draw(struct an_crossover *crossover)
{
    uint64_t *state = &crossover->random;
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)(*state * 0x2545f4914f6cdd1dU >> 11) * 0x1p-53;
}

/* ---- a block ---- */

struct block {
    struct an_work_reading sums[AN_CROSSOVER_MOST];
    double first[AN_CROSSOVER_MOST]; /* of two turns, seconds of the first */
    bool is_reversed;
    bool is_whole;
    bool is_spoiled; /* what counts began anew meanwhile */
};

static void begin(struct an_crossover *crossover, struct block *block)
{
    const double shortest = 0.5;
    *block = (struct block){.is_whole = true, .is_reversed = draw(crossover) < 0.5};
    for (unsigned i = 0; i < crossover->count; i++)
        block->first[i] = (shortest + draw(crossover)) * an_crossover_length(crossover);
}

static enum an_code put(struct an_crossover *crossover, const struct an_crossover_driver *driver,
                        unsigned layout, struct an_error *error)
{
    if (crossover->in_force == layout)
        return AN_OK;
    enum an_code code = driver->put(driver->context, layout, error);
    if (code == AN_OK) {
        crossover->in_force = layout;
        crossover->switches++;
    }
    return code;
}

static void pause_counting(const struct an_crossover_driver *driver, bool pauses)
{
    if (driver->pause)
        driver->pause(driver->context, pauses);
}

/* Where counting goes on for a small part of a turn, it does so now and then: what the process does at one moment of the turn
 * says little of the others. False: somebody wants an end. */
static bool pass_counted(const struct an_crossover_driver *driver, double seconds, double duty)
{
    enum { MOST = 8 };
    const double shortest = 0.01;
    double pieces = fmin(MOST, fmax(1, floor(seconds * duty / shortest)));
    bool goes_on = true;
    for (double done = 0; goes_on && done < pieces; done++) {
        pause_counting(driver, true);
        goes_on = driver->pass(driver->context, seconds * (1 - duty) / pieces);
        pause_counting(driver, false);
        goes_on = goes_on && driver->pass(driver->context, seconds * duty / pieces);
    }
    return goes_on;
}

/* Counts in the layout in force, when threads have come into it. */
static enum an_code count_turn(const struct an_crossover *crossover,
                               const struct an_crossover_driver *driver, double length,
                               struct block *block, unsigned index, struct an_error *error)
{
    struct an_work_reading before, after, slice;
    bool is_over, was_over;
    double counted = fmin(crossover->duty, 1 - settling), rest = length * (1 - settling);
    block->is_whole = driver->pass(driver->context, length * settling);
    if (counted >= 1 - settling)
        pause_counting(driver, false);
    enum an_code code = driver->read(driver->context, &before, &was_over, error);
    if (code != AN_OK || !block->is_whole)
        return code;
    if (counted >= 1 - settling)
        block->is_whole = driver->pass(driver->context, rest);
    else
        block->is_whole = pass_counted(driver, rest, counted / (1 - settling));
    code = driver->read(driver->context, &after, &is_over, error);
    pause_counting(driver, true);
    block->is_whole = block->is_whole && code == AN_OK && !is_over && !was_over;
    if (block->is_whole && an_work_slice(&before, &after, &slice))
        an_work_add(&block->sums[index], &slice);
    else
        block->is_spoiled = true;
    return code;
}

/* There and back. */
static enum an_code take_block(struct an_crossover *crossover,
                               const struct an_crossover_driver *driver, struct block *block,
                               struct an_error *error)
{
    enum an_code code = AN_OK;
    unsigned last = crossover->count - 1;
    begin(crossover, block);
    for (unsigned i = 0; code == AN_OK && block->is_whole && i <= 2 * last + 1; i++) {
        bool is_back = i > last;
        unsigned place = is_back ? 2 * last + 1 - i : i;
        unsigned index = block->is_reversed ? last - place : place;
        double length = is_back ? 2 * an_crossover_length(crossover) - block->first[index]
                                : block->first[index];
        code = put(crossover, driver, crossover->layouts[index], error);
        if (code == AN_OK)
            code = count_turn(crossover, driver, length, block, index, error);
    }
    return code;
}

static bool keep(struct an_crossover *crossover, const struct block *block)
{
    for (unsigned i = 0; i < crossover->count; i++) {
        struct an_work_reading *slice = an_vector_push(&crossover->slices[i]);
        if (!slice)
            return false;
        *slice = block->sums[i];
    }
    return true;
}

/* ---- all of them ---- */

/* Whether what the new layout is worth is known well enough, beside each of the others. */
static bool is_narrow(const struct an_crossover *crossover)
{
    bool narrow = crossover->turn <= 0 || crossover->slices[0].count >= FEWEST_SHORT;
    for (unsigned i = 0; i + 1 < crossover->count; i++) {
        struct an_work_estimate estimate;
        an_crossover_compare(crossover, i, crossover->count - 1, &estimate);
        narrow = narrow && estimate.is_known && estimate.high - estimate.low < crossover->narrow;
    }
    return narrow;
}

enum an_code an_crossover_take(struct an_crossover *crossover,
                               const struct an_crossover_driver *driver, struct an_error *error)
{
    double one = an_crossover_length(crossover) * 2 * crossover->count;
    enum an_code code = AN_OK;
    struct block block = {.is_whole = true};
    pause_counting(driver, true);
    for (crossover->seconds = 0; code == AN_OK && block.is_whole; crossover->seconds += one) {
        const double rounding = 1e-9;
        if (crossover->seconds + one > crossover->longest + rounding || is_narrow(crossover))
            break;
        code = take_block(crossover, driver, &block, error);
        if (code == AN_OK && block.is_whole && !block.is_spoiled && !keep(crossover, &block))
            code = an_fail_memory(error);
    }
    return code;
}
