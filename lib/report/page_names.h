/* Names of the files that pages are in: safe whatever a source is called, readable, and all different. */
#ifndef AN_REPORT_PAGE_NAMES_H
#define AN_REPORT_PAGE_NAMES_H

#include "base/map.h"
#include "base/memory.h"

struct an_page_names {
    struct an_names taken; /* in small letters */
    struct an_arena *arena;
};

/*
 * "lib.main.c.html" for "lib/main.c". A path with other characters than letters, digits and "+-._",
 * a long one, and one whose name is taken already get a number made of the whole path. NULL when
 * memory runs out. The name lives in the arena.
 */
const char *an_page_name(struct an_page_names *names, const char *path);

#endif
