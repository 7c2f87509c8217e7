/* The functions of a binary: what the headers in include/ show of them, and their symbols. */
#ifndef AN_ORDER_IMAGE_H
#define AN_ORDER_IMAGE_H

#include <anneal/order.h>

#include "base/vector.h"
#include "elf/elf.h"

struct image_symbol {
    const char *name;
    const char *file; /* of a local one, if the symbol table tells; else NULL */
    uint32_t function;
    bool is_local;
};

struct an_image {
    struct an_elf *elf;
    struct {
        AN_VECTOR(struct an_image_function);
    } functions;
    struct {
        AN_VECTOR(struct image_symbol);
    } symbols; /* of functions, in the order of the symbol table; without those of cold parts */
    uint64_t start;
    bool is_object; /* each section begins at 0 */
};

#endif
