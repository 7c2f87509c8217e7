/* Opening files of somebody else's; see foreign.h. */
#include "base/foreign.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef BTRFS_SUPER_MAGIC
#define BTRFS_SUPER_MAGIC 0x9123683E
#endif
#ifndef OVERLAYFS_SUPER_MAGIC
#define OVERLAYFS_SUPER_MAGIC 0x794c7630
#endif

const char *an_foreign_name(int file, char name[AN_FOREIGN_NAME])
{
    snprintf(name, AN_FOREIGN_NAME, "/proc/self/fd/%d", file);
    return name;
}

static bool is_owner(const struct an_foreign *expected, uid_t user)
{
    size_t i = 0;
    while (i < expected->owner_count && expected->owners[i] != user)
        i++;
    return expected->owner_count == 0 || i < expected->owner_count;
}

/* Whether fstat() has another number for the device than /proc/PID/maps: these file systems give one to
 * each layer or subvolume. */
static bool has_two_devices(int file)
{
    struct statfs about;
    return fstatfs(file, &about) == 0 && ((unsigned long)about.f_type == OVERLAYFS_SUPER_MAGIC ||
                                          (unsigned long)about.f_type == BTRFS_SUPER_MAGIC);
}

static bool is_same(int file, const struct stat *found, const struct an_foreign *expected)
{
    return expected->inode == 0 ||
           (found->st_ino == expected->inode &&
            ((uint64_t)found->st_dev == expected->device || has_two_devices(file)));
}

static enum an_code check(int file, const struct an_foreign *expected, struct an_error *error)
{
    struct stat found;
    if (fstat(file, &found) != 0)
        return an_fail_errno(error, NULL, "cannot examine");
    if (!S_ISREG(found.st_mode))
        return an_fail(error, AN_USAGE, "is %s, expected a regular file",
                       S_ISLNK(found.st_mode) ? "a symbolic link" : "not a regular file");
    if (!is_owner(expected, found.st_uid))
        return an_fail(error, AN_USAGE, "belongs to user %u, who has no business with it",
                       (unsigned)found.st_uid);
    if (!is_same(file, &found, expected))
        return an_fail(error, AN_USAGE, "is not the file that is mapped");
    if ((uint64_t)found.st_size > expected->most)
        return an_fail(error, AN_USAGE, "has %llu bytes, expected at most %llu",
                       (unsigned long long)found.st_size, (unsigned long long)expected->most);
    return AN_OK;
}

int an_foreign_open(const char *path, const struct an_foreign *expected, struct an_error *error)
{
    char name[AN_FOREIGN_NAME];
    int look = open(path, O_PATH | O_CLOEXEC | (expected->follows ? 0 : O_NOFOLLOW)), file = -1;
    if (look < 0) {
        an_fail_errno(error, path, "cannot open");
        return -1;
    }
    if (check(look, expected, error) != AN_OK) {
        an_error_in(error, path);
    } else {
        file = open(an_foreign_name(look, name), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (file < 0)
            an_fail_errno(error, path, "cannot open");
    }
    close(look);
    return file;
}

enum an_code an_foreign_load(struct an_file *file, const char *path,
                             const struct an_foreign *expected, struct an_error *error)
{
    char name[AN_FOREIGN_NAME];
    int opened = an_foreign_open(path, expected, error);
    if (opened < 0) {
        an_file_close(file); /* nothing of what it held before */
        return error->code;
    }
    enum an_code code = an_file_load(file, an_foreign_name(opened, name), error);
    if (code != AN_OK)
        an_error_in(error, path);
    close(opened);
    return code;
}
