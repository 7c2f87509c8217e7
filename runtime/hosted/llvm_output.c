/* See llvm_output.h. */
#include "hosted/llvm_output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "core/llvm_module.h"
#include "core/llvm_raw.h"
#include "core/llvm_values.h"
#include "hosted/environment.h"
#include "hosted/text.h"

/* ---- buffers ---- */

enum { USUAL_ROOM = 1 << 16 };

static uint32_t write_to_file(struct an_rt_llvm_writer *writer, struct an_rt_llvm_piece *pieces,
                              uint32_t count)
{
    FILE *file = writer->context;
    for (uint32_t i = 0; i < count; i++) {
        size_t size = pieces[i].size * pieces[i].count;
        if (pieces[i].bytes) {
            if (fwrite(pieces[i].bytes, 1, size, file) != size)
                return 1;
        } else if (pieces[i].are_zeros) {
            for (size_t at = 0; at < size; at++)
                if (putc(0, file) == EOF)
                    return 1;
        } else if (fseek(file, (long)size, SEEK_CUR) < 0) {
            return 1;
        }
    }
    return 0;
}

/* What a buffer consists of is one piece of memory. */
struct whole {
    struct an_rt_llvm_buffer buffer;
    struct an_rt_llvm_writer writer; /* its own one, to a file */
    uint8_t bytes[];
};

static struct an_rt_llvm_buffer *create(struct an_rt_llvm_writer *writer, uint32_t room)
{
    struct whole *whole = an_rt_memory(sizeof *whole + room);
    if (!whole)
        return NULL;
    whole->buffer = (struct an_rt_llvm_buffer){writer ? writer : &whole->writer, !writer,
                                               whole->bytes, room, 0};
    return &whole->buffer;
}

struct an_rt_llvm_buffer *lprofCreateBufferIOInternal(void *file, uint32_t room)
{
    struct an_rt_llvm_buffer *buffer = create(NULL, room);
    if (buffer)
        *buffer->writer = (struct an_rt_llvm_writer){write_to_file, file};
    return buffer;
}

struct an_rt_llvm_buffer *lprofCreateBufferIO(struct an_rt_llvm_writer *writer)
{
    return create(writer, USUAL_ROOM);
}

void lprofDeleteBufferIO(struct an_rt_llvm_buffer *buffer)
{
    an_rt_memory_free(buffer, sizeof(struct whole) + buffer->room);
}

static int pass_on(struct an_rt_llvm_buffer *buffer, const uint8_t *bytes, uint32_t size)
{
    struct an_rt_llvm_piece piece = {bytes, 1, size, 0};
    return buffer->writer->write(buffer->writer, &piece, 1) ? -1 : 0;
}

int lprofBufferIOFlush(struct an_rt_llvm_buffer *buffer)
{
    uint32_t size = buffer->used;
    buffer->used = 0;
    return size ? pass_on(buffer, buffer->bytes, size) : 0;
}

int lprofBufferIOWrite(struct an_rt_llvm_buffer *buffer, const uint8_t *bytes, uint32_t size)
{
    if (size > buffer->room - buffer->used && lprofBufferIOFlush(buffer) != 0)
        return -1;
    if (size > buffer->room)
        return pass_on(buffer, bytes, size);
    memcpy(buffer->bytes + buffer->used, bytes, size);
    buffer->used += size;
    return 0;
}

/* ---- the profile ---- */

struct writing_sink {
    struct an_rt_sink sink;
    struct an_rt_llvm_writer *writer;
};

static bool put(struct an_rt_sink *sink, const void *bytes, size_t size)
{
    struct an_rt_llvm_writer *writer = ((struct writing_sink *)sink)->writer;
    struct an_rt_llvm_piece piece = {bytes, 1, size, 0};
    return writer->write(writer, &piece, 1) == 0;
}

int lprofWriteData(struct an_rt_llvm_writer *writer, void *reader, int skips_names)
{
    const struct an_rt_module *module = an_rt_module();
    struct writing_sink writing = {{put}, writer};
    (void)reader;
    (void)skips_names;
    return !module || an_rt_raw_write_own(module, &writing.sink) ? 0 : -1;
}

void lprofSetupValueProfiler(void)
{
    const char *most = an_rt_getenv("LLVM_VP_MAX_NUM_VALS_PER_SITE");
    if (most && *most)
        lprofSetMaxValsPerSite(an_rt_text_number(&most, AN_RT_VALUES_MOST));
}

/* ---- files ---- */

int lprofLockFd(int file)
{
    return flock(file, LOCK_EX);
}

int lprofUnlockFd(int file)
{
    return flock(file, LOCK_UN);
}

FILE *lprofOpenFileEx(const char *name)
{
    int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return NULL;
    lprofLockFd(file); /* not all file systems have locks */
    return fdopen(file, "r+b");
}

static unsigned folder_mode = 0755;

void __llvm_profile_set_dir_mode(unsigned mode)
{
    folder_mode = mode;
}

unsigned __llvm_profile_get_dir_mode(void)
{
    return folder_mode;
}

void __llvm_profile_recursive_mkdir(char *path)
{
    for (size_t at = 1; path[at]; at++)
        if (path[at] == '/') {
            path[at] = 0;
            mkdir(path, folder_mode); /* it may be there */
            path[at] = '/';
        }
}
