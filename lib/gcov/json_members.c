/* Lines and functions in gcov's JSON; see json_members.h. */
#include "gcov/json_members.h"

#include "gcov/condition.h"
#include "gcov/json_paths.h"

static void put_comma(struct an_gcov_writer *writer)
{
    if (!writer->is_first)
        an_buffer_put(writer->to, ", ", 2);
    writer->is_first = false;
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static void put_branches_of_12(struct an_gcov_writer *writer, const struct an_coverage_line *line)
{
    bool is_first = true;
    for (uint32_t i = 0; writer->options->branches && i < line->branch_count; i++) {
        const struct an_coverage_branch *branch = &line->branches[i];
        if (branch->is_call || branch->is_unconditional)
            continue;
        an_gcov_put_text(writer, is_first ? "{\"fallthrough\": " : ", {\"fallthrough\": ");
        an_gcov_put_text(writer, truth(branch->is_fall_through));
        an_gcov_put_number(writer, ", \"count\": ", branch->count);
        an_gcov_put_text(writer, branch->is_throw ? ", \"throw\": true}" : ", \"throw\": false}");
        is_first = false;
    }
}

static void put_line_of_12(struct an_gcov_writer *writer, const struct an_coverage_line *line,
                           const char *function)
{
    an_gcov_put_text(writer, "{\"branches\": [");
    put_branches_of_12(writer, line);
    an_gcov_put_number(writer, "], \"count\": ", line->count);
    an_gcov_put_number(writer, ", \"line_number\": ", line->number);
    an_gcov_put_text(writer, ", \"unexecuted_block\": ");
    an_gcov_put_text(writer, truth(line->has_unexecuted_block));
    if (function) {
        an_gcov_put_text(writer, ", \"function_name\": ");
        an_gcov_put_string(writer, function);
    }
    an_buffer_put(writer->to, "}", 1);
}

static void put_function_of_12(struct an_gcov_writer *writer,
                               const struct an_coverage_function *function)
{
    an_gcov_put_number(writer, "{\"blocks\": ", function->blocks);
    an_gcov_put_number(writer, ", \"end_column\": ", function->last_column);
    an_gcov_put_number(writer, ", \"start_line\": ", function->line);
    an_gcov_put_text(writer, ", \"name\": ");
    an_gcov_put_string(writer, function->name);
    an_gcov_put_number(writer, ", \"blocks_executed\": ", function->blocks_executed);
    an_gcov_put_number(writer, ", \"execution_count\": ", function->count);
    an_gcov_put_text(writer, ", \"demangled_name\": ");
    an_gcov_put_string(writer, function->demangled);
    an_gcov_put_number(writer, ", \"start_column\": ", function->column);
    an_gcov_put_number(writer, ", \"end_line\": ", function->last_line);
    an_buffer_put(writer->to, "}", 1);
}

/* ---- from 13 on ---- */

static void put_truth(struct an_gcov_writer *writer, const char *before, bool value)
{
    an_gcov_put_text(writer, before);
    an_gcov_put_text(writer, truth(value));
}

static void put_blocks(struct an_gcov_writer *writer, const struct an_coverage_line *line)
{
    an_gcov_put_text(writer, ", \"block_ids\": [");
    for (uint32_t i = 0; i < line->block_count; i++)
        an_gcov_put_number(writer, i ? ", " : "", line->blocks[i].number);
    an_gcov_put_text(writer, "]");
}

static void put_ends(struct an_gcov_writer *writer, const struct an_coverage_branch *branch)
{
    an_gcov_put_number(writer, "\"source_block_id\": ", branch->block);
    an_gcov_put_number(writer, ", \"destination_block_id\": ", branch->destination);
}

static void put_branches(struct an_gcov_writer *writer, const struct an_coverage_line *line)
{
    bool is_first = true;
    an_gcov_put_text(writer, ", \"branches\": [");
    for (uint32_t i = 0; writer->options->branches && i < line->branch_count; i++) {
        const struct an_coverage_branch *branch = &line->branches[i];
        if (branch->is_call || branch->is_unconditional)
            continue;
        an_gcov_put_number(writer, is_first ? "{\"count\": " : ", {\"count\": ", branch->count);
        put_truth(writer, ", \"throw\": ", branch->is_throw);
        put_truth(writer, ", \"fallthrough\": ", branch->is_fall_through);
        if (writer->options->release >= 14) {
            an_gcov_put_text(writer, ", ");
            put_ends(writer, branch);
        }
        an_gcov_put_text(writer, "}");
        is_first = false;
    }
    an_gcov_put_text(writer, "]");
}

static void put_calls(struct an_gcov_writer *writer, const struct an_coverage_line *line)
{
    bool is_first = true;
    an_gcov_put_text(writer, ", \"calls\": [");
    for (uint32_t i = 0; writer->options->branches && i < line->branch_count; i++) {
        const struct an_coverage_branch *branch = &line->branches[i];
        if (!branch->is_call)
            continue;
        an_gcov_put_text(writer, is_first ? "{" : ", {");
        put_ends(writer, branch);
        an_gcov_put_number(writer, ", \"returned\": ", branch->block_count - branch->count);
        an_gcov_put_text(writer, "}");
        is_first = false;
    }
    an_gcov_put_text(writer, "]");
}

/* The terms that are not in the mask. */
static void put_missing(struct an_gcov_writer *writer, const char *before, uint64_t mask,
                        uint32_t terms)
{
    bool is_first = true;
    an_gcov_put_text(writer, before);
    for (uint32_t i = 0; i < terms; i++) {
        if (mask >> i & 1)
            continue;
        an_gcov_put_number(writer, is_first ? "" : ", ", i);
        is_first = false;
    }
    an_gcov_put_text(writer, "]");
}

static void put_conditions(struct an_gcov_writer *writer, const struct an_coverage_line *line)
{
    bool is_first = true;
    an_gcov_put_text(writer, ", \"conditions\": [");
    for (uint32_t i = 0; writer->options->conditions && i < line->block_count; i++) {
        if (!line->blocks[i].condition)
            continue;
        const struct an_coverage_condition *condition =
            &writer->conditions[line->blocks[i].condition - 1];
        an_gcov_put_number(
            writer, is_first ? "{\"count\": " : ", {\"count\": ", 2 * (int64_t)condition->terms);
        an_gcov_put_number(writer, ", \"covered\": ", an_gcov_covered(condition));
        put_missing(writer, ", \"not_covered_true\": [", condition->when_true, condition->terms);
        put_missing(writer, ", \"not_covered_false\": [", condition->when_false, condition->terms);
        an_gcov_put_text(writer, "}");
        is_first = false;
    }
    an_gcov_put_text(writer, "]");
}

static void put_line_of_13(struct an_gcov_writer *writer, const struct an_coverage_line *line,
                           const char *function)
{
    an_gcov_put_number(writer, "{\"line_number\": ", line->number);
    if (function) {
        an_gcov_put_text(writer, ", \"function_name\": ");
        an_gcov_put_string(writer, function);
    }
    an_gcov_put_number(writer, ", \"count\": ", line->count);
    put_truth(writer, ", \"unexecuted_block\": ", line->has_unexecuted_block);
    if (writer->options->release >= 14)
        put_blocks(writer, line);
    put_branches(writer, line);
    if (writer->options->release >= 14) {
        put_calls(writer, line);
        put_conditions(writer, line);
    }
    an_gcov_put_text(writer, "}");
}

static void put_function_of_13(struct an_gcov_writer *writer,
                               const struct an_coverage_function *function)
{
    an_gcov_put_text(writer, "{\"name\": ");
    an_gcov_put_string(writer, function->name);
    an_gcov_put_text(writer, ", \"demangled_name\": ");
    an_gcov_put_string(writer, function->demangled);
    an_gcov_put_number(writer, ", \"start_line\": ", function->line);
    an_gcov_put_number(writer, ", \"start_column\": ", function->column);
    an_gcov_put_number(writer, ", \"end_line\": ", function->last_line);
    an_gcov_put_number(writer, ", \"end_column\": ", function->last_column);
    an_gcov_put_number(writer, ", \"blocks\": ", function->blocks);
    an_gcov_put_number(writer, ", \"blocks_executed\": ", function->blocks_executed);
    an_gcov_put_number(writer, ", \"execution_count\": ", function->count);
    if (writer->options->release >= 15)
        an_gcov_put_prime_paths(writer, function);
    an_gcov_put_text(writer, "}");
}

/* ---- of any release ---- */

void an_gcov_put_line(struct an_gcov_writer *writer, const struct an_coverage_line *line,
                      const char *function)
{
    if (!line->exists)
        return;
    put_comma(writer);
    if (writer->options->release >= 13)
        put_line_of_13(writer, line, function);
    else
        put_line_of_12(writer, line, function);
}

void an_gcov_put_function(struct an_gcov_writer *writer,
                          const struct an_coverage_function *function)
{
    put_comma(writer);
    if (writer->options->release >= 13)
        put_function_of_13(writer, function);
    else
        put_function_of_12(writer, function);
}
