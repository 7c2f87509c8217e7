/* Names of functions in BOLT's profiles, and which of them are to be shown; see fdata_view.h. */
#include "fdata_view.h"

#include <stdlib.h>

struct plain_name fdata_plain_name(const char *name, size_t length)
{
    struct plain_name plain = {malloc(length + 1), 0};
    if (plain.text) {
        plain.length = an_fdata_unescape(name, length, plain.text);
        plain.text[plain.length] = '\0';
    }
    return plain;
}

bool fdata_selected(const struct fdata_view *view, const struct fdata_function *function)
{
    if (view->request->all || !view->request->function)
        return view->request->all;
    struct plain_name plain = fdata_plain_name(function->name, function->length);
    regmatch_t range = {0, (regoff_t)plain.length};
    bool matches =
        plain.text && regexec(&view->request->pattern, plain.text, 1, &range, REG_STARTEND) == 0;
    free(plain.text);
    return matches;
}
