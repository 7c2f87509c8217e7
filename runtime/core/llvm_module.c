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

/*
 * Without records, nothing tells what clang's front end was: where nothing is instrumented, and where only counters are in
 * the program, for its records are in its debugging information or in a section that is not loaded (-mllvm
 * -profile-correlate). Of each version LLVM's tools take these from programs of their own release only. Unless the link says
 * which it is, by an alias of one of these (anneal rt --for), it is what most of them read.
 */
enum { USUAL = 10 };
const uint8_t __anneal_rt_raw_8 = 8, __anneal_rt_raw_9 = 9, __anneal_rt_raw_10 = 10,
              __anneal_rt_raw_11 = 11;
extern const uint8_t __anneal_rt_raw_version __attribute__((weak, visibility("hidden")));

static const struct an_rt_layout *layout_without_records(void)
{
    unsigned told = (uint8_t)__llvm_profile_raw_version;
    if (!told && &__anneal_rt_raw_version)
        told = __anneal_rt_raw_version;
    const struct an_rt_layout *layout = an_rt_layout(told);
    return layout ? layout : an_rt_layout(USUAL);
}

static void set_layout(struct an_rt_module *module, const struct an_rt_layout *layout)
{
    module->layout = *layout;
    module->version_word = (module->version_word & ~0xffull) | layout->version;
}

/* False: nothing is instrumented, or nothing by a version that is known; what its profile is then remains. */
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
    bool has_records = module->data.size;
    const struct an_rt_layout *layout = has_records ? layout_of(module) : layout_without_records();
    if (!(layout || an_rt_mix(module)) || !(has_records || module->counters.size)) {
        *module = (struct an_rt_module){.version_word = __llvm_profile_raw_version,
                                        .unknown = module->unknown};
        set_layout(module, layout_without_records());
        return false;
    }
    if (layout)
        set_layout(module, layout);
    if (has_records)
        find_deltas(module, records); /* llvm-profdata knows others by zeros */
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

void an_rt_module_move(uint8_t *counters, uint8_t *bitmap)
{
    found.counts = found.counters.begin = counters;
    found.bitmap.begin = bitmap;
}

const struct an_rt_module *an_rt_module_any(void)
{
    an_rt_module();
    return &found;
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
