/* The state of a process; see state.h. */
#include "live/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "record/proc.h"

#define HEAD "anneal-live 1"

/* ---- folders ---- */

static void folder_of(const struct an_target *target, const char *base, uid_t user, char *folder)
{
    char usual[64];
    snprintf(usual, sizeof usual, "/var/tmp/anneal-%u", (unsigned)user);
    snprintf(folder, PATH_MAX, "%.3900s/%d-%llu", base ? base : usual, target->pid,
             (unsigned long long)target->start);
}

static uid_t user_of(const struct an_target *target)
{
    struct stat stat_of;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d", target->pid);
    return stat(path, &stat_of) == 0 ? stat_of.st_uid : geteuid();
}

/* Whether nobody else than these users can have written what is in a folder. */
static bool is_trusted(const char *folder, const struct an_target *target)
{
    struct stat about;
    return lstat(folder, &about) == 0 && S_ISDIR(about.st_mode) &&
           (about.st_uid == 0 || about.st_uid == geteuid() || about.st_uid == user_of(target)) &&
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

static enum an_code read_line(struct an_state *state, const char *line, bool *is_current,
                              struct an_error *error)
{
    char now[64];
    unsigned number;
    int at = 0;
    if (strncmp(line, "boot ", 5) == 0)
        *is_current = boot_id(now, sizeof now) && strcmp(line + 5, now) == 0;
    else if (strncmp(line, "binary ", 7) == 0)
        snprintf(state->binary, sizeof state->binary, "%s", line + 7);
    else if (sscanf(line, "generation %u %n", &number, &at) == 1 && at && number &&
             line[at] == '/') {
        struct an_state_generation *generation = an_vector_push(&state->generations);
        if (!generation)
            return an_fail_memory(error);
        generation->number = number;
        snprintf(generation->path, sizeof generation->path, "%s", line + at);
    }
    return AN_OK; /* what a later version may add is passed over */
}

static enum an_code read_state(struct an_state *state, const char *path, struct an_error *error)
{
    struct an_file file = {0};
    enum an_code code = an_file_load(&file, path, error);
    char *text = code == AN_OK ? an_alloc(file.bytes.size + 1, 1) : NULL;
    bool is_current = false;
    if (code == AN_OK && !text)
        code = an_fail_memory(error);
    if (code == AN_OK) {
        memcpy(text, file.bytes.data, file.bytes.size);
        text[file.bytes.size] = '\0';
        if (strncmp(text, HEAD "\n", sizeof HEAD) != 0) {
            an_fail_at(error, AN_MALFORMED, 0,
                       "not the state of a process: it does not begin with "
                       "\"" HEAD "\"");
            code = an_error_in(error, path);
        }
    }
    char *rest = text;
    for (char *line; code == AN_OK && (line = strsep(&rest, "\n"));)
        code = read_line(state, line, &is_current, error);
    if (code == AN_OK && !is_current)
        state->generations.count = 0;
    free(text);
    an_file_close(&file);
    return code;
}

enum an_code an_state_open(struct an_state *state, const struct an_target *target, const char *base,
                           struct an_error *error)
{
    const uid_t users[] = {geteuid(), user_of(target), 0};
    struct timespec newest = {0};
    char folder[PATH_MAX], path[PATH_MAX + 8], found[PATH_MAX + 8] = "";
    *state = (struct an_state){0};
    folder_of(target, base, geteuid(), state->folder);
    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        struct stat about;
        folder_of(target, base, users[i], folder);
        snprintf(path, sizeof path, "%s/state", folder);
        if (!is_trusted(folder, target) || lstat(path, &about) != 0 || !S_ISREG(about.st_mode))
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

void an_state_free(struct an_state *state)
{
    an_vector_free(&state->generations);
}

/* ---- writing ---- */

/* Whether only this user can write in a folder; with `shared`, also one like /tmp will do, where everybody
 * can only remove what is his own. */
static bool is_own(const char *path, bool shared)
{
    struct stat about;
    if (lstat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return false;
    bool is_open = about.st_mode & (S_IWGRP | S_IWOTH);
    bool is_sticky = (about.st_mode & S_ISVTX) && (about.st_uid == 0 || about.st_uid == geteuid());
    return (about.st_uid == geteuid() && !is_open) || (shared && is_sticky);
}

/* Folders that others may pass through, so that the process can open what is in them. */
static enum an_code make_folder(const char *path, bool shared, struct an_error *error)
{
    if (mkdir(path, 0711) == 0)
        chmod(path, 0711); /* whatever the umask is */
    else if (errno != EEXIST)
        return an_fail_errno(error, path, "creating");
    if (is_own(path, shared))
        return AN_OK;
    an_fail(error, AN_SYSTEM, "is not a folder that you own and only you can write to");
    an_error_in(error, path);
    return an_error_hint(error, "use --state-dir to name another one");
}

/* With the files in it, if it is this user's: a link is none. */
static void remove_folder(const char *path)
{
    int file =
        is_own(path, false) ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    DIR *folder = file >= 0 ? fdopendir(file) : NULL;
    if (!folder) {
        if (file >= 0)
            close(file);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    rmdir(path);
}

void an_state_remove(const struct an_state *state)
{
    remove_folder(state->folder);
}

/* What is left of processes that have ended. */
static void sweep(const char *base)
{
    DIR *folder = opendir(base);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct an_proc_stat stat;
        char path[PATH_MAX + 256];
        unsigned long long start;
        int pid, end = 0;
        if (sscanf(entry->d_name, "%d-%llu%n", &pid, &start, &end) != 2 || entry->d_name[end])
            continue;
        snprintf(path, sizeof path, "%s/%s", base, entry->d_name);
        if (!an_proc_stat(pid, 0, &stat) || stat.start != start)
            remove_folder(path);
    }
    if (folder)
        closedir(folder);
}

enum an_code an_state_prepare(const struct an_state *state, struct an_error *error)
{
    char base[PATH_MAX];
    snprintf(base, sizeof base, "%s", state->folder);
    *strrchr(base, '/') = '\0';
    enum an_code code = make_folder(base, true, error);
    if (code == AN_OK)
        sweep(base);
    return code == AN_OK ? make_folder(state->folder, false, error) : code;
}

enum an_code an_state_save(const struct an_state *state, const struct an_target *target,
                           struct an_error *error)
{
    struct an_buffer text = {0};
    char path[PATH_MAX + 8], boot[64];
    enum an_code code = an_state_prepare(state, error);
    if (code != AN_OK)
        return code;
    boot_id(boot, sizeof boot);
    an_buffer_print(&text, HEAD "\nboot %s\nbinary %s\nbias %llx\n", boot, target->binary,
                    (unsigned long long)target->bias);
    for (size_t i = 0; i < state->generations.count; i++)
        an_buffer_print(&text, "generation %u %s\n", state->generations.items[i].number,
                        state->generations.items[i].path);
    snprintf(path, sizeof path, "%s/state", state->folder);
    code = text.failed ? an_fail_memory(error)
                       : an_file_replace(path, (struct an_bytes){text.data, text.size}, error);
    chmod(path, 0644); /* whatever the umask is: others may look, and revert */
    an_buffer_free(&text);
    return code;
}
