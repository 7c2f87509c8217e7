/*
 * Writing fdata:
 *
 *     no_lbr cycles:u:                 samples in place of branches, of these events
 *     boltedcollection                 recorded on a program that BOLT had optimised
 *     1 main 1c 1 parse 0 2 340        records, in order
 *     4 main 20 3 [heap] 7f10 12
 *
 * llvm-bolt looks for no_lbr first, so this is the order when there are both.
 */
#include <string.h>

#include <anneal/fdata.h>

#include "bolt/fdata_profile.h"

/* The most that two decimal numbers and what is around them can take. */
enum { NUMBERS = 2 * 20 + 3 };

static char *put_decimal(char *at, uint64_t value)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (count)
        *at++ = digits[--count];
    return at;
}

static size_t header_bytes(const struct an_fdata_profile *profile)
{
    size_t size = sizeof "no_lbr\nboltedcollection\n";
    for (size_t i = 0; i < profile->events.count; i++)
        size += profile->sorted_events[i].length + 1;
    return size;
}

static size_t record_bytes(const struct an_fdata_profile *profile, size_t record)
{
    return profile->table.nodes.items[profile->order[record].entry].length + NUMBERS;
}

static char *put_bytes(char *at, const char *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}

static char *put_headers(char *at, const struct an_fdata_profile *profile)
{
    if (profile->no_lbr) {
        at = put_bytes(at, "no_lbr", 6);
        for (size_t i = 0; i < profile->events.count; i++) {
            *at++ = ' ';
            at = put_bytes(at, profile->sorted_events[i].name, profile->sorted_events[i].length);
        }
        *at++ = '\n';
    }
    return profile->bolted ? put_bytes(at, "boltedcollection\n", 17) : at;
}

static char *put_record(char *at, const struct an_fdata_profile *profile, struct fdata_place place)
{
    const struct fdata_node *node = &profile->table.nodes.items[place.entry];
    uint64_t mispreds, count;
    an_fdata_sums(profile, place, &mispreds, &count);
    at = put_bytes(at, node->key, node->length);
    *at++ = ' ';
    if (!profile->no_lbr && *node->key < '3') {
        at = put_decimal(at, mispreds);
        *at++ = ' ';
    }
    at = put_decimal(at, count);
    *at++ = '\n';
    return at;
}

enum an_code an_fdata_profile_write_to(const struct an_fdata_profile *profile,
                                       enum an_code (*write)(void *context, const void *bytes,
                                                             size_t size, struct an_error *error),
                                       void *context, struct an_error *error)
{
    enum { PIECE = 1 << 18 };
    an_assert(profile->order);
    size_t room = header_bytes(profile);
    for (size_t i = 0; i < profile->order_count; i++)
        room = record_bytes(profile, i) > room ? record_bytes(profile, i) : room;
    room += PIECE;
    char *text = an_alloc(room, 1);
    if (!text)
        return an_fail_memory(error);
    enum an_code code = AN_OK;
    char *at = put_headers(text, profile);
    for (size_t i = 0; i < profile->order_count && code == AN_OK; i++) {
        at = put_record(at, profile, profile->order[i]);
        if (at - text >= PIECE) {
            code = write(context, text, (size_t)(at - text), error);
            at = text;
        }
    }
    if (code == AN_OK && at > text)
        code = write(context, text, (size_t)(at - text), error);
    free(text);
    return code;
}

static enum an_code keep(void *context, const void *bytes, size_t size, struct an_error *error)
{
    char **at = context;
    (void)error;
    *at = put_bytes(*at, bytes, size);
    return AN_OK;
}

enum an_code an_fdata_profile_write(const struct an_fdata_profile *profile, void **bytes,
                                    size_t *size, struct an_error *error)
{
    an_assert(profile->order);
    size_t most = header_bytes(profile);
    for (size_t i = 0; i < profile->order_count; i++)
        most += record_bytes(profile, i);
    char *text = an_alloc(most, 1), *end = text;
    *bytes = NULL;
    *size = 0;
    enum an_code code =
        text ? an_fdata_profile_write_to(profile, keep, &end, error) : an_fail_memory(error);
    if (code != AN_OK) {
        free(text);
        return code;
    }
    *bytes = text;
    *size = (size_t)(end - text);
    return AN_OK;
}
