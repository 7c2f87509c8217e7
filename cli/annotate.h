/* Sources with counts, line by line, as gcov 12 writes them. */
#ifndef AN_CLI_ANNOTATE_H
#define AN_CLI_ANNOTATE_H

#include <anneal/coverage.h>

#include "base/bytes.h"

struct annotation {
    bool branches, counts;     /* ways out of blocks; as counts, not percentages */
    bool unconditional;        /* these, too */
    bool blocks;               /* a line for each block */
    bool block_numbers;        /* of blocks and of where branches lead */
    bool human;                /* 1.2k for 1234 */
    bool demangled;            /* names of functions */
    bool colours, hot_colours; /* of counts; of numbers of lines */
    /* The head of a file; without a gcno it tells only the name of the source. */
    const char *gcno, *gcda;
    unsigned runs;
    bool may_lack_counts; /* has_unexecuted_block means something */
};

/* Where the text goes, bit by bit; false ends it. */
struct page_sink {
    bool (*write)(void *context, struct an_bytes bytes);
    void *context;
};

/*
 * False when the sink says so, or memory runs out. *found tells whether there was a text of the source; if not,
 * there is only a head. `is_newer`: the source is, than what was compiled.
 */
bool annotate(const struct annotation *annotation, const struct an_coverage_source *source,
              const char *name, bool is_newer, const struct page_sink *sink, bool *found);

/*
 * A ratio as gcov writes it, with so many decimal places; without any, no ratio above 0 becomes 0. `text`
 * is for 32 characters.
 */
char *ratio_text(char *text, int64_t part, int64_t whole, int places);

#endif
