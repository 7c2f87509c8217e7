/*
 * The text that gcov had before it had JSON, for programs, without the lines of sources:
 *
 *     file:NAME                      for each source
 *     function:LINE,CALLS,NAME
 *     lcount:LINE,COUNT
 *     branch:LINE,taken              with -b: or nottaken, or notexec
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/path.h"
#include "cli/core/output.h"
#include "gcov.h"

static void put_line(struct an_buffer *to, const struct gcov *gcov,
                     const struct an_coverage_line *line, size_t number)
{
    const struct an_gcov_text_options *options = &gcov->text_options;
    if (line->exists)
        an_buffer_print(to, "lcount:%zu,%" PRId64 "\n", number, line->count);
    for (uint32_t i = 0; options->branches && !options->blocks && i < line->branch_count; i++) {
        const struct an_coverage_branch *branch = &line->branches[i];
        if (!branch->is_unconditional && !branch->is_call)
            an_buffer_print(to, "branch:%zu,%s\n", number,
                            !branch->block_count ? "notexec"
                            : branch->count > 0  ? "taken"
                                                 : "nottaken");
    }
}

static void put_source(struct an_buffer *to, const struct gcov *gcov,
                       const struct an_coverage_source *source)
{
    an_buffer_print(to, "file:%s\n", source->name);
    for (size_t i = 0; i < source->function_count; i++) {
        const struct an_coverage_function *function = &source->functions[i];
        an_buffer_print(to, "function:%" PRIu32 ",%" PRId64 ",%s\n", function->line,
                        function->count,
                        gcov->text_options.demangled ? function->demangled : function->name);
    }
    for (size_t i = 1; i < source->line_count; i++)
        put_line(to, gcov, &source->lines[i], i);
}

bool gcov_intermediate(struct gcov *gcov, const char *named)
{
    struct an_buffer text = {0};
    struct an_error error;
    char *path = NULL;
    for (size_t i = 0; i < gcov->coverage->source_count; i++)
        if (gcov_takes(gcov, &gcov->coverage->sources[i]))
            put_source(&text, gcov, &gcov->coverage->sources[i]);
    bool done = !text.failed && asprintf(&path, "%s.gcov", an_file_name(named)) >= 0;
    struct an_bytes bytes = {text.data, text.size};
    if (done && gcov->to_stdout) {
        fwrite(text.data, 1, text.size, stdout);
    } else if (done && an_file_replace(path, bytes, &error) != AN_OK) {
        fprintf(stderr, "Cannot open intermediate output file %s\n", path);
        gcov->status = GCOV_OUTPUT;
    }
    if (done)
        free(path);
    an_buffer_free(&text);
    return done;
}
