/* What llvm-profdata show --memory says of all memory profiles, raw and indexed. */
#ifndef AN_LLVM_MEMPROF_WORDS_H
#define AN_LLVM_MEMPROF_WORDS_H

#include "base/bytes.h"
#include "llvm/memprof.h"

/* By which LLVM knows a field of allocations; 0 < field < MEMPROF_FIELDS. */
const char *an_memprof_field_name(unsigned field);

/* Appends a summary, in comments, as LLVM 20 and later put it in front. */
void an_memprof_put_summary(const struct memprof *memprof, struct an_buffer *text);

#endif
