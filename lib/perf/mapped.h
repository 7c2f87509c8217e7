/*
 * What is mapped in processes, at all times.
 *
 * A recording may have any number of mappings and forks, and asks for any moment. So what a process
 * has mapped is a search tree whose nodes stay as they are: a change makes new nodes on the way to
 * its place, a dozen or two, and shares all others with the tree before. A fork shares the whole tree.
 *
 *     time 1           2                       3: the child of a fork at 2
 *         b            b'                      b"
 *        / \          / \                     / \
 *       a   c   -->  a   d      (a shared)   a'  d        (d shared)
 *
 * It is a treap: how it looks depends on random priorities only, so that nobody can make it deep.
 */
#ifndef AN_PERF_MAPPED_H
#define AN_PERF_MAPPED_H

#include "base/vector.h"

struct an_mapping {
    uint64_t start, end; /* addresses in the process */
    uint64_t bias;       /* what is subtracted from them */
};

struct an_mapped_node {
    uint32_t mapping;     /* index */
    uint32_t left, right; /* nodes, or 0 */
    uint32_t oldest;      /* the lowest index below here */
};

struct an_mapped {
    struct {
        AN_VECTOR(struct an_mapping);
    } mappings; /* in the order in which they were added */
    struct {
        AN_VECTOR(struct an_mapped_node);
    } nodes;         /* the first is none */
    uint32_t fresh;  /* nodes from here on are in no tree that has to stay */
    uint64_t secret; /* of the priorities */
    bool failed;     /* memory ran out */
};

/* Trees as they are now stay so. */
void an_mapped_keep(struct an_mapped *mapped);

/* Takes what lies in a range out of a tree. */
void an_mapped_end(struct an_mapped *mapped, uint32_t *tree, uint64_t start, uint64_t end);

/* Adds a mapping; nothing of the tree may lie in its range. */
void an_mapped_add(struct an_mapped *mapped, uint32_t *tree, struct an_mapping mapping);

/* The mapping of a tree that was added first, or NULL. */
const struct an_mapping *an_mapped_oldest(const struct an_mapped *mapped, uint32_t tree);
void an_mapped_free(struct an_mapped *mapped);

/* The one that contains the address, or NULL. */
static inline const struct an_mapping *an_mapped_find(const struct an_mapped *mapped, uint32_t tree,
                                                      uint64_t address)
{
    while (tree) {
        const struct an_mapped_node *node = &mapped->nodes.items[tree];
        const struct an_mapping *mapping = &mapped->mappings.items[node->mapping];
        if (address - mapping->start < mapping->end - mapping->start)
            return mapping;
        tree = address < mapping->start ? node->left : node->right;
    }
    return NULL;
}

#endif
