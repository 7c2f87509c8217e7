/* What several formats have: binary ids, names, values; and how a verdict is kept. */
#include "llvm/verdict_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <zlib.h>

#include <anneal/llvm.h>

void an_verdict_say(struct verdict *verdict, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict->text, AN_LLVM_VERDICT_SIZE, format, arguments);
    va_end(arguments);
    verdict->done = true;
}

void an_verdict_leave(struct verdict *verdict)
{
    verdict->done = true;
}

void an_verdict_ids(struct an_bytes ids, bool big, struct verdict *verdict)
{
    size_t at = 0;
    while (at < ids.size) {
        if (ids.size - at < 8) {
            an_verdict_say(verdict,
                           AN_VERDICT_MALFORMED ": not enough data to read binary id length");
            return;
        }
        uint64_t length = an_get64(ids.data + at, big);
        at += 8;
        uint64_t padded = (length + 7) / 8 * 8;
        if (length == 0)
            an_verdict_say(verdict, AN_VERDICT_MALFORMED ": binary id length is 0");
        else if (padded > ids.size - at || padded < length)
            an_verdict_say(verdict,
                           AN_VERDICT_MALFORMED ": not enough data to read binary id data");
        if (verdict->done)
            return;
        at += padded;
    }
}

/* Names are split at each byte 1; one without a letter is refused. */
static void judge_name_list(const uint8_t *names, size_t size, struct verdict *verdict)
{
    size_t start = 0;
    for (size_t i = 0; i <= size && !verdict->done; i++)
        if (i == size || names[i] == 1) {
            if (i == start)
                an_verdict_say(verdict, AN_VERDICT_MALFORMED ": symbol name is empty");
            start = i + 1;
        }
}

static bool take_size(struct an_bytes bytes, size_t *at, uint64_t *size)
{
    *size = 0;
    for (unsigned shift = 0; *at < bytes.size && shift < 64; shift += 7) {
        uint8_t byte = bytes.data[(*at)++];
        *size |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

static void judge_packed(struct an_bytes packed, uint64_t size, struct verdict *verdict)
{
    /* Deflate shrinks by at most 1032:1; what is claimed beyond that has no bytes. */
    uint64_t most = 1032 * ((uint64_t)packed.size + 1);
    uLongf got = (uLongf)(size < most ? size : most);
    uint8_t *names = malloc(got + 1);
    if (!names)
        an_verdict_leave(verdict);
    else if (uncompress(names, &got, packed.data, (uLong)packed.size) != Z_OK)
        an_verdict_say(verdict, "failed to uncompress data (zlib)");
    else
        judge_name_list(names, got, verdict);
    free(names);
}

void an_verdict_names(struct an_bytes names, struct verdict *verdict)
{
    size_t at = 0;
    while (!verdict->done && at < names.size) {
        uint64_t size, packed;
        if (!take_size(names, &at, &size) || !take_size(names, &at, &packed) ||
            (packed ? packed : size) > names.size - at) {
            an_verdict_leave(verdict);
            return;
        }
        if (packed)
            judge_packed((struct an_bytes){names.data + at, (size_t)packed}, size, verdict);
        else
            judge_name_list(names.data + at, (size_t)size, verdict);
        at += (size_t)(packed ? packed : size);
        while (at < names.size && names.data[at] == 0)
            at++;
    }
}

uint64_t an_verdict_values(struct an_bytes bytes, bool big, struct verdict *verdict)
{
    if (bytes.size < 8) {
        an_verdict_say(verdict, AN_VERDICT_TRUNCATED);
        return 0;
    }
    uint32_t size = an_get32(bytes.data, big), kinds = an_get32(bytes.data + 4, big);
    if (size > bytes.size)
        an_verdict_say(verdict, "too much profile data");
    else if (size < 8)
        an_verdict_leave(verdict);
    else if (kinds > AN_LLVM_VALUE_KINDS)
        an_verdict_say(verdict, AN_VERDICT_MALFORMED ": number of value profile kinds is invalid");
    else if (size % 8)
        an_verdict_say(verdict, AN_VERDICT_MALFORMED ": total size is not multiples of quardword");
    uint64_t at = 8;
    for (uint32_t k = 0; !verdict->done && k < kinds; k++) {
        if (at + 8 > size) {
            an_verdict_leave(verdict);
            return 0;
        }
        uint32_t kind = an_get32(bytes.data + at, big);
        uint64_t sites = an_get32(bytes.data + at + 4, big), values = 0;
        if (kind >= AN_LLVM_VALUE_KINDS) {
            an_verdict_say(verdict, AN_VERDICT_MALFORMED ": value kind is invalid");
        } else if (at + 8 + sites > size) {
            an_verdict_leave(verdict);
        } else {
            for (uint64_t i = 0; i < sites; i++)
                values += bytes.data[at + 8 + i];
            at += (8 + sites + 7) / 8 * 8 + 16 * values;
            if (at > size)
                an_verdict_say(verdict, AN_VERDICT_MALFORMED
                               ": value profile address is greater than total size");
        }
    }
    return size;
}
