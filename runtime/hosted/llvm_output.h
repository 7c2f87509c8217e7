/*
 * The functions of compiler-rt's InstrProfilingInternal.h and InstrProfilingUtil.h that have to do with files, with LLVM's
 * names and meanings. The runtime's own profiles do not go through them.
 */
#ifndef AN_RT_LLVM_OUTPUT_H
#define AN_RT_LLVM_OUTPUT_H

#include <stdio.h>

#include "core/llvm_internal.h"

/* Bytes gathered on their way to a writer. */
struct an_rt_llvm_buffer {
    struct an_rt_llvm_writer *writer;
    uint32_t owns_writer;
    uint8_t *bytes;
    uint32_t room, used;
};

struct an_rt_llvm_buffer *lprofCreateBufferIOInternal(void *file, uint32_t room);
struct an_rt_llvm_buffer *lprofCreateBufferIO(struct an_rt_llvm_writer *writer);
void lprofDeleteBufferIO(struct an_rt_llvm_buffer *buffer);
int lprofBufferIOWrite(struct an_rt_llvm_buffer *buffer, const uint8_t *bytes, uint32_t size);
int lprofBufferIOFlush(struct an_rt_llvm_buffer *buffer);

/* The profile of the program; `reader` and `skips_names` are not needed. 0: done. */
int lprofWriteData(struct an_rt_llvm_writer *writer, void *reader, int skips_names);

/* A file to add to, locked until it is closed; NULL: it cannot be had. */
FILE *lprofOpenFileEx(const char *name);
int lprofLockFd(int file);
int lprofUnlockFd(int file);

/* The rights of folders that are made, 0755 at first. */
void __llvm_profile_set_dir_mode(unsigned mode);
unsigned __llvm_profile_get_dir_mode(void);
void __llvm_profile_recursive_mkdir(char *path);

#endif
