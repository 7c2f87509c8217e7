/*
 * From raw memory profiles to those of functions. In which order things come is LLVM's: up to LLVM 19, and from LLVM 20 on.
 */
#ifndef AN_LLVM_MEMPROF_RECORDS_H
#define AN_LLVM_MEMPROF_RECORDS_H

#include "llvm/memprof_binary.h"
#include "llvm/memprof_raw.h"

/*
 * Fills in an empty memory profile, to be freed in any case. The program has to be locked. *traces is how many call stacks are
 * left.
 */
enum an_code an_memprof_from_raw(struct memprof *memprof, const struct memprof_raw *raw,
                                 struct memprof_binary *binary, bool as_19, size_t *traces,
                                 struct an_error *error);

/*
 * The same of a file, by the program that is among those of the correlation (or NULL), which it locks. *version is that of the
 * file.
 */
struct an_llvm_correlation;
enum an_code an_memprof_convert(struct memprof *memprof, struct an_bytes file,
                                const struct an_llvm_correlation *correlation, bool as_19,
                                unsigned *version, struct an_error *error);

/* The program that left a raw memory profile; without one, *error says which it would be. */
struct memprof_binary *an_memprof_program(const struct memprof_raw *raw,
                                          const struct an_llvm_correlation *correlation,
                                          struct an_error *error);

#endif
