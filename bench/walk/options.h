/* The command line of walk. */
#ifndef AN_BENCH_OPTIONS_H
#define AN_BENCH_OPTIONS_H

#include "image.h"

struct options {
    const char *output, *binary, *truth, *call_stack;
    const char *layouts[MOST_FILES];
    size_t layout_number;
    unsigned long samples, branches, gap, pids, functions;
    uint64_t seed;
};

/* Ends the program when they are wrong. */
struct options options_parse(int argc, char **argv);

#endif
