/* The inputs of anneal order: whatever tells in which order a run entered its functions, or which ran most. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/partial.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/kind.h"
#include "cli/core/ledger_view.h"
#include "cli/core/output.h"
#include "cli/family/commands.h"
#include "order.h"

/* ---- files ---- */

static bool is_number(const char *at, const char *stop)
{
    const char *first = at;
    while (at < stop && (isxdigit((unsigned char)*at) || (at == first + 1 && *at == 'x')))
        at++;
    while (at < stop && isspace((unsigned char)*at))
        at++;
    return at == stop && isdigit((unsigned char)*first);
}

/*
 * The text form of LLVM's profiles begins with its kind (":ir") or with a function: a name, and its hash as a number in
 * the next line. No list of names has a number among them.
 */
static bool is_llvm_text(struct an_bytes bytes)
{
    const char *at = (const char *)bytes.data, *end = at + bytes.size;
    for (int lines = 0; at < end && lines < 2;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        bool counts = stop > at && *at != '#';
        if (counts && lines == 0 && *at == ':')
            return true;
        if (counts && lines == 1)
            return is_number(at, stop);
        lines += counts;
        at = newline ? newline + 1 : end;
    }
    return false;
}

/* A list of names has names only: lines of text without blanks, but for comments. */
static bool is_list(struct an_bytes bytes)
{
    bool in_comment = false, at_start = true;
    for (size_t i = 0; i < bytes.size && i < 65536; i++) {
        uint8_t c = bytes.data[i];
        if (c == '\n') {
            in_comment = false;
            at_start = true;
            continue;
        }
        if (at_start && c == '#')
            in_comment = true;
        at_start = false;
        if (c < ' ' && c != '\t' && c != '\r')
            return false;
        if (c == ' ' && !in_comment && i + 1 < bytes.size && bytes.data[i + 1] > ' ' &&
            bytes.data[0] != '-' && bytes.data[0] != '+')
            return false;
    }
    return true;
}

static enum an_code refuse(struct an_bytes bytes, struct an_error *error)
{
    const char *kind = an_kind_describe(bytes);
    an_fail(error, AN_UNKNOWN, "%s, which has no order of functions",
            kind         ? kind
            : bytes.size ? "a file of an unknown format"
                         : "an empty file");
    return an_error_hint(error, "expected an LLVM profile, a folder with the gcda files of a "
                                "run, fdata, BOLT's YAML, a recording, or a list of names");
}

static enum an_code add_list(const struct order_request *request, struct an_bytes bytes,
                             struct an_error *error)
{
    if (request->objective != ORDER_HOT)
        return an_behaviour_add_names(request->behaviour, bytes.data, bytes.size, error);
    an_fail(error, AN_UNSUPPORTED, "a list of names, which does not record what is hot");
    return an_error_hint(error, "use it without --hot, or with --blend");
}

/* LLVM's text is like any other, and here it may be a list as well. */
static const struct family *family_of(struct an_bytes bytes)
{
    const struct family *family = family_of_start(bytes.data, bytes.size);
    return !family && is_llvm_text(bytes) ? &family_llvm : family;
}

/* Partial results wait until all of their family are known. */
struct waiting {
    const struct family *family; /* NULL: none is there yet */
    struct inputs inputs;
};

static bool keep_partial(struct waiting *waiting, const struct family *family, const char *path)
{
    if (!family_commands(family)->flatten)
        say_error("%s: is a partial result of %s (anneal merge -o FOLDER makes a folder of it, "
                  "which has an order)",
                  path, family->plural);
    else if (waiting->family && waiting->family != family)
        say_error("%s: is a partial result of %s, and others are of %s", path, family->plural,
                  waiting->family->plural);
    else if (strcmp(path, "-") == 0)
        say_error("a partial result cannot be read from standard input here (name a file)");
    else {
        waiting->family = family;
        inputs_add(&waiting->inputs, path, 1);
        return !waiting->inputs.failed;
    }
    return false;
}

static bool add_partials(const struct order_request *request, const struct waiting *waiting)
{
    const struct family_commands *commands = family_commands(waiting->family);
    struct an_ledger *ledger = NULL;
    struct an_error error;
    void *bytes = NULL;
    size_t size;
    bool done = commands->flatten(&waiting->inputs, &bytes, &size, &ledger, &error) == AN_OK;
    if (done) {
        done =
            commands->order(request, waiting->inputs.items[0].path, (struct an_bytes){bytes, size});
    } else if (ledger && ledger->rejected) {
        ledger_complain(ledger);
        say_error("%zu of %zu inputs rejected", ledger->rejected, ledger->count);
    } else {
        report_error(&error);
    }
    free(bytes);
    an_ledger_free(ledger);
    return done;
}

static bool add_bytes(const struct order_request *request, const char *path, struct an_bytes bytes,
                      struct waiting *waiting)
{
    struct an_error error;
    const struct family *family = family_of(bytes);
    if (family && an_partial_begins(bytes.data, bytes.size))
        return keep_partial(waiting, family, path);
    if (family)
        return family_commands(family)->order(request, path, bytes);
    enum an_code code =
        bytes.size && is_list(bytes) ? add_list(request, bytes, &error) : refuse(bytes, &error);
    return ordering_took(code, &error, path);
}

static bool add_input(const struct order_request *request, const char *path,
                      struct waiting *waiting)
{
    struct an_file file = {0};
    struct an_error error;
    if (an_is_folder(path))
        return family_commands(family_of_folders())->order(request, path, (struct an_bytes){0});
    bool done = ordering_took(an_file_load(&file, path, &error), &error, path) &&
                add_bytes(request, path, file.bytes, waiting);
    an_file_close(&file);
    return done;
}

bool order_add_inputs(const struct order_request *request, char **paths, size_t count)
{
    struct waiting waiting = {0};
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        progress_step("reading");
        done = add_input(request, paths[i], &waiting);
    }
    if (done && waiting.family)
        done = add_partials(request, &waiting);
    inputs_free(&waiting.inputs);
    return done;
}

/* ---- orders ---- */

/* The names of an order file are read as if they were a run. */
static enum an_code place_run(struct ordering *ordering, const struct an_behaviour *listed,
                              const struct an_matches *matches, struct an_error *error)
{
    struct an_behaviour_run run = an_behaviour_run(listed, 0);
    struct an_order order = {(uint32_t *)run.functions, run.count};
    return an_order_place(&order, matches, ordering->image, &ordering->placed, error);
}

bool order_read_file(struct ordering *ordering, const char *path)
{
    struct an_file file = {0};
    struct an_error error;
    struct an_matches *matches = NULL;
    struct an_behaviour *listed = an_behaviour_new();
    enum an_code code = listed ? an_file_load(&file, path, &error) : an_fail_memory(&error);
    if (code == AN_OK)
        code = an_behaviour_add_names(listed, file.bytes.data, file.bytes.size, &error);
    if (code == AN_OK && !an_behaviour_runs(listed))
        code = an_fail(&error, AN_EMPTY, "no names in this order file");
    if (code == AN_OK)
        code = an_matches_find(listed, ordering->image, &matches, &error);
    if (code == AN_OK)
        code = place_run(ordering, listed, matches, &error);
    if (code != AN_OK) {
        an_error_in(&error, path);
        report_error(&error);
    }
    an_file_close(&file);
    an_matches_free(matches);
    an_behaviour_free(listed);
    return code == AN_OK;
}
