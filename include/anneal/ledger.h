/*
 * The ledger of a merge: what became of every input, so that no input is lost in silence.
 */
#ifndef ANNEAL_LEDGER_H
#define ANNEAL_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum an_input_status {
    AN_INPUT_PENDING = 0, /* not looked at: the merge stopped before */
    AN_INPUT_USED,
    AN_INPUT_REJECTED, /* error says why; nothing of it was merged */
    AN_INPUT_EMPTY,    /* a file of no bytes, as a process leaves that died early; not an error */
};

struct an_ledger_entry {
    char *path;
    uint64_t weight;
    enum an_input_status status;
    struct an_error *error; /* of a rejected input, else NULL */
    uint64_t bytes;
    uint64_t total_count; /* sum of its counters before weighting, saturating */
    uint64_t functions;
    uint64_t unnamed;       /* functions whose name the file does not have */
    uint64_t memprof_bytes; /* a section that exists but was not merged */
    const char *format;     /* "raw", "indexed", "text"; NULL when unknown */
    unsigned version;
    unsigned variants;
    uint64_t device, inode; /* of a file that was opened, else 0 */
    bool repeated;          /* the same file was named before (it was merged again) */
    bool thin;              /* its total is less than a tenth of the median of the used ones */
};

struct an_ledger {
    struct an_ledger_entry *entries;
    size_t count;
    size_t used, rejected, empty, repeated, thin;
    uint64_t total_count; /* weighted sum over the used ones, saturating */
    uint64_t median;      /* of the used ones' totals */
};

AN_API void an_ledger_free(struct an_ledger *ledger);

/* "used", "rejected", "empty" or "pending". */
AN_API const char *an_input_status_name(enum an_input_status status);

#ifdef __cplusplus
}
#endif
#endif
