/*
 * Writing what came out; see publish.h.
 *
 * A file takes its name in one step (base/output.h). A folder does so, too: it is made under another name beside
 * it, and the two change names. Files in place are written beside those that they replace, all of them, before
 * the first one takes its name: what can fail has then been done.
 */
#include "train/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <anneal/gcc.h>

#include "base/error.h"
#include "base/file.h"
#include "train/folder.h"

#define LLVM_NAME "default.profdata"

/* ---- before ---- */

/* The folder that a path is in, to be freed. */
static char *folder_of(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length ? strndup(path, length) : strdup(".");
}

enum an_code an_publish_check(const struct an_train_options *options, struct an_error *error)
{
    const char *output = options->output ? options->output : LLVM_NAME;
    if (!*output || strcmp(output, "-") == 0)
        return an_fail(error, AN_USAGE, "the output must be a file or a folder, not '%s'", output);
    char *folder = an_is_folder(output) ? strdup(output) : folder_of(output);
    if (!folder)
        return an_fail_memory(error);
    enum an_code code = an_file_make_folders(output, error);
    if (code == AN_OK && access(folder, W_OK | X_OK) != 0)
        code = an_fail_errno(error, output, "cannot write to it");
    free(folder);
    return code;
}

static bool is_a_result(const FTSENT *found)
{
    const char *end = strrchr(found->fts_name, '.');
    return found->fts_info == FTS_D || found->fts_info == FTS_DP ||
           (found->fts_info == FTS_F &&
            (strcmp(found->fts_name, LLVM_NAME) == 0 || (end && strcmp(end, ".gcda") == 0)));
}

/* Since a folder is replaced, nothing may be in it that a training has not put there. */
static enum an_code check_contents(const char *output, struct an_error *error)
{
    char *roots[] = {(char *)output, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    const FTSENT *found;
    enum an_code code = AN_OK;
    if (!walk)
        return an_fail_errno(error, output, "cannot list");
    while (code == AN_OK && (found = fts_read(walk)))
        if (!is_a_result(found)) {
            an_fail(error, AN_USAGE,
                    "is not a profile, and its folder would be replaced by GCC's profiles");
            an_error_in(error, found->fts_path);
            code = an_error_hint(error, "name a new folder");
        }
    fts_close(walk);
    return code;
}

enum an_code an_publish_check_gcc(const struct an_train_options *options, struct an_error *error)
{
    struct stat info;
    if (options->in_place || stat(options->output, &info) != 0)
        return AN_OK;
    if (S_ISDIR(info.st_mode))
        return check_contents(options->output, error);
    an_fail(error, AN_USAGE, "is a file, but GCC's profiles require a folder");
    return an_error_in(error, options->output);
}

/* ---- a folder ---- */

/* A module's name below the folder. With `flat` as gcc looks for it: all of its path in one name. */
static char *name_of(const struct an_train_options *options, const char *name)
{
    const char *last = an_file_name(name);
    char *flat;
    if (!options->flat)
        return strdup(name);
    if (*last == '#') /* gcc's -fprofile-dir has named it so already */
        return strdup(last);
    if (asprintf(&flat, "#%s", name) < 0)
        return NULL;
    for (char *slash = flat; (slash = strchr(slash, '/'));)
        *slash = '#';
    return flat;
}

static enum an_code write_below(const char *folder, const char *name, struct an_bytes bytes,
                                struct an_error *error)
{
    char *path = name ? an_folder_path(folder, name) : NULL;
    enum an_code code = path ? an_folder_write(path, bytes, false, error) : an_fail_memory(error);
    free(path);
    return code;
}

static enum an_code fill(const struct an_training *training, const struct an_merged *merged,
                         const char *folder, struct an_error *error)
{
    const struct an_names *names = &merged->names.names;
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < names->count; i++) {
        const struct an_gcc_merged *module = &merged->modules[i];
        char *name = name_of(training->options, names->names[i].text);
        if (module->bytes)
            code = write_below(folder, name, (struct an_bytes){module->bytes, module->size}, error);
        free(name);
    }
    if (code == AN_OK && merged->llvm)
        code = write_below(folder, LLVM_NAME, (struct an_bytes){merged->llvm, merged->llvm_size},
                           error);
    return code;
}

/* Puts a folder in the place of another one, which then has its name. */
static bool exchange(const char *fresh, const char *target)
{
    if (renameat2(AT_FDCWD, fresh, AT_FDCWD, target, RENAME_EXCHANGE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    char *aside; /* a file system that cannot do it in one step */
    if (asprintf(&aside, "%s.old", fresh) < 0)
        return false;
    bool done = rename(target, aside) == 0;
    if (done && rename(fresh, target) != 0) {
        done = false;
        rename(aside, target);
    } else if (done) {
        rename(aside, fresh);
    }
    free(aside);
    return done;
}

static bool make_beside(const char *target, char **fresh)
{
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        if (asprintf(fresh, "%s.%d-%u", target, (int)getpid(), attempt) < 0) {
            *fresh = NULL;
            errno = ENOMEM;
            return false;
        }
        if (mkdir(*fresh, 0777) == 0)
            return true;
        free(*fresh);
        *fresh = NULL;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

/* The name of the folder itself: not of a link to it, and without slashes at its end. */
static char *target_of(const char *output)
{
    char *target = an_is_folder(output) ? realpath(output, NULL) : strdup(output);
    for (size_t i = target ? strlen(target) : 0; i > 1 && target[i - 1] == '/'; i--)
        target[i - 1] = '\0';
    return target;
}

static enum an_code publish_folder(const struct an_training *training,
                                   const struct an_merged *merged, struct an_error *error)
{
    const char *output = training->options->output;
    char *target = target_of(output), *fresh = NULL;
    enum an_code code = AN_OK;
    if (!target)
        return an_fail_memory(error);
    if (!make_beside(target, &fresh))
        code = an_fail_errno(error, output, "cannot make a folder beside it");
    if (code == AN_OK)
        code = fill(training, merged, fresh, error);
    if (code == AN_OK &&
        !(an_is_folder(target) ? exchange(fresh, target) : rename(fresh, target) == 0))
        code = an_fail_errno(error, output, "cannot replace");
    if (fresh && (code != AN_OK || an_is_folder(fresh)))
        an_folder_remove(fresh);
    free(fresh);
    free(target);
    return code;
}

/* ---- in place ---- */

static char *place_of(const struct an_merged *merged, size_t module, bool is_fresh)
{
    char *path;
    const char *name = merged->names.names.names[module].text;
    return asprintf(&path, "/%s%s", name, is_fresh ? ".anneal-train" : "") < 0 ? NULL : path;
}

/* The new file, beside the one that it is to replace. */
static enum an_code prepare(const struct an_merged *merged, size_t module, struct an_error *error)
{
    const struct an_gcc_merged *from = &merged->modules[module];
    char *path = place_of(merged, module, true);
    enum an_code code =
        path ? an_folder_write(path, (struct an_bytes){from->bytes, from->size}, false, error)
             : an_fail_memory(error);
    free(path);
    return code;
}

static enum an_code take_place(const struct an_merged *merged, size_t module,
                               struct an_error *error)
{
    char *fresh = place_of(merged, module, true), *path = place_of(merged, module, false);
    enum an_code code = AN_OK;
    if (!fresh || !path)
        code = an_fail_memory(error);
    else if (rename(fresh, path) != 0)
        code = an_fail_errno(error, path, "cannot replace");
    free(fresh);
    free(path);
    return code;
}

static enum an_code publish_in_place(const struct an_merged *merged, struct an_error *error)
{
    size_t count = merged->names.names.count, prepared = 0;
    enum an_code code = AN_OK;
    for (; code == AN_OK && prepared < count; prepared++)
        if (merged->modules[prepared].bytes)
            code = prepare(merged, prepared, error);
    for (size_t i = 0; code == AN_OK && i < count; i++)
        if (merged->modules[i].bytes)
            code = take_place(merged, i, error);
    for (size_t i = 0; code != AN_OK && i < prepared; i++) {
        char *fresh = place_of(merged, i, true);
        if (fresh)
            unlink(fresh);
        free(fresh);
    }
    return code;
}

/* ---- all ---- */

static enum an_code publish_llvm(const struct an_training *training, const struct an_merged *merged,
                                 struct an_error *error)
{
    const char *output = training->options->output ? training->options->output : LLVM_NAME;
    size_t length = strlen(output);
    bool in_folder = an_is_folder(output) || output[length - 1] == '/';
    char *path = in_folder ? an_folder_path(output, LLVM_NAME) : strdup(output);
    const struct an_bytes bytes = {merged->llvm, merged->llvm_size};
    enum an_code code = path ? an_folder_write(path, bytes, false, error) : an_fail_memory(error);
    if (code == AN_OK)
        training->result->llvm_output = path;
    else
        free(path);
    return code;
}

static enum an_code publish_partial(const struct an_training *training,
                                    const struct an_merged *merged, struct an_error *error)
{
    struct an_train_result *result = training->result;
    const struct an_bytes bytes = {merged->partial, merged->partial_size};
    char **output = merged->family == AN_TRAIN_LLVM ? &result->llvm_output : &result->gcc_output;
    enum an_code code = an_folder_write(training->options->output, bytes, false, error);
    if (code == AN_OK)
        *output = strdup(training->options->output);
    return code;
}

enum an_code an_publish(const struct an_training *training, const struct an_merged *merged,
                        struct an_error *error)
{
    const struct an_train_options *options = training->options;
    struct an_train_result *result = training->result;
    enum an_code code = AN_OK;
    if (merged->partial)
        return publish_partial(training, merged, error);
    if (merged->modules) {
        code = options->in_place ? publish_in_place(merged, error)
                                 : publish_folder(training, merged, error);
        if (code != AN_OK)
            return code;
        result->gcc_output = strdup(options->in_place ? "/" : options->output);
        if (merged->llvm && !options->in_place)
            result->llvm_output = an_folder_path(options->output, LLVM_NAME);
    }
    if (merged->llvm && (!merged->modules || options->in_place))
        code = publish_llvm(training, merged, error);
    return code;
}
