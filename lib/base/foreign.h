/*
 * Files that belong to somebody else: another user's, or what another process has mapped.
 *
 * Whoever owns a name can put anything there: a FIFO, on which one would wait without end; a device, which
 * may have no end, or does something when it is opened; a link to elsewhere; and another file a moment
 * later. So the name is looked up once, without opening what it leads to, and only a regular file that is
 * as expected is opened, by that look and not by its name:
 *
 *     name ─► O_PATH | O_NOFOLLOW ─► fstat: a regular file? its size, owner, device, inode ─► open
 */
#ifndef AN_BASE_FOREIGN_H
#define AN_BASE_FOREIGN_H

#include <sys/types.h>

#include "base/file.h"

/* No binary is larger. What llvm-bolt writes has holes of up to 2 GiB. */
#define AN_FOREIGN_BINARY (16ull << 30)

/* No source is larger: its text is held in memory. */
#define AN_FOREIGN_SOURCE (256ull << 20)

struct an_foreign { /* what a file has to be, besides a regular one */
    uint64_t most;  /* bytes */
    const uid_t *owners;
    size_t owner_count;     /* 0: it may be anybody's */
    uint64_t device, inode; /* as in /proc/PID/maps; inode 0: any file */
    bool follows;           /* a link is followed: a name that the caller or the kernel gave */
};

/* Opens it for reading; -1 on failure. AN_USAGE when it is not as expected. */
int an_foreign_open(const char *path, const struct an_foreign *expected, struct an_error *error);

/* A name for what is open, for functions that take names: the very same file, as long as it is open. */
enum { AN_FOREIGN_NAME = 32 };
const char *an_foreign_name(int file, char name[AN_FOREIGN_NAME]);

/* Loads it (file.h). */
enum an_code an_foreign_load(struct an_file *file, const char *path,
                             const struct an_foreign *expected, struct an_error *error);

#endif
