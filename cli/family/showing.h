/* What the families of profiles are asked for by anneal show. */
#ifndef AN_CLI_FAMILY_SHOWING_H
#define AN_CLI_FAMILY_SHOWING_H

#include <regex.h>

#include "cli/core/command.h"

/* What was asked for. */
struct show_request {
    const char *name; /* what the profile is called; NULL: as its file */
    bool all, counts, values, summary, binary_ids, traces, header, covered, cs, text, json, memory;
    const char *function, *output;
    const char **programs; /* that left raw memory profiles */
    size_t program_count;
    const char *gcno; /* the folder that GCC's control flow is below, or NULL */
    unsigned long long top;
    bool top_given;
    uint32_t cutoffs[MOST_CUTOFFS];
    size_t cutoff_count;
    regex_t pattern; /* of the function, if there is one */
};

struct family;

/* Whether there are options that mean nothing for a family that has branches only; then after a message. */
bool showing_refuses_options(const struct show_request *request, const struct family *family);

#endif
