/* The commands of the family of this test, as a family's header in cli/family has them. */
#ifndef TESTS_FAMILY_TALLY_H
#define TESTS_FAMILY_TALLY_H

#include "cli/family/commands.h"

bool tally_recognise(const void *bytes, size_t size);

int tally_merge_run(const struct merge_request *request);
int tally_convert_run(const struct merge_request *request);
int tally_show_run(const struct show_request *request, const struct inputs *inputs);
int tally_diff(const struct diff_request *request);
bool tally_order_run(const struct order_request *request, const char *path, struct an_bytes bytes);

#endif
