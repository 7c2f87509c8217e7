/* See path.h. */
#include "base/path.h"

#include <string.h>
#include <sys/stat.h>

/* A canonical path that grows part by part. */
struct canonical {
    char *path;
    size_t size;
    size_t fixed; /* what .. cannot take away again */
    bool is_absolute, blindly;
};

static void add_part(struct canonical *canonical, const char *part, size_t size)
{
    if (canonical->size > 0 || canonical->is_absolute)
        canonical->path[canonical->size++] = '/';
    memcpy(canonical->path + canonical->size, part, size);
    canonical->size += size;
}

static bool can_go_up(struct canonical *canonical)
{
    struct stat info;
    canonical->path[canonical->size] = '\0';
    if (canonical->size == canonical->fixed)
        return false;
    return canonical->blindly ? stat(canonical->path, &info) == 0
                              : lstat(canonical->path, &info) == 0 && !S_ISLNK(info.st_mode);
}

static void go_up(struct canonical *canonical)
{
    if (can_go_up(canonical)) {
        while (canonical->size > canonical->fixed && canonical->path[canonical->size] != '/')
            canonical->size--;
        return;
    }
    add_part(canonical, "..", 2);
    canonical->fixed = canonical->size;
}

void an_path_canonical(char *to, const char *path, bool blindly)
{
    struct canonical canonical = {.path = to, .is_absolute = *path == '/', .blindly = blindly};
    while (*path) {
        size_t size = strcspn(path, "/");
        if (size == 2 && path[0] == '.' && path[1] == '.')
            go_up(&canonical);
        else if (size > 0 && !(size == 1 && *path == '.'))
            add_part(&canonical, path, size);
        path += size;
        path += strspn(path, "/");
    }
    to[canonical.size] = '\0';
}

bool an_path_ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    return length > size && strcmp(path + length - size, ending) == 0;
}
