/*
 * Merges LLVM profiles, and prints the functions that were called most: how often, and how many of their counters ran.
 *
 *     walk PROFILE...
 */
#include <anneal/anneal.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 10 };

struct row {
    struct an_llvm_record record;
    unsigned ran;
};

static struct row row_of(const struct an_llvm_record *record)
{
    struct row row = {.record = *record};
    for (unsigned i = 0; i < record->count_number; i++)
        row.ran += record->counts[i] > 0;
    return row;
}

/* Those with the greatest first counters stay, in order. */
static void consider(struct row *rows, size_t *count, const struct row *row)
{
    size_t at = *count;
    while (at > 0 && rows[at - 1].record.counts[0] < row->record.counts[0])
        at--;
    if (at == ROWS)
        return;
    *count += *count < ROWS;
    for (size_t i = *count - 1; i > at; i--)
        rows[i] = rows[i - 1];
    rows[at] = *row;
}

static void print_hottest(struct an_llvm_profile *profile)
{
    struct row rows[ROWS];
    size_t count = 0;
    struct an_llvm_cursor cursor = {0};
    struct an_llvm_record record;
    while (an_llvm_profile_next(profile, &cursor, &record))
        if (record.count_number > 0) {
            struct row row = row_of(&record);
            consider(rows, &count, &row);
        }
    for (size_t i = 0; i < count; i++)
        printf("%12llu  %3u of %3u  %.*s\n", (unsigned long long)rows[i].record.counts[0],
               rows[i].ran, rows[i].record.count_number, (int)rows[i].record.name_length,
               rows[i].record.name);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: walk PROFILE...\n");
        return 2;
    }
    size_t count = (size_t)argc - 1;
    struct an_llvm_input *inputs = calloc(count, sizeof *inputs);
    if (!inputs)
        return 1;
    for (size_t i = 0; i < count; i++)
        inputs[i] = (struct an_llvm_input){.path = argv[i + 1], .weight = 1};
    struct an_llvm_profile *profile;
    struct an_ledger *ledger;
    struct an_error error;
    char text[2048];
    int status = 0;
    if (an_llvm_merge(NULL, inputs, count, &profile, &ledger, &error) == AN_OK) {
        print_hottest(profile);
    } else {
        fprintf(stderr, "%s\n", an_error_format(&error, text, sizeof text));
        status = 1;
    }
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    free(inputs);
    return status;
}
