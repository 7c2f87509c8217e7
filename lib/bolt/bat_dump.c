/*
 * BAT as text: what llvm-bat-dump prints, that of LLVM 16 for the old encoding and that of LLVM 19
 * for the new ones.
 */
#include "bolt/bat.h"

static void dump_entry(const struct an_bat *bat, size_t number, struct an_buffer *buffer)
{
    struct an_bat_entry entry = bat->entries[number];
    an_buffer_print(buffer, "0x%x -> 0x%x", entry.output, an_bat_entry_input(entry));
    if (an_bat_entry_is_branch(entry))
        an_buffer_print(buffer, " (branch)");
    else if (bat->block_hash)
        an_buffer_print(buffer, " hash: 0x%llx", (unsigned long long)bat->block_hash[number]);
    an_buffer_put(buffer, "\n", 1);
}

void an_bat_dump_function(const struct an_bat *bat, const struct an_bat_function *function,
                          struct an_buffer *buffer)
{
    bool has_hashes = bat->encoding == AN_BAT_HASHES;
    an_buffer_print(buffer, "Function Address: 0x%llx", (unsigned long long)function->address);
    if (has_hashes && !function->is_cold)
        an_buffer_print(buffer, ", hash: 0x%llx", (unsigned long long)function->hash);
    an_buffer_print(buffer, "\nBB mappings:\n");
    for (uint32_t i = 0; i < function->entry_count; i++)
        dump_entry(bat, function->first_entry + i, buffer);
    if (has_hashes && !function->is_cold)
        an_buffer_print(buffer, "NumBlocks: %u\n", function->blocks);
    if (function->secondary_count)
        an_buffer_print(buffer, "%u secondary entry points:\n", function->secondary_count);
    for (uint32_t i = 0; i < function->secondary_count; i++)
        an_buffer_print(buffer, "0x%x\n", bat->secondary[function->first_secondary + i]);
    an_buffer_put(buffer, "\n", 1);
}

static void dump_cold(const struct an_bat *bat, struct an_buffer *buffer)
{
    if (!bat->cold_count)
        return;
    an_buffer_print(buffer, "%zu cold mappings:\n", bat->cold_count);
    for (size_t i = 0; i < bat->function_count; i++) {
        const struct an_bat_function *function = &bat->functions[i];
        if (function->is_cold)
            an_buffer_print(buffer, "0x%llx -> %llx\n", (unsigned long long)function->address,
                            (unsigned long long)an_bat_parent(bat, function)->address);
    }
    an_buffer_put(buffer, "\n", 1);
}

void an_bat_dump(const struct an_bat *bat, struct an_buffer *buffer)
{
    an_buffer_print(buffer, "BAT tables for %zu functions:\n", bat->function_count);
    for (size_t i = 0; i < bat->function_count; i++)
        an_bat_dump_function(bat, &bat->functions[i], buffer);
    dump_cold(bat, buffer);
}
