/* Coverage as JSON; see anneal/gcov.h. */
#include <anneal/gcov.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/options.h"
#include "base/vector.h"
#include "gcov/function_order.h"
#include "gcov/json_members.h"
#include "gcov/sink.h"

/* Functions that a line may be in, the innermost one last. */
struct nest {
    AN_VECTOR(const struct an_coverage_function *);
};

/* Instances are told where they begin; others are what the lines from there on are in. */
static bool put_beginning(struct an_gcov_writer *writer, struct nest *nest,
                          const struct an_coverage_function *functions, size_t count)
{
    struct an_function_list list = {0};
    bool done = an_function_list_sort(&list, functions, count);
    for (size_t i = 0; done && i < count; i++) {
        const struct an_coverage_function *function = list.items[i];
        if (!function->is_instance) {
            const struct an_coverage_function **inner = an_vector_push(nest);
            done = inner != NULL;
            if (inner)
                *inner = function;
        }
        for (size_t k = 0; k < function->line_count; k++)
            an_gcov_put_line(writer, &function->lines[k], function->name);
    }
    an_function_list_free(&list);
    return done;
}

static bool put_lines(struct an_gcov_writer *writer, const struct an_coverage_source *source)
{
    struct nest nest = {0};
    size_t next = 0;
    bool done = true;
    writer->is_first = true;
    for (uint32_t number = 0; done && number <= source->line_count; number++) {
        size_t first = next;
        while (next < source->function_count && source->functions[next].line == number)
            next++;
        if (number == 0)
            continue;
        if (next > first)
            done = put_beginning(writer, &nest, source->functions + first, next - first);
        if (number == source->line_count)
            break;
        const struct an_coverage_function *inner = nest.count ? nest.items[nest.count - 1] : NULL;
        an_gcov_put_line(writer, &source->lines[number], inner ? inner->name : NULL);
        /* Up to gcov 10, a function never ends. */
        bool ends = inner && inner->last_line == number;
        if (ends && writer->options->release > 10)
            nest.count--;
    }
    free((void *)nest.items);
    return done;
}

static void put_totals(struct an_gcov_writer *writer, const struct an_coverage_totals *totals)
{
    an_gcov_put_number(writer, ", \"totals\": {\"lines\": ", (int64_t)totals->lines);
    an_gcov_put_number(writer, ", \"lines_executed\": ", (int64_t)totals->lines_executed);
    an_gcov_put_number(writer, ", \"branches\": ", (int64_t)totals->branches);
    an_gcov_put_number(writer, ", \"branches_executed\": ", (int64_t)totals->branches_executed);
    an_gcov_put_number(writer, ", \"branches_taken\": ", (int64_t)totals->branches_taken);
    an_gcov_put_number(writer, ", \"calls\": ", (int64_t)totals->calls);
    an_gcov_put_number(writer, ", \"calls_executed\": ", (int64_t)totals->calls_executed);
    an_gcov_put_number(writer, ", \"functions\": ", (int64_t)totals->functions);
    an_gcov_put_number(writer, ", \"functions_executed\": ", (int64_t)totals->functions_executed);
    an_gcov_put_text(writer, "}");
}

static bool put_functions(struct an_gcov_writer *writer, const struct an_coverage_source *source)
{
    struct an_function_list list = {0};
    bool done = an_function_list_sort(&list, source->functions, source->function_count);
    writer->is_first = true;
    for (size_t i = 0; i < list.count; i++)
        an_gcov_put_function(writer, list.items[i]);
    an_function_list_free(&list);
    return done;
}

static bool put_source_of_13(struct an_gcov_writer *writer, const struct an_coverage_source *source)
{
    an_gcov_put_text(writer, "{\"file\": ");
    an_gcov_put_string(writer, source->name);
    an_gcov_put_text(writer, ", \"functions\": [");
    bool done = put_functions(writer, source);
    an_gcov_put_text(writer, "], \"lines\": [");
    done = done && put_lines(writer, source);
    an_gcov_put_text(writer, "]}");
    return done;
}

static bool put_source_of_12(struct an_gcov_writer *writer, const struct an_coverage_source *source)
{
    an_gcov_put_text(writer, "{\"lines\": [");
    bool done = put_lines(writer, source);
    an_gcov_put_text(writer, "], \"functions\": [");
    done = done && put_functions(writer, source);
    an_gcov_put_text(writer, "], \"file\": ");
    an_gcov_put_string(writer, source->name);
    if (writer->options->totals) {
        an_gcov_put_text(writer, ", \"path\": ");
        an_gcov_put_string(writer, source->path);
        put_totals(writer, &source->totals);
    }
    an_buffer_put(writer->to, "}", 1);
    return done;
}

static bool put_source(struct an_gcov_writer *writer, const struct an_coverage_source *source)
{
    writer->conditions = source->conditions;
    return writer->options->release >= 13 ? put_source_of_13(writer, source)
                                          : put_source_of_12(writer, source);
}

static enum an_code put_sources(struct an_gcov_writer *writer, const struct an_coverage *coverage,
                                const struct an_gcov_sink *sink, struct an_error *error)
{
    const struct an_gcov_json_options *options = writer->options;
    enum an_code code = AN_OK;
    bool is_first = true;
    for (size_t i = 0; code == AN_OK && i < coverage->source_count; i++) {
        if (options->takes && !options->takes(options->context, &coverage->sources[i]))
            continue;
        an_gcov_put_text(writer, is_first ? "" : ", ");
        code = put_source(writer, &coverage->sources[i])
                   ? an_gcov_flush(writer->to, sink, AN_GCOV_PIECE, error)
                   : an_fail_memory(error);
        is_first = false;
    }
    return code;
}

static void put_origin(struct an_gcov_writer *writer)
{
    const struct an_gcov_json_options *options = writer->options;
    if (options->folder) {
        an_gcov_put_text(writer, ", \"current_working_directory\": ");
        an_gcov_put_string(writer, options->folder);
    }
    if (options->data_file) {
        an_gcov_put_text(writer, ", \"data_file\": ");
        an_gcov_put_string(writer, options->data_file);
    }
}

static void put_head(struct an_gcov_writer *writer)
{
    unsigned release = writer->options->release;
    an_gcov_put_text(writer, writer->options->totals ? "{\"schema\": 1, " : "{");
    if (release >= 13)
        an_gcov_put_text(writer, release >= 14 ? "\"format_version\": \"2\", "
                                               : "\"format_version\": \"1\", ");
    an_gcov_put_text(writer, "\"gcc_version\": ");
    an_gcov_put_string(writer, an_gcov_version(release));
    if (release >= 13)
        put_origin(writer);
    an_gcov_put_text(writer, ", \"files\": [");
}

static void put_foot(struct an_gcov_writer *writer, const struct an_coverage *coverage)
{
    const struct an_gcov_json_options *options = writer->options;
    if (options->release >= 13) {
        an_gcov_put_text(writer, "]}");
        return;
    }
    an_gcov_put_text(writer, "], \"format_version\": \"1\"");
    put_origin(writer);
    if (options->totals) {
        an_gcov_put_number(writer, ", \"runs\": ", (int64_t)coverage->runs);
        put_totals(writer, options->totals);
    }
    an_gcov_put_text(writer, "}");
}

/* The last digits are those of the tools that this was compared with. */
const char *an_gcov_version(unsigned release)
{
    static const char *const versions[] = {"4.9.4",  "5.4.0",  "6.5.0",  "7.5.0",  NULL,
                                           "9.3.0",  "10.2.1", "11.3.0", "12.2.0", "13.5.0",
                                           "14.4.0", "15.3.0", "16.2.0"};
    if (release < AN_GCOV_OLDEST || release == 8)
        release = AN_GCOV_USUAL;
    return versions[(release < AN_GCOV_NEWEST ? release : AN_GCOV_NEWEST) - AN_GCOV_OLDEST];
}

enum an_code an_gcov_json(const struct an_coverage *coverage,
                          const struct an_gcov_json_options *options,
                          const struct an_gcov_sink *sink, struct an_error *error)
{
    struct an_gcov_json_options full;
    struct an_buffer to = {0};
    struct an_gcov_writer writer = {.options = &full, .to = &to};
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    if (full.totals || full.release < AN_GCOV_OLDEST_JSON)
        full.release = AN_GCOV_USUAL;
    put_head(&writer);
    code = put_sources(&writer, coverage, sink, error);
    if (code == AN_OK) {
        put_foot(&writer, coverage);
        code = an_gcov_flush(&to, sink, 1, error);
    }
    an_buffer_free(&to);
    return code;
}
