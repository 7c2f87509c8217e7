/* Sources with counts, and JSON, as gcov has them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/output.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "cov.h"

/* Sources that are not there have a head only; they are counted. */
static enum an_code annotate_source(const struct cov *cov, const struct an_coverage_source *source,
                                    const struct an_gcov_sink *sink, size_t *absent,
                                    struct an_error *error)
{
    bool found;
    enum an_code code =
        an_gcov_text(source, source->name, false, &cov->request->text_options, sink, &found, error);
    if (!found && (*absent)++ == 0)
        say_warning("%s: cannot be read (--json has its counts)", source->path);
    return code;
}

static void tell_absent(size_t absent)
{
    if (absent > 1)
        say_warning("%zu more sources cannot be read", absent - 1);
}

bool cov_print_texts(const struct cov *cov)
{
    struct an_gcov_sink sink = {print_bytes, NULL};
    struct an_error error;
    size_t absent = 0;
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < cov->source_count; i++)
        code = annotate_source(cov, cov->sources[i], &sink, &absent, &error);
    tell_absent(absent);
    if (code != AN_OK)
        report_error(&error);
    return code == AN_OK;
}

/* The name of a source's file below the folder: .. becomes ^. To be freed. */
static char *place_of(const struct cov *cov, const char *name)
{
    char *place = malloc(strlen(cov->request->directory) + strlen(name) + sizeof "/.gcov");
    if (!place)
        return NULL;
    char *to = stpcpy(place, cov->request->directory);
    while (*name) {
        name += strspn(name, "/");
        size_t size = strcspn(name, "/");
        bool is_up = size == 2 && memcmp(name, "..", 2) == 0;
        to = stpcpy(to, "/");
        memcpy(to, is_up ? "^" : name, is_up ? 1 : size);
        to += is_up ? 1 : size;
        *to = '\0';
        name += size;
    }
    stpcpy(to, ".gcov");
    return place;
}

static bool write_source(const struct cov *cov, const struct an_coverage_source *source,
                         size_t *absent)
{
    struct an_output output;
    struct an_error error;
    struct an_gcov_sink sink = {write_bytes, &output};
    char *place = place_of(cov, source->name);
    if (!place) {
        say_error("out of memory");
        return false;
    }
    bool done = make_folders(place);
    if (done && an_output_open(&output, place, true, &error) != AN_OK) {
        report_error(&error);
        done = false;
    } else if (done) {
        output.can_be_remade = true;
        done = annotate_source(cov, source, &sink, absent, &error) == AN_OK;
        if (done)
            done = an_output_commit(&output, &error) == AN_OK;
        else
            an_output_abandon(&output);
        if (!done)
            report_error(&error);
    }
    free(place);
    return done;
}

bool cov_write_texts(const struct cov *cov)
{
    size_t absent = 0;
    bool done = true;
    for (size_t i = 0; done && i < cov->source_count; i++)
        done = write_source(cov, cov->sources[i], &absent);
    tell_absent(absent);
    if (done && !cov->request->quiet)
        say("wrote %zu file%s below %s", cov->source_count, plural(cov->source_count),
            cov->request->directory);
    return done;
}

static bool takes(void *context, const struct an_coverage_source *source)
{
    return source->totals.lines > 0 && cov_takes(context, source);
}

bool cov_print_json(const struct cov *cov)
{
    const struct an_gcov_json_options options = {.size = sizeof options,
                                                 .branches = true,
                                                 .totals = &cov->totals,
                                                 .takes = takes,
                                                 .context = (void *)cov->request};
    struct an_buffer text = {0};
    struct an_gcov_sink sink = {keep_bytes, &text};
    struct an_error error;
    enum an_code code = an_gcov_json(cov->coverage, &options, &sink, &error);
    if (code != AN_OK)
        report_error(&error);
    else
        fwrite(text.data, 1, text.size, stdout);
    putchar('\n');
    an_buffer_free(&text);
    return code == AN_OK;
}
