/*
 * The gcov personality: the options of GCC's tool, the files that it writes, what it says and its exit codes, so that
 * anneal drops into scripts and other programs that call it. Releases of gcov differ; it is the one of the compiler that
 * made the files, as long as nobody asks for another.
 */
#include "gcov.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/version.h>

#include "base/memory.h"
#include "cli/core/command.h"
#include "cli/core/output.h"

enum {
    ALL_BLOCKS = 1,
    BRANCHES,
    COUNTS,
    PROGRESS,
    DEBUG,
    FUNCTIONS,
    HELP,
    HUMAN,
    JSON,
    OLD_JSON,
    COLOURS,
    LONG_NAMES,
    DEMANGLED,
    NO_OUTPUT,
    OBJECT,
    OBJECT_FILE,
    PRESERVE_PATHS,
    HOT_COLOURS,
    RELATIVE_ONLY,
    PREFIX,
    STDOUT,
    UNCONDITIONAL,
    VERSION,
    VERBOSE,
    HASH,
    CONDITIONS,
    PATHS,
    PATH_LINES,
    PATH_SOURCES,
    INCLUDE,
    EXCLUDE,
    ON_DEMANGLED,
    GCC_VERSION,
};

enum {
    LEAST_RELEASE = 4,
    MOST_RELEASE = 99
}; /* each is taken for the nearest one whose output is known */

static const struct option_spec options[] = {
    {ALL_BLOCKS, 'a', "all-blocks", NULL, "show each block", TAKEN},
    {BRANCHES, 'b', "branch-probabilities", NULL, "show branches and calls", TAKEN},
    {COUNTS, 'c', "branch-counts", NULL, "show branches as counts, not percentages", TAKEN},
    {CONDITIONS, 'g', "conditions", NULL,
     "show what covers the terms of conditions (-fcondition-coverage of GCC 14 and later)", TAKEN},
    {PATHS, 'e', "prime-paths", NULL,
     "show how many prime paths were taken (-fpath-coverage of GCC 15 and later)", TAKEN},
    {PATH_LINES, 0, "prime-paths-lines", "TYPE",
     "show prime paths by numbers of lines: uncovered ones (default), covered ones, or both",
     MEANS("uncovered")},
    {PATH_SOURCES, 0, "prime-paths-source", "TYPE",
     "show prime paths with their lines: uncovered ones (default), covered ones, or both",
     MEANS("uncovered")},
    {PROGRESS, 'd', "display-progress", NULL, "show which file is being read", TAKEN},
    {DEBUG, 'D', "debug", NULL, "print details of blocks and lines, for debugging", TAKEN},
    {FUNCTIONS, 'f', "function-summaries", NULL, "show a summary of each function", TAKEN},
    {INCLUDE, 0, "include", "REGEX",
     "show only functions whose names this expression fits; of several expressions, the last one "
     "that fits decides",
     TAKEN_EACH},
    {EXCLUDE, 0, "exclude", "REGEX", "leave out functions whose names this expression fits",
     TAKEN_EACH},
    {HELP, 'h', "usage", NULL, NULL, TAKEN},
    {HUMAN, 'H', "human-readable", NULL, "print counts such as 1.2k", TAKEN},
    {JSON, 'j', "json-format", NULL, "write JSON to a file NAME.gcov.json.gz", TAKEN},
    {OLD_JSON, 'i', "intermediate-format", NULL, NULL, TAKEN},
    {COLOURS, 'k', "use-colors", NULL, "use colours for what never ran", TAKEN},
    {LONG_NAMES, 'l', "long-file-names", NULL,
     "prefix the names of written files with the operand and ##", TAKEN},
    {DEMANGLED, 'm', "demangled-names", NULL, "demangle function names", TAKEN},
    {ON_DEMANGLED, 'M', "filter-on-demangled", NULL,
     "look at demangled names in --include and --exclude", TAKEN},
    {NO_OUTPUT, 'n', "no-output", NULL, "write no files", TAKEN},
    {OBJECT, 'o', "object-directory", "DIR|FILE",
     "find gcno and gcda files in this folder, or under this name", TAKEN},
    {OBJECT_FILE, 0, "object-file", "DIR|FILE", NULL, TAKEN},
    {PRESERVE_PATHS, 'p', "preserve-paths", NULL,
     "keep folders in the names of written files, "
     "with #",
     TAKEN},
    {HOT_COLOURS, 'q', "use-hotness-colors", NULL, "use colours for lines that ran often", TAKEN},
    {RELATIVE_ONLY, 'r', "relative-only", NULL, "skip sources with absolute paths", TAKEN},
    {PREFIX, 's', "source-prefix", "DIR", "strip this prefix from the names of sources", TAKEN},
    {STDOUT, 't', "stdout", NULL, "write to standard output", TAKEN},
    {UNCONDITIONAL, 'u', "unconditional-branches", NULL, "show unconditional branches, too", TAKEN},
    {VERSION, 'v', "version", NULL, "print the version", TAKEN},
    {VERBOSE, 'w', "verbose", NULL, "show the numbers of blocks", TAKEN},
    {HASH, 'x', "hash-filenames", NULL, "add a checksum of the path to the names of written files",
     TAKEN},
    {GCC_VERSION, 0, "gcc-version", "N",
     "print what gcov of GCC N prints, 4 to 7 and 9 to 16 (default: that of the compiler)", TAKEN},
    {0},
};

static void take_format(struct gcov *gcov, int id)
{
    bool *const flags[] = {
        [ALL_BLOCKS] = &gcov->text_options.blocks,
        [BRANCHES] = &gcov->text_options.branches,
        [COUNTS] = &gcov->text_options.counts,
        [PROGRESS] = &gcov->progress,
        [DEBUG] = &gcov->debug,
        [FUNCTIONS] = &gcov->function_summaries,
        [HUMAN] = &gcov->text_options.human,
        [JSON] = &gcov->json,
        [OLD_JSON] = &gcov->intermediate,
        [COLOURS] = &gcov->text_options.colours,
        [LONG_NAMES] = &gcov->naming.long_names,
        [DEMANGLED] = &gcov->text_options.demangled,
        [NO_OUTPUT] = &gcov->no_output,
        [PRESERVE_PATHS] = &gcov->naming.preserve_paths,
        [HOT_COLOURS] = &gcov->text_options.hot_colours,
        [RELATIVE_ONLY] = &gcov->relative_only,
        [STDOUT] = &gcov->to_stdout,
        [UNCONDITIONAL] = &gcov->text_options.unconditional,
        [VERBOSE] = &gcov->text_options.block_numbers,
        [HASH] = &gcov->naming.hash,
        [CONDITIONS] = &gcov->text_options.conditions,
        [PATHS] = &gcov->text_options.paths,
        [ON_DEMANGLED] = &gcov->filter.on_demangled,
    };
    *flags[id] = true;
    if (id == JSON || id == OLD_JSON) /* the last of these and -n counts */
        gcov->no_output = false;
}

static bool name_files(struct gcov *gcov, char **operands, size_t count)
{
    gcov->operands = calloc(count + 1, sizeof *gcov->operands);
    if (!gcov->operands)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct gcov_operand *operand = &gcov->operands[i];
        char *stem = gcov_stem(operands[i], gcov->object);
        gcov->operand_count++;
        operand->named = operands[i];
        if (!stem || asprintf(&operand->gcno, "%s.gcno", stem) < 0)
            operand->gcno = NULL;
        if (!stem || asprintf(&operand->gcda, "%s.gcda", stem) < 0)
            operand->gcda = NULL;
        free(stem);
        if (!operand->gcno || !operand->gcda)
            return false;
        for (size_t k = 0; k < i && !operand->is_repeated; k++)
            operand->is_repeated = strcmp(operand->gcda, gcov->operands[k].gcda) == 0;
    }
    return true;
}

/* One file has a head that tells where its counts are from. */
static void describe(struct gcov *gcov)
{
    const struct gcov_operand *last = &gcov->batch[gcov->batch_count - 1];
    struct an_gcov_text_options *head = &gcov->text_options;
    bool is_alone = gcov->operand_count == 1;
    head->gcno = is_alone ? last->gcno : NULL;
    head->gcda = gcov->lacks_data ? "-" : last->gcda;
    head->runs = gcov->runs;
    head->programs = gcov->programs;
    head->may_lack_counts = gcov->may_lack_counts;
}

static bool process(struct gcov *gcov, struct an_coverage_input *inputs, size_t count)
{
    struct an_coverage_options reading = {.size = sizeof reading,
                                          .demangle = gcov->json || gcov->text_options.demangled,
                                          .keep_instances_apart = gcov->json,
                                          .as_gcov = true,
                                          .gcov_release = gcov->release,
                                          .all_blocks = gcov->text_options.blocks,
                                          .prime_paths = gcov->text_options.paths,
                                          .takes_function =
                                              gcov->filter.count ? gcov_filter_takes : NULL,
                                          .context = &gcov->filter};
    struct an_coverage *coverage;
    struct an_ledger *ledger;
    struct an_error error;
    if (an_coverage_read(&reading, inputs, count, &coverage, &ledger, &error) != AN_OK) {
        report_error(&error);
        return false;
    }
    gcov->coverage = coverage;
    gcov->ledger = ledger;
    gcov->is_newer = calloc(coverage->source_count + 1, sizeof *gcov->is_newer);
    bool done = gcov->is_newer != NULL;
    if (done) {
        gcov_tell_files(gcov);
        describe(gcov);
        done = gcov_results(gcov);
    }
    if (!done)
        say_error("out of memory");
    free(gcov->is_newer);
    an_coverage_free(coverage);
    an_ledger_free(ledger);
    return done;
}

static bool process_batch(struct gcov *gcov, size_t first, size_t count)
{
    struct an_coverage_input *inputs = calloc(count + 1, sizeof *inputs);
    size_t used = 0;
    gcov->batch = gcov->operands + first;
    gcov->batch_count = count;
    for (size_t i = 0; inputs && i < count; i++) {
        const struct gcov_operand *operand = &gcov->batch[i];
        if (!operand->is_repeated)
            inputs[used++] =
                (struct an_coverage_input){operand->gcno, (const char *const *)&operand->gcda, 1};
    }
    bool done = inputs && process(gcov, inputs, used);
    free(inputs);
    return done;
}

/* From 11 on, gcov closes with it in any case; up to 7, behind several files. */
static bool has_total(const struct gcov *gcov)
{
    if (gcov_is_old(gcov))
        return gcov->operand_count > 1;
    return gcov->text_options.release > 10 || !gcov->text_options.release;
}

/* JSON is for each file apart; counts of text are for all together. */
static int process_all(struct gcov *gcov)
{
    bool done = true;
    size_t step = gcov->json ? 1 : gcov->operand_count;
    for (size_t i = 0; done && i < gcov->operand_count; i += step)
        done = process_batch(gcov, i, step);
    if (done && !gcov->to_stdout && has_total(gcov))
        gcov_tell_lines(gcov, gcov->lines, gcov->lines_executed);
    return done ? gcov->status : EXIT_FAILED;
}

static void free_operands(struct gcov *gcov)
{
    for (size_t i = 0; i < gcov->operand_count; i++) {
        free(gcov->operands[i].gcno);
        free(gcov->operands[i].gcda);
    }
    free(gcov->operands);
    free(gcov->folder);
}

static int run_operands(struct gcov *gcov, char **operands, size_t count)
{
    if (count == 0) {
        say_error("no file named (expected a source, an object, or a gcno or gcda file)");
        return EXIT_FAILED;
    }
    int status = EXIT_FAILED;
    if (name_files(gcov, operands, count))
        status = process_all(gcov);
    else
        say_error("out of memory");
    free_operands(gcov);
    return status;
}

/* gcov-14 is the gcov of GCC 14; other names say nothing. */
static unsigned release_of_name(void)
{
    const char *dash = command_is_program ? strrchr(program_name, '-') : NULL;
    return dash && isdigit((unsigned char)dash[1]) ? (unsigned)strtoul(dash + 1, NULL, 10) : 0;
}

static bool take_release(struct gcov *gcov, const struct command *command, const char *text)
{
    unsigned long long release;
    if (!option_range(command, GCC_VERSION, text, LEAST_RELEASE, MOST_RELEASE, &release))
        return false;
    gcov->release = (unsigned)release;
    return true;
}

/* Which prime paths; false after gcov's message. */
static bool take_paths(struct gcov *gcov, int id, const char *which)
{
    struct an_gcov_text_options *shown = &gcov->text_options;
    struct an_gcov_paths *paths = id == PATH_LINES ? &shown->path_lines : &shown->path_sources;
    bool both = strcmp(which, "both") == 0, taken = strcmp(which, "covered") == 0;
    bool others = strcmp(which, "uncovered") == 0;
    if (!both && !taken && !others) {
        fprintf(stderr,
                "invalid argument '%s' for '--prime-paths-%s'. Valid arguments are: 'covered', "
                "'uncovered', 'both'\n",
                which, id == PATH_LINES ? "lines" : "source");
        return false;
    }
    shown->paths = true;
    paths->taken |= taken || both;
    paths->others |= others || both;
    return true;
}

/* An option with a value; false after a message. */
static bool take_value(struct gcov *gcov, const struct command *command, int id, const char *value)
{
    if (id == OBJECT || id == OBJECT_FILE)
        gcov->object = value;
    else if (id == PREFIX)
        gcov->prefix = value;
    else if (id == GCC_VERSION)
        return take_release(gcov, command, value);
    else if (id == PATH_LINES || id == PATH_SOURCES)
        return take_paths(gcov, id, value);
    else
        return gcov_filter_add(&gcov->filter, value, id == INCLUDE);
    return true;
}

/* What -i means: JSON, but text where a gcov is asked for that had no JSON. Others than it may read what comes. */
static void choose_intermediate(struct gcov *gcov)
{
    bool is_text = gcov->release >= AN_GCOV_OLDEST && gcov->release < 8;
    gcov->json |= gcov->intermediate && !is_text;
    gcov->intermediate &= is_text;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct gcov gcov = {.text_options.size = sizeof gcov.text_options,
                        .release = release_of_name()};
    struct option_parser parser;
    const char *value;
    int id = OPTION_WRONG, status = EXIT_FAILED;
    if (!option_start(&parser, command, argc, argv))
        return EXIT_FAILED;
    while ((id = option_next(&parser, &value)) > 0 && id != HELP && id != VERSION) {
        if (!value)
            take_format(&gcov, id);
        else if (!take_value(&gcov, command, id, value))
            break;
    }
    choose_intermediate(&gcov);
    gcov.text_options.is_filtered = gcov.filter.count > 0;
    if (id == HELP)
        print_help(command);
    if (id == VERSION)
        printf("gcov (anneal %s) %s\n", an_version(), an_gcov_version(gcov.release));
    if (id == HELP || id == VERSION || id == OPTION_HELP)
        status = EXIT_DONE;
    if (id == OPTION_END)
        status = run_operands(&gcov, parser.operands, parser.operand_count);
    option_finish(&parser);
    gcov_filter_free(&gcov.filter);
    return status;
}

const struct command command_gcov = {
    .name = "gcov",
    .operands = "SOURCE|OBJECT|FILE...",
    .summary = "drop-in replacement for GCC's gcov",
    .description =
        "Takes the options of gcov, prints what gcov prints, and writes the same files: "
        "NAME.gcov, with the count of each line of a source, or NAME.gcov.json.gz. An operand is "
        "a source, an object, or a file of control flow (gcno) or counts (gcda); the gcno and "
        "gcda files are expected beside it. A link named gcov to anneal does the same.\n\n"
        "What gcov prints depends on its release, 4 to 7 and 9 to 16. The one of the compiler that "
        "made the files speaks (12 for GCC 8 and for clang), or the one that --gcc-version or the "
        "name of the link says: gcov-14. If that is one up to 7, -i writes text, as gcov did "
        "before "
        "it had JSON.\n\n"
        "It differs from gcov in these points: it reads files of GCC 4.7 to 16 and of clang, not "
        "of one version only; a damaged file is ignored as a whole, not read up to the damage; a "
        "file appears under its name only once it is complete.",
    .options = options,
    .examples = "gcov -b main.c\n"
                "    write main.c.gcov and those of its headers\n"
                "gcov -j -t build/main.gcda | jq .\n"
                "    print JSON\n",
    .see_also = "anneal-cov(1), gcov(1)",
    .run = run,
    .stands_in = true,
    .response = RESPONSE_OF_GCC,
    .last_counts = true,
};
