/*
 * What all ways to record windows share: a window of a stopped thread, what is written of it, what it
 * costs, and when the recording is over. How threads come to stop is the business of alarms.h and
 * outside.h.
 */
#ifndef AN_RECORD_RECORDER_H
#define AN_RECORD_RECORDER_H

#include <anneal/record.h>

#include "record/density.h"
#include "record/emulate.h"
#include "record/looks.h"
#include "record/pending_threads.h"
#include "record/perf_writer.h"
#include "record/step.h"
#include "record/tasks.h"

struct an_recorder {
    const struct an_record_options *options;
    struct an_perf_writer *writer;
    struct an_record_counts *counts;
    struct an_tasks *tasks;
    struct an_emulator *emulator; /* NULL: windows are stepped */
    struct an_stepper *stepper;   /* NULL: they are emulated */
    uint64_t random;              /* the state of a generator */
    /* Lets a stopped thread run on, with a signal or 0, when its window is over. */
    void (*let_go)(struct an_recorder *recorder, int32_t tid, int signal);
    void *moments; /* what that needs to know */
    struct an_pending_threads pending;
    struct an_density density;
    unsigned window;     /* branches in one */
    bool may_lengthen;   /* it is not decided yet whether more */
    uint64_t crossed;    /* system calls that windows went on behind */
    bool is_ahead_known; /* the emulator stands where a full window has ended */

    uint64_t started;    /* 0: not yet */
    uint64_t own_before; /* CPU time of this thread that does not count */
    uint64_t held_own;   /* what counts of it: while a thread was held, */
    uint64_t own;        /* and else */
    uint64_t spent;      /* what was taken from threads; nanoseconds */
    uint64_t run_of_last_sample;
    uint64_t next_progress; /* when to say how far it is */
    uint64_t next_look;     /* at threads and children; 0: at once */
    struct an_looks looks;
    bool forbidden; /* ptrace refused every thread so far */
    int refusal;    /* its errno */
};

/* What a stop costs a thread that it does not see, since caches and the branch predictor have to be
 * filled anew; nanoseconds (MariaDB, docs/internals/measured.md). */
enum { AN_RECORD_AFTERMATH = 150000 };

/* A thread begins to record, or goes on with what another one has begun: its own time counts from now. */
void an_recorder_start(struct an_recorder *recorder);

/*
 * Runs a window of a stopped thread as far as it goes. The thread stands where it stood (emulation), or
 * behind it (steps). *signal: one that it is about to get, 0, or -1 when it is gone.
 */
enum an_window_end an_recorder_run(struct an_recorder *recorder, struct an_window *window,
                                   const struct user_regs_struct *registers, int *signal);

/* Writes a window that has branches, as a sample or several. Their period is the run time since the last window: all
 * periods together are the run time. */
void an_recorder_write(struct an_recorder *recorder, const struct an_window *window);

/*
 * Behind a window that was full, when its thread runs on and the time for which it was held has been taken: emulates what may
 * come next, for nothing but to have its instructions ready. In the first windows most of what they hold the thread for is to make them so.
 */
void an_recorder_look_ahead(struct an_recorder *recorder);

/* The time for which a thread is held, and what it costs, which is charged. */
struct an_hold {
    uint64_t time, own;
};
struct an_hold an_recorder_hold(void);

/* `waited`: for so long of it, it has waited for a processor, and was not held. */
void an_recorder_held(struct an_recorder *recorder, struct an_hold hold, uint64_t waited);

/* What the recorder computed while no thread was held is told, and does not count as taken from the threads. */
void an_recorder_count_own(struct an_recorder *recorder);

/* Now and then: new threads, and a word to whoever waits. False when no process is left. */
bool an_recorder_look(struct an_recorder *recorder, uint64_t now);

/* Whether the recording is over. */
bool an_recorder_has_enough(struct an_recorder *recorder, uint64_t now);

/* Fills in the numbers that belong to the whole. */
void an_recorder_finish(struct an_recorder *recorder);

#endif
