/* See rename_new.h. */
#include "hosted/rename_new.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NO_REPLACE = 1 }; /* RENAME_NOREPLACE; musl has neither that nor the function */

bool an_rt_rename_new(int folder, const char *from, const char *to)
{
    if (syscall(SYS_renameat2, folder, from, folder, to, NO_REPLACE) == 0)
        return true;
    return (errno == EINVAL || errno == ENOSYS) && linkat(folder, from, folder, to, 0) == 0 &&
           unlinkat(folder, from, 0) == 0;
}
