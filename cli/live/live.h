/* What the parts of the command live share: the request, doing it, telling of it. */
#ifndef AN_CLI_LIVE_LIVE_H
#define AN_CLI_LIVE_LIVE_H

#include <anneal/live.h>
#include <sys/types.h>

#include "cli/core/command.h"
#include "clock.h"
#include "live/worth.h"

struct json_object;

/* How often and how long the process was stopped since that was last told. */
struct live_stops {
    struct an_live_stops recording; /* of one thread at a time */
    struct an_live_stops change;    /* to a new layout */
    struct an_live_stops turns, back;
    struct an_live_stops calls; /* of one thread at a time, which makes a call for anneal */
};

struct live_request {
    struct an_live_options options;
    struct an_record_options record;
    struct option_list bolt_options;
    const char *profile;   /* for every round, instead of recording */
    const char *counter;   /* a command that prints how much work has been done */
    enum an_work_by clock; /* without a counter */
    double worth_time;     /* seconds that layouts may take turns */
    bool has_worth_time;   /* somebody has said so */
    mode_t mask;           /* of whoever called: the command above gets it */
    unsigned rounds;
    double interval;  /* seconds between two looks, in continuous mode */
    double threshold; /* of the overlap */
    bool continuous, revert, status, json, quiet, keep_anyway;
    bool thin;        /* a recording that is not dense is used, too */
    bool takes_turns; /* now: switches are no steps to be told of */
    struct live_stops stops;
    char bolt[48]; /* the version of llvm-bolt; "": not known */
};

/* Adds stops to others (stops.c): those of all threads, in a round, to `what`, a part of `to`. */
void live_add_round(struct live_stops *to, struct an_live_stops *what,
                    const struct an_live_round *round);
void live_add_held(struct an_live_stops *to, const struct an_record_counts *counts);

/* What a new layout is worth. */
struct live_verdict {
    const char *unit; /* "work", "counter", "samples", or "none": nothing was measured */
    char why[320];    /* work cannot be counted; or empty */
    bool is_measured, is_known;
    enum an_worth_outcome outcome;
    enum an_worth_choice choice; /* what is to run */
    unsigned in_force;           /* after the measurement: a number */

    /* of "work" and "counter" */
    struct an_worth_crossover found;
    struct live_names functions; /* that have counted, or directions of traffic */
    bool by_traffic;
    unsigned turns;
    double seconds;

    /* of "samples" */
    double before, after; /* odds of the moved functions */
    struct an_worth worth;

    bool is_taken_back;
    unsigned instead; /* then: the generation in force now; 0: the original */
};

/* Measuring a layout (judge.c). */
struct live_judge {
    struct live_request *request;
    struct an_live *live;
    const char *const *functions; /* which count work; none: they are chosen */
    size_t function_count;
    double counting; /* the share of CPU time that this may take; 0: the usual one */
    unsigned before; /* the layout that was in force, or 0 */
    char before_file[4200], after_file[4200]; /* recordings */
};

/* Whether a new layout is measured at all. */
bool live_is_judged(const struct live_request *request);

/* Before the recording. Fails when the counter does not work. */
enum an_code live_judge_begin(struct live_judge *judge, struct an_error *error);

/* Measures the layout of that number, which is in force, for a while, and judges. */
enum an_code live_judge_after(const struct live_judge *judge, unsigned number,
                              struct live_verdict *verdict, struct an_error *error);

/* Has layouts take turns (turns.c). On failure, too, verdict->in_force is what runs then. */
enum an_code live_take_turns(const struct live_judge *judge, unsigned number,
                             struct live_verdict *verdict, struct an_error *error);

/* Has the process run what the verdict says is the best, the layout of that number or another one, and unmaps what
 * nobody needs any more; *last is the last switch. */
enum an_code live_settle(const struct live_judge *judge, unsigned number,
                         struct live_verdict *verdict, struct an_live_round *last,
                         struct an_error *error);

void live_verdict_free(struct live_verdict *verdict);

/* Doing what is asked (run.c). */
int live_run(struct live_request *request); /* the exit status */

/* Before the first round: asks llvm-bolt for its version, and warns of what it will refuse (bolt.c). */
void live_ask_bolt(struct live_request *request, struct an_live *live);

/* The number of the layout in force; 0: the original code. */
unsigned live_in_force(struct an_live *live);

/* One round, from the recording to the verdict (round.c); it is told. `is_kept`: its layout is in force. */
enum an_code live_round(struct live_request *request, struct an_live *live, unsigned number,
                        struct json_object *list, bool *is_kept, struct an_error *error);

/* Profiles that are kept in the folder of the process: that of the layout in force, and that of the last
 * one that was taken back. */
void live_name_force(struct an_live *live, char *path, size_t size);
void live_name_rejected(struct an_live *live, char *path, size_t size);

/* Whether the layout in force is still worth what it was (check.c). */
struct live_check {
    bool (*pass)(void *context, double seconds); /* false: there shall be an end */
    void *context;
    struct live_names functions; /* that count; none yet, or traffic does: they will be chosen */
    bool by_traffic;
    struct live_slices first; /* of the work, when it was counted for the first time */
};

/*
 * Counts work for some seconds. If the process does less in a second of CPU time than it did the first time, the layout
 * and the original code take turns, which is told. *is_lost: the original code runs again.
 */
enum an_code live_check(struct live_check *check, const struct live_judge *judge, bool *is_lost,
                        struct an_error *error);

/* Forgets what was counted: there is another layout. */
void live_check_reset(struct live_check *check);

/* Rounds whenever the process does something else, until it ends, or anneal is told to end; the exit
 * status (watch.c). */
int live_watch(struct live_request *request, struct an_live *live);

/* Telling (tell.c). With --json a round is added to the list or, without a list, printed on a line,
 * else told in words. */
void live_tell_profile(const struct live_request *request, const struct an_live_profile *profile);
void live_tell_drift(const struct live_request *request, double overlap, bool is_far);
void live_tell_round(const struct live_request *request, unsigned number,
                     const struct an_live_round *round, const struct live_verdict *verdict,
                     struct json_object *list);
void live_tell_check(const struct live_request *request, unsigned number,
                     const struct an_work_estimate *change, const struct live_verdict *verdict);
void live_tell_turns(const struct live_verdict *verdict);
void live_add_turns(struct json_object *object, const struct live_verdict *verdict);
/* What was decided, for an_worth_explain() (tell.c). */
void live_decision(const struct live_request *request, const struct live_verdict *verdict,
                   struct an_worth_decision *decision);
/* Says what went wrong; the exit status. */
int live_failed(const struct an_error *error);
void live_tell_revert(const struct live_request *request, const struct an_live_round *round);
void live_tell_status(const struct live_request *request, struct an_live *live);

#endif
