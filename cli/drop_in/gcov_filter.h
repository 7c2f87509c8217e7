/*
 * Which functions gcov 15 and later tell of, by --include and --exclude: the last of the expressions that fits a name
 * decides. A name that none fits is taken, unless there is an --include.
 */
#ifndef AN_CLI_DROP_IN_GCOV_FILTER_H
#define AN_CLI_DROP_IN_GCOV_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

struct gcov_filter {
    struct gcov_expression {
        regex_t regex;
        bool includes;
    } *items;
    size_t count;
    bool has_include;
    bool on_demangled; /* names are looked at as people write them */
};

/* Adds an expression; false after a message, in gcov's words. */
bool gcov_filter_add(struct gcov_filter *filter, const char *expression, bool includes);

/* Whether functions of this name are told of; `context` is a struct gcov_filter. */
bool gcov_filter_takes(void *context, const char *name);
void gcov_filter_free(struct gcov_filter *filter);

#endif
