/* Finding the sections of LLVM's instrumentation, and which version made them; see llvm_module.h. */
#include "core/llvm_module.h"

#include "core/llvm_interface.h"
#include "core/llvm_mix.h"

/* The linker defines these for sections whose names are identifiers. */
#define SECTION(name)                                                                              \
    extern uint8_t __start_##name[] __attribute__((weak, visibility("hidden")));                   \
    extern uint8_t __stop_##name[] __attribute__((weak, visibility("hidden")))
#define SPAN(name) {__start_##name, (size_t)(__stop_##name - __start_##name)}
SECTION(__llvm_prf_data);
SECTION(__llvm_prf_cnts);
SECTION(__llvm_prf_bits);
SECTION(__llvm_prf_names);
SECTION(__llvm_prf_vtab);
SECTION(__llvm_prf_vns);
SECTION(__llvm_prf_vnds);

/* The compiler overrides this one, but for programs instrumented by clang's front end. */
__attribute__((weak)) uint64_t __llvm_profile_raw_version = 0;

static bool layout_fits(const struct an_rt_module *module, const struct an_rt_layout *layout)
{
    if (module->data.size % layout->record_size)
        return false;
    for (size_t at = 0; at < module->data.size; at += layout->record_size)
        if (!an_rt_record_fits(module, layout, module->data.begin + at))
            return false;
    return true;
}

/*
 * What all records are. clang's front end does not say which version it is; and what IR instrumentation says is true of
 * one object only: the records have to tell. Of versions 9 and 10 the newer one is taken when nothing tells them apart.
 * NULL: there are several, or ones that are not known.
 */
static const struct an_rt_layout *layout_of(const struct an_rt_module *module)
{
    const struct an_rt_layout *told = an_rt_layout((uint8_t)module->version_word);
    if (told && layout_fits(module, told))
        return told;
    const struct an_rt_layout *layout;
    for (unsigned version = AN_RT_NEWEST; (layout = an_rt_layout(version)); version--)
        if (layout_fits(module, layout))
            return layout;
    return NULL;
}

static void find_deltas(struct an_rt_module *module, const uint8_t *records)
{
    uintptr_t data = (uintptr_t)records, counters = (uintptr_t)module->counters.begin;
    module->counters_delta = module->layout.version > 7 ? counters - data : counters;
    module->bitmap_delta = (uintptr_t)module->bitmap.begin - data;
}

/* Only counters are in the program, its records are in its debugging information or in a section that is not loaded
 * (-mllvm -profile-correlate): llvm-profdata puts them together. clang's front end does not say of which version that is. */
static bool find_bare(struct an_rt_module *module)
{
    enum { CORRELATED = 10 };
    unsigned told = (uint8_t)module->version_word;
    const struct an_rt_layout *layout = an_rt_layout(told ? told : CORRELATED);
    if (module->counters.size == 0 || !layout)
        return false;
    module->layout = *layout;
    module->version_word = (module->version_word & ~0xffull) | layout->version;
    module->counters_delta = module->bitmap_delta = 0; /* what llvm-profdata knows them by */
    module->build_id = an_rt_build_id();
    module->counts = module->counters.begin;
    return true;
}

static bool find(struct an_rt_module *module)
{
    *module = (struct an_rt_module){
        .version_word = __llvm_profile_raw_version,
        .data = SPAN(__llvm_prf_data),
        .counters = SPAN(__llvm_prf_cnts),
        .bitmap = SPAN(__llvm_prf_bits),
        .names = SPAN(__llvm_prf_names),
        .vtables = SPAN(__llvm_prf_vtab),
        .vtable_names = SPAN(__llvm_prf_vns),
        .nodes = SPAN(__llvm_prf_vnds),
    };
    const uint8_t *records = module->data.begin;
    if (module->data.size == 0)
        return find_bare(module);
    const struct an_rt_layout *layout = layout_of(module);
    if (layout) {
        module->layout = *layout;
        module->version_word = (module->version_word & ~0xffull) | layout->version;
    } else if (!an_rt_mix(module)) {
        return false;
    }
    find_deltas(module, records);
    module->records = module->data.size / module->layout.record_size;
    module->build_id = an_rt_build_id();
    module->counts = module->counters.begin;
    return true;
}

enum { UNKNOWN, THERE, NONE };
static struct an_rt_module found;
static int state = UNKNOWN;

/* Threads that come here at once find the same; the state is set last. */
const struct an_rt_module *an_rt_module(void)
{
    int known = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    if (known == UNKNOWN) {
        struct an_rt_module module;
        known = find(&module) ? THERE : NONE;
        found = module;
        __atomic_store_n(&state, known, __ATOMIC_RELEASE);
    }
    return known == THERE ? &found : NULL;
}

size_t an_rt_unknown(unsigned *told)
{
    an_rt_module();
    *told = (uint8_t)__llvm_profile_raw_version;
    return found.unknown;
}

/* Multiplied and folded: each bit of a word has its effect on all bits of the sum. */
#ifdef __SIZEOF_INT128__
static uint64_t mix(uint64_t sum, uint64_t word)
{
    __extension__ unsigned __int128 product =
        (unsigned __int128)(sum ^ word) * 0x9e3779b97f4a7c15ull;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}
#else
/* The same, out of four products of 32 bits by 32. */
static uint64_t mix(uint64_t sum, uint64_t word)
{
    const uint64_t by_high = 0x9e3779b9, by_low = 0x7f4a7c15;
    uint64_t high = (sum ^ word) >> 32, low = (uint32_t)(sum ^ word);
    uint64_t one = high * by_low, two = low * by_high, bottom = low * by_low;
    uint64_t middle = (uint64_t)(uint32_t)one + (uint32_t)two + (bottom >> 32);
    uint64_t top = high * by_high + (one >> 32) + (two >> 32) + (middle >> 32);
    return (middle << 32 | (uint32_t)bottom) ^ top;
}
#endif

uint64_t an_rt_bare_signature(uint64_t version_word, uint64_t counters, const uint8_t *build_id,
                              size_t size)
{
    uint64_t sum = mix(version_word, counters);
    for (size_t i = 0; i < size; i++)
        sum = mix(sum, build_id[i]);
    return sum;
}

uint64_t an_rt_signature(const struct an_rt_layout *layout, uint64_t version_word,
                         const uint8_t *data, size_t records)
{
    uint64_t sum = mix(version_word, records);
    for (size_t i = 0; i < records; i++) {
        const uint8_t *record = data + i * layout->record_size;
        uint64_t shape = an_rt_load32(record + layout->counter_number);
        for (unsigned kind = 0; kind < layout->kinds; kind++)
            shape = shape << 16 ^ an_rt_sites(layout, record, kind);
        sum = mix(mix(mix(sum, an_rt_load64(record)), an_rt_load64(record + 8)), shape);
    }
    return sum;
}
