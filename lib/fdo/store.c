/* See store.h. */
#include "fdo/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static const char *const parts[AN_FDO_PARTS] = {"gcc",      "llvm",  "use",    "pass1",
                                                "programs", "pass2", "linked", "notes"};

static bool has(const char *folder, size_t length, const char *name)
{
    char path[PATH_MAX];
    int size = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name);
    return size < PATH_MAX && access(path, F_OK) == 0;
}

static bool has_build_file(const char *folder, size_t length)
{
    static const char *const names[] = {"Makefile",    "makefile",       "GNUmakefile", "configure",
                                        "build.ninja", "CMakeLists.txt", "meson.build", "Kbuild"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has(folder, length, names[i]))
            return true;
    return false;
}

/* The length of the folder above. */
static size_t above(const char *folder, size_t length)
{
    while (length > 0 && folder[length - 1] != '/')
        length--;
    return length ? length - 1 : 0;
}

/* The length of the outermost folder of the build. */
static size_t outermost(const char *folder)
{
    size_t whole = strlen(folder), found = whole, furthest = 0;
    bool has_gap = false;
    for (size_t length = whole; length > 0; length = above(folder, length)) {
        if (has_build_file(folder, length)) {
            found = has_gap ? found : length;
            furthest = length;
        } else if (length != whole) {
            has_gap = true;
        }
        if (has(folder, length, ".git"))
            return furthest ? furthest : length;
    }
    return found;
}

enum an_code an_fdo_store_find(struct an_fdo_store *store, const char *folder,
                               struct an_error *error)
{
    const char *named = getenv("ANNEAL_PROFILE_DIR");
    int size = snprintf(store->base, sizeof store->base, "%.*s", (int)outermost(folder), folder);
    if (named && named[0] == '/')
        size = snprintf(store->root, sizeof store->root, "%s", named);
    else if (named && named[0])
        size = snprintf(store->root, sizeof store->root, "%s/%s", folder, named);
    else
        size = snprintf(store->root, sizeof store->root, "%.*s/.anneal", size, folder);
    if (size < 0 || size >= PATH_MAX)
        return an_fail(error, AN_SYSTEM, "the path of the folder for profiles is too long");
    return AN_OK;
}

bool an_fdo_store_path(const struct an_fdo_store *store, enum an_fdo_part part, const char *name,
                       char path[PATH_MAX])
{
    int size = snprintf(path, PATH_MAX, "%s/%s%s%s", store->root, parts[part], name ? "/" : "",
                        name ? name : "");
    return size >= 0 && size < PATH_MAX;
}

static bool make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* A build whose store cannot be written would be trained for nothing, or be built without its training. */
static enum an_code check_parts(const struct an_fdo_store *store, struct an_error *error)
{
    char path[PATH_MAX];
    for (unsigned part = 0; part < AN_FDO_PARTS; part++)
        if (an_fdo_store_path(store, part, NULL, path) && access(path, W_OK | X_OK) < 0)
            return an_fail_errno(error, path, "cannot write profiles there");
    return AN_OK;
}

/* The last thing that is made tells that all is there. */
enum an_code an_fdo_store_make(const struct an_fdo_store *store, struct an_error *error)
{
    static const uint8_t all[] = {'*', '\n'}; /* nothing in it is for a repository */
    char path[PATH_MAX], ignore[PATH_MAX + sizeof "/.gitignore"];
    if (strlen(store->root) + sizeof "/programs/0123456789abcdef" > PATH_MAX)
        return an_fail(error, AN_SYSTEM, "the path of the folder for profiles is too long");
    snprintf(ignore, sizeof ignore, "%s/.gitignore", store->root);
    /* The first one is hidden, and left when all in the store is removed. */
    if (access(ignore, R_OK) == 0 && an_fdo_store_path(store, AN_FDO_PASS1, NULL, path) &&
        access(path, F_OK) == 0)
        return check_parts(store, error);
    enum an_code code = an_file_make_folders(ignore, error);
    if (code != AN_OK)
        return code;
    for (unsigned part = 0; part < AN_FDO_PARTS; part++)
        if (!an_fdo_store_path(store, part, NULL, path) || !make_folder(path))
            return an_fail_errno(error, path, "cannot make a folder for profiles");
    return an_file_remake(ignore, (struct an_bytes){all, sizeof all}, error);
}
