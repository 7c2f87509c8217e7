/*
 * Words of response files are parted by white space; quotes of either kind keep it, and a backslash keeps the
 * character behind it, between quotes, too. (GCC's libiberty/argv.c; LLVM's TokenizeGNUCommandLine.)
 */
#include "fdo/response.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"

enum { DEEPEST = 16 };

static bool expand_word(struct an_fdo_words *to, struct an_arena *arena, const char *word,
                        unsigned depth);

/* Takes the next word from the text into `word`, which has room for the rest of it; false at the end. */
static bool next_word(const char **at, const char *end, char *word)
{
    char quote = 0;
    while (*at < end && isspace((unsigned char)**at))
        ++*at;
    if (*at == end)
        return false;
    for (; *at < end && (quote || !isspace((unsigned char)**at)); ++*at) {
        if (**at == '\\' && *at + 1 < end)
            *word++ = *++*at;
        else if (**at == quote)
            quote = 0;
        else if (!quote && (**at == '\'' || **at == '"'))
            quote = **at;
        else
            *word++ = **at;
    }
    *word = 0;
    return true;
}

static bool expand_text(struct an_fdo_words *to, struct an_arena *arena, struct an_bytes text,
                        unsigned depth)
{
    const char *at = (const char *)text.data, *end = at + text.size;
    char *word = an_arena_alloc(arena, text.size + 1, 1);
    bool fits = word != NULL;
    while (fits && next_word(&at, end, word)) {
        fits = expand_word(to, arena, word, depth);
        word += strlen(word) + 1;
    }
    return fits;
}

static bool expand_word(struct an_fdo_words *to, struct an_arena *arena, const char *word,
                        unsigned depth)
{
    struct an_file file = {0};
    struct an_error error = {0};
    bool fits;
    if (word[0] == '@' && depth < DEEPEST && an_file_load(&file, word + 1, &error) == AN_OK) {
        fits = expand_text(to, arena, file.bytes, depth + 1);
    } else {
        const char **place = an_vector_push(to);
        fits = place != NULL;
        if (fits)
            *place = word;
    }
    an_file_close(&file);
    return fits;
}

bool an_fdo_expand(struct an_fdo_words *to, struct an_arena *arena, size_t count,
                   char *const *words)
{
    bool fits = true;
    for (size_t i = 0; fits && i < count; i++)
        fits = expand_word(to, arena, words[i], 0);
    return fits;
}
