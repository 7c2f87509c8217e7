/*
 * What programs call that know more of the runtime than its public header says: the functions of compiler-rt's
 * InstrProfilingInternal.h and of its neighbours that need no files. Their names and meanings are LLVM's (of LLVM 19).
 */
#ifndef AN_RT_LLVM_INTERNAL_H
#define AN_RT_LLVM_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

/* A profile of these sections: those of the program, copies of them, or a part of its records. */
uint64_t __llvm_profile_get_size_for_buffer_internal(const void *data, const void *data_end,
                                                     const char *counters, const char *counters_end,
                                                     const char *bitmap, const char *bitmap_end,
                                                     const char *names, const char *names_end,
                                                     const void *vtables, const void *vtables_end,
                                                     const char *vtable_names,
                                                     const char *vtable_names_end);
int __llvm_profile_write_buffer_internal(char *buffer, const void *data, const void *data_end,
                                         const char *counters, const char *counters_end,
                                         const char *bitmap, const char *bitmap_end,
                                         const char *names, const char *names_end);

/* Records. */
const void *__llvm_profile_iterate_data(const void *record);
void *__llvm_get_function_addr(const void *record);
void __llvm_profile_set_num_value_sites(void *record, uint32_t kind, uint16_t sites);

/* Values, as a block of them stands in a file, are counted as if they had been seen. */
void lprofMergeValueProfData(const void *block, void *record);
void lprofSetMaxValsPerSite(uint32_t most);
void lprofSetupValueProfiler(void); /* hosted/llvm_output.c */

uint64_t lprofGetLoadModuleSignature(void);

/* What bytes are written through; `context` is whose it is. */
struct an_rt_llvm_piece {
    const void *bytes; /* NULL: so much is left out, or zeros */
    size_t size, count;
    int are_zeros;
};
struct an_rt_llvm_writer {
    uint32_t (*write)(struct an_rt_llvm_writer *writer, struct an_rt_llvm_piece *pieces,
                      uint32_t count); /* 0: done */
    void *context;
};
void initBufferWriter(struct an_rt_llvm_writer *writer, char *buffer);
uint32_t lprofBufferWriter(struct an_rt_llvm_writer *writer, struct an_rt_llvm_piece *pieces,
                           uint32_t count);

#endif
