/* anneal convert for GCC's profiles; see gcc_convert.h. */
#include "gcc_convert.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/core/output.h"

/* Digits up to a point or the end. */
static bool take_number(const char **text, unsigned *number)
{
    enum { MOST = 99 };
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    unsigned long value = strtoul(*text, &end, 10);
    *text = *end == '.' ? end + 1 : end;
    *number = (unsigned)value;
    return value <= MOST && (*end == '.' || *end == '\0') && (*end == '\0' || end[1] != '\0');
}

bool gcc_convert_version(const char *text, struct an_gcc_convert_options *options)
{
    const char *rest = text;
    unsigned patch;
    bool has_minor =
        take_number(&rest, &options->major) && *rest && take_number(&rest, &options->minor);
    if (has_minor && (!*rest || (take_number(&rest, &patch) && !*rest)))
        return true;
    say_error("--gcc-version=%s: expected MAJOR.MINOR, as gcc -dumpfullversion prints it", text);
    return false;
}

static bool refuses_options(const struct merge_request *request)
{
    if (request->write.text)
        say_error("--text applies only to LLVM profiles ('anneal show --all-functions --counts "
                  "--json' lists everything in a GCC profile)");
    else if (request->write.format_version)
        say_error("--format-version applies only to LLVM profiles; this is a GCC profile (use "
                  "--gcc-version)");
    else if (request->compiler)
        say_error("--for applies only to LLVM profiles; this is a GCC profile (use --gcc-version)");
    else if (request->write.sparse)
        say_error("--sparse applies only to LLVM profiles; this is a GCC profile (gcda)");
    else
        return false;
    return true;
}

static void tell(const struct merge_request *request, const struct an_gcc_converted *converted)
{
    for (size_t i = 0; i < converted->left_out_count; i++)
        say_warning("GCC %u.%u cannot hold the %s counters of %s function%s: left out",
                    converted->major, converted->minor, converted->left_out[i].kind,
                    with_commas(converted->left_out[i].functions),
                    plural(converted->left_out[i].functions));
    say("converted %s -> %s (%s, gcda of GCC %u.%u)", input_name(request->inputs.items[0].path),
        output_name(request->output), as_size(converted->size), converted->major, converted->minor);
}

int gcc_convert_run(const struct merge_request *request)
{
    const char *path = request->inputs.items[0].path;
    struct an_file file = {.capacity = 0};
    struct an_gcc_converted converted = {.bytes = NULL};
    struct an_error error;
    if (refuses_options(request))
        return EXIT_USAGE;
    enum an_code code = an_file_load(&file, path, &error);
    if (code == AN_OK) {
        code =
            an_gcc_convert(&request->convert, file.bytes.data, file.bytes.size, &converted, &error);
        if (code != AN_OK)
            an_error_in(&error, path);
    }
    an_file_close(&file);
    if (code != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    bool done = write_result(request->output, converted.bytes, converted.size, false);
    if (done && !request->quiet)
        tell(request, &converted);
    free(converted.bytes);
    return done ? EXIT_DONE : EXIT_FAILED;
}
