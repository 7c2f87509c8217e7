/*
 * Preloaded: the disk is full once a process has written FULL_AFTER bytes to files.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t write(int file, const void *bytes, size_t size)
{
    static ssize_t (*next)(int, const void *, size_t);
    static size_t written;
    struct stat is;
    const char *limit = getenv("FULL_AFTER");
    if (!next)
        next = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (!limit || fstat(file, &is) < 0 || !S_ISREG(is.st_mode))
        return next(file, bytes, size);
    size_t room = strtoul(limit, NULL, 10);
    room = room > written ? room - written : 0;
    if (room == 0 && size) {
        errno = ENOSPC;
        return -1;
    }
    written += size < room ? size : room;
    return next(file, bytes, size < room ? size : room);
}
