/*
 * The names that LLVM's instrumentation, and programs that steer their profiles themselves, refer to. They
 * are compiler-rt's, with its meanings (InstrProfiling.h, instr_prof_interface.h), but for one: what has
 * been written to a file is taken off the counters, since every write adds to the file.
 */
#ifndef AN_RT_LLVM_INTERFACE_H
#define AN_RT_LLVM_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

/* What instrumented code calls (llvm_values.c). */
void __llvm_profile_instrument_target(uint64_t value, void *record, uint32_t site);
void __llvm_profile_instrument_target_value(uint64_t value, void *record, uint32_t site,
                                            uint64_t times);
void __llvm_profile_instrument_memop(uint64_t size, void *record, uint32_t site);
void __llvm_profile_set_timestamp(uint64_t *time); /* llvm_times.c */

/* What constructors call that clang 17 and older make for targets without an operating system (bare/llvm.c). */
void __llvm_profile_register_function(void *record);
void __llvm_profile_register_names_function(void *names, uint64_t size);

/* What it refers to. */
extern int __llvm_profile_runtime; /* hosted/llvm_start.c */
extern uint64_t __llvm_profile_raw_version;
extern uint64_t __llvm_profile_global_timestamp;

/* The profile in memory (llvm_interface.c). */
const void *__llvm_profile_begin_data(void);
const void *__llvm_profile_end_data(void);
const char *__llvm_profile_begin_names(void);
const char *__llvm_profile_end_names(void);
char *__llvm_profile_begin_counters(void);
char *__llvm_profile_end_counters(void);
char *__llvm_profile_begin_bitmap(void);
char *__llvm_profile_end_bitmap(void);
struct an_rt_node *__llvm_profile_begin_vnodes(void);
struct an_rt_node *__llvm_profile_end_vnodes(void);
const void *__llvm_profile_begin_vtables(void);
const void *__llvm_profile_end_vtables(void);
const char *__llvm_profile_begin_vtabnames(void);
const char *__llvm_profile_end_vtabnames(void);
uint64_t __llvm_profile_get_magic(void);
uint64_t __llvm_profile_get_version(void);
size_t __llvm_profile_counter_entry_size(void);
uint64_t __llvm_profile_get_num_data(const void *begin, const void *end);
uint64_t __llvm_profile_get_data_size(const void *begin, const void *end);
uint64_t __llvm_profile_get_num_counters(const char *begin, const char *end);
uint64_t __llvm_profile_get_counters_size(const char *begin, const char *end);
uint64_t __llvm_profile_get_num_bitmap_bytes(const char *begin, const char *end);
uint64_t __llvm_profile_get_name_size(const char *begin, const char *end);
uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *buffer);
int __llvm_profile_check_compatibility(const char *profile, uint64_t size);
int __llvm_profile_merge_from_buffer(const char *profile, uint64_t size);
void __llvm_profile_reset_counters(void);

/* Files (hosted/llvm.c). */
void __llvm_profile_initialize(void);
void __llvm_profile_initialize_file(void);
int __llvm_profile_register_write_file_atexit(void);
int __llvm_profile_write_file(void);
int __llvm_profile_dump(void);

/* Writes the order in which functions first ran, of -forder-file-instrumentation. */
int __llvm_orderfile_dump(void);

void __llvm_profile_set_dumped(void);
void __llvm_profile_set_filename(const char *name);
const char *__llvm_profile_get_filename(void);
struct _IO_FILE; /* FILE: this header is for places without a libc, too */
int __llvm_profile_set_file_object(struct _IO_FILE *file, int merges);
int __llvm_profile_is_continuous_mode_enabled(void);
const char *__llvm_profile_get_path_prefix(void);
void lprofSetProfileDumped(unsigned is_dumped);
unsigned lprofProfileDumped(void);

#endif
