/* What the parts of the command live share: the request, doing it, telling of it. */
#ifndef AN_CLI_LIVE_H
#define AN_CLI_LIVE_H

#include <anneal/live.h>
#include <sys/types.h>

#include "command.h"
#include "live/worth.h"

struct json_object;

enum { LIVE_MOST_BOLT_OPTIONS = 32 };

struct live_request {
    struct an_live_options options;
    struct an_record_options record;
    const char *bolt_options[LIVE_MOST_BOLT_OPTIONS + 1];
    size_t bolt_option_count;
    const char *profile; /* for every round, instead of recording */
    const char *counter; /* a command that prints how much work has been done */
    mode_t mask;         /* of whoever called: the command above gets it */
    unsigned rounds;
    double interval;  /* seconds between two looks, in continuous mode */
    double threshold; /* of the overlap */
    bool continuous, revert, status, json, quiet, keep_anyway;
};

/* What a unit of work costs, before and after a round. */
struct live_verdict {
    const char *unit; /* "counter", "samples", or "none": nothing was measured */
    double before,
        after;          /* CPU seconds for a unit; of "samples", the odds of the moved functions */
    double uncertainty; /* of after / before, as a share of it: one standard error; or 0 */
    bool is_known;
    struct an_worth worth; /* then: what that means */
    bool is_taken_back;
    unsigned instead; /* then: the generation in force now; 0: the original */
};

/* A measurement under way (live_judge.c). */
struct live_judge {
    const struct live_request *request;
    struct an_live *live;
    char before_file[4200], after_file[4200]; /* recordings */
    double work, time;                        /* the counter's number, and CPU time, at its start */
    double cost;                              /* before the round; 0: not known */
    bool is_first;                            /* the original ran before */
};

/* Around what happens before the switch. They fail when the counter does not work. */
enum an_code live_judge_begin(struct live_judge *judge, struct an_error *error);
enum an_code live_judge_end_of_before(struct live_judge *judge, struct an_error *error);

/* Measures the new layout for a while, and judges. */
enum an_code live_judge_after(struct live_judge *judge, struct live_verdict *verdict,
                              struct an_error *error);

/* Doing what is asked (live_run.c). */
int live_run(struct live_request *request); /* the exit status */

/* Whether no layout is in force. */
bool live_is_original(struct an_live *live);

/* One round, from the recording to the verdict; it is told. `is_kept`: its layout is in force. */
enum an_code live_round(struct live_request *request, struct an_live *live, unsigned number,
                        struct json_object *list, bool *is_kept, struct an_error *error);

/* Profiles that are kept in the folder of the process: that of the layout in force, and that of the last
 * one that was taken back. */
void live_name_force(struct an_live *live, char *path, size_t size);
void live_name_rejected(struct an_live *live, char *path, size_t size);

/* Says what went wrong; the exit status. */
int live_failed(const struct an_error *error);

/* Rounds whenever the process does something else, until it ends, or anneal is told to end; the exit
 * status (live_watch.c). */
int live_watch(struct live_request *request, struct an_live *live);

/* Telling (live_tell.c). With --json a round is added to the list or, without a list, printed on a line,
 * else told in words. */
void live_tell_profile(const struct live_request *request, const struct an_live_profile *profile);
void live_tell_drift(const struct live_request *request, double overlap, bool is_far);
void live_tell_round(const struct live_request *request, unsigned number,
                     const struct an_live_round *round, const struct live_verdict *verdict,
                     struct json_object *list);
void live_tell_revert(const struct live_request *request, const struct an_live_round *round);
void live_tell_status(const struct live_request *request, struct an_live *live);

#endif
