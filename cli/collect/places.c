/* Folders, names and numbers; see places.h. */
#include "places.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/core/command.h"
#include "cli/core/host.h"
#include "cli/core/output.h"

bool places_path(char path[COLLECT_PATH], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, COLLECT_PATH, format, arguments);
    va_end(arguments);
    return length >= 0 && length < COLLECT_PATH;
}

void places_plain(const char *name, size_t length, char *plain, size_t size)
{
    size_t at = 0;
    for (; at < length && at + 1 < size; at++) {
        unsigned char byte = (unsigned char)name[at];
        plain[at] = isalnum(byte) || strchr("._-", byte) ? (char)byte : '_';
    }
    plain[at] = '\0';
    if (plain[0] == '.') /* no hidden ones, and no "..", among folders */
        plain[0] = '_';
}

void places_number(struct places *places, char text[PLACES_NUMBER])
{
    struct timespec now;
    uint64_t chance = 0;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t number = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    if (number <= places->last)
        number = places->last + 1;
    places->last = number;
    if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
        chance = (uint64_t)getpid();
    snprintf(text, PLACES_NUMBER, "%016llx%016llx", (unsigned long long)number,
             (unsigned long long)chance);
}

bool places_make(const char *folder)
{
    char path[COLLECT_PATH + 1];
    struct an_error error;
    snprintf(path, sizeof path, "%s/", folder);
    if (an_file_make_folders(path, &error) == AN_OK)
        return true;
    report_error(&error);
    return false;
}

bool places_each(const char *folder, bool (*call)(void *context, const char *name), void *context)
{
    DIR *opened = opendir(folder);
    const struct dirent *found;
    bool good = true;
    while (opened && (found = readdir(opened)))
        if (strcmp(found->d_name, ".") != 0 && strcmp(found->d_name, "..") != 0)
            good = call(context, found->d_name) && good;
    if (opened)
        closedir(opened);
    return good;
}

void places_synchronise(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return;
    if (fsync(file) < 0)
        errno = 0; /* not all file systems can */
    close(file);
}

/* ---- opening ---- */

static bool resolve(const char *path, char resolved[COLLECT_PATH])
{
    if (realpath(path, resolved))
        return true;
    say_error("%s: %s", path, strerror(errno));
    return false;
}

static bool name_host(struct places *places, const char *given)
{
    char name[HOST_NAME];
    const char *host = host_name(given, "host", name);
    if (!host)
        return false;
    places_plain(host, strlen(host), places->host, sizeof places->host);
    if (*host && strcmp(places->host, host) == 0)
        return true;
    say_error("--host=%s: expected letters, digits, '.', '_' and '-', at most %zu", host,
              sizeof places->host - 1);
    return false;
}

/* A folder of the service's own: nobody else may change what is in it. */
static bool make_own(const char *folder)
{
    struct stat is;
    if (mkdir(folder, 0700) < 0 && errno != EEXIST) {
        say_error("%s: %s", folder, strerror(errno));
        return false;
    }
    if (lstat(folder, &is) < 0 || !S_ISDIR(is.st_mode) || is.st_uid != geteuid()) {
        say_error("%s: not a folder of this user (remove it, if it is of no use)", folder);
        return false;
    }
    return true;
}

/* A service that was killed when it was about to start a command leaves the lock with that for a moment. */
static bool take_lock(struct places *places)
{
    enum { TRIES = 20 };
    const struct timespec between = {.tv_nsec = 100000000};
    places->lock = open(places->own, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    for (int i = 0; places->lock >= 0 && i < TRIES; i++) {
        if (flock(places->lock, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK)
            break;
        nanosleep(&between, NULL);
        errno = EWOULDBLOCK;
    }
    if (places->lock >= 0 && errno == EWOULDBLOCK)
        say_error("%s: another anneal collect takes the profiles of this folder", places->spool);
    else
        say_error("%s: %s", places->own, strerror(errno));
    return false;
}

static bool is_inside(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

bool places_open(struct places *places, const struct collect_request *request)
{
    *places = (struct places){.lock = -1};
    if (!name_host(places, request->host) || !places_make(request->output) ||
        !resolve(request->spool, places->spool) || !resolve(request->output, places->partials))
        return false;
    if (is_inside(places->partials, places->spool) || is_inside(places->spool, places->partials)) {
        say_error("%s: must not be in %s, nor the other way round", request->output,
                  request->spool);
        return false;
    }
    if (!places_path(places->own, "%s/" PLACES_OWN, places->spool) ||
        !places_path(places->fresh, "%s/new", places->own) ||
        !places_path(places->taken, "%s/taken", places->own) ||
        !places_path(places->rejected, "%s/rejected", places->own)) {
        say_error("%s: path is too long", places->spool);
        return false;
    }
    return make_own(places->own) && take_lock(places) && make_own(places->fresh) &&
           make_own(places->taken) && make_own(places->rejected);
}

void places_close(struct places *places)
{
    if (places->lock >= 0)
        close(places->lock);
}

/* ---- how much there is ---- */

uint64_t places_usage(const struct places *places)
{
    char *roots[] = {(char *)places->partials, (char *)places->fresh, (char *)places->taken, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    const FTSENT *found;
    uint64_t bytes = 0;
    while (walk && (found = fts_read(walk)))
        if (found->fts_info == FTS_F)
            bytes += (uint64_t)found->fts_statp->st_size;
    if (walk)
        fts_close(walk);
    return bytes;
}
