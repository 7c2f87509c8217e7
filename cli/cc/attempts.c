/*
 * A compilation with a profile that fails, where one without it does not. Profiles bring warnings of their own, which
 * -Werror makes errors; code that is inlined otherwise brings others (-Wmaybe-uninitialized), which nobody can name
 * beforehand; and compilers have faults.
 *
 *     with the profile ──fails──► without it ──fails──► its words are the answer
 *                                     │
 *                                 succeeds ──► with the profile, and warnings are none but that
 *                                                  │
 *                                              fails ──► without it
 */
#include "cc.h"

static void keep(void *context, const char *text, size_t size)
{
    an_buffer_put(context, text, size);
}

static int attempt(const struct cc *cc, const struct cc_words *front, const struct cc_words *back,
                   struct an_buffer *said)
{
    said->size = 0;
    return cc_run(cc, front, back, keep, said);
}

static int attempt_with_warnings(const struct cc *cc, const struct cc_words *front,
                                 const struct cc_words *back, struct an_buffer *said)
{
    struct cc_words words = {0};
    for (size_t i = 0; i < back->count; i++)
        cc_word(&words, back->items[i]);
    cc_word(&words, "-Wno-error");
    int status = attempt(cc, front, &words, said);
    an_vector_free(&words);
    return status;
}

int cc_run_with_profile(const struct cc *cc, const struct cc_words *front,
                        const struct cc_words *back, struct an_buffer *said, enum cc_way *way)
{
    *way = CC_AS_ASKED;
    int status = attempt(cc, front, back, said);
    if (status == 0 || status >= CC_SIGNALLED) /* Ctrl-C, or no memory */
        return status;
    *way = CC_REFUSED;
    status = attempt(cc, front, NULL, said);
    if (status != 0)
        return status;
    if (attempt_with_warnings(cc, front, back, said) == 0) {
        *way = CC_WARNED;
        return 0;
    }
    return attempt(cc, front, NULL, said);
}
