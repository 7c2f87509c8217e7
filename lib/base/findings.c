/* Lists of findings; see findings.h. */
#include "base/findings.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/utf8.h"

struct an_finding *an_findings_add(struct an_findings *findings, const char *about,
                                   enum an_level level, const char *what, ...)
{
    an_assert(findings->count < AN_MOST_FINDINGS);
    struct an_finding *finding = &findings->items[findings->count++];
    va_list arguments;
    *finding = (struct an_finding){.about = about, .level = level};
    va_start(arguments, what);
    vsnprintf(finding->what, sizeof finding->what, what, arguments);
    va_end(arguments);
    an_utf8_make_plain(finding->what);
    return finding;
}

void an_finding_remedy(struct an_finding *finding, const char *remedy, ...)
{
    va_list arguments;
    va_start(arguments, remedy);
    vsnprintf(finding->remedy, sizeof finding->remedy, remedy, arguments);
    va_end(arguments);
    an_utf8_make_plain(finding->remedy);
}

enum an_level an_findings_worst(const struct an_findings *findings)
{
    enum an_level worst = AN_IN_ORDER;
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].level > worst)
            worst = findings->items[i].level;
    return worst;
}

const char *an_level_name(enum an_level level)
{
    static const char *const names[] = {
        [AN_IN_ORDER] = "ok", [AN_LOSS] = "warning", [AN_PROBLEM] = "problem"};
    return names[level];
}
