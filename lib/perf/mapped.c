/* A treap with shared nodes; see mapped.h. */
#include "perf/mapped.h"

#include "base/secret.h"

static const struct an_mapping *mapping_of(const struct an_mapped *mapped, uint32_t node)
{
    return &mapped->mappings.items[mapped->nodes.items[node].mapping];
}

/* (S. Vigna's splitmix64.) */
static uint64_t priority(const struct an_mapped *mapped, uint32_t node)
{
    uint64_t mixed = mapped->secret + mapped->nodes.items[node].mapping * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

static bool push_node(struct an_mapped *mapped, struct an_mapped_node node)
{
    struct an_mapped_node *added =
        mapped->nodes.count < UINT32_MAX ? an_vector_push(&mapped->nodes) : NULL;
    mapped->failed |= added == NULL;
    if (added)
        *added = node;
    return added;
}

/* The first one stands for none. */
static uint32_t new_node(struct an_mapped *mapped, struct an_mapped_node node)
{
    if (mapped->nodes.count == 0) {
        mapped->secret = an_secret_for(mapped);
        if (!push_node(mapped, (struct an_mapped_node){.oldest = UINT32_MAX}))
            return 0;
    }
    return push_node(mapped, node) ? (uint32_t)(mapped->nodes.count - 1) : 0;
}

/* The node itself, or a copy when it has to stay; 0 when memory runs out. */
static uint32_t changeable(struct an_mapped *mapped, uint32_t node)
{
    return node >= mapped->fresh ? node : new_node(mapped, mapped->nodes.items[node]);
}

static void update(struct an_mapped *mapped, uint32_t at)
{
    struct an_mapped_node *nodes = mapped->nodes.items, *node = &nodes[at];
    uint32_t below = nodes[node->left].oldest;
    if (nodes[node->right].oldest < below)
        below = nodes[node->right].oldest;
    node->oldest = node->mapping < below ? node->mapping : below;
}

/* What splits a tree: what begins before a bound is left of it, or only what ends there, too. */
struct bound {
    uint64_t at;
    bool by_end;
};

static void split(struct an_mapped *mapped, uint32_t tree, struct bound bound, uint32_t *left,
                  uint32_t *right)
{
    uint32_t node = tree ? changeable(mapped, tree) : 0, rest = 0;
    *left = *right = 0;
    if (!node)
        return;
    const struct an_mapping *mapping = mapping_of(mapped, node);
    if (bound.by_end ? mapping->end <= bound.at : mapping->start < bound.at) {
        split(mapped, mapped->nodes.items[node].right, bound, &rest, right);
        mapped->nodes.items[node].right = rest;
        *left = node;
    } else {
        split(mapped, mapped->nodes.items[node].left, bound, left, &rest);
        mapped->nodes.items[node].left = rest;
        *right = node;
    }
    update(mapped, node);
}

/* All of `left` lies before all of `right`. */
static uint32_t merge(struct an_mapped *mapped, uint32_t left, uint32_t right)
{
    if (!left || !right)
        return left ? left : right;
    bool left_on_top = priority(mapped, left) > priority(mapped, right);
    uint32_t top = changeable(mapped, left_on_top ? left : right);
    if (!top)
        return 0;
    struct an_mapped_node node = mapped->nodes.items[top];
    uint32_t below =
        left_on_top ? merge(mapped, node.right, right) : merge(mapped, left, node.left);
    *(left_on_top ? &mapped->nodes.items[top].right : &mapped->nodes.items[top].left) = below;
    update(mapped, top);
    return top;
}

static bool overlaps(const struct an_mapped *mapped, uint32_t tree, uint64_t start, uint64_t end)
{
    while (tree) {
        const struct an_mapping *mapping = mapping_of(mapped, tree);
        if (mapping->start < end && start < mapping->end)
            return true;
        const struct an_mapped_node *node = &mapped->nodes.items[tree];
        tree = end <= mapping->start ? node->left : node->right;
    }
    return false;
}

void an_mapped_keep(struct an_mapped *mapped)
{
    mapped->fresh = (uint32_t)mapped->nodes.count;
}

void an_mapped_end(struct an_mapped *mapped, uint32_t *tree, uint64_t start, uint64_t end)
{
    uint32_t before, middle, behind;
    if (!overlaps(mapped, *tree, start, end))
        return;
    split(mapped, *tree, (struct bound){end, false}, &before, &behind);
    split(mapped, before, (struct bound){start, true}, &before, &middle);
    *tree = merge(mapped, before, behind);
}

void an_mapped_add(struct an_mapped *mapped, uint32_t *tree, struct an_mapping mapping)
{
    uint32_t before, behind, index = (uint32_t)mapped->mappings.count;
    struct an_mapping *added = an_vector_push(&mapped->mappings);
    mapped->failed |= added == NULL;
    if (!added)
        return;
    *added = mapping;
    split(mapped, *tree, (struct bound){mapping.start, false}, &before, &behind);
    uint32_t node = new_node(mapped, (struct an_mapped_node){index, 0, 0, index});
    *tree = merge(mapped, merge(mapped, before, node), behind);
}

const struct an_mapping *an_mapped_oldest(const struct an_mapped *mapped, uint32_t tree)
{
    return tree ? &mapped->mappings.items[mapped->nodes.items[tree].oldest] : NULL;
}

void an_mapped_free(struct an_mapped *mapped)
{
    an_vector_free(&mapped->mappings);
    an_vector_free(&mapped->nodes);
    *mapped = (struct an_mapped){0};
}
