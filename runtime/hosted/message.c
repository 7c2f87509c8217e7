/* See message.h. */
#include "hosted/message.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/port.h"
#include "hosted/environment.h"
#include "hosted/refused.h"

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

/* What files can fail with, in the C library's words: strerror is not for signal handlers. */
static const struct {
    int number;
    const char *words;
} reasons[] = {
    {EPERM, "Operation not permitted"},
    {ENOENT, "No such file or directory"},
    {EIO, "Input/output error"},
    {ENXIO, "No such device or address"},
    {EBADF, "Bad file descriptor"},
    {EAGAIN, "Resource temporarily unavailable"},
    {ENOMEM, "Cannot allocate memory"},
    {EACCES, "Permission denied"},
    {EBUSY, "Device or resource busy"},
    {EEXIST, "File exists"},
    {EXDEV, "Invalid cross-device link"},
    {ENODEV, "No such device"},
    {ENOTDIR, "Not a directory"},
    {EISDIR, "Is a directory"},
    {EINVAL, "Invalid argument"},
    {ENFILE, "Too many open files in system"},
    {EMFILE, "Too many open files"},
    {ETXTBSY, "Text file busy"},
    {EFBIG, "File too large"},
    {ENOSPC, "No space left on device"},
    {EROFS, "Read-only file system"},
    {EMLINK, "Too many links"},
    {EPIPE, "Broken pipe"},
    {ENAMETOOLONG, "File name too long"},
    {ENOLCK, "No locks available"},
    {ENOSYS, "Function not implemented"},
    {ELOOP, "Too many levels of symbolic links"},
    {EBADMSG, "Bad message"},
    {EOVERFLOW, "Value too large for defined data type"},
    {EOPNOTSUPP, "Operation not supported"},
    {ESTALE, "Stale file handle"},
    {EDQUOT, "Disk quota exceeded"},
};

static const char *reason_of(int number)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].number == number)
            return reasons[i].words;
    return "unusual error";
}

/* Whatever standard error is, a pipe that nobody reads, a file that is full, the program goes on as it would have. */
AN_RT_APART static void say(const struct iovec pieces[PIECES])
{
    const sigset_t refusals = an_rt_refusals();
    sigset_t pending, before;
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &refusals, &before);
    if (writev(STANDARD_ERROR, pieces, PIECES) < 0)
        an_rt_refused(errno, &pending);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void say_plainly(const struct iovec pieces[PIECES])
{
    for (size_t i = 0; i < PIECES; i++)
        if (write(STANDARD_ERROR, pieces[i].iov_base, pieces[i].iov_len) < 0)
            return;
}

static void say_pieces(const struct iovec pieces[PIECES])
{
    int cancelling;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
    if (an_rt_is_plain())
        say_plainly(pieces);
    else
        say(pieces);
    pthread_setcancelstate(cancelling, &cancelling);
}

void an_rt_warn(const char *path, const char *what, int number)
{
    static bool has_spoken;
    if (__atomic_exchange_n(&has_spoken, true, __ATOMIC_RELAXED) || !is_listening)
        return;
    const char *reason = number ? reason_of(number) : NULL;
    const struct iovec pieces[PIECES] = {
        piece("anneal: warning: "),
        piece(path),
        piece(": "),
        piece(what),
        piece(reason ? ": " : ""),
        piece(reason ? reason : ""),
        piece("\n"),
    };
    say_pieces(pieces);
}

void an_rt_say_as_llvm(const char *level, const char *before, const char *path, const char *after)
{
    const struct iovec pieces[PIECES] = {
        piece("LLVM Profile "), piece(level), piece(": "), piece(before), piece(path),
        piece(after),           piece("\n"),
    };
    if (is_listening)
        say_pieces(pieces);
}
