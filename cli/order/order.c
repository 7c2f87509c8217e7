/* anneal order: an order of functions for the linker, and what it is worth. */
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/command.h"
#include "cli/core/memory.h"
#include "cli/core/output.h"
#include "order.h"

enum {
    OUTPUT = 1,
    BINARY,
    HOT,
    BLEND,
    SHARE,
    FORMAT,
    EVALUATE,
    ORDER,
    SVG,
    TESTS,
    NOTES,
    PROCESS,
    OTHER_BUILD,
    PAGE,
    AROUND,
    READ_AHEAD,
    READ_AROUND,
    THREADS,
    JSON,
    QUIET
};

enum {
    MOST_PAGE = 1 << 21, /* bytes */
    MOST_AROUND = 512,   /* pages, as the next one */
    MOST_READ_AHEAD = 1 << 16,
    WHOLE = 100, /* percent */
};

struct request {
    struct ordering ordering;
    const char *output, *order_file, *svg;
    struct order_request wanted; /* of the inputs */
    enum an_order_format format;
    unsigned threads, tests, hot_share;
    const char *evaluate; /* the program that the order is evaluated for, or NULL */
    bool json;
};

/* The words of enum an_order_format. */
static const char *const formats[] = {
    [AN_ORDER_LLD] = "lld",
    [AN_ORDER_GOLD] = "gold",
    [AN_ORDER_GNU] = "gnu",
    [AN_ORDER_LD64] = "ld64",
    NULL,
};

static const struct option_spec options[] = {
    {OUTPUT, 'o', "output", "FILE", "write the order to FILE (default: standard output)",
     VALUE_OF(struct request, output)},
    {BINARY, 'b', "binary", "FILE",
     "use the sizes and symbols of this program for a better order, and report what cannot be "
     "moved",
     VALUE_OF(struct request, ordering.binary)},
    {HOT, 0, "hot", NULL,
     "order for a long-running program: place hot functions after their callers", TAKEN},
    {BLEND, 0, "blend", NULL, "place hot functions first, then what the start needs", TAKEN},
    {SHARE, 0, "hot-share", "PERCENT",
     "with --blend: this share of all counts is hot (default: "
     "95)",
     NUMBER_OF(struct request, hot_share, 0, WHOLE)},
    {FORMAT, 0, "format", "FORMAT",
     "write for lld, gold, gnu (a linker script) or ld64 "
     "(default: lld)",
     TAKEN_WORD(formats)},
    {NOTES, 0, "notes", "DIR", "find the gcno files of GCC's profiles below DIR",
     VALUE_OF(struct request, wanted.notes)},
    {PROCESS, 0, "pid", "PID", "use only the samples of process PID",
     NUMBER_OF(struct request, wanted.recording.pid, 0, UINT32_MAX)},
    {OTHER_BUILD, 0, "ignore-build-id", NULL, "accept recordings of another build of the binary",
     VALUE_OF(struct request, wanted.recording.ignore_build_id)},
    {EVALUATE, 0, "evaluate", "BINARY", "show what the order gains for this program",
     VALUE_OF(struct request, evaluate)},
    {ORDER, 0, "order", "FILE", "with --evaluate: evaluate this order, in the input format of lld",
     VALUE_OF(struct request, order_file)},
    {SVG, 0, "svg", "FILE", "with --evaluate: draw a chart", VALUE_OF(struct request, svg)},
    {TESTS, 0, "test-runs", "N", "hold out the last N runs, and evaluate on them",
     NUMBER_OF(struct request, tests, 0, UINT32_MAX)},
    {PAGE, 0, "page-size", "BYTES",
     "page size of the machine that runs the program (default: "
     "4096)",
     NUMBER_OF(struct request, ordering.page_size, 0, MOST_PAGE)},
    {AROUND, 0, "fault-around", "PAGES", "number of pages that one fault maps (default: 16)",
     NUMBER_OF(struct request, ordering.around, 0, MOST_AROUND)},
    {READ_AHEAD, 0, "read-ahead", "PAGES",
     "number of pages read for one that is not in memory (default: 32)",
     NUMBER_OF(struct request, ordering.read_ahead, 0, MOST_READ_AHEAD)},
    {READ_AROUND, 0, "read-around", NULL,
     "read half of them before the page, as Linux before 6.17 does",
     VALUE_OF(struct request, ordering.read_around)},
    THREADS_ROW(THREADS, THREADS_OF(struct request, threads)),
    JSON_ROW(JSON, "print JSON", VALUE_OF(struct request, json)),
    QUIET_ROW(QUIET, VALUE_OF(struct request, ordering.quiet)),
    {0},
};

/* clang-format off */
static const struct option_rule rules[] = {
    {EXCLUDES, HOT, {BLEND}, {0}},
    {NEEDS, SHARE, {BLEND}, {0}},
    {NEEDS, ORDER, {EVALUATE}, {0}},
    {EXCLUDES, ORDER, {OUTPUT}, {0}},
    {NEEDS, SVG, {EVALUATE}, {0}},
    {NEEDS, TESTS, {EVALUATE}, {0}},
    {NEEDS, AROUND, {EVALUATE}, {0}},
    {NEEDS, READ_AHEAD, {EVALUATE}, {0}},
    {NEEDS, READ_AROUND, {EVALUATE}, {0}},
    {NEEDS, JSON, {OUTPUT, EVALUATE}, {0}},
    {0},
};
/* clang-format on */

static bool choose_format(struct request *request, const struct command *command, const char *name)
{
    if (strcmp(name, "mold") == 0) {
        say_error("mold does not accept an order of functions");
        say("use lld or gold to link");
        return false;
    }
    int choice = option_choice(command, "format", strcmp(name, "bfd") == 0 ? "gnu" : name, formats);
    if (choice >= 0)
        request->format = (enum an_order_format)choice;
    return choice >= 0;
}

static bool is_power(unsigned long long number)
{
    return number && !(number & (number - 1));
}

static bool take(const struct command *command, void *values, int id, const char *value)
{
    struct request *request = values;
    if (id == FORMAT)
        return choose_format(request, command, value);
    request->ordering.objective = id == HOT ? ORDER_HOT : ORDER_BLEND;
    return true;
}

static bool agrees(struct request *request, size_t inputs)
{
    const char *binary = request->ordering.binary;
    bool differ = binary && request->evaluate && strcmp(binary, request->evaluate) != 0;
    if (request->evaluate)
        request->ordering.binary = request->evaluate;
    if (differ)
        say_error("--binary=%s and --evaluate=%s name different programs", binary,
                  request->evaluate);
    else if (!inputs)
        say_error("no runs named (see 'anneal order --help')");
    else if (!is_power(request->ordering.page_size) || request->ordering.page_size < 512)
        say_error("--page-size=%llu: expected a power of 2 of at least 512",
                  (unsigned long long)request->ordering.page_size);
    else if (!is_power(request->ordering.around))
        say_error("--fault-around=%u: expected a power of 2", request->ordering.around);
    else
        return true;
    return false;
}

static bool open_image(struct ordering *ordering)
{
    struct an_error error;
    if (!ordering->binary || an_image_open(&ordering->image, ordering->binary, &error) == AN_OK)
        return true;
    report_error(&error);
    return false;
}

/* Whether a linker that takes such orders can move the entry point, whose section has no name of its own. */
static bool moves_entry(enum an_order_format format)
{
    return format == AN_ORDER_LLD || format == AN_ORDER_GNU;
}

/* Whether one of the first `count` functions is in the image: an order of what precedes them only is none. */
static bool is_of_image(const struct ordering *ordering, size_t count)
{
    const uint32_t *first = ordering->matches->first;
    char why[PATH_MAX + 80];
    size_t found = 0;
    for (size_t i = 0; i < count && !found; i++)
        found = first[i + 1] - first[i];
    snprintf(why, sizeof why, "%s has none of the functions of these runs", ordering->binary);
    return has_content(found, why);
}

/* Finds the behaviour's functions in the image, what runs before them, and calls that no input told of. */
static bool match_image(const struct request *request, struct ordering *ordering)
{
    struct an_error error;
    enum an_code code = AN_OK;
    if (!ordering->image)
        return true;
    size_t functions = an_behaviour_functions(ordering->behaviour);
    if (ordering->objective != ORDER_START)
        code = an_behaviour_add_calls_of(ordering->behaviour, ordering->image, &error);
    if (code == AN_OK && moves_entry(request->format))
        code = an_behaviour_add_entry(ordering->behaviour, ordering->image, &error);
    if (code == AN_OK)
        code = an_matches_find(ordering->behaviour, ordering->image, &ordering->matches, &error);
    if (code != AN_OK)
        report_error(&error);
    return code == AN_OK && is_of_image(ordering, functions);
}

static enum an_code choose_order(const struct request *request,
                                 const struct an_order_options *wanted, struct an_order *order,
                                 struct an_error *error)
{
    const struct an_behaviour *behaviour = request->ordering.behaviour;
    switch (request->ordering.objective) {
    case ORDER_HOT:
        return an_order_hot(behaviour, wanted, order, error);
    case ORDER_BLEND:
        return an_order_blend(behaviour, wanted, (double)request->hot_share / 100, order, error);
    default:
        return an_order_startup(behaviour, wanted, order, error);
    }
}

static bool make_order(struct request *request)
{
    struct ordering *ordering = &request->ordering;
    struct an_error error;
    size_t runs = an_behaviour_runs(ordering->behaviour);
    struct an_order_options wanted = {
        .size = sizeof wanted,
        .matches = ordering->matches,
        .image = ordering->image,
        .threads = request->threads,
        .page_size = request->ordering.page_size,
        .runs = runs - ordering->tests,
    };
    progress_step("ordering");
    enum an_code code = choose_order(request, &wanted, &ordering->order, &error);
    if (code == AN_OK && ordering->image)
        code = an_order_place(&ordering->order, ordering->matches, ordering->image,
                              &ordering->placed, &error);
    progress_clear();
    if (code != AN_OK)
        report_error(&error);
    return code == AN_OK;
}

static bool write_order(const struct request *request)
{
    const struct ordering *ordering = &request->ordering;
    struct an_error error;
    char *text;
    size_t size;
    enum an_code code = an_order_write(ordering->behaviour, &ordering->order, ordering->matches,
                                       request->format, &text, &size, &error);
    if (code != AN_OK) {
        report_error(&error);
        return false;
    }
    bool done = write_result(request->output ? request->output : "-", text, size, true);
    free(text);
    return done;
}

static bool print_json(const struct request *request, const struct order_facts *facts,
                       const struct an_order_evaluation *evaluation)
{
    const struct ordering *ordering = &request->ordering;
    struct json_object *json = json_document();
    json_add_number(json, "runs", an_behaviour_runs(ordering->behaviour));
    json_add_number(json, "test_runs", ordering->tests);
    json_add_number(json, "functions", ordering->order.count);
    json_add_number(json, "nameless", an_behaviour_nameless(ordering->behaviour));
    json_object_object_add(json, "binary",
                           ordering->image ? order_facts_json(ordering, facts) : NULL);
    json_object_object_add(json, "evaluation",
                           evaluation ? order_evaluation_json(ordering, evaluation) : NULL);
    /* The order itself may be on the standard output. */
    bool is_taken = request->output && strcmp(request->output, "-") == 0;
    return json_print(is_taken ? stderr : stdout, json);
}

static bool draw(const struct ordering *ordering, const struct an_order_evaluation *evaluation,
                 const char *path)
{
    char *svg = NULL;
    size_t size;
    struct an_error error;
    enum an_code code =
        an_order_draw(evaluation, ordering->binary, ordering->around, &svg, &size, &error);
    if (code != AN_OK)
        report_error(&error);
    bool done = code == AN_OK && write_result(path, svg, size, true);
    free(svg);
    return done;
}

static bool tell(const struct request *request)
{
    const struct ordering *ordering = &request->ordering;
    struct order_facts facts = {0};
    struct an_order_evaluation evaluation;
    if (ordering->image)
        order_find_facts(ordering, &facts);
    if (request->evaluate && !order_evaluate(ordering, &evaluation))
        return false;
    if (request->json && !print_json(request, &facts, request->evaluate ? &evaluation : NULL))
        return false;
    if (request->evaluate && !request->json)
        order_print_evaluation(ordering, &evaluation);
    if (ordering->image && !ordering->quiet && !request->json)
        order_tell(ordering, &facts);
    return !request->svg || draw(ordering, &evaluation, request->svg);
}

static bool read_inputs(const struct request *request, char **inputs, size_t count)
{
    struct order_request wanted = request->wanted;
    wanted.objective = request->ordering.objective;
    wanted.behaviour = request->ordering.behaviour;
    wanted.image = request->ordering.image;
    memory_give_back(); /* what readers need is not what the partitioning needs later */
    bool done = order_add_inputs(&wanted, inputs, count);
    progress_clear();
    return done;
}

/* Whether the inputs have what the objective needs. */
static bool suffices(const struct request *request)
{
    const struct ordering *ordering = &request->ordering;
    size_t runs = an_behaviour_runs(ordering->behaviour);
    size_t nameless = an_behaviour_nameless(ordering->behaviour);
    bool needs_runs = ordering->objective != ORDER_HOT || request->tests;
    if (needs_runs && (!runs || request->tests >= runs)) {
        say_error("%zu run%s: too few%s", runs, plural(runs),
                  request->tests ? " to hold out that many" : "");
        return false;
    }
    if (ordering->objective != ORDER_START && !an_behaviour_has_heat(ordering->behaviour)) {
        say_error("no hot functions: no input has counts or samples of this program");
        return false;
    }
    if (nameless && !ordering->quiet)
        say_warning("left out %zu functions whose names are not in their profiles", nameless);
    return true;
}

static bool order(struct request *request, char **inputs, size_t count)
{
    struct ordering *ordering = &request->ordering;
    ordering->behaviour = an_behaviour_new();
    if (!ordering->behaviour) {
        say_error("out of memory");
        return false;
    }
    if (!open_image(ordering) || !read_inputs(request, inputs, count) || !suffices(request))
        return false;
    ordering->tests = request->tests;
    if (!match_image(request, ordering) || !make_order(request))
        return false;
    if (request->order_file) {
        an_order_free(&ordering->placed);
        if (!order_read_file(ordering, request->order_file))
            return false;
    }
    if (request->evaluate && an_image_is_object(ordering->image)) {
        say_error("%s: is an object file; --evaluate requires the linked program",
                  ordering->binary);
        return false;
    }
    bool writes = request->output || !request->evaluate;
    return (!writes || write_order(request)) && tell(request);
}

static void request_free(struct request *request)
{
    an_order_free(&request->ordering.order);
    an_order_free(&request->ordering.placed);
    an_matches_free(request->ordering.matches);
    an_image_close(request->ordering.image);
    an_behaviour_free(request->ordering.behaviour);
}

static int act(void *values, const struct option_parser *parser)
{
    struct request *request = values;
    if (!agrees(request, parser->operand_count))
        return EXIT_USAGE;
    request->wanted.recording.threads = request->threads;
    return order(request, parser->operands, parser->operand_count) ? EXIT_DONE : EXIT_FAILED;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct request request = {
        .wanted.recording.size = sizeof(struct an_recording_options),
        .ordering = {.page_size = 4096, .around = 16, .read_ahead = 32},
        .hot_share = 95,
    };
    int status = option_run(command, argc, argv, &request, take, act);
    request_free(&request);
    return status;
}

const struct command command_order = {
    .name = "order",
    .operands = "RUN...",
    .summary = "order functions for the linker: for fast starts or hot code",
    .description =
        "A starting program reads its code page by page. This command places the functions that "
        "runs enter early next to each other, as an order for the linker. With --hot, for "
        "long-running programs, it places functions after those that call them most; --blend "
        "does both.\n\n"
        "A RUN is one of: an LLVM profile with temporal traces (of a program compiled with "
        "-fprofile-generate -mllvm -pgo-temporal-instrumentation); a folder with the gcda files "
        "of one run of a program compiled by GCC with -fprofile-generate; a recording ('anneal "
        "record', perf record; each process is a run, and -b must name the recorded binary); or "
        "a list of names in the order in which functions were entered. --hot uses the counts of "
        "such profiles, the branches or samples of recordings, and branch profiles (fdata, BOLT's "
        "YAML). Partial results of such profiles ('anneal merge --partial') are merged first: no "
        "run counts twice.\n\n"
        "A linker moves only functions in sections of their own: compile with "
        "-ffunction-sections. With -b, the order uses the names of the program's symbols, and "
        "functions that the program lacks or that cannot be moved are reported.\n\n"
        "--evaluate shows, by a model of pages, what the order changes: which pages are touched "
        "by which part of a run. 'anneal faults' measures it.",
    .options = options,
    .rules = rules,
    .examples = "anneal order -b app -o app.order app.profdata\n"
                "    order for clang -fuse-ld=lld -Wl,--symbol-ordering-file=app.order\n"
                "anneal order --format=gold -b app -o app.order run1/ run2/\n"
                "    order for gcc -fuse-ld=gold -Wl,--section-ordering-file=app.order\n"
                "anneal order --format=gnu -b app -o app.ld run1/ run2/\n"
                "    order for gcc -Wl,-T,app.ld\n"
                "anneal order --evaluate app --svg app.svg app.profdata\n"
                "    show what the order is worth, as a table and a chart\n"
                "anneal order --hot -b server -o server.order perf.data\n"
                "    order by calls, from 'perf record -b' or 'anneal record'\n",
    .see_also =
        "anneal-merge(1), anneal-record(1), anneal-faults(1), anneal-llvm-profdata(1), ld.lld(1)",
    .run = run,
};
