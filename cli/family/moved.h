/* Functions whose share of all counts differs between two profiles, those that moved most first: for anneal diff. */
#ifndef AN_CLI_FAMILY_MOVED_H
#define AN_CLI_FAMILY_MOVED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vector.h"

struct moved {
    char *name;
    double base, test; /* shares of all counts */
    bool in_base, in_test;
    bool changed; /* the two have the name in common and are not the same */
};

struct moved_list {
    AN_VECTOR(struct moved);
};

/* Adds a function and takes its name, which is malloc()ed. False: no memory, or no name for lack of it. */
bool moved_add(struct moved_list *list, struct moved moved);
void moved_sort(struct moved_list *list);
void moved_free(struct moved_list *list);

/* The first `number` of them, as a table. */
void moved_print(const struct moved_list *list, size_t number);

/* The same as an array; `has_changed`: it says of each whether it changed. */
struct json_object *moved_json(const struct moved_list *list, size_t number, bool has_changed);

#endif
