/*
 * Merges LLVM profiles of any version into one, leaves out those that are damaged, and says so.
 *
 *     merge OUTPUT PROFILE...
 */
#include <anneal/anneal.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const struct an_error *error)
{
    char text[2048];
    fprintf(stderr, "%s\n", an_error_format(error, text, sizeof text));
    return 1;
}

static int write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 1;
    }
    return 0;
}

/* The ledger has an entry for each input, whatever became of the merge. */
static void print_ledger(const struct an_ledger *ledger)
{
    for (size_t i = 0; ledger && i < ledger->count; i++) {
        const struct an_ledger_entry *entry = &ledger->entries[i];
        printf("%-8s %12llu  %s\n", an_input_status_name(entry->status),
               (unsigned long long)entry->total_count, entry->path);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: merge OUTPUT PROFILE...\n");
        return 2;
    }
    size_t count = (size_t)argc - 2;
    struct an_llvm_input *inputs = calloc(count, sizeof *inputs);
    if (!inputs)
        return 1;
    for (size_t i = 0; i < count; i++)
        inputs[i] = (struct an_llvm_input){.path = argv[i + 2], .weight = 1};

    struct an_llvm_merge_options options = {.size = sizeof options, .failure_mode = AN_FAIL_ALL};
    struct an_llvm_profile *profile;
    struct an_ledger *ledger;
    struct an_error error;
    void *bytes = NULL;
    size_t size = 0;
    enum an_code code = an_llvm_merge(&options, inputs, count, &profile, &ledger, &error);
    print_ledger(ledger);
    if (code == AN_OK) /* NULL: the usual format */
        code = an_llvm_profile_write(profile, NULL, &bytes, &size, NULL, &error);
    int status = code == AN_OK ? write_file(argv[1], bytes, size) : fail(&error);
    free(bytes);
    free(inputs);
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    return status;
}
