/* Counting why windows ended early; see ends.h. */
#include "record/ends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* When there are too many, the rest is counted together. */
void an_ends_count(struct an_record_counts *counts, const char *why)
{
    size_t i = 0;
    while (i < counts->end_count && strcmp(counts->ends[i].why, why) != 0)
        i++;
    if (i == AN_RECORD_MOST_ENDS) {
        i--;
        why = "others";
        if (strcmp(counts->ends[i].why, why) != 0)
            snprintf(counts->ends[i].why, sizeof counts->ends[i].why, "%s", why);
    } else if (i == counts->end_count) {
        counts->ends[i] = (struct an_record_end){.count = 0};
        snprintf(counts->ends[i].why, sizeof counts->ends[i].why, "%s", why);
        counts->end_count++;
    }
    counts->ends[i].count++;
}

static int by_count(const void *one, const void *other)
{
    const struct an_record_end *a = one, *b = other;
    return a->count != b->count ? (a->count < b->count ? 1 : -1) : strcmp(a->why, b->why);
}

void an_ends_sort(struct an_record_counts *counts)
{
    qsort(counts->ends, counts->end_count, sizeof *counts->ends, by_count);
}
