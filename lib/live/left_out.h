/*
 * Functions that must stay where they are, since the program names places within them, such as what their calls return to
 * (return_tables.h): who they are, so that llvm-bolt is told, and whether it has left them there.
 */
#ifndef AN_LIVE_LEFT_OUT_H
#define AN_LIVE_LEFT_OUT_H

#include "branch/return_tables.h"
#include "live/generation.h"

struct an_left_out {
    struct an_named_functions functions;
    const char **names; /* of as many; they live as long as the functions of the binary */
};

/* Finds them. The caller frees the list, also on failure. */
enum an_code an_left_out_find(const struct an_elf *elf, const struct an_functions *functions,
                              struct an_left_out *left_out, struct an_error *error);
void an_left_out_free(struct an_left_out *left_out);

/* Adds them to the arguments for llvm-bolt. */
void an_left_out_skip(const struct an_left_out *left_out, struct an_buffer *arguments);

/* AN_UNSUPPORTED when a generation has moved one. */
enum an_code an_left_out_check(const struct an_left_out *left_out,
                               const struct an_functions *functions,
                               const struct an_generation *generation, struct an_error *error);

#endif
