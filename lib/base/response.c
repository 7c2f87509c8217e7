/* Parting the words of response files; see response.h. */
#include "base/response.h"

#include <string.h>

struct an_response an_response_of(enum an_response_rules rules, struct an_bytes text)
{
    static const char mark[] = "\xef\xbb\xbf";
    const char *at = (const char *)text.data, *end = at + text.size;
    const char *zero = rules == AN_RESPONSE_GCC && text.size ? memchr(at, 0, text.size) : NULL;
    if (rules == AN_RESPONSE_LLVM && text.size >= 3 && memcmp(at, mark, 3) == 0)
        at += 3;
    return (struct an_response){rules, at, zero ? zero : end};
}

static bool parts_words(enum an_response_rules rules, char c)
{
    bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    return is_space || (rules == AN_RESPONSE_GCC && (c == '\v' || c == '\f'));
}

/* One word that may be empty, from its first byte on. */
static void take_word(struct an_response *response, char *word)
{
    bool drops_last = response->rules == AN_RESPONSE_GCC;
    const char *at = response->at, *end = response->end;
    char quote = 0;
    for (; at < end && (quote || !parts_words(response->rules, *at)); at++) {
        if (*at == '\\' && at + 1 < end)
            *word++ = *++at;
        else if (*at == '\\' && drops_last)
            continue;
        else if (quote && *at == quote)
            quote = 0;
        else if (!quote && (*at == '\'' || *at == '"'))
            quote = *at;
        else
            *word++ = *at;
    }
    *word = 0;
    response->at = at;
}

bool an_response_next(struct an_response *response, char *word)
{
    bool takes_empty = response->rules == AN_RESPONSE_GCC;
    for (;;) {
        while (response->at < response->end && parts_words(response->rules, *response->at))
            response->at++;
        if (response->at == response->end)
            return false;
        take_word(response, word);
        if (*word || takes_empty)
            return true;
    }
}
