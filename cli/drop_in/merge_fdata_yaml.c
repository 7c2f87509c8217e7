/* The merge-fdata personality for YAML profiles; see merge_fdata_yaml.h. */
#include "merge_fdata_yaml.h"

#include <anneal/fdata.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/core/output.h"
#include "cli/family/yaml_merging.h"
#include "cli/family/yaml_view.h"

/* ---- the other format ---- */

bool merge_fdata_is_yaml(const char *path)
{
    struct an_file file = {0};
    struct an_error error;
    bool yaml = strcmp(path, "-") != 0 && an_file_peek(&file, path, 4, &error) == AN_OK &&
                file.bytes.size == 4 && memcmp(file.bytes.data, "---\n", 4) == 0;
    an_file_close(&file);
    return yaml;
}

static bool is_fdata(const char *path)
{
    struct an_file file = {0};
    struct an_error error;
    bool fdata = strcmp(path, "-") != 0 && an_file_peek(&file, path, 4096, &error) == AN_OK &&
                 an_fdata_recognise(file.bytes.data, file.bytes.size);
    an_file_close(&file);
    return fdata;
}

void merge_fdata_refuse_mixture(const char *path)
{
    fprintf(stderr, "%s: '%s': cannot mix YAML and legacy formats.\n", program_name, path);
}

/* ---- what it says of each input ---- */

/* The first text of each kind, with which merge-fdata compares. */
struct first {
    char *name, *build_id;
};

static bool differs(char **first, const struct an_yaml_text *text)
{
    if (!*first || !**first) {
        free(*first);
        *first = strdup(text->text);
    }
    return *first && **first && strcmp(*first, text->text) != 0;
}

/* Reads it once more, as headers differ, which is seldom. */
static void warn(const char *path, const struct an_yaml_info *merged, struct first *first)
{
    if (!merged->has_other_names && !merged->has_other_builds)
        return;
    struct an_yaml_profile *profile = yaml_open(path, NULL);
    if (!profile)
        return;
    const struct an_yaml_header *header = &an_yaml_profile_info(profile)->header;
    if (differs(&first->name, &header->binary_name))
        fprintf(stderr,
                "WARNING: merging profile from a binary for %s into a profile for binary %s\n",
                header->binary_name.text, first->name);
    if (differs(&first->build_id, &header->build_id))
        fprintf(stderr, "WARNING: build-ids in merged profiles do not match\n");
    an_yaml_profile_free(profile);
}

static void tell_inputs(const struct an_ledger *ledger, const struct an_yaml_info *merged)
{
    struct first first = {0};
    for (size_t i = 0; i < ledger->count; i++) {
        fprintf(stderr, "Merging data from %s...\n", ledger->entries[i].path);
        if (ledger->entries[i].status == AN_INPUT_USED)
            warn(ledger->entries[i].path, merged, &first);
    }
    if (merged->has_other_events)
        fprintf(stderr, "WARNING: merging profiles with different sampling events\n");
    free(first.name);
    free(first.build_id);
}

/* merge-fdata stops at the first input that it cannot use. */
static void complain(const struct an_ledger *ledger, const struct an_error *error)
{
    char text[2048];
    for (size_t i = 0; ledger && i < ledger->count; i++) {
        const struct an_ledger_entry *entry = &ledger->entries[i];
        fprintf(stderr, "Merging data from %s...\n", entry->path);
        if (entry->status != AN_INPUT_REJECTED || !entry->error)
            continue;
        if (is_fdata(entry->path))
            merge_fdata_refuse_mixture(entry->path);
        else
            say_error("%s", an_error_format(entry->error, text, sizeof text));
        return;
    }
    report_error(error);
}

/* ---- the list of functions ---- */

struct item {
    uint64_t count;
    const char *name;
};

static int most_first(const void *a, const void *b)
{
    const struct item *left = a, *right = b;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return strcmp(right->name, left->name);
}

static void print_functions(const struct an_yaml_profile *profile, enum merge_fdata_print print)
{
    size_t count = an_yaml_profile_info(profile)->functions;
    struct item *items = calloc(count + 1, sizeof *items);
    if (!items)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct an_yaml_function *function = an_yaml_profile_function(profile, i);
        struct an_yaml_info sums;
        an_yaml_function_sum(function, &sums);
        items[i] = (struct item){print == PRINT_BRANCHES ? sums.branches : function->executed,
                                 function->name.text};
    }
    qsort(items, count, sizeof *items, most_first);
    fprintf(stderr, "Functions sorted by %s count:\n",
            print == PRINT_BRANCHES ? "total branch" : "execution");
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s : %llu\n", items[i].name, (unsigned long long)items[i].count);
    free(items);
}

/* ---- the whole ---- */

static bool write_profile(const struct an_yaml_profile *profile, const char *output)
{
    struct an_error error;
    void *bytes;
    size_t size;
    if (an_yaml_profile_write(profile, &bytes, &size, &error) != AN_OK) {
        report_error(&error);
        return false;
    }
    bool done = write_result(output, bytes, size, true);
    free(bytes);
    return done;
}

static int finish(const struct an_yaml_profile *profile, const struct an_ledger *ledger,
                  const char *output, enum merge_fdata_print print)
{
    const struct an_yaml_info *info = an_yaml_profile_info(profile);
    tell_inputs(ledger, info);
    if (info->has_probes)
        say_warning("left out the pseudo probes of the inputs");
    if (output && !write_profile(profile, output))
        return EXIT_FAILED;
    fprintf(stderr, "Data for %zu unique objects successfully merged.\n", info->functions);
    if (print != PRINT_NONE)
        print_functions(profile, print);
    return EXIT_DONE;
}

int merge_fdata_yaml(const struct inputs *inputs, const char *output, enum merge_fdata_print print)
{
    static const struct an_yaml_merge_options usual = {.size = sizeof usual};
    struct an_yaml_input *items = yaml_inputs(inputs);
    struct an_yaml_profile *profile;
    struct an_ledger *ledger;
    struct an_error error;
    int status = EXIT_FAILED;
    if (!items) {
        say_error("out of memory");
        return EXIT_FAILED;
    }
    if (an_yaml_merge(&usual, items, inputs->count, &profile, &ledger, &error) == AN_OK)
        status = finish(profile, ledger, output, print);
    else
        complain(ledger, &error);
    an_yaml_profile_free(profile);
    an_ledger_free(ledger);
    free(items);
    return status;
}
