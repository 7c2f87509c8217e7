/* lib/work/crossover: layouts of a made-up process take turns. */
#include "work/crossover.h"

#include <math.h>

#include "support/test.h"

struct process {
    double rates[8]; /* entries in a second of CPU time, by the layout's number */
    double drift;    /* the part by which all rates grow in a second */
    double cycle;    /* by this part more and less, in four seconds */
    double noise;    /* every other second has more by this part, and those between less */
    double
        chance; /* the standard deviation of the part by which chance changes the rate of a pass */
    uint64_t random; /* not 0 */
    unsigned in_force, puts;
    unsigned fails_at; /* the put that fails; 0: none */
    double now, ends_at, work;
    double longest, times[8]; /* seconds: of a pass; of all passes in a layout */
    char order[64];           /* the layouts of the turns that passed */
    size_t turns;
    bool pauses;
    double counted;   /* seconds */
    double restarts;  /* then the counter begins anew; 0: never */
    double disturbed; /* the share of seconds, by chance, in which the rate is 30 % lower */
};

static enum an_code put(void *context, unsigned layout, struct an_error *error)
{
    struct process *process = context;
    if (++process->puts == process->fails_at)
        return an_fail(error, AN_SYSTEM, "a thread does not stop");
    process->in_force = layout;
    return AN_OK;
}

static enum an_code read_work(void *context, struct an_work_reading *reading, bool *is_over,
                              struct an_error *error)
{
    struct process *process = context;
    const double second = 1e9;
    (void)error;
    *is_over = process->ends_at > 0 && process->now >= process->ends_at;
    *reading = (struct an_work_reading){
        .cpu = (uint64_t)(process->counted * second),
        .wall = (uint64_t)(process->now * second),
        .entries = {(uint64_t)process->work, (uint64_t)(2 * process->work)},
    };
    return AN_OK;
}

/* About normal, as a sum of twelve numbers from 0 to 1 (xorshift64). */
static double by_chance(struct process *process)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        process->random ^= process->random << 13;
        process->random ^= process->random >> 7;
        process->random ^= process->random << 17;
        sum += (double)(process->random >> 11) * 0x1p-53;
    }
    return process->chance * sum;
}

static bool pass(void *context, double seconds)
{
    struct process *process = context;
    double phase = (int)process->now % 2 ? process->noise : -process->noise;
    double rate = process->rates[process->in_force] *
                  (1 + process->drift * process->now + phase + by_chance(process));
    if (process->disturbed > 0 && fmod(process->now * 7.3, 1) < process->disturbed)
        rate *= 0.7;
    if (process->restarts > 0 && process->now >= process->restarts && seconds > 0.1)
        process->restarts = process->work = 0; /* and not between two readings */
    if (!process->pauses) {
        process->counted += seconds;
        process->work += rate * seconds;
        process->work += process->rates[process->in_force] * process->cycle *
                         (sin(process->now * M_PI_2) - sin((process->now + seconds) * M_PI_2)) /
                         M_PI_2;
    }
    process->now += seconds;
    process->longest = fmax(process->longest, seconds);
    process->times[process->in_force] += seconds;
    if (seconds > 0.1 && process->turns + 1 < sizeof process->order)
        process->order[process->turns++] = (char)('0' + process->in_force);
    return process->ends_at >= 0 || process->now < -process->ends_at;
}

static void pause_counting(void *context, bool pauses)
{
    struct process *process = context;
    process->pauses = pauses;
}

static struct an_crossover two(double longest)
{
    return (struct an_crossover){.layouts = {0, 4},
                                 .count = 2,
                                 .functions = 2,
                                 .duty = 1,
                                 .longest = longest,
                                 .narrow = 0.01,
                                 .random = 1,
                                 .in_force = 4};
}

static enum an_code take(struct an_crossover *crossover, struct process *process,
                         struct an_error *error)
{
    const struct an_crossover_driver driver = {put, read_work, pass, pause_counting, process};
    process->in_force = crossover->in_force;
    return an_crossover_take(crossover, &driver, error);
}

/* Steady work is known as soon as there are enough blocks. Each goes there and back, from either end, and each layout has
 * the same time; a layout stays over the seam of two blocks. */
static void test_order(void **context)
{
    struct process process = {.rates = {[0] = 10000, [4] = 10600}};
    struct an_crossover crossover = two(24);
    struct an_work_estimate gain;
    struct an_error error;
    unsigned reversed = 0, switches = 1; /* from the new one, or between two blocks */
    (void)context;
    assert_int_equal(take(&crossover, &process, &error), AN_OK);
    assert_int_equal(crossover.slices[0].count, AN_WORK_FEWEST_SLICES);
    assert_int_equal(process.turns, 4 * AN_WORK_FEWEST_SLICES);
    for (size_t i = 0; i < process.turns; i += 4) {
        bool is_reversed = process.order[i] == '4';
        assert_memory_equal(process.order + i, is_reversed ? "4004" : "0440", 4);
        reversed += is_reversed;
    }
    for (size_t i = 1; i < process.turns; i++)
        switches += process.order[i] != process.order[i - 1];
    switches -= process.order[0] == '4';
    check(reversed > 0 && reversed < AN_WORK_FEWEST_SLICES, "%u reversed", reversed);
    assert_int_equal(crossover.switches, switches);
    check(fabs(process.times[0] - 6) < 1e-9 && fabs(process.times[4] - 6) < 1e-9, "%g and %g",
          process.times[0], process.times[4]);
    check(process.longest > 0.55 && process.longest < 0.75, "%g", process.longest);
    an_crossover_compare(&crossover, 0, 1, &gain);
    assert_true(gain.is_known);
    check(fabs(gain.value - 1.06) < 1e-3, "%g", gain.value);
    an_crossover_free(&crossover);
}

/* Work in phases as long as a block, which a fixed order would take for a difference. */
static void test_phases(void **context)
{
    unsigned inside = 0;
    enum { TIMES = 200 };
    (void)context;
    for (unsigned i = 0; i < TIMES; i++) {
        struct process process = {.rates = {[0] = 10000, [4] = 10600}, .cycle = 0.2};
        struct an_crossover crossover = two(48); /* a block takes four seconds */
        struct an_work_estimate gain;
        struct an_error error;
        crossover.random = i + 1;
        process.now = i * 0.1;
        assert_int_equal(take(&crossover, &process, &error), AN_OK);
        an_crossover_compare(&crossover, 0, 1, &gain);
        inside += gain.is_known && gain.low <= 1.06 && gain.high >= 1.06;
        an_crossover_free(&crossover);
    }
    check(inside >= TIMES * 9 / 10, "%u of %d", inside, (int)TIMES);
}

/* A steady drift, of one percent a second here, is in no layout's favour for long. */
static void test_drift(void **context)
{
    struct process process = {.rates = {[0] = 10000, [4] = 10000}, .drift = 0.01};
    struct an_crossover crossover = two(24);
    struct an_work_estimate gain;
    struct an_error error;
    (void)context;
    assert_int_equal(take(&crossover, &process, &error), AN_OK);
    an_crossover_compare(&crossover, 0, 1, &gain);
    check(gain.is_known && gain.low <= 1 && gain.high >= 1 && fabs(gain.value - 1) < 5e-3,
          "%g: %g to %g", gain.value, gain.low, gain.high);
    an_crossover_free(&crossover);
}

static void test_three(void **context)
{
    struct process process = {.rates = {[0] = 10000, [2] = 10500, [7] = 10300}};
    struct an_crossover crossover = two(36);
    struct an_work_estimate gain;
    struct an_error error;
    (void)context;
    crossover.count = 3;
    crossover.layouts[1] = 2;
    crossover.layouts[2] = crossover.in_force = 7;
    assert_int_equal(take(&crossover, &process, &error), AN_OK);
    for (size_t i = 0; i < process.turns; i += 6)
        assert_memory_equal(process.order + i, process.order[i] == '7' ? "720027" : "027720", 6);
    an_crossover_compare(&crossover, 0, 1, &gain);
    check(fabs(gain.value - 1.05) < 1e-3, "%g", gain.value);
    an_crossover_compare(&crossover, 1, 2, &gain);
    check(fabs(gain.value - 10300. / 10500) < 1e-3, "%g", gain.value);
    an_crossover_free(&crossover);
}

/* Counting goes on for a part of each turn, and says the same. */
static void test_duty(void **context)
{
    struct process process = {.rates = {[0] = 10000, [4] = 10600}};
    struct an_crossover crossover = two(24);
    struct an_work_estimate gain;
    struct an_error error;
    (void)context;
    crossover.duty = 0.25;
    assert_int_equal(take(&crossover, &process, &error), AN_OK);
    assert_true(process.pauses);
    check(fabs(process.counted - 3) < 1e-9, "%g of %g", process.counted, process.now);
    an_crossover_compare(&crossover, 0, 1, &gain);
    check(gain.is_known && fabs(gain.value - 1.06) < 1e-3, "%g", gain.value);
    an_crossover_free(&crossover);
}

struct outcomes {
    unsigned worse, same, better; /* what the interval says */
    unsigned early;               /* over before the time was */
};

/* Many processes whose new layout has so much of the original's rate. */
static struct outcomes take_often(double ratio, double chance, double narrow, unsigned times)
{
    struct outcomes outcomes = {0};
    for (unsigned i = 0; i < times; i++) {
        struct process process = {
            .rates = {[0] = 10000, [4] = 10000 * ratio}, .chance = chance, .random = i + 1};
        struct an_crossover crossover = two(24);
        struct an_work_estimate gain;
        struct an_error error;
        crossover.random = i + 1;
        crossover.narrow = narrow;
        assert_int_equal(take(&crossover, &process, &error), AN_OK);
        an_crossover_compare(&crossover, 0, 1, &gain);
        outcomes.worse += gain.high < 1;
        outcomes.better += gain.low > 1;
        outcomes.same += gain.low <= 1 && gain.high >= 1;
        outcomes.early += crossover.seconds < 24 - 1e-6;
        an_crossover_free(&crossover);
    }
    return outcomes;
}

/* After each block the intervals are looked at, but only at how wide they are. Where there is no difference, they claim one
 * five times in a hundred, as they may, and not more often; a clear one is found as early. The numbers are always the same. */
static void test_chance(void **context)
{
    enum { TIMES = 1000 };
    static const double chances[] = {0.004, 0.006, 0.008};
    unsigned wrong = 0, early = 0;
    (void)context;
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++) {
        struct outcomes all = take_often(1, chances[i], 0, TIMES),
                        outcomes = take_often(1, chances[i], 0.01, TIMES);
        assert_int_equal(all.early, 0);
        check(all.worse + all.better <= TIMES * 6 / 100, "%u", all.worse + all.better);
        check(outcomes.worse + outcomes.better <= TIMES * 65 / 1000, "%g: %u of %d", chances[i],
              outcomes.worse + outcomes.better, (int)TIMES);
        wrong += outcomes.worse + outcomes.better;
        early += outcomes.early;
    }
    check(wrong <= 3 * TIMES * 55 / 1000, "%u of %d", wrong, 3 * (int)TIMES);
    check(early > 3 * TIMES / 2, "%u of %d", early, 3 * (int)TIMES);
    struct outcomes outcomes = take_often(1.05, 0.006, 0.01, TIMES);
    assert_int_equal(outcomes.better, TIMES);
    check(outcomes.early > TIMES / 2, "%u of %d", outcomes.early, (int)TIMES);
}

/* What is never narrow is over when the time is. */
static void test_longest(void **context)
{
    struct process process = {.rates = {[0] = 10000, [4] = 10000}, .noise = 0.4};
    struct an_crossover crossover = two(30);
    struct an_error error;
    (void)context;
    crossover.narrow = 0;
    assert_int_equal(take(&crossover, &process, &error), AN_OK);
    check(fabs(process.now - 30) < 1e-6 && fabs(crossover.seconds - 30) < 1e-6, "%g", process.now);
    an_crossover_free(&crossover);
}

/* A block that is not whole does not count. */
static void test_ends(void **context)
{
    struct an_error error;
    (void)context;
    for (int is_process = 0; is_process < 2; is_process++) {
        struct process process = {.rates = {[0] = 10000, [4] = 10600},
                                  .ends_at = is_process ? 6.5 : -6.5};
        struct an_crossover crossover = two(48); /* a block takes four seconds */
        assert_int_equal(take(&crossover, &process, &error), AN_OK);
        assert_int_equal(crossover.slices[0].count, 1);
        assert_int_equal(crossover.slices[1].count, 1);
        an_crossover_free(&crossover);
    }
}

/* A switch that cannot be done ends it: what is in force is known, and what was counted. */
static void test_fails(void **context)
{
    struct process process = {.rates = {[0] = 10000, [4] = 10600}, .fails_at = 4};
    struct an_crossover crossover = two(24);
    struct an_error error;
    (void)context;
    assert_int_equal(take(&crossover, &process, &error), AN_SYSTEM);
    assert_string_equal(error.what, "a thread does not stop");
    assert_int_equal(crossover.in_force, process.in_force);
    assert_int_equal(crossover.slices[0].count, 1);
    an_crossover_free(&crossover);
}

/* A counter that begins anew spoils its block, and no other. */
static void test_restarts(void **context)
{
    struct process process = {.rates = {[0] = 10000, [4] = 10600}, .restarts = 9};
    struct an_crossover crossover = two(24);
    struct an_work_estimate gain;
    struct an_error error;
    (void)context;
    crossover.narrow = 0;
    assert_int_equal(take(&crossover, &process, &error), AN_OK);
    assert_int_equal(crossover.slices[0].count, 11);
    an_crossover_compare(&crossover, 0, 1, &gain);
    check(fabs(gain.value - 1.06) < 1e-3, "%g", gain.value);
    an_crossover_free(&crossover);
}

/* Many short turns: the moments in which the machine was disturbed do not count, and what is said is right as often as it has to
 * be. */
static void test_short_turns(void **context)
{
    enum { TIMES = 300 };
    unsigned inside = 0, early = 0;
    double trimmed = 0, whole = 0; /* widths of all intervals */
    (void)context;
    for (unsigned i = 0; i < TIMES; i++) {
        struct process process = {.rates = {[0] = 10000, [4] = 10150},
                                  .chance = 0.01,
                                  .disturbed = 0.03,
                                  .random = i + 1};
        struct an_crossover crossover = two(20);
        struct an_work_estimate gain, of_all_blocks;
        struct an_error error;
        crossover.random = i + 1;
        crossover.turn = 0.1;
        assert_int_equal(take(&crossover, &process, &error), AN_OK);
        an_crossover_compare(&crossover, 0, 1, &gain);
        inside += gain.low <= 1.015 && gain.high >= 1.015;
        trimmed += gain.high - gain.low;
        an_work_compare(crossover.slices[0].items, crossover.slices[1].items,
                        crossover.slices[0].count, crossover.functions, &of_all_blocks);
        whole += of_all_blocks.high - of_all_blocks.low;
        early += crossover.seconds < 20 - 1e-6;
        check(crossover.seconds > 9.5, "%g", crossover.seconds);
        an_crossover_free(&crossover);
    }
    check(inside >= TIMES * 93 / 100, "%u of %d", inside, (int)TIMES);
    check(trimmed < 0.8 * whole, "%g of %g", trimmed / TIMES, whole / TIMES);
    check(early > TIMES / 4, "%u of %d", early, (int)TIMES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),       cmocka_unit_test(test_phases),
        cmocka_unit_test(test_drift),       cmocka_unit_test(test_three),
        cmocka_unit_test(test_longest),     cmocka_unit_test(test_ends),
        cmocka_unit_test(test_fails),       cmocka_unit_test(test_duty),
        cmocka_unit_test(test_chance),      cmocka_unit_test(test_restarts),
        cmocka_unit_test(test_short_turns),
    };
    return RUN_TESTS(tests);
}
