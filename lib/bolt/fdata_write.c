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

static size_t most_bytes(const struct an_fdata_profile *profile)
{
    size_t size = sizeof "no_lbr\nboltedcollection\n";
    for (size_t i = 0; i < profile->events.count; i++)
        size += profile->sorted_events[i].length + 1;
    for (size_t i = 0; i < profile->order_count; i++)
        size += profile->table.nodes.items[profile->order[i].entry].length + NUMBERS;
    return size;
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

enum an_code an_fdata_profile_write(const struct an_fdata_profile *profile, void **bytes,
                                    size_t *size, struct an_error *error)
{
    an_assert(profile->order);
    char *text = an_alloc(most_bytes(profile), 1);
    *bytes = NULL;
    *size = 0;
    if (!text)
        return an_fail_memory(error);
    char *at = put_headers(text, profile);
    for (size_t i = 0; i < profile->order_count; i++)
        at = put_record(at, profile, profile->order[i]);
    *bytes = text;
    *size = (size_t)(at - text);
    return AN_OK;
}
