/*
 * clang's --coverage, which is not GCC's: an object has no description of its counters, but a function that calls these one
 * after the other, with all that is to be in its file. (LLVM's lib/Transforms/Instrumentation/GCOVProfiling.cpp.)
 *
 *     llvm_gcda_start_file
 *         llvm_gcda_emit_function, llvm_gcda_emit_arcs      for each function
 *         llvm_gcda_summary_info
 *     llvm_gcda_end_file
 */
#ifndef AN_RT_CLANG_COVERAGE_H
#define AN_RT_CLANG_COVERAGE_H

#include <stdint.h>

/* Each object, as it is loaded: what has its counts written as above, and what sets them to 0. */
void llvm_gcov_init(void (*write)(void), void (*reset)(void));

/* The version has four letters, the last one first: "408*". */
void llvm_gcda_start_file(const char *name, uint32_t version, uint32_t stamp);
void llvm_gcda_emit_function(uint32_t ident, uint32_t line_sum, uint32_t flow_sum);
void llvm_gcda_emit_arcs(uint32_t number, uint64_t *counters);
void llvm_gcda_summary_info(void);
void llvm_gcda_end_file(void);

/* What programs call. */
void llvm_writeout_files(void);
void llvm_reset_counters(void);

#endif
