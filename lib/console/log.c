/*
 * Reading a log: from mark to mark where nothing is open, line by line where something is, in one go where
 * that is nothing but data; then the files that were found are judged.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/options.h"
#include "console/checksum.h"
#include "console/dumps.h"
#include "console/judge.h"
#include "console/marks.h"
#include "console/pieces.h"
#include "console/streams.h"

enum { ATTENTION = 64 };

struct scan {
    const struct an_console_options *options;
    struct an_console *console;
    struct an_pieces pieces;
    struct an_lines lines;
    struct an_marks marks;
    struct an_streams streams;
    struct an_dumps dumps;
    struct an_buffer cleaned;
    size_t attention; /* so many lines more are looked at: a checksum may be among them */
};

static void show_progress(const struct scan *scan)
{
    size_t done = an_pieces_done(&scan->pieces, &scan->lines), total = scan->pieces.size;
    if (scan->options->progress && total)
        scan->options->progress(scan->options->context, done < total ? done : total, total);
}

/* ---- the end of a file whose beginning is lost ---- */

/* The line before this offset, which is a line's beginning. */
static struct an_line line_before(struct an_bytes log, size_t *at)
{
    size_t end = *at, start;
    if (end && log.data[end - 1] == '\n')
        end--;
    if (end && log.data[end - 1] == '\r')
        end--;
    for (start = end; start && log.data[start - 1] != '\n' && log.data[start - 1] != '\r';)
        start--;
    *at = start;
    return (struct an_line){(const char *)log.data + start, end - start, 0};
}

/* Whether "end" comes after the line of no bytes, and data before that. */
static bool is_orphan(const struct scan *scan, struct an_line line, size_t start)
{
    size_t size = an_trimmed(line.text, line.size), before = start;
    struct an_prefix prefix;
    struct an_uu uu;
    if (size < 3 || memcmp(line.text + size - 3, "end", 3) != 0 ||
        !an_prefix_of(&prefix, line.text, size - 3))
        return false;
    struct an_line zero = line_before(scan->lines.log, &before);
    struct an_line data = line_before(scan->lines.log, &before);
    size_t at = an_prefix_match(&prefix, prefix.size, zero.text, zero.size);
    if (at == SIZE_MAX || !an_uu_decode(zero.text + at, zero.size - at, &uu) || uu.count)
        return false;
    at = an_prefix_match(&prefix, prefix.size, data.text, data.size);
    return at != SIZE_MAX && data.size - at >= 5 &&
           an_uu_decode(data.text + at, data.size - at, &uu) && uu.count && !uu.lost;
}

static bool add_orphan(struct scan *scan, struct an_line line)
{
    struct an_found *found = an_found_add(scan->console, "", 0, AN_CONSOLE_UUENCODE, NULL);
    if (!found)
        return false;
    found->file.first_line = found->file.last_line = line.number;
    an_found_blame(found, line.number, "a file ends here whose 'begin' is lost");
    return true;
}

/* ---- lines ---- */

/* A line that is not simply one of data. */
static enum an_taken take_other(struct scan *scan, struct an_line line, size_t start)
{
    size_t files = scan->console->count;
    enum an_taken taken = an_streams_words(&scan->streams, line);
    if (scan->console->count != files)
        scan->attention = ATTENTION;
    if (taken == AN_NOT_TAKEN)
        taken = an_dumps_line(&scan->dumps, line);
    if (taken == AN_NOT_TAKEN && scan->streams.count)
        taken = an_streams_noise(&scan->streams, line);
    if (taken != AN_NOT_TAKEN)
        return taken;
    if (is_orphan(scan, line, start))
        return add_orphan(scan, line) ? AN_TAKEN : AN_TAKING_FAILED;
    if (scan->attention)
        an_checksum_suspect(scan->console, line);
    return AN_NOT_TAKEN;
}

static bool take_line(struct scan *scan, struct an_line raw, size_t start)
{
    enum an_taken taken = scan->streams.count ? an_streams_data(&scan->streams, raw) : AN_NOT_TAKEN;
    if (taken != AN_NOT_TAKEN)
        return taken == AN_TAKEN;
    struct an_line line = an_line_clean(raw, &scan->cleaned);
    if (scan->cleaned.failed)
        return false;
    if (line.text != raw.text && scan->streams.count)
        taken = an_streams_data(&scan->streams, line);
    if (taken == AN_NOT_TAKEN)
        taken = take_other(scan, line, start);
    scan->attention -= scan->attention > 0;
    return taken != AN_TAKING_FAILED;
}

/* Goes on to where something may happen. */
static void skip(struct scan *scan)
{
    struct an_lines *lines = &scan->lines;
    if (scan->streams.count)
        an_streams_run(&scan->streams, lines);
    if (scan->streams.count || scan->dumps.is_open || scan->attention)
        return;
    size_t next = an_marks_next(&scan->marks, lines->log, lines->at);
    if (next > lines->at)
        an_lines_skip_to(lines, next);
}

/* The lines of the log that are in memory. */
static bool scan_piece(struct scan *scan)
{
    struct an_line line;
    for (;;) {
        skip(scan);
        size_t start = scan->lines.at;
        if (!an_lines_next(&scan->lines, &line))
            return true;
        if (!take_line(scan, line, start))
            return false;
    }
}

static enum an_code scan_log(struct scan *scan, struct an_error *error)
{
    struct an_lines *lines = &scan->lines;
    for (;;) {
        enum an_code code = an_pieces_next(&scan->pieces, lines, error);
        if (code != AN_OK)
            return code;
        if (lines->at == lines->log.size)
            break;
        size_t done = an_pieces_done(&scan->pieces, lines);
        scan->streams.ahead = scan->pieces.size > done ? scan->pieces.size - done : 0;
        if (!scan_piece(scan))
            return an_fail_memory(error);
        show_progress(scan);
    }
    bool is_open = lines->log.size && lines->log.data[lines->log.size - 1] == '\r';
    uint64_t count = scan->console->lines = lines->number - 1 + is_open;
    bool done = an_streams_finish(&scan->streams, count) && an_dumps_finish(&scan->dumps);
    return done ? AN_OK : an_fail_memory(error);
}

/* ---- all of it ---- */

static void require_proof(struct an_console *console)
{
    for (size_t i = 0; i < console->count; i++)
        if (console->items[i].file.status == AN_CONSOLE_UNVERIFIED)
            an_found_blame(&console->items[i], 0,
                           "nothing in the log verifies it (--require-checksum)");
}

/* foo.gcda13 is of core 13, if nothing else says so. */
static void name_cores(struct an_console *console)
{
    for (size_t i = 0; i < console->count; i++) {
        struct an_console_file *file = &console->items[i].file;
        const char *digits = strstr(file->name, ".gcda");
        if (file->core < 0 && digits && digits[5] >= '0' && digits[5] <= '9' &&
            strspn(digits + 5, "0123456789") == strlen(digits + 5) && strlen(digits + 5) < 6)
            file->core =
                atoi(digits + 5); /* NOLINT(bugprone-unchecked-string-to-number-conversion) */
    }
}

static bool judge(const struct an_console_options *options, struct an_console *console)
{
    if (!an_judge_compressed(console) || !an_judge_contents(console))
        return false;
    an_judge_checksums(console);
    if (!an_judge_cores(console) || !an_judge_copies(console))
        return false;
    name_cores(console);
    if (options->require_checksum)
        require_proof(console);
    return true;
}

static enum an_code read_log(const struct an_console_options *options, const char *path,
                             struct an_console *console, struct an_error *error)
{
    struct scan scan = {.options = options,
                        .console = console,
                        .streams = {.console = console},
                        .dumps = {.console = console}};
    an_marks_start(&scan.marks);
    enum an_code code = an_pieces_open(&scan.pieces, path, error);
    if (code == AN_OK)
        code = scan_log(&scan, error);
    if (code == AN_OK && (!judge(options, console) || console->texts.failed))
        code = an_fail_memory(error);
    an_pieces_close(&scan.pieces);
    an_streams_free(&scan.streams);
    an_dumps_free(&scan.dumps);
    an_buffer_free(&scan.cleaned);
    return code;
}

enum an_code an_console_read(const struct an_console_options *options, const char *path,
                             struct an_console **result, struct an_error *error)
{
    struct an_console_options full;
    *result = NULL;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    struct an_console *console = an_alloc_zero(1, sizeof *console);
    code = console ? read_log(&full, path, console, error) : an_fail_memory(error);
    if (code == AN_OK)
        *result = console;
    else
        an_console_free(console);
    return code;
}

size_t an_console_count(const struct an_console *console)
{
    return console->count;
}

const struct an_console_file *an_console_file(const struct an_console *console, size_t index)
{
    return &console->items[index].file;
}

uint64_t an_console_lines(const struct an_console *console)
{
    return console->lines;
}

uint64_t an_console_left_out(const struct an_console *console)
{
    return console->left_out;
}

void an_console_free(struct an_console *console)
{
    if (!console)
        return;
    for (size_t i = 0; i < console->count; i++)
        free(console->items[i].bytes);
    an_vector_free(console);
    an_vector_free(&console->latest);
    an_names_free(&console->index);
    an_arena_free(&console->texts.arena);
    free(console->spill.bytes);
    free(console);
}
