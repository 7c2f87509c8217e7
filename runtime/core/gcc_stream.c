/*
 * GCC's profiles as streams of bytes, for programs that send them themselves (-fprofile-info-section), as
 * GCC's manual has it under "Profiling and Test Coverage in Freestanding Environments".
 */
#include "core/gcc_gcda.h"
#include "core/gcc_interface.h"

struct stream {
    struct an_rt_sink sink;
    void (*dump)(const void *bytes, unsigned size, void *argument);
    void *argument;
};

static bool put(struct an_rt_sink *sink, const void *bytes, size_t size)
{
    struct stream *stream = (struct stream *)sink;
    stream->dump(bytes, (unsigned)size, stream->argument);
    return true;
}

void __gcov_info_to_gcda(const struct an_rt_gcc_info *info,
                         void (*name)(const char *name, void *argument),
                         void (*dump)(const void *bytes, unsigned size, void *argument),
                         void *(*allocate)(unsigned size, void *argument), void *argument)
{
    struct stream stream = {{put}, dump, argument};
    (void)allocate; /* nothing needs it */
    name(info->name, argument);
    an_rt_gcda_write(info, AN_RT_NO_SUMMARY, NULL, 0, &stream.sink);
}
