/*
 * From lines to sums, as fast as the bytes allow.
 *
 *     1 main 1c 1 parse 0 2 340\n
 *     ^-----------------^ ^---^
 *             key         numbers
 *
 * Is it one of the lines that come next in the table's list? Then the key is compared and the
 * numbers are read, and that is all. Else the key is looked up: the numbers are found from the
 * line's end. Only a line whose key is new is taken apart field by field, since a key that is known
 * was checked when it came in; and a line that is known but for its numbers is checked by reading
 * these.
 *
 * An input counts whole or not at all. Lines are added as they come; when one turns out to be bad,
 * those before it are walked over again and taken back. Sums are exact for that (128 bits).
 */
#include "bolt/fdata_scan.h"

#include <string.h>

#include "bolt/fdata_line.h"

struct numbers {
    uint64_t mispreds, count;
};

enum { WAITING = 16 };

struct waiting {
    uint32_t number; /* of the entry */
    struct numbers numbers;
};

struct scan {
    struct fdata_scanner *scanner;
    struct fdata_table *table;
    struct an_bytes file;
    const char *end; /* behind the last newline: reading digits stops there at the latest */
    uint64_t weight, most;
    bool no_lbr, whole_lines;
    bool take_back;
    uint32_t last;     /* index + 1 of the entry of the line before, or 0 */
    uint32_t position; /* index + 1 of the last entry that was in the list's order at the start */
    unsigned vain;     /* how often in a row the line's entry was not ahead in the list */
    fdata_sum total;
    size_t functions;
    struct waiting waiting[WAITING]; /* a ring: from waited on to came */
    size_t came, waited;
};

/* How far ahead in the list to look, and how often in vain before doing so only for one step. */
enum { REACH = 32, VAIN = 32, AHEAD = 8 };

void an_fdata_scanner_free(struct fdata_scanner *scanner)
{
    free(scanner->seen);
    an_buffer_free(&scanner->key);
    *scanner = (struct fdata_scanner){0};
}

/* ---- numbers ---- */

/* Up to 18 digits, of which no number gets too large; NULL when there are none, or more. */
static inline const char *read_decimal(const char *at, uint64_t *value)
{
    uint64_t sum = 0;
    const char *start = at;
    for (; (unsigned char)(*at - '0') < 10; at++)
        sum = 10 * sum + (unsigned char)(*at - '0');
    *value = sum;
    return at > start && at - start <= 18 ? at : NULL;
}

static inline bool has_mispreds(const struct scan *scan, const char *key)
{
    return !scan->no_lbr && *key < '3';
}

/* The numbers behind a key, as they are usually written, and where the next line begins. */
static inline const char *read_numbers(const struct scan *scan, const char *key, const char *at,
                                       struct numbers *numbers)
{
    numbers->mispreds = 0;
    if (has_mispreds(scan, key)) {
        at = read_decimal(at, &numbers->mispreds);
        if (!at || *at != ' ')
            return NULL;
        at++;
    }
    at = read_decimal(at, &numbers->count);
    return at && *at == '\n' ? at + 1 : NULL;
}

/* ---- adding ---- */

static bool note_owner(struct scan *scan, uint32_t owner)
{
    struct fdata_scanner *scanner = scan->scanner;
    if (owner >= scanner->seen_capacity) {
        size_t wanted = 2 * ((size_t)owner + 512);
        uint32_t *grown = an_grow(scanner->seen, wanted, sizeof *grown);
        if (!grown)
            return false;
        memset(grown + scanner->seen_capacity, 0,
               (wanted - scanner->seen_capacity) * sizeof *grown);
        scanner->seen = grown;
        scanner->seen_capacity = wanted;
    }
    if (scanner->seen[owner] != scanner->file) {
        scanner->seen[owner] = scanner->file;
        scan->functions++;
    }
    return true;
}

/* Adds the oldest of the lines that wait. */
static bool add_waiting(struct scan *scan)
{
    const struct waiting *line = &scan->waiting[scan->waited++ % WAITING];
    struct fdata_variant *variant =
        an_fdata_table_variant(scan->table, line->number, line->numbers.mispreds);
    fdata_sum count = an_fdata_weighted(line->numbers.count, scan->weight);
    if (!variant)
        return false;
    variant->count += scan->take_back ? -count : count;
    variant->lines += scan->take_back ? -1u : 1;
    return true;
}

static bool add_all_waiting(struct scan *scan)
{
    while (scan->waited < scan->came)
        if (!add_waiting(scan))
            return false;
    return true;
}

/*
 * A line that differs from its entry by its mispredictions, when these are part of the key. Its sum
 * lies anywhere in memory: lines wait for a while, in which it comes nearer.
 */
static bool add_variant(struct scan *scan, const struct fdata_entry *entry,
                        const struct numbers *numbers)
{
    if (scan->came - scan->waited == WAITING && !add_waiting(scan))
        return false;
    if (scan->came - scan->waited >= WAITING / 2) {
        const struct waiting *half = &scan->waiting[(scan->came - WAITING / 2) % WAITING];
        an_fdata_fetch_variant(scan->table, half->number, half->numbers.mispreds);
    }
    an_fdata_fetch_variant_slot(scan->table, entry->number, numbers->mispreds);
    scan->waiting[scan->came++ % WAITING] = (struct waiting){entry->number, *numbers};
    return true;
}

static inline bool add(struct scan *scan, struct fdata_entry *entry, const struct numbers *numbers)
{
    if (scan->whole_lines && numbers->mispreds) {
        if (!add_variant(scan, entry, numbers))
            return false;
    } else {
        fdata_sum count = an_fdata_weighted(numbers->count, scan->weight);
        fdata_sum mispreds = an_fdata_weighted(numbers->mispreds, scan->weight);
        entry->count += scan->take_back ? -count : count;
        entry->mispreds += scan->take_back ? -mispreds : mispreds;
        entry->lines += scan->take_back ? -1u : 1;
    }
    if (scan->take_back)
        return true;
    const struct fdata_node *node = an_fdata_node(scan->table, entry);
    if (*node->key < '3')
        scan->total += numbers->count;
    return node->owner == FDATA_NO_OWNER || note_owner(scan, node->owner);
}

/* Has the memory bring what a few steps further on will be compared and added to. */
static inline void fetch_ahead(const struct fdata_table *table, uint32_t index_plus_1)
{
    size_t ahead = (size_t)index_plus_1 + AHEAD;
    if (ahead >= table->in_order)
        return;
    __builtin_prefetch(table->nodes.items[ahead].key);
    __builtin_prefetch(&table->entries.items[ahead], 1);
}

/* The entry of the line, if it is one of the next in the list. Then its numbers are read. */
static inline struct fdata_entry *guess(struct scan *scan, const char *at, const char **next,
                                        struct numbers *numbers)
{
    const struct fdata_node *nodes = scan->table->nodes.items;
    uint32_t guessed = scan->last ? nodes[scan->last - 1].next : scan->table->first;
    size_t left = (size_t)(scan->end - at);
    unsigned reach = scan->vain < VAIN ? REACH : 1;
    for (unsigned tries = 0; guessed && tries < reach; tries++) {
        const struct fdata_node *node = &nodes[guessed - 1];
        size_t length = node->length;
        fetch_ahead(scan->table, guessed);
        if (length < left && length >= 8 && an_load64(at + length - 8) == node->end) {
            if (at[length] == ' ' && memcmp(at, node->key, length) == 0) {
                *next = read_numbers(scan, at, at + length + 1, numbers);
                return *next ? &scan->table->entries.items[guessed - 1] : NULL;
            }
        }
        guessed = node->next;
    }
    return NULL;
}

/* ---- looking up ---- */

/* Where the field that ends at `end` begins, if it is digits with one blank before; else NULL. */
static const char *decimal_before(const char *start, const char *end)
{
    const char *at = end;
    while (at > start && (unsigned char)(at[-1] - '0') < 10)
        at--;
    return at < end && at - start > 2 && at[-1] == ' ' && at[-2] != ' ' ? at : NULL;
}

/* How long the key of a line is that is written in the usual way; 0 when it is not. */
static size_t key_length(const struct scan *scan, const char *line, const char *end)
{
    const char *at = decimal_before(line, end);
    if (at && has_mispreds(scan, line))
        at = decimal_before(line, at - 1);
    return at ? (size_t)(at - 1 - line) : 0;
}

static struct fdata_entry *insert(struct scan *scan, const char *key, size_t length,
                                  const struct an_fdata_record *record)
{
    const struct an_fdata_location *owner = an_fdata_owner(record);
    return an_fdata_table_insert(scan->table, key, length, owner ? owner->name : NULL,
                                 owner ? owner->name_length : 0, scan->last);
}

static void put_location(struct an_buffer *key, const struct an_fdata_location *location)
{
    an_buffer_print(key, "%s%u ", key->size ? " " : "", location->kind);
    an_buffer_put(key, location->name, location->name_length);
    an_buffer_print(key, " %llx", (unsigned long long)location->offset);
}

/* The key as anneal writes it, so that all ways of writing a location are one. */
static bool write_key(struct an_buffer *key, const struct an_fdata_record *record)
{
    if (key->failed)
        an_buffer_free(key);
    key->size = 0;
    put_location(key, &record->from);
    if (record->kind != AN_FDATA_SAMPLE)
        put_location(key, &record->to);
    return !key->failed;
}

/* A line that is not known, or not written in the usual way. */
static enum an_code take_apart(struct scan *scan, const char *at, size_t length,
                               struct fdata_entry **entry, struct numbers *numbers,
                               struct an_error *error)
{
    struct fdata_line line;
    size_t start = (size_t)(at - (const char *)scan->file.data);
    if (!an_fdata_line_parse(at, length, scan->no_lbr, scan->most, &line))
        return an_fdata_wrong_line(scan->file, start, line.wrong_at, line.wanted, error);
    const char *key = at;
    size_t size = line.locations_length;
    if (!line.plain || (!line.canonical && !scan->whole_lines)) {
        if (!write_key(&scan->scanner->key, &line.record))
            return an_fail_memory(error);
        key = (const char *)scan->scanner->key.data;
        size = scan->scanner->key.size;
    }
    *entry = an_fdata_table_find(scan->table, key, size);
    if (!*entry)
        *entry = insert(scan, key, size, &line.record);
    *numbers = (struct numbers){line.record.mispreds, line.record.count};
    return *entry ? AN_OK : an_fail_memory(error);
}

/*
 * The line's entry is not among the next ones of the list. If it lies behind, the list is wrong and
 * it is moved to here. If it lies further ahead, there is only a gap in this file.
 */
static void found_elsewhere(struct scan *scan, uint32_t index_plus_1)
{
    bool ahead = index_plus_1 > scan->position && index_plus_1 <= scan->table->in_order;
    if (scan->vain >= VAIN)
        return;
    scan->vain++;
    if (!ahead)
        an_fdata_table_move(scan->table, index_plus_1, scan->last);
}

/* Finds the entry of a line, or makes it. An empty line has none. */
static enum an_code look_up(struct scan *scan, const char *at, const char **next,
                            struct fdata_entry **entry, struct numbers *numbers,
                            struct an_error *error)
{
    const char *newline = memchr(at, '\n', (size_t)(scan->end - at));
    size_t length = (size_t)(newline - at);
    *next = newline + 1;
    *entry = NULL;
    if (length == 0)
        return AN_OK;
    size_t size = key_length(scan, at, newline);
    if (size) {
        *entry = an_fdata_table_find(scan->table, at, size);
        if (*entry && read_numbers(scan, at, at + size + 1, numbers)) {
            found_elsewhere(scan, (uint32_t)(*entry - scan->table->entries.items) + 1);
            return AN_OK;
        }
    }
    return take_apart(scan, at, length, entry, numbers, error);
}

/* ---- all lines ---- */

/* On failure *at is where the bad line begins. */
static enum an_code scan_lines(struct scan *scan, const char **at, struct an_error *error)
{
    scan->last = 0;
    scan->position = 0;
    scan->vain = 0;
    while (*at < scan->end) {
        const char *next;
        struct numbers numbers = {0};
        struct fdata_entry *entry = guess(scan, *at, &next, &numbers);
        if (entry) {
            scan->vain = 0;
        } else {
            enum an_code code = look_up(scan, *at, &next, &entry, &numbers, error);
            if (code != AN_OK)
                return code;
        }
        *at = next;
        if (!entry)
            continue;
        scan->last = (uint32_t)(entry - scan->table->entries.items) + 1;
        if (scan->last <= scan->table->in_order)
            scan->position = scan->last;
        if (!add(scan, entry, &numbers))
            return an_fail_memory(error);
    }
    return AN_OK;
}

/* Walks once more over the lines that were added, which cannot fail but for lack of memory. */
static enum an_code take_back(struct scan *scan, const char *from, const char *bad,
                              struct an_error *error)
{
    struct an_error unheard;
    scan->take_back = true;
    scan->end = bad;
    return scan_lines(scan, &from, &unheard) == AN_OK && add_all_waiting(scan)
               ? error->code
               : an_fail_memory(error);
}

enum an_code an_fdata_scan(struct fdata_scanner *scanner, struct an_fdata_profile *profile,
                           struct an_bytes file, const struct fdata_header *header, uint64_t weight,
                           struct fdata_sums *sums, struct an_error *error)
{
    const char *start = (const char *)file.data + header->size;
    const char *newline = memrchr(start, '\n', file.size - header->size);
    struct scan scan = {
        .scanner = scanner,
        .table = &profile->table,
        .file = file,
        .end = newline ? newline + 1 : start,
        .weight = weight,
        .most = an_fdata_profile_most(profile),
        .no_lbr = profile->no_lbr,
        .whole_lines = profile->whole_lines,
    };
    scanner->file++;
    an_fdata_table_arrange(&profile->table);
    const char *at = start;
    enum an_code code = scan_lines(&scan, &at, error);
    if (code == AN_OK && scan.end < (const char *)file.data + file.size)
        code = an_fdata_cut_line(file, (size_t)(scan.end - (const char *)file.data), error);
    if (code == AN_NO_MEMORY)
        return code;
    if (!add_all_waiting(&scan))
        return an_fail_memory(error);
    if (code != AN_OK)
        return take_back(&scan, start, at, error);
    sums->total_count = an_fdata_clamped(scan.total, UINT64_MAX);
    sums->functions = scan.functions;
    return AN_OK;
}
