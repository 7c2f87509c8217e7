/* Sources with counts, and JSON, as gcov has them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "command.h"
#include "cov.h"
#include "gcov_json.h"
#include "output.h"

struct file {
    struct an_output output;
    struct an_error error;
};

static bool print(void *context, struct an_bytes bytes)
{
    (void)context;
    return fwrite(bytes.data, 1, bytes.size, stdout) == bytes.size;
}

static bool write_file(void *context, struct an_bytes bytes)
{
    struct file *file = context;
    return an_output_write(&file->output, bytes, &file->error) == AN_OK;
}

/* Sources that are not there have a head only; they are counted. */
static bool annotate_source(const struct cov *cov, const struct an_coverage_source *source,
                            const struct page_sink *sink, size_t *absent)
{
    bool found;
    bool done = annotate(&cov->request->annotation, source, source->name, false, sink, &found);
    if (!found && (*absent)++ == 0)
        say_warning("%s: cannot be read (--json has its counts)", source->path);
    return done;
}

static void tell_absent(size_t absent)
{
    if (absent > 1)
        say_warning("%zu more sources cannot be read", absent - 1);
}

bool cov_print_texts(const struct cov *cov)
{
    struct page_sink sink = {print, NULL};
    size_t absent = 0;
    bool done = true;
    for (size_t i = 0; done && i < cov->source_count; i++)
        done = annotate_source(cov, cov->sources[i], &sink, &absent);
    tell_absent(absent);
    if (!done)
        say_error("out of memory, or cannot write");
    return done;
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
    struct file file;
    struct page_sink sink = {write_file, &file};
    char *place = place_of(cov, source->name);
    if (!place) {
        say_error("out of memory");
        return false;
    }
    an_fail_memory(&file.error); /* unless something else goes wrong */
    bool done = make_folders(place);
    if (done && an_output_open(&file.output, place, true, &file.error) != AN_OK) {
        report_error(&file.error);
        done = false;
    } else if (done) {
        file.output.can_be_remade = true;
        done = annotate_source(cov, source, &sink, absent);
        if (done)
            done = an_output_commit(&file.output, &file.error) == AN_OK;
        else
            an_output_abandon(&file.output);
        if (!done)
            report_error(&file.error);
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
    struct gcov_json json = {
        .branches = true, .totals = &cov->totals, .takes = takes, .context = (void *)cov->request};
    struct an_buffer text = {0};
    gcov_json(&json, cov->coverage, &text);
    if (text.failed)
        say_error("out of memory");
    else
        fwrite(text.data, 1, text.size, stdout);
    putchar('\n');
    bool done = !text.failed;
    an_buffer_free(&text);
    return done;
}
