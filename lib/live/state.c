/* The state of a process; see state.h. */
#include "live/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/foreign.h"
#include "base/output.h"
#include "live/folder.h"
#include "live/leftovers.h"

#define HEAD "anneal-live 1"

/* ---- folders ---- */

/* The same folder, whatever the working directory is later, and without links on the way; it may still have
 * to be made. */
static void make_absolute(const char *base, char absolute[PATH_MAX])
{
    char above[PATH_MAX];
    const char *name = an_file_name(base);
    snprintf(above, sizeof above, "%.*s", (int)(name - base), base);
    if (realpath(base, absolute))
        return;
    if (!*name || !realpath(*above ? above : ".", absolute) ||
        strlen(absolute) + strlen(name) + 2 > PATH_MAX)
        snprintf(absolute, PATH_MAX, "%s", base);
    else
        snprintf(absolute + strlen(absolute), PATH_MAX - strlen(absolute), "/%s", name);
}

static void folder_of(const struct an_target *target, const char *base, uid_t user, char *folder)
{
    char absolute[PATH_MAX], name[AN_FOLDER_NAME];
    if (base)
        make_absolute(base, absolute);
    else
        snprintf(absolute, sizeof absolute, "/var/tmp/anneal-%u", (unsigned)user);
    an_folder_name(target->pid, target->start, name);
    snprintf(folder, PATH_MAX, "%.3900s/%s", absolute, name);
}

/* Whether nobody else than these users can have written what is in a folder. */
static bool is_trusted(const char *folder, const struct an_owner *owner)
{
    struct stat about;
    return lstat(folder, &about) == 0 && S_ISDIR(about.st_mode) &&
           (about.st_uid == 0 || about.st_uid == geteuid() || about.st_uid == owner->user) &&
           !(about.st_mode & (S_IWGRP | S_IWOTH));
}

/* ---- reading ---- */

static bool boot_id(char *text, size_t size)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    bool done = file && fgets(text, (int)size, file);
    if (file)
        fclose(file);
    text[done ? strcspn(text, "\n") : 0] = '\0';
    return done;
}

/* Absolute, and without parts that lead up, or nowhere: what begins with a folder is in it. */
static bool is_plain(const char *path)
{
    size_t length = strlen(path);
    if (*path != '/' || length >= PATH_MAX)
        return false;
    for (const char *part = path; *part; part += strcspn(part, "/")) {
        size_t size = strcspn(++part, "/");
        if (size == 0 || strncmp(part, ".", size) == 0 || strncmp(part, "..", size) == 0)
            return false;
    }
    return true;
}

static enum an_code read_line(struct an_state *state, const char *line, const char *boot,
                              bool *is_current, struct an_error *error)
{
    unsigned number;
    int at = 0;
    if (strncmp(line, "boot ", 5) == 0)
        *is_current = *boot && strcmp(line + 5, boot) == 0;
    else if (strncmp(line, "binary ", 7) == 0)
        snprintf(state->binary, sizeof state->binary, "%s", line + 7);
    else if (sscanf(line, "generation %u %n", &number, &at) == 1 && at && number &&
             is_plain(line + at)) {
        struct an_state_generation *generation = an_vector_push(&state->generations);
        if (!generation)
            return an_fail_memory(error);
        generation->number = number;
        snprintf(generation->path, sizeof generation->path, "%s", line + at);
    }
    return AN_OK; /* what a later version may add is passed over */
}

enum an_code an_state_parse(struct an_state *state, struct an_bytes bytes, const char *boot,
                            struct an_error *error)
{
    bool is_current = false;
    enum an_code code = AN_OK;
    if (bytes.size < sizeof HEAD || memcmp(bytes.data, HEAD "\n", sizeof HEAD) != 0)
        return an_fail_at(error, AN_MALFORMED, 0,
                          "not the state of a process: it does not begin with \"" HEAD "\"");
    char *text = an_alloc(bytes.size + 1, 1), *rest = text;
    if (!text)
        return an_fail_memory(error);
    memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    for (char *line; code == AN_OK && (line = strsep(&rest, "\n"));)
        code = state->generations.count < AN_STATE_MOST
                   ? read_line(state, line, boot, &is_current, error)
                   : an_fail(error, AN_MALFORMED, "more than %d generations", AN_STATE_MOST);
    if (!is_current)
        state->generations.count = 0;
    free(text);
    return code;
}

static enum an_code read_state(struct an_state *state, const char *path, struct an_error *error)
{
    const uid_t owners[] = {0, geteuid(), state->owner.user};
    const struct an_foreign expected = {
        .most = 1 << 20, .owners = owners, .owner_count = sizeof owners / sizeof *owners};
    struct an_file file = {0};
    char boot[64];
    boot_id(boot, sizeof boot);
    enum an_code code = an_foreign_load(&file, path, &expected, error);
    if (code == AN_OK && (code = an_state_parse(state, file.bytes, boot, error)) != AN_OK)
        an_error_in(error, path);
    an_file_close(&file);
    return code;
}

static enum an_code find_state(struct an_state *state, const struct an_target *target,
                               const char *base, struct an_error *error)
{
    const uid_t users[] = {geteuid(), state->owner.user, 0};
    struct timespec newest = {0};
    char folder[PATH_MAX], path[PATH_MAX + 8], found[PATH_MAX + 8] = "";
    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        struct stat about;
        folder_of(target, base, users[i], folder);
        snprintf(path, sizeof path, "%s/state", folder);
        if (!is_trusted(folder, &state->owner) || lstat(path, &about) != 0 ||
            !S_ISREG(about.st_mode))
            continue;
        bool is_newer =
            about.st_mtim.tv_sec > newest.tv_sec ||
            (about.st_mtim.tv_sec == newest.tv_sec && about.st_mtim.tv_nsec > newest.tv_nsec);
        if (is_newer) {
            newest = about.st_mtim;
            strcpy(found, path);
        }
    }
    return *found ? read_state(state, found, error) : AN_OK;
}

/* ---- the lock ---- */

/* Where no folder can be made nothing is noted, and the other lock has to do (live.c). */
static enum an_code lock(struct an_state *state, const struct an_target *target,
                         struct an_error *error)
{
    char path[PATH_MAX + 8];
    struct an_error ignored;
    snprintf(path, sizeof path, "%s/lock", state->folder);
    if (an_state_prepare(state, &ignored) != AN_OK)
        return AN_OK;
    an_leftovers_sweep(state->folder);
    state->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (state->lock < 0 || flock(state->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return AN_OK;
    close(state->lock);
    state->lock = -1;
    an_fail(error, AN_SYSTEM, "another anneal is working on process %d", target->pid);
    return an_error_hint(error, "wait for it, or end it");
}

/* A folder in which nothing else is goes with it. */
static void unlock(struct an_state *state)
{
    char path[PATH_MAX + 8];
    if (state->lock < 0)
        return;
    snprintf(path, sizeof path, "%s/lock", state->folder);
    unlink(path);
    rmdir(state->folder);
    close(state->lock);
    state->lock = -1;
}

enum an_code an_state_open(struct an_state *state, const struct an_target *target, const char *base,
                           bool is_locked, struct an_error *error)
{
    *state = (struct an_state){.lock = -1};
    an_owner_find(&state->owner, target->pid);
    folder_of(target, base, geteuid(), state->folder);
    enum an_code code = is_locked ? lock(state, target, error) : AN_OK;
    return code == AN_OK ? find_state(state, target, base, error) : code;
}

void an_state_free(struct an_state *state)
{
    an_vector_free(&state->generations);
    unlock(state);
}

/* ---- writing ---- */

static enum an_code make_folder(const char *path, mode_t mode, bool shared, struct an_error *error)
{
    if (mkdir(path, mode) == 0)
        chmod(path, mode); /* whatever the umask is */
    else if (errno != EEXIST)
        return an_fail_errno(error, path, "creating");
    if (an_folder_is_own(path, shared))
        return AN_OK;
    an_fail(error, AN_SYSTEM, "is not a folder that you own and only you can write to");
    an_error_in(error, path);
    return an_error_hint(error, "use --state-dir to name another one");
}

/* Whoever calls has it for himself, but that another user's process passes through it to what it maps. */
static enum an_code open_to_process(const struct an_state *state, struct an_error *error)
{
    const struct an_owner *owner = &state->owner;
    int file = open(state->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool done = file >= 0 && (!owner->is_other || fchown(file, (uid_t)-1, owner->group) == 0) &&
                fchmod(file, owner->is_other ? 0710 : 0700) == 0;
    enum an_code code = done ? AN_OK : an_fail_errno(error, state->folder, "creating");
    if (file >= 0)
        close(file);
    return code;
}

enum an_code an_state_prepare(const struct an_state *state, struct an_error *error)
{
    char base[PATH_MAX];
    snprintf(base, sizeof base, "%s", state->folder);
    *strrchr(base, '/') = '\0';
    /* root's has folders for processes of all users */
    enum an_code code = make_folder(base, geteuid() == 0 ? 0711 : 0700, true, error);
    if (code == AN_OK)
        code = make_folder(state->folder, 0700, false, error);
    return code == AN_OK ? open_to_process(state, error) : code;
}

/* The owner of the process may look, and revert. */
static enum an_code write_state(const struct an_state *state, struct an_bytes bytes,
                                struct an_error *error)
{
    struct an_output output;
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/state", state->folder);
    enum an_code code = an_output_open(&output, path, true, error);
    if (code != AN_OK)
        return code;
    output.mode = 0600;
    code = an_output_write(&output, bytes, error);
    if (code == AN_OK && !an_owner_hand(&state->owner, output.fd))
        code = an_fail_errno(error, path, "cannot hand over");
    if (code == AN_OK)
        return an_output_commit(&output, error);
    an_output_abandon(&output);
    return code;
}

enum an_code an_state_save(const struct an_state *state, const struct an_target *target,
                           struct an_error *error)
{
    struct an_buffer text = {0};
    char boot[64];
    enum an_code code = an_state_prepare(state, error);
    if (code != AN_OK)
        return code;
    boot_id(boot, sizeof boot);
    an_buffer_print(&text, HEAD "\nboot %s\nbinary %s\n", boot, target->binary);
    for (size_t i = 0; i < state->generations.count; i++)
        an_buffer_print(&text, "generation %u %s\n", state->generations.items[i].number,
                        state->generations.items[i].path);
    code = text.failed ? an_fail_memory(error)
                       : write_state(state, (struct an_bytes){text.data, text.size}, error);
    an_buffer_free(&text);
    return code;
}
