/* Parts: the partial results that are being made, one for each build and hour. */
#ifndef AN_CLI_COLLECT_PARTS_H
#define AN_CLI_COLLECT_PARTS_H

#include "base/vector.h"
#include "collect.h"

enum {
    PARTS_BUILD = 128,    /* of a build's name */
    PARTS_MOST = 16384,   /* inputs of a part */
    PARTS_AT_ONCE = 4096, /* that are added in one go */
};

struct part {
    char build[PARTS_BUILD];
    char name[32]; /* 20261128T13-5f2a9c01: the hour (UTC) and a random number */
    uint64_t inputs;
    double since; /* when it began, by an_clock_seconds() */
};

/* Those of this process; what an earlier one has left is closed. */
struct parts {
    AN_VECTOR(struct part);
    double span;  /* seconds that one lasts; 0: an hour of the clock */
    unsigned lag; /* seconds by which this host's hours are late */
};

/* The hours of a fleet's hosts end one after the other, in ten minutes, so that they do not all ship at the same moment. */
void parts_begin(struct parts *parts, const char *host, double span);

/* The part that a build's profiles go to now; NULL: no memory. */
struct part *parts_for(struct parts *parts, const char *build);

/* Whether profiles go to that part yet. */
bool parts_is_open(const struct parts *parts, const char *build, const char *name);

/* Seconds until a part ends of those that last for a span; negative: there is none. */
double parts_until_end(const struct parts *parts);

/* From here on, no part is open. */
void parts_end(struct parts *parts);

#endif
