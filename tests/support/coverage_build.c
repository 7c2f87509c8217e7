/* Coverage made up for tests; see coverage_build.h. */
#include "support/coverage_build.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- main.c: a bit of everything ---- */

static const char main_text[] = "/* Counts words:\n"                             /* 1 */
                                " * if (a < b && c > d) */\n"                    /* 2 */
                                "int main(int argc)\n"                           /* 3 */
                                "{\n"                                            /* 4 */
                                "    if (argc < 2 && \"</script>\"[0] == '<')\n" /* 5 */
                                "        return usage();\n"                      /* 6 */
                                "    switch (argc) { // caf\xe9\n"               /* 7: Latin-1 */
                                "    case 2: a();\n"                             /* 8 */
                                "    }\n"                                        /* 9 */
                                "    for (;;)\r\n"                               /* 10 */
                                "        work(\"\x01\");\n"                      /* 11 */
                                "    catch_it();\n"                              /* 12 */
                                "}\n"                                            /* 13 */
                                "\n"                                             /* 14 */
                                "static int usage(void)\n"                       /* 15 */
                                "{\n"                                            /* 16 */
                                "    return 1;\n"                                /* 17 */
                                "}\n";                                           /* 18 */

static const struct an_coverage_branch main_if[] = {
    {.count = 0, .block_count = 40, .block = 2, .destination = 3},
    {.count = 40, .block_count = 40, .block = 2, .destination = 4, .is_fall_through = true},
};
static const struct an_coverage_branch main_switch[] = {
    {.count = 30, .block_count = 40, .block = 5}, {.count = 10, .block_count = 40, .block = 5},
    {.count = 0, .block_count = 40, .block = 5},  {.count = 0, .block_count = 40, .block = 5},
    {.count = 0, .block_count = 40, .block = 5},  {.count = 0, .block_count = 40, .block = 5},
};
/* A call, and the two ways out of one that could throw and did not. */
static const struct an_coverage_branch main_call[] = {
    {.count = 0, .block_count = 40, .block = 6, .is_call = true},
    {.count = 40, .block_count = 40, .block = 7, .is_fall_through = true},
    {.count = 0, .block_count = 40, .block = 7, .is_throw = true},
};

static const struct an_coverage_line main_lines[] = {
    {0},
    {0},
    {0},
    {.number = 3, .exists = true, .count = 40},
    {0},
    {.number = 5, .exists = true, .count = 40, .branches = main_if, .branch_count = 2},
    {.number = 6, .exists = true, .count = 0},
    {.number = 7, .exists = true, .count = 40, .branches = main_switch, .branch_count = 6},
    {.number = 8, .exists = true, .count = 30, .branches = main_call, .branch_count = 3},
    {0},
    {.number = 10, .exists = true, .count = 1234567},
    {.number = 11, .exists = true, .count = 1999, .has_unexecuted_block = true},
    {.number = 12, .exists = true, .count = 0, .is_exceptional = true},
    {.number = 13, .exists = true, .count = 40},
    {0},
    {.number = 15, .exists = true, .count = 0},
    {0},
    {.number = 17, .exists = true, .count = 0},
};
static const struct an_coverage_function main_functions[] = {
    {.name = "main",
     .demangled = "main",
     .line = 3,
     .last_line = 13,
     .blocks = 10,
     .blocks_executed = 8,
     .count = 40},
    {.name = "usage", .demangled = "usage", .line = 15, .last_line = 18, .blocks = 3, .count = 0},
};

/* ---- pair.hpp: two instances of the same lines ---- */

static const char pair_text[] = "template <class Kind>\n"
                                "Kind larger(Kind a, Kind b)\n"
                                "{\n"
                                "    return a < b ? b : a;\n"
                                "}\n"
                                "int last;\n";

static const struct an_coverage_line int_lines[] = {
    {.number = 2, .exists = true, .count = 7},
    {.number = 4, .exists = true, .count = 7},
};
static const struct an_coverage_line char_lines[] = {
    {.number = 2, .exists = true},
    {.number = 4, .exists = true},
};
static const struct an_coverage_line pair_lines[] = {
    {0},
    {0},
    {.number = 2, .exists = true, .count = 7},
    {0},
    {.number = 4, .exists = true, .count = 7},
};
static const struct an_coverage_function pair_functions[] = {
    {.name = "_Z6largerIcET_S0_S0_",
     .demangled = "char larger<char>(char, char)",
     .line = 2,
     .last_line = 5,
     .blocks = 4,
     .is_instance = true,
     .lines = char_lines,
     .line_count = 2},
    {.name = "_Z6largerIiET_S0_S0_",
     .demangled = "int larger<int>(int, int)",
     .line = 2,
     .last_line = 5,
     .blocks = 4,
     .blocks_executed = 4,
     .count = 7,
     .is_instance = true,
     .lines = int_lines,
     .line_count = 2},
};

/* ---- a long one: a hundred functions of thirty lines, of which every third never ran ---- */

static char long_text[LONG_SOURCE_LINES * 24];
static struct an_coverage_line long_lines[LONG_SOURCE_LINES + 1];
static struct an_coverage_function long_functions[LONG_SOURCE_LINES / 30];
static char long_names[LONG_SOURCE_LINES / 30][24];

static void make_long_line(unsigned number)
{
    static size_t size;
    unsigned function = (number - 1) / 30, line = (number - 1) % 30;
    const char *format = line == 0    ? "void step_%u(void) {\n"
                         : line == 29 ? "} // %u\n"
                         : line < 20  ? "    work(%u);\n"
                                      : "// nothing %u\n";
    size += (size_t)snprintf(long_text + size, sizeof long_text - size, format, function);
    long_lines[number] = (struct an_coverage_line){
        .number = number,
        .exists = line < 20,
        .count = function % 3 == 2 ? 0 : (int64_t)function * function * (line + 1) + 1,
    };
}

static void make_long(void)
{
    for (unsigned number = 1; number <= LONG_SOURCE_LINES; number++)
        make_long_line(number);
    for (unsigned i = 0; i < COUNT(long_functions); i++) {
        snprintf(long_names[i], sizeof long_names[i], "step_%u", i);
        long_functions[i] = (struct an_coverage_function){
            .name = long_names[i],
            .demangled = long_names[i],
            .line = 30 * i + 1,
            .last_line = 30 * i + 30,
            .blocks = 5,
            .blocks_executed = i % 3 == 2 ? 0 : 5,
            .count = i % 3 == 2 ? 0 : (int64_t)i * i + 1,
        };
    }
}

/* ---- small ones ---- */

static const char small_text[] = "int one(void) { return 1; }\n";
static const struct an_coverage_line small_lines[] = {
    {0},
    {.number = 1, .exists = true, .count = 3},
};
/* Further than the text goes. */
static const struct an_coverage_line gone_lines[] = {
    {0},
    {0},
    {.number = 2, .exists = true, .count = 5},
    {0},
    {.number = 4, .exists = true, .count = 0},
};
static const struct an_coverage_function small_functions[] = {
    {.name = "one",
     .demangled = "one",
     .line = 1,
     .last_line = 1,
     .blocks = 2,
     .blocks_executed = 2,
     .count = 3},
};

#define LINES(array) .lines = (array), .line_count = COUNT(array)
#define FUNCTIONS(array) .functions = (array), .function_count = COUNT(array)

static struct an_coverage_source sources[] = {
    [MAIN_SOURCE] = {.path = "/prog/src/main.c", LINES(main_lines), FUNCTIONS(main_functions)},
    {.path = "/prog/src/lib/main.c", LINES(small_lines), FUNCTIONS(small_functions)},
    {.path = "/prog/src/lib/odd #1?100% \"it's\".c", LINES(small_lines)},
    {.path = "/prog/src/lib/\xc3\xbcnic\xc3\xb6"
             "de.c",
     LINES(gone_lines)},
    {.path = "/prog/src/lib/gone.c", LINES(gone_lines)},
    {.path = "/prog/src/deep/only/long.c", LINES(long_lines), FUNCTIONS(long_functions)},
    {.path = "/prog/src/lib/pair.hpp", LINES(pair_lines), FUNCTIONS(pair_functions)},
    {.path = "/prog/src/<img src=x onerror=alert(1)>.c", LINES(small_lines)},
};

static void add_line(struct an_coverage_totals *totals, const struct an_coverage_line *line)
{
    totals->lines += line->exists;
    totals->lines_executed += line->exists && line->count;
    for (size_t i = 0; i < line->branch_count; i++)
        if (!line->branches[i].is_call) {
            totals->branches++;
            totals->branches_executed += line->branches[i].block_count > 0;
            totals->branches_taken += line->branches[i].count > 0;
        }
}

static void add_totals(struct an_coverage_source *source, struct an_coverage_totals *all)
{
    struct an_coverage_totals *totals = &source->totals;
    source->name = source->path;
    for (size_t i = 0; i < source->line_count; i++) {
        add_line(totals, &source->lines[i]);
        if (source->lines[i].count > source->most)
            source->most = source->lines[i].count;
    }
    totals->functions = source->function_count;
    for (size_t i = 0; i < source->function_count; i++)
        totals->functions_executed += source->functions[i].count > 0;
    all->lines += totals->lines;
    all->lines_executed += totals->lines_executed;
    all->branches += totals->branches;
    all->branches_executed += totals->branches_executed;
    all->branches_taken += totals->branches_taken;
    all->functions += totals->functions;
    all->functions_executed += totals->functions_executed;
}

const struct an_coverage *made_coverage(void)
{
    static struct an_coverage coverage;
    if (coverage.source_count)
        return &coverage;
    make_long();
    for (size_t i = 0; i < COUNT(sources); i++)
        add_totals(&sources[i], &coverage.totals);
    coverage.sources = sources;
    coverage.source_count = COUNT(sources);
    coverage.runs = 3;
    return &coverage;
}

bool made_text(const struct an_coverage_source *source, const void **bytes, size_t *size)
{
    const char *text = source->lines == main_lines   ? main_text
                       : source->lines == pair_lines ? pair_text
                       : source->lines == long_lines ? long_text
                                                     : small_text;
    *bytes = text;
    *size = strlen(text);
    return !strstr(source->path, "gone");
}
