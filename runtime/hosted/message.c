/* See message.h. */
#include "hosted/message.h"

#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>

static struct iovec piece(const char *text)
{
    return (struct iovec){.iov_base = (void *)(size_t)text, .iov_len = strlen(text)};
}

void an_rt_warn(const char *path, const char *what, int number)
{
    static bool has_spoken;
    if (__atomic_exchange_n(&has_spoken, true, __ATOMIC_RELAXED))
        return;
    const char *reason = number ? strerrordesc_np(number) : NULL;
    const struct iovec pieces[] = {
        piece("anneal: warning: "),
        piece(path),
        piece(": "),
        piece(what),
        piece(reason ? ": " : ""),
        piece(reason ? reason : ""),
        piece("\n"),
    };
    ssize_t written = writev(2, pieces, sizeof pieces / sizeof *pieces);
    (void)written; /* there is nobody else to tell */
}
