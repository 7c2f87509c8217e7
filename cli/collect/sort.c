/* See sort.h, and collect.h for the way of a profile. */
#include "sort.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "build.h"
#include "cli/core/command.h"
#include "cli/family/family.h"

enum {
    START = 1024,
    SETTLED = 5, /* seconds without a change, where the kernel does not tell of writers */
};

/*
 * Whether somebody may write to the file yet. The kernel gives a lease to read to the owner of a file, or with
 * CAP_LEASE, while nobody has it open for writing, or mapped so.
 */
static bool has_writers(int file, const struct stat *is)
{
    if (fcntl(file, F_SETLEASE, F_RDLCK) == 0) {
        fcntl(file, F_SETLEASE, F_UNLCK);
        return false;
    }
    if (errno == EAGAIN)
        return true;
    time_t now = time(NULL);
    return now - is->st_mtime < SETTLED || now - is->st_ctime < SETTLED;
}

/* -1: it is no regular file; 0: it is complete; 1: it is not yet. */
static int look_at(const char *path, const struct family **family)
{
    struct stat is;
    char start[START];
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int state = -1;
    if (file < 0)
        return -1;
    if (fstat(file, &is) == 0 && S_ISREG(is.st_mode))
        state = has_writers(file, &is);
    ssize_t got = state == 0 ? pread(file, start, sizeof start, 0) : 0;
    *family = got > 0 ? family_of_start(start, (size_t)got) : NULL;
    close(file);
    return state;
}

/* A folder of GCC's files is complete when each of them is. */
static int look_at_run(const char *path)
{
    char *roots[] = {(char *)path, NULL};
    const struct family *family;
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    const FTSENT *found;
    int state = walk ? 0 : 1;
    while (walk && state == 0 && (found = fts_read(walk)))
        if (found->fts_info == FTS_F && look_at(found->fts_accpath, &family) == 1)
            state = 1;
    if (walk)
        fts_close(walk);
    return state;
}

/* ---- a profile's build ---- */

struct sorting {
    const struct places *places;
    struct parts *parts;
    struct an_file file; /* its buffer is used again */
    struct sorted sorted;
};

static void name_build(struct sorting *sorting, const char *path, const char *entry, bool is_run,
                       const struct family *family, char build[PARTS_BUILD])
{
    char folder[PARTS_BUILD];
    size_t length = strcspn(entry, ",");
    snprintf(folder, sizeof folder, "%.*s", length ? (int)length : 5, length ? entry : "files");
    if (is_run)
        snprintf(build, PARTS_BUILD, "gcc-%.100s", folder);
    else if (family == &family_fdata)
        snprintf(build, PARTS_BUILD, "fdata-%.100s", folder);
    else
        build_of_llvm(&sorting->file, path, folder, build);
}

static bool give_to_part(const struct sorting *sorting, const char *path, const char *entry,
                         const char *build)
{
    char folder[COLLECT_PATH], to[COLLECT_PATH];
    const struct places *places = sorting->places;
    struct part *part = parts_for(sorting->parts, build);
    if (!part) {
        say_error("out of memory");
        return false;
    }
    if (!places_path(folder, "%s/%s/%s/%s", places->taken, build, part->name, places->host) ||
        !places_path(to, "%s/%s", folder, entry)) {
        say_error("%s: path is too long", path);
        return false;
    }
    int failed = renameat2(AT_FDCWD, path, AT_FDCWD, to, RENAME_NOREPLACE);
    if (failed &&
        errno == ENOENT) { /* the part's first one, or the first since others were added */
        if (!places_make(folder))
            return false;
        failed = renameat2(AT_FDCWD, path, AT_FDCWD, to, RENAME_NOREPLACE);
    }
    if (failed) {
        say_error("%s: %s", path, strerror(errno));
        return false;
    }
    part->inputs++;
    return true;
}

/* What is no file: somebody has put it there in place of a profile, in the moment in which that was taken. */
static void put_aside(const struct sorting *sorting, const char *path, const char *entry)
{
    char to[COLLECT_PATH];
    if (places_path(to, "%s/%s", sorting->places->rejected, entry) && rename(path, to) == 0)
        say_warning("%s: not a regular file: moved to %s", entry, sorting->places->rejected);
}

static bool sort_entry(void *context, const char *entry)
{
    struct sorting *sorting = context;
    char path[COLLECT_PATH], build[PARTS_BUILD];
    struct stat is;
    const struct family *family = NULL;
    if (!places_path(path, "%s/%s", sorting->places->fresh, entry) || lstat(path, &is) < 0)
        return true;
    bool is_run = S_ISDIR(is.st_mode);
    int state = is_run ? look_at_run(path) : look_at(path, &family);
    if (state < 0) {
        put_aside(sorting, path, entry);
        return true;
    }
    if (state == 0)
        name_build(sorting, path, entry, is_run, family, build);
    if (state == 0 && give_to_part(sorting, path, entry, build))
        sorting->sorted.given++;
    else
        sorting->sorted.waiting++;
    return true;
}

struct sorted sort_profiles(const struct places *places, struct parts *parts)
{
    struct sorting sorting = {.places = places, .parts = parts};
    places_each(places->fresh, sort_entry, &sorting);
    an_file_close(&sorting.file);
    return sorting.sorted;
}
