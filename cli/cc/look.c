/*
 * A command with several sources, or one that makes a program of a source, does not leave what each of them became in
 * a file of its own. Such a source is compiled once more, only as far as its functions are known, which takes a part
 * of the time: so commands that have files are not looked at in this way.
 */
#include <string.h>

#include "cc.h"

/* What names files that are written: the output, for which another name follows, and others beside it. */
static bool writes(const char *word)
{
    static const char *const starts[] = {"-o",
                                         "-M",
                                         "-Wp,-M",
                                         "-save-temps",
                                         "--save-temps",
                                         "-ftime-trace",
                                         "-fdump-",
                                         "-fstack-usage",
                                         "-fcallgraph-info",
                                         "-fsave-optimization-record",
                                         "--coverage",
                                         "-coverage",
                                         "-gsplit-dwarf"};
    if (strncmp(word, "-objc", 5) == 0)
        return false;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(word, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static bool is_other_source(const struct an_fdo_arguments *arguments, size_t word,
                            const struct an_fdo_source *source)
{
    for (size_t i = 0; i < arguments->sources.count; i++)
        if (arguments->sources.items[i].word == word)
            return &arguments->sources.items[i] != source;
    return false;
}

static void ignore(void *context, const char *text, size_t size)
{
    (void)context;
    (void)text;
    (void)size;
}

bool cc_look(const struct cc *cc, const struct an_fdo_source *source, const struct cc_words *back)
{
    const struct an_fdo_words *all = &cc->arguments.words;
    struct cc_words words = {0};
    for (size_t i = 0, end; i < all->count; i = end) {
        end = i + 1 + an_fdo_takes_next(all->items[i]);
        end = end < all->count ? end : all->count;
        bool is_dropped = writes(all->items[i]) || is_other_source(&cc->arguments, i, source);
        for (size_t k = i; !is_dropped && k < end; k++)
            cc_word(&words, all->items[k]);
    }
    for (size_t i = 0; i < back->count; i++)
        cc_word(&words, back->items[i]);
    struct cc alone = *cc;
    alone.count = 0;
    bool is_seen = cc_run(&alone, &words, NULL, ignore, NULL) == 0;
    an_vector_free(&words);
    return is_seen;
}
