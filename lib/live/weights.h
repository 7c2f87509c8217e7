/* How much of profiles (fdata) each function has: the counts of the branches that leave its places. */
#ifndef AN_LIVE_WEIGHTS_H
#define AN_LIVE_WEIGHTS_H

#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/vector.h"

struct an_weights {
    AN_VECTOR(double); /* by the number of the name; names that came later are missing */
    double total;
    struct an_file file; /* in which its names lie */
};

/* Reads a profile, and adds the names that it has, which last as long as the weights. These are to be freed also on failure. */
enum an_code an_weights_read(const char *path, struct an_names *names, struct an_weights *weights,
                             struct an_error *error);

void an_weights_free(struct an_weights *weights);

/* The share of the function of that name, from 0 to 1. */
double an_weights_share(const struct an_weights *weights, const struct an_names *names,
                        const char *name, size_t length);

#endif
