/* Lists of diagnostics; see diagnostics.h. */
#include "base/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/utf8.h"

struct an_diagnostic *an_diagnostics_add(struct an_diagnostics *diagnostics, const char *about,
                                         enum an_level level, const char *what, ...)
{
    an_assert(diagnostics->count < AN_MOST_DIAGNOSTICS);
    struct an_diagnostic *diagnostic = &diagnostics->items[diagnostics->count++];
    va_list arguments;
    *diagnostic = (struct an_diagnostic){.about = about, .level = level};
    va_start(arguments, what);
    vsnprintf(diagnostic->what, sizeof diagnostic->what, what, arguments);
    va_end(arguments);
    an_utf8_make_plain(diagnostic->what);
    return diagnostic;
}

void an_diagnostic_remedy(struct an_diagnostic *diagnostic, const char *remedy, ...)
{
    va_list arguments;
    va_start(arguments, remedy);
    vsnprintf(diagnostic->remedy, sizeof diagnostic->remedy, remedy, arguments);
    va_end(arguments);
    an_utf8_make_plain(diagnostic->remedy);
}

enum an_level an_diagnostics_worst(const struct an_diagnostics *diagnostics)
{
    enum an_level worst = AN_IN_ORDER;
    for (size_t i = 0; i < diagnostics->count; i++)
        if (diagnostics->items[i].level > worst)
            worst = diagnostics->items[i].level;
    return worst;
}

const char *an_level_name(enum an_level level)
{
    static const char *const names[] = {
        [AN_IN_ORDER] = "ok", [AN_LOSS] = "warning", [AN_PROBLEM] = "problem"};
    return names[level];
}
