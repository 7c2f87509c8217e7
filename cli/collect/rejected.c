/* See rejected.h. */
#include "rejected.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/core/command.h"

/* Removes the oldest one, if there are too many. */
static void make_room(const struct places *places)
{
    char path[COLLECT_PATH], oldest[COLLECT_PATH] = "";
    struct stat is;
    time_t since = 0;
    size_t count = 0;
    DIR *folder = opendir(places->rejected);
    const struct dirent *found;
    while (folder && (found = readdir(folder))) {
        if (!places_path(path, "%s/%s", places->rejected, found->d_name) || lstat(path, &is) < 0 ||
            S_ISDIR(is.st_mode))
            continue;
        count++;
        if (!oldest[0] || is.st_ctime < since) {
            memcpy(oldest, path, sizeof oldest);
            since = is.st_ctime;
        }
    }
    if (folder)
        closedir(folder);
    if (count >= REJECTED_MOST)
        unlink(oldest);
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
