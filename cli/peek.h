/* Reading what a running program has counted. */
#ifndef AN_CLI_PEEK_H
#define AN_CLI_PEEK_H

#include "base/bytes.h"
#include "rt_process.h"

/*
 * Appends a raw profile of what LLVM's instrumentation counts, in a struct an_rt_module at that address of the
 * process. The program goes on meanwhile: each counter is what it was at some moment of the reading.
 */
enum an_code peek_llvm(const struct rt_process *process, uint64_t module, struct an_buffer *raw,
                       struct an_error *error);

#endif
