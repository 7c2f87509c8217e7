/* What the families are asked for by anneal order: what an input says of how a program behaves. */
#ifndef AN_CLI_FAMILY_ORDERING_H
#define AN_CLI_FAMILY_ORDERING_H

#include <anneal/order.h>

#include "base/bytes.h"
#include "cli/family/inputs.h"

enum objective {
    ORDER_START, /* few page faults at the start: needs runs */
    ORDER_HOT,   /* few misses of a busy program: needs heat */
    ORDER_BLEND, /* both */
};

struct order_request {
    enum objective objective;
    struct an_behaviour *behaviour; /* to which it is added */
    struct an_image *image;         /* the program that was recorded; NULL: none was named */
    const char *notes;              /* a folder in which gcno files are looked for; may be NULL */
    struct an_recording_options recording;
};

/* True when an input was added; else false, after a message about the path. */
bool ordering_took(enum an_code code, struct an_error *error, const char *path);

/*
 * Each adds what the objective needs of an input of its family, whose bytes are here. A path of GCC's may be the folder
 * of a run as well. False after a message.
 */
bool llvm_order_run(const struct order_request *request, const char *path, struct an_bytes bytes);
bool fdata_order_run(const struct order_request *request, const char *path, struct an_bytes bytes);
bool yaml_order_run(const struct order_request *request, const char *path, struct an_bytes bytes);
bool gcc_order_run(const struct order_request *request, const char *path, struct an_bytes bytes);
bool recording_order_run(const struct order_request *request, const char *path,
                         struct an_bytes bytes);

/*
 * Makes one profile, in malloc()ed bytes, of partial results: an input that is in several of them counts once. *ledger may be set on
 * failure, too.
 */
typedef enum an_code ordering_flatten(const struct inputs *partials, void **bytes, size_t *size,
                                      struct an_ledger **ledger, struct an_error *error);
ordering_flatten llvm_order_flatten, fdata_order_flatten;

#endif
