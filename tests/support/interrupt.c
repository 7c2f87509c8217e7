/*
 * Preloaded by tests/cli/test_files.sh and test_html.sh: sends the process a SIGINT just before and after the call
 * that AN_INTERRUPT names, as an impatient user would; with AN_UNSUPPORTED=tmpfile it makes the
 * file system one without unnamed files.
 */
#undef _FILE_OFFSET_BITS /* would give one name to open and open64 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_named(const char *variable, const char *name)
{
    const char *value = getenv(variable);
    return value && strcmp(value, name) == 0;
}

static void interrupt_in(const char *call)
{
    if (is_named("AN_INTERRUPT", call))
        raise(SIGINT);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int open_file(__typeof__(&open) real, const char *path, int flags, mode_t mode)
{
    int unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    if (unnamed && is_named("AN_UNSUPPORTED", "tmpfile")) {
        errno = EOPNOTSUPP;
        return -1;
    }
    int fd = real(path, flags, mode);
    if (unnamed)
        interrupt_in("open");
    return fd;
}

static int make_temporary(__typeof__(&mkostemp) real, char *name, int flags)
{
    int fd = real(name, flags);
    interrupt_in("mkostemp");
    return fd;
}

/* With large file offsets the same calls have other names. */
#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(arguments, mode_t) : 0;             \
        va_end(arguments);                                                                         \
        return open_file(REAL(name), path, flags, mode);                                           \
    }
#define MKOSTEMP(name)                                                                             \
    int name(char *path, int flags)                                                                \
    {                                                                                              \
        return make_temporary(REAL(name), path, flags);                                            \
    }
OPEN(open)
OPEN(open64)
MKOSTEMP(mkostemp)
MKOSTEMP(mkostemp64)

ssize_t write(int fd, const void *bytes, size_t size)
{
    if (fd > STDERR_FILENO)
        interrupt_in("write");
    return REAL(write)(fd, bytes, size);
}

int fchmod(int fd, mode_t mode)
{
    interrupt_in("fchmod");
    return REAL(fchmod)(fd, mode);
}

int chmod(const char *path, mode_t mode)
{
    int status = REAL(chmod)(path, mode);
    interrupt_in("chmod");
    return status;
}

int fsync(int fd)
{
    interrupt_in("fsync");
    return REAL(fsync)(fd);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    int status = REAL(linkat)(from_folder, from, to_folder, to, flags);
    interrupt_in("linkat");
    return status;
}

int rename(const char *from, const char *to)
{
    interrupt_in("rename");
    return REAL(rename)(from, to);
}
