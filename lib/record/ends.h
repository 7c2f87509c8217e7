/* Counting why windows ended early. */
#ifndef AN_RECORD_ENDS_H
#define AN_RECORD_ENDS_H

#include <anneal/record.h>

void an_ends_count(struct an_record_counts *counts, const char *why);

/* The most frequent ones first. */
void an_ends_sort(struct an_record_counts *counts);

#endif
