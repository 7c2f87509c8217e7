/*
 * BOLT's branch profiles in YAML: read them, merge many into one, write them.
 *
 *   an_yaml_merge()      many files to one profile, with a ledger of what each one brought
 *   an_yaml_profile_*()  one file, or what a merge made: its functions, filtering, writing
 *
 * Unlike fdata, which has places by their distance from the start of a function, these profiles have blocks by number,
 * and hashes of blocks and functions, by which llvm-bolt finds them again in another build of the program.
 *
 * The format is described in docs/formats/yaml.md. Nothing here keeps global state; distinct objects may be used by
 * distinct threads.
 */
#ifndef ANNEAL_YAML_H
#define ANNEAL_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>
#include <anneal/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

struct an_yaml_text {
    const char *text; /* terminated, without zeros before */
    size_t length;
};

enum an_yaml_flag {
    AN_YAML_LBR = 1,    /* made of branch records */
    AN_YAML_SAMPLE = 2, /* made of samples without them */
    AN_YAML_MEMORY = 4,
};

/* How blocks and functions were hashed. */
enum an_yaml_hash {
    AN_YAML_STD_HASH, /* by the standard library of C++; what files without hash-func have */
    AN_YAML_XXH3,
};

/* As files have them: "lbr", "sample", "memevent"; "std-hash", "xxh3". Never NULL. */
AN_API const char *an_yaml_flag_name(enum an_yaml_flag flag);
AN_API const char *an_yaml_hash_name(enum an_yaml_hash hash);

struct an_yaml_header {
    uint32_t version; /* 1 */
    struct an_yaml_text binary_name, build_id;
    struct an_yaml_text origin; /* how the profile was made */
    struct an_yaml_text events; /* the names of what was sampled */
    unsigned flags;             /* of enum an_yaml_flag */
    bool dfs_order;             /* blocks are numbered in depth-first order, not by address */
    enum an_yaml_hash hash;
};

/* Calls by the instruction at an offset; one with several targets has a call for each. */
struct an_yaml_call {
    uint32_t offset;   /* in bytes from the start of the block */
    uint32_t function; /* the `id` of the one that is called */
    uint32_t entry;    /* which one of its entries */
    uint64_t count, mispreds;
};

struct an_yaml_successor {
    uint32_t block; /* its number */
    uint64_t count, mispreds;
};

struct an_yaml_block {
    uint32_t number, instructions;
    uint64_t hash;
    uint64_t executed; /* known of entries only */
    uint64_t events;   /* samples */
    const struct an_yaml_call *calls;
    const struct an_yaml_successor *successors;
    size_t call_count, successor_count;
};

struct an_yaml_function {
    struct an_yaml_text name;
    uint32_t id, block_number; /* of all its blocks, those without counts included */
    uint64_t hash, executed;
    uint64_t external; /* how often it was entered from outside of the binary */
    const struct an_yaml_block *blocks;
    size_t block_count;
};

struct an_yaml_info {
    struct an_yaml_header header;
    size_t functions, blocks;
    size_t counted;        /* functions that have blocks */
    uint64_t branches;     /* sum of the counts of successors, saturating */
    uint64_t mispreds;     /* of successors and calls, saturating */
    uint64_t calls;        /* sum of their counts, saturating */
    uint64_t events;       /* sum over the blocks, saturating */
    uint64_t total_count;  /* the sum of branches, calls and events, saturating */
    bool has_probes;       /* there were pseudo probes, which are not kept */
    bool has_other_names;  /* inputs of a merge named other binaries, */
    bool has_other_builds; /* other build ids, */
    bool has_other_events; /* other events */
};

/* Whether the start of a file is that of a YAML profile of BOLT. */
AN_API bool an_yaml_recognise(const void *bytes, size_t size);

/* ------------------------------------------------------------------------------------------- */
/* A profile in memory                                                                          */

struct an_yaml_profile;

/*
 * Reads a file and checks it to its last byte: AN_TRUNCATED when it does not end with the line "...", as those do that LLVM
 * writes. Keys that are not known are passed over. The bytes are not needed afterwards. *profile is set only on AN_OK.
 */
AN_API enum an_code an_yaml_profile_read(struct an_yaml_profile **profile, const void *bytes,
                                         size_t size, struct an_error *error);
AN_API void an_yaml_profile_free(struct an_yaml_profile *profile);

/* Valid until the profile is changed or freed. */
AN_API const struct an_yaml_info *an_yaml_profile_info(const struct an_yaml_profile *profile);

/* Function `index`, in the order of the file, or after a merge of their ids; NULL when there are no more. */
AN_API const struct an_yaml_function *
an_yaml_profile_function(const struct an_yaml_profile *profile, size_t index);

/* Sets the sums of the info, from `functions` to `total_count`, to those of one function; the rest is 0. */
AN_API void an_yaml_function_sum(const struct an_yaml_function *function,
                                 struct an_yaml_info *sums);

/* The profile as a file, byte for byte as merge-fdata writes it. The bytes are malloc()ed and belong to the caller. */
AN_API enum an_code an_yaml_profile_write(const struct an_yaml_profile *profile, void **bytes,
                                          size_t *size, struct an_error *error);

/*
 * Keeps the functions for which keep() is true, and sets *removed to the number of the others. Calls of functions that are
 * not kept stay.
 */
AN_API void an_yaml_profile_filter(struct an_yaml_profile *profile,
                                   bool (*keep)(void *context, const char *name, size_t length),
                                   void *context, size_t *removed);

/* ------------------------------------------------------------------------------------------- */
/* Merging files                                                                                */

struct an_yaml_input {
    const char *path; /* "-" for standard input */
    uint64_t weight;  /* at least 1: the factor for the counts */
};

struct an_yaml_merge_options {
    size_t size; /* of this structure: sizeof */
    enum an_failure_mode failure_mode;

    /* Called now and then; may be NULL. */
    void (*progress)(void *context, size_t done, size_t total);
    void *context;
};

/*
 * Merges the inputs, in their order, into a new profile: functions of the same name become one, and so do their blocks,
 * calls and successors; counts are added up and stay at UINT64_MAX. Its functions are in the order of their ids. Each input
 * counts whole or not at all: one is rejected whose hash function, order of blocks or kind (branches or samples) is not that
 * of the inputs before it, or that has a function or block of another shape. Names of binaries, build ids and events may
 * differ: the first ones stay, and the info of the profile says so. *ledger (free it with an_ledger_free) says what became
 * of each, also on failure. *profile is set only on AN_OK.
 */
AN_API enum an_code an_yaml_merge(const struct an_yaml_merge_options *options,
                                  const struct an_yaml_input *inputs, size_t count,
                                  struct an_yaml_profile **profile, struct an_ledger **ledger,
                                  struct an_error *error);

/* ------------------------------------------------------------------------------------------- */
/* Making one                                                                                   */

struct an_yaml_make_options {
    size_t size;         /* of this structure: sizeof */
    const char *program; /* the path of llvm-bolt; NULL: where it is usually installed */
    bool no_branches;    /* the counts are fdata of samples without branches (no_lbr) */

    const char *const *arguments; /* more of them for it, ended by NULL; or NULL */

    /* Called with what llvm-bolt printed, when it has made the profile; may be NULL. */
    void (*said)(void *context, const char *text, size_t size);
    void *context;
};

/*
 * Has llvm-bolt make a YAML profile of counts of a binary, which are in the pre-aggregated form or, without branches, fdata
 * (anneal/branch.h has both). Hashes in it are those of that release. What comes out was checked; the bytes are malloc()ed
 * and belong to the caller. AN_USAGE: there is no llvm-bolt; AN_SYSTEM: it failed, with its own words.
 */
AN_API enum an_code an_yaml_make(const struct an_yaml_make_options *options, const char *binary,
                                 const void *counts, size_t counts_size, void **bytes, size_t *size,
                                 struct an_error *error);

#ifdef __cplusplus
}
#endif
#endif
