/* See message.h. */
#include "hosted/message.h"

#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>

#include "core/port.h"

enum { STANDARD_ERROR = 2, PIECES = 7 };

static bool is_listening;

void an_rt_message_begin(void)
{
    is_listening = fcntl(STANDARD_ERROR, F_GETFD) >= 0;
}

static struct iovec piece(const char *text)
{
    return (struct iovec){.iov_base = (void *)(size_t)text, .iov_len = strlen(text)};
}

void an_rt_warn(const char *path, const char *what, int number)
{
    static bool has_spoken;
    if (__atomic_exchange_n(&has_spoken, true, __ATOMIC_RELAXED) || !is_listening)
        return;
    const char *reason = number ? strerrordesc_np(number) : NULL;
    const struct iovec pieces[PIECES] = {
        piece("anneal: warning: "),
        piece(path),
        piece(": "),
        piece(what),
        piece(reason ? ": " : ""),
        piece(reason ? reason : ""),
        piece("\n"),
    };
    ssize_t written = writev(STANDARD_ERROR, pieces, PIECES);
    (void)written; /* there is nobody else to tell */
}
