/* See open.h. */
#include "hosted/open.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { FIRST = 3 };

int an_rt_open(const char *path, int flags, mode_t mode)
{
    int file = open(path, flags | O_CLOEXEC, mode);
    if (file < 0 || file >= FIRST)
        return file;
    int moved = fcntl(file, F_DUPFD_CLOEXEC, FIRST), error = errno;
    close(file);
    errno = error;
    return moved;
}
