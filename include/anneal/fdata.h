/*
 * BOLT's branch profiles in text form (fdata): read them, merge many into one, write them.
 *
 * Three ways in, from the simple to the particular:
 *   an_fdata_merge()      many files to one profile, with a ledger of what each one brought
 *   an_fdata_reader_*()   one file, record by record, in the file's own order
 *   an_fdata_profile_*()  what a merge made: its records in order, filtering, writing
 *
 * The format is drawn in docs/formats/fdata.md. Nothing here keeps global state; distinct objects may be
 * used by distinct threads.
 */
#ifndef ANNEAL_FDATA_H
#define ANNEAL_FDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>
#include <anneal/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place in the program, or outside of it. */
struct an_fdata_location {
    uint8_t kind; /* the digit in the file: 0 no symbol, 1 a symbol, 2 a local one; of memory
                         records 3, 4, 5 for the same */
    const char
        *name; /* of a function or, without a symbol, "[unknown]" or a file; not terminated */
    size_t name_length;
    uint64_t offset; /* in bytes from the start of what is named */
};

enum an_fdata_record_kind {
    AN_FDATA_BRANCH, /* taken from `from` to `to`, count times, mispreds of them mispredicted */
    AN_FDATA_SAMPLE, /* count samples at `from`; `to` is empty (profiles without branch records) */
    AN_FDATA_MEMORY, /* count accesses by the instruction at `from` to the data at `to` */
};

/* One line of a profile. Names are as the file has them: see an_fdata_unescape(). */
struct an_fdata_record {
    enum an_fdata_record_kind kind;
    struct an_fdata_location from, to;
    uint64_t mispreds; /* of branches, else 0 */
    uint64_t count;
};

struct an_fdata_event {
    const char *name; /* "cycles:u:"; not terminated */
    size_t length;
};

struct an_fdata_info {
    bool no_lbr; /* samples in place of branches (header no_lbr) */
    bool bolted; /* recorded on a program that BOLT had optimised (header boltedcollection) */
    const struct an_fdata_event *events; /* named in the header no_lbr */
    size_t event_count;
    size_t branches, samples, memory; /* records of each kind */
    uint64_t total_count;             /* sum of the counts of branches and samples, saturating */
    uint64_t total_mispreds;          /* saturating */
    uint64_t memory_count;            /* sum of the counts of memory records, saturating */
    size_t functions; /* named by records, where a record belongs to the function of its `from`, or
                         if that is no symbol, to that of its `to` */
};

/* The greatest count that llvm-bolt reads: it takes them as signed numbers of 64 bits. */
#define AN_FDATA_MOST ((uint64_t)INT64_MAX)

/*
 * Whether the start of a file (some hundred bytes are enough) looks like fdata: a header line, or
 * a line of it among the first ones; or a partial result of fdata.
 */
AN_API bool an_fdata_recognise(const void *bytes, size_t size);

/*
 * In the file, spaces and backslashes in names are escaped by a backslash. This removes them:
 * writes at most `length` bytes to plain and returns how many.
 */
AN_API size_t an_fdata_unescape(const char *name, size_t length, char *plain);

/* ------------------------------------------------------------------------------------------- */
/* Reading one file                                                                             */

struct an_fdata_reader;

/*
 * Checks all of the bytes and makes a reader: once it is open, reading cannot fail any more. A line
 * that is torn or malformed is rejected with its number, its byte offset and what was expected
 * there. The bytes must stay valid and unchanged as long as the reader lives. *reader is set only
 * on AN_OK. AN_UNKNOWN when the bytes are no fdata at all.
 */
AN_API enum an_code an_fdata_reader_open(struct an_fdata_reader **reader, const void *bytes,
                                         size_t size, struct an_error *error);
AN_API const struct an_fdata_info *an_fdata_reader_info(const struct an_fdata_reader *reader);

/* The next record in the file's order; false at the end. Names point into the file's bytes. */
AN_API bool an_fdata_reader_next(struct an_fdata_reader *reader, struct an_fdata_record *record);
AN_API void an_fdata_reader_close(struct an_fdata_reader *reader);

/* ------------------------------------------------------------------------------------------- */
/* A profile in memory                                                                          */

struct an_fdata_profile;

/*
 * Makes a settled profile of one file, which is checked to its last byte. The bytes are not needed
 * afterwards. *profile is set only on AN_OK.
 */
AN_API enum an_code an_fdata_profile_read(struct an_fdata_profile **profile, const void *bytes,
                                          size_t size, struct an_error *error);
AN_API void an_fdata_profile_free(struct an_fdata_profile *profile);

/*
 * Puts the records into their final order: branches and samples before memory records, and each by
 * the name (as bytes) and the offset of `from`, then of `to`. To be called before the three
 * functions below, and again after an_fdata_profile_filter(). Fails only for lack of memory.
 */
AN_API enum an_code an_fdata_profile_settle(struct an_fdata_profile *profile,
                                            struct an_error *error);

/* The sums over a settled profile; valid until it is changed or freed. */
AN_API const struct an_fdata_info *an_fdata_profile_info(const struct an_fdata_profile *profile);

/*
 * Record `index` of a settled profile, in order. Counts that do not fit stay at AN_FDATA_MOST.
 * Names live as long as the profile. False when there are no more.
 */
AN_API bool an_fdata_profile_record(const struct an_fdata_profile *profile, size_t index,
                                    struct an_fdata_record *record);

/* The settled profile as a file. The bytes are malloc()ed and belong to the caller. */
AN_API enum an_code an_fdata_profile_write(const struct an_fdata_profile *profile, void **bytes,
                                           size_t *size, struct an_error *error);

/*
 * The same piece by piece, so that not all of it is in memory: each piece is given to write(), until that fails or there are
 * no more.
 */
AN_API enum an_code an_fdata_profile_write_to(const struct an_fdata_profile *profile,
                                              enum an_code (*write)(void *context,
                                                                    const void *bytes, size_t size,
                                                                    struct an_error *error),
                                              void *context, struct an_error *error);

/* The same as a partial result, with the ledger of its merge, which was to be partial. */
AN_API enum an_code an_fdata_profile_write_partial(const struct an_fdata_profile *profile,
                                                   const struct an_ledger *ledger, void **bytes,
                                                   size_t *size, struct an_error *error);

/*
 * Keeps the records with at least one end in a function for which keep() is true, and sets *removed to the number
 * of the others. keep() is called once per function, with its plain name, terminated. Fails only for lack of memory;
 * the profile is then unchanged.
 */
AN_API enum an_code an_fdata_profile_filter(struct an_fdata_profile *profile,
                                            bool (*keep)(void *context, const char *name,
                                                         size_t length),
                                            void *context, size_t *removed, struct an_error *error);

/* ------------------------------------------------------------------------------------------- */
/* Merging files                                                                                */

struct an_fdata_input {
    const char *path; /* "-" for standard input */
    uint64_t weight;  /* at least 1: the factor for the counts */
};

struct an_fdata_merge_options {
    size_t size;      /* of this structure: sizeof */
    unsigned threads; /* 0: as many as are useful */
    enum an_failure_mode failure_mode;

    /*
     * Merge as merge-fdata does: what stands before the last number of a line is one key, as it
     * stands there. So branches with different numbers of mispredictions are different records, and
     * counts may go to 2^64 - 1.
     */
    bool whole_lines;

    /* Called now and then, never by two threads at a time; may be NULL. */
    void (*progress)(void *context, size_t done, size_t total);
    void *context;
    bool partial;      /* as an_llvm_merge_options has it; not with whole_lines */
    bool count_copies; /* likewise */
};

/*
 * Merges the inputs into a new profile: records with the same locations become one, whose counts
 * and mispredictions are the sums. The number of threads makes no difference; the order of the inputs
 * affects only the order of event names and what is rejected: an input whose kind (with
 * or without branch records, of a program optimised by BOLT or not) is not that of the inputs
 * before it. Each input counts whole or not at all; *ledger (free it with an_ledger_free) says
 * what became of each, also on failure. Failures of single inputs are in the ledger; *error says
 * why the merge as a whole failed, if it did. *profile is settled, and set only on AN_OK.
 *
 * Inputs may be partial results; what holds then, an_llvm_merge() says. The names of events ascend.
 */
AN_API enum an_code an_fdata_merge(const struct an_fdata_merge_options *options,
                                   const struct an_fdata_input *inputs, size_t count,
                                   struct an_fdata_profile **profile, struct an_ledger **ledger,
                                   struct an_error *error);

#ifdef __cplusplus
}
#endif
#endif
