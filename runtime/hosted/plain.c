/* See plain.h. */
#include "hosted/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "hosted/environment.h"
#include "hosted/file_sink.h"
#include "hosted/memory.h"
#include "hosted/message.h"
#include "hosted/open.h"
#include "hosted/process.h"
#include "hosted/text.h"

static uint64_t started;

void an_rt_plain_begin(size_t scratch)
{
    struct timespec now;
    if (!an_rt_is_plain() || clock_gettime(CLOCK_REALTIME, &now) < 0)
        return;
    started = (uint64_t)now.tv_sec;
    an_rt_scratch_reserve(scratch);
}

/* Of the next profile of this process. */
static bool make_name(const char *path, unsigned number, char name[AN_RT_PATH])
{
    char tag[48];
    struct an_rt_text text = an_rt_text(tag, sizeof tag);
    an_rt_text_put_decimal(&text, (uint64_t)an_rt_process_id());
    an_rt_text_put(&text, "-");
    an_rt_text_put_hex(&text, started, 8);
    if (number > 1) {
        an_rt_text_put(&text, "-");
        an_rt_text_put_decimal(&text, number);
    }
    return an_rt_name_with(path, tag, name, AN_RT_PATH);
}

static int write_to(const char *name, const char *passing, const struct an_rt_contents *contents)
{
    int file = an_rt_open(passing, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (file < 0)
        return errno;
    struct an_rt_file_sink *to = an_rt_file_sink(file, NULL);
    bool done = contents->write(contents->context, NULL, 0, &to->sink) && an_rt_file_sink_flush(to);
    int error = done ? 0 : to->error ? to->error : ENOMEM;
    close(file);
    if (!error && rename(passing, name) < 0)
        error = errno;
    return error;
}

bool an_rt_plain_write(const char *path, const struct an_rt_contents *contents)
{
    static char name[AN_RT_PATH], passing[AN_RT_PATH];
    static unsigned number;
    int error = ENAMETOOLONG;
    if (make_name(path, ++number, name)) {
        struct an_rt_text text = an_rt_text(passing, sizeof passing);
        an_rt_text_put(&text, name);
        an_rt_text_put(&text, ".new");
        if (!text.overflowed)
            error = write_to(name, passing, contents);
    }
    if (error)
        an_rt_warn(path, "the counts of this run are lost", error);
    return !error;
}
