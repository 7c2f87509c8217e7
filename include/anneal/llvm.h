/*
 * LLVM instrumentation profiles: read every version, merge them by LLVM's rules, write any indexed
 * version or the text format.
 *
 * Three ways in, from the simple to the particular:
 *   an_llvm_merge()         many files to one profile, with a ledger of what each one brought
 *   an_llvm_reader_*()      one file, function by function, in the file's own order
 *   an_llvm_profile_*()     a profile in memory, built record by record
 *
 * Counts, hashes and value pairs have LLVM's meaning (llvm/docs/InstrProfileFormat.rst, and
 * docs/formats/llvm.md of this project). Nothing here keeps global state; distinct objects may be
 * used by distinct threads.
 */
#ifndef ANNEAL_LLVM_H
#define ANNEAL_LLVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>
#include <anneal/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What kind of instrumentation a profile comes from; flags that can be combined. */
enum an_llvm_variant {
    AN_LLVM_FRONTEND = 1 << 0,          /* said to be clang's front end (text marker :fe) */
    AN_LLVM_IR = 1 << 1,                /* -fprofile-generate */
    AN_LLVM_ENTRY_FIRST = 1 << 2,       /* counter 0 is always the function's entry */
    AN_LLVM_CONTEXT_SENSITIVE = 1 << 3, /* -fcs-profile-generate */
    AN_LLVM_BYTE_COVERAGE = 1 << 4,     /* counters say covered (1) or not (0) */
    AN_LLVM_ENTRY_ONLY = 1 << 5,        /* one counter per function */
    AN_LLVM_MEMPROF = 1 << 6,           /* carries a memory profile (-fmemory-profile) */
    AN_LLVM_TEMPORAL = 1 << 7,          /* carries traces of first function entries */
    AN_LLVM_LOOP_ENTRIES = 1 << 8,      /* loops are counted at their entries; since LLVM 20 */
};

/* Kinds of profiled values (InstrProfData.inc, VALUE_PROF_KIND). */
enum an_llvm_value_kind {
    AN_LLVM_INDIRECT_CALL = 0, /* value: name hash of the callee, 0 when it is not instrumented */
    AN_LLVM_MEMOP_SIZE = 1,    /* value: size passed to memcpy, memset and the like */
    AN_LLVM_VTABLE = 2,        /* value: name hash of the virtual table */
    AN_LLVM_VALUE_KINDS = 3,
};

/* LLVM keeps at most this many values of one site. */
#define AN_LLVM_VALUES_PER_SITE 255

struct an_llvm_value {
    uint64_t value;
    uint64_t count;
};

struct an_llvm_site {
    struct an_llvm_value *values;
    uint32_t count;
    uint32_t capacity;
};

struct an_llvm_values {
    uint32_t site_count[AN_LLVM_VALUE_KINDS];
    struct an_llvm_site *sites[AN_LLVM_VALUE_KINDS];
};

/*
 * What a function without a profile has in place of its first count, when its maker knew that it is hot, or warm. The
 * record of a context-sensitive profile has a bit of its hash set.
 */
#define AN_LLVM_HOT UINT64_MAX
#define AN_LLVM_WARM (UINT64_MAX - 1)
#define AN_LLVM_IS_CONTEXT_SENSITIVE(hash) (((hash) >> 60) & 1)

/* One function of one structure (hash). A name can have several records, with distinct hashes. */
struct an_llvm_record {
    const char *name; /* not terminated */
    size_t name_length;
    uint64_t hash;
    uint64_t *counts;
    uint32_t count_number;
    uint32_t bitmap_bytes; /* MC/DC test vectors, one bit each */
    uint8_t *bitmap;
    struct an_llvm_values *values; /* NULL: no value sites */
    /* Of an AMD GPU: a bit for each counter, set where all lanes of a wave nearly always went the same way; NULL: not
     * known. an_llvm_uniform_bytes() says how many bytes. */
    uint8_t *uniform;
};

/* How long the bits of that many counters are. */
static inline uint32_t an_llvm_uniform_bytes(uint32_t count_number)
{
    return count_number / 8 + (count_number % 8 != 0);
}

/* The bit of one counter of a record that has such bits. */
static inline bool an_llvm_is_uniform(const struct an_llvm_record *record, uint32_t counter)
{
    return record->uniform[counter / 8] >> counter % 8 & 1;
}

/* One run's functions in the order of their first entry. */
struct an_llvm_trace {
    uint64_t weight;
    const uint64_t *functions; /* name hashes */
    size_t function_count;
};

struct an_llvm_binary_id {
    const uint8_t *bytes;
    size_t size;
};

enum an_llvm_format {
    AN_LLVM_RAW,
    AN_LLVM_INDEXED,
    AN_LLVM_TEXT,
    AN_LLVM_RAW_MEMORY, /* what was allocated where (-fmemory-profile), in addresses; for merges only */
};

/* "raw", "indexed", "text" or "raw memory". */
AN_API const char *an_llvm_format_name(enum an_llvm_format format);

/* ------------------------------------------------------------------------------------------- */
/* Reading one file                                                                             */

struct an_llvm_info {
    enum an_llvm_format format;
    unsigned version;  /* of the raw or indexed format; 0 for text */
    unsigned variants; /* enum an_llvm_variant */
    bool big_endian;
    bool wide;              /* 64-bit pointers (raw only) */
    size_t raw_profiles;    /* how many raw profiles are concatenated in the file */
    size_t functions;       /* records that an_llvm_reader_next() will deliver */
    uint64_t total_count;   /* sum of all counters, saturating */
    size_t unnamed;         /* raw records whose name is not in the name section */
    size_t hash_buckets;    /* of an indexed file */
    uint64_t memprof_bytes; /* size of the memory profile; 0: there is none */
    const struct an_llvm_binary_id *binary_ids;
    size_t binary_id_count;
    const struct an_llvm_trace *traces;
    size_t trace_count;
    uint64_t trace_stream_size;                    /* how many traces those were sampled from */
    unsigned memprof_version;                      /* of the memory profile */
    size_t memprof_functions, memprof_allocations; /* that it has */
};

/* The version as raw and indexed files have it: a word, with the variants in its high bits. */
AN_API uint64_t an_llvm_version_word(unsigned version, unsigned variants);

struct an_llvm_reader;

/* Whether a file begins as a raw or an indexed profile does, or as a partial result of these. Text cannot be told from other
 * text. */
AN_API bool an_llvm_recognise(const void *bytes, size_t size);

/*
 * Recognizes the bytes, checks all of them, and makes a reader: once it is open, reading cannot
 * fail any more. The bytes must stay valid and unchanged as long as the reader lives. *reader is
 * set only on AN_OK.
 */
AN_API enum an_code an_llvm_reader_open(struct an_llvm_reader **reader, const void *bytes,
                                        size_t size, struct an_error *error);
AN_API const struct an_llvm_info *an_llvm_reader_info(const struct an_llvm_reader *reader);

/*
 * Delivers the next record, in the file's order; false at the end, or when memory runs out (then
 * an_llvm_reader_failed() is true). The record belongs to the reader and lives until the next
 * call. Value data is as the file has it: neither sorted nor cut.
 */
AN_API bool an_llvm_reader_next(struct an_llvm_reader *reader, struct an_llvm_record *record);
AN_API bool an_llvm_reader_failed(const struct an_llvm_reader *reader);

/* The name behind a name hash in this file, or NULL, also when it is empty; *length receives its length. */
AN_API const char *an_llvm_reader_symbol(struct an_llvm_reader *reader, uint64_t hash,
                                         size_t *length);
/*
 * A number for that name, the same each time and below the number of names in the file, so that what is known of names
 * can be kept in an array. SIZE_MAX: there is no name.
 */
AN_API size_t an_llvm_reader_symbol_place(struct an_llvm_reader *reader, uint64_t hash);

/* A record as the text format has it, for the caller to free; not ended by a 0. NULL: no memory. */
AN_API char *an_llvm_reader_text(struct an_llvm_reader *reader, const struct an_llvm_record *record,
                                 size_t *size);
AN_API void an_llvm_reader_close(struct an_llvm_reader *reader);

/* The hash by which LLVM refers to a name: the first 8 bytes of its MD5, little-endian. */
AN_API uint64_t an_llvm_name_hash(const char *name, size_t length);

/* Which build of a program, and of its libraries, a profile is of. */
struct an_llvm_build {
    struct an_llvm_binary_id id; /* the first one, which is the program's; no bytes: none */
    uint64_t others;             /* a hash of the other ids, in their order; 0: none */
    uint64_t functions;          /* without ids: a sum over functions, in any order */
};

/*
 * Finds that, of a whole file. It costs less than reading the profile: of raw ones no names are decoded. The id lies in the bytes.
 * Fails when these are no profile, or a damaged one.
 */
AN_API enum an_code an_llvm_build_find(const void *bytes, size_t size, struct an_llvm_build *build,
                                       struct an_error *error);

/* ------------------------------------------------------------------------------------------- */
/* A profile in memory                                                                          */

struct an_llvm_profile;

/* Something that merging could not do; LLVM's rules then keep what was there first. */
enum an_llvm_warning {
    AN_LLVM_COUNT_MISMATCH,      /* same name and hash, other number of counters: not merged */
    AN_LLVM_BITMAP_MISMATCH,     /* other bitmap size: bitmap and values not merged */
    AN_LLVM_VALUE_SITE_MISMATCH, /* other number of value sites: values of that kind not merged */
    AN_LLVM_COUNTER_OVERFLOW,    /* a count stays at LLVM's maximum, 2^64 - 3 */
    AN_LLVM_WARNINGS,
};

/* LLVM's wording for a warning. */
AN_API const char *an_llvm_warning_text(enum an_llvm_warning warning);

AN_API struct an_llvm_profile *an_llvm_profile_new(void); /* NULL: no memory */
AN_API void an_llvm_profile_free(struct an_llvm_profile *profile);

/*
 * Adds a record, its counts multiplied by weight (at least 1). Warnings that arise are or-ed into
 * *warnings as 1 << enum an_llvm_warning. The record is copied. Fails only for lack of memory.
 */
AN_API enum an_code an_llvm_profile_add(struct an_llvm_profile *profile,
                                        const struct an_llvm_record *record, uint64_t weight,
                                        unsigned *warnings, struct an_error *error);

AN_API unsigned an_llvm_profile_variants(const struct an_llvm_profile *profile);
AN_API size_t an_llvm_profile_functions(const struct an_llvm_profile *profile); /* names */
AN_API size_t an_llvm_profile_records(const struct an_llvm_profile *profile);

/* How many functions its memory profile has, which merges keep of indexed inputs, and make of raw ones. */
AN_API size_t an_llvm_profile_memprof_functions(const struct an_llvm_profile *profile);

/*
 * Where a walk through a profile is; of no bytes but 0, it is at the beginning. While it goes on, the profile must not be
 * added to, filtered, written or freed.
 */
struct an_llvm_cursor {
    size_t function;
    const void *next;
};

/*
 * Delivers the next record of a profile; false at the end. Functions come in the order in which inputs have brought them,
 * the records of one name in that order, too, and the values of a site by their counts, the greatest first, as a written
 * profile has them. What *record points to belongs to the profile, and must not be changed.
 */
AN_API bool an_llvm_profile_next(struct an_llvm_profile *profile, struct an_llvm_cursor *cursor,
                                 struct an_llvm_record *record);

/* What a written profile looks like. */
struct an_llvm_write_options {
    size_t size; /* of this structure: sizeof */
    bool text;
    unsigned format_version; /* 5..14; 0: see an_llvm_profile_version() */
    bool sparse;             /* leave out functions that never ran */
    const struct an_ledger
        *partial; /* write a partial result, with the ledger of its merge; else NULL */
    unsigned
        release; /* of the LLVM whose compiler shall read it, 9 or later; 0: that is not known */
    /* Leave hashes of the front end as they are. Else those of LLVM 21 become those of LLVM 22 from version 13 on, and before
     * it the latter become the former where a function has both: releases give one function two hashes. */
    bool keep_hashes;
    /* Of a memory profile: write this version, 0 to 4, instead of the newest one of the indexed inputs, or of 3; and all that
     * was measured, also where that is more than LLVM's compiler uses. */
    bool has_memory_version;
    bool
        memory_version_of_raw; /* only where no input is an indexed profile with a memory profile */
    unsigned memory_version;
    bool memory_in_full;
};

#define AN_LLVM_NEWEST_MEMORY_VERSION 4
#define AN_LLVM_DEFAULT_VERSION 12 /* what LLVM 19 to 21 write, and later ones read */
#define AN_LLVM_OLDEST_WRITTEN 5
#define AN_LLVM_NEWEST_WRITTEN 14
#define AN_LLVM_OLDEST_RELEASE 9

/*
 * The newest indexed version that clang and llvm-profdata of a release of LLVM read, as 12 of LLVM 19. Releases later than
 * 23 are taken for 23.
 */
AN_API unsigned an_llvm_version_of_release(unsigned release);

/*
 * The version that an_llvm_profile_write() writes with these options. Unless they say which: the newest one that the
 * compilers read which the profile comes from, as far as that is known, but at least AN_LLVM_DEFAULT_VERSION. With a
 * release, the newest one that it reads. Hashes of functions decide between versions up to 12 and later ones, where they
 * can: the front end of LLVM 22 makes others than LLVM 21, and for a profile up to version 12 those of LLVM 21.
 */
AN_API unsigned an_llvm_profile_version(const struct an_llvm_profile *profile,
                                        const struct an_llvm_write_options *options);

/* Which version was written, and what it cannot hold, so that it was left out. */
struct an_llvm_left_out {
    size_t bitmap_functions;  /* functions whose MC/DC bitmap was dropped (before version 11) */
    size_t vtable_sites;      /* virtual-table value sites (before version 12) */
    size_t traces;            /* temporal traces (before version 10) */
    size_t binary_ids;        /* (before version 9) */
    size_t memprof_functions; /* of a memory profile (before version 12, and text) */
    size_t memprof_callees;   /* call sites of a memory profile without their callees (LLVM 19) */
    bool memprof_accesses;    /* the data accesses of a memory profile (LLVM 19) */
    size_t
        uniform_functions; /* functions whose uniformity was dropped (before version 14, and text) */
    /* Not left out, but not found by clang, so that it uses none of their counts (front end only): */
    size_t new_hashes; /* functions with hashes as of LLVM 22 (before version 13) */
    size_t old_hashes; /* functions with hashes as of LLVM 21 (from version 13 on) */
    unsigned version;  /* the one that was written; 0: text, or a partial result */
};

/*
 * Serialises the profile. The bytes are malloc()ed and belong to the caller. left_out may be NULL.
 * The profile's value data is put into its final order; it can be written again and added to. Local functions of an IR profile
 * that is to be read by LLVM 17 or older get the names there (FILE:FUNCTION), and keep them; so do hashes (keep_hashes).
 */
AN_API enum an_code an_llvm_profile_write(struct an_llvm_profile *profile,
                                          const struct an_llvm_write_options *options, void **bytes,
                                          size_t *size, struct an_llvm_left_out *left_out,
                                          struct an_error *error);

/* ------------------------------------------------------------------------------------------- */
/* Merging files                                                                                */

/*
 * What completes raw profiles that have counters only (-mllvm -profile-correlate): the binaries that left them, or files with
 * the debug information of these; and the programs that left raw memory profiles, which have debug information. Of several, a
 * profile's is found by its build-id.
 */
struct an_llvm_correlation;
enum an_llvm_correlation_kind {
    AN_LLVM_BY_BINARY,
    AN_LLVM_BY_DEBUG_INFO,
    AN_LLVM_MEMORY_OF, /* the program of a raw memory profile */
};

AN_API struct an_llvm_correlation *an_llvm_correlation_new(void); /* NULL: no memory */
AN_API void an_llvm_correlation_free(struct an_llvm_correlation *correlation);

/* Reads a file, and keeps it loaded. */
AN_API enum an_code an_llvm_correlation_add(struct an_llvm_correlation *correlation,
                                            const char *path, enum an_llvm_correlation_kind kind,
                                            struct an_error *error);

/*
 * What llvm-profdata of a release (0: the newest) shows of a memory profile, as YAML: what functions allocate; of a raw one, also the
 * segments of its program. That is among those of the correlation, which an indexed profile does not need (NULL). LLVM up to 19
 * does not take indexed ones. AN_UNKNOWN: the file is no memory profile; AN_MISMATCH: an indexed profile that has none. For the caller
 * to free.
 */
AN_API enum an_code an_llvm_memory_yaml(const struct an_llvm_correlation *correlation,
                                        const void *bytes, size_t size, unsigned release,
                                        char **text, size_t *text_size, struct an_error *error);

/* How many bytes of counters the files have. */
AN_API uint64_t an_llvm_correlation_counters(const struct an_llvm_correlation *correlation);

/* Calls each() for all functions that the files describe, in the order of their counters. */
AN_API enum an_code an_llvm_correlation_names(const struct an_llvm_correlation *correlation,
                                              void (*each)(void *context, const char *name,
                                                           size_t length),
                                              void *context, struct an_error *error);

struct an_llvm_input {
    const char *path; /* "-" for standard input */
    uint64_t weight;  /* at least 1 */
};

#define AN_LLVM_NONE UINT64_MAX /* instead of a number, where 0 is the usual one */

/* Which traces stay when there are more than there is room for. */
enum an_llvm_trace_rule {
    AN_LLVM_TRACES_SAMPLED, /* a uniform sample of all runs, the one that llvm-profdata 16 to 21 draw */
    /* The same, but of the first input that was sampled itself all traces stay, also when they are too many. */
    AN_LLVM_TRACES_AS_19,
    /* The first ones, as in llvm-profdata 22: of later inputs only those that have more than one trace come in. */
    AN_LLVM_TRACES_AS_22,
};

struct an_llvm_merge_options {
    size_t size;      /* of this structure: sizeof */
    unsigned threads; /* 0: as many as are useful */
    enum an_failure_mode failure_mode;
    uint64_t trace_reservoir; /* most traces kept, or AN_LLVM_NONE; 0: 100 */
    uint64_t trace_length;    /* most functions of a trace, or AN_LLVM_NONE; 0: 10,000 */
    uint32_t trace_seed;      /* of the sample of traces; 0: LLVM's, which gives LLVM's sample */
    bool keep_vtable_names;

    /* Called for every warning that merging a function raised; may be NULL. */
    void (*warn)(void *context, const char *path, const char *name, size_t name_length,
                 enum an_llvm_warning warning);
    /* Called now and then, never by two threads at a time; may be NULL. */
    void (*progress)(void *context, size_t done, size_t total);
    /* Renames functions: returns the new name, or NULL to keep it; may be NULL. */
    const char *(*rename)(void *context, const char *name, size_t name_length);
    void *context;
    /* Keep what a profile would cut, for a partial result: a profile that can only be written as one. */
    bool partial;
    /* Of partial results: inputs of the same bytes and different paths each count. */
    bool count_copies;
    /* Keep FILE:FUNCTION and FILE;FUNCTION apart, the names that LLVM up to 17 and later ones give to one local function; they
     * are of one function otherwise, which has the later name then. */
    bool keep_local_names;
    enum an_llvm_trace_rule trace_rule; /* not of partial results: theirs is the first one */
    const struct an_llvm_correlation
        *correlation; /* completes raw profiles of counters, and of memory; may be NULL */
    /* Of raw memory profiles: number frames, and bring all into the order, as llvm-profdata of this release of LLVM; 0: the
     * newest. Up to version 3 of memory profiles that can be seen. */
    unsigned memory_release;
};

/*
 * Merges the inputs, in order, into a new profile. The result is the same for any number of
 * threads. Each input counts whole or not at all; *ledger (free it with an_ledger_free) says what
 * became of each, also on failure. Failures of single inputs are in the ledger; *error says why
 * the merge as a whole failed, if it did.
 *
 * Inputs may be partial results, among others. Then, and when one is made, an input whose digest is that of another one is
 * counted once, whether it stands by itself or in a partial result; the ledger lists the inputs of partial results in place
 * of these; and the outcome does not depend on the order or the grouping of inputs: it is that of their digests
 * (docs/formats/partial.md).
 */
AN_API enum an_code an_llvm_merge(const struct an_llvm_merge_options *options,
                                  const struct an_llvm_input *inputs, size_t count,
                                  struct an_llvm_profile **profile, struct an_ledger **ledger,
                                  struct an_error *error);

/* Keeps only functions for which keep() is true; returns how many were removed. */
AN_API size_t an_llvm_profile_filter(struct an_llvm_profile *profile,
                                     bool (*keep)(void *context, const char *name,
                                                  size_t name_length),
                                     void *context);

/* ------------------------------------------------------------------------------------------- */
/* Summaries and comparison                                                                     */

/* The least count such that counts of at least this much make up `cutoff` millionths of all. */
struct an_llvm_summary_entry {
    uint32_t cutoff;
    uint64_t min_count;
    uint64_t blocks;
};

struct an_llvm_summary {
    uint64_t functions;
    uint64_t blocks;
    uint64_t total_count;
    uint64_t max_function_count; /* largest first counter */
    uint64_t max_internal_count; /* largest other counter */
    uint64_t max_count;
    struct an_llvm_summary_entry *entries; /* one per cutoff, ascending; belongs to the summary */
    size_t entry_count;
};

struct an_llvm_summary_builder;

AN_API struct an_llvm_summary_builder *an_llvm_summary_builder_new(void);
/* Adds a record's counts; false when memory runs out. */
AN_API bool an_llvm_summary_builder_add(struct an_llvm_summary_builder *builder,
                                        const struct an_llvm_record *record);
/* cutoffs in millionths, sorted here; NULL with count 0: LLVM's sixteen. The summary must be freed
 * with an_llvm_summary_clear(); the builder can be added to and asked again. */
AN_API enum an_code an_llvm_summary_builder_finish(struct an_llvm_summary_builder *builder,
                                                   const uint32_t *cutoffs, size_t cutoff_count,
                                                   struct an_llvm_summary *summary,
                                                   struct an_error *error);
AN_API void an_llvm_summary_builder_free(struct an_llvm_summary_builder *builder);
AN_API void an_llvm_summary_clear(struct an_llvm_summary *summary);

/* Sums over a profile, or shares of them. */
struct an_llvm_sums {
    uint64_t entries;
    double counts;
    double values[AN_LLVM_VALUE_KINDS];
};

struct an_llvm_overlap {
    struct an_llvm_sums base;
    struct an_llvm_sums test;
    struct an_llvm_sums overlap;
    struct an_llvm_sums mismatch;
    struct an_llvm_sums unique; /* only in test */
};

/* The share of a function in both profiles. base is NULL when only test has it and vice versa. */
struct an_llvm_overlap_function {
    const char *name;
    size_t name_length;
    uint64_t hash;
    bool in_base, in_test, mismatch;
    double base_share, test_share; /* of all counts in the respective profile */
    struct an_llvm_overlap level;  /* the function by itself */
    bool level_valid;
};

struct an_llvm_overlap_options {
    size_t size;            /* of this structure: sizeof */
    bool context_sensitive; /* compare the context-sensitive records of IR profiles */
    uint64_t value_cutoff;  /* function detail for functions with a count of at least this */
    const char *function;   /* and for functions whose name contains this; NULL: none */
    void (*report)(void *context, const struct an_llvm_overlap_function *function);
    void *context;
    bool one_kind; /* see below */
};

/*
 * Compares two profiles as llvm-profdata's overlap does: the sum over all counters of the smaller
 * of the two shares. Coverage is not compared with counts, nor are profiles with and without counts of loop entries.
 *
 * llvm-profdata takes the total of one kind of records of IR profiles, and the sum over both kinds; sums of counts
 * wrap at 2^64; and a record that a profile has twice is compared twice. So shares may be above 1. With one_kind, only
 * records of the kind asked for are compared and reported, each once, and no sum wraps: all shares are of one whole. And
 * FILE:FUNCTION and FILE;FUNCTION are of one function then, as in a merge (struct an_llvm_merge_options).
 */
AN_API enum an_code an_llvm_overlap(const char *base_path, const char *test_path,
                                    const struct an_llvm_overlap_options *options,
                                    struct an_llvm_overlap *overlap, struct an_error *error);

#ifdef __cplusplus
}
#endif
#endif
