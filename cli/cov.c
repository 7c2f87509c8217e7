/* anneal cov */
#include "cov.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/percent.h"
#include "command.h"
#include "cov_inputs.h"
#include "ledger_view.h"
#include "output.h"

enum {
    TEXT = 1,
    DIRECTORY,
    HTML,
    TITLE,
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
    FAIL_UNDER,
    KEEP_GOING,
    LEDGER,
    THREADS,
    QUIET,
};

static const struct option_spec options[] = {
    {TEXT, 't', "text", NULL, "print the sources with the count of each line"},
    {DIRECTORY, 'C', "directory", "DIR", "write the text of each source to a file below DIR"},
    {HTML, 0, "html", "DIR", "write an HTML report to DIR, with colours and search"},
    {TITLE, 0, "title", "TEXT", "title of the report (default: Coverage)"},
    {JSON, 0, "json", NULL, "print JSON in the format of gcov, with totals"},
    {FUNCTIONS, 'f', "functions", NULL, "print a table of functions, most called first"},
    {MISSING, 'm', "missing", NULL, "list the lines that never ran"},
    {OUTPUT, 'o', "output", "FILE", "write to FILE (default: standard output)"},
    {BRANCHES, 'b', "branches", NULL, "in texts: show branches and calls"},
    {COUNTS, 'c', "counts", NULL, "in texts: show branches as counts, not percentages"},
    {BLOCKS, 'a', "blocks", NULL, "in texts: show each block"},
    {UNCONDITIONAL, 'u', "unconditional", NULL, "in texts: show unconditional branches, too"},
    {HUMAN, 'H', "human-readable", NULL, "in texts: print counts such as 1.2k"},
    {MANGLED, 0, "mangled", NULL, "do not demangle function names"},
    {INCLUDE, 'i', "include", "GLOB", "show only sources whose name matches; may be repeated"},
    {EXCLUDE, 'x', "exclude", "GLOB", "skip sources whose name matches; may be repeated"},
    {FAIL_UNDER, 0, "fail-under", "PERCENT", "fail if fewer than PERCENT of the lines ran"},
    {KEEP_GOING, 'k', "keep-going", NULL,
     "skip files that are damaged or from another compilation"},
    {LEDGER, 0, "ledger", "FILE", "write what became of each input to FILE, as JSON"},
    {THREADS, 'j', "threads", "N",
     "use N threads (default: one per processor; the result is the "
     "same)"},
    {QUIET, 'q', "quiet", NULL, "print errors only"},
    {0},
};

static const struct option_rule rules[] = {
    /* Counts of instances are in their sources' lines in one, and apart in the other. */
    {EXCLUDES, JSON, {HTML, DIRECTORY, TEXT, FUNCTIONS, MISSING, MANGLED}, {0}},
    {EXCLUDES, TEXT, {FUNCTIONS, MISSING}, {0}},
    {EXCLUDES, MISSING, {FUNCTIONS, DIRECTORY, HTML}, {0}},
    {EXCLUDES, OUTPUT, {DIRECTORY, HTML}, {TEXT, JSON, FUNCTIONS}},
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

static bool add_glob(struct cov_globs *globs, const char *glob)
{
    const char **items = realloc((void *)globs->items, (globs->count + 1) * sizeof *items);
    if (!items) {
        say_error("out of memory");
        return false;
    }
    globs->items = items;
    globs->items[globs->count++] = glob;
    return true;
}

static bool matches(const struct cov_globs *globs, const char *name)
{
    for (size_t i = 0; i < globs->count; i++)
        if (fnmatch(globs->items[i], name, 0) == 0)
            return true;
    return false;
}

bool cov_takes(const struct cov_request *request, const struct an_coverage_source *source)
{
    bool included = request->include.count == 0 || matches(&request->include, source->name);
    return included && !matches(&request->exclude, source->name);
}

static bool take_percentage(const char *text, double *percentage)
{
    char *end;
    *percentage = strtod(text, &end);
    if (end != text && !*end && *percentage >= 0 && *percentage <= 100)
        return true;
    say_error("--fail-under=%s: expected a number from 0 to 100", text);
    return false;
}

static void take_flag(struct cov_request *request, int id)
{
    bool *const flags[] = {
        [TEXT] = &request->text,
        [JSON] = &request->json,
        [FUNCTIONS] = &request->functions,
        [MISSING] = &request->missing,
        [BRANCHES] = &request->annotation.branches,
        [COUNTS] = &request->annotation.counts,
        [BLOCKS] = &request->annotation.blocks,
        [UNCONDITIONAL] = &request->annotation.unconditional,
        [HUMAN] = &request->annotation.human,
        [KEEP_GOING] = &request->keep_going,
        [QUIET] = &request->quiet,
    };
    *flags[id] = true;
}

static bool take(struct cov_request *request, const struct command *command, int id,
                 const char *value)
{
    unsigned long long number = 0;
    switch (id) {
    case DIRECTORY:
        request->directory = value;
        return true;
    case HTML:
        request->html = value;
        return true;
    case TITLE:
        request->title = value;
        return true;
    case OUTPUT:
        request->output = value;
        return true;
    case LEDGER:
        request->ledger = value;
        return true;
    case INCLUDE:
        return add_glob(&request->include, value);
    case EXCLUDE:
        return add_glob(&request->exclude, value);
    case FAIL_UNDER:
        return take_percentage(value, &request->least);
    case THREADS:
        if (!option_number_of(command, id, value, 1024, &number))
            return false;
        request->threads = (unsigned)number;
        return true;
    case MANGLED:
        request->annotation.demangled = false;
        return true;
    default:
        take_flag(request, id);
        return true;
    }
}

/* ---- what is told of the inputs ---- */

static size_t count_rejected(const struct an_ledger *ledger, bool keep_going)
{
    size_t rejected = 0;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct an_error *error = ledger->entries[i].error;
        char text[2048];
        if (!error || rejected++ >= 10)
            continue;
        an_error_format(error, text, sizeof text);
        if (keep_going)
            say_warning("left out: %s", text);
        else
            say_error("%s", text);
    }
    if (rejected > 10)
        say("and %zu more", rejected - 10);
    return rejected;
}

static void tell_uncounted(const struct an_coverage *coverage)
{
    size_t uncounted = 0;
    for (size_t i = 0; i < coverage->object_count; i++)
        uncounted += !coverage->objects[i].has_data;
    if (uncounted)
        say("%zu of %zu object%s left no counts: they never ran, as far as anneal can tell",
            uncounted, coverage->object_count, plural(coverage->object_count));
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

static bool print(const struct cov *cov)
{
    const struct cov_request *request = cov->request;
    if (request->directory && !cov_write_texts(cov))
        return false;
    if (request->html && !cov_write_html(cov))
        return false;
    if (!redirect_start(request->output))
        return false;
    bool done = true;
    if (request->json)
        done = cov_print_json(cov);
    else if (request->text)
        done = cov_print_texts(cov);
    else if (request->functions)
        done = cov_print_functions(cov);
    else if (!request->directory && !request->html)
        cov_print_sources(cov);
    return redirect_finish() && done;
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
    done = done && print(&cov) && suffices(&cov);
    free((void *)cov.sources);
    return done;
}

static int process(struct cov_request *request, const struct cov_inputs *inputs)
{
    char folder[PATH_MAX];
    struct an_coverage_options reading = {.threads = request->threads,
                                          .demangle =
                                              request->annotation.demangled || request->json,
                                          .keep_instances_apart = request->json,
                                          .folder = getcwd(folder, sizeof folder)};
    struct an_coverage *coverage;
    struct an_ledger *ledger;
    struct an_error error;
    if (an_coverage_read(&reading, inputs->objects, inputs->gcno.count, &coverage, &ledger,
                         &error) != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    size_t rejected = inputs->strays + count_rejected(ledger, request->keep_going);
    bool done = !request->ledger || ledger_write(ledger, request->ledger);
    for (size_t i = 0; i < coverage->object_count; i++)
        request->annotation.may_lack_counts |= coverage->objects[i].may_lack_counts;
    if (rejected && !request->keep_going) {
        say("nothing shown (--keep-going skips such files)");
        done = false;
    }
    done = done && show(request, coverage);
    an_coverage_free(coverage);
    an_ledger_free(ledger);
    return done ? EXIT_DONE : EXIT_FAILED;
}

static int run_operands(struct cov_request *request, const struct option_parser *parser)
{
    struct cov_inputs inputs = {.failed = false};
    int status = EXIT_FAILED;
    for (size_t i = 0; i < parser->operand_count && !inputs.failed; i++)
        cov_inputs_add(&inputs, parser->operands[i]);
    if (!inputs.failed)
        cov_inputs_match(&inputs);
    if (!inputs.failed)
        status = process(request, &inputs);
    cov_inputs_free(&inputs);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct cov_request request = {.annotation.demangled = true};
    struct option_parser parser;
    const char *value;
    int id, status = EXIT_USAGE;
    if (!option_start(&parser, command, argc, argv))
        return EXIT_FAILED;
    while ((id = option_next(&parser, &value)) > 0)
        if (!take(&request, command, id, value))
            break;
    if (id == OPTION_HELP) {
        status = EXIT_DONE;
    } else if (id == OPTION_END && parser.operand_count == 0) {
        say_error("no input (name objects, their gcno and gcda, or folders of them)");
        say("try '%s %s --help'", program_name, command->name);
    } else if (id == OPTION_END) {
        status = run_operands(&request, &parser);
    }
    option_finish(&parser);
    free((void *)request.include.items);
    free((void *)request.exclude.items);
    return status;
}

const struct command command_cov = {
    .name = "cov",
    .operands = "OBJECT|GCNO|GCDA|FOLDER...",
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
        "The counts are those of gcov 12; anneal-gcov(1) prints them in gcov's own format. Names "
        "of sources are relative to the current folder if they are below it.\n\n"
        "The exit status is 1 if a file is damaged or comes from another compilation than its "
        "control flow (nothing is shown then, unless --keep-going is given), or if --fail-under "
        "is not met.",
    .options = options,
    .rules = rules,
    .examples = "anneal cov build\n"
                "    print a table of all sources of the objects below build\n"
                "anneal cov --missing -x '/usr/*' build run1 run2\n"
                "    add up two runs, and list the lines that never ran\n"
                "anneal cov --html report -x '/usr/*' build\n"
                "    write a report: open report/index.html\n"
                "anneal cov -t -b -i 'src/parse*' build\n"
                "    print the parser with counts of lines and branches\n",
    .see_also = "anneal-gcov(1), anneal-merge(1), gcov(1)",
    .run = run,
};
