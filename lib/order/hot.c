/*
 * Call-chain clustering (C3): G. Ottoni, B. Maher, "Optimizing Function Placement for Large-Scale Data-Center
 * Applications", CGO 2017. Each function is put behind the one that calls it most, the densest first, so that a call
 * leads a short way forwards; clusters are then sorted by density, so that what is hot shares few pages:
 *
 *     f ---90---> g ---50---> h        clusters: f g h | k        (not k g: k calls g less often)
 *                 ^
 *     k ---10-----'
 *
 * The limits are those of the paper and of lld's --call-graph-profile-sort.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "order/behaviour.h"
#include "order/image.h"

enum {
    MOST_CLUSTER = 1 << 20, /* bytes: a cluster as large as what it is to fit in helps nobody */
    MOST_DILUTION =
        8, /* a cluster's density does not fall to less than an eighth by what joins it */
    LEAST_CALLER = 10, /* a caller of less than a tenth of the heat does not pull a function */
};

#define NONE UINT32_MAX

/* A number of bytes and how much they run. */
struct mass {
    uint64_t heat, size;
};

/* A function, and the cluster that it stands for while it is the first of one. */
struct node {
    uint32_t function;
    const struct an_behaviour_function *known;
    struct mass own;
    uint32_t caller; /* the node that calls it most, or NONE */
    uint64_t caller_count;
    uint32_t leader; /* a node of the same cluster, nearer to its first one; of that: itself */
    uint32_t next;   /* of the same cluster, or NONE */
    uint32_t last;   /* of the cluster that this is the first of */
    struct mass all; /* likewise */
};

struct clusters {
    struct node *nodes; /* by density */
    uint32_t count;
    uint32_t *of_function; /* node, or NONE */
};

/* Whether the first mass has more (-1) or less heat for its size than the second, exactly. */
static int by_density(const struct mass *one, const struct mass *other)
{
    unsigned __int128 left = (unsigned __int128)one->heat * other->size;
    unsigned __int128 right = (unsigned __int128)other->heat * one->size;
    return left > right ? -1 : left < right;
}

static int by_node_density(const void *a, const void *b)
{
    const struct node *left = a, *right = b;
    int order = by_density(&left->own, &right->own);
    if (!order) /* by name, not by number: inputs may have functions in any order */
        order = strcmp(left->known->name, right->known->name);
    if (!order && left->known->file && right->known->file)
        order = strcmp(left->known->file, right->known->file);
    return order ? order : left->function < right->function ? -1 : 1;
}

/* Bytes of the function and of the copies that the compiler made of it; not 0. */
static uint64_t size_of(const struct an_order_options *options, uint32_t function)
{
    const struct an_matches *matches = options->matches;
    uint64_t size = 0;
    if (!matches)
        return AN_GUESSED_SIZE;
    for (uint32_t m = matches->first[function]; m < matches->first[function + 1]; m++)
        size += options->image->functions.items[matches->images[m]].size;
    return size ? size : 1;
}

static bool find_nodes(struct clusters *clusters, const struct an_behaviour *behaviour,
                       const struct an_order_options *options)
{
    size_t functions = behaviour->functions.count;
    clusters->nodes = an_alloc(functions + 1, sizeof *clusters->nodes);
    clusters->of_function = an_alloc(functions + 1, sizeof *clusters->of_function);
    if (!clusters->nodes || !clusters->of_function)
        return false;
    for (uint32_t f = 0; f < functions; f++) {
        uint64_t heat = an_behaviour_heat(behaviour, f);
        clusters->of_function[f] = NONE;
        if (heat)
            clusters->nodes[clusters->count++] =
                (struct node){.function = f,
                              .known = &behaviour->functions.items[f],
                              .own = {heat, size_of(options, f)},
                              .caller = NONE};
    }
    qsort(clusters->nodes, clusters->count, sizeof *clusters->nodes, by_node_density);
    for (uint32_t n = 0; n < clusters->count; n++) {
        struct node *node = &clusters->nodes[n];
        clusters->of_function[node->function] = n;
        node->leader = node->last = n;
        node->next = NONE;
        node->all = node->own;
    }
    return true;
}

static bool find_callers(struct clusters *clusters, const struct an_behaviour *behaviour)
{
    size_t count;
    struct behaviour_call *calls = an_behaviour_calls(behaviour, &count);
    for (size_t i = 0; calls && i < count; i++) {
        uint32_t callee = clusters->of_function[calls[i].callee];
        uint32_t caller = clusters->of_function[calls[i].caller];
        if (callee == NONE || caller == NONE || callee == caller)
            continue;
        struct node *node = &clusters->nodes[callee];
        if (calls[i].count < node->caller_count ||
            (calls[i].count == node->caller_count && caller > node->caller))
            continue;
        node->caller = caller;
        node->caller_count = calls[i].count;
    }
    free(calls);
    return calls;
}

/* The first node of the cluster that a node is in; the way there gets shorter. */
static uint32_t leader_of(struct clusters *clusters, uint32_t n)
{
    struct node *nodes = clusters->nodes;
    while (nodes[n].leader != n) {
        nodes[n].leader = nodes[nodes[n].leader].leader;
        n = nodes[n].leader;
    }
    return n;
}

/* Whether the cluster `back` is to follow the cluster `front`. */
static bool may_follow(const struct node *front, const struct node *back)
{
    struct mass both = {front->all.heat + back->all.heat, front->all.size + back->all.size};
    if (both.size > MOST_CLUSTER || both.heat < front->all.heat)
        return false;
    /* the density of both is at least that of the front, divided */
    return (unsigned __int128)both.heat * front->all.size * MOST_DILUTION >=
           (unsigned __int128)front->all.heat * both.size;
}

static void join(struct clusters *clusters, uint32_t front, uint32_t back)
{
    struct node *nodes = clusters->nodes;
    nodes[nodes[front].last].next = back;
    nodes[front].last = nodes[back].last;
    nodes[back].leader = front;
    nodes[front].all.heat += nodes[back].all.heat;
    nodes[front].all.size += nodes[back].all.size;
}

static void cluster(struct clusters *clusters)
{
    for (uint32_t n = 0; n < clusters->count; n++) {
        const struct node *node = &clusters->nodes[n];
        if (node->caller == NONE || node->caller_count < node->own.heat / LEAST_CALLER)
            continue;
        uint32_t front = leader_of(clusters, node->caller), back = leader_of(clusters, n);
        /* a function that is not the first of its cluster follows its caller already */
        if (back == n && front != back &&
            may_follow(&clusters->nodes[front], &clusters->nodes[back]))
            join(clusters, front, back);
    }
}

struct ranked {
    struct mass all;
    uint32_t first;
};

static int by_cluster_density(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    int order = by_density(&left->all, &right->all);
    return order ? order : left->first < right->first ? -1 : 1;
}

static bool write_down(const struct clusters *clusters, struct an_order *order)
{
    struct ranked *ranked = an_alloc(clusters->count + 1u, sizeof *ranked);
    uint32_t count = 0;
    order->functions = an_alloc(clusters->count + 1u, sizeof *order->functions);
    if (!ranked || !order->functions) {
        free(ranked);
        return false;
    }
    for (uint32_t n = 0; n < clusters->count; n++)
        if (clusters->nodes[n].leader == n)
            ranked[count++] = (struct ranked){clusters->nodes[n].all, n};
    qsort(ranked, count, sizeof *ranked, by_cluster_density);
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t n = ranked[c].first; n != NONE; n = clusters->nodes[n].next)
            order->functions[order->count++] = clusters->nodes[n].function;
    free(ranked);
    return true;
}

enum an_code an_order_hot(const struct an_behaviour *behaviour,
                          const struct an_order_options *options, struct an_order *order,
                          struct an_error *error)
{
    struct clusters clusters = {0};
    struct an_order_options full;
    *order = (struct an_order){0};
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    bool has_memory = find_nodes(&clusters, behaviour, &full) && find_callers(&clusters, behaviour);
    if (has_memory) {
        cluster(&clusters);
        has_memory = write_down(&clusters, order);
    }
    free(clusters.nodes);
    free(clusters.of_function);
    if (has_memory)
        return AN_OK;
    an_order_free(order);
    return an_fail_memory(error);
}
