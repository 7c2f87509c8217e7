/*
 * What the pages show, whatever profile it comes from: a table of entries with shares of what they have,
 * and texts with a count beside each line. coverage.c makes it of coverage.
 */
#ifndef AN_REPORT_MODEL_H
#define AN_REPORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/vector.h"

enum {
    AN_REPORT_MEASURES = 3,
    AN_REPORT_LEVELS = 10, /* colours of heat */
};

struct an_report_share {
    uint64_t part, whole;
};

/* A row of the table, and a page. */
struct an_report_entry {
    const char *path; /* as it is shown, folders and all */
    const char *page; /* name of its file, in the folder of texts */
    struct an_report_share shares[AN_REPORT_MEASURES];
    uint64_t greatest; /* count of a line */
};

/* What all pages have in common. */
struct an_report_site {
    const char *title;
    const char *made; /* when, or NULL */
    uint64_t runs;
    const char *root;                         /* folder that all paths begin in, or "" */
    const char *measures[AN_REPORT_MEASURES]; /* "Lines" */
    struct an_report_share totals[AN_REPORT_MEASURES];
    struct an_report_entry *entries; /* by path */
    size_t entry_count;
    uint64_t greatest; /* of all: the hot end of the scale */
};

enum an_report_state {
    AN_REPORT_NO_CODE,
    AN_REPORT_RAN,
    AN_REPORT_PARTLY, /* some of it */
    AN_REPORT_NEVER,
    AN_REPORT_NEVER_THROWN, /* never, and only exceptions lead there */
};

/* One of the ways on from a line. */
struct an_report_mark {
    uint64_t part, whole;
    const char *note; /* or NULL */
};

struct an_report_line {
    uint64_t count;
    uint32_t number;
    enum an_report_state state;
    size_t first_mark; /* in the text's marks */
    size_t mark_count;
};

struct an_report_function {
    const char *name;
    uint32_t line;
    uint64_t count;
    struct an_report_share share; /* of its blocks */
    size_t instance;              /* in the text's instances, or AN_REPORT_NO_INSTANCE */
};

#define AN_REPORT_NO_INSTANCE SIZE_MAX
#define AN_REPORT_NO_FUNCTION SIZE_MAX /* one that stands for it is in the list already */

/* One of several functions that are made of the same lines. */
struct an_report_instance {
    const char *name;
    uint64_t calls;
    struct an_report_share share; /* of its blocks */
    size_t order;                 /* among all of the text */
    size_t function;              /* in the text's functions, or AN_REPORT_NO_FUNCTION */
    uint32_t first_line, last_line;
    size_t first; /* in the text's instance lines, by number */
    size_t count;
    /* + 1: one before it, in the text's instances, that has its lines and counts; 0: none. */
    size_t alike;
};

/* A page with a text. */
struct an_report_text {
    const struct an_report_entry *entry;
    bool has_text;
    struct an_bytes bytes;
    struct {
        AN_VECTOR(struct an_report_line);
    } lines; /* those with code, by number */
    struct {
        AN_VECTOR(struct an_report_mark);
    } marks;
    struct {
        AN_VECTOR(struct an_report_function);
    } functions; /* by line */
    struct {
        AN_VECTOR(struct an_report_instance);
    } instances; /* by their last line, those of the same lines together */
    struct {
        AN_VECTOR(struct an_report_line);
    } instance_lines;
};

void an_report_text_clear(struct an_report_text *text); /* keeps the memory */
void an_report_text_free(struct an_report_text *text);

/* Which colour a count has when the greatest is this, on a logarithmic scale: 0 is the coldest. */
unsigned an_report_level(uint64_t count, uint64_t greatest);

#endif
