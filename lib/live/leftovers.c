/* Removing what nobody needs; see leftovers.h. */
#include "live/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "live/folder.h"
#include "live/in_use.h"

/* If it is this user's: a link is none. */
static void remove_folder(const char *path, struct an_in_use *in_use)
{
    int file = an_folder_is_own(path, false)
                   ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                   : -1;
    DIR *folder = file >= 0 ? fdopendir(file) : NULL;
    if (!folder) {
        if (file >= 0)
            close(file);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[PATH_MAX + sizeof entry->d_name + 1];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && !an_in_use_has(in_use, name))
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
    rmdir(path);
}

void an_leftovers_remove(const char *folder)
{
    struct an_in_use in_use = {0};
    remove_folder(folder, &in_use);
    an_in_use_free(&in_use);
}

void an_leftovers_drop(const char *path)
{
    struct an_in_use in_use = {0};
    struct an_folder ignored;
    char above[PATH_MAX];
    if (!an_folder_layout(path, &ignored))
        return;
    snprintf(above, sizeof above, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (an_folder_is_own(above, false) && !an_in_use_has(&in_use, path)) {
        unlink(path);
        rmdir(above); /* unless there is more in it */
    }
    an_in_use_free(&in_use);
}

void an_leftovers_sweep(const char *folder)
{
    struct an_in_use in_use = {0};
    char base[PATH_MAX];
    snprintf(base, sizeof base, "%.*s", (int)(strrchr(folder, '/') - folder), folder);
    DIR *all = opendir(base);
    for (struct dirent *entry; all && (entry = readdir(all));) {
        char path[PATH_MAX + sizeof entry->d_name + 1];
        struct an_folder name;
        snprintf(path, sizeof path, "%s/%s", base, entry->d_name);
        if (an_folder_parse(entry->d_name, &name) && an_folder_is_over(&name))
            remove_folder(path, &in_use);
    }
    if (all)
        closedir(all);
    an_in_use_free(&in_use);
}
