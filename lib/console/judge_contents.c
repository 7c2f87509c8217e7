/* Looking into files; see judge.h. */
#include <anneal/gcc.h>
#include <inttypes.h>

#include "console/judge.h"
#include "gcc/extent.h"
#include "gcc/gcda.h"

/* The greatest count of an arc that is above the maximum in the summary, or 0. */
static uint64_t above_maximum(const struct an_gcda *gcda)
{
    uint64_t most = 0;
    for (size_t i = 0; i < gcda->counters.count; i++) {
        const struct an_gcda_counters *counters = &gcda->counters.items[i];
        if (counters->kind != 0 || counters->are_zero)
            continue;
        for (size_t k = 0; k < counters->count; k++)
            if (gcda->values.items[counters->first + k] > most)
                most = gcda->values.items[counters->first + k];
    }
    return most > gcda->sum_max ? most : 0;
}

static void doubt_counts(struct an_found *found, const struct an_gcda *gcda)
{
    uint64_t most = gcda->runs ? above_maximum(gcda) : 0;
    if (most)
        an_found_doubt(found,
                       "it counts an arc %" PRIu64 " times, but claims a maximum of %" PRIu32, most,
                       gcda->sum_max);
}

/* Records that do not fit say so; false when memory runs out. */
static bool read_all(struct an_found *found, struct an_bytes bytes, struct an_error *error)
{
    struct an_gcda gcda;
    enum an_code code = an_gcda_read(&gcda, bytes, error);
    if (code == AN_NO_MEMORY)
        return false;
    if (code != AN_OK) {
        an_found_blame(found, 0, "inside, at byte %" PRIu64 ": %s",
                       error->offset == AN_NO_OFFSET ? 0 : error->offset, error->what);
        return true;
    }
    doubt_counts(found, &gcda);
    an_gcda_free(&gcda);
    return true;
}

/* What no counter file of GCC can be without is checked where it has to be one. */
static bool must_be_gcda(const struct an_console_file *file)
{
    return file->form != AN_CONSOLE_UUENCODE;
}

static bool judge_contents(struct an_found *found)
{
    struct an_console_file *file = &found->file;
    struct an_bytes bytes = {file->bytes, file->size};
    struct an_gcda_extent extent;
    struct an_error error;
    if (file->status != AN_CONSOLE_UNVERIFIED)
        return true;
    if (!an_gcc_is_gcda(file->bytes, file->size) && !must_be_gcda(file)) {
        size_t length = strlen(file->name);
        if (strstr(file->name, ".gcda") && length > 5)
            an_found_blame(found, file->first_line,
                           "it is named gcda, but does not begin like "
                           "one");
        return true;
    }
    if (an_gcda_extent_of(&extent, bytes, &error) != AN_OK) {
        an_found_blame(found, 0, "inside, at byte %" PRIu64 ": %s",
                       error.offset == AN_NO_OFFSET ? 0 : error.offset, error.what);
        return true;
    }
    if (extent.size != file->size)
        an_found_blame(found, 0, "%zu bytes follow its end marker", file->size - extent.size);
    else if (!extent.has_end && !must_be_gcda(file))
        an_found_doubt(found, "it has no end marker: something may be missing");
    return !extent.is_readable || read_all(found, bytes, &error);
}

bool an_judge_contents(struct an_console *console)
{
    for (size_t i = 0; i < console->count; i++)
        if (!judge_contents(&console->items[i]))
            return false;
    return true;
}

void an_judge_checksums(struct an_console *console)
{
    bool some_have = false;
    for (size_t i = 0; i < console->count; i++)
        some_have |=
            console->items[i].file.form == AN_CONSOLE_UUENCODE && console->items[i].has_checksum;
    for (size_t i = 0; some_have && i < console->count; i++) {
        struct an_found *found = &console->items[i];
        if (found->file.form == AN_CONSOLE_UUENCODE && !found->has_checksum &&
            found->file.proof != AN_CONSOLE_GZIP)
            an_found_blame(found, found->file.last_line,
                           "its checksum is missing, while other files in the log have one");
    }
}
