/*
 * Training: runs a command over a list of workloads, several at a time, and merges the profiles of its runs
 * into one.
 *
 * Each run is a process group of its own with a folder of its own for its profiles, so that weights, and
 * failures, concern exactly what that run counted. docs/reference/train.md explains how, and why.
 *
 * Linux only. Nothing here keeps global state, but while an_train() works the calling process adopts orphans
 * (PR_SET_CHILD_SUBREAPER), to know when all processes of a run have ended. A process with a terminal should
 * ignore SIGTTIN and SIGTTOU, which runs inherit: otherwise one that reads the terminal would be stopped.
 */
#ifndef ANNEAL_TRAIN_H
#define ANNEAL_TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>
#include <anneal/ledger.h>
#include <anneal/llvm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------- */
/* Workloads                                                                                    */

struct an_train_workload {
    char *text;      /* what the command is given; NULL: it is run as it is */
    uint64_t weight; /* each of its runs counts as this many; at least 1 */
};

/* A list of them, which owns the texts. Zero-initialise; free with an_train_workloads_free(). */
struct an_train_workloads {
    struct an_train_workload *items;
    size_t count, capacity;
};

/* Adds one; the text is copied, and may be NULL. Fails for lack of memory, or for a weight of 0. */
AN_API enum an_code an_train_workloads_add(struct an_train_workloads *list, const char *text,
                                           uint64_t weight, struct an_error *error);

/* Adds a workload given as "WEIGHT,TEXT". AN_USAGE if there is no weight. */
AN_API enum an_code an_train_workloads_add_weighted(struct an_train_workloads *list,
                                                    const char *weight_and_text,
                                                    struct an_error *error);

/*
 * Adds the entries of a file ("-": standard input). They are lines of TEXT or WEIGHT<tab>TEXT; empty lines and
 * those that begin with # are ignored. With `is_exact` they end in a NUL byte instead, and are taken
 * literally.
 */
AN_API enum an_code an_train_workloads_read(struct an_train_workloads *list, const char *path,
                                            bool is_exact, struct an_error *error);

/* Adds the paths of the files in a folder, in the order of their names; not those in folders below it, and not
 * those whose names begin with a dot. */
AN_API enum an_code an_train_workloads_add_folder(struct an_train_workloads *list, const char *path,
                                                  struct an_error *error);
AN_API void an_train_workloads_free(struct an_train_workloads *list);

/* ------------------------------------------------------------------------------------------- */
/* Runs                                                                                         */

enum an_train_outcome {
    AN_TRAIN_NOT_RUN = 0, /* the training ended before */
    AN_TRAIN_SUCCEEDED,
    AN_TRAIN_NOT_STARTED, /* .status is the errno */
    AN_TRAIN_EXITED,      /* with a .status other than 0 */
    AN_TRAIN_KILLED,      /* by the signal .status */
    AN_TRAIN_TIMED_OUT,
    AN_TRAIN_NO_PROFILE, /* it ended well, and left none */
    AN_TRAIN_BAD_PROFILE, /* it ended well, and left one that is damaged or does not go with the others */
    AN_TRAIN_INTERRUPTED, /* it was ended because the training was */
};

/* "not run", "succeeded", "not started", "exited", "killed", "timed out", "no profile", "bad profile" or
 * "interrupted": stable, for use in JSON. */
AN_API const char *an_train_outcome_name(enum an_train_outcome outcome);

enum an_train_family { AN_TRAIN_LLVM, AN_TRAIN_GCC, AN_TRAIN_FAMILIES };

/* "llvm" or "gcc": stable, for use in JSON. */
AN_API const char *an_train_family_name(enum an_train_family family);

/* A profile that a run left. */
struct an_train_profile {
    const char *name; /* below the run's folder for that family; belongs to the result */
    enum an_train_family family;
    enum an_input_status status; /* PENDING: left out, because the run failed */
    uint64_t bytes;
    uint64_t total_count; /* of a used one, before weighting */
    char *problem;        /* of a rejected one: why; else NULL */
};

struct an_train_run {
    size_t number;   /* among all runs of the training, from 0, also when this is a share of it */
    size_t workload; /* its index in the list */
    unsigned round;  /* with `repeat`: from 0 */
    enum an_train_outcome outcome;
    int status;
    double seconds;    /* that it took */
    bool left_running; /* when it ended there were processes of its group, which were ended, too */
    struct an_train_profile *profiles;
    size_t profile_count;
    char *
        last_words; /* the last lines of a failed run's standard error, without the last line feed; or NULL */
};

/* Why a run failed, as "exit status 3" or "killed by signal 11 (Segmentation fault)"; cut to size. Returns text. */
AN_API char *an_train_reason(const struct an_train_run *run, char *text, size_t size);

struct an_train_counts {
    size_t total, ended; /* runs */
    size_t succeeded, failed, interrupted;
    size_t running; /* at this moment */
};

struct an_train_result {
    struct an_train_run *runs; /* workload after workload, round after round */
    size_t run_count;
    struct an_train_counts counts;
    bool interrupted;                   /* by options.stop */
    bool too_many_failed;               /* more than are allowed */
    size_t profiles[AN_TRAIN_FAMILIES]; /* that were merged, of each family */
    size_t llvm_functions, gcc_modules; /* in the result */
    uint64_t llvm_bytes;                /* of the result */
    uint64_t totals[AN_TRAIN_FAMILIES]; /* weighted sums of all counts, saturating */
    size_t warnings[AN_LLVM_WARNINGS];  /* how often each came up */
    struct an_llvm_left_out left_out;   /* what the format's version cannot hold */
    char *llvm_output, *gcc_output;     /* what was written; NULL: nothing of that family */
    char *work;                         /* the work folder, if it is still there, else NULL */
    struct an_train_names *names;       /* of profiles; private */
};

AN_API void an_train_result_free(struct an_train_result *result);

/* ------------------------------------------------------------------------------------------- */
/* Training                                                                                     */

struct an_train_options {
    size_t size;             /* of this structure: sizeof */
    char *const *command;    /* ended by NULL */
    const char *placeholder; /* stands for the workload in the command; NULL: "{}" */
    const struct an_train_workload *workloads;
    size_t workload_count; /* at least 1 */
    unsigned repeat;       /* 0: once */
    unsigned jobs;         /* at most this many runs at a time; 0: one per processor */
    double timeout;        /* seconds that a run may take; 0: any */
    double kill_after;     /* between SIGTERM and SIGKILL; 0: 5 seconds */
    bool keep_failed;      /* what failed runs counted is merged, too */
    uint64_t failures_allowed;
    double failures_share; /* and this share of all runs: 0.05 is one in twenty */
    bool fail_fast;        /* starts no more runs when more have failed than are allowed */

    /*
     * Where results go. LLVM's is a file, or default.profdata in a folder, as clang -fprofile-use looks for it;
     * GCC's are always in a folder, which is replaced, and then LLVM's is there, too. May be NULL with
     * `in_place`; then LLVM's is default.profdata.
     */
    const char *output;
    bool in_place; /* GCC's go to where the programs would have written them */
    bool flat;     /* GCC's are named as gcc -fprofile-use=FOLDER looks for them: #home#me#a.gcda */
    unsigned format_version; /* as in struct an_llvm_write_options */

    const char *work; /* the work folder is made in this one; NULL: in TMPDIR, or /tmp */
    bool keep_work;

    /*
     * Not 0: no more runs are started, those that run are ended, and what is complete is merged. 2 or more: everything
     * ends at once, and nothing is written. For signal handlers; may be NULL.
     */
    const volatile int *stop;
    /* Called several times a second; may be NULL. */
    void (*progress)(void *context, const struct an_train_counts *counts);
    /* Called once for each run that failed, when that is known; may be NULL. */
    void (*failed)(void *context, const struct an_train_run *run);
    void *context;

    unsigned release; /* of the LLVM that reads the profile, as in struct an_llvm_write_options */

    /*
     * The result is a partial one (docs/formats/partial.md), the file `output`, of LLVM's profiles or of GCC's, not of both; not
     * with what says how a profile is written. Each run counts, also when it left the bytes of another one.
     */
    bool partial;
    /* One of several processes that train together: makes every `shares`-th run, from `share` on, which is 1 to `shares`; 0: all. */
    size_t share, shares;
};

/*
 * Trains. Returns when no process of a run is left. Each output appears whole, or stays as it was; the
 * same runs give the same bytes for any `jobs`.
 *
 * *result is set whenever runs were made, also on failure (NULL otherwise), and is freed by
 * an_train_result_free(). AN_OK: a profile was written; whether runs failed is in the result. AN_EMPTY: no
 * run left a profile that could be merged, or none has a function. A share of no runs is AN_OK, and nothing is written. AN_USAGE: the request makes no sense. AN_SYSTEM: a file
 * could not be written, or the command cannot be run at all.
 */
AN_API enum an_code an_train(const struct an_train_options *options,
                             struct an_train_result **result, struct an_error *error);

#ifdef __cplusplus
}
#endif
#endif
