/*
 * Room for the nodes of lists of values, of which nobody knows how many there will be: taken by threads and
 * signal handlers at once, without locks, and never given back.
 */
#ifndef AN_RT_NODES_H
#define AN_RT_NODES_H

#include "core/port.h"

enum { AN_RT_NODE = 40 }; /* bytes of a node: of the largest one, struct an_rt_node */

/* So many nodes in a row, filled with zeros; NULL: no memory. */
void *an_rt_nodes(size_t count);

#endif
