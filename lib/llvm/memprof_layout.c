/*
 * The order of frames and call stacks is LLVM's, and so the same for any order of inputs:
 *
 * - Frames: those first that occur most often in stacks; of these, those nearer to the leaves; of these, by number.
 * - Stacks: compared from the root on, those last whose frames occur more often, or have the larger number.
 *
 * The array of stacks is built from its end, beginning with the last stack. A stack puts down what it does not have in common
 * with the one before it, which is the part of the tree that no stack has gone through yet.
 */
#include "llvm/memprof_layout.h"

#include <string.h>

struct frame_rank {
    uint64_t count;    /* how often it is in stacks */
    uint64_t distance; /* from their leaves, of all of these */
    uint64_t id;
    uint32_t frame;
};

static int by_popularity(const void *a, const void *b)
{
    const struct frame_rank *left = a, *right = b;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    if (left->distance != right->distance)
        return left->distance < right->distance ? -1 : 1;
    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return (left->frame > right->frame) - (left->frame < right->frame);
}

static int by_count_and_id(const void *a, const void *b)
{
    const struct frame_rank *left = a, *right = b;
    if (left->count != right->count)
        return left->count < right->count ? -1 : 1;
    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return (left->frame > right->frame) - (left->frame < right->frame);
}

/* Fills in how many stacks go through each node, and counts frames. */
static bool count_frames(const struct memprof *memprof, struct frame_rank *ranks, uint64_t *through)
{
    size_t number = memprof->nodes.count;
    uint64_t *depths = an_alloc_zero(number, sizeof *depths); /* of the stacks through each node */
    if (!depths)
        return false;
    for (size_t i = 0; i < memprof->stacks.count; i++) {
        uint32_t node = memprof->stacks.items[i];
        through[node]++;
        depths[node] += memprof->nodes.items[node].depth;
    }
    for (size_t i = number; i-- > 1;) { /* nodes come after their parents */
        const struct memprof_node *node = &memprof->nodes.items[i];
        through[node->parent] += through[i];
        depths[node->parent] += depths[i];
        ranks[node->frame].count += through[i];
        ranks[node->frame].distance += depths[i] - through[i] * node->depth;
    }
    free(depths);
    return true;
}

struct child {
    uint64_t key; /* parent, and the frame's rank */
    uint32_t node;
};

static int by_key(const void *a, const void *b)
{
    const struct child *left = a, *right = b;
    return (left->key > right->key) - (left->key < right->key);
}

/* The nodes without the top, by parent, in the order of stacks. */
static struct child *sort_children(const struct memprof *memprof, const uint32_t *rank_of)
{
    size_t number = memprof->nodes.count ? memprof->nodes.count - 1 : 0;
    struct child *children = an_alloc(number, sizeof *children);
    for (size_t i = 0; children && i < number; i++) {
        const struct memprof_node *node = &memprof->nodes.items[i + 1];
        children[i].key = (uint64_t)node->parent << 32 | rank_of[node->frame];
        children[i].node = (uint32_t)i + 1;
    }
    if (children)
        qsort(children, number, sizeof *children, by_key);
    return children;
}

/* The nodes that are stacks, in their order: a tree is walked through, parents before children. */
static bool order_stacks(const struct memprof *memprof, const struct child *children,
                         uint32_t *ordered)
{
    size_t number = memprof->nodes.count, count = 0, waiting = 1;
    uint32_t *first = an_alloc_zero(number + 1, sizeof *first); /* child of each node */
    uint32_t *stack = an_alloc(number ? number : 1, sizeof *stack);
    bool done = first && stack;
    for (size_t i = 1; done && i < number; i++)
        first[(children[i - 1].key >> 32) + 1]++;
    for (size_t i = 0; done && i < number; i++)
        first[i + 1] += first[i];
    if (done && number)
        stack[0] = MEMPROF_TOP;
    while (done && number && waiting) {
        uint32_t node = stack[--waiting];
        if (an_map_find(&memprof->stack_of, node))
            ordered[count++] = node;
        for (uint32_t c = first[node + 1]; c-- > first[node];)
            stack[waiting++] = children[c].node;
    }
    free(first);
    free(stack);
    return done;
}

static void put_word(struct memprof_layout *layout, uint32_t word)
{
    layout->words[layout->word_number++] = word;
}

/* Puts the frames from the root to the leaf that are not there yet. `path` has room for all nodes. */
static void put_stack(const struct memprof *memprof, struct memprof_layout *layout, uint32_t leaf,
                      uint32_t *place_of, uint32_t *path)
{
    size_t steps = 0;
    uint32_t node = leaf;
    for (; node != MEMPROF_TOP && place_of[node] == MEMPROF_NONE;
         node = memprof->nodes.items[node].parent)
        path[steps++] = node;
    if (node != MEMPROF_TOP)
        put_word(layout, place_of[node] - (uint32_t)layout->word_number);
    while (steps) {
        uint32_t here = path[--steps];
        place_of[here] = (uint32_t)layout->word_number;
        put_word(layout, layout->frame_place[memprof->nodes.items[here].frame]);
    }
    layout->stack_place[leaf] = (uint32_t)layout->word_number;
    put_word(layout, memprof->nodes.items[leaf].depth);
}

static bool put_stacks(const struct memprof *memprof, struct memprof_layout *layout,
                       const uint32_t *ordered)
{
    size_t nodes = memprof->nodes.count, stacks = memprof->stacks.count;
    size_t most = nodes + 2 * stacks;
    uint32_t *place_of = an_alloc(nodes, sizeof *place_of);
    uint32_t *path = an_alloc(nodes, sizeof *path);
    layout->words = an_alloc(most, sizeof *layout->words);
    layout->stack_place = an_alloc_zero(nodes ? nodes : 1, sizeof *layout->stack_place);
    bool done = place_of && path && layout->words && layout->stack_place && most <= INT32_MAX;
    if (done)
        memset(place_of, 0xff, nodes * sizeof *place_of);
    for (size_t i = stacks; done && i-- > 0;)
        put_stack(memprof, layout, ordered[i], place_of, path);
    free(place_of);
    free(path);
    if (!done)
        return false;
    size_t last = layout->word_number - 1; /* turned around, places count from the other end */
    for (size_t i = 0; i < layout->word_number / 2; i++) {
        uint32_t word = layout->words[i];
        layout->words[i] = layout->words[last - i];
        layout->words[last - i] = word;
    }
    for (size_t i = 0; i < stacks; i++) {
        uint32_t *place = &layout->stack_place[memprof->stacks.items[i]];
        *place = (uint32_t)(last - *place);
    }
    return true;
}

bool an_memprof_lay_out(const struct memprof *memprof, struct memprof_layout *layout)
{
    size_t frames = memprof->frames.count, nodes = memprof->nodes.count;
    *layout = (struct memprof_layout){
        .ids = an_alloc(frames, sizeof *layout->ids),
        .frames = an_alloc(frames, sizeof *layout->frames),
        .frame_place = an_alloc(frames, sizeof *layout->frame_place),
    };
    struct frame_rank *ranks = an_alloc_zero(frames, sizeof *ranks);
    uint64_t *through = an_alloc_zero(nodes ? nodes : 1, sizeof *through);
    uint32_t *rank_of = an_alloc(frames, sizeof *rank_of);
    uint32_t *ordered = an_alloc(memprof->stacks.count, sizeof *ordered);
    struct child *children = NULL;
    bool done = layout->ids && layout->frames && layout->frame_place && ranks && through &&
                rank_of && ordered && count_frames(memprof, ranks, through);
    for (size_t i = 0; done && i < frames; i++) {
        const uint8_t *bytes = (const uint8_t *)memprof->frames.names[i].text;
        layout->ids[i] = ranks[i].id = an_memprof_frame_id(bytes, memprof->has_new_ids);
        ranks[i].frame = (uint32_t)i;
    }
    if (done) {
        qsort(ranks, frames, sizeof *ranks, by_count_and_id);
        for (size_t i = 0; i < frames; i++)
            rank_of[ranks[i].frame] = (uint32_t)i;
        children = sort_children(memprof, rank_of);
        qsort(ranks, frames, sizeof *ranks, by_popularity);
        for (size_t i = 0; i < frames; i++) {
            layout->frames[i] = ranks[i].frame;
            layout->frame_place[ranks[i].frame] = (uint32_t)i;
        }
    }
    done = children && order_stacks(memprof, children, ordered) &&
           put_stacks(memprof, layout, ordered);
    free(ranks);
    free(through);
    free(rank_of);
    free(ordered);
    free(children);
    return done;
}

void an_memprof_layout_free(struct memprof_layout *layout)
{
    free(layout->ids);
    free(layout->frames);
    free(layout->frame_place);
    free(layout->words);
    free(layout->stack_place);
}
