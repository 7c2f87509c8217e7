/*
 * Rates and their intervals from slices of time; see anneal/work.h.
 *
 * The rate of a function is all its entries over all CPU time, R. A slice with c entries and time t is off by
 * (c - R t), and all of these together by 0. As parts of all entries they are the slice's influence on the logarithm of
 * the rate; a weighted sum of logarithms has the weighted sum of influences.
 * How far off the whole may be, interval.h estimates from these.
 */
#include <anneal/work.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/interval.h"
#include "base/memory.h"

_Static_assert((int)AN_WORK_FEWEST_SLICES == (int)AN_INTERVAL_FEWEST, "slices for an interval");

enum {
    FEWEST_ENTRIES = 10,
    FEWEST_FOR_WALL = 10, /* slices */
};

/* ---- slices ---- */

static bool grows(uint64_t before, uint64_t after, uint64_t *difference)
{
    *difference = after - before; /* right also when the counter begins again at 0 */
    return *difference <= INT64_MAX;
}

bool an_work_slice(const struct an_work_reading *before, const struct an_work_reading *after,
                   struct an_work_reading *slice)
{
    struct an_work_reading found = {0};
    bool is_good =
        grows(before->cpu, after->cpu, &found.cpu) && grows(before->wall, after->wall, &found.wall);
    for (size_t i = 0; i < AN_WORK_MOST; i++)
        is_good = grows(before->entries[i], after->entries[i], &found.entries[i]) && is_good;
    *slice = is_good ? found : (struct an_work_reading){0};
    return is_good;
}

double an_work_cost_share(const struct an_work_reading *slice, double cost)
{
    double entries = 0;
    for (size_t i = 0; i < AN_WORK_MOST; i++)
        entries += (double)slice->entries[i];
    return slice->cpu ? entries * cost / ((double)slice->cpu * 1e-9) : 0;
}

double an_work_part(double budget, double cost)
{
    const double aim = 0.8;
    return cost > budget ? aim * budget / cost : 1;
}

void an_work_correct(struct an_work_reading *slice, double cost)
{
    const double least = 0.1;
    double left = 1 - an_work_cost_share(slice, cost);
    slice->cpu = (uint64_t)((double)slice->cpu * (left > least ? left : least));
}

void an_work_add(struct an_work_reading *sum, const struct an_work_reading *slice)
{
    sum->cpu += slice->cpu;
    sum->wall += slice->wall;
    for (size_t i = 0; i < AN_WORK_MOST; i++)
        sum->entries[i] += slice->entries[i];
}

static struct an_work_reading sum_of(const struct an_work_reading *slices, size_t count)
{
    struct an_work_reading sum = {0};
    for (size_t k = 0; k < count; k++)
        an_work_add(&sum, &slices[k]);
    return sum;
}

/* ---- one function ---- */

/* The influences of a function's slices. Nothing, and false, when it has too few entries. */
static bool influence(const struct an_work_reading *slices, size_t count, size_t function,
                      double *influences)
{
    struct an_work_reading sum = sum_of(slices, count);
    double entries = (double)sum.entries[function];
    if (sum.entries[function] < FEWEST_ENTRIES || sum.cpu == 0)
        return false;
    for (size_t k = 0; k < count; k++)
        influences[k] =
            (double)slices[k].entries[function] / entries - (double)slices[k].cpu / (double)sum.cpu;
    return true;
}

/* How far the entries up to the end of each slice are off what the time up to there makes expect: the sum of squares, in
 * entries. */
static double strays(const struct an_work_reading *slices, size_t count, size_t function,
                     bool by_wall)
{
    struct an_work_reading sum = sum_of(slices, count);
    double all = (double)sum.entries[function], off = 0, squares = 0;
    double time = (double)(by_wall ? sum.wall : sum.cpu);
    for (size_t k = 0; time > 0 && k < count; k++) {
        double part = (double)(by_wall ? slices[k].wall : slices[k].cpu) / time;
        off += (double)slices[k].entries[function] - part * all;
        squares += off * off;
    }
    return squares;
}

/* A timer's function is entered so and so often in a second, however much of it the process runs. That shows when CPU
 * time comes in other portions: the entries then stray from it, but never far from the clock on the wall. */
static bool follows_wall(const struct an_work_reading *slices, size_t count, size_t function)
{
    const double much = 6, entry = 1, no_timer = 5000; /* entries in a second of CPU time */
    struct an_work_reading sum = sum_of(slices, count);
    if ((double)sum.entries[function] > no_timer * 1e-9 * (double)sum.cpu)
        return false;
    double by_cpu = strays(slices, count, function, false);
    return count >= FEWEST_FOR_WALL && by_cpu > (double)count * entry &&
           by_cpu > much * strays(slices, count, function, true);
}

/* How far a usual slice is off, as a part of the rate: the median, which a single slice does not move. */
static double usual_deviation(double *influences, size_t count)
{
    for (size_t k = 0; k < count; k++)
        influences[k] = fabs(influences[k]) * (double)count;
    an_interval_sort(influences, count);
    return influences[count / 2];
}

/* Beyond this a function does not count work but something else. */
static const double most_deviation = 0.5;

/* `row`: room for its influences, which are left there. */
static void look_at_function(const struct an_work_reading *slices, size_t count, size_t function,
                             double *row, double *room, struct an_work_share *share)
{
    struct an_work_reading sum = sum_of(slices, count);
    *share = (struct an_work_share){.use = AN_WORK_TOO_FEW, .entries = sum.entries[function]};
    if (sum.cpu)
        share->rate = (double)share->entries / ((double)sum.cpu * 1e-9);
    if (!influence(slices, count, function, row))
        return;
    if (count >= AN_WORK_FEWEST_SLICES)
        share->half_width = an_interval_half_width(row, count, 1 / (double)share->entries);
    memcpy(room, row, count * sizeof *row);
    if (follows_wall(slices, count, function))
        share->use = AN_WORK_WALL_CLOCK;
    else if (usual_deviation(room, count) > most_deviation)
        share->use = AN_WORK_UNSTEADY;
    else
        share->use = AN_WORK_USED;
}

/* ---- several functions ---- */

/* Those that are far less certain than the best one are left out, and the others count by what they know; but as that is
 * only estimated, the best one counts at most twice as much as others that may be as good. False: there is none. */
static bool weigh(struct an_work_share *shares, size_t functions)
{
    const double far = 4;
    double best = HUGE_VAL, sum = 0;
    for (size_t i = 0; i < functions; i++)
        if (shares[i].use == AN_WORK_USED)
            best = fmin(best, shares[i].half_width);
    for (size_t i = 0; i < functions; i++) {
        if (shares[i].use == AN_WORK_USED && shares[i].half_width > far * best)
            shares[i].use = AN_WORK_UNSTEADY;
        if (shares[i].use == AN_WORK_USED)
            sum += shares[i].weight =
                1 / (shares[i].half_width * shares[i].half_width + best * best);
    }
    for (size_t i = 0; i < functions; i++)
        shares[i].weight = sum > 0 ? shares[i].weight / sum : 0;
    return sum > 0;
}

/* The weighted sum of the functions' influences, in `to`; what one entry into each would change. */
static double join(const double *rows, size_t count, const struct an_work_estimate *estimate,
                   size_t functions, double *to)
{
    double grain = 0;
    memset(to, 0, count * sizeof *to);
    for (size_t i = 0; i < functions; i++) {
        const struct an_work_share *share = &estimate->shares[i];
        if (share->use != AN_WORK_USED)
            continue;
        grain += share->weight / (double)share->entries;
        for (size_t k = 0; k < count; k++)
            to[k] += share->weight * rows[i * count + k];
    }
    return grain;
}

/* Takes a straight line out of them. */
static void level(double *influences, size_t count)
{
    double middle = ((double)count - 1) / 2, products = 0, squares = 0;
    for (size_t k = 0; k < count; k++) {
        double x = (double)k - middle;
        products += x * influences[k];
        squares += x * x;
    }
    for (size_t k = 0; k < count; k++)
        influences[k] -= products / squares * ((double)k - middle);
}

/* The second half against the first, which are off by the same in the other direction. Whether chance explains it is
 * judged by what is left without a steady drift, at a far higher level than that of the interval. */
static void look_for_drift(double *influences, size_t count, struct an_work_estimate *estimate)
{
    const double far = 2, least = 1e-3;
    double second = 0;
    for (size_t k = count / 2; k < count; k++)
        second += influences[k];
    estimate->drift = second * 4;
    level(influences, count);
    double error = 2 * an_interval_half_width(influences, count, 0);
    estimate->drifts = fabs(estimate->drift) > fmax(far * error, least);
}

/* With influences in rows, one for each function, and room for one more row. */
static void conclude(const double *rows, double *room, size_t count, size_t functions,
                     struct an_work_estimate *estimate, double logarithm)
{
    double grain = join(rows, count, estimate, functions, room);
    double half = an_interval_half_width(room, count, grain);
    estimate->is_known = true;
    estimate->value = exp(logarithm);
    estimate->low = exp(logarithm - half);
    estimate->high = exp(logarithm + half);
    look_for_drift(room, count, estimate);
}

void an_work_estimate(const struct an_work_reading *slices, size_t count, size_t functions,
                      struct an_work_estimate *estimate)
{
    double *rows = an_alloc_zero(functions + 1, (count + 1) * sizeof *rows), logarithm = 0;
    *estimate = (struct an_work_estimate){.slices = count,
                                          .cpu_seconds = (double)sum_of(slices, count).cpu * 1e-9};
    if (!rows)
        return;
    double *room = rows + functions * count;
    for (size_t i = 0; i < functions; i++)
        look_at_function(slices, count, i, rows + i * count, room, &estimate->shares[i]);
    if (count >= AN_WORK_FEWEST_SLICES && weigh(estimate->shares, functions)) {
        for (size_t i = 0; i < functions; i++)
            if (estimate->shares[i].use == AN_WORK_USED)
                logarithm += estimate->shares[i].weight * log(estimate->shares[i].rate);
        conclude(rows, room, count, functions, estimate, logarithm);
    }
    free(rows);
}

double an_work_at(const struct an_work_estimate *estimate, const struct an_work_reading *slice)
{
    double sum = 0;
    for (size_t i = 0; slice->cpu && i < AN_WORK_MOST; i++) {
        const struct an_work_share *share = &estimate->shares[i];
        if (share->use == AN_WORK_USED && share->weight > 0)
            sum += share->weight * (double)slice->entries[i] / ((double)slice->cpu * 1e-9) /
                   share->rate;
    }
    return sum * estimate->value;
}

/* ---- two processes ---- */

/* A function is used when it is fit in both. The row becomes the difference. */
static void pair(const struct an_work_share *a, const struct an_work_share *b, double *row,
                 const double *other, size_t count, struct an_work_share *share)
{
    *share = *b;
    share->use = a->use != AN_WORK_USED ? a->use : b->use;
    share->entries = a->entries < b->entries ? a->entries : b->entries;
    if (share->use != AN_WORK_USED)
        return;
    for (size_t k = 0; k < count; k++)
        row[k] = other[k] - row[k];
    share->ratio = b->rate / a->rate;
    if (count >= AN_WORK_FEWEST_SLICES)
        share->half_width = an_interval_half_width(
            row, count, hypot(1 / (double)a->entries, 1 / (double)b->entries));
}

/* Whether a function's ratio is farther from that of all than chance explains; the interval at a far higher level. */
static bool is_odd(const struct an_work_share *share, double logarithm)
{
    const double far = 2;
    return share->use == AN_WORK_USED &&
           fabs(log(share->ratio) - logarithm) > far * share->half_width;
}

/* Whether a function says that one process does far more work than the other one, as far as it knows at the least. */
static bool is_far(const struct an_work_share *share)
{
    const double far = 0.4; /* the logarithm of 1.5 */
    return fabs(log(share->ratio)) - share->half_width > far;
}

/*
 * Compilers put a function into its callers in one build and not in the other; then it is entered many times less often. That is
 * no difference of the work if another function sees none of the kind.
 */
static void leave_out_inlined(struct an_work_share *shares, size_t functions)
{
    bool is_one_near = false;
    for (size_t i = 0; i < functions; i++)
        is_one_near = is_one_near || (shares[i].use == AN_WORK_USED && !is_far(&shares[i]));
    for (size_t i = 0; is_one_near && i < functions; i++)
        if (shares[i].use == AN_WORK_USED && is_far(&shares[i]))
            shares[i].use = AN_WORK_INLINED;
}

void an_work_compare(const struct an_work_reading *a, const struct an_work_reading *b, size_t count,
                     size_t functions, struct an_work_estimate *estimate)
{
    double *rows = an_alloc_zero(functions + 2, (count + 1) * sizeof *rows), logarithm = 0;
    struct an_work_share one, other;
    *estimate = (struct an_work_estimate){
        .slices = count,
        .cpu_seconds = (double)(sum_of(a, count).cpu + sum_of(b, count).cpu) * 1e-9};
    if (!rows)
        return;
    double *room = rows + functions * count, *second = room + count;
    for (size_t i = 0; i < functions; i++) {
        look_at_function(a, count, i, rows + i * count, room, &one);
        look_at_function(b, count, i, second, room, &other);
        pair(&one, &other, rows + i * count, second, count, &estimate->shares[i]);
    }
    leave_out_inlined(estimate->shares, functions);
    if (count >= AN_WORK_FEWEST_SLICES && weigh(estimate->shares, functions)) {
        for (size_t i = 0; i < functions; i++)
            if (estimate->shares[i].use == AN_WORK_USED)
                logarithm += estimate->shares[i].weight * log(estimate->shares[i].ratio);
        conclude(rows, room, count, functions, estimate, logarithm);
        for (size_t i = 0; i < functions; i++)
            estimate->disagree = estimate->disagree || is_odd(&estimate->shares[i], logarithm);
    }
    free(rows);
}

const char *an_work_use_name(enum an_work_use use)
{
    static const char *const names[] = {"used", "too few entries", "unsteady", "wall clock",
                                        "inlined"};
    return (size_t)use < sizeof names / sizeof *names ? names[use] : "unknown";
}
