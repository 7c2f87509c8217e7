/*
 * Prints the lines of an object file that never ran, as compilers print warnings, from its gcno and gcda files.
 *
 *     coverage GCNO [GCDA...]
 */
#include <anneal/anneal.h>

#include <stdio.h>

static void print_uncovered(const struct an_coverage_source *source)
{
    for (size_t i = 1; i < source->line_count; i++)
        if (source->lines[i].exists && source->lines[i].count == 0)
            printf("%s:%u: never ran\n", source->name, source->lines[i].number);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: coverage GCNO [GCDA...]\n");
        return 2;
    }
    struct an_coverage_input input = {
        .gcno = argv[1],
        .gcda = (const char *const *)argv + 2,
        .gcda_count = (size_t)argc - 2,
    };
    struct an_coverage *coverage;
    struct an_ledger *ledger;
    struct an_error error;
    char text[2048];
    if (an_coverage_read(NULL, &input, 1, &coverage, &ledger, &error) != AN_OK) {
        fprintf(stderr, "%s\n", an_error_format(&error, text, sizeof text));
        return 1;
    }
    /* A file that is damaged is no failure of the whole: it is in the ledger. */
    int status = 0;
    for (size_t i = 0; i < ledger->count; i++)
        if (ledger->entries[i].status == AN_INPUT_REJECTED) {
            fprintf(stderr, "%s\n",
                    an_error_format(ledger->entries[i].error, text, sizeof text));
            status = 1;
        }
    for (size_t i = 0; i < coverage->source_count; i++)
        print_uncovered(&coverage->sources[i]);
    fprintf(stderr, "%llu of %llu lines ran\n",
            (unsigned long long)coverage->totals.lines_executed,
            (unsigned long long)coverage->totals.lines);
    an_coverage_free(coverage);
    an_ledger_free(ledger);
    return status;
}
