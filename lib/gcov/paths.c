/* Prime paths in gcov's texts; see paths.h. */
#include "gcov/paths.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "gcov/sink.h"

/* Goes through all paths in one of two ways; there may be more than memory has room for their texts. */
struct telling {
    struct an_gcov_path_writer *writer;
    bool (*put)(struct an_gcov_path_writer *writer, const struct an_coverage_path *path);
    struct an_gcov_paths which;
    enum an_code code;
};

static bool tell_path(void *context, const struct an_coverage_path *path)
{
    struct telling *telling = context;
    struct an_gcov_path_writer *writer = telling->writer;
    if (path->is_taken ? !telling->which.taken : !telling->which.others)
        return true;
    an_buffer_print(writer->to, "path %" PRIu64 " %scovered:", path->number,
                    path->is_taken ? "" : "not ");
    telling->code = telling->put(writer, path)
                        ? an_gcov_flush(writer->to, writer->sink, AN_GCOV_PIECE, writer->error)
                        : an_fail_memory(writer->error);
    return telling->code == AN_OK;
}

/* Of a condition or a throw; others have no name. */
static const char *way_out(const struct an_coverage_step *step)
{
    return step->is_true ? "(true)" : step->is_false ? "(false)" : step->is_throw ? "(throw)" : "";
}

/* ---- by numbers ---- */

static bool put_numbers(struct an_gcov_path_writer *writer, const struct an_coverage_path *path)
{
    an_buffer_put(writer->to, " lines", 6);
    for (size_t i = 0; i < path->step_count; i++) {
        const struct an_coverage_step *step = &path->steps[i];
        for (uint32_t k = 0; k < step->place_count; k++) {
            const struct an_coverage_place *place = &step->places[k];
            bool is_own = place->source == writer->source;
            an_buffer_print(writer->to, " %s%s%" PRIu32 "%s", is_own ? "" : place->source->name,
                            is_own ? "" : ":", place->lines[place->line_count - 1], way_out(step));
        }
    }
    an_buffer_put(writer->to, "\n", 1);
    return true;
}

/* ---- with lines ---- */

/* The lines of a source, which are read once; NULL when memory runs out. */
static const struct an_source_lines *text_of(struct an_gcov_path_writer *writer,
                                             const struct an_coverage_source *source)
{
    for (size_t i = 0; i < writer->texts.count; i++)
        if (writer->texts.items[i].source == source)
            return &writer->texts.items[i].lines;
    struct an_gcov_path_text *text = an_vector_push(&writer->texts);
    if (!text)
        return NULL;
    *text = (struct an_gcov_path_text){.source = source};
    return an_source_lines_read(&text->lines, source->path) ? &text->lines : NULL;
}

/* A line that the source does not have is empty. */
static void put_line(struct an_buffer *to, const struct an_source_lines *text, uint32_t block,
                     const char *way, uint32_t number)
{
    an_buffer_print(to, "BB %2" PRIu32 ": %-7s %3" PRIu32 ":", block, way, number);
    if (number <= text->kept.count)
        an_buffer_put(to, text->kept.items[number - 1].data, text->kept.items[number - 1].size);
    an_buffer_put(to, "\n", 1);
}

static bool put_place(struct an_gcov_path_writer *writer, const struct an_coverage_step *step,
                      const struct an_coverage_place *place,
                      const struct an_coverage_source **current)
{
    const struct an_source_lines *text = text_of(writer, place->source);
    if (!text)
        return false;
    if (place->source != *current && place->source == writer->source)
        an_buffer_print(writer->to, "------------------\n");
    else if (place->source != *current)
        an_buffer_print(writer->to, "== inlined from %s ==\n", place->source->name);
    *current = place->source;
    for (uint32_t i = 0; i < place->line_count; i++)
        put_line(writer->to, text, step->block, i + 1 < place->line_count ? "" : way_out(step),
                 place->lines[i]);
    return true;
}

static bool put_lines(struct an_gcov_path_writer *writer, const struct an_coverage_path *path)
{
    const struct an_coverage_source *current = writer->source;
    an_buffer_put(writer->to, "\n", 1);
    for (size_t i = 0; i < path->step_count; i++)
        for (uint32_t k = 0; k < path->steps[i].place_count; k++)
            if (!put_place(writer, &path->steps[i], &path->steps[i].places[k], &current))
                return false;
    an_buffer_put(writer->to, "\n", 1);
    return true;
}

/* ---- both ---- */

static enum an_code tell(struct telling telling, const struct an_coverage_function *function)
{
    if (!telling.which.taken && !telling.which.others)
        return AN_OK;
    enum an_code code = an_coverage_each_path(function, tell_path, &telling, telling.writer->error);
    return code == AN_OK ? telling.code : code;
}

enum an_code an_gcov_put_paths(struct an_gcov_path_writer *writer,
                               const struct an_coverage_function *function)
{
    const struct an_gcov_text_options *options = writer->options;
    if (!options->paths || options->release < 15)
        return AN_OK;
    if (!function->path_count) {
        an_buffer_print(writer->to, "path coverage omitted\n");
        return AN_OK;
    }
    an_buffer_print(writer->to, "paths covered %" PRIu64 " of %" PRIu64 "\n",
                    function->totals.paths_taken, function->path_count);
    enum an_code code =
        tell((struct telling){writer, put_numbers, options->path_lines, AN_OK}, function);
    return code == AN_OK
               ? tell((struct telling){writer, put_lines, options->path_sources, AN_OK}, function)
               : code;
}

void an_gcov_path_writer_free(struct an_gcov_path_writer *writer)
{
    for (size_t i = 0; i < writer->texts.count; i++)
        an_source_lines_close(&writer->texts.items[i].lines);
    an_vector_free(&writer->texts);
}
