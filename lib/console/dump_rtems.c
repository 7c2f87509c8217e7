/* RTEMS' line about a stream: the SHA-256 of its text; dumps.h draws it. */
#include <sha2.h>

#include "console/dump_parts.h"

static int url64(char c)
{
    const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* The sum as RTEMS prints it: 43 digits and "=". */
static bool parse_sum(struct an_line text, uint8_t sum[SHA256_DIGEST_LENGTH])
{
    unsigned held = 0, bits = 0;
    size_t count = 0;
    for (size_t i = 0; i < text.size && count < SHA256_DIGEST_LENGTH; i++) {
        int digit = url64(text.text[i]);
        if (digit < 0)
            return false;
        held = (held << 6 | (unsigned)digit) & 0xffff;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            sum[count++] = (uint8_t)(held >> bits);
        }
    }
    return count == SHA256_DIGEST_LENGTH;
}

static void judge_stream(struct an_dumps *dumps, bool is_right, uint64_t line)
{
    for (size_t i = 0; i < dumps->found_count; i++) {
        struct an_found *found = &dumps->console->items[dumps->first_found + i];
        found->has_checksum = true;
        if (!is_right) {
            an_found_blame(found, line, "the SHA-256 of its stream differs from the one sent");
        } else if (found->file.status == AN_CONSOLE_UNVERIFIED) {
            found->file.status = AN_CONSOLE_VERIFIED;
            found->file.proof = AN_CONSOLE_SHA256;
        }
    }
    dumps->found_count = 0;
}

void an_dumps_take_sum(struct an_dumps *dumps, struct an_line line, const char *at)
{
    uint8_t said[SHA256_DIGEST_LENGTH], is[SHA256_DIGEST_LENGTH];
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, dumps->text.data ? dumps->text.data : (const uint8_t *)"",
                 dumps->text.size);
    SHA256Final(is, &context);
    bool is_right = parse_sum(an_dump_behind(line, at), said) && memcmp(said, is, sizeof is) == 0;
    judge_stream(dumps, is_right, line.number);
}
