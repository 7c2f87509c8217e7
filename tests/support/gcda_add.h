/* Adding the file of a later run to one that is in memory, as a merge does it file by file. */
#ifndef TESTS_SUPPORT_GCDA_ADD_H
#define TESTS_SUPPORT_GCDA_ADD_H

#include "gcc/gcda_add.h"

/* If the file cannot be added, `into` is as it was. */
static inline enum an_code gcda_add(struct an_gcda *into, struct an_bytes later,
                                    enum an_gcda_order order, struct an_gcda_added *added,
                                    struct an_error *error)
{
    struct an_gcda_plan plan = {.functions = 0};
    enum an_code code = an_gcda_look(&plan, into, later, error);
    if (code == AN_OK && !an_gcda_apply(into, &plan, order, added))
        code = an_fail_memory(error);
    an_gcda_plan_free(&plan);
    return code;
}

#endif
