/* The inputs of anneal order: whatever tells in which order a run entered its functions, or which ran most. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <anneal/fdata.h>
#include <anneal/gcc.h>

#include "base/file.h"
#include "base/kind.h"
#include "branch/perf_data.h"
#include "branch/perf_script.h"
#include "command.h"
#include "gcc_view.h"
#include "ordering.h"
#include "output.h"
#include "llvm/indexed.h"
#include "llvm/raw.h"

/* ---- a run's counter files ---- */

struct entry {
    uint64_t first_run;
    const char *name;
};

static int by_first_run(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    if (left->first_run != right->first_run)
        return left->first_run < right->first_run ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Functions with a name and a place in the order of first runs. */
static size_t list_entries(const struct gcc_view *view, struct entry *entries, size_t *nameless)
{
    size_t count = 0;
    *nameless = 0;
    for (size_t i = 0; i < view->function_count; i++) {
        const struct an_survey_function *function = view->functions[i].function;
        if (function->first_run && function->name)
            entries[count++] = (struct entry){function->first_run, function->name};
        else
            *nameless += function->first_run != 0;
    }
    qsort(entries, count, sizeof *entries, by_first_run);
    return count;
}

static enum an_code add_entries(struct an_behaviour *behaviour, const struct entry *entries,
                                size_t count, struct an_error *error)
{
    const char **names = malloc((count + 1) * sizeof *names);
    if (!names)
        return an_fail_memory(error);
    for (size_t i = 0; i < count; i++)
        names[i] = entries[i].name;
    enum an_code code = an_behaviour_add_run(behaviour, names, count, 1, error);
    free(names);
    return code;
}

static bool add_run(struct an_behaviour *behaviour, const struct gcc_view *view, const char *path)
{
    struct an_error error;
    struct entry *entries = malloc((view->function_count + 1) * sizeof *entries);
    if (!entries) {
        say_error("out of memory");
        return false;
    }
    size_t nameless, count = list_entries(view, entries, &nameless);
    enum an_code code = count ? add_entries(behaviour, entries, count, &error) : AN_EMPTY;
    free(entries);
    if (count && code != AN_OK)
        report_error(&error);
    else if (!count && nameless)
        say_error("%s: no gcno files with the names of its functions (also compile for training "
                  "with -ftest-coverage; --notes=FOLDER says where they are)",
                  path);
    else if (!count)
        say_error("%s: its counter files do not record when functions first ran (GCC's do with "
                  "-fprofile-generate, not with --coverage)",
                  path);
    return code == AN_OK;
}

static bool add_counts(struct an_behaviour *behaviour, const struct gcc_view *view,
                       const char *path)
{
    struct an_error error;
    size_t named = 0, nameless = 0;
    for (size_t i = 0; i < view->function_count; i++) {
        const struct an_survey_function *function = view->functions[i].function;
        nameless += function->total && !function->name;
        if (!function->total || !function->name)
            continue;
        named++;
        if (an_behaviour_add_heat(behaviour, function->name, function->total, &error) != AN_OK) {
            report_error(&error);
            return false;
        }
    }
    if (!named && nameless)
        say_error("%s: no gcno files with the names of its functions (also compile for training "
                  "with -ftest-coverage; --notes=FOLDER says where they are)",
                  path);
    else if (!named)
        say_error("%s: nothing ran", path);
    return named;
}

static bool add_counter_files(const struct ordering *ordering, const char *path, const char *notes)
{
    struct inputs inputs = {0};
    struct gcc_view view = {0};
    inputs_add(&inputs, path, 1);
    if (!inputs.failed && !inputs.count)
        say_error("%s: no counter files (gcda) in this folder, which is to be that of a run", path);
    bool done = !inputs.failed && inputs.count && gcc_view_read(&view, &inputs, notes);
    if (done && ordering->objective != ORDER_HOT)
        done = add_run(ordering->behaviour, &view, path);
    if (done && ordering->objective != ORDER_START)
        done = add_counts(ordering->behaviour, &view, path);
    gcc_view_free(&view);
    inputs_free(&inputs);
    return done;
}

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

static bool is_llvm(struct an_bytes bytes)
{
    return an_indexed_recognise(bytes) || an_raw_recognise(bytes) || is_llvm_text(bytes);
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
                                "run, fdata, a recording, or a list of names");
}

/* A profile may have traces, which a blend takes if they are there. */
static enum an_code add_llvm(const struct ordering *ordering, struct an_bytes bytes,
                             struct an_error *error)
{
    enum an_code code = AN_OK;
    if (ordering->objective != ORDER_START)
        code = an_behaviour_add_llvm_counts(ordering->behaviour, bytes.data, bytes.size, error);
    if (code == AN_OK && ordering->objective != ORDER_HOT)
        code = an_behaviour_add_llvm(ordering->behaviour, bytes.data, bytes.size, error);
    return code == AN_UNSUPPORTED && ordering->objective == ORDER_BLEND ? AN_OK : code;
}

static enum an_code add_fdata(const struct ordering *ordering, struct an_bytes bytes,
                              struct an_error *error)
{
    if (ordering->objective != ORDER_START)
        return an_behaviour_add_fdata(ordering->behaviour, bytes.data, bytes.size, error);
    an_fail(error, AN_UNSUPPORTED, "a branch profile, which does not record what ran first");
    return an_error_hint(error, "use it with --hot or --blend, or name the recording itself");
}

static enum an_code add_list(const struct ordering *ordering, struct an_bytes bytes,
                             struct an_error *error)
{
    if (ordering->objective != ORDER_HOT)
        return an_behaviour_add_names(ordering->behaviour, bytes.data, bytes.size, error);
    an_fail(error, AN_UNSUPPORTED, "a list of names, which does not record what is hot");
    return an_error_hint(error, "use it without --hot, or with --blend");
}

static enum an_code add_bytes(const struct ordering *ordering, struct an_bytes bytes,
                              struct an_error *error)
{
    if (an_fdata_recognise(bytes.data,
                           bytes.size)) /* before LLVM's text, whose second line has digits, too */
        return add_fdata(ordering, bytes, error);
    if (is_llvm(bytes))
        return add_llvm(ordering, bytes, error);
    if (bytes.size && is_list(bytes))
        return add_list(ordering, bytes, error);
    return refuse(bytes, error);
}

static enum an_code add_recording(const struct ordering *ordering, const char *path,
                                  const struct order_sources *sources, struct an_error *error)
{
    if (ordering->image)
        return an_behaviour_add_recording(ordering->behaviour, ordering->image, path,
                                          &sources->recording, error);
    an_fail(error, AN_UNSUPPORTED, "a recording, which has only addresses");
    return an_error_hint(error, "name the recorded binary with -b");
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool order_add_input(const struct ordering *ordering, const char *path,
                     const struct order_sources *sources)
{
    struct an_file file = {0};
    struct an_error error;
    if (is_folder(path))
        return add_counter_files(ordering, path, sources->notes);
    enum an_code code = an_file_load(&file, path, &error);
    bool is_gcda = code == AN_OK && an_gcc_is_gcda(file.bytes.data, file.bytes.size);
    bool is_recording =
        code == AN_OK && (an_perf_recognise(file.bytes) || an_perf_script_recognise(file.bytes));
    if (code == AN_OK && !is_gcda && !is_recording)
        code = add_bytes(ordering, file.bytes, &error);
    an_file_close(&file);
    if (is_gcda)
        return add_counter_files(ordering, path, sources->notes);
    if (is_recording)
        code = add_recording(ordering, path, sources, &error);
    if (code != AN_OK) {
        if (!error.file[0])
            an_error_in(&error, path);
        report_error(&error);
    }
    return code == AN_OK;
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
