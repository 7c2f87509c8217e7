/*
 * Features of a perf.data; see perf_features.h.
 *
 *     text        u32 size, with its final 0 and filled up to a multiple of 64 | text
 *
 *     HOSTNAME, OSRELEASE, VERSION, ARCH     text
 *     CMDLINE     u32 number | text of each argument
 *     BRANCH_STACK  nothing: that there are some is told by its presence
 *     EVENT_DESC  u32 number | u32 size of an attr | for each: attr | u32 number of ids | text: name
 *
 * perf lets the release of the kernel and the processor follow from these when it looks for symbols.
 */
#include "record/perf_features.h"

#include <sys/utsname.h>

#include <anneal/version.h>

#include "base/file.h"

enum {
    TEXT_UNIT = 64,
    MOST_ARGUMENTS = 1 << 14, /* bytes: in a pipe a feature has to fit a record */
    LONGEST_NAME = 255,
};

static void put32(struct an_buffer *to, uint32_t value)
{
    an_buffer_put(to, &value, sizeof value);
}

static void put_text(struct an_buffer *to, const char *text, size_t length)
{
    size_t size = (length / TEXT_UNIT + 1) * TEXT_UNIT;
    put32(to, (uint32_t)size);
    uint8_t *place = an_buffer_extend(to, size);
    if (!place)
        return;
    memset(place, 0, size);
    memcpy(place, text, length);
}

static bool put_command_line(struct an_buffer *to)
{
    struct an_file file = {0};
    struct an_error ignored;
    bool known = an_file_load(&file, "/proc/self/cmdline", &ignored) == AN_OK && file.bytes.size &&
                 file.bytes.size <= MOST_ARGUMENTS;
    if (known) {
        const char *at = (const char *)file.bytes.data, *end = at + file.bytes.size;
        uint32_t count = 0;
        for (const char *c = at; c < end; c++)
            count += *c == '\0';
        put32(to, count);
        for (uint32_t i = 0; i < count; i++, at += strlen(at) + 1)
            put_text(to, at, strlen(at));
    }
    an_file_close(&file);
    return known;
}

static void put_event(struct an_buffer *to, const struct an_perf_event *event)
{
    put32(to, 1);
    put32(to, sizeof *event->attr);
    an_buffer_put(to, event->attr, sizeof *event->attr);
    put32(to, 0);
    put_text(to, event->name, strnlen(event->name, LONGEST_NAME));
}

bool an_perf_feature_put(struct an_buffer *to, enum perf_feature feature,
                         const struct an_perf_event *event)
{
    char version[64] = "anneal ";
    struct utsname system = {0};
    uname(&system);
    switch (feature) {
    case PERF_FEATURE_HOSTNAME:
        put_text(to, system.nodename, strlen(system.nodename));
        return true;
    case PERF_FEATURE_OSRELEASE:
        put_text(to, system.release, strlen(system.release));
        return true;
    case PERF_FEATURE_VERSION:
        strncat(version, an_version(), sizeof version - strlen(version) - 1);
        put_text(to, version, strlen(version));
        return true;
    case PERF_FEATURE_ARCH:
        put_text(to, system.machine, strlen(system.machine));
        return true;
    case PERF_FEATURE_CMDLINE:
        return put_command_line(to);
    case PERF_FEATURE_EVENT_DESC:
        put_event(to, event);
        return true;
    case PERF_FEATURE_BRANCH_STACK:
        return event->attr->sample_type & PERF_SAMPLE_BRANCH_STACK;
    default:
        return false;
    }
}
