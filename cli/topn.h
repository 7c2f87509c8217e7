/* The functions with the largest counts, with ties as llvm-profdata breaks them. */
#ifndef AN_CLI_TOPN_H
#define AN_CLI_TOPN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct topn_item {
    char *name;
    uint64_t max;
};

struct topn {
    size_t most; /* how many are kept */
    struct topn_item *heap;
    size_t count, capacity;
};

bool topn_add(struct topn *topn, const char *name, size_t length, uint64_t max);
void topn_print(struct topn *topn); /* largest first; empties it */
void topn_free(struct topn *topn);

#endif
