/*
 * Options of callers that were compiled with other headers than this library; what that means for them is said in
 * anneal/export.h.
 *
 *     an older caller            a newer caller
 *     [size a b]                 [size a b c d]
 *      copied                     copied    │
 *     [size a b 0 0]             [size a b c]  d must be 0
 */
#ifndef AN_BASE_OPTIONS_H
#define AN_BASE_OPTIONS_H

#include <stddef.h>

#include <anneal/error.h>

/*
 * Fills `taken`, a structure of options of `size` bytes whose first member is its size, from what a caller gives, which
 * may be NULL. AN_USAGE: it does not say its size, or wants what this library does not know.
 */
enum an_code an_options_take(void *taken, size_t size, const void *given, struct an_error *error);

#endif
