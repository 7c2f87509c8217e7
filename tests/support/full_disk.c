/*
 * Preloaded: the disk is full once a process has made files longer by FULL_AFTER bytes. What is written over
 * bytes that are there needs no room.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* How many of so many bytes at that place there is room for, which they then take. */
static size_t take_room(int file, off_t at, size_t size)
{
    static size_t taken;
    struct stat is;
    const char *limit = getenv("FULL_AFTER");
    if (!limit || fstat(file, &is) < 0 || !S_ISREG(is.st_mode))
        return size;
    size_t room = strtoul(limit, NULL, 10), there = at < is.st_size ? (size_t)(is.st_size - at) : 0;
    room = room > taken ? room - taken : 0;
    size_t longer = size > there ? size - there : 0, granted = longer < room ? longer : room;
    taken += granted;
    return size - longer + granted;
}

static ssize_t no_space(void)
{
    errno = ENOSPC;
    return -1;
}

ssize_t write(int file, const void *bytes, size_t size)
{
    static ssize_t (*next)(int, const void *, size_t);
    size_t some = take_room(file, lseek(file, 0, SEEK_CUR), size);
    if (!next)
        next = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    return some || !size ? next(file, bytes, some) : no_space();
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at)
{
    static ssize_t (*next)(int, const void *, size_t, off_t);
    size_t some = take_room(file, at, size);
    if (!next)
        next = (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
    return some || !size ? next(file, bytes, some, at) : no_space();
}

/* All offsets have 64 bits here: the function has two names. */
ssize_t plain_pwrite(int file, const void *bytes, size_t size, off_t at) __asm__("pwrite");
ssize_t plain_pwrite(int file, const void *bytes, size_t size, off_t at)
{
    return pwrite(file, bytes, size, at);
}
