/* The choice of functions; see gcov_filter.h. */
#include "gcov_filter.h"

#include <stdio.h>
#include <stdlib.h>

#include <anneal/gcc.h>

#include "cli/core/command.h"

bool gcov_filter_add(struct gcov_filter *filter, const char *expression, bool includes)
{
    struct gcov_expression *items = realloc(filter->items, (filter->count + 1) * sizeof *items);
    char message[256];
    if (!items) {
        say_error("out of memory");
        return false;
    }
    filter->items = items;
    int status = regcomp(&items[filter->count].regex, expression, REG_NOSUB | REG_EXTENDED);
    if (status) {
        regerror(status, &items[filter->count].regex, message, sizeof message);
        fprintf(stderr, "Bad regular expression: %s\n", message);
        return false;
    }
    items[filter->count++].includes = includes;
    filter->has_include |= includes;
    return true;
}

bool gcov_filter_takes(void *context, const char *name)
{
    const struct gcov_filter *filter = context;
    char *demangled = filter->on_demangled ? an_gcc_demangle(name) : NULL;
    bool takes = !filter->has_include;
    for (size_t i = 0; i < filter->count; i++)
        if (regexec(&filter->items[i].regex, demangled ? demangled : name, 0, NULL, 0) == 0)
            takes = filter->items[i].includes;
    free(demangled);
    return takes;
}

void gcov_filter_free(struct gcov_filter *filter)
{
    for (size_t i = 0; i < filter->count; i++)
        regfree(&filter->items[i].regex);
    free(filter->items);
    *filter = (struct gcov_filter){.items = NULL};
}
