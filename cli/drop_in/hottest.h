/* The functions with the largest counts, with ties as llvm-profdata breaks them. */
#ifndef AN_CLI_DROP_IN_HOTTEST_H
#define AN_CLI_DROP_IN_HOTTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hottest_item {
    char *name;
    uint64_t max;
};

struct hottest {
    size_t most; /* how many are kept */
    struct hottest_item *heap;
    size_t count, capacity;
};

bool hottest_add(struct hottest *hottest, const char *name, size_t length, uint64_t max);
void hottest_print(struct hottest *hottest); /* largest first; empties it */
void hottest_free(struct hottest *hottest);

#endif
