/* Dumps in digits; see dumps.h. */
#include "console/dumps.h"

#include "console/dump_parts.h"
#include "console/gcov_stream.h"

enum { MOST_NOISE = 64 }; /* lines in a stream of libgcov, which has no end of its own */

/* ---- begin and end ---- */

static void open_dump(struct an_dumps *dumps, enum an_console_form form, enum an_digits kind,
                      struct an_line line, const char *at)
{
    dumps->is_open = true;
    dumps->form = form;
    dumps->digits.kind = kind;
    dumps->digits.held = dumps->digits.bits = 0;
    dumps->digits.is_padded = false;
    dumps->digits.bytes.size = dumps->name.size = dumps->text.size = dumps->test.size = 0;
    dumps->first_line = dumps->last_line = line.number;
    dumps->noise = dumps->size = dumps->odd_line = 0;
    if (!an_prefix_of(&dumps->prefix, line.text, (size_t)(at - line.text)))
        an_prefix_cut(&dumps->prefix, 0);
}

static bool is_stream(const struct an_dumps *dumps)
{
    return dumps->form <= AN_CONSOLE_GCOV_BASE64;
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
    if (an_dumps_failed(dumps))
        return false;
    if (is_stream(dumps)) {
        bool no_end = dumps->form == AN_CONSOLE_GCOV_BASE64;
        if (no_end && !dumps->odd_line)
            dumps->odd_line = dumps->last_line;
        return split_stream(dumps);
    }
    if (!dumps->name.size)
        return true;
    struct an_found *found = an_dumps_add_file(dumps);
    if (found)
        an_found_blame(found, dumps->last_line, "the end of the dump is missing");
    return found != NULL;
}

void an_dumps_free(struct an_dumps *dumps)
{
    an_buffer_free(&dumps->digits.bytes);
    an_buffer_free(&dumps->name);
    an_buffer_free(&dumps->text);
    an_buffer_free(&dumps->test);
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
    struct an_line rest = an_dump_behind(line, at);
    const char *name = an_dump_find(rest, "filename:"), *size = an_dump_find(rest, " size:"), *end;
    uint64_t number;
    if (!name || !size || size < name + 9 || size - name > AN_FOUND_MOST_NAME ||
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
    struct an_line rest = an_dump_behind(line, at);
    const char *end = NULL, *limit = rest.text + rest.size;
    uint64_t number;
    if (!number_at(rest.text + 9, limit, &number, &end) || limit - end < 12 ||
        limit - end > AN_FOUND_MOST_NAME || memcmp(end, " bytes for ", 11) != 0)
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
    struct an_line rest = an_dump_behind(line, at);
    if (taken == AN_TAKEN)
        an_digits_read(&dumps->digits, rest.text, rest.size);
    return taken;
}

static enum an_taken begin_zephyr(struct an_dumps *dumps, struct an_line line, const char *at)
{
    enum an_taken taken = begin_block(dumps, AN_CONSOLE_ZEPHYR, AN_HEX, line, at);
    struct an_line rest = an_dump_behind(line, at);
    an_dumps_zephyr_test(dumps, rest);
    if (taken == AN_TAKEN && an_dumps_zephyr_early_end(dumps, rest) == AN_TAKING_FAILED)
        return AN_TAKING_FAILED;
    return taken;
}

static const char *find_any(struct an_line line, const char *const *words, size_t count)
{
    const char *found = NULL;
    for (size_t i = 0; !found && i < count; i++)
        found = an_dump_find(line, words[i]);
    return found;
}

static enum an_taken begin(struct an_dumps *dumps, struct an_line line)
{
    static const char *const hex[] = {"6e666367", "6E666367", "6766636e", "6766636E"};
    static const char *const nibbles[] = {"ogggdghg", "hgggdgog"};
    const char *at;
    if ((at = an_dump_find(line, "*** BEGIN OF GCOV INFO BASE64 ***")))
        return begin_block(dumps, AN_CONSOLE_GCOV_BASE64, AN_BASE64, line, at);
    if ((at = an_dump_find(line, "GCOV_COVERAGE_DUMP_START")))
        return begin_zephyr(dumps, line, at);
    if ((at = an_dump_find(line, "*** GCOV INFO SHA256 ")) && dumps->found_count) {
        an_dumps_take_sum(dumps, line, at + 21);
        return AN_TAKEN;
    }
    if ((at = an_dump_find(line, "gcov start")))
        return begin_nuttx(dumps, line, at);
    if ((at = an_dump_find(line, "Emitting ")))
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

static enum an_taken stream_line(struct an_dumps *dumps, struct an_line line)
{
    enum an_taken taken = an_dumps_read_digits(dumps, line);
    if (taken != AN_NOT_TAKEN) {
        dumps->noise = 0;
        return taken;
    }
    if (++dumps->noise > MOST_NOISE)
        return an_dumps_finish(dumps) ? AN_NOT_TAKEN : AN_TAKING_FAILED;
    return an_dumps_suspect(dumps, line);
}

static enum an_taken rtems_line(struct an_dumps *dumps, struct an_line line)
{
    if (an_dump_find(line, "*** END OF GCOV INFO BASE64 ***")) {
        dumps->is_open = false;
        dumps->last_line = line.number;
        return an_dumps_result(dumps, split_stream(dumps));
    }
    enum an_taken taken = an_dumps_read_digits(dumps, line);
    if (taken != AN_TAKEN)
        return taken == AN_NOT_TAKEN ? an_dumps_suspect(dumps, line) : taken;
    an_buffer_put(&dumps->text, line.text, an_trimmed(line.text, line.size));
    an_buffer_put(&dumps->text, "\n", 1);
    return an_dumps_result(dumps, true);
}

static enum an_taken continue_dump(struct an_dumps *dumps, struct an_line line)
{
    enum an_taken taken;
    size_t at = an_prefix_match(&dumps->prefix, dumps->prefix.size, line.text, line.size);
    if (at == SIZE_MAX && dumps->digits.bytes.size == 0)
        an_prefix_cut(&dumps->prefix, at = 0); /* what was in front of its first line was none */
    if (at == SIZE_MAX)
        return AN_NOT_TAKEN;
    struct an_line rest = an_dump_behind(line, line.text + at);
    switch (dumps->form) {
    case AN_CONSOLE_GCOV_BASE64:
        return rtems_line(dumps, rest);
    case AN_CONSOLE_ZEPHYR:
        taken = an_dumps_zephyr_early_end(dumps, rest);
        return taken == AN_NOT_TAKEN ? an_dumps_zephyr_line(dumps, rest) : taken;
    case AN_CONSOLE_NUTTX:
        return an_dumps_nuttx_line(dumps, rest);
    case AN_CONSOLE_HEXDUMP:
        return an_dumps_hexdump_line(dumps, rest);
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
