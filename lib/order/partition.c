/*
 * The recursion: parts are halved level by level, all parts of a level at a time on the threads,
 * until they are small; each small one is then one task.
 */
#include "order/partition.h"

#include "base/memory.h"
#include "base/pool.h"
#include "order/bisect.h"

enum {
    LEAF = 2, /* parts of so many nodes have their order already: an exchange changes nothing */
    SMALL_PARTS = 32, /* so many, before each is finished by itself */
};

struct part {
    uint32_t begin, count;
    uint64_t path; /* 1, then one bit for each turn */
};

struct recursion {
    const struct partition *partition;
    struct log_costs costs;
    uint32_t *order;
    struct part *parts; /* of this level */
    bool *failed;       /* for each */
};

static struct part half_of(const struct part *part, bool right)
{
    uint32_t left = (part->count + 1) / 2;
    return right ? (struct part){part->begin + left, part->count - left, 2 * part->path + 1}
                 : (struct part){part->begin, left, 2 * part->path};
}

static void finish(const struct recursion *recursion, struct bisect_room *room,
                   struct part part) // NOLINT(misc-no-recursion)
{
    if (part.count <= LEAF)
        return;
    an_bisect(room, &recursion->costs, recursion->order + part.begin, part.count, part.path);
    finish(recursion, room, half_of(&part, false));
    finish(recursion, room, half_of(&part, true));
}

/* One part, and with `all` the parts of it, too. */
static bool work_on(const struct recursion *recursion, const struct part *part, bool all)
{
    uint32_t *nodes = recursion->order + part->begin;
    if (part->count <= LEAF)
        return true;
    struct bisect_room *room = an_bisect_room_new(recursion->partition, nodes, part->count);
    if (!room)
        return false;
    if (all)
        finish(recursion, room, *part);
    else
        an_bisect(room, &recursion->costs, nodes, part->count, part->path);
    an_bisect_room_free(room);
    return true;
}

static void halve_one(void *context, size_t index)
{
    struct recursion *recursion = context;
    recursion->failed[index] = !work_on(recursion, &recursion->parts[index], false);
}

static void finish_one(void *context, size_t index)
{
    struct recursion *recursion = context;
    recursion->failed[index] = !work_on(recursion, &recursion->parts[index], true);
}

static bool run_all(struct recursion *recursion, size_t parts,
                    void (*task)(void *context, size_t index))
{
    an_pool_run(recursion->partition->threads, parts, task, recursion);
    for (size_t i = 0; i < parts; i++)
        if (recursion->failed[i])
            return false;
    return true;
}

bool an_partition_order(const struct partition *partition, uint32_t *order)
{
    struct part parts[SMALL_PARTS] = {{0, partition->node_count, 1}};
    bool failed[SMALL_PARTS];
    struct recursion recursion = {partition, {NULL}, order, parts, failed};
    if (!an_log_costs_make(&recursion.costs, partition->node_count))
        return false;
    bool done = true;
    size_t count = 1;
    for (; done && count < SMALL_PARTS; count *= 2) {
        done = run_all(&recursion, count, halve_one);
        for (size_t i = count; i-- > 0;) {
            struct part part = parts[i];
            parts[2 * i] = half_of(&part, false);
            parts[2 * i + 1] = half_of(&part, true);
        }
    }
    done = done && run_all(&recursion, count, finish_one);
    an_log_costs_free(&recursion.costs);
    return done;
}
