/* The version word's flags, and small tables of words. */
#include "llvm/format.h"

#include <anneal/llvm.h>

#include "base/error.h"

static const struct {
    uint64_t bit;
    unsigned variant;
} variant_bits[] = {
    {VARIANT_IR, AN_LLVM_IR},
    {VARIANT_CONTEXT_SENSITIVE, AN_LLVM_CONTEXT_SENSITIVE},
    {VARIANT_ENTRY_FIRST, AN_LLVM_ENTRY_FIRST},
    {VARIANT_BYTE_COVERAGE, AN_LLVM_BYTE_COVERAGE},
    {VARIANT_ENTRY_ONLY, AN_LLVM_ENTRY_ONLY},
    {VARIANT_MEMPROF, AN_LLVM_MEMPROF},
    {VARIANT_TEMPORAL, AN_LLVM_TEMPORAL},
    {VARIANT_LOOP_ENTRIES, AN_LLVM_LOOP_ENTRIES},
};

enum an_code an_llvm_check_flags(uint64_t version_word, uint64_t at, struct an_error *error)
{
    uint64_t unknown = version_word & ~(uint64_t)UINT32_MAX & ~VARIANT_DEBUG_CORRELATE;
    for (size_t i = 0; i < sizeof variant_bits / sizeof *variant_bits; i++)
        unknown &= ~variant_bits[i].bit;
    if (!unknown)
        return AN_OK;
    an_fail_at(error, AN_UNSUPPORTED, at, "unknown flag, bit %d of the version word",
               __builtin_ctzll(unknown));
    return an_error_hint(error, "the file is damaged, or of an LLVM later than 23");
}

unsigned an_llvm_variants_of(uint64_t version_word)
{
    unsigned variants = 0;
    for (size_t i = 0; i < sizeof variant_bits / sizeof *variant_bits; i++)
        if (version_word & variant_bits[i].bit)
            variants |= variant_bits[i].variant;
    return variants;
}

uint64_t an_llvm_version_word(unsigned version, unsigned variants)
{
    uint64_t word = version;
    for (size_t i = 0; i < sizeof variant_bits / sizeof *variant_bits; i++)
        if (variants & variant_bits[i].variant)
            word |= variant_bits[i].bit;
    return word;
}

const char *an_llvm_format_name(enum an_llvm_format format)
{
    switch (format) {
    case AN_LLVM_RAW:
        return "raw";
    case AN_LLVM_INDEXED:
        return "indexed";
    case AN_LLVM_RAW_MEMORY:
        return "raw memory";
    case AN_LLVM_TEXT:
        break;
    }
    return "text";
}

const char *an_llvm_warning_text(enum an_llvm_warning warning)
{
    switch (warning) {
    case AN_LLVM_COUNT_MISMATCH:
        return "function basic block count change detected (counter mismatch)";
    case AN_LLVM_BITMAP_MISMATCH:
        return "function bitmap size change detected (bitmap size mismatch)";
    case AN_LLVM_VALUE_SITE_MISMATCH:
        return "function value site count change detected (counter mismatch)";
    case AN_LLVM_COUNTER_OVERFLOW:
        return "counter overflow";
    case AN_LLVM_WARNINGS:
        break;
    }
    return "unknown warning";
}
