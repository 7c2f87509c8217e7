/* Searching memory for addresses inside of entries; see inside.h. */
#include "live/inside.h"

#include <stdlib.h>
#include <sys/uio.h>

#include "live/pages.h"

struct search {
    const struct an_target *target;
    struct an_plan *plan;
    struct an_inside *inside;
    uint64_t lowest, size; /* where all entries are, as the process has them */
    bool failed;           /* no memory */
    uint64_t too_many;     /* the word that was one too many, or 0 */
};

/* The entry that changes and that an address is strictly inside of, or NULL. A jump cannot be left in its middle. */
static struct an_patch_site *entry_around(const struct an_target *target, struct an_plan *plan,
                                          uint64_t address)
{
    struct an_patch_site *place = an_plan_around(plan, address - target->bias);
    return place && place->is_entry && place->changes && !place->is_jump ? place : NULL;
}

static void look_at_words(void *context, uint64_t address, const void *bytes, size_t size)
{
    struct search *search = context;
    const uint64_t *words = bytes;
    for (size_t i = 0; i < size / 8; i++) {
        if (words[i] - search->lowest >= search->size || search->too_many ||
            !entry_around(search->target, search->plan, words[i]))
            continue;
        if (search->inside->count == AN_INSIDE_MOST) {
            search->too_many = words[i];
            return;
        }
        struct an_inside_word *word = an_vector_push(search->inside);
        if (word)
            *word = (struct an_inside_word){address + 8 * i, words[i]};
        else
            search->failed = true;
    }
}

static bool find_bounds(struct search *search)
{
    const struct an_plan *plan = search->plan;
    uint64_t end = 0;
    for (size_t i = 0; i < plan->places.count; i++) {
        const struct an_patch_site *place = &plan->places.items[i];
        if (!place->is_entry || !place->changes || place->is_jump)
            continue;
        if (!end)
            search->lowest = place->address + search->target->bias;
        end = place->address + place->size + search->target->bias;
    }
    search->size = end - search->lowest;
    return end != 0;
}

static enum an_code refuse(const struct search *search, struct an_error *error)
{
    uint64_t entry = search->too_many - search->target->bias;
    an_fail(error, AN_UNSUPPORTED,
            "process %d has more than %d words that could be places within entries of functions",
            search->target->pid, AN_INSIDE_MOST);
    return an_error_hint(error,
                         "nothing was changed; leave out the function at 0x%llx, to which such a "
                         "word points (--bolt-option=--skip-funcs=FUNCTION)",
                         (unsigned long long)entry);
}

enum an_code an_inside_find(const struct an_target *target, struct an_plan *plan,
                            struct an_inside *inside, struct an_error *error)
{
    struct search search = {.target = target, .plan = plan, .inside = inside};
    struct an_pages pages;
    bool known = true;
    inside->count = 0;
    if (!find_bounds(&search))
        return AN_OK;
    void *piece = an_alloc(AN_PIECE, 1);
    an_pages_open(&pages, target);
    for (size_t i = 0; piece && known && !search.too_many && i < target->maps.count; i++) {
        const struct an_target_mapping *mapping = &target->maps.items[i];
        if ((mapping->flags & AN_MAP_WRITE) && (mapping->flags & AN_MAP_READ) &&
            an_pages_are_memory(mapping))
            known =
                an_pages_each(&pages, mapping->start, mapping->end, piece, look_at_words, &search);
    }
    an_pages_close(&pages);
    free(piece);
    if (!piece || search.failed)
        return an_fail_memory(error);
    if (search.too_many)
        return refuse(&search, error);
    return known ? AN_OK
                 : an_fail(error, AN_SYSTEM, "cannot read the memory of process %d", target->pid);
}

void an_inside_free(struct an_inside *inside)
{
    an_vector_free(inside);
}

/* ---- the stop ---- */

/* Mappings that are stacks on which threads are, by where they start. One that is missing for want of memory only
 * makes more words count. */
struct stacks {
    AN_VECTOR(uint64_t);
};

static int by_number(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return a < b ? -1 : a > b;
}

static void find_stacks(const struct an_threads *threads, struct stacks *stacks)
{
    for (size_t i = 0; i < threads->list.count; i++) {
        const struct an_thread *thread = &threads->list.items[i];
        const struct an_target_mapping *mapping =
            thread->is_gone ? NULL : an_target_mapping_at(threads->target, thread->registers.rsp);
        uint64_t *to =
            mapping && an_target_is_stack(threads->target, mapping) ? an_vector_push(stacks) : NULL;
        if (to)
            *to = mapping->start;
    }
    if (stacks->count)
        qsort(stacks->items, stacks->count, sizeof *stacks->items, by_number);
}

static bool is_on_stack(const struct an_target *target, const struct stacks *stacks,
                        uint64_t address)
{
    const struct an_target_mapping *mapping = an_target_mapping_at(target, address);
    return mapping && stacks->count &&
           bsearch(&mapping->start, stacks->items, stacks->count, sizeof *stacks->items, by_number);
}

enum { AT_ONCE = 512 };

/* Reads words as they are now; 0 where one cannot be read. */
static void read_words(const struct an_target *target, const struct an_inside_word *words,
                       size_t count, uint64_t *now)
{
    struct iovec here[AT_ONCE], there[AT_ONCE];
    for (size_t i = 0; i < count;) {
        for (size_t k = i; k < count; k++) {
            now[k] = 0;
            here[k - i] = (struct iovec){&now[k], sizeof *now};
            there[k - i] = (struct iovec){(void *)(uintptr_t)words[k].address, sizeof *now};
        }
        ssize_t got = process_vm_readv(target->living, here, count - i, there, count - i, 0);
        i += (got > 0 ? (size_t)got / sizeof *now : 0) + 1; /* behind one that cannot be read */
    }
}

bool an_inside_withhold(const struct an_inside *inside, const struct an_threads *threads,
                        struct an_plan *plan, size_t *count)
{
    const struct an_target *target = threads->target;
    struct stacks stacks = {0};
    uint64_t now[AT_ONCE];
    bool any = false;
    *count = 0;
    if (inside->count)
        find_stacks(threads, &stacks);
    for (size_t i = 0; i < inside->count; i++) {
        const struct an_inside_word *word = &inside->items[i];
        size_t left = inside->count - i;
        if (i % AT_ONCE == 0)
            read_words(target, word, left < AT_ONCE ? left : AT_ONCE, now);
        struct an_patch_site *place = entry_around(target, plan, word->value);
        if (!place || place->is_withheld || now[i % AT_ONCE] != word->value ||
            is_on_stack(target, &stacks, word->address))
            continue;
        place->is_withheld = any = true;
        *count += !an_patch_site_may_stay(place);
    }
    an_vector_free(&stacks);
    return any;
}
