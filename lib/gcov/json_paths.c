/* Prime paths in gcov's JSON; see json_paths.h. */
#include "gcov/json_paths.h"

struct telling {
    struct an_gcov_writer *writer;
    bool is_first;
};

/* gcov 15 and 16 call what leads away from a condition that is false "true", and have no word for the other. */
static const char *kind_of(const struct an_coverage_step *step)
{
    return step->is_false          ? "true"
           : step->is_fall_through ? "fallthru"
           : step->is_throw        ? "throw"
                                   : "";
}

static void put_place(struct an_gcov_writer *writer, const struct an_coverage_place *place)
{
    an_gcov_put_text(writer, "{\"file\": ");
    an_gcov_put_string(writer, place->source->name);
    an_gcov_put_text(writer, ", \"line_numbers\": [");
    for (uint32_t i = 0; i < place->line_count; i++)
        an_gcov_put_number(writer, i ? ", " : "", place->lines[i]);
    an_gcov_put_text(writer, "]}");
}

static void put_step(struct an_gcov_writer *writer, const struct an_coverage_step *step)
{
    an_gcov_put_number(writer, "{\"block_id\": ", step->block);
    an_gcov_put_text(writer, ", \"locations\": [");
    for (uint32_t i = 0; i < step->place_count; i++) {
        an_gcov_put_text(writer, i ? ", " : "");
        put_place(writer, &step->places[i]);
    }
    an_gcov_put_text(writer, "], \"edge_kind\": ");
    an_gcov_put_string(writer, kind_of(step));
    an_gcov_put_text(writer, "}");
}

static bool put_path(void *context, const struct an_coverage_path *path)
{
    struct telling *telling = context;
    struct an_gcov_writer *writer = telling->writer;
    if (path->is_taken)
        return true;
    an_gcov_put_number(writer,
                       telling->is_first ? "{\"id\": " : ", {\"id\": ", (int64_t)path->number);
    an_gcov_put_text(writer, ", \"sequence\": [");
    for (size_t i = 0; i < path->step_count; i++) {
        an_gcov_put_text(writer, i ? ", " : "");
        put_step(writer, &path->steps[i]);
    }
    an_gcov_put_text(writer, "]}");
    telling->is_first = false;
    return !writer->to->failed;
}

void an_gcov_put_prime_paths(struct an_gcov_writer *writer,
                             const struct an_coverage_function *function)
{
    struct telling telling = {writer, true};
    struct an_error error;
    an_gcov_put_number(writer, ", \"total_prime_paths\": ", (int64_t)function->path_count);
    an_gcov_put_number(writer,
                       ", \"covered_prime_paths\": ", (int64_t)function->totals.paths_taken);
    an_gcov_put_text(writer, ", \"prime_path_coverage\": [");
    if (an_coverage_each_path(function, put_path, &telling, &error) != AN_OK)
        writer->to->failed = true;
    an_gcov_put_text(writer, "]");
}
