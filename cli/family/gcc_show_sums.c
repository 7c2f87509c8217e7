/* What both forms of anneal show say of a GCC profile; see gcc_show.h. */
#include "gcc_show.h"

#include <stdio.h>
#include <string.h>

bool gcc_show_selected(const struct gcc_show_view *view, const struct gcc_view_function *function)
{
    if (view->request->all || !view->request->function)
        return view->request->all;
    return regexec(&view->request->pattern, gcc_view_symbol(function), 0, NULL, 0) == 0 ||
           regexec(&view->request->pattern, gcc_view_name(function), 0, NULL, 0) == 0;
}

bool gcc_show_are_calls(const struct an_gcc_counters *counters)
{
    return strncmp(counters->kind, "indirect_call", strlen("indirect_call")) == 0;
}

const char *gcc_show_compiler(const struct an_gcc_profile *profile)
{
    static char text[60];
    snprintf(text, sizeof text, "%sGCC %u.%u", profile->is_clang ? "clang, as " : "",
             profile->major, profile->minor);
    return text;
}

void gcc_show_add(struct gcc_show_sums *sums, const struct an_gcc_function *function)
{
    sums->functions++;
    sums->ran += function->ran != 0;
    sums->counters += function->arcs;
    sums->counters_ran += function->ran;
    if (__builtin_add_overflow(sums->total, function->total, &sums->total))
        sums->total = UINT64_MAX;
    if (function->largest > sums->largest)
        sums->largest = function->largest;
}

struct gcc_show_sums gcc_show_sums_of(const struct gcc_view_module *module)
{
    struct gcc_show_sums sums = {.functions = 0};
    for (size_t i = 0; i < module->profile->count; i++)
        gcc_show_add(&sums, &module->profile->functions[i]);
    return sums;
}
