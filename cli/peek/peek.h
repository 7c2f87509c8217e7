/* Reading what a running program has counted. */
#ifndef AN_CLI_PEEK_PEEK_H
#define AN_CLI_PEEK_PEEK_H

#include "base/bytes.h"
#include "base/map.h"
#include "cli/rt/process.h"

/* A process that is read. It may say anything about itself, so there is a limit to it. */
struct peek_source {
    const struct rt_process *process;
    uint64_t left; /* bytes that may still be read: some times what the process has in memory */
    struct an_map nodes; /* addresses of values that were read: no two lists share one */
};

/* False when not all of it could be read, or more than there can be. */
bool peek_read(struct peek_source *source, uint64_t address, void *to, size_t size);

/*
 * Appends a raw profile of what LLVM's instrumentation counts, in a struct an_rt_module at that address of the
 * process. The program goes on meanwhile: each counter is what it was at some moment of the reading.
 */
enum an_code peek_llvm(struct peek_source *source, uint64_t module, struct an_buffer *raw,
                       struct an_error *error);

#endif
