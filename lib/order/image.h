/* The functions of a binary: what the headers in include/ show of them, and their symbols. */
#ifndef AN_ORDER_IMAGE_H
#define AN_ORDER_IMAGE_H

#include <anneal/order.h>

#include "base/vector.h"
#include "elf/elf.h"

enum {
    AN_GUESSED_SIZE = 128
}; /* of a function without a binary; as llvm-profdata takes it: 32 to a page */

struct image_symbol {
    const char *name;
    const char *file; /* of a local one, if the symbol table tells; else NULL */
    uint32_t function;
    bool is_local;
};

#define AN_NO_SYMBOL UINT32_MAX

struct an_image {
    struct an_elf *elf;
    struct {
        AN_VECTOR(struct an_image_function);
    } functions;
    bool *is_joined; /* of each function: the next one is in its section */
    struct {
        AN_VECTOR(struct image_symbol);
    } symbols; /* of functions, by address; without those of cold parts */
    uint32_t *first_alike,
        *next_alike; /* of each symbol: the first one of its name, and the next or AN_NO_SYMBOL */
    uint64_t start;
    bool is_object; /* each section begins at 0 */
};

/*
 * What is placed by an order. Linkers go by names: with a function come all others that have a name of its symbols, in the
 * order that they have now. And they move sections: with each comes what is in its section, as far as that is known.
 * ends[i]: how many functions of `placed` come with those of the order up to i; may be NULL.
 */
enum an_code an_image_place(const struct an_image *image, const struct an_matches *matches,
                            const struct an_order *order, struct an_order *placed, uint32_t *ends,
                            struct an_error *error);

/* Whether an order moves it: not what lies in front of the text. */
bool an_image_moves(const struct an_image *image, uint32_t function);

#endif
