/* Writes the report of a made-up program: make_report DIR. The folder and its "src" are there. */
#include <anneal/report.h>

#include <stdio.h>

#include "support/coverage_build.h"

static bool text(void *context, const struct an_coverage_source *source, const void **bytes,
                 size_t *size)
{
    (void)context;
    return made_text(source, bytes, size);
}

static enum an_code page(void *context, const char *name, const void *bytes, size_t size,
                         struct an_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", (const char *)context, name);
    FILE *file = fopen(path, "wb");
    bool done = file && fwrite(bytes, 1, size, file) == size;
    if (file && fclose(file) != 0)
        done = false;
    if (!done)
        *error = (struct an_error){.code = AN_SYSTEM, .what = "cannot write a page"};
    return done ? AN_OK : AN_SYSTEM;
}

int main(int argc, char **argv)
{
    struct an_error error;
    if (argc != 2) {
        fprintf(stderr, "usage: make_report DIR\n");
        return 2;
    }
    const struct an_report_options options = {.size = sizeof options,
                                              .title = "Prog",
                                              .made = "2026-11-22 08:00 UTC",
                                              .text = text,
                                              .page = page,
                                              .context = argv[1]};
    if (an_report_coverage(made_coverage(), &options, &error) == AN_OK)
        return 0;
    fprintf(stderr, "make_report: %s\n", error.what);
    return 1;
}
