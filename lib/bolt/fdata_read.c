/* One file: record by record, where opening checks it to its last byte and the walk only decodes;
 * or as a profile. */
#include <string.h>

#include "bolt/fdata_line.h"
#include "bolt/fdata_scan.h"

struct an_fdata_reader {
    struct an_bytes file;
    struct fdata_header header;
    struct an_fdata_info info;
    struct {
        AN_VECTOR(struct an_fdata_event);
    } events;
    struct an_names functions;
    size_t at;
};

/* The next line that is not empty; false at the end, or where no newline comes any more. */
static bool next_line(struct an_fdata_reader *reader, const char **line, size_t *length)
{
    for (;;) {
        *line = (const char *)reader->file.data + reader->at;
        const char *newline = memchr(*line, '\n', reader->file.size - reader->at);
        if (!newline)
            return false;
        *length = (size_t)(newline - *line);
        reader->at += *length + 1;
        if (*length)
            return true;
    }
}

static bool note_function(struct an_fdata_reader *reader, const struct an_fdata_record *record)
{
    const struct an_fdata_location *owner = an_fdata_owner(record);
    bool is_new;
    return !owner || an_names_insert(&reader->functions, owner->name, owner->name_length,
                                     &is_new) != AN_NO_NAME;
}

static enum an_code check_records(struct an_fdata_reader *reader, struct an_error *error)
{
    const char *text;
    size_t length;
    while (next_line(reader, &text, &length)) {
        struct fdata_line line;
        if (!an_fdata_line_parse(text, length, reader->header.no_lbr, AN_FDATA_MOST, &line))
            return an_fdata_wrong_line(reader->file,
                                       (size_t)(text - (const char *)reader->file.data),
                                       line.wrong_at, line.wanted, error);
        if (!note_function(reader, &line.record))
            return an_fail_memory(error);
        an_fdata_info_add(&reader->info, &line.record);
    }
    if (reader->at < reader->file.size)
        return an_fdata_cut_line(reader->file, reader->at, error);
    reader->at = reader->header.size;
    return AN_OK;
}

static enum an_code open_file(struct an_fdata_reader *reader, struct an_error *error)
{
    enum an_code code = an_fdata_header_read(reader->file, &reader->header, error);
    if (code != AN_OK)
        return code;
    const char *at = reader->header.events, *end = at + reader->header.events_length;
    struct an_fdata_event event;
    while (an_fdata_next_event(&at, end, &event)) {
        struct an_fdata_event *place = an_vector_push(&reader->events);
        if (!place)
            return an_fail_memory(error);
        *place = event;
    }
    reader->at = reader->header.size;
    code = check_records(reader, error);
    reader->info.no_lbr = reader->header.no_lbr;
    reader->info.bolted = reader->header.bolted;
    reader->info.events = reader->events.items;
    reader->info.event_count = reader->events.count;
    reader->info.functions = reader->functions.count;
    return code;
}

enum an_code an_fdata_reader_open(struct an_fdata_reader **reader, const void *bytes, size_t size,
                                  struct an_error *error)
{
    if (size == 0)
        return an_fail(error, AN_EMPTY, "empty file");
    struct an_fdata_reader *made = an_alloc_zero(1, sizeof *made);
    if (!made)
        return an_fail_memory(error);
    made->file = (struct an_bytes){bytes, size};
    enum an_code code = open_file(made, error);
    if (code == AN_OK)
        *reader = made;
    else
        an_fdata_reader_close(made);
    return code;
}

const struct an_fdata_info *an_fdata_reader_info(const struct an_fdata_reader *reader)
{
    return &reader->info;
}

bool an_fdata_reader_next(struct an_fdata_reader *reader, struct an_fdata_record *record)
{
    const char *text;
    size_t length;
    struct fdata_line line;
    if (!next_line(reader, &text, &length) ||
        !an_fdata_line_parse(text, length, reader->header.no_lbr, AN_FDATA_MOST, &line))
        return false;
    *record = line.record;
    return true;
}

void an_fdata_reader_close(struct an_fdata_reader *reader)
{
    if (!reader)
        return;
    an_names_free(&reader->functions);
    an_vector_free(&reader->events);
    free(reader);
}

/* ---- as a profile ---- */

static enum an_code read_into(struct an_fdata_profile *profile, struct an_bytes file,
                              struct an_error *error)
{
    struct fdata_scanner scanner = {0};
    struct fdata_header header;
    struct fdata_sums sums;
    enum an_code code = an_fdata_header_read(file, &header, error);
    if (code != AN_OK)
        return code;
    profile->has_kind = true;
    profile->no_lbr = header.no_lbr;
    profile->bolted = header.bolted;
    code = an_fdata_scan(&scanner, profile, file, &header, 1, &sums, error);
    an_fdata_scanner_free(&scanner);
    if (code == AN_OK && !an_fdata_profile_add_events(profile, &header, 0))
        code = an_fail_memory(error);
    return code == AN_OK ? an_fdata_profile_settle(profile, error) : code;
}

enum an_code an_fdata_profile_read(struct an_fdata_profile **profile, const void *bytes,
                                   size_t size, struct an_error *error)
{
    if (size == 0)
        return an_fail(error, AN_EMPTY, "empty file");
    struct an_fdata_profile *made = an_fdata_profile_new(false);
    if (!made)
        return an_fail_memory(error);
    enum an_code code = read_into(made, (struct an_bytes){bytes, size}, error);
    if (code == AN_OK)
        *profile = made;
    else
        an_fdata_profile_free(made);
    return code;
}
