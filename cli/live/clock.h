/*
 * What counts the work of the process: what it reads and writes, or its own functions (anneal/work.h) or, when there is one,
 * the command of --counter.
 */
#ifndef AN_CLI_LIVE_CLOCK_H
#define AN_CLI_LIVE_CLOCK_H

#include <anneal/work.h>

#include "base/vector.h"
#include "cli/core/moves.h"

struct live_request;

struct live_clock {
    const struct live_request *request;
    struct an_work *work; /* NULL: the counter counts */
    struct moves moves;   /* of the counter */
    size_t functions;     /* in the readings */
    struct an_work_reading last;
};

/* Readings of it, slice by slice. */
struct live_slices {
    AN_VECTOR(struct an_work_reading);
};

/* Names of functions, which are allocated. */
struct live_names {
    char *items[AN_WORK_MOST];
    size_t count;
};

/* The number that --counter prints. */
enum an_code live_read_counter(const struct live_request *request, double *work,
                               struct an_error *error);

/* Of the options, functions, layouts and the budget (0: the usual one of live) count; a counter needs none of them. To be
 * closed also on failure. */
enum an_code live_clock_open(struct live_clock *clock, const struct live_request *request,
                             const struct an_work_options *options, struct an_error *error);
void live_clock_close(struct live_clock *clock);

/* As an_work_read(). Fails also when counting has come to cost the process too much. */
enum an_code live_clock_read(struct live_clock *clock, struct an_work_reading *reading,
                             bool *is_over, struct an_error *error);

/* Seconds between two movements of a counter that stands still in between; else 0. A reading waits for the next one. */
double live_clock_step(const struct live_clock *clock);

/* As an_work_duty() and an_work_pause(); a counter needs no pause. */
double live_clock_duty(const struct live_clock *clock);
void live_clock_pause(struct live_clock *clock, bool pauses);

/* Whether counting costs the process nothing, and readings are exact at any moment: traffic counts. */
bool live_clock_is_free(const struct live_clock *clock);

/* Copies the names of the functions that count, or of the directions of traffic: none, when that is a counter. */
enum an_code live_clock_names(const struct live_clock *clock, struct live_names *names,
                              struct an_error *error);
void live_names_free(struct live_names *names);

#endif
