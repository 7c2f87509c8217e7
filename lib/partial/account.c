/* The account of a partial result; see account.h. */
#include "partial/account.h"

#include <stdlib.h>
#include <string.h>

#include "base/ledger.h"
#include "base/memory.h"
#include "partial/digest.h"

static const char *const formats[] = {NULL, "raw", "indexed", "text", "fdata", "gcda"};
enum { FORMATS = sizeof formats / sizeof *formats };

/* The least bytes that an entry has: nothing is allocated for more entries than there can be. */
enum { LEAST_ENTRY = sizeof(struct an_digest) + 12 };

/* ---- writing ---- */

static int by_digest(const void *a, const void *b)
{
    const struct an_ledger_entry *left = *(const struct an_ledger_entry *const *)a;
    const struct an_ledger_entry *right = *(const struct an_ledger_entry *const *)b;
    int order = an_digest_compare(&left->digest, &right->digest);
    if (!order)
        order = (left->status > right->status) - (left->status < right->status);
    return order ? order : strcmp(left->path, right->path);
}

/* What was rejected, or empty, in two partial results that are merged is in both of them. */
static bool is_same(const struct an_ledger_entry *a, const struct an_ledger_entry *b)
{
    return a->status == b->status && a->status != AN_INPUT_USED && strcmp(a->path, b->path) == 0 &&
           an_digest_compare(&a->digest, &b->digest) == 0;
}

static void put_text(struct an_buffer *buffer, const char *text)
{
    size_t length = strlen(text);
    an_buffer_uleb128(buffer, length);
    an_buffer_put(buffer, text, length);
}

static unsigned format_of(const struct an_ledger_entry *entry)
{
    for (unsigned i = 1; entry->format && i < FORMATS; i++)
        if (strcmp(entry->format, formats[i]) == 0)
            return i;
    return 0;
}

static void put_entry(struct an_buffer *buffer, const struct an_ledger_entry *entry)
{
    const uint64_t numbers[] = {
        (uint64_t)entry->status, entry->weight,    entry->bytes,         entry->total_count,
        entry->functions,        entry->unnamed,   entry->memprof_bytes, entry->version,
        entry->variants,         format_of(entry),
    };
    an_buffer_put(buffer, entry->digest.bytes, sizeof entry->digest.bytes);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        an_buffer_uleb128(buffer, numbers[i]);
    put_text(buffer, entry->path);
    if (entry->status != AN_INPUT_REJECTED)
        return;
    const struct an_error *error = entry->error;
    an_buffer_uleb128(buffer, error ? (uint64_t)error->code : AN_NO_MEMORY);
    an_buffer_uleb128(buffer, error && error->offset != AN_NO_OFFSET ? error->offset + 1 : 0);
    put_text(buffer, error ? error->what : "");
    put_text(buffer, error ? error->hint : "");
}

bool an_account_write(const struct an_ledger *ledger, struct an_buffer *buffer)
{
    const struct an_ledger_entry **entries = an_alloc(ledger->count, sizeof *entries);
    size_t count = 0, different = 0;
    if (!entries)
        return false;
    for (size_t i = 0; i < ledger->count; i++)
        if (ledger->entries[i].status != AN_INPUT_COUNTED &&
            ledger->entries[i].status != AN_INPUT_PENDING)
            entries[count++] = &ledger->entries[i];
    qsort(entries, count, sizeof *entries, by_digest);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !is_same(entries[i], entries[different - 1]))
            entries[different++] = entries[i];
    an_buffer_uleb128(buffer, different);
    for (size_t i = 0; i < different; i++)
        put_entry(buffer, entries[i]);
    free(entries);
    return true;
}

/* ---- reading ---- */

/* A text of at most `most` bytes, in *text, which belongs to the account. False when it is none. */
static bool take_text(struct an_cursor *cursor, size_t most, const char **text, size_t *length)
{
    uint64_t claimed = an_cursor_uleb128(cursor);
    if (cursor->short_read || claimed > most || claimed > an_cursor_left(cursor))
        return false;
    *length = (size_t)claimed;
    *text = (const char *)an_cursor_take(cursor, *length);
    return memchr(*text, 0, *length) == NULL;
}

static bool take_error(struct an_cursor *cursor, const char *path, struct an_error *error)
{
    const char *text;
    size_t length;
    uint64_t code = an_cursor_uleb128(cursor), offset = an_cursor_uleb128(cursor);
    if (code == AN_OK || code > AN_USAGE)
        return false;
    *error =
        (struct an_error){.code = (enum an_code)code, .offset = offset ? offset - 1 : AN_NO_OFFSET};
    if (!take_text(cursor, sizeof error->what - 1, &text, &length))
        return false;
    memcpy(error->what, text, length);
    if (!take_text(cursor, sizeof error->hint - 1, &text, &length))
        return false;
    memcpy(error->hint, text, length);
    an_error_in(error, path);
    return true;
}

enum { LONGEST_PATH = 1 << 16 };

/* *memory is false when it runs out. */
static bool take_entry(struct an_cursor *cursor, struct an_ledger *ledger, size_t i, bool *memory)
{
    struct an_ledger_entry *entry = &ledger->entries[i];
    const uint8_t *digest = an_cursor_take(cursor, sizeof entry->digest.bytes);
    if (!digest)
        return false;
    memcpy(entry->digest.bytes, digest, sizeof entry->digest.bytes);
    entry->has_digest = true;
    uint64_t status = an_cursor_uleb128(cursor), weight = an_cursor_uleb128(cursor);
    entry->bytes = an_cursor_uleb128(cursor);
    entry->total_count = an_cursor_uleb128(cursor);
    entry->functions = an_cursor_uleb128(cursor);
    entry->unnamed = an_cursor_uleb128(cursor);
    entry->memprof_bytes = an_cursor_uleb128(cursor);
    uint64_t version = an_cursor_uleb128(cursor), variants = an_cursor_uleb128(cursor);
    uint64_t format = an_cursor_uleb128(cursor);
    const char *path;
    size_t length;
    if (status < AN_INPUT_USED || status > AN_INPUT_EMPTY || weight == 0 || version > UINT32_MAX ||
        variants > UINT32_MAX || format >= FORMATS ||
        !take_text(cursor, LONGEST_PATH, &path, &length))
        return false;
    entry->status = (enum an_input_status)status;
    entry->version = (unsigned)version;
    entry->variants = (unsigned)variants;
    entry->format = formats[format];
    entry->weight = weight;
    entry->path = an_alloc(length + 1, 1);
    *memory = entry->path != NULL;
    if (!*memory)
        return false;
    memcpy(entry->path, path, length);
    entry->path[length] = '\0';
    struct an_error error;
    if (status != AN_INPUT_REJECTED)
        return true;
    if (!take_error(cursor, entry->path, &error))
        return false;
    an_ledger_reject(entry, &error);
    return true;
}

/* Each input that was used once, and in the order of digests: what selects inputs relies on both. */
static bool is_in_order(const struct an_ledger *ledger, size_t i)
{
    const struct an_ledger_entry *entry = &ledger->entries[i];
    if (i == 0)
        return true;
    int order = an_digest_compare(&entry[-1].digest, &entry->digest);
    return order < 0 ||
           (order == 0 && entry[-1].status <= entry->status && entry->status != AN_INPUT_USED);
}

enum an_code an_account_read(struct an_bytes bytes, size_t at, struct an_ledger **ledger,
                             struct an_error *error)
{
    struct an_cursor cursor = an_cursor_at(bytes, 0, false);
    uint64_t count = an_cursor_uleb128(&cursor);
    *ledger = NULL;
    if (cursor.short_read || count > an_cursor_left(&cursor) / LEAST_ENTRY)
        return an_fail_at(error, AN_MALFORMED, at,
                          "partial result has an account of %llu inputs in %zu bytes",
                          (unsigned long long)count, bytes.size);
    struct an_ledger *made = an_ledger_new((size_t)count);
    if (!made)
        return an_fail_memory(error);
    bool good = true, memory = true;
    for (size_t i = 0; good && i < made->count; i++)
        good = take_entry(&cursor, made, i, &memory) && !cursor.short_read && is_in_order(made, i);
    good = good && an_cursor_left(&cursor) == 0;
    if (good) {
        *ledger = made;
        return AN_OK;
    }
    an_ledger_free(made);
    return memory ? an_fail_at(error, AN_MALFORMED, at,
                               "partial result has an account that makes no sense")
                  : an_fail_memory(error);
}
