/* Folders of counter files; see gcda_folder.h. */
#include "gcda_folder.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "cli/core/command.h"
#include "cli/core/output.h"

static bool is_counter_file(const FTSENT *found)
{
    static const char ending[] = ".gcda";
    enum { LENGTH = sizeof ending - 1 };
    bool is_file =
        found->fts_info == FTS_F || found->fts_info == FTS_SL || found->fts_info == FTS_SLNONE;
    return is_file && found->fts_namelen >= LENGTH &&
           strcmp(found->fts_name + found->fts_namelen - LENGTH, ending) == 0;
}

static bool add(struct gcda_folder *folder, const char *path)
{
    if (folder->count == folder->capacity) {
        size_t capacity = folder->capacity ? 2 * folder->capacity : 64;
        struct gcda_file *grown = realloc(folder->files, capacity * sizeof *grown);
        if (!grown)
            return false;
        folder->files = grown;
        folder->capacity = capacity;
    }
    char *copy = strdup(path);
    if (!copy)
        return false;
    const char *name = copy + strlen(folder->path);
    while (*name == '/')
        name++;
    folder->files[folder->count++] = (struct gcda_file){copy, name};
    return true;
}

static bool take(struct gcda_folder *folder, const FTSENT *found)
{
    if (found->fts_info == FTS_DNR || found->fts_info == FTS_ERR || found->fts_info == FTS_NS) {
        say_error("%s: %s", found->fts_path, strerror(found->fts_errno));
        return false;
    }
    if (!is_counter_file(found) || add(folder, found->fts_path))
        return true;
    say_error("out of memory");
    return false;
}

/* `how`: whether links count as what they point to (FTS_LOGICAL) or as links (FTS_PHYSICAL). */
static bool search(struct gcda_folder *folder, const char *path, int how)
{
    char *roots[] = {(char *)path, NULL};
    *folder = (struct gcda_folder){.path = path};
    FTS *walk = fts_open(roots, how | FTS_NOCHDIR, NULL);
    const FTSENT *found;
    bool good = walk != NULL;
    if (!good)
        say_error("%s: %s", path, strerror(errno));
    while (good && (found = fts_read(walk)))
        good = take(folder, found);
    if (walk)
        fts_close(walk);
    return good;
}

bool gcda_folder_find(struct gcda_folder *folder, const char *path, bool verbose)
{
    struct stat info;
    *folder = (struct gcda_folder){.path = path};
    bool exists = stat(path, &info) == 0;
    if (!exists || !S_ISDIR(info.st_mode)) {
        say_error("%s: %s", path, strerror(exists ? ENOTDIR : errno));
        return false;
    }
    if (!search(folder, path, FTS_LOGICAL))
        return false;
    for (size_t i = 0; verbose && i < folder->count; i++)
        fprintf(stderr, "reading file: ./%s\n", folder->files[i].name);
    return true;
}

void gcda_folder_free(struct gcda_folder *folder)
{
    for (size_t i = 0; i < folder->count; i++)
        free(folder->files[i].path);
    free(folder->files);
}

/* ---- writing ---- */

/* Whether a folder is below another one, and not that one itself. */
static bool is_below(const char *path, const char *above)
{
    char one[PATH_MAX], other[PATH_MAX];
    if (!realpath(path, one) || !realpath(above, other))
        return false;
    size_t length = strcmp(other, "/") == 0 ? 0 : strlen(other);
    return strncmp(one, other, length) == 0 && one[length] == '/' && one[length + 1];
}

static bool write_one(const char *path, const char *name, const struct an_gcc_merged *file)
{
    char *whole;
    if (asprintf(&whole, "%s/%s", path, name) < 0) {
        say_error("out of memory");
        return false;
    }
    bool done = make_folders(whole) && write_result(whole, file->bytes, file->size, false);
    free(whole);
    return done;
}

static bool remove_others(const char *path, const struct an_names *kept)
{
    struct gcda_folder folder;
    bool good = search(&folder, path, FTS_PHYSICAL);
    for (size_t i = 0; good && i < folder.count; i++) {
        const struct gcda_file *file = &folder.files[i];
        if (an_names_find(kept, file->name, strlen(file->name)) != AN_NO_NAME)
            continue;
        good = unlink(file->path) == 0;
        if (!good)
            say_error("%s: cannot remove: %s", file->path, strerror(errno));
    }
    gcda_folder_free(&folder);
    return good;
}

static bool write_all(const char *path, const struct gcda_results *results, struct an_names *kept)
{
    for (size_t i = 0; i < results->count; i++) {
        const char *name = results->names[i];
        bool is_new;
        if (!results->files[i].bytes)
            continue;
        if (an_names_insert(kept, name, strlen(name), &is_new) == AN_NO_NAME) {
            say_error("out of memory");
            return false;
        }
        if (!write_one(path, name, &results->files[i]))
            return false;
    }
    return true;
}

bool gcda_folder_replace(const char *path, const struct gcda_results *results,
                         const struct gcda_folder *inputs, size_t input_count)
{
    struct an_names kept = {.count = 0};
    for (size_t i = 0; i < input_count; i++)
        if (is_below(inputs[i].path, path)) {
            say_error("%s: is inside %s, whose counter files would be replaced (name another "
                      "folder with -o)",
                      inputs[i].path, path);
            return false;
        }
    bool done = write_all(path, results, &kept);
    if (done && kept.count)
        done = remove_others(path, &kept);
    an_names_free(&kept);
    return done;
}
