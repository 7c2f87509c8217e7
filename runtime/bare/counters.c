/*
 * LLVM's profiles of counters only (-mllvm -profile-correlate): the file has a header and the counters. The other sections
 * stay where the image was linked, and `anneal merge --binary-file` puts them together. See llvm.h.
 *
 *     header | counters | bitmap, padded to 8 bytes
 */
#include "bare/llvm.h"
#include "core/llvm_file.h"
#include "core/llvm_interface.h"

const char an_bare_counters_only = 1; /* a name for the linker to ask for */

/* The linker script has them (sections.ld). */
#define SECTION(name) extern uint8_t __start_##name[], __stop_##name[]
SECTION(__llvm_prf_data);
SECTION(__llvm_prf_cnts);
SECTION(__llvm_prf_bits);
#define SIZE(name) ((size_t)(__stop_##name - __start_##name))

/* What clang's front end leaves does not say of which version it is, and is the same in all of them. */
enum { USUAL_VERSION = 10 };

static uint64_t version_word(void)
{
    uint64_t told = __llvm_profile_raw_version;
    return (uint8_t)told ? told : told | USUAL_VERSION;
}

/* Objects with records of their own count among the counters, too, and nothing would tell which are theirs. */
static bool is_mixed(void)
{
    return SIZE(__llvm_prf_data) != 0;
}

bool an_bare_profile_exists(void)
{
    return SIZE(__llvm_prf_cnts) != 0 && !is_mixed() && an_rt_layout((uint8_t)version_word());
}

const char *an_bare_profile_lacks(void)
{
    if (is_mixed())
        return "objects that are not built with -mllvm -profile-correlate have no place in ";
    return an_rt_layout((uint8_t)version_word())
               ? NULL
               : "objects of a release of LLVM that the runtime does not support are not in ";
}

bool an_bare_profile_write(struct an_rt_sink *sink)
{
    uint64_t version = version_word();
    size_t counters = SIZE(__llvm_prf_cnts), bitmap = SIZE(__llvm_prf_bits);
    const struct an_rt_layout *layout = an_rt_layout((uint8_t)version);
    for (unsigned word = 0; word < AN_RT_WORDS; word++) {
        uint64_t value = word == AN_RT_MAGIC     ? AN_RT_RAW_MAGIC
                         : word == AN_RT_VERSION ? version
                         : word == AN_RT_COUNTERS
                             ? counters / (version & AN_RT_BYTE_COVERAGE ? 1 : 8)
                         : word == AN_RT_PADDING_AFTER_COUNTERS ? -counters & 7
                         : word == AN_RT_BITMAP                 ? bitmap
                         : word == AN_RT_PADDING_AFTER_BITMAP   ? -bitmap & 7
                         : word == AN_RT_LAST_KIND              ? layout->kinds - 1u
                                                                : 0;
        if (an_rt_word_is_in(layout->version, word) && !an_rt_put(sink, &value, sizeof value))
            return false;
    }
    return an_rt_put(sink, __start___llvm_prf_cnts, counters) &&
           an_rt_put_zeros(sink, -counters & 7) &&
           an_rt_put(sink, __start___llvm_prf_bits, bitmap) && an_rt_put_zeros(sink, -bitmap & 7);
}
