/*
 * Tables of return addresses in a program's data.
 *
 * A runtime that walks stacks by itself (a garbage collector, exceptions of a language of its own) looks up
 * what calls return to in a table. A copy of a function elsewhere returns to places that are in no table. So
 * a function must stay where it is if data names what is directly behind one of its calls:
 *
 *     code     ... | call | x: ...               data     | ... | address of x, or x - . | ... |
 *
 * Such places are behind labels, too: of a switch that falls through, of a goto to what a variable names.
 * Tables of labels are no reason to stay. They are told apart by
 *
 *     their other words   what stands side by side is a table of return addresses if each of its words is
 *                         behind a call
 *     the function        without an indirect jump it has no use for labels
 *
 * A table of both kinds of words about a function with an indirect jump is taken for one of labels; and what is
 * behind a call that ends its function is taken for the next function, if that begins there. These are the limits
 * of this: see docs/reference/live.md.
 *
 * And so must functions of which code elsewhere names a place in the middle (inner_places.h).
 *
 * What data refers to is told by the relocations that the linker was asked to keep (-Wl,-q).
 */
#ifndef AN_BRANCH_RETURN_TABLES_H
#define AN_BRANCH_RETURN_TABLES_H

#include "base/diagnostics.h"
#include "base/vector.h"
#include "elf/functions.h"

struct an_named_functions {
    AN_VECTOR(
        uint32_t); /* indices of functions, ascending; fragments as well as what they are parts of */
};

/*
 * Finds the functions that such tables name, or code elsewhere. AN_MALFORMED when relocations cannot be read. The caller frees
 * the list (an_vector_free), also on failure.
 */
enum an_code an_return_tables_find(const struct an_elf *elf, const struct an_functions *functions,
                                   struct an_named_functions *named, struct an_error *error);

/* Adds a diagnostic about the binary at the path, if there is something to say. */
enum an_code an_return_tables_judge(const char *path, struct an_diagnostics *diagnostics,
                                    struct an_error *error);

#endif
