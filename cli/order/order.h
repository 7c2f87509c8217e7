/* What the parts of anneal order share. */
#ifndef AN_CLI_ORDER_ORDER_H
#define AN_CLI_ORDER_ORDER_H

#include <anneal/order.h>

#include "base/vector.h"
#include "cli/family/ordering.h"

struct ordering {
    enum objective objective;
    struct an_behaviour *behaviour;
    struct an_image *image;     /* NULL: no binary was given */
    struct an_matches *matches; /* likewise */
    struct an_order order;
    struct an_order placed; /* with an image: its functions in this order */
    const char *binary;
    uint64_t page_size;
    unsigned around;     /* pages that one fault maps */
    unsigned read_ahead; /* pages that one fault reads; 0: all are in memory */
    bool read_around;    /* half of them in front of the fault */
    size_t tests;        /* the last so many runs were kept aside */
    bool quiet;
};

/* What is worth telling of an order and a binary. */
struct order_facts {
    size_t absent;      /* functions that the binary does not have */
    size_t immovable;   /* that share a section with others */
    size_t symbols;     /* functions of the binary in the order, copies included */
    size_t unknown;     /* of these: nothing tells whether they can be moved */
    uint64_t bytes;     /* that they take */
    uint64_t all_bytes; /* of the binary's functions */
};

/*
 * Adds what the objective needs of the inputs: LLVM profiles, folders with a run's counter files of GCC, branch profiles,
 * recordings (which need the image), lists of names, partial results. False after a message.
 */
bool order_add_inputs(const struct order_request *request, char **paths, size_t count);

/* Reads an order file as lld has it: what it places. False after a message. */
bool order_read_file(struct ordering *ordering, const char *path);

void order_find_facts(const struct ordering *ordering, struct order_facts *facts);

/* Tells on stderr what could not be ordered; how to print it as JSON is the second one's. */
void order_tell(const struct ordering *ordering, const struct order_facts *facts);
struct json_object *order_facts_json(const struct ordering *ordering,
                                     const struct order_facts *facts);

/* ---- evaluation ---- */

/* False after a message. */
bool order_evaluate(const struct ordering *ordering, struct an_order_evaluation *evaluation);
void order_print_evaluation(const struct ordering *ordering,
                            const struct an_order_evaluation *evaluation);
struct json_object *order_evaluation_json(const struct ordering *ordering,
                                          const struct an_order_evaluation *evaluation);

#endif
