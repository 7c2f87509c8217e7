/*
 * Branch profiles: from the samples of a running program to what llvm-bolt reads.
 *
 * A recording (perf.data, the text of perf script, BOLT's pre-aggregated format) is aggregated for
 * one binary, and written as fdata or pre-aggregated. Nothing here keeps global state; distinct
 * objects may be used by distinct threads.
 */
#ifndef ANNEAL_BRANCH_H
#define ANNEAL_BRANCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct an_aggregate;

enum an_aggregate_input {
    AN_AGGREGATE_DETECT, /* by content */
    AN_AGGREGATE_PERF,   /* perf.data or the text of perf script */
    AN_AGGREGATE_COUNTS, /* pre-aggregated */
};

struct an_aggregate_options {
    size_t size; /* of this structure: sizeof */
    enum an_aggregate_input input;
    unsigned threads;     /* 0: one per processor; the result is the same */
    uint32_t pid;         /* only this process; 0: all that ran the binary */
    bool no_branches;     /* count where samples were taken, not their branches */
    bool ignore_build_id; /* accept a recording of another build of the binary */
    bool use_event_pc;    /* the place of a sample ends the run behind its newest branch */
    bool keep_interrupts; /* also branches into and out of the kernel */
    bool allow_truncated; /* leave out the end of a recording that was cut off */
    /* Called now and then, never by two threads at a time, with how much of the recording was read;
     * may be NULL. */
    void (*progress)(void *context, size_t done, size_t total);
    void *context;
    /* The profile will be written as fdata, which has names: a stripped binary is refused before the recording is read. */
    bool for_fdata;
    /* Places in no function keep their addresses, of pre-aggregated counts: as perf2bolt 19 does. Others have 0, as of 21 on. */
    bool keep_outside;
};

enum an_build_id_match {
    AN_BUILD_ID_ABSENT,    /* the binary has none */
    AN_BUILD_ID_UNCHECKED, /* the recording has none for a file of its name */
    AN_BUILD_ID_MATCHED,
    AN_BUILD_ID_RENAMED,  /* matched under another file name */
    AN_BUILD_ID_MISMATCH, /* ignored, as requested */
};

struct an_aggregate_counts {
    enum an_build_id_match build_id;
    bool counted; /* the input was pre-aggregated: entries, not samples */
    bool bolted;  /* the binary was made by llvm-bolt, and places are its input's */
    bool cut;     /* the end of the recording was left out, from byte cut_at on */
    bool skylake; /* two entries of each sample were left out: see docs/reference/aggregate.md */
    uint64_t cut_at;
    uint64_t processes;        /* that ran the binary, and are wanted */
    uint64_t available;        /* that ran the binary, wanted or not */
    uint64_t samples;          /* all, or entries of pre-aggregated input */
    uint64_t matching;         /* of those processes */
    uint64_t without_branches; /* of the matching ones */
    uint64_t branches;         /* entries of branch stacks */
    uint64_t runs;             /* pairs of neighbouring entries: execution straight on between */
    uint64_t mismatching;      /* runs that end in another function than they began in */
    uint64_t out_of_range;     /* runs with an end in no function */
    uint64_t untraceable;      /* other runs that the code of their function does not allow */
    uint64_t in_plt;           /* runs within an entry of the procedure linkage table */
    uint64_t cold;             /* branches from cold fragments of bolted functions */
    uint64_t unknown_samples;  /* without branches: in no function */
    uint64_t functions;        /* that were hit */
    uint64_t records, memory_records; /* that are written */
    uint64_t
        homeless; /* samples of threads of which the text of perf script does not tell the process */
};

/* Whether a file begins as a recording does, be it perf.data or the text of perf script: 4096 bytes are enough. */
AN_API bool an_recording_recognise(const void *bytes, size_t size);

/*
 * Aggregates a recording ("-": standard input) for a binary. The caller frees the result. On
 * failure *aggregate is NULL.
 *
 * AN_MISMATCH when the recording is of another build, or of no process that ran the binary.
 */
AN_API enum an_code an_aggregate_run(const struct an_aggregate_options *options,
                                     const char *recording, const char *binary,
                                     struct an_aggregate **aggregate, struct an_error *error);
AN_API void an_aggregate_free(struct an_aggregate *aggregate);

/* Valid as long as the aggregate. */
AN_API const struct an_aggregate_counts *an_aggregate_counts(const struct an_aggregate *aggregate);

enum an_aggregate_output {
    AN_AGGREGATE_FDATA,         /* places in functions, by name: for llvm-bolt */
    AN_AGGREGATE_PREAGGREGATED, /* addresses: for perf2bolt -pa, and to aggregate again */
};

/*
 * The bytes are allocated with malloc(); the caller frees them.
 *
 * AN_EMPTY, with the likely cause, when there is nothing to write: no sample, none with branches, none in the binary.
 * AN_UNSUPPORTED for fdata of a stripped binary: llvm-bolt finds functions by their names.
 */
AN_API enum an_code an_aggregate_write(const struct an_aggregate *aggregate,
                                       enum an_aggregate_output output, void **bytes, size_t *size,
                                       struct an_error *error);

/* ------------------------------------------------------------------------------------------- */
/* Mixtures of code layouts                                                                     */

struct an_translation;

/* A binary that llvm-bolt --enable-bat made of the original: its new code is a layout. */
struct an_translate_layout {
    const char *path;
    uint64_t address; /* where its first new segment was loaded; 0: as linked, or as recorded */
};

struct an_translate_options {
    size_t size; /* of this structure: sizeof */
    enum an_aggregate_input input;
    unsigned threads; /* 0: one per processor; the result is the same */
    uint32_t pid;     /* only this process; 0: all that ran the program */
    bool ignore_build_id;
    bool keep_interrupts;
    bool allow_truncated;
    const char *original;
    const struct an_translate_layout *layouts; /* oldest first; may be none */
    size_t layout_count;
    /* A file with the functions that were on a call stack when their code was replaced, one name a
     * line, or as Ocolos writes it: the only ones whose old code may have run on. NULL: not known. */
    const char *call_stack;
    /* A layout's path: translate into the coordinates of that binary instead of the original's. */
    const char *target;
    /* Called now and then, never by two threads at a time, with how much of the recording was read;
     * may be NULL. */
    void (*progress)(void *context, size_t done, size_t total);
    void *context;
    bool for_fdata; /* as in struct an_aggregate_options */
};

struct an_translate_counts {
    uint64_t samples, matching, processes; /* as in struct an_aggregate_counts */
    bool counted, cut;
    uint64_t cut_at;

    /* Branches. Their sum is that of all entries of the samples' branch stacks. */
    uint64_t branches;
    uint64_t translated;  /* both ends, or one of them with the other outside of the program */
    uint64_t returns;     /* left out: the calls show where they lead */
    uint64_t entry_jumps; /* from a function's old entry to its new one: left out */
    uint64_t elsewhere;   /* both ends outside of the program */
    uint64_t no_function; /* an end in the original's text, but in no function */
    uint64_t no_fragment; /* an end in new text without a translation */
    uint64_t no_origin;   /* an end in a function that the original does not have */

    /* Runs from one branch to the next. */
    uint64_t runs;
    uint64_t runs_translated;
    uint64_t runs_out_of_range; /* an end outside of the program, or without a translation */
    uint64_t runs_across;       /* from one layout into another, or from one function to another */
    uint64_t runs_untraceable;  /* that the code does not allow */

    /* Of the translated branches, by the layout of their source; [0] is the original. */
    const uint64_t *by_layout;
    size_t layout_count;
    uint64_t old_code;            /* from old code of functions that were moved */
    uint64_t old_code_unexpected; /* of these, of functions that were on no call stack */

    /* Runs with an end where the newest layout's own binary has no function: without translation,
     * they would be lost. */
    uint64_t illegal_before;
    uint64_t gone; /* counts of records of blocks that the target does not have: not written */
    uint64_t records;
    uint64_t homeless;               /* as in struct an_aggregate_counts */
    enum an_build_id_match build_id; /* of the original */
};

/*
 * The binary from which llvm-bolt made `layout`: the file that processes of a recording ran with its
 * build-id but for the last bit, which llvm-bolt inverts (LLVM 16 to 23); without build-ids, the one
 * after which it is named: app of app.bolt. *original is NULL when `layout` has no address
 * translation, and so is what was recorded itself. Else it was allocated with malloc(); the caller
 * frees it.
 *
 * AN_MISMATCH when no process ran such a file, or it is not there any more. AN_USAGE for standard
 * input: the recording has to be read again.
 */
AN_API enum an_code an_translate_find_original(const char *recording, const char *layout,
                                               bool allow_truncated, char **original,
                                               struct an_error *error);

/*
 * Reads a recording of processes that ran a mixture of layouts, and translates it. The caller frees
 * the result. On failure *translation is NULL.
 */
AN_API enum an_code an_translate_run(const struct an_translate_options *options,
                                     const char *recording, struct an_translation **translation,
                                     struct an_error *error);
AN_API void an_translation_free(struct an_translation *translation);
AN_API const struct an_translate_counts *
an_translation_counts(const struct an_translation *translation);

/*
 * fdata is for the original, and refused for another target: for that, the pre-aggregated form is
 * what its own perf2bolt reads. The bytes are allocated with malloc(); the caller frees them.
 *
 * Fails as an_aggregate_write() does when there is nothing to write, or the original is stripped.
 */
AN_API enum an_code an_translation_write(const struct an_translation *translation,
                                         enum an_aggregate_output output, void **bytes,
                                         size_t *size, struct an_error *error);

#ifdef __cplusplus
}
#endif
#endif
