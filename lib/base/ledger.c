/* The ledger of a merge: one entry an input, then what only shows when all are in. */
#include "base/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"

struct an_ledger *an_ledger_new(size_t count)
{
    struct an_ledger *ledger = an_alloc_zero(1, sizeof *ledger);
    if (!ledger)
        return NULL;
    ledger->entries = an_alloc_zero(count, sizeof *ledger->entries);
    if (!ledger->entries) {
        free(ledger);
        return NULL;
    }
    ledger->count = count;
    return ledger;
}

bool an_ledger_name(struct an_ledger *ledger, size_t index, const char *path, uint64_t weight)
{
    struct an_ledger_entry *entry = &ledger->entries[index];
    size_t size = strlen(path) + 1;
    entry->weight = weight;
    entry->path = an_alloc(size, 1);
    if (!entry->path)
        return false;
    memcpy(entry->path, path, size);
    return true;
}

void an_ledger_reject(struct an_ledger_entry *entry, const struct an_error *error)
{
    entry->status = AN_INPUT_REJECTED;
    if (!entry->error)
        entry->error = an_alloc(1, sizeof *entry->error);
    if (entry->error)
        *entry->error = *error;
}

void an_ledger_conclude(struct an_ledger_entry *entry, const char *path, enum an_code code,
                        struct an_error *error)
{
    if (code == AN_OK) {
        if (entry->status == AN_INPUT_PENDING)
            entry->status = AN_INPUT_USED;
        return;
    }
    an_error_in(error, strcmp(path, "-") == 0 ? "<stdin>" : path);
    an_ledger_reject(entry, error);
}

void an_ledger_free(struct an_ledger *ledger)
{
    if (!ledger)
        return;
    for (size_t i = 0; i < ledger->count; i++) {
        free(ledger->entries[i].path);
        free(ledger->entries[i].error);
    }
    for (size_t i = 0; i < ledger->partials; i++)
        free(ledger->partial_paths[i]);
    free(ledger->partial_paths);
    free(ledger->entries);
    free(ledger);
}

char *an_digest_format(const struct an_digest *digest, char text[AN_DIGEST_TEXT])
{
    for (size_t i = 0; i < sizeof digest->bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", digest->bytes[i]);
    return text;
}

const char *an_input_status_name(enum an_input_status status)
{
    switch (status) {
    case AN_INPUT_USED:
        return "used";
    case AN_INPUT_REJECTED:
        return "rejected";
    case AN_INPUT_EMPTY:
        return "empty";
    case AN_INPUT_COUNTED:
        return "counted";
    case AN_INPUT_PENDING:
        break;
    }
    return "pending";
}

static int by_size(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* The same file under another path counts too: device and inode decide, else the path. Digests have told already. */
static bool mark_repeated(struct an_ledger *ledger)
{
    struct an_names seen = {0};
    struct key {
        uint64_t device, inode;
    } *keys = an_alloc(ledger->count, sizeof *keys);
    bool done = keys != NULL;
    for (size_t i = 0; done && i < ledger->count; i++) {
        struct an_ledger_entry *entry = &ledger->entries[i];
        if (entry->has_digest || entry->partial)
            continue;
        keys[i] = (struct key){entry->device, entry->inode};
        bool is_new, by_file = entry->inode != 0;
        done =
            an_names_insert(&seen, by_file ? (const char *)&keys[i] : entry->path,
                            by_file ? sizeof keys[i] : strlen(entry->path), &is_new) != AN_NO_NAME;
        entry->repeated = done && !is_new;
        ledger->repeated += entry->repeated;
    }
    free(keys);
    an_names_free(&seen);
    return done;
}

enum an_code an_ledger_close(struct an_ledger *ledger, struct an_error *error)
{
    uint64_t *totals = an_alloc(ledger->count, sizeof *totals);
    if (!totals || !mark_repeated(ledger)) {
        free(totals);
        return an_fail_memory(error);
    }
    for (size_t i = 0; i < ledger->count; i++) {
        const struct an_ledger_entry *entry = &ledger->entries[i];
        ledger->rejected += entry->status == AN_INPUT_REJECTED;
        ledger->empty += entry->status == AN_INPUT_EMPTY;
        ledger->counted += entry->status == AN_INPUT_COUNTED;
        if (entry->status != AN_INPUT_USED)
            continue;
        totals[ledger->used++] = entry->total_count;
        uint64_t weighted;
        if (__builtin_mul_overflow(entry->total_count, entry->weight, &weighted) ||
            __builtin_add_overflow(ledger->total_count, weighted, &ledger->total_count))
            ledger->total_count = UINT64_MAX;
    }
    qsort(totals, ledger->used, sizeof *totals, by_size);
    ledger->median = ledger->used ? totals[(ledger->used - 1) / 2] : 0;
    free(totals);
    for (size_t i = 0; i < ledger->count; i++) {
        struct an_ledger_entry *entry = &ledger->entries[i];
        entry->thin = entry->status == AN_INPUT_USED && entry->total_count < ledger->median / 10;
        ledger->thin += entry->thin;
    }
    return AN_OK;
}

/* Whoever made a partial result has judged what was rejected then. */
static bool is_rejected_now(const struct an_ledger_entry *entry)
{
    return entry->status == AN_INPUT_REJECTED && !entry->partial;
}

enum an_code an_ledger_judge(const struct an_ledger *ledger, enum an_failure_mode mode,
                             struct an_error *error)
{
    size_t rejected = 0;
    for (size_t i = 0; i < ledger->count; i++)
        rejected += is_rejected_now(&ledger->entries[i]);
    if (mode == AN_FAIL_WARN || (mode == AN_FAIL_ANY && rejected == 0) ||
        (mode == AN_FAIL_ALL && rejected < ledger->count))
        return AN_OK;
    for (size_t i = 0; rejected == 1 && i < ledger->count; i++)
        if (is_rejected_now(&ledger->entries[i]) && ledger->entries[i].error) {
            *error = *ledger->entries[i].error;
            return error->code;
        }
    return an_fail(error, AN_MALFORMED, "%zu of %zu inputs rejected, nothing merged", rejected,
                   ledger->count);
}
