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

/* What is a failure of the whole: an input that is damaged, or does not fit the others. */
enum an_failure_mode {
    AN_FAIL_ANY,  /* any */
    AN_FAIL_ALL,  /* only if all are */
    AN_FAIL_WARN, /* none; there may be nothing to write */
};

enum an_input_status {
    AN_INPUT_PENDING = 0, /* not looked at: the merge stopped before */
    AN_INPUT_USED,
    AN_INPUT_REJECTED, /* error says why; nothing of it was merged */
    AN_INPUT_EMPTY,    /* a file of no bytes, as a process leaves that died early; not an error */
    AN_INPUT_COUNTED,  /* into a partial result: an input of the same digest was used already */
};

/* What tells inputs of partial results apart: XXH3 of 128 bits of their bytes, the high half first, big-endian. */
struct an_digest {
    uint8_t bytes[16];
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

    /* Only where partial results are read or made: */
    bool has_digest;
    struct an_digest digest;
    const char *
        partial; /* the partial result in which it came; NULL: it was read itself. Belongs to the ledger */
};

struct an_ledger {
    struct an_ledger_entry *entries;
    size_t count;
    size_t used, rejected, empty, repeated, thin;
    uint64_t total_count; /* weighted sum over the used ones, saturating */
    uint64_t median;      /* of the used ones' totals */
    size_t counted;       /* inputs that were used already */
    size_t partials;      /* partial results whose inputs are listed in place of them */
    char **partial_paths;
};

AN_API void an_ledger_free(struct an_ledger *ledger);

/* The digest as 32 hexadecimal digits. Returns text. */
#define AN_DIGEST_TEXT 33
AN_API char *an_digest_format(const struct an_digest *digest, char text[AN_DIGEST_TEXT]);

/* "used", "rejected", "empty", "counted" or "pending". */
AN_API const char *an_input_status_name(enum an_input_status status);

#ifdef __cplusplus
}
#endif
#endif
