/* Warnings of what a version of LLVM's format cannot hold. */
#include "llvm_left_out.h"

#include "cli/core/command.h"

static void tell_lost_hashes(const struct an_llvm_left_out *left_out)
{
    if (left_out->new_hashes)
        say_warning("version %u: clang does not find the counts of %zu functions, whose hashes are "
                    "those of clang 22 and later (these read version 13: --for=clang-22)",
                    left_out->version, left_out->new_hashes);
    if (left_out->old_hashes)
        say_warning("version %u: clang does not find the counts of %zu functions, whose hashes are "
                    "those of clang 21 and older (all of them read version 12: --for=clang-19)",
                    left_out->version, left_out->old_hashes);
}

void llvm_tell_left_out(const struct an_llvm_left_out *left_out)
{
    unsigned version = left_out->version;
    if (left_out->uniform_functions && !version)
        say_warning("text cannot hold the uniformity of %zu functions: left out",
                    left_out->uniform_functions);
    else if (left_out->uniform_functions)
        say_warning("version %u cannot hold the uniformity of %zu functions: left out", version,
                    left_out->uniform_functions);
    tell_lost_hashes(left_out);
    if (left_out->bitmap_functions)
        say_warning("version %u cannot hold the MC/DC bitmaps of %zu functions: left out", version,
                    left_out->bitmap_functions);
    if (left_out->vtable_sites)
        say_warning("version %u cannot hold %zu virtual-table value sites: left out", version,
                    left_out->vtable_sites);
    if (left_out->traces)
        say_warning("version %u cannot hold %zu temporal traces: left out", version,
                    left_out->traces);
    if (left_out->memprof_functions && !version)
        say_warning("text cannot hold the memory profile of %zu functions: left out",
                    left_out->memprof_functions);
    else if (left_out->memprof_functions)
        say_warning("version %u cannot hold the memory profile of %zu functions: left out", version,
                    left_out->memprof_functions);
    if (left_out->memprof_callees)
        say_warning(
            "memory profiles for LLVM 19 cannot hold the callees of %zu call sites: left out",
            left_out->memprof_callees);
    if (left_out->memprof_accesses)
        say_warning("memory profiles for LLVM 19 cannot hold data accesses: left out");
    if (left_out->binary_ids)
        say_warning("version %u cannot hold %zu binary ids: left out", version,
                    left_out->binary_ids);
}
