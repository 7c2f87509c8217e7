/* anneal show: one profile, for people and for scripts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/fdata.h>

#include "base/file.h"
#include "family.h"
#include "fdata_show.h"
#include "gcc_show.h"
#include "names.h"
#include "output.h"
#include "show.h"

enum {
    ALL = 1,
    FUNCTION,
    COUNTS,
    VALUES,
    TOP,
    SUMMARY,
    CUTOFFS,
    BINARY_IDS,
    TRACES,
    HEADER,
    COVERED,
    CONTEXT_SENSITIVE,
    TEXT,
    JSON,
    OUTPUT,
    GCNO,
};

static const struct option_spec options[] = {
    {ALL, 'a', "all-functions", NULL, "show every function"},
    {FUNCTION, 0, "function", "REGEX", "show the functions whose name matches"},
    {COUNTS, 'c', "counts", NULL, "also show their counters (and MC/DC bitmaps)"},
    {VALUES, 'v', "values", NULL,
     "also show their values: indirect-call targets, sizes of memory operations, virtual tables, "
     "frequent values"},
    {TOP, 'n', "topn", "N",
     "show the N hottest functions (default: 10, unless functions are "
     "selected)"},
    {SUMMARY, 's', "detailed-summary", NULL,
     "show how many counters make up which share of all "
     "counts"},
    {CUTOFFS, 0, "detailed-summary-cutoffs", "N,...", "use these shares, in millionths"},
    {BINARY_IDS, 0, "binary-ids", NULL, "show the build ids of the programs"},
    {TRACES, 0, "traces", NULL,
     "show temporal traces; for GCC, the order in which functions first ran"},
    {HEADER, 0, "header", NULL, "show the header of the file, and no functions"},
    {COVERED, 0, "covered", NULL, "list only the names of functions that ran"},
    {CONTEXT_SENSITIVE, 0, "cs", NULL, "show the context-sensitive records of an IR profile"},
    {TEXT, 't', "text", NULL, "show the selected functions in the text format"},
    {GCNO, 0, "gcno", "FOLDER",
     "find the gcno files that name GCC's functions below FOLDER, not beside the counts"},
    {JSON, 'j', "json", NULL, "print JSON"},
    {OUTPUT, 'o', "output", "FILE", "write to FILE (default: standard output)"},
    {0},
};

/* clang-format off */
static const struct option_rule rules[] = {
    {EXCLUDES, JSON, {TEXT, COVERED}, {0}},
    {EXCLUDES, COVERED, {ALL, FUNCTION, COUNTS, VALUES, TOP, SUMMARY, CUTOFFS, BINARY_IDS, TRACES},
        {0}},
    {EXCLUDES, TEXT, {COVERED, TOP, SUMMARY, CUTOFFS, BINARY_IDS, TRACES}, {0}},
    {EXCLUDES, HEADER, {ALL, FUNCTION, COUNTS, VALUES, TOP, COVERED, TEXT}, {0}},
    {EXCLUDES, ALL, {FUNCTION}, {0}},
    {NEEDS, COUNTS, {ALL, FUNCTION, TEXT}, {0}},
    {NEEDS, VALUES, {ALL, FUNCTION, TEXT}, {0}},
    {0},
};
/* clang-format on */

static bool selected(const struct show *show, const struct an_llvm_record *record)
{
    if (show->request.all)
        return true;
    regmatch_t range = {0, (regoff_t)record->name_length};
    return show->request.function &&
           regexec(&show->pattern, record->name, 1, &range, REG_STARTEND) == 0;
}

static bool remember(struct show *show, const struct an_llvm_record *record, struct hot hot)
{
    if (show->hot_count == show->hot_capacity) {
        size_t capacity = show->hot_capacity ? 2 * show->hot_capacity : 256;
        struct hot *grown = realloc(show->hot, capacity * sizeof *grown);
        if (!grown)
            return false;
        show->hot = grown;
        show->hot_capacity = capacity;
    }
    hot.name = strndup(record->name, record->name_length);
    show->hot[show->hot_count++] = hot;
    return hot.name != NULL;
}

static int hottest_first(const void *a, const void *b)
{
    const struct hot *left = a, *right = b;
    if (left->max != right->max)
        return left->max > right->max ? -1 : 1;
    if (left->sum != right->sum)
        return left->sum > right->sum ? -1 : 1;
    return strcmp(left->name, right->name);
}

static void show_record(struct show *show, const struct an_llvm_record *record,
                        const struct hot *hot)
{
    if (show->request.text) {
        print_record_text(show->reader, record);
    } else if (show->request.json) {
        printf(show->shown ? ",\n" : "\n");
        show_function_json(show, record, hot);
    } else {
        show_function(show, record, hot);
    }
    show->shown++;
}

static bool walk(struct show *show)
{
    struct an_llvm_record record;
    struct request *request = &show->request;
    if (request->text && show->info->variants & AN_LLVM_IR)
        printf(":ir\n");
    while (an_llvm_reader_next(show->reader, &record)) {
        bool context_sensitive = record.hash >> 60 & 1;
        if (show->info->variants & AN_LLVM_IR && context_sensitive != request->cs)
            continue;
        struct hot hot = {.hash = record.hash, .counters = record.count_number};
        for (uint32_t i = 0; i < record.count_number; i++) {
            hot.sum += record.counts[i];
            if (record.counts[i] > hot.max)
                hot.max = record.counts[i];
        }
        show->functions++;
        show->ran += hot.max != 0;
        show->total += hot.sum;
        if (request->covered) {
            if (hot.max)
                printf("%.*s\n", (int)record.name_length, record.name);
            continue;
        }
        if (!an_llvm_summary_builder_add(show->summary, &record) ||
            (request->top && hot.max && !remember(show, &record, hot)))
            return false;
        if (selected(show, &record))
            show_record(show, &record, &hot);
    }
    return !an_llvm_reader_failed(show->reader);
}

static bool finish(struct show *show, const char *path, uint64_t bytes)
{
    struct an_llvm_summary summary;
    struct an_error error;
    struct request *request = &show->request;
    if (an_llvm_summary_builder_finish(show->summary,
                                       request->cutoff_count ? request->cutoffs : NULL,
                                       request->cutoff_count, &summary, &error) != AN_OK) {
        report_error(&error);
        return false;
    }
    if (show->hot_count)
        qsort(show->hot, show->hot_count, sizeof *show->hot, hottest_first);
    if (request->json) {
        printf("%s],\n\"profile\": ", show->shown ? "\n" : "");
        show_profile_json(show, request->name ? request->name : path, bytes, &summary);
        printf("}\n");
    } else if (!request->text && !request->covered) {
        if (show->shown)
            printf("\n");
        show_profile(show, request->name ? request->name : input_name(path), bytes, &summary);
    }
    an_llvm_summary_clear(&summary);
    return true;
}

static int show_file(struct show *show, const char *path)
{
    struct an_file file = {0};
    struct an_error error;
    int status = EXIT_FAILED;
    bool loaded = an_file_load(&file, path, &error) == AN_OK;
    if (loaded && an_fdata_recognise(file.bytes.data, file.bytes.size)) {
        status = fdata_show(show, path, file.bytes);
        an_file_close(&file);
        return status;
    }
    if (!loaded ||
        (an_llvm_reader_open(&show->reader, file.bytes.data, file.bytes.size, &error) != AN_OK &&
         an_error_in(&error, path))) {
        report_error(&error);
        an_file_close(&file);
        return EXIT_FAILED;
    }
    show->info = an_llvm_reader_info(show->reader);
    show->summary = an_llvm_summary_builder_new();
    if (show->request.gcno) {
        say_error("--gcno is for GCC profiles (gcda), and this is an LLVM profile");
        status = EXIT_USAGE;
    } else if (redirect_start(show->request.output)) {
        if (show->request.json)
            printf(JSON_BEGIN "\"functions\": [");
        if (show->summary && walk(show)) {
            if (finish(show, path, file.bytes.size))
                status = EXIT_DONE;
        } else {
            say_error("out of memory");
        }
        if (!redirect_finish())
            status = EXIT_FAILED;
    }
    for (size_t i = 0; i < show->hot_count; i++)
        free(show->hot[i].name);
    free(show->hot);
    an_llvm_summary_builder_free(show->summary);
    an_llvm_reader_close(show->reader);
    an_file_close(&file);
    return status;
}

static bool take(struct request *request, const struct command *command, int id, const char *value)
{
    switch (id) {
    case ALL:
        request->all = true;
        break;
    case FUNCTION:
        request->function = value;
        break;
    case COUNTS:
        request->counts = true;
        break;
    case VALUES:
        request->values = true;
        break;
    case TOP:
        request->top_given = true;
        return option_number(command, "topn", value, 1u << 30, &request->top);
    case SUMMARY:
        request->summary = true;
        break;
    case CUTOFFS:
        request->summary = true;
        return option_cutoffs(value, request->cutoffs, &request->cutoff_count);
    case BINARY_IDS:
        request->binary_ids = true;
        break;
    case TRACES:
        request->traces = true;
        break;
    case HEADER:
        request->header = true;
        break;
    case COVERED:
        request->covered = true;
        break;
    case CONTEXT_SENSITIVE:
        request->cs = true;
        break;
    case TEXT:
        request->text = true;
        break;
    case JSON:
        request->json = true;
        break;
    case GCNO:
        request->gcno = value;
        break;
    default:
        request->output = value;
    }
    return true;
}

/* Only of GCC's profiles, which come in a file for each module, there may be several. */
static int show_inputs(struct show *show, const struct inputs *inputs, size_t operands)
{
    if (inputs->failed)
        return EXIT_FAILED;
    if (inputs->count && inputs_family(inputs) == FAMILY_GCDA)
        return gcc_show(show, inputs);
    if (operands == 1 && inputs->count == 1 && inputs->roots[0] == 0)
        return show_file(show, inputs->items[0].path);
    if (operands && !inputs->count) {
        say_error("nothing to show");
        return EXIT_FAILED;
    }
    say_error("expected one profile, got %zu (only GCC's may be several files, or folders)",
              inputs->count);
    return EXIT_USAGE;
}

static int show_operands(struct show *show, const struct option_parser *parser)
{
    struct request *request = &show->request;
    struct inputs inputs = {.count = 0};
    if (!request->top_given)
        request->top = request->all || request->function || request->header ? 0 : 10;
    if (request->text && !request->function)
        request->all = true;
    int status = request->function
                     ? regcomp(&show->pattern, request->function, REG_EXTENDED | REG_NOSUB)
                     : 0;
    if (status) {
        char text[256];
        regerror(status, &show->pattern, text, sizeof text);
        say_error("--function=%s: %s", request->function, text);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < parser->operand_count && !inputs.failed; i++)
        inputs_add(&inputs, parser->operands[i], 1);
    status = show_inputs(show, &inputs, parser->operand_count);
    inputs_free(&inputs);
    if (request->function)
        regfree(&show->pattern);
    return status;
}

int show_as(const char *name, int argc, char **argv)
{
    const struct command *command = &command_show;
    struct show show = {.request.name = name};
    struct option_parser parser;
    const char *value;
    int id, status = EXIT_USAGE;
    if (!option_start(&parser, command, argc, argv))
        return EXIT_FAILED;
    while ((id = option_next(&parser, &value)) > 0)
        if (!take(&show.request, command, id, value))
            break;
    if (id == OPTION_HELP)
        status = EXIT_DONE;
    else if (id == OPTION_END)
        status = show_operands(&show, &parser);
    option_finish(&parser);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    (void)command;
    return show_as(NULL, argc, argv);
}

const struct command command_show = {
    .name = "show",
    .operands = "PROFILE...",
    .summary = "show what is in a profile",
    .description =
        "Shows an LLVM instrumentation profile of any format: its kind, its totals and its "
        "hottest functions; with options, the counters and values of any function. '-' is "
        "standard input.\n\n"
        "For a BOLT profile in text form (fdata), it shows the kind, the events, the totals, the "
        "share of mispredicted branches and the hottest functions: how many branches leave them, "
        "and how often they are entered. --function and --all-functions show single functions, "
        "--counts their records.\n\n"
        "For GCC's counter files (gcda), which may be several, or folders of them, it shows "
        "their kind, how many counters ran, and the hottest functions: their largest count, and "
        "how often they were entered. Names and entries come from the gcno files of the same "
        "compilation, beside the counts or below the folder of --gcno.",
    .options = options,
    .rules = rules,
    .examples = "anneal show app.profdata\n"
                "    show the header and the ten hottest functions\n"
                "anneal show --function='^parse_' --counts --values app.profdata\n"
                "    show everything about some functions\n"
                "anneal show --json --all-functions --counts app.profdata\n"
                "    print everything for a script\n"
                "anneal show --function='^main$' --counts app.fdata\n"
                "    show the branches of a function\n"
                "anneal show --traces build/\n"
                "    show GCC's hottest functions, and the order of first runs\n",
    .see_also = "anneal-merge(1), anneal-diff(1)",
    .run = run,
};
