/*
 * What programs may call to look at their own profile, or to take it as bytes: the functions of
 * compiler-rt's InstrProfiling.h that need no files. Their names and meanings are LLVM's.
 */
#include "core/llvm_interface.h"
#include "core/llvm_file.h"
#include "core/llvm_raw.h"

static uint8_t *end_of(const struct an_rt_span *span)
{
    return span->begin + span->size;
}

const void *__llvm_profile_begin_data(void)
{
    return an_rt_module_any()->data.begin;
}

const void *__llvm_profile_end_data(void)
{
    return end_of(&an_rt_module_any()->data);
}

const char *__llvm_profile_begin_names(void)
{
    return (const char *)an_rt_module_any()->names.begin;
}

const char *__llvm_profile_end_names(void)
{
    return (const char *)end_of(&an_rt_module_any()->names);
}

char *__llvm_profile_begin_counters(void)
{
    return (char *)an_rt_module_any()->counters.begin;
}

char *__llvm_profile_end_counters(void)
{
    return (char *)end_of(&an_rt_module_any()->counters);
}

char *__llvm_profile_begin_bitmap(void)
{
    return (char *)an_rt_module_any()->bitmap.begin;
}

char *__llvm_profile_end_bitmap(void)
{
    return (char *)end_of(&an_rt_module_any()->bitmap);
}

struct an_rt_node *__llvm_profile_begin_vnodes(void)
{
    return (struct an_rt_node *)(void *)an_rt_module_any()->nodes.begin;
}

struct an_rt_node *__llvm_profile_end_vnodes(void)
{
    return (struct an_rt_node *)(void *)end_of(&an_rt_module_any()->nodes);
}

const void *__llvm_profile_begin_vtables(void)
{
    return an_rt_module_any()->vtables.begin;
}

const void *__llvm_profile_end_vtables(void)
{
    return end_of(&an_rt_module_any()->vtables);
}

const char *__llvm_profile_begin_vtabnames(void)
{
    return (const char *)an_rt_module_any()->vtable_names.begin;
}

const char *__llvm_profile_end_vtabnames(void)
{
    return (const char *)end_of(&an_rt_module_any()->vtable_names);
}

uint64_t __llvm_profile_get_magic(void)
{
    return AN_RT_RAW_MAGIC;
}

uint64_t __llvm_profile_get_version(void)
{
    return an_rt_module_any()->version_word;
}

size_t __llvm_profile_counter_entry_size(void)
{
    return an_rt_module_any()->version_word & AN_RT_BYTE_COVERAGE ? 1 : 8;
}

static size_t between(const void *begin, const void *end)
{
    return (size_t)((const char *)end - (const char *)begin);
}

uint64_t __llvm_profile_get_num_data(const void *begin, const void *end)
{
    return between(begin, end) / an_rt_module_any()->layout.record_size;
}

uint64_t __llvm_profile_get_data_size(const void *begin, const void *end)
{
    return between(begin, end);
}

uint64_t __llvm_profile_get_num_counters(const char *begin, const char *end)
{
    return between(begin, end) / __llvm_profile_counter_entry_size();
}

uint64_t __llvm_profile_get_counters_size(const char *begin, const char *end)
{
    return between(begin, end);
}

uint64_t __llvm_profile_get_num_bitmap_bytes(const char *begin, const char *end)
{
    return between(begin, end);
}

uint64_t __llvm_profile_get_name_size(const char *begin, const char *end)
{
    return between(begin, end);
}

/* ---- the profile as bytes ---- */

struct counting_sink {
    struct an_rt_sink sink;
    char *to; /* NULL: only count */
    uint64_t size;
};

static bool take(struct an_rt_sink *sink, const void *bytes, size_t size)
{
    struct counting_sink *counting = (struct counting_sink *)sink;
    if (counting->to)
        memcpy(counting->to + counting->size, bytes, size);
    counting->size += size;
    return true;
}

/* Values that come up between this and __llvm_profile_write_buffer make the profile larger. */
uint64_t __llvm_profile_get_size_for_buffer(void)
{
    struct counting_sink counting = {{take}, NULL, 0};
    const struct an_rt_module *found = an_rt_module();
    return found && an_rt_raw_write_own(found, &counting.sink) ? counting.size : 0;
}

int __llvm_profile_write_buffer(char *buffer)
{
    struct counting_sink counting = {{take}, buffer, 0};
    const struct an_rt_module *found = an_rt_module();
    return found && !an_rt_raw_write_own(found, &counting.sink);
}

/* 0: the bytes are a profile of this program. */
int __llvm_profile_check_compatibility(const char *profile, uint64_t size)
{
    const struct an_rt_module *found = an_rt_module();
    uint64_t owner;
    return !found || an_rt_raw_judge(found, (const uint8_t *)profile, size, &owner) != AN_RT_FITS;
}
