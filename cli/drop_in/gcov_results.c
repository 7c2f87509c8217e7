/* What gcov finds out, and the files that it writes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/output.h"
#include "base/path.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "gcov.h"

/* What the user named may be a source; then its own name counts. To be freed; NULL without memory. */
static char *name_of_operand(const struct gcov *gcov, const char *named)
{
    const struct an_coverage *coverage = gcov->coverage;
    for (size_t i = 0; i < coverage->object_count; i++)
        for (size_t k = 0; k < coverage->objects[i].mention_count; k++) {
            const struct an_coverage_mention *mention = &coverage->objects[i].mentions[k];
            const struct an_coverage_source *source = &coverage->sources[mention->source];
            if (strcmp(mention->name, named) == 0 || strcmp(source->name, named) == 0)
                return strdup(gcov_shown_name(gcov, source));
        }
    char *canonical = malloc(strlen(named) + 1);
    if (canonical)
        an_path_canonical(canonical, named, true);
    return canonical;
}

/* ---- files ---- */

static void tell_unwritable(struct gcov *gcov, const char *path)
{
    fprintf(stderr, "Could not open output file '%s'\n", path);
    gcov->status = GCOV_OUTPUT;
}

static bool annotate_source(struct gcov *gcov, size_t number, const struct an_gcov_sink *sink)
{
    const struct an_coverage_source *source = &gcov->coverage->sources[number];
    struct an_error error;
    bool found;
    enum an_code code = an_gcov_text(source, gcov_shown_name(gcov, source), gcov->is_newer[number],
                                     &gcov->text_options, sink, &found, &error);
    if (!found)
        fprintf(stderr, "Cannot open source file %s\n", source->name);
    return code == AN_OK;
}

static void write_page(struct gcov *gcov, size_t number, const char *path)
{
    struct an_output output;
    struct an_error error;
    struct an_gcov_sink sink = {write_bytes, &output};
    printf("Creating '%s'\n", path);
    bool done = an_output_open(&output, path, true, &error) == AN_OK;
    output.can_be_remade = true;
    if (done && annotate_source(gcov, number, &sink))
        done = an_output_commit(&output, &error) == AN_OK;
    else if (done)
        done = (an_output_abandon(&output), false);
    if (!done)
        tell_unwritable(gcov, path);
}

static bool write_source(struct gcov *gcov, size_t number, const char *named)
{
    const struct an_coverage_source *source = &gcov->coverage->sources[number];
    char *path = gcov_text_name(&gcov->naming, named, gcov_shown_name(gcov, source));
    if (!path)
        return false;
    if (source->totals.lines) {
        write_page(gcov, number, path);
    } else {
        unlink(path);
        printf("Removing '%s'\n", path);
    }
    free(path);
    return true;
}

static bool print_source(struct gcov *gcov, size_t number)
{
    struct an_gcov_sink sink = {print_bytes, NULL};
    return gcov->coverage->sources[number].totals.lines == 0 ||
           annotate_source(gcov, number, &sink);
}

static bool take_source(struct gcov *gcov, size_t number, const char *named)
{
    const struct an_coverage_source *source = &gcov->coverage->sources[number];
    if (gcov->debug)
        gcov_tell_blocks(gcov->coverage, source);
    if (!gcov->to_stdout)
        gcov_tell_source(gcov, gcov_shown_name(gcov, source), &source->totals);
    gcov->lines += source->totals.lines;
    gcov->lines_executed += source->totals.lines_executed;
    bool done = true;
    if (gcov->no_output)
        return true;
    if (!gcov->json && !gcov->intermediate)
        done = gcov->to_stdout ? print_source(gcov, number) : write_source(gcov, number, named);
    if (!gcov->to_stdout)
        putchar('\n');
    return done;
}

/* ---- JSON ---- */

static bool takes_source(void *context, const struct an_coverage_source *source)
{
    return gcov_takes(context, source);
}

static bool pack(const struct an_buffer *from, struct an_buffer *to)
{
    enum { GZIP = 15 + 16, MEMORY = 8 };
    z_stream stream = {.next_in = from->data};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    uint8_t *room = an_buffer_extend(to, deflateBound(&stream, from->size));
    bool done = room != NULL && from->size <= UINT32_MAX;
    if (done) {
        stream.avail_in = (uInt)from->size;
        stream.next_out = room;
        stream.avail_out = (uInt)to->size;
        done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
        to->size = stream.total_out;
    }
    deflateEnd(&stream);
    return done;
}

static bool put_json(struct gcov *gcov, const char *named, const struct an_buffer *text)
{
    struct an_buffer packed = {0};
    bool done = !text->failed;
    if (done && gcov->to_stdout) {
        fwrite(text->data, 1, text->size, stdout);
        putchar('\n');
    } else if (done) {
        char *path = gcov_json_name(&gcov->naming, named);
        struct an_error error;
        done = path && pack(text, &packed);
        if (done) {
            struct an_bytes bytes = {packed.data, packed.size};
            printf("Creating '%s'\n", path);
            if (an_file_replace(path, bytes, &error) != AN_OK)
                tell_unwritable(gcov, path);
        }
        free(path);
    }
    an_buffer_free(&packed);
    return done;
}

static bool take_json(struct gcov *gcov, const char *named)
{
    const struct an_coverage *coverage = gcov->coverage;
    const struct an_gcov_json_options options = {.size = sizeof options,
                                                 .branches = gcov->text_options.branches,
                                                 .conditions = gcov->text_options.conditions,
                                                 .release = gcov->text_options.release,
                                                 .folder = gcov->folder,
                                                 .data_file = named,
                                                 .takes = takes_source,
                                                 .context = gcov};
    struct an_buffer text = {0};
    struct an_gcov_sink sink = {keep_bytes, &text};
    struct an_error error;
    bool done =
        an_gcov_json(coverage, &options, &sink, &error) == AN_OK && put_json(gcov, named, &text);
    an_buffer_free(&text);
    return done;
}

bool gcov_results(struct gcov *gcov)
{
    const struct gcov_operand *last = &gcov->batch[gcov->batch_count - 1];
    char *named = name_of_operand(gcov, last->named);
    bool done = named != NULL;
    gcov_tell_functions(gcov);
    for (size_t i = 0; done && i < gcov->coverage->source_count; i++)
        if (gcov_takes(gcov, &gcov->coverage->sources[i]))
            done = take_source(gcov, i, named);
    if (done && gcov->json)
        done = take_json(gcov, named);
    if (done && gcov->intermediate)
        done = gcov_intermediate(gcov, named);
    free(named);
    return done;
}
