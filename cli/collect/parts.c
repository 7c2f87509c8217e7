/* Which part is whose; see parts.h. */
#include "parts.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <xxhash.h>

#include "base/clock.h"

enum {
    HOUR = 11, /* of a name: 20261128T13 */
    LONGEST_LAG = 600,
};

void parts_begin(struct parts *parts, const char *host, double span)
{
    *parts = (struct parts){.span = span};
    parts->lag = (unsigned)(XXH3_64bits(host, strlen(host)) % LONGEST_LAG);
}

static void name_hour(const struct parts *parts, char text[HOUR + 1])
{
    time_t now = time(NULL) - (parts->span > 0 ? 0 : (time_t)parts->lag);
    struct tm fields = {0};
    gmtime_r(&now, &fields);
    strftime(text, HOUR + 1, "%Y%m%dT%H", &fields);
}

static bool is_current(const struct parts *parts, const struct part *part)
{
    char hour[HOUR + 1];
    if (!part->name[0] || part->inputs >= PARTS_MOST)
        return false;
    if (parts->span > 0)
        return an_clock_seconds() < part->since + parts->span;
    name_hour(parts, hour);
    return strncmp(part->name, hour, HOUR) == 0;
}

/* A name is used once: what was shipped must not be replaced by something else. */
static void begin(const struct parts *parts, struct part *part)
{
    char hour[HOUR + 1];
    uint32_t chance = 0;
    name_hour(parts, hour);
    if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
        chance = (uint32_t)time(NULL);
    snprintf(part->name, sizeof part->name, "%s-%08x", hour, chance);
    part->inputs = 0;
    part->since = an_clock_seconds();
}

static struct part *find(const struct parts *parts, const char *build)
{
    for (size_t i = 0; i < parts->count; i++)
        if (strcmp(parts->items[i].build, build) == 0)
            return &parts->items[i];
    return NULL;
}

struct part *parts_for(struct parts *parts, const char *build)
{
    struct part *part = find(parts, build);
    if (!part) {
        part = an_vector_push(parts);
        if (!part)
            return NULL;
        *part = (struct part){0};
        snprintf(part->build, sizeof part->build, "%s", build);
    }
    if (!is_current(parts, part))
        begin(parts, part);
    return part;
}

bool parts_is_open(const struct parts *parts, const char *build, const char *name)
{
    const struct part *part = find(parts, build);
    return part && strcmp(part->name, name) == 0 && is_current(parts, part);
}

double parts_until_end(const struct parts *parts)
{
    double now = an_clock_seconds(), soonest = -1;
    for (size_t i = 0; parts->span > 0 && i < parts->count; i++) {
        double left = parts->items[i].since + parts->span - now;
        if (left > 0 && (soonest < 0 || left < soonest))
            soonest = left;
    }
    return soonest;
}

void parts_end(struct parts *parts)
{
    an_vector_free(parts);
}
