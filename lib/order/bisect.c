/*
 * Bisection by exchanging: nodes of one half trade places with nodes of the other one, those first
 * that gain most, round after round, until nobody gains.
 *
 * The cost of a set with l members left and r right is -(l log2(l + 1) + r log2(r + 1)): least when
 * all are on one side. What a move changes is a difference of two entries of a table.
 */
#include "order/bisect.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "order/exchange.h"

enum {
    ROUNDS = 40, /* as LLVM has it */
    WORTH =
        4096, /* a round that exchanges less than one node of so many is the last: a tenth less time, and no more
                      faults by the model; of 1024, one percent more */
    SKIPPED =
        10, /* one exchange of so many is left out, lest two groups chase each other for ever */
    FEW_NODES = 64 /* parts below this have their candidates sorted whole */
};

/* The part's own sets, numbered anew: only those count in which not all nodes are, nor a single one. */
struct chain_set {
    uint32_t members;  /* nodes that have it as their first one; then with those before it */
    uint32_t new_left; /* in the left half, of those that have it as their first one */
    uint32_t left;     /* in the left half, of all members */
    uint32_t run;      /* whose it is */
    uint32_t
        multiplicity; /* as so many sets it counts: those up to the next one have the same members */
};

struct half_gains {
    float from_left,
        from_right; /* by changing sides, summed over the set and those that contain it */
};

struct bisect_room {
    const struct partition *partition;
    const struct log_costs *costs;
    uint32_t count;
    const uint32_t *nodes;
    uint32_t *first;   /* of each of the part's nodes, in entries */
    uint32_t *entries; /* numbers of chain sets */
    struct chain_set *sets;
    struct half_gains *gains; /* for each set */
    uint32_t set_count;
    uint8_t *is_right;
    struct candidate *left, *right, *spare;
    uint64_t random;
    uint32_t *
        number_of; /* for each set of the partition: its number here; all 0 between two bisections */
    uint32_t *present; /* the sets that are here, ascending */
    struct an_arena arena;
};

bool an_log_costs_make(struct log_costs *costs, uint32_t most)
{
    costs->rise = an_alloc((size_t)most + 2, sizeof *costs->rise);
    if (!costs->rise)
        return false;
    double here = 0;
    for (uint32_t x = 0; x < most + 2; x++) {
        double next = (x + 1.0) * log2(x + 2.0);
        costs->rise[x] = (float)(next - here);
        here = next;
    }
    return true;
}

void an_log_costs_free(struct log_costs *costs)
{
    free(costs->rise);
}

static uint64_t next_random(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int by_number(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Lists the sets that the part's nodes have as their first ones, ascending. */
static uint32_t find_sets(const struct bisect_room *room)
{
    const struct partition *all = room->partition;
    uint32_t *number_of = room->number_of, *present = room->present;
    uint32_t found = 0;
    for (uint32_t i = 0; i < room->count; i++)
        for (uint32_t e = all->first[room->nodes[i]]; e < all->first[room->nodes[i] + 1]; e++)
            if (!number_of[all->entries[e]]) {
                number_of[all->entries[e]] = 1;
                present[found++] = all->entries[e];
            }
    if (found > all->set_count / 8) {
        found = 0;
        for (uint32_t s = 0; s < all->set_count; s++)
            if (number_of[s])
                present[found++] = s;
    } else {
        qsort(present, found, sizeof *present, by_number);
    }
    return found;
}

/* How many sets there are from this one up to the next that is here. A run's last one reaches to its end. */
static uint32_t reach(const struct bisect_room *room, uint32_t i, uint32_t found)
{
    const uint32_t *run_of = room->partition->run_of;
    uint32_t here = room->present[i];
    if (i + 1 < found && run_of[room->present[i + 1]] == run_of[here])
        return room->present[i + 1] - here;
    return room->partition->run_first[run_of[here] + 1] - here;
}

/* Copies the part's entries, with sets numbered anew, and counts their members. */
static void renumber(struct bisect_room *room)
{
    const struct partition *all = room->partition;
    uint32_t *number_of = room->number_of, *present = room->present;
    uint32_t found = find_sets(room), at = 0;
    for (uint32_t i = 0; i < found; i++) {
        room->sets[i] = (struct chain_set){.run = all->run_of[present[i]],
                                           .multiplicity = reach(room, i, found)};
        number_of[present[i]] = i;
    }
    for (uint32_t i = 0; i < room->count; i++) {
        room->first[i] = at;
        for (uint32_t e = all->first[room->nodes[i]]; e < all->first[room->nodes[i] + 1]; e++) {
            room->entries[at] = number_of[all->entries[e]];
            room->sets[room->entries[at++]].members++;
        }
    }
    room->first[room->count] = at;
    for (uint32_t i = 1; i < found; i++)
        if (room->sets[i].run == room->sets[i - 1].run)
            room->sets[i].members += room->sets[i - 1].members;
    for (uint32_t i = 0; i < found; i++) {
        number_of[present[i]] = 0;
        if (room->sets[i].members <= 1 || room->sets[i].members == room->count)
            room->sets[i].multiplicity = 0;
    }
    room->set_count = found;
}

/* A node has come to the left half (1), or gone from it (-1). */
static void count_node(struct bisect_room *room, uint32_t node, int change)
{
    for (uint32_t e = room->first[node]; e < room->first[node + 1]; e++)
        room->sets[room->entries[e]].new_left += (uint32_t)change;
}

/* What a node gains whose first set is this one: over it and all behind it in its run. */
static void sum_gains(struct bisect_room *room)
{
    const float *rise = room->costs->rise;
    for (uint32_t s = 0; s < room->set_count; s++) {
        bool begins = !s || room->sets[s].run != room->sets[s - 1].run;
        room->sets[s].left = room->sets[s].new_left + (begins ? 0 : room->sets[s - 1].left);
    }
    for (uint32_t s = room->set_count; s-- > 0;) {
        const struct chain_set *set = &room->sets[s];
        struct half_gains sum = {0, 0};
        if (s + 1 < room->set_count && room->sets[s + 1].run == set->run)
            sum = room->gains[s + 1];
        if (set->multiplicity) {
            float weight = room->partition->weight_of[set->run] * (float)set->multiplicity;
            uint32_t left = set->left, right = set->members - left;
            if (left)
                sum.from_left += weight * (rise[right] - rise[left - 1]);
            if (right)
                sum.from_right += weight * (rise[left] - rise[right - 1]);
        }
        room->gains[s] = sum;
    }
}

/* Fills in the candidates of both halves; a node without any gain to lose is one, too. */
static void list_candidates(struct bisect_room *room, uint32_t *left, uint32_t *right)
{
    uint32_t lefts = 0, rights = 0;
    for (uint32_t i = 0; i < room->count; i++) {
        float gain = 0;
        const uint32_t *entry = room->entries + room->first[i];
        const uint32_t *end = room->entries + room->first[i + 1];
        if (room->is_right[i]) {
            for (; entry < end; entry++)
                gain += room->gains[*entry].from_right;
            room->right[rights++] = (struct candidate){gain, i};
        } else {
            for (; entry < end; entry++)
                gain += room->gains[*entry].from_left;
            room->left[lefts++] = (struct candidate){gain, i};
        }
    }
    *left = lefts;
    *right = rights;
}

static float best_of(const struct candidate *candidates, uint32_t count)
{
    float best = -INFINITY;
    for (uint32_t i = 0; i < count; i++)
        if (candidates[i].gain > best)
            best = candidates[i].gain;
    return best;
}

/* Drops those that lose more than anyone on the other side gains: no exchange can have them. */
static uint32_t keep_above(struct candidate *candidates, uint32_t count, float least)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (candidates[i].gain > least)
            candidates[kept++] = candidates[i];
    return kept;
}

/* One round of exchanges; how many there were. */
static uint32_t exchange(struct bisect_room *room)
{
    uint32_t lefts, rights, moved = 0;
    sum_gains(room);
    list_candidates(room, &lefts, &rights);
    if (room->count >= FEW_NODES) {
        float best_left = best_of(room->left, lefts), best_right = best_of(room->right, rights);
        lefts = keep_above(room->left, lefts, -best_right);
        rights = keep_above(room->right, rights, -best_left);
    }
    an_candidates_sort(room->left, room->spare, lefts);
    an_candidates_sort(room->right, room->spare, rights);
    for (uint32_t i = 0; i < lefts && i < rights; i++) {
        if (room->left[i].gain + room->right[i].gain <= 0)
            break;
        if (next_random(&room->random) % SKIPPED == 0)
            continue;
        room->is_right[room->left[i].node] = 1;
        room->is_right[room->right[i].node] = 0;
        count_node(room, room->left[i].node, -1);
        count_node(room, room->right[i].node, 1);
        moved++;
    }
    return moved;
}

/* Left ones before right ones, each in the order they had. */
static void settle(const struct bisect_room *room, uint32_t *nodes, uint32_t *spare)
{
    uint32_t left = 0, right = 0;
    for (uint32_t i = 0; i < room->count; i++)
        if (room->is_right[i])
            spare[right++] = nodes[i];
        else
            nodes[left++] = nodes[i];
    memcpy(nodes + left, spare, right * sizeof *spare);
}

struct bisect_room *an_bisect_room_new(const struct partition *partition, const uint32_t *nodes,
                                       uint32_t count)
{
    size_t entries = 0;
    for (uint32_t i = 0; i < count; i++)
        entries += partition->first[nodes[i] + 1] - partition->first[nodes[i]];
    size_t sets = entries < partition->set_count ? entries : partition->set_count;
    size_t half = (count + 1u) / 2;
    struct bisect_room *room = an_alloc_zero(1, sizeof *room);
    if (!room)
        return NULL;
    struct an_arena *arena = &room->arena;
    room->partition = partition;
    room->number_of = an_arena_zero(arena, partition->set_count, sizeof *room->number_of);
    room->present = an_arena_alloc(arena, sets, sizeof *room->present);
    room->first = an_arena_alloc(arena, count + 1u, sizeof *room->first);
    room->entries = an_arena_alloc(arena, entries, sizeof *room->entries);
    room->sets = an_arena_alloc(arena, sets, sizeof *room->sets);
    room->gains = an_arena_alloc(arena, sets, sizeof *room->gains);
    room->is_right = an_arena_alloc(arena, count, 1);
    room->left = an_arena_alloc(arena, half, sizeof *room->left);
    room->right = an_arena_alloc(arena, half, sizeof *room->right);
    room->spare = an_arena_alloc(arena, half, sizeof *room->spare);
    if (room->number_of && room->present && room->first && room->entries && room->sets &&
        room->gains && room->is_right && room->left && room->right && room->spare)
        return room;
    an_bisect_room_free(room);
    return NULL;
}

void an_bisect_room_free(struct bisect_room *room)
{
    if (room)
        an_arena_free(&room->arena);
    free(room);
}

void an_bisect(struct bisect_room *room, const struct log_costs *costs, uint32_t *nodes,
               uint32_t count, uint64_t path)
{
    uint32_t half = (count + 1) / 2;
    room->costs = costs;
    room->nodes = nodes;
    room->count = count;
    room->random = room->partition->seed ^ path;
    renumber(room);
    memset(room->is_right, 0, half);
    memset(room->is_right + half, 1, count - half);
    for (uint32_t i = 0; i < half; i++)
        count_node(room, i, 1);
    for (unsigned round = 0; round < ROUNDS && exchange(room) > count / WORTH; round++)
        ;
    settle(room, nodes, (uint32_t *)room->spare);
}
