/*
 * Recordings of running programs: which function each process was seen in first, and what it did most. A sample tells
 * of the function that it was taken in and, with branch records, of those that the last branches came from and led to,
 * the oldest first.
 *
 * A sampled run has only the functions that samples met. With a high frequency, and many runs, what starts slowly is
 * met; what never shows takes no time either.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "branch/recorded.h"
#include "order/behaviour.h"
#include "order/image.h"
#include "order/names.h"

/* A function's first appearance in a process. */
struct sighting {
    uint32_t process, function; /* index of the mappings' processes, of the image's functions */
    uint64_t time;              /* nanoseconds; in texts without times, the place in the text */
    uint64_t place;             /* within a sample, oldest first */
};

/* What one thread has seen. */
struct share {
    struct an_map known; /* process << 32 | function + 1 -> index of its sighting */
    struct {
        AN_VECTOR(struct sighting);
    } sightings;
    uint64_t *heat;      /* by function of the image */
    struct an_map calls; /* caller << 32 | callee + 1 -> count */
    char apart[64];      /* no two shares in one cache line */
};

struct watch {
    const struct an_image *image;
    const struct an_mappings *mappings;
    struct share *shares;
    unsigned threads;
};

enum { NOWHERE = UINT32_MAX };

/* The function of the image that has an address. */
static uint32_t function_at(const struct an_image *image, uint64_t address)
{
    size_t low = 0, high = image->functions.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (image->functions.items[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NOWHERE;
    const struct an_image_function *found = &image->functions.items[low - 1];
    bool inside = address - found->address < found->size || !found->size;
    return inside ? (uint32_t)(low - 1) : NOWHERE;
}

static bool see(struct share *share, const struct sighting *sighting)
{
    bool is_new;
    uint64_t key = (uint64_t)sighting->process << 32 | (sighting->function + 1);
    uint64_t *index = an_map_insert(&share->known, key, &is_new);
    if (!index)
        return false;
    if (is_new) {
        *index = share->sightings.count;
        struct sighting *place = an_vector_push(&share->sightings);
        if (place)
            *place = *sighting;
        return place;
    }
    struct sighting *known = &share->sightings.items[*index];
    if (sighting->time < known->time ||
        (sighting->time == known->time && sighting->place < known->place))
        *known = *sighting;
    return true;
}

/* A sample on its way: where it was taken, and how far its entries have been looked at. */
struct view {
    const struct watch *watch;
    struct share *share;
    const struct an_process *process;
    uint64_t time;
    struct sighting next;
};

/* The function of a process's address, which counts as seen; NOWHERE for what is none of the image's. */
static uint32_t look(struct view *view, uint64_t address, uint64_t *own, bool *has_memory)
{
    *own = an_mappings_address(view->watch->mappings, view->process, view->time, address);
    view->next.function = *own ? function_at(view->watch->image, *own) : NOWHERE;
    if (view->next.function != NOWHERE)
        *has_memory &= see(view->share, &view->next);
    view->next.place++;
    return view->next.function;
}

static bool take_branches(struct view *view, const struct an_branch_sample *sample)
{
    const struct an_image_function *functions = view->watch->image->functions.items;
    bool has_memory = true;
    for (uint64_t i = sample->branch_count; i-- && has_memory;) {
        uint64_t source, target;
        uint32_t from = look(view, an_branch_from(sample, i), &source, &has_memory);
        uint32_t to = look(view, an_branch_to(sample, i), &target, &has_memory);
        if (from != NOWHERE)
            view->share->heat[from]++;
        if (from == NOWHERE || to == NOWHERE || from == to || target != functions[to].address)
            continue;
        bool is_new;
        uint64_t *count =
            an_map_insert(&view->share->calls, (uint64_t)from << 32 | (to + 1), &is_new);
        has_memory = has_memory && count;
        if (count)
            ++*count;
        view->share->heat[to]++;
    }
    return has_memory;
}

static enum an_code take(void *context, unsigned thread, const struct an_branch_sample *sample,
                         struct an_error *error)
{
    struct watch *watch = context;
    struct share *share = &watch->shares[thread];
    uint64_t time = sample->has_time ? sample->time : UINT64_MAX - 1; /* the last mappings */
    const struct an_process *process = an_mappings_process(watch->mappings, sample->pid, time);
    if (!process)
        return AN_OK;
    struct view view = {
        .watch = watch,
        .share = share,
        .process = process,
        .time = time,
        .next = {.process = (uint32_t)(process - watch->mappings->processes.items),
                 .time = sample->has_time ? sample->time : sample->offset},
    };
    bool has_memory = take_branches(&view, sample);
    if (has_memory && sample->has_ip && sample->ip) {
        uint64_t own;
        uint32_t function = look(&view, sample->ip, &own, &has_memory);
        if (function != NOWHERE && !sample->branch_count)
            share->heat[function]++;
    }
    return has_memory ? AN_OK : an_fail_memory(error);
}

/* ---- from the image's functions to those of the behaviour ---- */

/* Each function of the image by its first symbol; a cold part is its function. */
static bool number_functions(struct an_behaviour *behaviour, const struct an_image *image,
                             uint32_t *numbers)
{
    for (size_t f = 0; f < image->functions.count; f++)
        numbers[f] = AN_NO_NUMBER;
    for (size_t s = 0; s < image->symbols.count; s++) {
        const struct image_symbol *symbol = &image->symbols.items[s];
        if (numbers[symbol->function] != AN_NO_NUMBER)
            continue;
        uint32_t number =
            an_behaviour_number(behaviour, symbol->file, symbol->file ? strlen(symbol->file) : 0,
                                symbol->name, strlen(symbol->name));
        if (number == AN_NO_NUMBER)
            return false;
        numbers[symbol->function] = number;
    }
    for (size_t f = 0; f < image->functions.count; f++) {
        const char *name = image->functions.items[f].name;
        if (numbers[f] == AN_NO_NUMBER)
            numbers[f] = an_behaviour_number(behaviour, NULL, 0, name,
                                             an_name_hot_length(name, strlen(name)));
        if (numbers[f] == AN_NO_NUMBER)
            return false;
    }
    return true;
}

static int by_function(const void *a, const void *b)
{
    const struct sighting *left = a, *right = b;
    if (left->process != right->process)
        return left->process < right->process ? -1 : 1;
    if (left->function != right->function)
        return left->function < right->function ? -1 : 1;
    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    return left->place < right->place ? -1 : left->place > right->place;
}

static int by_time(const void *a, const void *b)
{
    const struct sighting *left = a, *right = b;
    if (left->process != right->process)
        return left->process < right->process ? -1 : 1;
    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    if (left->place != right->place)
        return left->place < right->place ? -1 : 1;
    return left->function < right->function ? -1 : left->function > right->function;
}

/* All threads' sightings: the first of each function in each process, in order of time. */
static struct sighting *join(const struct watch *watch, size_t *count)
{
    size_t all = 0, kept = 0;
    for (unsigned t = 0; t < watch->threads; t++)
        all += watch->shares[t].sightings.count;
    struct sighting *sightings = an_alloc(all + 1, sizeof *sightings);
    *count = 0;
    if (!sightings)
        return NULL;
    for (unsigned t = 0; t < watch->threads; t++)
        for (size_t i = 0; i < watch->shares[t].sightings.count; i++)
            sightings[(*count)++] = watch->shares[t].sightings.items[i];
    qsort(sightings, *count, sizeof *sightings, by_function);
    for (size_t i = 0; i < *count; i++)
        if (!kept || sightings[i].process != sightings[kept - 1].process ||
            sightings[i].function != sightings[kept - 1].function)
            sightings[kept++] = sightings[i];
    *count = kept;
    qsort(sightings, kept, sizeof *sightings, by_time);
    return sightings;
}

static bool add_runs(struct an_behaviour *behaviour, const struct watch *watch,
                     const uint32_t *numbers)
{
    size_t count;
    struct sighting *sightings = join(watch, &count);
    bool has_memory = sightings;
    for (size_t i = 0; has_memory && i < count; i++) {
        if (!i || sightings[i].process != sightings[i - 1].process)
            an_behaviour_begin_run(behaviour);
        has_memory = an_behaviour_enter(behaviour, numbers[sightings[i].function]);
        if (i + 1 == count || sightings[i].process != sightings[i + 1].process)
            has_memory = has_memory && an_behaviour_end_run(behaviour, 1);
    }
    free(sightings);
    return has_memory;
}

static bool add_heat(struct an_behaviour *behaviour, const struct watch *watch,
                     const uint32_t *numbers)
{
    bool has_memory = true;
    for (unsigned t = 0; t < watch->threads && has_memory; t++) {
        const struct share *share = &watch->shares[t];
        for (size_t f = 0; f < watch->image->functions.count && has_memory; f++)
            if (share->heat[f])
                has_memory = an_behaviour_warm(behaviour, numbers[f], share->heat[f]);
        for (size_t i = 0; share->calls.slots && i <= share->calls.mask && has_memory; i++) {
            const struct an_map_slot *slot = &share->calls.slots[i];
            if (slot->key)
                has_memory = an_behaviour_call(behaviour, numbers[slot->key >> 32],
                                               numbers[(uint32_t)slot->key - 1], slot->value);
        }
    }
    return has_memory;
}

static enum an_code watch_all(struct an_behaviour *behaviour, struct an_recorded *recorded,
                              const struct an_image *image, unsigned threads,
                              struct an_error *error)
{
    struct watch watch = {image, &recorded->mappings, NULL, an_samples_threads(threads)};
    uint32_t *numbers = an_alloc(image->functions.count + 1, sizeof *numbers);
    watch.shares = an_alloc_zero(watch.threads, sizeof *watch.shares);
    bool has_memory = numbers && watch.shares;
    for (unsigned t = 0; has_memory && t < watch.threads; t++) {
        watch.shares[t].heat = an_alloc_zero(image->functions.count + 1, sizeof(uint64_t));
        has_memory = watch.shares[t].heat;
    }
    enum an_code code = has_memory
                            ? an_samples_each(recorded->samples, threads, take, &watch, error)
                            : an_fail_memory(error);
    if (code == AN_OK &&
        !(number_functions(behaviour, image, numbers) && add_runs(behaviour, &watch, numbers) &&
          add_heat(behaviour, &watch, numbers)))
        code = an_fail_memory(error);
    for (unsigned t = 0; watch.shares && t < watch.threads; t++) {
        an_map_free(&watch.shares[t].known);
        an_map_free(&watch.shares[t].calls);
        an_vector_free(&watch.shares[t].sightings);
        free(watch.shares[t].heat);
    }
    free(watch.shares);
    free(numbers);
    return code;
}

enum an_code an_behaviour_add_recording(struct an_behaviour *behaviour,
                                        const struct an_image *image, const char *recording,
                                        const struct an_recording_options *options,
                                        struct an_error *error)
{
    struct an_recorded recorded = {0};
    struct an_recording_options full;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    struct an_recorded_options wanted = {
        .pid = full.pid,
        .ignore_build_id = full.ignore_build_id,
        .allow_truncated = full.allow_truncated,
    };
    code = an_recorded_open(&recorded, recording, image->elf, &wanted, error);
    if (code == AN_OK)
        code = watch_all(behaviour, &recorded, image, full.threads, error);
    if (code == AN_OK && !an_samples_info(recorded.samples)->has_branches)
        behaviour->calls_are_partial = true;
    an_recorded_close(&recorded);
    return code;
}
