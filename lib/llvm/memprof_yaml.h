/* Memory profiles as llvm-profdata show --memory prints them: YAML, with comments in front of it. */
#ifndef AN_LLVM_MEMPROF_YAML_H
#define AN_LLVM_MEMPROF_YAML_H

#include <anneal/llvm.h>

#include "base/bytes.h"
#include "base/error.h"

/* Appends a raw memory profile, whose program is among those of the correlation, as LLVM up to 19 or later ones show it. */
enum an_code an_memprof_raw_yaml(struct an_bytes file,
                                 const struct an_llvm_correlation *correlation, bool as_19,
                                 struct an_buffer *text, struct an_error *error);

/* Appends the memory profile of an indexed profile. AN_MISMATCH: it has none. */
enum an_code an_memprof_indexed_yaml(struct an_bytes file, struct an_buffer *text,
                                     struct an_error *error);

#endif
