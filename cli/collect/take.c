/*
 * Taking profiles: a profile that processes add to is renamed under the lock that anneal's runtime takes for it (commit.h of the
 * runtime). A process that waits for that lock finds that the file has lost its name, and makes another one. The other
 * runtimes open a file, lock it in their way and write to it: they go on in the file that was renamed, so that one is
 * left alone until nobody has it open for writing (sort.c).
 *
 * The folders may be those of other users: they are entered one by one, never by a path, and links are not followed.
 */
#include "take.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <anneal/partial.h>

#include "base/path.h"
#include "cli/core/command.h"
#include "cli/family/family.h"
#include "hosted/together.h"

enum {
    DEEPEST = 32, /* folders in one another */
    START = 1024, /* bytes by which a family is known */
    NAME = 100,   /* of a file's name, what is kept */
};

#define LARGEST (4ull << 30) /* no profile is larger */

struct taking {
    struct places *places;
    struct collect_counts *counts;
    char top[NAME_MAX + 1]; /* the folder of the spool that files come from; "": from itself */
    char run
        [160]; /* what became of GCC's files from there, a folder of `fresh`; "": none was taken yet */
};

/* ---- which file ---- */

/* Where a file's path below the spool begins, and which folder it is in there. */
static const char *below(const struct taking *taking, const FTSENT *found, size_t *top)
{
    const char *path = found->fts_path + strlen(taking->places->spool) + 1;
    const char *slash = strchr(path, '/');
    *top = slash ? (size_t)(slash - path) : 0;
    return path;
}

static void enter_top(struct taking *taking, const char *path, size_t top)
{
    if (strlen(taking->top) == top && memcmp(taking->top, path, top) == 0)
        return;
    snprintf(taking->top, sizeof taking->top, "%.*s", (int)top, path);
    taking->run[0] = '\0';
}

static const struct family *family_of(int file, const char *name)
{
    char start[START];
    ssize_t got = pread(file, start, sizeof start, 0);
    if (got <= 0)
        return NULL;
    const struct family *family = family_of_start(start, (size_t)got);
    if (!family && an_path_ends_with(name, ".proftext"))
        family = &family_llvm; /* its text has no mark of its own */
    if (!family || !family->has_partials || an_partial_begins(start, (size_t)got))
        return NULL;
    return family;
}

/* ---- where to ---- */

static bool begin_entry(struct taking *taking, char *entry, size_t size)
{
    char folder[NAME], number[PLACES_NUMBER];
    places_plain(taking->top, strlen(taking->top), folder, sizeof folder);
    places_number(taking->places, number);
    return snprintf(entry, size, "%s,%s", folder, number) < (int)size;
}

static bool place_file(struct taking *taking, const char *name, char to[COLLECT_PATH])
{
    char entry[160];
    size_t length = strlen(name);
    return begin_entry(taking, entry, sizeof entry) &&
           places_path(to, "%s/%s.%s", taking->places->fresh, entry,
                       length > NAME ? name + length - NAME : name);
}

/* All of GCC's files of one folder of the spool are a run: their paths tell its modules. */
static bool place_module(struct taking *taking, const char *path, size_t top, char to[COLLECT_PATH])
{
    if (!taking->run[0] && !begin_entry(taking, taking->run, sizeof taking->run))
        return false;
    if (!places_path(to, "%s/%s/%s", taking->places->fresh, taking->run, path + top + (top != 0)))
        return false;
    char folder[COLLECT_PATH];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(to, '/') - to), to);
    return places_make(folder);
}

/* ---- taking ---- */

static bool is_named(const struct stat *is, const char *name)
{
    struct stat there;
    return lstat(name, &there) == 0 && there.st_dev == is->st_dev && there.st_ino == is->st_ino;
}

/* Whoever has the lock may be amid adding to the file; and what was to change together with others (together.h) is whole
 * when that was done. */
static bool is_at_rest(int file, const struct stat *is, const char *name)
{
    if (flock(file, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
        return false;
    if (!is_named(is, name))
        return false;
    return !an_rt_together_concerns(name);
}

static void warn(struct taking *taking, const char *path, const char *why)
{
    if (taking->counts->unreadable++ == 0)
        say_warning("%s: %s", path, why);
}

static void take_open(struct taking *taking, const FTSENT *found, int file)
{
    struct stat is;
    char to[COLLECT_PATH];
    size_t top;
    const char *path = below(taking, found, &top), *name = found->fts_accpath;
    if (fstat(file, &is) < 0 || !S_ISREG(is.st_mode) || (uint64_t)is.st_size > LARGEST)
        return;
    const struct family *family = family_of(file, name);
    if (!family) {
        taking->counts->other++;
        return;
    }
    if (!is_at_rest(file, &is, name)) {
        taking->counts->busy++;
        return;
    }
    enter_top(taking, path, top);
    bool has_place = family->has_modules ? place_module(taking, path, top, to)
                                         : place_file(taking, found->fts_name, to);
    if (!has_place) {
        warn(taking, found->fts_path, "its path is too long");
    } else if (renameat2(AT_FDCWD, name, AT_FDCWD, to, RENAME_NOREPLACE) < 0) {
        warn(taking, found->fts_path, strerror(errno));
    } else {
        taking->counts->taken++;
        taking->counts->bytes += (uint64_t)is.st_size;
    }
}

static void take_file(struct taking *taking, const FTSENT *found)
{
    if (an_path_ends_with(found->fts_name, ".new")) /* the runtime is about to give it a name */
        return;
    if (an_rt_together_concerns(found->fts_accpath))
        an_rt_together_settle(NULL, found->fts_accpath);
    int file = open(found->fts_accpath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file >= 0) {
        take_open(taking, found, file);
        close(file);
    } else if (errno != ENOENT && errno != ELOOP) {
        warn(taking, found->fts_path, strerror(errno));
    }
}

/* The next file or folder of the spool; NULL: that was all. */
static FTSENT *next(FTS *walk)
{
    FTSENT *found;
    while (walk && (found = fts_read(walk))) {
        bool is_own = found->fts_level == 1 && strcmp(found->fts_name, PLACES_OWN) == 0;
        if (found->fts_info != FTS_D || (!is_own && found->fts_level <= DEEPEST))
            return found;
        fts_set(walk, found, FTS_SKIP);
    }
    return NULL;
}

static FTS *enter(const struct places *places)
{
    char *roots[] = {(char *)places->spool, NULL};
    return fts_open(roots, FTS_PHYSICAL, NULL);
}

static void watch_folder(int watch, const char *folder)
{
    enum { EVENTS = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ONLYDIR | IN_DONT_FOLLOW };
    if (watch >= 0 && inotify_add_watch(watch, folder, EVENTS) < 0)
        errno = 0; /* it is looked at now and then, too */
}

struct spooled take_look(const struct places *places, int watch)
{
    struct spooled spooled = {0};
    FTS *walk = enter(places);
    const FTSENT *found;
    while ((found = next(walk))) {
        if (found->fts_info == FTS_D)
            watch_folder(watch, found->fts_accpath);
        if (found->fts_info != FTS_F)
            continue;
        spooled.files++;
        spooled.bytes += (uint64_t)found->fts_statp->st_size;
    }
    if (walk)
        fts_close(walk);
    return spooled;
}

void take_profiles(struct places *places, uint64_t most, struct collect_counts *counts)
{
    struct taking taking = {.places = places, .counts = counts};
    uint64_t bytes = counts->bytes;
    counts->busy = counts->unreadable = counts->other = 0;
    FTS *walk = enter(places);
    const FTSENT *found;
    while (counts->bytes - bytes < most && (found = next(walk))) {
        if (found->fts_info == FTS_F)
            take_file(&taking, found);
        else if (found->fts_info == FTS_DNR)
            warn(&taking, found->fts_path, strerror(found->fts_errno));
    }
    if (walk)
        fts_close(walk);
}
