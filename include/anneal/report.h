/*
 * Reports: HTML, pages that open from disk in any browser, without a network; and files for other programs.
 *
 * A page lists all sources as a tree of folders; each source has a page with its text, how often each line
 * ran, and its functions. docs/reference/cov.md explains how to read them. The pages also work without scripts.
 */
#ifndef ANNEAL_REPORT_H
#define ANNEAL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/coverage.h>
#include <anneal/error.h>
#include <anneal/export.h>

#ifdef __cplusplus
extern "C" {
#endif

struct an_report_options {
    size_t size;       /* of this structure: sizeof */
    const char *title; /* of all pages; NULL: "Coverage" */
    const char *made;  /* when, in words, for the foot of the pages; NULL: none */

    /*
     * The text of a source, any bytes, which stay until the next call; false when there is none. Its
     * page then has the counts alone. NULL: no source has a text.
     */
    bool (*text)(void *context, const struct an_coverage_source *source, const void **bytes,
                 size_t *size);

    /*
     * Takes a file of the report; anything but AN_OK ends the work. The name is "index.html" or the
     * like, or in one folder: "src/lib.main.c.html". It has letters, digits and "+-._" only,
     * whatever the sources are called; no two are the same, even where case does not count.
     */
    enum an_code (*page)(void *context, const char *name, const void *bytes, size_t size,
                         struct an_error *error);

    void (*progress)(void *context, size_t done, size_t total); /* in sources; may be NULL */
    void *context;
};

/* Makes all pages. Keeps one page in memory at a time. */
AN_API enum an_code an_report_coverage(const struct an_coverage *coverage,
                                       const struct an_report_options *options,
                                       struct an_error *error);

/* Whether a report may have a file of this name: what can be deleted when a report is replaced. */
AN_API bool an_report_has_name(const char *name);

/* Files for other programs. */
enum an_report_form {
    AN_REPORT_LCOV,      /* a tracefile of lcov: genhtml, Codecov, editors */
    AN_REPORT_COBERTURA, /* XML of Cobertura, coverage-04.dtd: GitLab, Jenkins */
};

struct an_report_export_options {
    size_t size; /* of this structure: sizeof */
    enum an_report_form form;
    const char *folder; /* Cobertura: where relative names of sources begin; NULL: "." */
    int64_t made;       /* Cobertura: when; seconds since 1970 */

    /* Takes the next bytes; anything but AN_OK ends the work. */
    enum an_code (*write)(void *context, const void *bytes, size_t size, struct an_error *error);
    void *context;
};

/* Writes the file, source by source: lines, functions and branches are as many as the totals of the coverage say, which
 * must not have instances apart. */
AN_API enum an_code an_report_export(const struct an_coverage *coverage,
                                     const struct an_report_export_options *options,
                                     struct an_error *error);

#ifdef __cplusplus
}
#endif
#endif
