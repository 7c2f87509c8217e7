/*
 * A new code layout for a process that is running.
 *
 * llvm-bolt lays out the code of the process's program for a profile of what the process does;
 * the new code is mapped into the process and, in one short stop, the old code is redirected to it.
 * This can be repeated, and undone. docs/reference/live.md explains how it works and what is promised.
 *
 * x86-64 and Linux only. The program must be linked with -Wl,-q (--emit-relocs) and not stripped.
 */
#ifndef ANNEAL_LIVE_H
#define ANNEAL_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>
#include <anneal/record.h>

#ifdef __cplusplus
extern "C" {
#endif

struct an_live;

enum an_live_step {
    AN_LIVE_RECORD,
    AN_LIVE_AGGREGATE,
    AN_LIVE_OPTIMIZE, /* llvm-bolt */
    AN_LIVE_PREPARE,  /* what to patch, and corrections of the new code */
    AN_LIVE_MAP,      /* the new code, into the process */
    AN_LIVE_SWITCH,
    AN_LIVE_RELEASE, /* old code that nothing leads to any more */
};

struct an_live_options {
    size_t size; /* of this structure: sizeof */
    int32_t pid;
    const char *binary;              /* the program's file, unless it is /proc/PID/exe; or NULL */
    const char *state_dir;           /* where to keep what has been done; NULL: below /var/tmp */
    const char *bolt;                /* the path of llvm-bolt; NULL: found */
    const char *const *bolt_options; /* more arguments for it, ended by NULL; or NULL */
    double
        max_pause; /* seconds: a stop that would take longer is given up and tried again; 0: 0.05 */
    bool huge_pages;
    bool
        slow_exceptions; /* take it that exceptions are slower from then on, where that cannot be helped */
    bool
        keep_older; /* older layouts stay mapped until an_live_release(), so that they can be put in force again */
    bool look_only; /* only look: several may do so at a time, also while one is at work */
    bool dry_run;   /* do all but the last: nothing is mapped or changed */
    const volatile int
        *stop; /* if it becomes not 0, whatever is not in the process yet is given up; or NULL */
    /* Called when a step begins, and some times in a second while it takes; may be NULL. */
    void (*progress)(void *context, enum an_live_step step);
    void *context;
};

/* The first of such `bolt_options` that is not possible here; NULL when all are. */
AN_API const char *an_live_refused_option(const char *const *options);

/*
 * Opens a process, with what was done to it before. AN_USAGE, AN_SYSTEM, AN_UNSUPPORTED, AN_MISMATCH
 * if it is not fit, with the reason. The caller closes it; this leaves the process as it is.
 *
 * All calls for one object must come from the same thread, which must have no other children.
 */
AN_API enum an_code an_live_open(const struct an_live_options *options, struct an_live **live,
                                 struct an_error *error);
AN_API void an_live_close(struct an_live *live);

/*
 * Whether the process can be stopped in the time that a stop may take: AN_UNSUPPORTED if it has too many threads. One
 * with so many that this is in doubt is stopped for it, up to twice; these
 * stops are in the account of the next call. Meant for before a recording.
 */
AN_API enum an_code an_live_try(struct an_live *live, struct an_error *error);

struct an_live_unmoved { /* a function that stays where it is */
    const char *name;
    bool is_refused; /* by llvm-bolt; else data names what its calls return to */
    double share;    /* of the profile's counts, from 0 to 1 */
};

enum { AN_LIVE_REASONS = 16 };

struct an_live_usdt { /* a probe that the program's author has put into it */
    const char *provider, *name;
};

struct an_live_stops { /* of all threads of the process together, unless said otherwise */
    uint64_t count;
    double sum, longest; /* seconds, each from the first thread stopped to the last one let go */
};

struct an_live_round {  /* what became of a round, or of a revert */
    unsigned number;    /* of the generation that is in force now; 0: the original */
    uint64_t functions; /* with new code */
    uint64_t skipped;   /* functions that llvm-bolt cannot move, or of unknown originals */
    /* Names of functions that stay where they are, since data names what their calls return to. They and the
     * list are the object's, until its next round. */
    const char *const *left_out;
    size_t left_out_count;
    /* Those that llvm-bolt has refused, and those left out that the profile has, by their shares; likewise. */
    const struct an_live_unmoved *unmoved;
    size_t unmoved_count;
    uint64_t bytes;                        /* of new code */
    uint64_t address;                      /* where it is in the process */
    uint64_t entries, calls, vtable_words; /* patches that lead to it */
    uint64_t blocks; /* likewise: in the middle of functions, for loops that go on for ever */
    struct {
        const char *reason;
        uint64_t count;
    } withheld[AN_LIVE_REASONS]; /* patches that were not made, and why */
    size_t withheld_count;
    /* In functions with new code: whoever places a probe at its address in the binary misses what the new code
     * does. Valid until the next call. */
    const struct an_live_usdt *usdt;
    size_t usdt_count;
    uint64_t operands;  /* in the new code that were set back to original entries */
    uint64_t places;    /* in memory that were written */
    uint64_t pages;     /* on which they are */
    uint64_t threads;   /* that were stopped */
    unsigned stops;     /* of all threads, until none was in the way */
    unsigned unwinders; /* of the process, that know the new code */
    bool
        is_registered; /* they had to be told of it, which may make exceptions slower from then on */
    unsigned released; /* older generations that were unmapped */
    /* Older generations that stay since the kernel has return addresses of functions whose return somebody
     * probes (uretprobes). */
    unsigned held_by_probes;
    uint64_t mapped_bytes; /* of all generations together */
    bool is_torn;          /* on failure: not everything could be put back; both layouts are kept */
    bool is_complete;      /* no place was skipped; otherwise no older generation is released */
    double pause;          /* seconds: the longest stop, from the first thread stopped to the last
                              one let go */
    double bolt_seconds;
    /* All stops of the call: of the switch, also those that were given up, and those in which references to older
     * code were looked for. Set on failure, too. */
    struct an_live_stops stopped;
    /* Those of one thread that made a system call, or a call of a function, for anneal. Set on failure, too. */
    struct an_live_stops called;
};

/*
 * Lays the code out for a profile (fdata, of the original binary) and makes the process use it. On
 * failure the process is as it was before.
 */
AN_API enum an_code an_live_apply(struct an_live *live, const char *profile,
                                  struct an_live_round *round, struct an_error *error);

/* Makes the process use its original code again. Nothing to do is no error. */
AN_API enum an_code an_live_revert(struct an_live *live, struct an_live_round *round,
                                   struct an_error *error);

/*
 * Puts a generation that is mapped in force again, or, with 0, the original code, in one short stop. Nothing is
 * made or unmapped. AN_USAGE: there is no such generation. On failure the process is as it was, unless it is torn.
 */
AN_API enum an_code an_live_switch(struct an_live *live, unsigned number,
                                   struct an_live_round *round, struct an_error *error);

/* Unmaps what is not in force, as far as no thread is in it or will return there. `round` is that of the last switch,
 * and gets the numbers. */
AN_API void an_live_release(struct an_live *live, struct an_live_round *round);

struct an_live_profile { /* a recording of what runs now, in terms of the original */
    struct an_record_counts record;
    uint64_t branches;       /* that count */
    uint64_t in_generations; /* of these, from code of generations */
    uint64_t records;        /* in the profile */
};

/*
 * Records the process, whatever mixture of layouts it runs, and writes the profile to a file (fdata).
 * Of `record`, only method, overhead, duration, frequency, window, branches and seed count; the
 * recording itself is kept at `recording` unless that is NULL.
 */
AN_API enum an_code an_live_record(struct an_live *live, const struct an_record_options *record,
                                   const char *recording, const char *profile,
                                   struct an_live_profile *account, struct an_error *error);

struct an_live_share {
    uint64_t inside, all; /* samples */
    bool is_known;        /* what follows: there are enough on either side */
    double odds;          /* inside : elsewhere */
    double half_width;    /* of the 95 % interval of the logarithm of the odds */
};

/*
 * Counts the samples of a recording of the process: all of them, and those in functions that the
 * generation in force has moved, in old code or new. Their odds, before and after a round, show what
 * it was worth without counting work.
 */
AN_API enum an_code an_live_share(struct an_live *live, const char *recording,
                                  struct an_live_share *share, struct an_error *error);

/* How alike two profiles (fdata) are: 1: the same share of counts in every function, 0: none in common. */
AN_API enum an_code an_live_overlap(const char *one, const char *other, double *overlap,
                                    struct an_error *error);

/* Only records, as an_live_record() does, without making a profile. */
AN_API enum an_code an_live_sample(struct an_live *live, const struct an_record_options *record,
                                   const char *recording, struct an_record_counts *counts,
                                   struct an_error *error);

struct an_live_generation {
    unsigned number;
    const char *file;
    uint64_t address, size; /* in the process */
    uint64_t functions;
    bool is_in_force;
};

/* The generations that are mapped, oldest first. Valid until the next call. */
AN_API const struct an_live_generation *an_live_generations(struct an_live *live, size_t *count);

/* The binary that the layouts are made of; a folder for files that belong to the process. Valid as
 * long as the object. */
AN_API const char *an_live_binary(const struct an_live *live);
AN_API const char *an_live_folder(const struct an_live *live);

/* The llvm-bolt that makes the layouts, by its path; NULL when there is none. */
AN_API const char *an_live_bolt(const struct an_live *live);

/* What a step does, for people: "optimizing". Never NULL. */
AN_API const char *an_live_step_name(enum an_live_step step);

#ifdef __cplusplus
}
#endif
#endif
