/* Choosing functions by their names; see merge_filters.h. */
#include "merge_filters.h"

/* LLVM has the same library of regular expressions, but words of its own. */
static const char *words_of_llvm(int status)
{
    static const char *const words[] = {
        [REG_BADPAT] = "invalid regular expression",
        [REG_ECOLLATE] = "invalid collating element",
        [REG_ECTYPE] = "invalid character class",
        [REG_EESCAPE] = "trailing backslash (\\)",
        [REG_ESUBREG] = "invalid backreference number",
        [REG_EBRACK] = "brackets ([ ]) not balanced",
        [REG_EPAREN] = "parentheses not balanced",
        [REG_EBRACE] = "braces not balanced",
        [REG_BADBR] = "invalid repetition count(s)",
        [REG_ERANGE] = "invalid character range",
        [REG_ESPACE] = "out of memory",
        [REG_BADRPT] = "repetition-operator operand invalid",
    };
    return (size_t)status < sizeof words / sizeof *words ? words[status] : NULL;
}

static bool compile(regex_t *filter, const char *pattern, bool *has)
{
    int status = pattern ? regcomp(filter, pattern, REG_EXTENDED | REG_NOSUB) : 0;
    *has = pattern && status == 0;
    if (status == 0)
        return true;
    char text[256];
    regerror(status, filter, text, sizeof text);
    if (says_as_llvm && words_of_llvm(status))
        say_error("%s", words_of_llvm(status));
    else
        say_error("'%s': %s", pattern, text);
    return false;
}

bool merge_filters_open(struct merge_filters *filters, const struct merge_request *request)
{
    *filters = (struct merge_filters){.has_keep = false};
    return compile(&filters->keep, request->keep, &filters->has_keep) &&
           compile(&filters->drop, request->drop, &filters->has_drop);
}

void merge_filters_close(struct merge_filters *filters)
{
    if (filters->has_keep)
        regfree(&filters->keep);
    if (filters->has_drop)
        regfree(&filters->drop);
}

static bool matches(const regex_t *filter, const char *name, size_t length)
{
    regmatch_t range = {0, (regoff_t)length};
    return regexec(filter, name, 1, &range, REG_STARTEND) == 0;
}

bool merge_filters_keep(void *context, const char *name, size_t length)
{
    const struct merge_filters *filters = context;
    return !(filters->has_drop && matches(&filters->drop, name, length)) &&
           !(filters->has_keep && !matches(&filters->keep, name, length));
}
