/*
 * Recording branch stacks of running processes, on any machine, as perf.data.
 *
 * A branch stack is the list of the last branches that a thread has taken; what BOLT and AutoFDO
 * need. Where the processor keeps such lists (last branch records, LBR), they are taken from there.
 * Elsewhere anneal stops a running thread for some hundred microseconds, finds out which branches
 * it is about to take, and releases it: a window of its execution.
 *
 * x86-64 and Linux only; elsewhere an_record() returns AN_UNSUPPORTED. docs/reference/record.md explains how it
 * is done and what is promised to the process.
 */
#ifndef ANNEAL_RECORD_H
#define ANNEAL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum an_record_method {
    AN_RECORD_AUTO,    /* the first of the following that this machine allows */
    AN_RECORD_LBR,     /* by the processor: perf_event_open() with branch stacks */
    AN_RECORD_EMULATE, /* windows: the next instructions are interpreted, in anneal */
    AN_RECORD_STEP,    /* windows: the next instructions are executed by the thread, step by step */
};

/* Why windows ended before they were full, most frequent first. */
struct an_record_end {
    char why[24]; /* an instruction's mnemonic, or "memory", "signal"... */
    uint64_t count;
};

enum { AN_RECORD_MOST_ENDS = 48 };

struct an_record_counts {
    enum an_record_method method; /* that is used */
    uint64_t samples;             /* written */
    uint64_t windows;             /* one sample or several are of each; 0: the processor's */
    uint64_t branches;
    uint64_t lost;          /* samples that the kernel had no room for */
    uint64_t stops;         /* of threads */
    uint64_t short_ones;    /* windows that ended early */
    bool outside;           /* moments were chosen from outside, as perf events are refused */
    bool intruded;          /* likewise, since threads or signals come too often to trace them */
    uint64_t without_alarm; /* threads that could not be recorded, for lack of a perf event */
    uint64_t in_kernel;     /* stops that met the thread in a system call: no window */
    uint64_t queued;        /* stops that met the thread waiting for a processor: likewise */
    uint64_t threads;       /* that were seen */
    uint64_t processes;     /* that were seen */
    uint64_t hot_bytes;     /* of code that 95 % of what was executed between branches falls on */
    double density;         /* branches for each of these bytes; 0: not known */
    double seconds;         /* of recording */
    double run_seconds;     /* CPU time of the processes meanwhile */
    double stopped_seconds; /* in which a thread was held, summed over threads */
    double own_seconds;     /* CPU time of the recorder beyond the stops */
    double longest_stop;    /* seconds */
    /* With `verify`: windows that were both interpreted and stepped from the same state, and those
     * of them that took the same branches up to the end of the shorter one. */
    uint64_t compared, agreed;
    struct an_record_end ends[AN_RECORD_MOST_ENDS];
    size_t end_count;
};

/* The density from which on llvm-bolt knows enough. */
#define AN_RECORD_DENSE 1.0

struct an_record_options {
    size_t size;                  /* of this structure: sizeof */
    int32_t pid;                  /* the process, with all its threads */
    bool children;                /* and the processes that it has started or starts */
    enum an_record_method method; /* AUTO: chosen here */
    bool verify;                  /* step, and compare with what emulation says */
    bool outside; /* choose moments from outside, and trace threads only while a window is taken */
    double overhead;    /* the budget: stopped time over run time; 0: 0.02 */
    double duration;    /* seconds; 0: until the process ends or `stop` is set */
    uint64_t branches;  /* stop at this many; 0: no limit */
    unsigned window;    /* branches in a window; 0: the default */
    unsigned frequency; /* windows or samples in a second of run time at most; 0: default */
    uint64_t seed;      /* of the choice of threads and moments; 0: from the clock */
    const char *output; /* the perf.data file; "-": the standard output, as a pipe */
    /* The recording ends, as if its time were over, when this becomes not 0, which is noticed within a second. May be NULL. */
    const volatile int *stop;
    /* Called once, when the process is watched and nothing has been recorded yet; may be NULL. */
    void (*started)(void *context);
    /* Called several times a second, with numbers that are not final, at the expense of the budget; may be NULL. */
    void (*progress)(void *context, const struct an_record_counts *counts);
    void *context;
    /* Stop when the density is somewhat above AN_RECORD_DENSE, and there are branches enough for that to be no chance. */
    bool until_dense;
};

/*
 * How many seconds more a recording would have to go on, at its own rate, for its density to be AN_RECORD_DENSE; 0 if it is,
 * or is not known.
 */
AN_API double an_record_seconds_more(const struct an_record_counts *counts);

/*
 * Records. Blocks until the end. When it returns, whether AN_OK or not, no thread is held any
 * longer, and on failure the output is as it was before. counts is filled in any case.
 *
 * AN_USAGE: no such process, or a method that this machine does not allow; AN_SYSTEM: no permission;
 * AN_UNSUPPORTED: another processor or kernel; AN_EMPTY: there was nothing to record, as of a process that sleeps.
 *
 * The threads that it starts take no signals: these go to the caller's.
 */
AN_API enum an_code an_record(const struct an_record_options *options,
                              struct an_record_counts *counts, struct an_error *error);

/*
 * Whether it is a host's turn to record, where a share `rate` (above 0, at most 1) of the hosts of a fleet is to do so at
 * a time. It is decided by the host's name and the hour that the time is in (seconds since 1970), for the whole hour: so
 * nobody has to be asked, a share `rate` of all hosts records in any hour, and each host in that share of all hours. A
 * host whose turn it is by one rate has it by a higher one, too.
 */
AN_API bool an_record_is_turn(const char *host, int64_t seconds, double rate);

/* When its next turn begins, after the present hour; 0 when that is not within a century. */
AN_API int64_t an_record_next_turn(const char *host, int64_t seconds, double rate);

/* "lbr", "emulate", "step", "auto". Never NULL. */
AN_API const char *an_record_method_name(enum an_record_method method);

#ifdef __cplusplus
}
#endif
#endif
