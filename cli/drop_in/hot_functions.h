/*
 * Functions by their largest counts, of which LLVM 22 lists the first (--topn) and those that are hot (--hot-func-list). Of the
 * same counts, the one that comes first in the profile does here.
 */
#ifndef AN_CLI_DROP_IN_HOT_FUNCTIONS_H
#define AN_CLI_DROP_IN_HOT_FUNCTIONS_H

#include <anneal/llvm.h>

struct hot_functions {
    struct hot_function {
        char *name;
        uint64_t max;
        size_t number; /* in the order of the profile */
    } *items;
    size_t count, capacity;
};

/* False when memory runs out. */
bool hot_functions_add(struct hot_functions *functions, const char *name, size_t length,
                       uint64_t max);

/* The first ones, with their counts. */
void hot_functions_print_top(struct hot_functions *functions, unsigned long long most);

/* The counts that make the summary's most frequent 99 % are hot; false when it does not say which. */
bool hot_functions_print(struct hot_functions *functions, const struct an_llvm_summary *summary);
void hot_functions_free(struct hot_functions *functions);

#endif
