/*
 * The work that a running process does for each second of CPU time.
 *
 * What a server reads and writes counts it, which the kernel knows; or functions of the process do: execution breakpoints, which
 * only count, at the entries of functions that are entered some ten to some ten thousand times a second. Either is divided by
 * the CPU time of the same threads in the same time.
 * Nobody has to say what a unit of work is, and the process needs not be prepared. Whether the figure rises or falls
 * when the code, or the machine, is changed can be seen within seconds.
 *
 * x86-64 and Linux only. docs/reference/worth.md explains what is exact and what is not.
 */
#ifndef ANNEAL_WORK_H
#define ANNEAL_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the four debug registers of a processor one is left to debuggers. */
enum { AN_WORK_MOST = 3 };

/* The share of a process's CPU time that counting may take, unless somebody says another one. */
#define AN_WORK_BUDGET 0.01

/* ---- arithmetic ---- */

/* What the counters say, from their start on. */
struct an_work_reading {
    uint64_t cpu;  /* nanoseconds that the threads ran while entries were counted */
    uint64_t wall; /* nanoseconds, of any clock that only grows */
    uint64_t entries[AN_WORK_MOST]; /* into each function, or bytes of each direction */
};

/* What they have counted between two readings. False, with nothing in it, when one of them went backwards: then it
 * is not of the same counters. */
AN_API bool an_work_slice(const struct an_work_reading *before, const struct an_work_reading *after,
                          struct an_work_reading *slice);

/* Takes out of its CPU time what counting itself has cost, `cost` seconds for each entry. Some time is always left. */
AN_API void an_work_correct(struct an_work_reading *slice, double cost);

/* The share of its CPU time that counting has cost. */
AN_API double an_work_cost_share(const struct an_work_reading *slice, double cost);

/* The part of the time in which counting may go on, when it takes the share `cost` of the CPU time meanwhile. It aims a bit
 * below the budget: what it costs is not known exactly, and the budget is a limit. */
AN_API double an_work_part(double budget, double cost);

/* Adds a slice to others. */
AN_API void an_work_add(struct an_work_reading *sum, const struct an_work_reading *slice);

/* Why a function does not take part in the result. */
enum an_work_use {
    AN_WORK_USED,
    AN_WORK_TOO_FEW,  /* entries, if any */
    AN_WORK_UNSTEADY, /* from slice to slice, or in comparison with the others */
    AN_WORK_WALL_CLOCK, /* it keeps step with the clock on the wall, as timers do, and not with the work */
    AN_WORK_INLINED, /* an_work_compare(): it tells of far more or far less work, and others of about the same */
};

struct an_work_share { /* of a function in an estimate */
    enum an_work_use use;
    uint64_t entries;
    double rate;       /* entries in a second of CPU time */
    double half_width; /* of the 95 % interval of the rate's logarithm, or of that of the ratio */
    double weight;     /* all of them together: 1 */
    double ratio;      /* an_work_compare(): its own ratio */
};

struct an_work_estimate {
    bool is_known;    /* false: too few slices, or no function is fit */
    double value;     /* units of work in a second of CPU time; the ratio of two processes */
    double low, high; /* its 95 % interval */
    double drift;     /* the second half, compared with the first: 0.01 is 1 % more */
    bool drifts;      /* by more than chance explains */
    bool disagree;    /* an_work_compare(): the functions do not say the same */
    size_t slices;
    double cpu_seconds;
    struct an_work_share shares[AN_WORK_MOST];
};

/* So many slices are enough for an interval. */
enum { AN_WORK_FEWEST_SLICES = 6 };

/*
 * The work in a second of CPU time over all slices, which follow one another. A unit of work is the geometric mean of
 * an entry into each function that is used, by their weights: with one function, an entry. The interval is that of the mean
 * over this time; it takes into account that slices resemble their neighbours, and that the rate drifts.
 */
AN_API void an_work_estimate(const struct an_work_reading *slices, size_t count, size_t functions,
                             struct an_work_estimate *estimate);

/* The same in one slice, in the units of an estimate; 0 when it has no CPU time. */
AN_API double an_work_at(const struct an_work_estimate *estimate,
                         const struct an_work_reading *slice);

/*
 * How much more work `b` does than `a` for a second of CPU time: 1.02 is 2 % more. The slices are of the same times, in pairs,
 * and the functions the same ones. What disturbs both alike cancels out.
 */
AN_API void an_work_compare(const struct an_work_reading *a, const struct an_work_reading *b,
                            size_t count, size_t functions, struct an_work_estimate *estimate);

/* "used", "too few entries", "unsteady", "wall clock", "inlined". Never NULL. */
AN_API const char *an_work_use_name(enum an_work_use use);

/* ---- the clock of a process ---- */

struct an_work;

enum an_work_step { AN_WORK_SAMPLE, AN_WORK_TRY };

/* What counts work. */
enum an_work_by {
    AN_WORK_BY_ANY,       /* traffic where it does, else functions */
    AN_WORK_BY_TRAFFIC,   /* bytes that are read, and bytes that are written: they cost nothing */
    AN_WORK_BY_FUNCTIONS, /* entries into them */
};

struct an_work_options {
    size_t size; /* of this structure: sizeof */
    int32_t pid;
    const char *const *functions; /* to be counted; none: they are chosen */
    size_t function_count;        /* up to AN_WORK_MOST */
    /* Layouts (anneal/live.h) that may be put in force while entries are counted: those into their code are, also
     * when nothing enters it yet, as are those into the original code. NULL: layouts stay as they are. */
    const unsigned *layouts;
    size_t layout_count;
    double budget; /* the share of its CPU time that counting may take; 0: AN_WORK_BUDGET */
    /* The same while counting goes on, for a part of the time: beyond it the rest of the time cannot be told from what
     * counting takes. At least the budget; 0: 0.6. */
    double most;
    /* Choosing ends when this becomes not 0; may be NULL. */
    const volatile int *stop;
    /* Called some times in a second while functions are chosen; may be NULL. */
    void (*progress)(void *context, enum an_work_step step);
    void *context;
    enum an_work_by by; /* functions that are named count in any case */
};

struct an_work_function {
    const char *name; /* of traffic, "bytes read" or "bytes written" */
    uint64_t address; /* of its original entry, in the process; of traffic, 0 */
    unsigned
        entries; /* places that are counted: the original's and those of layouts (anneal/live.h) */
};

/*
 * Finds what counts the work of a process, unless functions are named, and starts to count: in all of its threads,
 * and in those that it starts. Functions that would slow down the process too much while
 * they are counted are not chosen, and refused when they are named; see an_work_duty() for those that need a pause. *out is closed by the caller; NULL on failure: AN_USAGE (no such process or function), AN_SYSTEM (no permission,
 * no debug register is free), AN_UNSUPPORTED (this machine has none, or no function is fit).
 */
AN_API enum an_code an_work_open(const struct an_work_options *options, struct an_work **out,
                                 struct an_error *error);
AN_API void an_work_close(struct an_work *work); /* may be NULL */

/* What counts: traffic or functions. */
AN_API enum an_work_by an_work_counts_by(const struct an_work *work);

/* The functions, or the directions of traffic, in the order of the readings. Valid until the clock is closed. */
AN_API const struct an_work_function *an_work_functions(const struct an_work *work, size_t *count);

/* Reads the counters. *is_over: the process has ended, or executes another program; they are those up to then, or, of traffic,
 * 0. */
AN_API enum an_code an_work_read(struct an_work *work, struct an_work_reading *reading,
                                 bool *is_over, struct an_error *error);

/*
 * The share of the time in which counting should go on to keep to the budget: 1 is all of it. an_work_pause() makes it pause
 * or go on; neither entries nor CPU time are counted in between.
 */
AN_API double an_work_duty(const struct an_work *work);
AN_API void an_work_pause(struct an_work *work, bool pauses);

/* Threads that are counted, without those that they have started since. */
AN_API size_t an_work_threads(const struct an_work *work);

/* Seconds that an entry costs the process on this machine, as was measured; of traffic, 0. */
AN_API double an_work_cost(const struct an_work *work);

#ifdef __cplusplus
}
#endif
#endif
