/*
 * GCC's counter files (gcda): many runs become one, module by module, as libgcov would have done it.
 *
 * docs/gcc-formats.md tells about the format, and what merging means. Nothing here keeps global state.
 */
#ifndef ANNEAL_GCC_H
#define ANNEAL_GCC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>
#include <anneal/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the start of a file (4 bytes are enough) is that of a gcda file, of either byte order. */
AN_API bool an_gcc_is_gcda(const void *bytes, size_t size);

struct an_gcc_input {
    const char *path; /* "-": standard input */
    uint64_t weight;  /* it counts as so many runs like it; at least 1 */
    size_t module;    /* which object file it is of: inputs of one module are merged */
};

enum an_gcc_failure_mode {
    AN_GCC_FAIL_ANY,   /* when an input is rejected */
    AN_GCC_FAIL_ALL,   /* when all inputs are */
    AN_GCC_FAIL_NEVER, /* never; there may be nothing to write */
};

struct an_gcc_merge_options {
    unsigned threads; /* 0: as many as are useful. The result is the same */
    enum an_gcc_failure_mode failure_mode;
    bool
        as_gcov_tool; /* lists of frequent values begin with those of the first input, not the last */
    /* Called by any of the threads, one at a time: `done` of `total` modules; may be NULL. */
    void (*progress)(void *context, size_t done, size_t total);
    void *context;
};

struct an_gcc_merged {
    void *bytes; /* a gcda file; NULL: no input of the module had data */
    size_t size;
    size_t inputs; /* that are in it */
};

/*
 * Merges the inputs of each of `modules` modules, in their order. *merged has one file for each; the
 * caller frees it and the ledger. On failure *merged is NULL; *ledger may be there and tell more.
 *
 * An input counts whole or not at all. It is rejected when it is damaged, or of another build than the
 * first good one of its module.
 */
AN_API enum an_code an_gcc_merge(const struct an_gcc_merge_options *options,
                                 const struct an_gcc_input *inputs, size_t count, size_t modules,
                                 struct an_gcc_merged **merged, struct an_ledger **ledger,
                                 struct an_error *error);
AN_API void an_gcc_merged_free(struct an_gcc_merged *merged, size_t modules);

#ifdef __cplusplus
}
#endif
#endif
