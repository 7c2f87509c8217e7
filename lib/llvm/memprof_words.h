/* What llvm-profdata show --memory says of all memory profiles, raw and indexed. */
#ifndef AN_LLVM_MEMPROF_WORDS_H
#define AN_LLVM_MEMPROF_WORDS_H

#include "base/bytes.h"
#include "llvm/memprof.h"

struct memprof_accesses;

/* By which LLVM knows a field of allocations; 0 < field < MEMPROF_FIELDS. */
const char *an_memprof_field_name(unsigned field);

/* Appends a summary, in comments, as LLVM 21 and later put it in front. `accesses` may be NULL. */
void an_memprof_put_summary(const struct memprof *memprof, const struct memprof_accesses *accesses,
                            struct an_buffer *text);

#endif
