/* Showing a ledger; what it means is told in anneal/ledger.h. */
#include "ledger_view.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "output.h"

enum { SHOWN = 5 }; /* examples of each kind; the rest is in the JSON */

static void list_rejected(const struct an_ledger *ledger)
{
    size_t shown = 0;
    for (size_t i = 0; i < ledger->count && shown < SHOWN; i++) {
        const struct an_ledger_entry *entry = &ledger->entries[i];
        char text[2048];
        if (entry->status != AN_INPUT_REJECTED)
            continue;
        shown++;
        say_warning("rejected: %s", entry->error ? an_error_format(entry->error, text, sizeof text)
                                                 : input_name(entry->path));
    }
    if (ledger->rejected > SHOWN)
        say_warning("rejected: and %zu more (--ledger=FILE lists all)", ledger->rejected - SHOWN);
}

/* "3 inputs are empty: a, b, c" */
static void list_flagged(const struct an_ledger *ledger, size_t number, const char *what,
                         bool (*flag)(const struct an_ledger_entry *entry))
{
    char names[1024] = "";
    size_t shown = 0, length = 0;
    for (size_t i = 0; i < ledger->count && shown < SHOWN; i++) {
        const struct an_ledger_entry *entry = &ledger->entries[i];
        if (!flag(entry))
            continue;
        int wrote = snprintf(names + length, sizeof names - length, "%s%s", shown ? ", " : "",
                             input_name(entry->path));
        if (wrote < 0 || (size_t)wrote >= sizeof names - length) {
            names[length] = '\0'; /* very long paths: leave the last one out */
            break;
        }
        length += (size_t)wrote;
        shown++;
    }
    if (number)
        say_warning("%zu %s %s: %s%s", number, number == 1 ? "input" : "inputs", what, names,
                    number > shown ? ", ..." : "");
}

static bool is_empty(const struct an_ledger_entry *entry)
{
    return entry->status == AN_INPUT_EMPTY;
}

static bool is_repeated(const struct an_ledger_entry *entry)
{
    return entry->repeated;
}

static bool is_counted(const struct an_ledger_entry *entry)
{
    return entry->status == AN_INPUT_COUNTED;
}

static bool is_thin(const struct an_ledger_entry *entry)
{
    return entry->thin;
}

static bool has_memprof(const struct an_ledger_entry *entry)
{
    return entry->status == AN_INPUT_USED && entry->memprof_bytes;
}

static bool has_unnamed(const struct an_ledger_entry *entry)
{
    return entry->status == AN_INPUT_USED && entry->unnamed;
}

static size_t count_flagged(const struct an_ledger *ledger,
                            bool (*flag)(const struct an_ledger_entry *entry))
{
    size_t number = 0;
    for (size_t i = 0; i < ledger->count; i++)
        number += flag(&ledger->entries[i]);
    return number;
}

void ledger_complain(const struct an_ledger *ledger)
{
    char thin[128];
    snprintf(thin, sizeof thin, "thin, with less than a tenth of the median total count of %s",
             with_commas(ledger->median));
    list_rejected(ledger);
    list_flagged(ledger, ledger->empty, "without any data (did the process die early?)", is_empty);
    list_flagged(ledger, ledger->repeated, "named more than once, and merged each time",
                 is_repeated);
    list_flagged(
        ledger, ledger->counted,
        "with the very bytes of others, and left out (--count-copies counts files of other names)",
        is_counted);
    list_flagged(ledger, ledger->thin, thin, is_thin);
    list_flagged(ledger, count_flagged(ledger, has_unnamed),
                 "with functions whose names are not in the file", has_unnamed);
    list_flagged(ledger, count_flagged(ledger, has_memprof),
                 "with a memory profile, which partial results do not keep: left out", has_memprof);
}

static struct json_object *entry_json(const struct an_ledger_entry *entry)
{
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "path", json_text(entry->path, strlen(entry->path)));
    json_object_object_add(json, "status",
                           json_object_new_string(an_input_status_name(entry->status)));
    json_add_number(json, "weight", entry->weight);
    json_add_number(json, "bytes", entry->bytes);
    if (entry->status == AN_INPUT_USED) {
        json_object_object_add(json, "format",
                               entry->format ? json_object_new_string(entry->format) : NULL);
        json_object_object_add(json, "version", json_object_new_int64(entry->version));
        json_add_number(json, "functions", entry->functions);
        json_add_number(json, "total_count", entry->total_count);
        json_add_number(json, "unnamed_functions", entry->unnamed);
        json_add_number(json, "memprof_bytes_left_out", entry->memprof_bytes);
    }
    if (entry->has_digest) {
        char digest[AN_DIGEST_TEXT];
        json_object_object_add(json, "digest",
                               json_object_new_string(an_digest_format(&entry->digest, digest)));
    }
    if (entry->partial)
        json_object_object_add(json, "partial", json_text(entry->partial, strlen(entry->partial)));
    json_add_flag(json, "repeated", entry->repeated);
    json_add_flag(json, "thin", entry->thin);
    if (entry->error) {
        struct json_object *error = json_object_new_object();
        json_object_object_add(error, "code",
                               json_object_new_string(an_code_name(entry->error->code)));
        if (entry->error->offset != AN_NO_OFFSET)
            json_add_number(error, "offset", entry->error->offset);
        json_object_object_add(error, "what",
                               json_text(entry->error->what, strlen(entry->error->what)));
        if (entry->error->hint[0])
            json_object_object_add(error, "hint", json_object_new_string(entry->error->hint));
        json_object_object_add(json, "error", error);
    }
    return json;
}

struct json_object *ledger_json(const struct an_ledger *ledger)
{
    struct json_object *json = json_document();
    struct json_object *inputs = json_object_new_array();
    json_add_number(json, "inputs_named", ledger->count);
    json_add_number(json, "used", ledger->used);
    json_add_number(json, "rejected", ledger->rejected);
    json_add_number(json, "empty", ledger->empty);
    json_add_number(json, "repeated", ledger->repeated);
    json_add_number(json, "counted", ledger->counted);
    json_add_number(json, "partials", ledger->partials);
    json_add_number(json, "thin", ledger->thin);
    json_add_number(json, "total_count", ledger->total_count);
    json_add_number(json, "median_total", ledger->median);
    for (size_t i = 0; i < ledger->count; i++)
        json_object_array_add(inputs, entry_json(&ledger->entries[i]));
    json_object_object_add(json, "inputs", inputs);
    return json;
}

bool ledger_json_write(struct json_object *json, const char *path)
{
    size_t length;
    const char *text = json_object_to_json_string_length(
        json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE, &length);
    struct {
        char *bytes;
        size_t size;
    } line = {malloc(length + 1), length + 1};
    bool done = text && line.bytes;
    if (done) {
        memcpy(line.bytes, text, length);
        line.bytes[length] = '\n';
        done = write_result(path, line.bytes, line.size, true);
    } else {
        say_error("out of memory");
    }
    free(line.bytes);
    return done;
}

bool ledger_write(const struct an_ledger *ledger, const char *path)
{
    struct json_object *json = ledger_json(ledger);
    bool done = ledger_json_write(json, path);
    json_object_put(json);
    return done;
}
