/* anneal cov */
#include "cov.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/percent.h"
#include "cli/core/amounts.h"
#include "cli/core/command.h"
#include "cli/core/ledger_view.h"
#include "cli/core/output.h"
#include "inputs.h"

enum {
    TEXT = 1,
    DIRECTORY,
    HTML,
    TITLE,
    LCOV,
    COBERTURA,
    JSON,
    FUNCTIONS,
    MISSING,
    OUTPUT,
    BRANCHES,
    COUNTS,
    BLOCKS,
    UNCONDITIONAL,
    HUMAN,
    MANGLED,
    INCLUDE,
    EXCLUDE,
    MAP,
    SOURCE_ROOT,
    FAIL_UNDER,
    FAILURE_MODE,
    LEDGER,
    THREADS,
    QUIET,
};

static const struct option_spec options[] = {
    {TEXT, 't', "text", NULL, "print the sources with the count of each line",
     VALUE_OF(struct cov_request, text)},
    {DIRECTORY, 'C', "directory", "DIR", "write the text of each source to a file below DIR",
     VALUE_OF(struct cov_request, directory)},
    {HTML, 0, "html", "DIR", "write an HTML report to DIR, with colours and search",
     VALUE_OF(struct cov_request, html)},
    {TITLE, 0, "title", "TEXT", "title of the report (default: Coverage)",
     VALUE_OF(struct cov_request, title)},
    {LCOV, 0, "lcov", "FILE", "write a tracefile of lcov, for genhtml or Codecov; - is stdout",
     VALUE_OF(struct cov_request, lcov)},
    {COBERTURA, 0, "cobertura", "FILE", "write Cobertura's XML, for GitLab or Jenkins; - is stdout",
     VALUE_OF(struct cov_request, cobertura)},
    JSON_ROW(JSON, "print JSON in the format of gcov, with totals",
             VALUE_OF(struct cov_request, json)),
    {FUNCTIONS, 'f', "functions", NULL, "print a table of functions, most called first",
     VALUE_OF(struct cov_request, functions)},
    {MISSING, 'm', "missing", NULL, "list the lines that never ran",
     VALUE_OF(struct cov_request, missing)},
    OUTPUT_ROW(OUTPUT, VALUE_OF(struct cov_request, output)),
    {BRANCHES, 'b', "branches", NULL, "in texts: show branches and calls",
     VALUE_OF(struct cov_request, text_options.branches)},
    {COUNTS, 'c', "counts", NULL, "in texts: show branches as counts, not percentages",
     VALUE_OF(struct cov_request, text_options.counts)},
    {BLOCKS, 'a', "blocks", NULL, "in texts: show each block",
     VALUE_OF(struct cov_request, text_options.blocks)},
    {UNCONDITIONAL, 'u', "unconditional", NULL, "in texts: show unconditional branches, too",
     VALUE_OF(struct cov_request, text_options.unconditional)},
    {HUMAN, 'H', "human-readable", NULL, "in texts: print counts such as 1.2k",
     VALUE_OF(struct cov_request, text_options.human)},
    {MANGLED, 0, "mangled", NULL, "do not demangle function names", TAKEN},
    {INCLUDE, 'i', "include", "GLOB", "show only sources whose name matches; may be repeated",
     VALUE_OF(struct cov_request, include)},
    {EXCLUDE, 'x', "exclude", "GLOB", "skip sources whose name matches; may be repeated",
     VALUE_OF(struct cov_request, exclude)},
    {MAP, 0, "map", "OLD=NEW",
     "look for sources of the folder OLD, as the compiler was told, in NEW; may be repeated",
     VALUE_OF(struct cov_request, map_texts)},
    {SOURCE_ROOT, 0, "source-root", "DIR",
     "look below DIR for sources that are not where they were compiled",
     VALUE_OF(struct cov_request, source_root)},
    {FAIL_UNDER, 0, "fail-under", "PERCENT", "fail if fewer than PERCENT of the lines ran", TAKEN},
    {FAILURE_MODE, 0, "failure-mode", "MODE",
     "fail if any file is damaged or from another compilation (any, the default), only if all are "
     "(all), or never (warn): such files are skipped",
     WORD_OF(struct cov_request, failure_mode, failure_modes)},
    {FAILURE_MODE, 'k', "keep-going", NULL, NULL, MEANS("warn")},
    {LEDGER, 0, "ledger", "FILE", "write what became of each input to FILE, as JSON",
     VALUE_OF(struct cov_request, ledger)},
    THREADS_ROW(THREADS, THREADS_OF(struct cov_request, threads)),
    QUIET_ROW(QUIET, VALUE_OF(struct cov_request, quiet)),
    {0},
};

static const struct option_rule rules[] = {
    /* Counts of instances are in their sources' lines in one, and apart in the other. */
    {EXCLUDES, JSON, {HTML, DIRECTORY, TEXT, FUNCTIONS, MISSING, MANGLED, LCOV, COBERTURA}, {0}},
    {EXCLUDES, TEXT, {FUNCTIONS, MISSING}, {0}},
    {EXCLUDES, MISSING, {FUNCTIONS, DIRECTORY, HTML, LCOV, COBERTURA}, {0}},
    {EXCLUDES, OUTPUT, {DIRECTORY, HTML, LCOV, COBERTURA}, {TEXT, JSON, FUNCTIONS}},
    {NEEDS, TITLE, {HTML}, {0}},
    {NEEDS, BRANCHES, {TEXT, DIRECTORY}, {0}},
    {NEEDS, COUNTS, {BRANCHES}, {0}},
    {NEEDS, BLOCKS, {TEXT, DIRECTORY}, {0}},
    {NEEDS, UNCONDITIONAL, {BRANCHES, BLOCKS}, {0}},
    {NEEDS, HUMAN, {TEXT, DIRECTORY}, {0}},
    {NEEDS, MANGLED, {TEXT, DIRECTORY, FUNCTIONS}, {0}},
    {0},
};

/* ---- what is wanted ---- */

static bool take_percentage(const char *text, double *percentage)
{
    char *end;
    *percentage = strtod(text, &end);
    if (end != text && !*end && *percentage >= 0 && *percentage <= 100)
        return true;
    say_error("--fail-under=%s: expected a number from 0 to 100", text);
    return false;
}

static bool take(const struct command *command, void *values, int id, const char *value)
{
    struct cov_request *request = values;
    (void)command;
    if (id == FAIL_UNDER)
        return take_percentage(value, &request->least);
    request->text_options.demangled = false;
    return true;
}

/* ---- what is told of the inputs ---- */

static void tell_rejected(const struct an_ledger *ledger, bool are_skipped)
{
    enum { MOST = 10 };
    size_t told = 0;
    for (size_t i = 0; i < ledger->count && told < MOST; i++) {
        const struct an_error *error = ledger->entries[i].error;
        char text[2048];
        if (!error)
            continue;
        told++;
        an_error_format(error, text, sizeof text);
        if (are_skipped)
            say_warning("left out: %s", text);
        else
            say_error("%s", text);
    }
    if (ledger->rejected > told)
        say("and %zu more", ledger->rejected - told);
}

/* What has no functions, as the notes that linking with -flto leaves, has no counts to leave. */
static void tell_uncounted(const struct an_coverage *coverage)
{
    size_t uncounted = 0, all = 0;
    for (size_t i = 0; i < coverage->object_count; i++) {
        if (coverage->objects[i].function_count == 0)
            continue;
        all++;
        uncounted += !coverage->objects[i].has_data;
    }
    if (uncounted)
        say("%zu of %zu object%s left no counts: they never ran, as far as anneal can tell",
            uncounted, all, plural(all));
}

static bool is_newer(const struct an_coverage *coverage, const struct an_coverage_mention *mention,
                     int64_t modified)
{
    struct stat info;
    return stat(coverage->sources[mention->source].path, &info) == 0 && info.st_mtime > modified;
}

static void tell_newer(const struct an_coverage *coverage)
{
    bool *newer = calloc(coverage->source_count + 1, sizeof *newer);
    size_t count = 0, example = 0;
    for (size_t i = 0; newer && i < coverage->object_count; i++) {
        const struct an_coverage_object *object = &coverage->objects[i];
        for (size_t k = 0; k < object->mention_count; k++) {
            size_t source = object->mentions[k].source;
            if (newer[source] || !is_newer(coverage, &object->mentions[k], object->modified))
                continue;
            newer[source] = true;
            example = count++ ? example : source;
        }
    }
    free(newer);
    if (count)
        say_warning("%zu source%s changed since the program was compiled, such as %s: lines may "
                    "have moved",
                    count, plural(count), coverage->sources[example].name);
}

static bool is_below_zero(const struct an_coverage_source *source, uint32_t *number)
{
    for (size_t i = 0; i < source->line_count; i++)
        if (source->lines[i].is_below_zero) {
            *number = source->lines[i].number;
            return true;
        }
    for (size_t i = 0; i < source->function_count; i++)
        for (size_t k = 0; k < source->functions[i].line_count; k++)
            if (source->functions[i].lines[k].is_below_zero) {
                *number = source->functions[i].lines[k].number;
                return true;
            }
    return false;
}

/* Whatever is printed, for such a source has counts that are too small. */
static void tell_below_zero(const struct cov *cov)
{
    size_t count = 0, example = 0;
    uint32_t number, first = 0;
    for (size_t i = 0; i < cov->source_count; i++) {
        if (!is_below_zero(cov->sources[i], &number))
            continue;
        first = count ? first : number;
        example = count++ ? example : i;
    }
    if (count)
        say_warning("%zu source%s counts below 0, which are taken for 0, such as line %u of %s: "
                    "threads lost some (-fprofile-update=atomic prevents that)",
                    count, count == 1 ? " has" : "s have", first, cov->sources[example]->name);
}

/* ---- results ---- */

static int by_name(const void *one, const void *other)
{
    const struct an_coverage_source *const *a = one, *const *b = other;
    return strcmp((*a)->name, (*b)->name);
}

static bool choose(struct cov *cov)
{
    const struct an_coverage *coverage = cov->coverage;
    cov->sources = calloc(coverage->source_count + 1, sizeof *cov->sources);
    if (!cov->sources) {
        say_error("out of memory");
        return false;
    }
    for (size_t i = 0; i < coverage->source_count; i++) {
        const struct an_coverage_source *source = &coverage->sources[i];
        if (source->totals.lines == 0 || !cov_takes(cov->request, source))
            continue;
        cov->sources[cov->source_count++] = source;
        an_coverage_totals_add(&cov->totals, &source->totals);
    }
    qsort((void *)cov->sources, cov->source_count, sizeof *cov->sources, by_name);
    return true;
}

/* The forms for standard output, one of which an option asks for; the rules of the options keep others apart. */
static const struct form {
    size_t wanted; /* a bool of the request */
    bool (*print)(const struct cov *cov);
} forms[] = {
    {offsetof(struct cov_request, json), cov_print_json},
    {offsetof(struct cov_request, text), cov_print_texts},
    {offsetof(struct cov_request, functions), cov_print_functions},
};

/* What nobody asks for is the table of sources, unless folders were written. */
static bool print(const struct cov *cov)
{
    const struct cov_request *request = cov->request;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (*(const bool *)((const char *)request + forms[i].wanted))
            return forms[i].print(cov);
    return request->directory || request->html || request->lcov || request->cobertura ||
           cov_print_sources(cov);
}

static bool render(const struct cov *cov)
{
    const struct cov_request *request = cov->request;
    if (request->directory && !cov_write_texts(cov))
        return false;
    if (request->html && !cov_write_html(cov))
        return false;
    if (!cov_write_exports(cov))
        return false;
    if (!redirect_start(request->output))
        return false;
    bool done = print(cov);
    return redirect_finish(done);
}

/* The part of the lines that ran has to be large enough. */
static bool suffices(const struct cov *cov)
{
    double part = cov->totals.lines
                      ? 100.0 * (double)cov->totals.lines_executed / (double)cov->totals.lines
                      : 0;
    if (part >= cov->request->least)
        return true;
    say_error("%.2f%% of the lines ran, less than %g%% (--fail-under)",
              an_percent(cov->totals.lines_executed, cov->totals.lines, 2), cov->request->least);
    return false;
}

static bool show(const struct cov_request *request, const struct an_coverage *coverage)
{
    struct cov cov = {.request = request, .coverage = coverage};
    if (!request->quiet) {
        tell_uncounted(coverage);
        tell_newer(coverage);
    }
    bool done = choose(&cov);
    if (done && cov.source_count == 0) {
        say_error("no source has lines%s", request->include.count || request->exclude.count
                                               ? " left by --include and --exclude"
                                               : "");
        done = false;
    }
    if (done)
        tell_below_zero(&cov);
    done = done && render(&cov) && suffices(&cov);
    free((void *)cov.sources);
    return done;
}

static int process(struct cov_request *request, const struct cov_inputs *inputs)
{
    char folder[PATH_MAX];
    struct an_coverage_options reading = {.size = sizeof reading,
                                          .threads = request->threads,
                                          .demangle =
                                              request->text_options.demangled || request->json,
                                          .keep_instances_apart = request->json,
                                          .folder = getcwd(folder, sizeof folder),
                                          .maps = request->maps,
                                          .map_count = request->map_texts.count,
                                          .source_root = request->source_root};
    struct an_coverage *coverage;
    struct an_ledger *ledger;
    struct an_error error;
    if (an_coverage_read(&reading, inputs->objects, inputs->gcno.count, &coverage, &ledger,
                         &error) != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    size_t rejected = inputs->strays + ledger->rejected;
    bool are_skipped =
        request->failure_mode == AN_FAIL_WARN ||
        (request->failure_mode == AN_FAIL_ALL && rejected < inputs->strays + ledger->count);
    tell_rejected(ledger, are_skipped);
    bool done = !request->ledger || ledger_write(ledger, request->ledger);
    for (size_t i = 0; i < coverage->object_count; i++)
        request->text_options.may_lack_counts |= coverage->objects[i].may_lack_counts;
    if (rejected && !are_skipped) {
        say("nothing shown (--failure-mode=warn skips such files)");
        done = false;
    }
    done = done && show(request, coverage);
    an_coverage_free(coverage);
    an_ledger_free(ledger);
    return done ? EXIT_DONE : EXIT_FAILED;
}

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* Whether two would be mixed on standard output. */
static bool has_two_results(const struct cov_request *request)
{
    bool prints =
        (request->text || request->functions) && (!request->output || is_stdout(request->output));
    return is_stdout(request->lcov) + is_stdout(request->cobertura) + prints > 1;
}

static int act(void *values, const struct option_parser *parser)
{
    struct cov_request *request = values;
    struct cov_inputs inputs = {.failed = false};
    if (parser->operand_count == 0) {
        say_error("no input (name objects, their gcno and gcda, or folders of them)");
        usage_hint(parser->command);
        return EXIT_USAGE;
    }
    if (has_two_results(request)) {
        say_error("standard output takes one result: name a file for --lcov or --cobertura");
        usage_hint(parser->command);
        return EXIT_USAGE;
    }
    int status = cov_maps_take(request);
    if (status != EXIT_DONE) {
        cov_maps_free(request);
        return status;
    }
    status = EXIT_FAILED;
    for (size_t i = 0; i < parser->operand_count && !inputs.failed; i++)
        cov_inputs_add(&inputs, parser->operands[i]);
    if (!inputs.failed)
        cov_inputs_match(&inputs, request->quiet);
    if (!inputs.failed)
        status = process(request, &inputs);
    cov_inputs_free(&inputs);
    cov_maps_free(request);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct cov_request request = {
        .text_options = {.size = sizeof request.text_options, .demangled = true}};
    return option_run(command, argc, argv, &request, take, act);
}

const struct command command_cov = {
    .name = "cov",
    .operands = "OBJECT|GCNO|GCDA|DIR...",
    .summary = "show which lines of a program ran, and how often",
    .description =
        "Combines the control flow that the compiler recorded (gcno) with the counts of the runs "
        "(gcda), from GCC or clang with --coverage. Without options, it prints a table of the "
        "sources: how many of their lines and functions ran, and how many branches were "
        "taken.\n\n"
        "Folders are searched for both kinds of files. Counts find their control flow by the "
        "stamp of the compilation, wherever the files are, so folders of several runs "
        "(GCOV_PREFIX) can be named beside the folder of the objects: all counts of an object "
        "are added up. An object without counts never ran.\n\n"
        "The counts are those of gcov 12 for what GCC made, and of llvm-cov for what clang made; "
        "anneal-gcov(1) prints counts as gcov does. Names "
        "of sources are relative to the current folder if they are below it.\n\n"
        "The exit status is 1 if a file is damaged or comes from another compilation than its "
        "control flow (nothing is shown then, unless --failure-mode=warn is given), or if "
        "--fail-under "
        "is not met.",
    .options = options,
    .rules = rules,
    .examples = "anneal cov build\n"
                "    print a table of all sources of the objects below build\n"
                "anneal cov --missing -x '/usr/*' build run1 run2\n"
                "    add up two runs, and list the lines that never ran\n"
                "anneal cov --html report -x '/usr/*' build\n"
                "    write a report: open report/index.html\n"
                "anneal cov --lcov=app.info -x '/usr/*' build\n"
                "    write a tracefile for genhtml or Codecov\n"
                "anneal cov -t -b -i 'src/parse*' build\n"
                "    print the parser with counts of lines and branches\n",
    .see_also = "anneal-gcov(1), anneal-merge(1), gcov(1)",
    .run = run,
};
