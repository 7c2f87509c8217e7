/* Coverage as JSON; see anneal/gcov.h. Members have gcov's order, so that the bytes are the same. */
#include <anneal/gcov.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/options.h"
#include "base/vector.h"
#include "gcov/function_order.h"
#include "gcov/sink.h"

struct writer {
    const struct an_gcov_json_options *options;
    struct an_buffer *to;
    bool is_first; /* of the elements of the present array */
};

static void put_text(struct writer *writer, const char *text)
{
    an_buffer_put(writer->to, text, strlen(text));
}

static void put_string(struct writer *writer, const char *text)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    an_buffer_put(writer->to, "\"", 1);
    while (*text) {
        size_t plain = strcspn(text, escaped);
        an_buffer_put(writer->to, text, plain);
        text += plain;
        if (*text) {
            char escape[2] = {'\\', letters[strchr(escaped, *text) - escaped]};
            an_buffer_put(writer->to, escape, 2);
            text++;
        }
    }
    an_buffer_put(writer->to, "\"", 1);
}

static void put_number(struct writer *writer, const char *before, int64_t number)
{
    char digits[24];
    char *at = digits + sizeof digits;
    uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0)
        *--at = '-';
    put_text(writer, before);
    an_buffer_put(writer->to, at, (size_t)(digits + sizeof digits - at));
}

static void put_comma(struct writer *writer)
{
    if (!writer->is_first)
        an_buffer_put(writer->to, ", ", 2);
    writer->is_first = false;
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static void put_branches(struct writer *writer, const struct an_coverage_line *line)
{
    bool is_first = true;
    for (uint32_t i = 0; writer->options->branches && i < line->branch_count; i++) {
        const struct an_coverage_branch *branch = &line->branches[i];
        if (branch->is_call || branch->is_unconditional)
            continue;
        put_text(writer, is_first ? "{\"fallthrough\": " : ", {\"fallthrough\": ");
        put_text(writer, truth(branch->is_fall_through));
        put_number(writer, ", \"count\": ", branch->count);
        put_text(writer, branch->is_throw ? ", \"throw\": true}" : ", \"throw\": false}");
        is_first = false;
    }
}

static void put_line(struct writer *writer, const struct an_coverage_line *line,
                     const char *function)
{
    if (!line->exists)
        return;
    put_comma(writer);
    put_text(writer, "{\"branches\": [");
    put_branches(writer, line);
    put_number(writer, "], \"count\": ", line->count);
    put_number(writer, ", \"line_number\": ", line->number);
    put_text(writer, ", \"unexecuted_block\": ");
    put_text(writer, truth(line->has_unexecuted_block));
    if (function) {
        put_text(writer, ", \"function_name\": ");
        put_string(writer, function);
    }
    an_buffer_put(writer->to, "}", 1);
}

/* Functions that a line may be in, the innermost one last. */
struct nest {
    AN_VECTOR(const struct an_coverage_function *);
};

/* Instances are told where they begin; others are what the lines from there on are in. */
static bool put_beginning(struct writer *writer, struct nest *nest,
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
            put_line(writer, &function->lines[k], function->name);
    }
    an_function_list_free(&list);
    return done;
}

static bool put_lines(struct writer *writer, const struct an_coverage_source *source)
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
        put_line(writer, &source->lines[number], inner ? inner->name : NULL);
        if (inner && inner->last_line == number)
            nest.count--;
    }
    free((void *)nest.items);
    return done;
}

static void put_function(struct writer *writer, const struct an_coverage_function *function)
{
    put_comma(writer);
    put_number(writer, "{\"blocks\": ", function->blocks);
    put_number(writer, ", \"end_column\": ", function->last_column);
    put_number(writer, ", \"start_line\": ", function->line);
    put_text(writer, ", \"name\": ");
    put_string(writer, function->name);
    put_number(writer, ", \"blocks_executed\": ", function->blocks_executed);
    put_number(writer, ", \"execution_count\": ", function->count);
    put_text(writer, ", \"demangled_name\": ");
    put_string(writer, function->demangled);
    put_number(writer, ", \"start_column\": ", function->column);
    put_number(writer, ", \"end_line\": ", function->last_line);
    an_buffer_put(writer->to, "}", 1);
}

static void put_totals(struct writer *writer, const struct an_coverage_totals *totals)
{
    put_number(writer, ", \"totals\": {\"lines\": ", (int64_t)totals->lines);
    put_number(writer, ", \"lines_executed\": ", (int64_t)totals->lines_executed);
    put_number(writer, ", \"branches\": ", (int64_t)totals->branches);
    put_number(writer, ", \"branches_executed\": ", (int64_t)totals->branches_executed);
    put_number(writer, ", \"branches_taken\": ", (int64_t)totals->branches_taken);
    put_number(writer, ", \"calls\": ", (int64_t)totals->calls);
    put_number(writer, ", \"calls_executed\": ", (int64_t)totals->calls_executed);
    put_number(writer, ", \"functions\": ", (int64_t)totals->functions);
    put_number(writer, ", \"functions_executed\": ", (int64_t)totals->functions_executed);
    put_text(writer, "}");
}

static bool put_source(struct writer *writer, const struct an_coverage_source *source)
{
    struct an_function_list list = {0};
    put_text(writer, "{\"lines\": [");
    bool done = put_lines(writer, source) &&
                an_function_list_sort(&list, source->functions, source->function_count);
    put_text(writer, "], \"functions\": [");
    writer->is_first = true;
    for (size_t i = 0; i < list.count; i++)
        put_function(writer, list.items[i]);
    put_text(writer, "], \"file\": ");
    put_string(writer, source->name);
    if (writer->options->totals) {
        put_text(writer, ", \"path\": ");
        put_string(writer, source->path);
        put_totals(writer, &source->totals);
    }
    an_buffer_put(writer->to, "}", 1);
    an_function_list_free(&list);
    return done;
}

static enum an_code put_sources(struct writer *writer, const struct an_coverage *coverage,
                                const struct an_gcov_sink *sink, struct an_error *error)
{
    const struct an_gcov_json_options *options = writer->options;
    enum an_code code = AN_OK;
    bool is_first = true;
    for (size_t i = 0; code == AN_OK && i < coverage->source_count; i++) {
        if (options->takes && !options->takes(options->context, &coverage->sources[i]))
            continue;
        put_text(writer, is_first ? "" : ", ");
        code = put_source(writer, &coverage->sources[i])
                   ? an_gcov_flush(writer->to, sink, AN_GCOV_PIECE, error)
                   : an_fail_memory(error);
        is_first = false;
    }
    return code;
}

static void put_head(struct writer *writer)
{
    put_text(writer, writer->options->totals ? "{\"schema\": 1, " : "{");
    put_text(writer, "\"gcc_version\": \"12.2.0\", \"files\": [");
}

static void put_foot(struct writer *writer, const struct an_coverage *coverage)
{
    const struct an_gcov_json_options *options = writer->options;
    put_text(writer, "], \"format_version\": \"1\"");
    if (options->folder) {
        put_text(writer, ", \"current_working_directory\": ");
        put_string(writer, options->folder);
    }
    if (options->data_file) {
        put_text(writer, ", \"data_file\": ");
        put_string(writer, options->data_file);
    }
    if (options->totals) {
        put_number(writer, ", \"runs\": ", (int64_t)coverage->runs);
        put_totals(writer, options->totals);
    }
    put_text(writer, "}");
}

enum an_code an_gcov_json(const struct an_coverage *coverage,
                          const struct an_gcov_json_options *options,
                          const struct an_gcov_sink *sink, struct an_error *error)
{
    struct an_gcov_json_options full;
    struct an_buffer to = {0};
    struct writer writer = {.options = &full, .to = &to};
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    put_head(&writer);
    code = put_sources(&writer, coverage, sink, error);
    if (code == AN_OK) {
        put_foot(&writer, coverage);
        code = an_gcov_flush(&to, sink, 1, error);
    }
    an_buffer_free(&to);
    return code;
}
