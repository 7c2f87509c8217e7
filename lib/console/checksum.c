/* Checksums of files; see checksum.h. */
#include "console/checksum.h"

#include <inttypes.h>
#include <zlib.h>

enum { WORD = 6, DIGITS = 8 };

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Behind the word. */
static bool parse_rest(const char *text, size_t size, struct an_checksum *checksum)
{
    size_t i = 0;
    for (checksum->crc = 0; i < DIGITS; i++) {
        int digit = i < size ? hex_digit(text[i]) : -1;
        if (digit < 0)
            return false;
        checksum->crc = checksum->crc << 4 | (uint32_t)digit;
    }
    if (i + 1 >= size || text[i] != ' ')
        return false;
    size_t start = ++i;
    for (checksum->size = 0; i < size && text[i] >= '0' && text[i] <= '9' && i < start + 18; i++)
        checksum->size = 10 * checksum->size + (uint64_t)(text[i] - '0');
    if (i == start || i + 1 >= size || text[i] != ' ')
        return false;
    i++;
    checksum->name = text + i;
    checksum->name_size = an_trimmed(text + i, size - i);
    return checksum->name_size > 0 && checksum->name_size <= AN_FOUND_MOST_NAME;
}

bool an_checksum_parse(struct an_line line, struct an_checksum *checksum)
{
    const char *text = line.text, *end = line.text + line.size;
    while (text < end && (text = memmem(text, (size_t)(end - text), "crc32 ", WORD))) {
        text += WORD;
        if (parse_rest(text, (size_t)(end - text), checksum))
            return true;
    }
    return false;
}

static uint32_t crc_of(const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    uLong crc = crc32(0, NULL, 0);
    while (size) {
        uInt part = size < 1u << 30 ? (uInt)size : 1u << 30;
        crc = crc32(crc, from, part);
        from += part;
        size -= part;
    }
    return (uint32_t)crc;
}

static void judge(struct an_found *found, const struct an_checksum *checksum, uint64_t line)
{
    struct an_console_file *file = &found->file;
    uint32_t crc = crc_of(file->bytes, file->size);
    found->has_checksum = true;
    if (file->size == checksum->size && crc == checksum->crc) {
        file->status = AN_CONSOLE_VERIFIED;
        file->proof = AN_CONSOLE_CRC32;
        file->problem = "";
        file->problem_line = 0;
        return;
    }
    if (file->size != checksum->size)
        an_found_blame(found, line, "it has %zu bytes, but had %" PRIu64 " when sent", file->size,
                       checksum->size);
    else
        an_found_blame(found, line, "its CRC-32 is %08" PRIx32 ", but was %08" PRIx32 " when sent",
                       crc, checksum->crc);
}

bool an_checksum_take(struct an_console *console, const struct an_checksum *checksum, uint64_t line)
{
    struct an_found *found = an_found_latest(console, checksum->name, checksum->name_size);
    if (found && found->file.form == AN_CONSOLE_UUENCODE && !found->has_checksum) {
        judge(found, checksum, line);
        return true;
    }
    struct an_found *lost =
        an_found_add(console, checksum->name, checksum->name_size, AN_CONSOLE_UUENCODE, NULL);
    if (!lost)
        return false;
    lost->has_checksum = true;
    lost->file.first_line = lost->file.last_line = line;
    an_found_blame(lost, line, "only its checksum is there: its 'begin' is lost");
    return true;
}

/* Whether a text begins like the word, but for a character or two. */
static bool begins_like_it(const char *text, size_t size)
{
    size_t same = 0;
    for (size_t i = 0; i < WORD && i < size; i++)
        same += text[i] == "crc32 "[i];
    return same + 2 >= WORD;
}

/* Whether a text ends with the file's size and name. */
static bool ends_like_it(const struct an_console_file *file, const char *text, size_t size)
{
    size_t name = strlen(file->name), count = file->size;
    size = an_trimmed(text, size);
    if (size < name + 3 || text[size - name - 1] != ' ' ||
        memcmp(text + size - name, file->name, name) != 0)
        return false;
    for (size -= name + 1; size && text[size - 1] == (char)('0' + count % 10); size--)
        if ((count /= 10) == 0)
            return size > 1 && text[size - 2] == ' ';
    return false;
}

void an_checksum_suspect(struct an_console *console, struct an_line line)
{
    size_t oldest = console->count > AN_FOUND_RECENT ? console->count - AN_FOUND_RECENT : 0;
    for (size_t i = console->count; i-- > oldest;) {
        struct an_found *found = &console->items[i];
        if (found->file.form != AN_CONSOLE_UUENCODE || found->has_checksum)
            continue;
        const struct an_prefix *prefix = &console->prefixes[i % AN_FOUND_RECENT];
        size_t at = an_prefix_match(prefix, prefix->size, line.text, line.size);
        if (at == SIZE_MAX)
            continue;
        if (begins_like_it(line.text + at, line.size - at) ||
            ends_like_it(&found->file, line.text + at, line.size - at)) {
            found->has_checksum = true;
            an_found_blame(found, line.number, "the line with its checksum is damaged");
            return;
        }
    }
}
