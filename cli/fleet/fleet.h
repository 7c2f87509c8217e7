/* What the parts of the command fleet share: what partial results are made of, build by build. */
#ifndef AN_CLI_FLEET_FLEET_H
#define AN_CLI_FLEET_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/vector.h"

enum { FLEET_HOURS = 48 };

struct fleet_sum {
    uint64_t inputs, rejected, total_count;
    int64_t last; /* when the last input was taken, seconds since 1970; 0: not known */
};

struct fleet_host {
    const char *name;
    struct fleet_sum sum;
};

struct fleet_build {
    const char *name;
    const char *family;
    uint64_t files, bytes; /* of partial results */
    struct fleet_sum sum;
    uint64_t functions;          /* of the input with the most of them */
    uint64_t hours[FLEET_HOURS]; /* inputs of the last hours, the present one last */
    int64_t first;               /* when the first input was taken; 0: not known */
    struct {
        AN_VECTOR(struct fleet_host);
    } hosts;
    struct an_names host_names; /* in the order of hosts, until all is read */
};

struct fleet {
    struct {
        AN_VECTOR(struct fleet_build);
    } builds;
    uint64_t files, repeated; /* inputs that are in several files: they count once */
    uint64_t unreadable;      /* files, each named in a message */
    struct an_names digests;  /* of all inputs */
    struct an_arena arena;    /* of names and digests */
    int64_t now;
    double stale;      /* seconds after which a build, or a host, is stale */
    uint64_t branches; /* with fewer counts, a profile of branches is thin */
    uint64_t runs;     /* with fewer inputs, one of instrumentation is */
};

/* Reads all partial results in folders and files; false when there are none, or after another message. */
bool fleet_read(struct fleet *fleet, char *const *paths, size_t count);
void fleet_free(struct fleet *fleet);

/* Whether nothing came for long, and whether there is too little of it for a good layout. */
bool fleet_is_stale(const struct fleet *fleet, int64_t last);
bool fleet_is_thin(const struct fleet *fleet, const struct fleet_build *build);

/* On stdout. The second is false after a message. */
void fleet_tell(const struct fleet *fleet);
bool fleet_tell_json(const struct fleet *fleet);

#endif
