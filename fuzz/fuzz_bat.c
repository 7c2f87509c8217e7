/* Feeds sections of BAT to the reader; what it accepts is translated in all ways there are. */
#include <string.h>

#include "bolt/bat_reverse.h"
#include "bolt/bat_runs.h"
#include "harness.h"

const bool takes_several_files = false;

enum { MOST_RECORDS = 4096, TRIES = 64 };

static void check_order(const struct an_bat *bat)
{
    size_t cold = 0, entries = 0;
    for (size_t i = 0; i < bat->function_count; i++) {
        const struct an_bat_function *function = &bat->functions[i];
        const struct an_bat_entry *entry = an_bat_entries(bat, function);
        claim(i == 0 || function[-1].address < function->address);
        claim(function->parent < bat->function_count);
        claim(function->parent == i || !an_bat_parent(bat, function)->is_cold);
        claim(function->first_entry + (size_t)function->entry_count <= bat->entry_count);
        claim(function->first_secondary + (size_t)function->secondary_count <=
              bat->secondary_count);
        for (uint32_t k = 1; k < function->entry_count; k++)
            claim(entry[k - 1].output <= entry[k].output);
        claim(an_bat_find(bat, function->address) == function);
        cold += function->is_cold;
        entries += function->entry_count;
    }
    claim(cold == bat->cold_count);
    claim(entries == bat->entry_count);
}

/* Every entry is found where it is. */
static void check_translation(const struct an_bat *bat, const struct an_bat_function *function)
{
    const struct an_bat_entry *entry = an_bat_entries(bat, function);
    for (uint32_t i = 0; i < function->entry_count; i++) {
        if (i + 1 < function->entry_count && entry[i + 1].output == entry[i].output)
            continue;
        claim(an_bat_to_input(bat, function, entry[i].output, true) ==
              an_bat_entry_input(entry[i]));
        claim(an_bat_to_input(bat, function, entry[i].output, false) ==
              an_bat_entry_input(entry[i]));
    }
}

struct passed {
    const struct an_bat *bat;
    size_t steps;
};

static bool check_step(void *context, uint32_t owner, const struct an_bat_fallthrough *step,
                       uint64_t count)
{
    struct passed *passed = context;
    claim(owner < passed->bat->function_count && count == 3);
    claim(step->from_output <= step->to_output);
    passed->steps++;
    return true;
}

/* Two runs through all of each fragment. */
static void check_runs(const struct an_bat *bat)
{
    struct an_bat_runs *runs = an_bat_runs_new(bat);
    struct passed passed = {.bat = bat};
    for (size_t i = 0; runs && i < bat->function_count; i++) {
        an_bat_runs_add(runs, &bat->functions[i], (uint32_t)i, 0, UINT64_MAX, 1);
        an_bat_runs_add(runs, &bat->functions[i], (uint32_t)i, 0, UINT64_MAX, 2);
    }
    claim(!runs || an_bat_runs_each(runs, check_step, &passed));
    claim(passed.steps <= bat->entry_count);
    an_bat_runs_free(runs);
}

/* Functions one behind the other, as large as their entries want. */
static size_t make_map(const struct an_bat *bat, struct an_funcmap_record *records)
{
    size_t count = 0;
    uint64_t input = 0x10000;
    for (size_t i = 0; i < bat->function_count && count < MOST_RECORDS; i++) {
        const struct an_bat_function *function = &bat->functions[i];
        uint32_t size = 1;
        if (function->is_cold)
            continue;
        for (uint32_t k = 0; k < function->entry_count; k++) {
            uint32_t offset = an_bat_entry_input(an_bat_entries(bat, function)[k]);
            if (offset < 0x10000 && offset >= size)
                size = offset + 1;
        }
        records[count++] = (struct an_funcmap_record){function->address, input, size, 0};
        input += size;
    }
    return count;
}

static void check_reverse(const struct an_bat *bat, const struct an_funcmap *map)
{
    struct an_bat_reverse *reverse;
    struct an_error error;
    if (an_bat_reverse_build(bat, map, &reverse, &error) != AN_OK)
        return;
    for (size_t i = 0; i < map->count; i++)
        for (uint32_t k = 0; k < map->records[i].size && k < TRIES; k++) {
            uint64_t output = 0;
            if (an_bat_from_input(reverse, map->records[i].input + k, k & 1, &output) ==
                AN_BAT_FOUND)
                claim(an_bat_function_at(bat, output));
        }
    an_bat_reverse_free(reverse);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct an_funcmap_record records[MOST_RECORDS];
    struct an_bat *bat;
    struct an_error error;
    enum an_code code = an_bat_parse((struct an_bytes){bytes, size}, NULL, &bat, &error);
    if (code != AN_OK) {
        claim(bat == NULL && error.code == code && error.what[0]);
        return 0;
    }
    struct an_buffer text = {0};
    struct an_funcmap map = {.records = records};
    check_order(bat);
    for (size_t i = 0; i < bat->function_count; i++)
        check_translation(bat, &bat->functions[i]);
    check_runs(bat);
    an_bat_dump(bat, &text);
    an_buffer_free(&text);
    map.count = make_map(bat, records);
    check_reverse(bat, &map);
    an_bat_free(bat);
    return 0;
}
