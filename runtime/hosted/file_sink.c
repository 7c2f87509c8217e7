/* See file_sink.h. */
#include "hosted/file_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "hosted/environment.h"
#include "hosted/open.h"
#include "hosted/process.h"
#include "hosted/refused.h"
#include "hosted/text.h"

AN_RT_APART int an_rt_write_error(void)
{
    int error = errno;
    if (!an_rt_is_plain())
        an_rt_refused(error, an_rt_pending());
    return error;
}

/* What somebody who was killed left, or anything else, goes: it may be a pipe, or a link. */
static int open_new(const char *name)
{
    enum { FLAGS = O_WRONLY | O_CREAT | O_EXCL };
    int file = an_rt_open(name, FLAGS, 0600);
    if (file < 0 && errno == EEXIST && unlink(name) == 0)
        file = an_rt_open(name, FLAGS, 0600);
    return file;
}

static bool open_file(struct an_rt_file_sink *to)
{
    if (to->file >= 0)
        return true;
    struct an_rt_text name = an_rt_text(to->name, sizeof to->name);
    an_rt_text_put(&name, to->path);
    an_rt_text_put(&name, ".new");
    errno = ENAMETOOLONG;
    if (!name.overflowed)
        to->file = open_new(to->name);
    if (to->file < 0)
        to->error = errno;
    return to->file >= 0;
}

static bool write_all(struct an_rt_file_sink *to, const uint8_t *bytes, size_t size)
{
    while (size) {
        ssize_t written = write(to->file, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            to->error = written < 0 ? an_rt_write_error() : ENOSPC;
            return false;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

bool an_rt_file_sink_flush(struct an_rt_file_sink *to)
{
    if (!open_file(to) || !write_all(to, to->buffer, to->used))
        return false;
    to->used = 0;
    return true;
}

static bool put(struct an_rt_sink *sink, const void *bytes, size_t size)
{
    struct an_rt_file_sink *to = (struct an_rt_file_sink *)sink;
    if (size > AN_RT_BUFFER - to->used && !an_rt_file_sink_flush(to))
        return false;
    if (size > AN_RT_BUFFER)
        return write_all(to, bytes, size);
    memcpy(to->buffer + to->used, bytes, size);
    to->used += size;
    return true;
}

struct an_rt_file_sink *an_rt_file_sink(int file, const char *path)
{
    static struct an_rt_file_sink to;
    to.sink.put = put;
    to.file = file;
    to.path = path;
    to.used = 0;
    to.error = 0;
    return &to;
}
