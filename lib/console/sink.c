/*
 * Writing what was found. The names come from a log, and so from anybody: they must not lead out of the
 * folder. Each part of a name is opened below the one before, never through a symbolic link, and the file
 * is made in the folder that is open then.
 */
#include <anneal/console.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output.h"

enum { MOST_NAME = 1024, MOST_PATH = MOST_NAME + 32 };

struct place {
    int folder;           /* that the file is in */
    char name[MOST_PATH]; /* its last part */
    const char *path;     /* for messages */
};

static enum an_console_outcome refuse(struct an_error *error, const char *path, const char *what)
{
    an_fail(error, AN_USAGE, "%s", what);
    an_error_in(error, path);
    return AN_CONSOLE_REFUSED;
}

static enum an_console_outcome fail(struct an_error *error, const char *path, const char *doing)
{
    an_fail_errno(error, path, doing);
    return AN_CONSOLE_FAILED;
}

/* ---- names ---- */

static const char *wrong_name(const char *name)
{
    size_t length = strlen(name);
    if (length == 0)
        return "it has no name";
    if (name[0] == '/' || name[0] == '\\' || (length > 1 && name[1] == ':'))
        return "its name is absolute, but files are written only below the folder";
    if (length >= MOST_NAME || name[length - 1] == '/')
        return "its name is too long, or names a folder";
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        size_t size = strcspn(part, "/");
        if (size == 2 && memcmp(part, "..", 2) == 0)
            return "its name leads out of the folder";
        if (size > 240)
            return "its name is too long";
    }
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return "its name has control characters";
    return NULL;
}

/*
 * Streams of libgcov and Zephyr have the absolute names of the machine that compiled: they go below the
 * folder as they are, without the first slash. NULL when nothing is left of the name.
 */
static const char *relative_name(const struct an_console_file *file, unsigned strip)
{
    const char *name = file->name;
    if (file->form != AN_CONSOLE_UUENCODE)
        name += strspn(name, "/");
    for (; name && strip; strip--) {
        name = strchr(name, '/');
        name += name ? strspn(name, "/") : 0;
    }
    return name;
}

static bool full_name(const struct an_console_file *file, const char *relative, char *name,
                      size_t size)
{
    const char *end = file->status == AN_CONSOLE_DAMAGED ? ".partial" : "";
    int length = file->number ? snprintf(name, size, "%s.%llu%s", relative,
                                         (unsigned long long)file->number, end)
                              : snprintf(name, size, "%s%s", relative, end);
    return length >= 0 && (size_t)length < size;
}

/* ---- folders ---- */

/* Makes the folder and those above it. */
static bool make_all(const char *directory, struct an_error *error)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/", directory) >= sizeof path) {
        errno = ENAMETOOLONG;
        an_fail_errno(error, directory, "cannot make the folder");
        return false;
    }
    return an_file_make_folders(path, error) == AN_OK;
}

/* The folder of this name in another one, made if need be; a symbolic link is none. */
static int open_folder(int above, const char *name)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    int folder = openat(above, name, FLAGS);
    if (folder < 0 && errno == ENOENT && (mkdirat(above, name, 0777) == 0 || errno == EEXIST))
        folder = openat(above, name, FLAGS);
    return folder;
}

static enum an_console_outcome find_place(struct place *place, const char *directory,
                                          const char *name, struct an_error *error)
{
    if (!make_all(directory, error)) {
        if (!error->file[0]) /* no memory: that names no folder */
            an_error_in(error, place->path);
        return AN_CONSOLE_FAILED;
    }
    place->folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (place->folder < 0)
        return fail(error, directory, "cannot open the folder");
    for (const char *slash; (slash = strchr(name, '/')); name = slash + 1) {
        size_t size = (size_t)(slash - name);
        memcpy(place->name, name, size);
        place->name[size] = '\0';
        if (size == 0 || strcmp(place->name, ".") == 0)
            continue;
        int next = open_folder(place->folder, place->name);
        int reason = errno;
        close(place->folder);
        place->folder = next;
        errno = reason;
        if (next < 0 && (reason == ELOOP || reason == ENOTDIR))
            return refuse(error, place->path,
                          "its name leads through something that is not a folder (symbolic links "
                          "are not followed)");
        if (next < 0)
            return fail(error, place->path, "cannot make its folder");
    }
    memcpy(place->name, name, strlen(name) + 1);
    return AN_CONSOLE_WRITTEN;
}

/* ---- the file ---- */

static bool has_content(const struct place *place, struct an_bytes bytes)
{
    char path[MOST_PATH + 32];
    struct an_file file = {.capacity = 0};
    struct an_error error;
    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", place->folder, place->name);
    bool same = an_file_load(&file, path, &error) == AN_OK && file.bytes.size == bytes.size &&
                (bytes.size == 0 || memcmp(file.bytes.data, bytes.data, bytes.size) == 0);
    an_file_close(&file);
    return same;
}

/* Permissions as they were sent, as far as the user's mask lets: the owner can always read and write, and
 * nothing but reading, writing and running is taken over. `usual` is what a new file gets here. */
static mode_t mode_of(unsigned sent, mode_t usual)
{
    mode_t run = sent & 0111 & (usual & 0444) >> 2;
    return (usual & (sent | 0600) & 0666) | run;
}

static enum an_console_outcome replace(const struct place *place,
                                       const struct an_console_file *file, bool exists,
                                       struct an_error *error)
{
    char path[MOST_PATH + 32];
    struct an_output output;
    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", place->folder, place->name);
    enum an_code code = an_output_open(&output, path, true, error);
    if (code == AN_OK) {
        if (!exists)
            output.mode = mode_of(file->mode, output.mode);
        code = an_output_write(&output, (struct an_bytes){file->bytes, file->size}, error);
        if (code == AN_OK)
            code = an_output_commit(&output, error);
        else
            an_output_abandon(&output);
    }
    if (code == AN_OK)
        return file->status == AN_CONSOLE_DAMAGED ? AN_CONSOLE_ASIDE : AN_CONSOLE_WRITTEN;
    snprintf(error->file, sizeof error->file, "%s", place->path);
    return AN_CONSOLE_FAILED;
}

static enum an_console_outcome write_at(const struct place *place,
                                        const struct an_console_file *file, bool force,
                                        struct an_error *error)
{
    struct stat info;
    bool exists = fstatat(place->folder, place->name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (exists && !S_ISREG(info.st_mode))
        return refuse(error, place->path, "something other than a file has its name");
    if (exists && has_content(place, (struct an_bytes){file->bytes, file->size}))
        return file->status == AN_CONSOLE_DAMAGED ? AN_CONSOLE_ASIDE : AN_CONSOLE_SAME;
    if (exists && !force) {
        refuse(error, place->path, "another file of this name exists, and was kept");
        an_error_hint(error, "--force replaces it");
        return AN_CONSOLE_REFUSED;
    }
    return replace(place, file, exists, error);
}

enum an_console_outcome an_console_write(const struct an_console_file *file,
                                         const struct an_console_sink *sink, char *path,
                                         size_t path_size, struct an_error *error)
{
    char name[MOST_PATH];
    struct place place = {.folder = -1, .path = path};
    const char *relative = relative_name(file, sink->strip);
    const char *wrong = relative ? wrong_name(relative) : "its name has no parts left (--strip)";
    bool here = strcmp(sink->directory, ".") == 0;
    bool has_slash = *sink->directory && sink->directory[strlen(sink->directory) - 1] == '/';
    if (!wrong && !full_name(file, relative, name, sizeof name))
        wrong = "its name is too long";
    if (path_size)
        snprintf(path, path_size, "%s%s%s", here ? "" : sink->directory,
                 here || has_slash ? "" : "/", wrong ? file->name : name);
    if (file->status == AN_CONSOLE_DAMAGED && (file->size == 0 || file->name[0] == '\0'))
        return AN_CONSOLE_NOTHING;
    if (wrong)
        return refuse(error, file->name, wrong);
    enum an_console_outcome outcome = find_place(&place, sink->directory, name, error);
    if (outcome == AN_CONSOLE_WRITTEN)
        outcome = write_at(&place, file, sink->force, error);
    if (place.folder >= 0)
        close(place.folder);
    return outcome;
}
