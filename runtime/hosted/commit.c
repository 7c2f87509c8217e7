/* See commit.h. */
#include "hosted/commit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hosted/environment.h"
#include "hosted/file_sink.h"
#include "hosted/lock.h"
#include "hosted/message.h"
#include "hosted/name.h"
#include "hosted/open.h"
#include "hosted/plain.h"
#include "hosted/process.h"
#include "hosted/rename_new.h"
#include "hosted/text.h"
#include "hosted/together.h"

enum {
    PAGE = 4096,
    SPILLS = 16,
    ROUNDS = 1000, /* how often the file may be replaced before we get its lock */
    NULL_DEVICE = 1 << 8 | 3,
    LINKS = 40,
    SMALL = 1 << 20,   /* what is read without a look at it */
    LARGEST = 1 << 30, /* of profiles of programs that are as good as nothing */
    GROWTH = 16,       /* a profile has values, and those of larger programs may be here */
};

/*
 * Long names are static, here and elsewhere: stacks of signal handlers are small, and one profile is written at a
 * time (process.h).
 */

/* Writes the new contents; 0, or an errno. */
static int write_contents(struct an_rt_file_sink *to, const struct an_rt_contents *contents,
                          const uint8_t *old, size_t size)
{
    if (contents->write(contents->context, old, size, &to->sink))
        return 0;
    return to->error ? to->error : ENOMEM;
}

/* What is written now gets its name with other files (together.h). */
static bool is_put_off;

static int write_new(int file, const struct an_rt_contents *contents)
{
    struct an_rt_file_sink *to = an_rt_file_sink(file, NULL);
    int error = write_contents(to, contents, NULL, 0);
    return error || an_rt_file_sink_flush(to) ? error : to->error;
}

/* ---- a file that is not there yet ---- */

/*
 * What is made has the rights that the program's umask leaves, and its owner may always add to it: a program may have taken
 * all rights from its own files, but the profile is for its later processes, too.
 */
AN_RT_APART static int let_owner_write(int file)
{
    enum { OWNER = S_IRUSR | S_IWUSR };
    struct stat is;
    if (fstat(file, &is) < 0)
        return errno;
    if ((is.st_mode & OWNER) != OWNER && fchmod(file, (is.st_mode & 07777) | OWNER) < 0)
        return errno;
    return 0;
}

AN_RT_APART static void let_owner_in(const char *folder)
{
    struct stat is;
    if (stat(folder, &is) == 0 && (is.st_mode & S_IRWXU) != S_IRWXU &&
        chmod(folder, (is.st_mode & 07777) | S_IRWXU) < 0)
        errno = 0; /* what is made in it fails */
}

/* 0, or the errno of the first folder that could not be made. */
static int make_folders(const char *path)
{
    static char folder[AN_RT_PATH];
    size_t length = strlen(path);
    memcpy(folder, path, length + 1);
    for (size_t at = 1; at < length; at++)
        if (folder[at] == '/') {
            folder[at] = 0;
            if (mkdir(folder, 0777) == 0)
                let_owner_in(folder);
            else if (errno != EEXIST)
                return errno;
            folder[at] = '/';
        }
    return 0;
}

/* By way of a file without a name, which leaves nothing when the process is killed: it goes with it. */
AN_RT_APART static int create_nameless(const char *path, const struct an_rt_contents *contents)
{
    char self[40];
    int file = an_rt_open(an_rt_name_folder(path), O_TMPFILE | O_WRONLY, 0666);
    if (file < 0)
        return errno;
    struct an_rt_text link = an_rt_text(self, sizeof self);
    an_rt_text_put(&link, "/proc/self/fd/");
    an_rt_text_put_decimal(&link, (unsigned)file);
    int error = let_owner_write(file);
    if (!error)
        error = write_new(file, contents);
    if (!error && linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0)
        error = errno;
    close(file);
    return error;
}

static int write_named(const char *name, const struct an_rt_contents *contents)
{
    unlink(name);
    int file = an_rt_open(name, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0)
        return errno;
    int error = let_owner_write(file);
    if (!error)
        error = write_new(file, contents);
    close(file);
    return error;
}

/* By way of a file with a name of this process, where the other way is closed. */
AN_RT_APART static int create_named(const char *path, const struct an_rt_contents *contents)
{
    static char name[AN_RT_PATH];
    struct an_rt_text text = an_rt_text(name, sizeof name);
    an_rt_text_put(&text, path);
    an_rt_text_put(&text, ".");
    an_rt_text_put_decimal(&text, (uint64_t)getpid());
    an_rt_text_put(&text, ".new");
    if (text.overflowed)
        return ENAMETOOLONG;
    int error = write_named(name, contents);
    if (!error && link(name, path) < 0)
        error = errno;
    unlink(name);
    return error;
}

/* PATH.new; NULL: it is too long. */
static const char *later_name(const char *path)
{
    static char name[AN_RT_PATH];
    struct an_rt_text text = an_rt_text(name, sizeof name);
    an_rt_text_put(&text, path);
    an_rt_text_put(&text, ".new");
    return text.overflowed ? NULL : name;
}

/* By way of PATH.new, which gets its name with others (together.h). */
AN_RT_APART static int create_later(const char *path, const struct an_rt_contents *contents)
{
    const char *name = later_name(path);
    if (!name)
        return ENAMETOOLONG;
    int error = write_named(name, contents);
    if (error)
        unlink(name);
    else
        an_rt_together_put(an_rt_process()->together, path, -1);
    return error;
}

/* Not all file systems have nameless files, and without /proc, as in some containers, they cannot be named. */
int an_rt_create(const char *path, const struct an_rt_contents *contents)
{
    if (!an_rt_may_write_to(path))
        return EPERM;
    int error = create_nameless(path, contents);
    if (error == ENOENT) {
        error = make_folders(path);
        if (error)
            return error;
        error = create_nameless(path, contents);
    }
    return error && error != EEXIST ? create_named(path, contents) : error;
}

/* ---- what stands there ---- */

/* Where the links that begin there end, whether there is a file or not; NULL: nowhere. */
static const char *follow(const char *path)
{
    static char link[AN_RT_PATH], target[AN_RT_PATH], joined[AN_RT_PATH];
    for (int i = 0; i < LINKS; i++) {
        ssize_t length = readlink(path, link, sizeof link - 1);
        if (length < 0)
            return path;
        link[length] = 0;
        struct an_rt_text text = an_rt_text(joined, sizeof joined);
        if (link[0] != '/') {
            an_rt_text_put(&text, an_rt_name_folder(path));
            an_rt_text_put(&text, "/");
        }
        an_rt_text_put(&text, link);
        if (text.overflowed)
            return NULL;
        path = memcpy(target, joined, text.used + 1);
    }
    return NULL;
}

/* Whether it is worth reading. */
static bool may_be_profile(int file, size_t size, const struct an_rt_contents *contents)
{
    uint8_t first[AN_RT_FIRST];
    if (size <= SMALL)
        return true;
    return size <= LARGEST + GROWTH * contents->own_size &&
           pread(file, first, sizeof first, 0) == sizeof first && contents->may_be(first);
}

/* ---- a file that is there ---- */

/* Whether the open file has that name still. */
AN_RT_APART static bool is_named(const struct stat *is, const char *path)
{
    struct stat named;
    return stat(path, &named) == 0 && is->st_ino == named.st_ino && is->st_dev == named.st_dev;
}

/* All bytes of the file, which cannot change under the lock; NULL when that fails. */
static uint8_t *load(int file, size_t size)
{
    uint8_t *bytes = an_rt_scratch(size ? size : 1);
    size_t have = 0;
    while (bytes && have < size) {
        ssize_t some = pread(file, bytes + have, size - have, (off_t)have);
        if (some < 0 && errno == EINTR)
            continue;
        if (some <= 0) {
            an_rt_scratch_free(bytes, size);
            return NULL;
        }
        have += (size_t)some;
    }
    return bytes;
}

/* Whether the old file can be written over (commit.h). */
static bool fits_in_place(const struct an_rt_file_sink *to, const struct an_rt_contents *contents,
                          const struct stat *is)
{
    return to->file < 0 && to->used == (size_t)is->st_size &&
           (to->used <= PAGE || contents->detour);
}

static int write_at(int file, const void *bytes, size_t size, size_t at)
{
    ssize_t written = pwrite(file, bytes, size, (off_t)at);
    return written == (ssize_t)size ? 0 : written < 0 ? an_rt_write_error() : ENOSPC;
}

static int write_by_detour(int file, const struct an_rt_file_sink *to,
                           const struct an_rt_contents *contents)
{
    uint8_t detour[8];
    size_t size = to->used, at = contents->detour(contents->context, size, detour);
    size_t rest = at + sizeof detour;
    int error = write_at(file, to->buffer + at, size - at, size);
    if (!error) {
        error = write_at(file, detour, sizeof detour, at);
        if (!error)
            error = write_at(file, to->buffer + rest, size - rest, rest);
        if (error) /* what was appended stays, for it may be what is read */
            return error;
        error = write_at(file, to->buffer + at, sizeof detour, at);
    }
    return ftruncate(file, (off_t)size) < 0 && !error ? errno : error;
}

/* The kernel copies what lies in one page without looking for signals, and the space is there already. */
static int write_in_place(int file, const struct an_rt_file_sink *to,
                          const struct an_rt_contents *contents)
{
    if (to->used <= PAGE)
        return write_at(file, to->buffer, to->used, 0);
    return write_by_detour(file, to, contents);
}

/* Gives the file that was written the name of the old one, and what belongs to that. */
AN_RT_APART static int take_place(struct an_rt_file_sink *to, int file, const char *path,
                                  const struct stat *is)
{
    if (!an_rt_file_sink_flush(to))
        return to->error;
    if (is->st_uid != geteuid() && fchown(to->file, is->st_uid, is->st_gid) < 0)
        errno = 0; /* it is ours then */
    if (fchmod(to->file, is->st_mode & 07777) < 0)
        return errno;
    if (!is_put_off)
        return rename(to->name, path) < 0 ? errno : 0;
    an_rt_together_put(an_rt_process()->together, path, file);
    return 0;
}

/* Whose file stands beside the one that was named: NAME.16 hexadecimal digits, NAME.userNUMBER, NAME.NUMBER. */
enum whose { OF_BUILD, OF_USER, SUBSTITUTE };

/* False: the name is too long. */
AN_RT_APART static bool name_beside(const char *path, enum whose whose, uint64_t number,
                                    char name[AN_RT_PATH])
{
    char tag[24];
    struct an_rt_text text = an_rt_text(tag, sizeof tag);
    if (whose == OF_USER)
        an_rt_text_put(&text, "user");
    if (whose == OF_BUILD)
        an_rt_text_put_hex(&text, number, 16);
    else
        an_rt_text_put_decimal(&text, number);
    return an_rt_name_with(path, tag, name, AN_RT_PATH);
}

/* old: what is added to; NULL: nothing. */
static int replace(int file, const char *path, const struct an_rt_contents *contents,
                   const uint8_t *old, const struct stat *is)
{
    struct an_rt_file_sink *to = an_rt_file_sink(-1, path);
    int error = write_contents(to, contents, old, old ? (size_t)is->st_size : 0);
    /* Where it fails, for lack of space or by a limit, there may be a way for a new file yet. */
    if (!error && old && !is_put_off && fits_in_place(to, contents, is) &&
        !write_in_place(file, to, contents))
        return 0;
    /* Nobody else writes to the new file: we have the lock. Who had it before may have been killed. */
    if (!error)
        error = take_place(to, file, path, is);
    /* In a folder in which nothing can be made, a small file can be written over yet. */
    if (error && is_put_off && old && fits_in_place(to, contents, is) &&
        !write_in_place(file, to, contents)) {
        is_put_off = false;
        return 0;
    }
    if (to->file >= 0) {
        close(to->file);
        if (error)
            unlink(to->name);
    }
    return error;
}

/* The file becomes NAME.OWNER; false when that is there already, or cannot be. */
static bool make_room(const char *path, uint64_t owner)
{
    static char name[AN_RT_PATH];
    return name_beside(path, OF_BUILD, owner, name) && an_rt_rename_new(AT_FDCWD, path, name);
}

AN_RT_APART static bool is_older_than_program(const struct stat *is)
{
    struct stat program;
    return stat("/proc/self/exe", &program) == 0 &&
           (is->st_mtim.tv_sec < program.st_mtim.tv_sec ||
            (is->st_mtim.tv_sec == program.st_mtim.tv_sec &&
             is->st_mtim.tv_nsec < program.st_mtim.tv_nsec));
}

AN_RT_APART static int set_aside(const char *path)
{
    static char name[AN_RT_PATH];
    for (unsigned i = 1; i < 100; i++) {
        struct an_rt_text text = an_rt_text(name, sizeof name);
        an_rt_text_put(&text, path);
        an_rt_text_put(&text, ".damaged");
        if (i > 1)
            an_rt_text_put_decimal(&text, i);
        if (text.overflowed)
            return ENAMETOOLONG;
        if (an_rt_rename_new(AT_FDCWD, path, name)) {
            an_rt_warn(path,
                       "not an intact profile of this program; moved aside (.damaged), starting "
                       "a new one",
                       0);
            return 0;
        }
        if (errno != EEXIST)
            return errno;
    }
    return EEXIST;
}

/* LISTED: together.h. HELD: done at the end of what happens together; the file stays open until then. */
/* REFUSED: it may not be changed, as another user's; nothing was said yet. */
enum step { DONE, HELD, AGAIN, LISTED, TAKEN, BUSY, REFUSED, FAILED };

AN_RT_APART static void tell_loss(const char *path, int error)
{
    an_rt_warn(path, "the counts of this run are lost; those of others are kept", error);
}

AN_RT_APART static enum step failed(const char *path, int error)
{
    if (error == EACCES || error == EPERM)
        return REFUSED;
    tell_loss(path, error);
    return FAILED;
}

static enum step done(void)
{
    return is_put_off ? HELD : DONE;
}

static enum step move_aside(const char *path)
{
    int error = set_aside(path);
    return error ? failed(path, error) : AGAIN;
}

/* What nobody takes for a profile is kept. */
static enum step replace_former(int file, const struct stat *is, const char *path,
                                const struct an_rt_contents *contents)
{
    uint8_t first[AN_RT_FIRST];
    if (is->st_size &&
        (pread(file, first, sizeof first, 0) != sizeof first || !contents->may_be(first)))
        return move_aside(path);
    int error = replace(file, path, contents, NULL, is);
    return error ? failed(path, error) : done();
}

static enum step add_locked(int file, const struct stat *is, const char *path,
                            const struct an_rt_contents *contents)
{
    size_t size = (size_t)is->st_size;
    if (is->st_uid != geteuid() && geteuid() != 0)
        is_put_off = false; /* the folder may not let us replace what is another user's */
    if (contents->former && an_rt_is_former(contents->former, is))
        return replace_former(file, is, path, contents);
    if (!may_be_profile(file, size, contents))
        return move_aside(path);
    uint8_t *old = load(file, size);
    if (!old)
        return failed(path, errno ? errno : ENOMEM);
    uint64_t owner;
    enum an_rt_fit fit = contents->judge(contents->context, old, size, &owner);
    int error = 0;
    if (fit == AN_RT_FITS)
        error = replace(file, path, contents, old, is);
    an_rt_scratch_free(old, size ? size : 1);
    if (error)
        return failed(path, error);
    if (fit == AN_RT_DAMAGED)
        return move_aside(path);
    if (fit == AN_RT_OTHER)
        return is_older_than_program(is) && make_room(path, owner) ? AGAIN : TAKEN;
    return done();
}

/* /dev/null is what users name who want no profile. */
static enum step leave_alone(const char *path, const struct stat *is)
{
    if (S_ISCHR(is->st_mode) && is->st_rdev == NULL_DEVICE)
        return DONE;
    an_rt_warn(path, "not a regular file; the counts of this run are lost", 0);
    return FAILED;
}

static enum step add_existing(int file, const char *path, const struct an_rt_contents *contents)
{
    struct stat is;
    if (fstat(file, &is) < 0)
        return failed(path, errno);
    if (!S_ISREG(is.st_mode))
        return leave_alone(path, &is);
    if (!an_rt_lock_file(file))
        return BUSY;
    if (fstat(file, &is) < 0)
        return failed(path, errno);
    if (!is_named(&is, path))
        return AGAIN;
    return an_rt_together_concerns(path) ? LISTED : add_locked(file, &is, path, contents);
}

/* There is none of that name. Without the folder's lock, whoever has it comes second. */
static enum step add_first(const char *path, const struct an_rt_contents *contents)
{
    int error, folder = an_rt_together_lock(an_rt_process()->together, path);
    if (an_rt_together_concerns(path)) {
        if (folder >= 0)
            close(folder);
        return LISTED;
    }
    error = is_put_off ? create_later(path, contents) : an_rt_create(path, contents);
    if (folder >= 0)
        close(folder);
    if (error == EEXIST)
        return AGAIN;
    return error ? failed(path, error) : DONE;
}

static enum step add_once(const char *path, const struct an_rt_contents *contents)
{
    int file = an_rt_open(path, O_RDWR | O_NOCTTY | O_NONBLOCK, 0);
    if (file < 0 &&
        (errno == EMFILE || errno == ENFILE)) { /* those of others may be the last ones */
        an_rt_together_commit(an_rt_process()->together);
        file = an_rt_open(path, O_RDWR | O_NOCTTY | O_NONBLOCK, 0);
    }
    if (file < 0)
        return errno == ENOENT ? add_first(path, contents) : failed(path, errno);
    enum step step = add_existing(file, path, contents);
    if (step == HELD)
        return DONE;
    close(file);
    return step;
}

/* A file that has been put off already, by another module of the process, is as good as there. */
static enum step add_to_held(const char *path, const struct an_rt_contents *contents)
{
    const char *name = later_name(path);
    if (!name)
        return failed(path, ENAMETOOLONG);
    is_put_off = false;
    enum step step = add_once(name, contents);
    is_put_off = true;
    return step;
}

static enum step add(const char *path, const struct an_rt_contents *contents)
{
    enum step step = AGAIN;
    for (int round = 0; step == AGAIN && round < ROUNDS; round++) {
        bool is_held = is_put_off && an_rt_together_has(an_rt_process()->together, path);
        step = is_held ? add_to_held(path, contents) : add_once(path, contents);
        if (step == LISTED)
            step = an_rt_together_settle(an_rt_process()->together, path) ? AGAIN : BUSY;
    }
    return step == AGAIN ? BUSY : step;
}

/* The first step was BUSY or TAKEN. */
static enum step add_beside(const char *path, const struct an_rt_contents *contents, uint64_t owner,
                            enum step step)
{
    static char beside[AN_RT_PATH], spill[AN_RT_PATH];
    const char *name = path;
    if (step == TAKEN && name_beside(path, OF_BUILD, owner, beside)) {
        name = beside;
        step = add(name, contents);
    }
    for (unsigned i = 1; i <= SPILLS && (step == BUSY || step == TAKEN); i++) {
        if (!name_beside(name, SUBSTITUTE, i, spill))
            break;
        step = add(spill, contents);
    }
    return step;
}

/* Whether the process's files of that folder change at once; it is made, if need be. */
static bool takes_together(const char *path)
{
    int takes = an_rt_together_takes(an_rt_process()->together, an_rt_name_folder(path));
    if (takes < 0 && make_folders(path) == 0)
        takes = an_rt_together_takes(an_rt_process()->together, an_rt_name_folder(path));
    return takes > 0;
}

bool an_rt_commit(const char *path, const struct an_rt_contents *contents, uint64_t owner)
{
    if (!an_rt_may_write_to(path)) {
        an_rt_warn(path,
                   "a program with more rights than its user writes no profile to the current "
                   "folder; give it an absolute name when you build",
                   0);
        return false;
    }
    if (an_rt_is_plain())
        return an_rt_plain_write(path, contents);
    static char own[AN_RT_PATH]; /* the file of this user, beside that of another one */
    const char *name = follow(path);
    if (!name)
        return failed(path, ELOOP) == DONE;
    path = name;
    is_put_off = contents->goes_together && takes_together(path);
    uint64_t before = an_rt_gave_up_at();
    enum step step = add(path, contents);
    if (step == REFUSED && name_beside(path, OF_USER, geteuid(), own)) {
        path = own;
        step = add(path, contents);
    }
    if (step == BUSY || step == TAKEN)
        step = add_beside(path, contents, owner, step);
    is_put_off = false;
    const char *what = NULL;
    if (step == DONE && an_rt_gave_up_at() != before)
        what = "a process of another user holds its lock; the counts are in a file beside it, "
               "whose name has a number";
    else if (step == BUSY || step == TAKEN)
        what = "other processes hold this file and all its substitutes; counts are lost";
    if (what)
        an_rt_warn(path, what, 0);
    if (step == REFUSED)
        tell_loss(name, EACCES);
    return step == DONE;
}

/* ---- a file that is open ---- */

static int rewrite(int file, const struct an_rt_contents *contents, const uint8_t *old, size_t size)
{
    if (lseek(file, 0, SEEK_SET) < 0)
        return errno;
    struct an_rt_file_sink *to = an_rt_file_sink(file, NULL);
    int error = write_contents(to, contents, size ? old : NULL, size);
    if (!error && an_rt_file_sink_flush(to))
        return ftruncate(file, lseek(file, 0, SEEK_CUR)) < 0 ? errno : 0;
    error = error ? error : to->error;
    /* There was room for what was there. */
    if (write_at(file, old, size, 0) || ftruncate(file, (off_t)size) < 0)
        errno = 0; /* there is nothing else that could be done */
    return error;
}

static int add_open(int file, const struct an_rt_contents *contents)
{
    struct stat is;
    uint64_t owner;
    if (fstat(file, &is) < 0)
        return errno;
    size_t size = (size_t)is.st_size;
    if (!may_be_profile(file, size, contents))
        return EBADMSG;
    uint8_t *old = load(file, size);
    if (!old)
        return errno ? errno : ENOMEM;
    bool fits = size == 0 || contents->judge(contents->context, old, size, &owner) == AN_RT_FITS;
    int error = fits ? rewrite(file, contents, old, size) : EBADMSG;
    an_rt_scratch_free(old, size ? size : 1);
    return error;
}

static int add_open_regular(int file, const struct an_rt_contents *contents)
{
    bool is_locked = an_rt_lock_file(file);
    if (!is_locked && errno == EWOULDBLOCK)
        return EWOULDBLOCK;
    int error = add_open(file, contents);
    if (is_locked)
        an_rt_unlock_file(file);
    return error;
}

bool an_rt_commit_open(int file, const char *what, const struct an_rt_contents *contents)
{
    struct stat is;
    int error = 0;
    if (fstat(file, &is) < 0)
        error = errno;
    else if (!S_ISREG(is.st_mode)) /* the program wants it there */
        error = write_new(file, contents);
    else
        error = add_open_regular(file, contents);
    if (error == EBADMSG)
        an_rt_warn(what,
                   "Invalid profile data to merge: the file that the program opened has no intact "
                   "profile of it; the counts of this run are lost",
                   0);
    else if (error)
        tell_loss(what, error);
    return !error;
}
