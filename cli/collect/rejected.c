/* See rejected.h. */
#include "rejected.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/core/command.h"

struct oldest {
    const struct places *places;
    char path[COLLECT_PATH];
    time_t since;
    size_t count; /* of all */
};

static bool consider(void *context, const char *name)
{
    struct oldest *oldest = context;
    char path[COLLECT_PATH];
    struct stat is;
    if (!places_path(path, "%s/%s", oldest->places->rejected, name) || lstat(path, &is) < 0 ||
        S_ISDIR(is.st_mode))
        return true;
    if (oldest->count++ && is.st_ctime >= oldest->since)
        return true;
    memcpy(oldest->path, path, sizeof path);
    oldest->since = is.st_ctime;
    return true;
}

/* Removes the oldest one, if there are too many. */
static void make_room(const struct places *places)
{
    struct oldest oldest = {.places = places};
    places_each(places->rejected, consider, &oldest);
    if (oldest.count >= REJECTED_MOST)
        unlink(oldest.path);
}

unsigned rejected_put(const struct places *places, const char *path, const struct an_error *why)
{
    char to[COLLECT_PATH];
    const char *slash = strchr(path, '/'); /* behind the host */
    size_t length = slash ? strlen(slash + 1) : 0;
    if (!slash || access(path, F_OK) < 0 ||
        !places_path(to, "%s/%s", places->rejected,
                     length > NAME_MAX ? slash + 1 + length - NAME_MAX : slash + 1))
        return 0;
    for (char *at = to + strlen(places->rejected) + 1; *at; at++)
        if (*at == '/') /* GCC's files are in folders */
            *at = ',';
    make_room(places);
    if (rename(path, to) < 0)
        return 0;
    char text[1024];
    say_warning("rejected: %s; moved to %s", an_error_format(why, text, sizeof text),
                places->rejected);
    return 1;
}
