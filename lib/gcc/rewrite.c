/* Changing the counts of a whole profile; see anneal/gcc.h. */
#include <anneal/gcc.h>

#include "base/file.h"
#include "base/memory.h"
#include "gcc/gcda.h"
#include "gcc/scale.h"

static enum an_code load_all(struct an_gcda *all, const struct an_gcc_input *inputs, size_t count,
                             struct an_error *error)
{
    struct an_file file = {.capacity = 0};
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < count; i++)
        code = an_gcda_load(&all[i], &file, inputs[i].path, error);
    an_file_close(&file);
    return code;
}

static struct an_gcc_scale scale_for(const struct an_gcc_scale *wanted, const struct an_gcda *all,
                                     size_t count)
{
    struct an_gcc_scale scale = *wanted;
    if (scale.how != AN_GCC_TO_GREATEST)
        return scale;
    scale.denominator = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t greatest = an_gcda_greatest(&all[i]);
        if (greatest > scale.denominator)
            scale.denominator = greatest;
    }
    return scale;
}

static enum an_code write_all(struct an_gcda *all, const struct an_gcc_scale *scale, size_t count,
                              struct an_gcc_merged *rewritten, struct an_error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct an_buffer buffer = {0};
        if (all[i].header.version.word == 0)
            continue;
        an_gcda_rewrite(&all[i], scale);
        an_gcda_write(&all[i], &buffer);
        rewritten[i] = (struct an_gcc_merged){buffer.data, buffer.size, 1};
        if (buffer.failed)
            return an_fail_memory(error);
    }
    return AN_OK;
}

enum an_code an_gcc_rewrite(const struct an_gcc_scale *scale, const struct an_gcc_input *inputs,
                            size_t count, struct an_gcc_merged **rewritten, struct an_error *error)
{
    struct an_gcda *all = an_alloc_zero(count + 1, sizeof *all);
    struct an_gcc_merged *results = an_alloc_zero(count + 1, sizeof *results);
    enum an_code code =
        all && results ? load_all(all, inputs, count, error) : an_fail_memory(error);
    if (code == AN_OK) {
        const struct an_gcc_scale actual = scale_for(scale, all, count);
        code = write_all(all, &actual, count, results, error);
    }
    for (size_t i = 0; all && i < count; i++)
        an_gcda_free(&all[i]);
    free(all);
    if (code != AN_OK) {
        an_gcc_merged_free(results, count);
        results = NULL;
    }
    *rewritten = results;
    return code;
}
