/* GCC's profiles as those see them who show and compare them: modules, and their functions with names. */
#ifndef AN_CLI_FAMILY_GCC_VIEW_H
#define AN_CLI_FAMILY_GCC_VIEW_H

#include <anneal/gcc.h>

#include "base/map.h"
#include "inputs.h"

struct gcc_view_module {
    const char *path;
    size_t input; /* its number among the inputs */
    size_t bytes;
    char *notes; /* the path of its gcno, or NULL */
    struct an_gcc_profile *profile;
};

struct gcc_view_function {
    const struct gcc_view_module *module;
    const struct an_gcc_function *function;
};

struct gcc_view {
    struct gcc_view_module *modules;
    size_t count;
    struct gcc_view_function *functions; /* of all modules */
    size_t function_count;
    struct an_map idents; /* a function's place among these, plus 1, by its ident */
};

/*
 * Reads the inputs, with the gcno beside them or else below `folder`, which may be NULL: by name, or by stamp. Says what is wrong
 * with gcno files, once for each reason. False after a message.
 */
bool gcc_view_read(struct gcc_view *view, const struct inputs *inputs, const char *folder);
void gcc_view_free(struct gcc_view *view);

/* The function with that ident in any module; NULL: there is none. */
const struct gcc_view_function *gcc_view_find(const struct gcc_view *view, uint64_t ident);

/* What the linker calls a function, or PATH#IDENT; in a static buffer until the next call. */
const char *gcc_view_symbol(const struct gcc_view_function *function);

/* What people call it: the same, but for names of C++. */
const char *gcc_view_name(const struct gcc_view_function *function);

#endif
