/* Choosing sets of inputs; see choose.h. */
#include "partial/choose.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "partial/digest.h"

struct chooser {
    struct an_names known; /* digests of what was taken */
    struct {
        const struct an_counted_input **items;
        size_t capacity;
    } taken; /* by the indices of those */
};

/* The largest sets come first: what they have in common with others is then left out as a whole most often. */
static int by_count(const void *a, const void *b)
{
    const struct an_input_set *left = *(struct an_input_set *const *)a;
    const struct an_input_set *right = *(struct an_input_set *const *)b;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    for (size_t i = 0; i < left->count; i++) {
        int order = an_digest_compare(&left->inputs[i].digest, &right->inputs[i].digest);
        if (order)
            return order;
    }
    return left < right ? -1 : left > right;
}

static const char *key_of(const struct an_counted_input *input)
{
    return (const char *)input->digest.bytes;
}

/* How many of a set were taken. What tells that it cannot be merged is noted. */
static size_t count_known(const struct chooser *chooser, struct an_input_set *set)
{
    size_t known = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct an_counted_input *input = &set->inputs[i];
        size_t index = an_names_find(&chooser->known, key_of(input), sizeof input->digest.bytes);
        if (index == AN_NO_NAME)
            continue;
        if (known++ == 0)
            set->common = input->digest;
        if (chooser->taken.items[index]->weight == input->weight)
            continue;
        set->common = input->digest;
        set->choice = AN_CHOICE_CONTRADICTS;
        return known;
    }
    return known;
}

static bool take(struct chooser *chooser, struct an_input_set *set)
{
    size_t wanted = chooser->known.count + set->count;
    if (wanted > chooser->taken.capacity) {
        size_t capacity = 2 * wanted;
        void *grown = an_grow(chooser->taken.items, capacity, sizeof *chooser->taken.items);
        if (!grown)
            return false;
        chooser->taken.items = grown;
        chooser->taken.capacity = capacity;
    }
    for (size_t i = 0; i < set->count; i++) {
        bool is_new;
        size_t index = an_names_insert(&chooser->known, key_of(&set->inputs[i]),
                                       sizeof set->inputs[i].digest.bytes, &is_new);
        if (index == AN_NO_NAME)
            return false;
        chooser->taken.items[index] = &set->inputs[i];
    }
    set->choice = AN_CHOICE_TAKEN;
    return true;
}

bool an_choose_inputs(struct an_input_set *sets, size_t count)
{
    struct chooser chooser = {0};
    struct an_input_set **order = an_alloc(count, sizeof *order);
    size_t number = 0;
    bool done = order != NULL;
    for (size_t i = 0; done && i < count; i++) {
        sets[i].choice = AN_CHOICE_NONE;
        if (!sets[i].excluded)
            order[number++] = &sets[i];
    }
    if (done)
        qsort(order, number, sizeof *order, by_count);
    for (size_t i = 0; done && i < number; i++)
        if (count_known(&chooser, order[i]) == 0)
            done = take(&chooser, order[i]);
    for (size_t i = 0; done && i < number; i++)
        if (order[i]->choice == AN_CHOICE_NONE) {
            bool is_in = count_known(&chooser, order[i]) == order[i]->count;
            if (order[i]->choice == AN_CHOICE_NONE)
                order[i]->choice = is_in ? AN_CHOICE_COUNTED : AN_CHOICE_OVERLAPS;
        }
    an_names_free(&chooser.known);
    free(chooser.taken.items);
    free(order);
    return done;
}
