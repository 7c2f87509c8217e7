/*
 * A family of profiles that is in no room of the library, to see whether the recipe in CONTRIBUTING.md is all that one
 * more takes. Its profiles are as plain as can be:
 *
 *     #tally
 *     main 1
 *     work 300
 */
#include "tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/ledger.h"
#include "cli/core/output.h"

enum { MOST_ROWS = 100, NAME_SIZE = 64 };
#define HEAD "#tally\n"

struct tally {
    struct row {
        char name[NAME_SIZE];
        uint64_t count;
    } rows[MOST_ROWS];
    size_t count;
};

bool tally_recognise(const void *bytes, size_t size)
{
    return size >= strlen(HEAD) && memcmp(bytes, HEAD, strlen(HEAD)) == 0;
}

static struct row *find(struct tally *tally, const char *name)
{
    for (size_t i = 0; i < tally->count; i++)
        if (strcmp(tally->rows[i].name, name) == 0)
            return &tally->rows[i];
    struct row *row = &tally->rows[tally->count++];
    *row = (struct row){.count = 0};
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

/* ---- the format ---- */

static enum an_code parse(struct tally *tally, struct an_bytes bytes, struct an_error *error)
{
    if (!tally_recognise(bytes.data, bytes.size))
        return an_fail(error, AN_UNKNOWN, "not a tally");
    size_t at = strlen(HEAD);
    while (at < bytes.size && tally->count < MOST_ROWS) {
        char line[2 * NAME_SIZE] = "", name[NAME_SIZE];
        uint64_t count;
        const uint8_t *end = memchr(bytes.data + at, '\n', bytes.size - at);
        size_t length = end ? (size_t)(end - bytes.data) - at : bytes.size - at;
        memcpy(line, bytes.data + at, length < sizeof line ? length : sizeof line - 1);
        if (!end || sscanf(line, "%63s %" SCNu64, name, &count) != 2)
            return an_fail_at(error, AN_MALFORMED, at, "a line that is no name and count");
        find(tally, name)->count += count;
        at += length + 1;
    }
    return AN_OK;
}

static enum an_code read_file(struct tally *tally, const char *path, struct an_error *error)
{
    struct an_file file = {0};
    *tally = (struct tally){.count = 0};
    enum an_code code = an_file_load(&file, path, error);
    if (code == AN_OK && (code = parse(tally, file.bytes, error)) != AN_OK)
        an_error_in(error, path);
    an_file_close(&file);
    return code;
}

static uint64_t total(const struct tally *tally)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < tally->count; i++)
        sum += tally->rows[i].count;
    return sum;
}

/* ---- merge and convert ---- */

static void add(struct tally *into, const struct tally *from, uint64_t weight)
{
    for (size_t i = 0; i < from->count && into->count < MOST_ROWS; i++)
        find(into, from->rows[i].name)->count += from->rows[i].count * weight;
}

static void take(struct tally *sum, struct an_ledger_entry *entry)
{
    struct tally one;
    struct an_error error;
    if (read_file(&one, entry->path, &error) != AN_OK) {
        an_ledger_reject(entry, &error);
        return;
    }
    entry->status = AN_INPUT_USED;
    entry->format = "tally";
    entry->functions = one.count;
    entry->total_count = total(&one);
    add(sum, &one, entry->weight);
}

static bool put(const struct tally *tally, const char *path)
{
    char text[MOST_ROWS * (NAME_SIZE + 24)] = HEAD;
    size_t size = strlen(text);
    for (size_t i = 0; i < tally->count; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s %" PRIu64 "\n",
                                 tally->rows[i].name, tally->rows[i].count);
    return write_result(path, text, size, true);
}

int tally_merge_run(const struct merge_request *request)
{
    struct tally sum = {.count = 0};
    struct an_error error;
    if (merge_refuses_options(request, &family_tally))
        return EXIT_USAGE;
    struct an_ledger *ledger = an_ledger_new(request->inputs.count);
    for (size_t i = 0; ledger && i < request->inputs.count; i++)
        if (an_ledger_name(ledger, i, request->inputs.items[i].path,
                           request->inputs.items[i].weight))
            take(&sum, &ledger->entries[i]);
    if (!ledger || an_ledger_close(ledger, &error) != AN_OK)
        return EXIT_FAILED;
    enum an_code code = an_ledger_judge(ledger, request->merge.failure_mode, &error);
    bool done = merge_report(request, ledger, &family_tally, code) && put(&sum, request->output);
    done = merge_account(request, ledger) && done;
    an_ledger_free(ledger);
    return done ? EXIT_DONE : EXIT_FAILED;
}

int tally_convert_run(const struct merge_request *request)
{
    say_error("%s: is a tally, of which there is one format only",
              input_name(request->inputs.items[0].path));
    return EXIT_FAILED;
}

/* ---- show, diff, order ---- */

int tally_show_run(const struct show_request *request, const struct inputs *inputs)
{
    struct tally tally;
    struct an_error error;
    if (read_file(&tally, inputs->items[0].path, &error) != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    if (!redirect_start(request->output))
        return EXIT_FAILED;
    for (size_t i = 0; i < tally.count; i++)
        printf("%10" PRIu64 "  %s\n", tally.rows[i].count, tally.rows[i].name);
    return redirect_finish(true) ? EXIT_DONE : EXIT_FAILED;
}

int tally_diff(const struct diff_request *request)
{
    struct tally base, test;
    struct an_error error;
    if (read_file(&base, request->base, &error) != AN_OK ||
        read_file(&test, request->test, &error) != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < base.count; i++)
        printf("%s %" PRIu64 " -> %" PRIu64 "\n", base.rows[i].name, base.rows[i].count,
               find(&test, base.rows[i].name)->count);
    return EXIT_DONE;
}

bool tally_order_run(const struct order_request *request, const char *path, struct an_bytes bytes)
{
    struct tally tally = {.count = 0};
    struct an_error error;
    enum an_code code = parse(&tally, bytes, &error);
    for (size_t i = 0; code == AN_OK && i < tally.count; i++)
        code = an_behaviour_add_heat(request->behaviour, tally.rows[i].name, tally.rows[i].count,
                                     &error);
    return ordering_took(code, &error, path);
}
