/* Which counter files belong together: the inputs of a merge, by the object file that they are of. */
#ifndef AN_CLI_FAMILY_GCC_MODULES_H
#define AN_CLI_FAMILY_GCC_MODULES_H

#include <anneal/gcc.h>

#include "base/map.h"
#include "inputs.h"

/*
 *     ONE.gcda TWO.gcda ...          one module without a name
 *     RUN1/ RUN2/ ...                a module for each name below the folders
 *     a.gcda0 a.gcda1 b.gcda0 ...    of the present folder, one for each core: a.gcda, b.gcda
 *
 * Partial results may stand anywhere among these; which modules they have is not known yet.
 */
struct gcc_modules {
    struct an_names names;
    size_t *inputs;            /* of each module: how many there are */
    size_t *first;             /* of each module: its first input */
    struct an_gcc_input *list; /* of all modules; paths are those of the inputs */
    size_t *runs;              /* of each of these: its folder, its core, or its place */
    size_t count;              /* of these */
    size_t folders;            /* that were named; 0: files were */
    bool has_names;            /* a file for each module is to be made in some folder */
    bool has_partials;         /* some of these are partial results: their module is AN_NO_NAME */
};

/* False after a message. `list` keeps pointing into the inputs. */
bool gcc_modules_find(struct gcc_modules *modules, const struct inputs *inputs);
void gcc_modules_free(struct gcc_modules *modules);

/* Adds the files of the present folder that end in .gcda and a core's number, in the order of names and
 * numbers. */
void gcc_modules_add_cores(struct inputs *inputs);

/* The length of a path without the number at its end: "a.gcda12" is 6 long. */
size_t gcc_modules_stem(const char *path);

#endif
