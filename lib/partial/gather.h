/* What there is to merge: which inputs, and in which order, when partial results are read or made. */
#ifndef AN_PARTIAL_GATHER_H
#define AN_PARTIAL_GATHER_H

#include <anneal/ledger.h>

#include "base/file.h"
#include "partial/partial.h"

/* One thing to be merged. */
struct merge_item {
    size_t input;
    bool is_partial;
    size_t at;                /* of the partial result, in its file */
    uint64_t checksum;        /* of it */
    struct an_ledger *ledger; /* of it; owned */
    struct an_digest digest;  /* of what is none, */
    struct an_digest content; /* and of its bytes alone, where it is a part of a run */
    bool
        is_decided; /* the input's entry says already what became of it: another part of it was rejected */
    bool is_merged;
};

struct merge_items {
    struct merge_item *items;
    size_t count;
};

/*
 * An input that is a part of a run: one of the files that it left. Such files are often the same as those of other runs, which
 * did other things elsewhere; so an input is known by what all the run left, and by its name there.
 */
struct an_gather_part {
    size_t
        run; /* those of one number are of one run; AN_GATHER_ALONE: it is all that the run left */
    const char *name; /* different ones in a run */
};

#define AN_GATHER_ALONE SIZE_MAX

/* How inputs are looked at. */
struct an_gathering {
    enum an_partial_family family;
    unsigned threads;  /* 0: as many as are useful */
    bool count_copies; /* inputs of the same bytes and different paths each count */
    const struct an_gather_part *parts; /* of each input; NULL: each is alone */
};

/*
 * Looks at all inputs, by the paths and weights of the ledger, and chooses those of which each counts once: profiles first, in
 * the order of their digests, then partial results. Entries of the ledger that are not merged have their status
 * afterwards. What can be read only once is left in `kept`. The items belong to the caller also on failure.
 */
enum an_code an_gather(const struct an_gathering *how, struct an_ledger *ledger,
                       struct an_file *kept, struct merge_items *items, struct an_error *error);
void an_gather_free(struct merge_items *items);

/* Lists the inputs of the partial results that were merged in place of these. */
enum an_code an_gather_account(const struct merge_items *items, struct an_ledger *ledger,
                               struct an_error *error);

/* Forgets what became of the items, for a second round in which they are merged anew. */
void an_gather_forget(struct merge_items *items, struct an_ledger *ledger);

/* The same of one entry; its path, weight and digest stay. */
void an_gather_forget_entry(struct an_ledger_entry *entry);

/* Whether an item that was loaded once more is what it was. */
enum an_code an_gather_verify(const struct an_gathering *how, const struct merge_item *item,
                              const char *path, struct an_bytes bytes, struct an_error *error);

/* The content of a partial result, in the buffer; its ledger is the item's. */
enum an_code an_gather_content(const struct merge_item *item, struct an_bytes bytes,
                               struct an_buffer *content, struct an_error *error);

/* Loads an input, or takes it from where it is kept; what can be read only once is kept then. */
enum an_code an_gather_load(const char *path, struct an_file *file, struct an_file *kept,
                            struct an_ledger_entry *entry, struct an_bytes *bytes,
                            struct an_error *error);

#endif
