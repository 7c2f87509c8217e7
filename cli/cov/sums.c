/*
 * Counts that are there twice. What the cores of a board left, main.gcda0, main.gcda1 and so on, is merged into main.gcda
 * beside them ('anneal merge-gcda'); a folder with all of these has each run once.
 */
#include <stdlib.h>
#include <string.h>

#include <anneal/gcc.h>

#include "base/file.h"
#include "cli/core/command.h"
#include "inputs.h"

/* Whether the path is that of the file `whole`, and a number behind it. */
static bool is_part_of(const char *path, const char *whole)
{
    size_t length = strlen(whole);
    return strncmp(path, whole, length) == 0 && path[length] &&
           strspn(path + length, "0123456789") == strlen(path + length);
}

/* What merges like the parts, byte for byte, is made of them; what cannot be merged is not. */
static bool is_sum(const char *whole, const struct cov_file *parts, size_t count)
{
    const struct an_gcc_merge_options options = {
        .size = sizeof options, .threads = 1, .failure_mode = AN_FAIL_ANY};
    struct an_gcc_input *inputs = calloc(count, sizeof *inputs);
    struct an_gcc_merged *merged = NULL;
    struct an_ledger *ledger = NULL;
    struct an_file file = {0};
    struct an_error ignored;
    for (size_t i = 0; inputs && i < count; i++)
        inputs[i] = (struct an_gcc_input){.path = parts[i].path, .weight = 1};
    bool is_same =
        inputs && an_gcc_merge(&options, inputs, count, 1, &merged, &ledger, &ignored) == AN_OK &&
        an_file_load(&file, whole, &ignored) == AN_OK && file.bytes.size == merged->size &&
        memcmp(file.bytes.data, merged->bytes, merged->size) == 0;
    an_file_close(&file);
    if (merged)
        an_gcc_merged_free(merged, 1);
    an_ledger_free(ledger);
    free(inputs);
    return is_same;
}

static void tell(const char *whole, const struct cov_file *parts, size_t count, bool is_sum)
{
    const char *last = an_file_name(parts[count - 1].path);
    if (is_sum)
        say("%s has the counts of %s%s%s: these are left out", whole, an_file_name(parts[0].path),
            count > 1 ? " to " : "", count > 1 ? last : "");
    else
        say_warning("%s is not the sum of %s%s%s: all of them are added up", whole,
                    an_file_name(parts[0].path), count > 1 ? " to " : "", count > 1 ? last : "");
}

void cov_drop_parts(struct cov_files *files, bool quiet)
{
    size_t kept = 0, end;
    for (size_t i = 0; i < files->count; i = end) {
        const struct cov_file whole = files->items[i];
        for (end = i + 1; end < files->count && is_part_of(files->items[end].path, whole.path);)
            end++;
        size_t count = end - i - 1;
        bool are_left_out = count && is_sum(whole.path, &files->items[i + 1], count);
        if (count && (!quiet || !are_left_out))
            tell(whole.path, &files->items[i + 1], count, are_left_out);
        for (size_t k = i; k < end; k++)
            if (k > i && are_left_out)
                free(files->items[k].path);
            else
                files->items[kept++] = files->items[k];
    }
    files->count = kept;
}
