/* Lookups and translation in BOLT's tables; see bat.h for the rules. */
#include "bolt/bat.h"

/* The number of fragments that begin at or below the address. */
static size_t at_or_below(const struct an_bat *bat, uint64_t address)
{
    const struct an_bat_function *base = bat->functions;
    size_t count = bat->function_count;
    while (count > 1) {
        size_t half = count / 2;
        base = base[half].address <= address ? base + half : base;
        count -= half;
    }
    return (size_t)(base - bat->functions) + (count && base->address <= address);
}

const struct an_bat_function *an_bat_find(const struct an_bat *bat, uint64_t address)
{
    size_t number = at_or_below(bat, address);
    if (number == 0 || bat->functions[number - 1].address != address)
        return NULL;
    return &bat->functions[number - 1];
}

const struct an_bat_function *an_bat_function_at(const struct an_bat *bat, uint64_t address)
{
    size_t number = at_or_below(bat, address);
    if (number == 0)
        return NULL;
    const struct an_bat_function *function = &bat->functions[number - 1];
    return address - function->address < function->size ? function : NULL;
}

size_t an_bat_entries_at_or_below(const struct an_bat_entry *entries, size_t count, uint64_t offset)
{
    const struct an_bat_entry *base = entries;
    while (count > 1) {
        size_t half = count / 2;
        base = base[half].output <= offset ? base + half : base;
        count -= half;
    }
    return (size_t)(base - entries) + (count && base->output <= offset);
}

static uint64_t translate(const struct an_bat_entry *entries, size_t count, uint64_t offset,
                          bool is_source)
{
    size_t number = an_bat_entries_at_or_below(entries, count, offset);
    if (number == 0)
        return offset;
    struct an_bat_entry entry = entries[number - 1];
    uint32_t input = an_bat_entry_input(entry);
    return is_source ? input : offset - entry.output + input;
}

uint64_t an_bat_to_input(const struct an_bat *bat, const struct an_bat_function *function,
                         uint64_t offset, bool is_source)
{
    return translate(an_bat_entries(bat, function), function->entry_count, offset, is_source);
}

unsigned an_bat_secondary_id(const struct an_bat *bat, const struct an_bat_function *function,
                             uint32_t input_offset)
{
    for (uint32_t i = 0; i < function->secondary_count; i++)
        if (bat->secondary[function->first_secondary + i] == input_offset)
            return i + 1;
    return 0;
}
