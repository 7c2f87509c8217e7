/*
 * Reading a log: from mark to mark where nothing is open, line by line where something is; then the files
 * that were found are judged.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/file.h"
#include "console/checksum.h"
#include "console/dumps.h"
#include "console/judge.h"
#include "console/marks.h"
#include "console/streams.h"

enum { ATTENTION = 64, LINES_PER_STEP = 1 << 16, BYTES_PER_STEP = 1 << 24 };

struct scan {
    const struct an_console_options *options;
    struct an_console *console;
    struct an_lines lines;
    struct an_marks marks;
    struct an_streams streams;
    struct an_dumps dumps;
    struct an_buffer cleaned;
    size_t attention; /* so many lines more are looked at: a checksum may be among them */
    size_t shown;     /* of the log, to whom watches */
};

static void show_progress(struct scan *scan)
{
    size_t done = scan->lines.at, total = scan->lines.log.size;
    if (!scan->options->progress || (done - scan->shown < BYTES_PER_STEP && done < total))
        return;
    scan->shown = done;
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

static bool scan_log(struct scan *scan)
{
    struct an_line line;
    struct an_lines *lines = &scan->lines;
    for (;;) {
        if (!scan->streams.count && !scan->dumps.is_open && !scan->attention) {
            size_t next = an_marks_next(&scan->marks, lines->at);
            if (next > lines->at)
                an_lines_skip_to(lines, next);
        }
        size_t start = lines->at;
        show_progress(scan);
        if (!an_lines_next(lines, &line))
            break;
        if (!take_line(scan, line, start))
            return false;
    }
    bool is_open = lines->log.size && lines->log.data[lines->log.size - 1] == '\r';
    scan->console->lines = lines->number - 1 + is_open;
    return an_streams_finish(&scan->streams, scan->console->lines) && an_dumps_finish(&scan->dumps);
}

/* ---- all of it ---- */

static void require_proof(struct an_console *console)
{
    for (size_t i = 0; i < console->count; i++)
        if (console->items[i].file.status == AN_CONSOLE_UNVERIFIED)
            an_found_blame(&console->items[i], 0,
                           "nothing in the log proves it, and proof was asked for");
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
    if (!an_judge_contents(console))
        return false;
    an_judge_checksums(console);
    if (!an_judge_cores(console) || !an_judge_copies(console))
        return false;
    name_cores(console);
    if (options->require_checksum)
        require_proof(console);
    return true;
}

static bool read_bytes(const struct an_console_options *options, struct an_bytes log,
                       struct an_console *console)
{
    struct scan scan = {.options = options,
                        .console = console,
                        .lines = an_lines_of(log),
                        .streams = {.console = console},
                        .dumps = {.console = console}};
    an_marks_start(&scan.marks, log);
    bool done = scan_log(&scan) && judge(options, console);
    an_streams_free(&scan.streams);
    an_dumps_free(&scan.dumps);
    an_buffer_free(&scan.cleaned);
    return done;
}

static enum an_code check_encoding(struct an_bytes log, const char *path, struct an_error *error)
{
    bool is_wide = log.size >= 2 &&
                   (memcmp(log.data, "\xff\xfe", 2) == 0 || memcmp(log.data, "\xfe\xff", 2) == 0);
    if (!is_wide)
        return AN_OK;
    an_fail(error, AN_UNSUPPORTED, "is text in UTF-16");
    an_error_hint(error, "convert it first: iconv -f UTF-16 -t UTF-8");
    return an_error_in(error, path);
}

enum an_code an_console_read(const struct an_console_options *options, const char *path,
                             struct an_console **result, struct an_error *error)
{
    struct an_file file = {.capacity = 0};
    struct an_console *console = NULL;
    *result = NULL;
    enum an_code code = an_file_load(&file, path, error);
    if (code == AN_OK)
        code = check_encoding(file.bytes, path, error);
    if (code == AN_OK) {
        console = an_alloc_zero(1, sizeof *console);
        if (!console || !read_bytes(options, file.bytes, console))
            code = an_fail_memory(error);
    }
    an_file_close(&file);
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

void an_console_free(struct an_console *console)
{
    if (!console)
        return;
    for (size_t i = 0; i < console->count; i++)
        free(console->items[i].bytes);
    an_vector_free(console);
    an_vector_free(&console->latest);
    an_names_free(&console->index);
    an_arena_free(&console->names);
    free(console);
}
