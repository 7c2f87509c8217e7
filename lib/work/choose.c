/* Choosing functions that count work; see choose.h. */
#include "work/choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/vector.h"
#include "work/attempt.h"
#include "work/counters.h"
#include "work/stacks.h"

enum {
    MOST_FUNCTIONS = 120, /* that are tried, those with most samples first */
    TRIED_AT_ONCE = 24,
    ENOUGH_FIT = 12,
    MOST_THREADS = 16,  /* in which they are tried, the busiest ones */
    FEWEST_SAMPLES = 5, /* in a hundred: what is hardly ever under way may count anything */
    LIMIT = 32,         /* entries into one, in a thread, until it is given up */
    MOST_FIT = 6,
    TRIAL_SLICES = 12,
    MOST_TRIAL_SLICES = 100,
    TRIAL_SLICE = 80000000, /* nanoseconds */
    TRIAL_TIME = 400000000, /* of CPU time, all slices together */
    TRIAL_ENTRIES =
        300, /* that will do as well, of those that are counted for a part of the time */
};

static const double attempt_time = 0.05; /* seconds of CPU time */
static const double lowest_rate = 15;    /* entries in a second */

struct candidate {
    struct an_chosen at;
    double rate; /* entries in a second of CPU time while it is counted; known when it was tried */
    double says; /* how much about the work: in entries a second, counted all the time */
    struct an_work_share share;
};

struct chooser {
    struct an_choice *choice;
    struct an_stacks stacks;
    int32_t threads[MOST_THREADS];
    size_t thread_count;
    double most;   /* entries in a second that may be counted at a time */
    double budget; /* those that may be counted on average */
    struct {
        AN_VECTOR(struct candidate);
    } candidates;
    double least_above; /* the lowest rate of those that are entered too often; 0: there is none */
};

static bool is_stopped(const struct chooser *chooser)
{
    const volatile int *stop = chooser->choice->options->stop;
    return stop && *stop;
}

static void tell(const struct chooser *chooser, enum an_work_step step)
{
    const struct an_work_options *options = chooser->choice->options;
    if (options->progress)
        options->progress(options->context, step);
}

static void on_tick(void *context)
{
    tell(context, AN_WORK_SAMPLE);
}

/* ---- trying rates ---- */

/* Keeps the places where a candidate is really entered, and adds up their rates. */
static void take_attempt(struct candidate *candidate, const struct an_attempt *attempt)
{
    if (attempt->entries == 0 || attempt->seconds <= 0)
        return;
    candidate->rate += (double)attempt->entries / attempt->seconds;
    if (candidate->at.place_count < AN_WORK_MOST)
        candidate->at.places[candidate->at.place_count] = attempt->address;
    candidate->at.place_count++;
}

/* Tries the places of one function after the other, three at a time. */
static enum an_code try_places(struct chooser *chooser, const uint64_t *places,
                               const size_t *owners, size_t count, struct candidate *candidates,
                               struct an_error *error)
{
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < count && !is_stopped(chooser); i += AN_ATTEMPTS) {
        struct an_attempt attempts[AN_ATTEMPTS] = {0};
        size_t some = count - i < AN_ATTEMPTS ? count - i : AN_ATTEMPTS;
        for (size_t k = 0; k < some; k++)
            attempts[k].address = places[i + k];
        code = an_attempt(chooser->choice->options->pid, chooser->threads, chooser->thread_count,
                          attempts, some, LIMIT, attempt_time, error);
        for (size_t k = 0; code == AN_OK && k < some; k++)
            take_attempt(&candidates[owners[i + k]], &attempts[k]);
        tell(chooser, AN_WORK_TRY);
    }
    return code;
}

/* Tries one place of each function: the original entry when `which` is 0, else that in a layout. What is entered too often
 * at other places already is given up. */
static enum an_code try_entries(struct chooser *chooser, struct candidate *candidates, size_t count,
                                size_t which, struct an_error *error)
{
    uint64_t places[TRIED_AT_ONCE], entries[AN_WORK_PROGRAM_MOST_ENTRIES];
    size_t owners[TRIED_AT_ONCE], number = 0;
    for (size_t i = 0; i < count; i++) {
        if (candidates[i].rate > chooser->most ||
            an_work_program_entries(chooser->choice->program, candidates[i].at.entry, entries) <=
                which)
            continue;
        places[number] = entries[which];
        owners[number++] = i;
    }
    return try_places(chooser, places, owners, number, candidates, error);
}

/* The newest layouts first: there most functions show that they are entered too often, in no time. At a place that is never
 * reached, it takes the longest to know that. */
static enum an_code try_functions(struct chooser *chooser, struct candidate *candidates,
                                  size_t count, struct an_error *error)
{
    enum an_code code = AN_OK;
    for (size_t which = AN_WORK_PROGRAM_MOST_ENTRIES; code == AN_OK && which-- > 0;)
        code = try_entries(chooser, candidates, count, which, error);
    return code;
}

/* ---- those that fit ---- */

bool an_choose_may_be_entered(const struct an_choice *choice, uint64_t place)
{
    const struct an_work_options *options = choice->options;
    unsigned layout = an_work_program_layout(choice->program, place);
    bool is_named = layout == 0;
    for (size_t i = 0; i < options->layout_count; i++)
        is_named = is_named || options->layouts[i] == layout;
    return options->layout_count && is_named;
}

/* Adds places that nothing enters yet. */
static void add_places(const struct chooser *chooser, struct an_chosen *chosen)
{
    uint64_t places[AN_WORK_PROGRAM_MOST_ENTRIES];
    size_t count = an_work_program_entries(chooser->choice->program, chosen->entry, places);
    for (size_t i = 0; i < count && chosen->place_count <= AN_WORK_MOST; i++) {
        bool is_new = an_choose_may_be_entered(chooser->choice, places[i]);
        for (size_t k = 0; k < chosen->place_count; k++)
            is_new = is_new && chosen->places[k] != places[i];
        if (is_new && chosen->place_count < AN_WORK_MOST)
            chosen->places[chosen->place_count] = places[i];
        chosen->place_count += is_new;
    }
}

/* Entries say the more the more there are. But a function that can be counted for a part of the time only says little of the
 * rest, and may turn out to be entered too often: the entries are known within half of them by now. */
static double worth_of(double rate, double budget)
{
    double part = fmin(1, budget / rate);
    return rate * part * part * part;
}

static enum an_code keep_fit(struct chooser *chooser, struct candidate *candidates, size_t count,
                             struct an_error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct candidate *candidate = &candidates[i];
        if (candidate->rate > chooser->most &&
            (chooser->least_above == 0 || candidate->rate < chooser->least_above))
            chooser->least_above = candidate->rate;
        if (candidate->rate < lowest_rate || candidate->rate > chooser->most)
            continue;
        add_places(chooser, &candidate->at);
        if (candidate->at.place_count > AN_WORK_MOST)
            continue;
        candidate->says = worth_of(candidate->rate, chooser->budget);
        struct candidate *kept = an_vector_push(&chooser->candidates);
        if (!kept)
            return an_fail_memory(error);
        *kept = *candidate;
    }
    return AN_OK;
}

static int by_worth(const void *one, const void *other)
{
    double a = ((const struct candidate *)one)->says, b = ((const struct candidate *)other)->says;
    return (a < b) - (a > b);
}

/* Whether the function with the `index`th most samples is to be tried. */
static bool is_tried(const struct chooser *chooser, size_t index)
{
    return index < MOST_FUNCTIONS && index < chooser->stacks.functions.count &&
           chooser->stacks.functions.items[index].samples * 100 >=
               chooser->stacks.samples * FEWEST_SAMPLES;
}

/* Functions that are under way for longer are nearer to what begins a piece of work: where enough of them fit, those that
 * are called for parts of it are not tried. */
static enum an_code find_fit(struct chooser *chooser, struct an_error *error)
{
    enum an_code code = AN_OK;
    size_t next = 0;
    while (code == AN_OK && is_tried(chooser, next) && chooser->candidates.count < ENOUGH_FIT &&
           !is_stopped(chooser)) {
        struct candidate candidates[TRIED_AT_ONCE] = {0};
        size_t count = 0;
        while (count < TRIED_AT_ONCE && is_tried(chooser, next))
            candidates[count++].at.entry = chooser->stacks.functions.items[next++].entry;
        code = try_functions(chooser, candidates, count, error);
        if (code == AN_OK)
            code = keep_fit(chooser, candidates, count, error);
    }
    if (chooser->candidates.count)
        qsort(chooser->candidates.items, chooser->candidates.count,
              sizeof *chooser->candidates.items, by_worth);
    return code;
}

/* ---- how steady they are ---- */

/* The entries in a second that may be counted together with a function of that rate: so many that it is not counted for a
 * much smaller part of the time because of the others. */
static double most_together(const struct chooser *chooser, double rate)
{
    const double beyond_budget = 1.5;
    return fmin(chooser->most, fmax(beyond_budget * chooser->budget, beyond_budget * rate));
}

/* Counting slows a function down: it is entered less often in a second of all CPU time than in one of its own. */
static double while_counted(const struct chooser *chooser, double rate)
{
    return rate / (1 + rate * chooser->choice->cost);
}

static double part_of(const struct chooser *chooser, double rate)
{
    double cost = chooser->choice->cost;
    return an_work_part(chooser->budget * cost, rate * cost);
}

/* A slice: counting goes on for a part of it that the budget allows. */
static void pass_slice(const struct chooser *chooser, struct an_counters *counters, double rate)
{
    double part = part_of(chooser, rate);
    const struct timespec on = {0, (long)(part * TRIAL_SLICE)},
                          off = {0, (long)((1 - part) * TRIAL_SLICE)};
    an_counters_pause(counters, false);
    nanosleep(&on, NULL);
    if (off.tv_nsec == 0)
        return;
    an_counters_pause(counters, true);
    nanosleep(&off, NULL);
}

static void add_up(const struct an_chosen *const *functions, size_t count,
                   const struct an_work_reading *places, struct an_work_reading *reading)
{
    size_t at = 0;
    *reading = (struct an_work_reading){places->cpu, places->wall, {0}};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < functions[i]->place_count; k++)
            reading->entries[i] += places->entries[at++];
}

/* Whether the slices say how steady the functions are. */
static bool is_enough(const struct an_work_reading *sum, size_t number, size_t count, double part)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < count; i++)
        least = sum->entries[i] < least ? sum->entries[i] : least;
    return number >= TRIAL_SLICES &&
           (sum->cpu >= TRIAL_TIME || (part < 1 && least >= TRIAL_ENTRIES));
}

static enum an_code count_slices(struct chooser *chooser, struct an_counters *counters,
                                 const struct an_chosen *const *functions, size_t count,
                                 double rate, struct an_work_estimate *estimate,
                                 struct an_error *error)
{
    struct an_work_reading slices[MOST_TRIAL_SLICES], places, before, after, sum = {0};
    size_t number = 0;
    double part = part_of(chooser, rate);
    enum an_code code = an_counters_read(counters, &places, error);
    add_up(functions, count, &places, &before);
    while (code == AN_OK && number < MOST_TRIAL_SLICES && !is_stopped(chooser) &&
           !is_enough(&sum, number, count, part)) {
        pass_slice(chooser, counters, rate);
        code = an_counters_read(counters, &places, error);
        add_up(functions, count, &places, &after);
        if (an_work_slice(&before, &after, &slices[number])) {
            an_work_correct(&slices[number], chooser->choice->cost);
            an_work_add(&sum, &slices[number++]);
        }
        before = after;
        tell(chooser, AN_WORK_TRY);
        if (!an_work_program_is_there(chooser->choice->program))
            break;
    }
    an_work_estimate(slices, number, count, estimate);
    return code;
}

/* Counts some candidates for a while: as many as there are debug registers for, from `first` on. *next: behind them. */
static enum an_code try_together(struct chooser *chooser, size_t first, size_t *next,
                                 struct an_error *error)
{
    const struct an_chosen *functions[AN_WORK_MOST];
    uint64_t places[AN_WORK_MOST];
    struct an_counters *counters;
    struct an_work_estimate estimate;
    size_t count = 0, number = 0;
    double rate = 0;
    while (first + count < chooser->candidates.count &&
           number + chooser->candidates.items[first + count].at.place_count <= AN_WORK_MOST) {
        const struct candidate *candidate = &chooser->candidates.items[first + count];
        if (count &&
            rate + candidate->rate > most_together(chooser, chooser->candidates.items[first].rate))
            break;
        rate += candidate->rate;
        functions[count] = &candidate->at;
        memcpy(places + number, functions[count]->places,
               functions[count]->place_count * sizeof *places);
        number += functions[count++]->place_count;
    }
    *next = first + count;
    enum an_code code =
        an_counters_open(chooser->choice->options->pid, places, number, true, &counters, error);
    if (code == AN_OK)
        code = count_slices(chooser, counters, functions, count, rate, &estimate, error);
    an_counters_close(counters);
    for (size_t i = 0; code == AN_OK && i < count; i++)
        chooser->candidates.items[first + i].share = estimate.shares[i];
    return code;
}

/* Those that are counted for a part of the time and say far less than the best one are not worth the trial. */
static enum an_code try_steadiness(struct chooser *chooser, struct an_error *error)
{
    const double far = 20;
    enum an_code code = AN_OK;
    if (chooser->candidates.count > MOST_FIT)
        chooser->candidates.count = MOST_FIT;
    size_t kept = 0;
    for (size_t i = 0; i < chooser->candidates.count; i++) {
        const struct candidate *candidate = &chooser->candidates.items[i];
        if (candidate->rate <= chooser->budget ||
            candidate->says * far >= chooser->candidates.items[0].says)
            chooser->candidates.items[kept++] = *candidate;
    }
    chooser->candidates.count = kept;
    for (size_t i = 0; code == AN_OK && i < chooser->candidates.count && !is_stopped(chooser);)
        code = try_together(chooser, i, &i, error);
    return code;
}

/* Those that are not fit last. */
static int by_steadiness(const void *one, const void *other)
{
    const struct an_work_share *a = &((const struct candidate *)one)->share,
                               *b = &((const struct candidate *)other)->share;
    bool a_fits = a->use == AN_WORK_USED && a->rate > 0,
         b_fits = b->use == AN_WORK_USED && b->rate > 0;
    if (a_fits != b_fits)
        return a_fits ? -1 : 1;
    return (a->half_width > b->half_width) - (a->half_width < b->half_width);
}

/* A function that another one calls once says the same as that one, as exactly as is known. */
static bool is_the_same(const struct candidate *one, const struct candidate *other)
{
    const double least = 0.003, most = 0.03;
    double near = fmin(most, fmax(least, (one->share.half_width + other->share.half_width) / 2));
    return fabs(one->share.rate / other->share.rate - 1) < near;
}

/* The steadiest ones, as far as the budget and the registers go. */
static void choose(struct chooser *chooser)
{
    const double far = 4;
    struct an_choice *choice = chooser->choice;
    const struct candidate *taken[AN_WORK_MOST];
    double rate = 0, first = 0;
    size_t places = 0;
    for (size_t i = 0; i < chooser->candidates.count && choice->count < AN_WORK_MOST; i++) {
        const struct candidate *next = &chooser->candidates.items[i];
        double more = while_counted(chooser, next->share.rate);
        bool fits = next->share.use == AN_WORK_USED && next->share.rate > 0 &&
                    (choice->count == 0 || rate + more <= most_together(chooser, first)) &&
                    places + next->at.place_count <= AN_WORK_MOST;
        for (size_t k = 0; fits && k < choice->count; k++)
            fits = !is_the_same(next, taken[k]);
        if (fits && choice->count)
            fits = next->share.half_width <= far * taken[0]->share.half_width;
        if (!fits)
            continue;
        taken[choice->count] = next;
        choice->chosen[choice->count++] = next->at;
        first = choice->count == 1 ? more : first;
        rate += more;
        places += next->at.place_count;
    }
    choice->rate = rate;
}

/* ---- the whole ---- */

static enum an_code fail_to_choose(const struct chooser *chooser, struct an_error *error)
{
    int32_t pid = chooser->choice->options->pid;
    if (is_stopped(chooser))
        return an_fail(error, AN_USAGE, "interrupted before functions were chosen");
    if (chooser->candidates.count) {
        an_fail(error, AN_UNSUPPORTED,
                "none of %zu functions of process %d is entered steadily enough to count its work",
                chooser->candidates.count, pid);
        return an_error_hint(error, "try again while its work is steady, or name functions "
                                    "(--function)");
    }
    if (chooser->least_above > 0)
        an_fail(
            error, AN_UNSUPPORTED,
            "no function of process %d can count its work: they are entered hardly ever, or like "
            "the best one %.0f times a second, and each time costs %.1f us",
            pid, chooser->least_above, 1e6 * chooser->choice->cost);
    else
        an_fail(error, AN_UNSUPPORTED,
                "no function of process %d can count its work: of %zu that were under way none is "
                "entered %.0f times a second",
                pid, chooser->stacks.functions.count, lowest_rate);
    return an_error_hint(error, "count by the program's own counter (--counter), or name functions "
                                "(--function)");
}

enum an_code an_choose(struct an_choice *choice, struct an_error *error)
{
    const struct an_work_options *options = choice->options;
    struct chooser chooser = {.choice = choice,
                              .budget = options->budget / choice->cost,
                              .most = options->most / choice->cost};
    choice->count = 0;
    enum an_code code = an_stacks_sample(choice->program, options->pid, options->stop, on_tick,
                                         &chooser, &chooser.stacks, error);
    for (size_t i = 0; i < chooser.stacks.threads.count && i < MOST_THREADS; i++)
        chooser.threads[chooser.thread_count++] = chooser.stacks.threads.items[i].tid;
    if (code == AN_OK && !is_stopped(&chooser))
        code = find_fit(&chooser, error);
    if (code == AN_OK && !is_stopped(&chooser))
        code = try_steadiness(&chooser, error);
    if (code == AN_OK && !is_stopped(&chooser)) {
        if (chooser.candidates.count)
            qsort(chooser.candidates.items, chooser.candidates.count,
                  sizeof *chooser.candidates.items, by_steadiness);
        choose(&chooser);
    }
    if (code == AN_OK && choice->count == 0)
        code = fail_to_choose(&chooser, error);
    an_stacks_free(&chooser.stacks);
    an_vector_free(&chooser.candidates);
    return code;
}
