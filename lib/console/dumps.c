/* Dumps in digits; see dumps.h. */
#include "console/dumps.h"

#include <inttypes.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>

#include "console/gcov_stream.h"

enum { MOST_NOISE = 64 }; /* lines in a stream of libgcov, which has no end of its own */

static const char *find(struct an_line line, const char *word)
{
    return memmem(line.text, line.size, word, strlen(word));
}

static struct an_line behind(struct an_line line, const char *at)
{
    return (struct an_line){at, line.size - (size_t)(at - line.text), line.number};
}

/* ---- begin and end ---- */

static void open_dump(struct an_dumps *dumps, enum an_console_form form, enum an_digits kind,
                      struct an_line line, const char *at)
{
    dumps->is_open = true;
    dumps->form = form;
    dumps->digits.kind = kind;
    dumps->digits.held = dumps->digits.bits = 0;
    dumps->digits.is_padded = false;
    dumps->digits.bytes.size = dumps->name.size = dumps->text.size = 0;
    dumps->first_line = dumps->last_line = line.number;
    dumps->noise = dumps->size = dumps->odd_line = 0;
    if (!an_prefix_of(&dumps->prefix, line.text, (size_t)(at - line.text)))
        dumps->prefix.size = 0;
}

static bool is_stream(const struct an_dumps *dumps)
{
    return dumps->form <= AN_CONSOLE_GCOV_BASE64;
}

static bool has_failed(const struct an_dumps *dumps)
{
    return dumps->digits.bytes.failed || dumps->name.failed || dumps->text.failed;
}

/* Adds the file that was read; its name must be known. */
static struct an_found *add_file(struct an_dumps *dumps)
{
    struct an_buffer bytes = dumps->digits.bytes;
    dumps->digits.bytes = (struct an_buffer){0};
    struct an_found *found = an_found_add(dumps->console, (const char *)dumps->name.data,
                                          dumps->name.size, dumps->form, &bytes);
    if (!found) {
        an_buffer_free(&bytes);
        return NULL;
    }
    found->prefix = dumps->prefix;
    found->file.core = an_prefix_core(&dumps->prefix);
    found->file.first_line = dumps->first_line;
    found->file.last_line = dumps->last_line;
    if (dumps->odd_line)
        an_found_blame(found, dumps->odd_line, "this may have been a line of data");
    else if (!an_digits_whole(&dumps->digits))
        an_found_blame(found, dumps->last_line, "half a byte is missing");
    dumps->digits.held = dumps->digits.bits = 0;
    dumps->name.size = 0;
    dumps->odd_line = 0;
    return found;
}

static bool split_stream(struct an_dumps *dumps)
{
    const struct an_gcov_stream stream = {dumps->form, dumps->prefix, dumps->first_line,
                                          dumps->last_line};
    const struct an_bytes bytes = {dumps->digits.bytes.data, dumps->digits.bytes.size};
    struct an_console *console = dumps->console;
    dumps->first_found = console->count;
    bool done = an_gcov_stream_split(console, &stream, bytes);
    dumps->found_count = console->count - dumps->first_found;
    for (size_t i = dumps->first_found; i < console->count; i++)
        if (dumps->odd_line)
            an_found_blame(&console->items[i], dumps->odd_line,
                           "this may have been a line of data");
        else if (!an_digits_whole(&dumps->digits))
            an_found_blame(&console->items[i], dumps->last_line, "half a byte is missing");
    dumps->digits.bytes.size = 0;
    return done;
}

bool an_dumps_finish(struct an_dumps *dumps)
{
    if (!dumps->is_open)
        return true;
    dumps->is_open = false;
    if (has_failed(dumps))
        return false;
    if (is_stream(dumps)) {
        bool no_end = dumps->form == AN_CONSOLE_GCOV_BASE64;
        if (no_end && !dumps->odd_line)
            dumps->odd_line = dumps->last_line;
        return split_stream(dumps);
    }
    if (!dumps->name.size)
        return true;
    struct an_found *found = add_file(dumps);
    if (found)
        an_found_blame(found, dumps->last_line, "the end of the dump is missing");
    return found != NULL;
}

void an_dumps_free(struct an_dumps *dumps)
{
    an_buffer_free(&dumps->digits.bytes);
    an_buffer_free(&dumps->name);
    an_buffer_free(&dumps->text);
}

/* ---- RTEMS' sum ---- */

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
            an_found_blame(found, line,
                           "the SHA-256 of its stream is not what it was when it was sent");
        } else if (found->file.status == AN_CONSOLE_UNVERIFIED) {
            found->file.status = AN_CONSOLE_VERIFIED;
            found->file.proof = AN_CONSOLE_SHA256;
        }
    }
    dumps->found_count = 0;
}

static void take_sum(struct an_dumps *dumps, struct an_line line, const char *at)
{
    uint8_t said[SHA256_DIGEST_LENGTH], is[SHA256_DIGEST_LENGTH];
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, dumps->text.data ? dumps->text.data : (const uint8_t *)"",
                 dumps->text.size);
    SHA256Final(is, &context);
    bool is_right = parse_sum(behind(line, at), said) && memcmp(said, is, sizeof is) == 0;
    judge_stream(dumps, is_right, line.number);
}

/* ---- beginnings ---- */

static enum an_taken open_file(struct an_dumps *dumps, enum an_console_form form,
                               struct an_line line, const char *at, const char *name,
                               size_t name_size)
{
    if (!an_dumps_finish(dumps))
        return AN_TAKING_FAILED;
    open_dump(dumps, form, AN_HEX, line, at);
    an_buffer_put(&dumps->name, name, name_size);
    return AN_TAKEN;
}

/* The number in front of which there are only blanks; *end: behind it. */
static bool number_at(const char *text, const char *limit, uint64_t *number, const char **end)
{
    while (text < limit && *text == ' ')
        text++;
    const char *start = text;
    for (*number = 0; text < limit && *text >= '0' && *text <= '9' && text < start + 18; text++)
        *number = 10 * *number + (uint64_t)(*text - '0');
    *end = text;
    return text > start;
}

/* "gcov start filename:NAME size: NByte" */
static enum an_taken begin_nuttx(struct an_dumps *dumps, struct an_line line, const char *at)
{
    struct an_line rest = behind(line, at);
    const char *name = find(rest, "filename:"), *size = find(rest, " size:"), *end;
    uint64_t number;
    if (!name || !size || size < name + 9 ||
        !number_at(size + 6, rest.text + rest.size, &number, &end))
        return AN_NOT_TAKEN;
    name += 9;
    enum an_taken taken =
        open_file(dumps, AN_CONSOLE_NUTTX, line, at, name, an_trimmed(name, (size_t)(size - name)));
    dumps->size = number;
    return taken;
}

/* "Emitting N bytes for NAME" */
static enum an_taken begin_hexdump(struct an_dumps *dumps, struct an_line line, const char *at)
{
    struct an_line rest = behind(line, at);
    const char *end = NULL, *limit = rest.text + rest.size;
    uint64_t number;
    if (!number_at(rest.text + 9, limit, &number, &end) || limit - end < 12 ||
        memcmp(end, " bytes for ", 11) != 0)
        return AN_NOT_TAKEN;
    end += 11;
    enum an_taken taken =
        open_file(dumps, AN_CONSOLE_HEXDUMP, line, at, end, an_trimmed(end, (size_t)(limit - end)));
    dumps->size = number;
    return taken;
}

static enum an_taken begin_block(struct an_dumps *dumps, enum an_console_form form,
                                 enum an_digits kind, struct an_line line, const char *at)
{
    if (!an_dumps_finish(dumps))
        return AN_TAKING_FAILED;
    open_dump(dumps, form, kind, line, at);
    return AN_TAKEN;
}

/* Digits from 'gcfn' on. What stands behind them in the line is not theirs. */
static enum an_taken begin_digits(struct an_dumps *dumps, enum an_console_form form,
                                  enum an_digits kind, struct an_line line, const char *at)
{
    enum an_taken taken = begin_block(dumps, form, kind, line, at);
    struct an_line rest = behind(line, at);
    if (taken == AN_TAKEN)
        an_digits_read(&dumps->digits, rest.text, rest.size);
    return taken;
}

static const char *find_any(struct an_line line, const char *const *words, size_t count)
{
    const char *found = NULL;
    for (size_t i = 0; !found && i < count; i++)
        found = find(line, words[i]);
    return found;
}

static enum an_taken begin(struct an_dumps *dumps, struct an_line line)
{
    static const char *const hex[] = {"6e666367", "6E666367", "6766636e", "6766636E"};
    static const char *const nibbles[] = {"ogggdghg", "hgggdgog"};
    const char *at;
    if ((at = find(line, "*** BEGIN OF GCOV INFO BASE64 ***")))
        return begin_block(dumps, AN_CONSOLE_GCOV_BASE64, AN_BASE64, line, at);
    if ((at = find(line, "GCOV_COVERAGE_DUMP_START")))
        return begin_block(dumps, AN_CONSOLE_ZEPHYR, AN_HEX, line, at);
    if ((at = find(line, "*** GCOV INFO SHA256 ")) && dumps->found_count) {
        take_sum(dumps, line, at + 21);
        return AN_TAKEN;
    }
    if ((at = find(line, "gcov start")))
        return begin_nuttx(dumps, line, at);
    if ((at = find(line, "Emitting ")))
        return begin_hexdump(dumps, line, at);
    if (dumps->is_open && !is_stream(dumps))
        return AN_NOT_TAKEN; /* digits of a file may look like a stream */
    if ((at = find_any(line, hex, 4)))
        return begin_digits(dumps, AN_CONSOLE_GCOV_HEX, AN_HEX, line, at);
    if ((at = find_any(line, nibbles, 2)))
        return begin_digits(dumps, AN_CONSOLE_GCOV_NIBBLE, AN_NIBBLES, line, at);
    return AN_NOT_TAKEN;
}

/* ---- lines of a dump ---- */

static enum an_taken result(const struct an_dumps *dumps, bool done)
{
    return done && !has_failed(dumps) ? AN_TAKEN : AN_TAKING_FAILED;
}

static enum an_taken read_digits(struct an_dumps *dumps, struct an_line line)
{
    enum an_digits kind = dumps->digits.kind;
    if (!an_digits_only(kind, line.text, line.size))
        return AN_NOT_TAKEN;
    an_digits_read(&dumps->digits, line.text, line.size);
    dumps->last_line = line.number;
    return result(dumps, true);
}

/* What is mostly digits was a line of data once. */
static enum an_taken suspect_digits(struct an_dumps *dumps, struct an_line line)
{
    enum { LONG = 16, RARE = 16 };
    size_t wrong = 0, size = an_trimmed(line.text, line.size);
    for (size_t i = 0; i < size; i++)
        wrong += !an_digits_only(dumps->digits.kind, line.text + i, 1);
    if (size >= LONG && wrong * RARE <= size && !dumps->odd_line)
        dumps->odd_line = line.number;
    return AN_NOT_TAKEN;
}

static enum an_taken stream_line(struct an_dumps *dumps, struct an_line line)
{
    enum an_taken taken = read_digits(dumps, line);
    if (taken != AN_NOT_TAKEN) {
        dumps->noise = 0;
        return taken;
    }
    if (++dumps->noise > MOST_NOISE)
        return an_dumps_finish(dumps) ? AN_NOT_TAKEN : AN_TAKING_FAILED;
    return suspect_digits(dumps, line);
}

static enum an_taken rtems_line(struct an_dumps *dumps, struct an_line line)
{
    if (find(line, "*** END OF GCOV INFO BASE64 ***")) {
        dumps->is_open = false;
        dumps->last_line = line.number;
        return result(dumps, split_stream(dumps));
    }
    enum an_taken taken = read_digits(dumps, line);
    if (taken != AN_TAKEN)
        return taken == AN_NOT_TAKEN ? suspect_digits(dumps, line) : taken;
    an_buffer_put(&dumps->text, line.text, an_trimmed(line.text, line.size));
    an_buffer_put(&dumps->text, "\n", 1);
    return result(dumps, true);
}

static enum an_taken zephyr_line(struct an_dumps *dumps, struct an_line line)
{
    bool is_end = find(line, "GCOV_COVERAGE_DUMP_END") != NULL;
    const char *less = line.size && line.text[0] == '*' ? memchr(line.text, '<', line.size) : NULL;
    if ((is_end || less) && dumps->name.size && !add_file(dumps))
        return AN_TAKING_FAILED;
    if (is_end) {
        dumps->is_open = false;
        return AN_TAKEN;
    }
    if (!less) {
        enum an_taken taken = dumps->name.size ? read_digits(dumps, line) : AN_NOT_TAKEN;
        return taken == AN_NOT_TAKEN ? suspect_digits(dumps, line) : taken;
    }
    dumps->first_line = dumps->last_line = line.number;
    an_buffer_put(&dumps->name, line.text + 1, (size_t)(less - line.text - 1));
    const char *limit = line.text + an_trimmed(line.text, line.size);
    for (const char *from = less + 1; from < limit; from++) {
        from += an_digits_read(&dumps->digits, from, (size_t)(limit - from));
        if (from < limit && *from != ' ' && !dumps->odd_line)
            dumps->odd_line = line.number;
    }
    return result(dumps, true);
}

static unsigned sum_of(struct an_buffer bytes)
{
    unsigned sum = 0;
    for (size_t i = 0; i < bytes.size; i++)
        sum += bytes.data[i];
    return sum & 0xffff;
}

static enum an_taken nuttx_end(struct an_dumps *dumps, struct an_line line)
{
    const char *at = find(line, "checksum:");
    const char *digits = at ? memmem(at, line.size - (size_t)(at - line.text), "0x", 2) : NULL;
    unsigned said = 0, sum = sum_of(dumps->digits.bytes);
    char text[12] = "";
    dumps->is_open = false;
    dumps->last_line = line.number;
    struct an_found *found = add_file(dumps);
    if (!found)
        return AN_TAKING_FAILED;
    if (digits)
        snprintf(text, sizeof text, "%.*s", (int)(line.text + line.size - digits - 2), digits + 2);
    if (!digits || sscanf(text, "%x", &said) != 1)
        an_found_blame(found, line.number, "the line with its checksum is damaged");
    else if (found->file.size != dumps->size)
        an_found_blame(found, line.number, "it has %zu bytes, and had %" PRIu64 " when it was sent",
                       found->file.size, dumps->size);
    else if (said != sum)
        an_found_blame(found, line.number,
                       "the sum of its bytes is %#x, and was %#x when it was sent", sum, said);
    return AN_TAKEN;
}

static enum an_taken nuttx_line(struct an_dumps *dumps, struct an_line line)
{
    if (find(line, "gcov end"))
        return nuttx_end(dumps, line);
    enum an_taken taken = read_digits(dumps, line);
    return taken == AN_NOT_TAKEN ? suspect_digits(dumps, line) : taken;
}

/* "00000010: 61 64 63 67", up to 16 bytes, and perhaps the same as text behind two blanks. */
static enum an_taken hexdump_line(struct an_dumps *dumps, struct an_line line)
{
    enum { ADDRESS = 8, MOST = 16 };
    struct an_digits_reader *digits = &dumps->digits;
    unsigned long long address = 0;
    char text[ADDRESS + 1] = "";
    if (line.size < ADDRESS + 2 || line.text[ADDRESS] != ':' ||
        !an_digits_only(AN_HEX, line.text, ADDRESS))
        return AN_NOT_TAKEN;
    memcpy(text, line.text, ADDRESS);
    if (sscanf(text, "%llx", &address) != 1 || address != digits->bytes.size)
        dumps->odd_line = dumps->odd_line ? dumps->odd_line : line.number;
    size_t start = digits->bytes.size, at = ADDRESS + 1;
    dumps->last_line = line.number;
    while (at + 2 < line.size && line.text[at] == ' ' && digits->bytes.size < start + MOST &&
           an_digits_only(AN_HEX, line.text + at + 1, 2)) {
        an_digits_read(digits, line.text + at + 1, 2);
        at += 3;
    }
    if (digits->bytes.size < dumps->size || has_failed(dumps))
        return result(dumps, true);
    dumps->is_open = false;
    struct an_found *found = add_file(dumps);
    if (found && found->file.size != dumps->size)
        an_found_blame(found, line.number, "it has %zu bytes, and had %" PRIu64 " when it was sent",
                       found->file.size, dumps->size);
    return found ? AN_TAKEN : AN_TAKING_FAILED;
}

static enum an_taken continue_dump(struct an_dumps *dumps, struct an_line line)
{
    size_t at = an_prefix_match(&dumps->prefix, dumps->prefix.size, line.text, line.size);
    if (at == SIZE_MAX && dumps->digits.bytes.size == 0)
        at = dumps->prefix.size = 0; /* what was in front of its first line was none */
    if (at == SIZE_MAX)
        return AN_NOT_TAKEN;
    struct an_line rest = behind(line, line.text + at);
    switch (dumps->form) {
    case AN_CONSOLE_GCOV_BASE64:
        return rtems_line(dumps, rest);
    case AN_CONSOLE_ZEPHYR:
        return zephyr_line(dumps, rest);
    case AN_CONSOLE_NUTTX:
        return nuttx_line(dumps, rest);
    case AN_CONSOLE_HEXDUMP:
        return hexdump_line(dumps, rest);
    default:
        return stream_line(dumps, rest);
    }
}

enum an_taken an_dumps_line(struct an_dumps *dumps, struct an_line line)
{
    enum an_taken taken = AN_NOT_TAKEN;
    bool was_digits = dumps->is_open && is_stream(dumps);
    if (was_digits) /* also where 'gcfn' stands in the middle of it */
        taken = continue_dump(dumps, line);
    if (taken == AN_NOT_TAKEN)
        taken = begin(dumps, line);
    if (taken == AN_NOT_TAKEN && dumps->is_open && !was_digits)
        taken = continue_dump(dumps, line);
    return taken;
}
