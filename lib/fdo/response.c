/* Response files on a compiler's command line; see response.h, and base/response.h for their words. */
#include "fdo/response.h"

#include <string.h>

#include "base/file.h"
#include "base/response.h"

enum { DEEPEST = 16 };

static bool expand_word(struct an_fdo_words *to, struct an_arena *arena, const char *word,
                        unsigned depth);

static bool expand_text(struct an_fdo_words *to, struct an_arena *arena, struct an_bytes text,
                        unsigned depth)
{
    struct an_response response = an_response_of(AN_RESPONSE_GCC, text);
    char *word = an_arena_alloc(arena, text.size + 1, 1);
    bool fits = word != NULL;
    while (fits && an_response_next(&response, word)) {
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
