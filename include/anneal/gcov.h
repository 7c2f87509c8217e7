/*
 * Coverage as gcov writes it, byte for byte: sources with counts, line by line, and JSON. `release` chooses gcov 4 to 7 and 9
 * to 16, whose output differs; 0 and 8: 12. JSON is that of 9 to 16.
 *
 * Both go where the caller says, piece by piece.
 */
#ifndef ANNEAL_GCOV_H
#define ANNEAL_GCOV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/coverage.h>
#include <anneal/error.h>
#include <anneal/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes the next bytes; anything but AN_OK ends the work. */
struct an_gcov_sink {
    enum an_code (*write)(void *context, const void *bytes, size_t size, struct an_error *error);
    void *context;
};

/* Which prime paths are told of one by one. */
struct an_gcov_paths {
    bool taken, others;
};

struct an_gcov_text_options {
    size_t size;               /* of this structure: sizeof */
    bool branches, counts;     /* ways out of blocks; as counts, not percentages */
    bool unconditional;        /* these, too */
    bool blocks;               /* a line for each block */
    bool block_numbers;        /* of blocks and of where branches lead */
    bool human;                /* 1.2k for 1234 */
    bool demangled;            /* names of functions */
    bool colours, hot_colours; /* of counts; of numbers of lines */
    bool may_lack_counts;      /* has_unexecuted_block means something */
    /* The head of a file; without a gcno it tells only the name of the source. */
    const char *gcno, *gcda;
    unsigned runs;
    unsigned release;
    bool conditions; /* what covers their terms (from 14 on) */
    /* From 15 on: how many prime paths of each function were taken, and these by numbers of lines, and with the lines
     * themselves. */
    bool paths;
    struct an_gcov_paths path_lines, path_sources;
    bool
        is_filtered; /* only what functions were taken has lines; the text between them is left out */
    unsigned programs; /* in the head, up to 7 */
};

/*
 * Writes a source, whose text is read from its path. *found tells whether there was a text; if not, there is only a
 * head. `name` is what the head calls it. `is_newer`: the source is, than what was compiled. AN_SYSTEM: the text
 * cannot be read to its end.
 */
AN_API enum an_code an_gcov_text(const struct an_coverage_source *source, const char *name,
                                 bool is_newer, const struct an_gcov_text_options *options,
                                 const struct an_gcov_sink *sink, bool *found,
                                 struct an_error *error);

struct an_gcov_json_options {
    size_t size; /* of this structure: sizeof */
    bool branches;
    /* NULL: the document is gcov's. Otherwise it is anneal's (docs/formats/json.md), with these totals of all; each
     * source has its own, and its path, which gcov does not tell. */
    const struct an_coverage_totals *totals;
    const char *folder;    /* where the compiler ran; NULL: it is not known */
    const char *data_file; /* what the user named; NULL: many */
    bool (*takes)(void *context, const struct an_coverage_source *source); /* NULL: all */
    void *context;
    unsigned release; /* of gcov's document */
    bool conditions;  /* from 14 on */
};

/* What that release of gcov says of its version: "12.2.0". */
AN_API const char *an_gcov_version(unsigned release);

/* Writes a document, without a line's end. The lines of instances have to be apart (keep_instances_apart). */
AN_API enum an_code an_gcov_json(const struct an_coverage *coverage,
                                 const struct an_gcov_json_options *options,
                                 const struct an_gcov_sink *sink, struct an_error *error);

/*
 * A ratio as gcov writes it, with so many decimal places; without any, no ratio above 0 becomes 0. `text`
 * is for 32 characters, and returned.
 */
AN_API char *an_gcov_ratio(char *text, int64_t part, int64_t whole, int places);

/* The same by the rules of a release. Up to 7, only the whole is 100%. */
AN_API char *an_gcov_ratio_of(unsigned release, char *text, int64_t part, int64_t whole,
                              int places);

#ifdef __cplusplus
}
#endif
#endif
