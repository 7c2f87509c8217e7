/*
 * Whether the translations of a BOLTed binary agree with each other:
 *
 *     bat_round ORIGINAL BOLTED
 *
 * Makes the function map and the reverse, and checks that
 * - every entry of BAT that has a place leads from the original to that place or to a copy of it,
 *   and from there back to the same original address;
 * - a target never leaves the stretch of the entry it belongs to.
 * Prints what it counted; complains and fails when something does not hold.
 */
#include <inttypes.h>
#include <stdio.h>

#include "bolt/bat_reverse.h"

static struct an_elf *original, *bolted;
static struct an_bat *bat;
static struct an_funcmap *map;
static struct an_bat_reverse *reverse;
static size_t failures;

static void complain(const char *what, uint64_t a, uint64_t b, uint64_t c)
{
    if (failures++ < 10)
        fprintf(stderr, "%s: 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 "\n", what, a, b, c);
}

static bool load(char **argv, struct an_error *error)
{
    struct an_funcmap_account account;
    return an_elf_open(argv[1], &original, error) == AN_OK &&
           an_elf_open(argv[2], &bolted, error) == AN_OK &&
           an_bat_open(bolted, &bat, error) == AN_OK &&
           an_funcmap_make(original, bolted, bat, &map, &account, error) == AN_OK &&
           an_bat_reverse_build(bat, map, &reverse, error) == AN_OK;
}

/* By search, in whole addresses. */
static bool search_input(uint64_t address, bool is_source, uint64_t *input)
{
    const struct an_bat_function *function = an_bat_function_at(bat, address);
    const struct an_funcmap_record *record =
        function ? an_funcmap_find(map, function->address) : NULL;
    while (record && record->flags & AN_FUNCMAP_FOLDED)
        record++;
    if (record)
        *input =
            record->input + an_bat_to_input(bat, function, address - function->address, is_source);
    return record != NULL;
}

static struct {
    size_t all, back, shadowed, gone;
} entries;

/* One entry: there and back again. Blocks that begin at one place hide all but the last. */
static void check_entry(const struct an_funcmap_record *record, struct an_bat_entry entry)
{
    bool is_source = an_bat_entry_is_branch(entry);
    uint64_t input = record->input + an_bat_entry_input(entry), output, back, again;
    enum an_bat_found found = an_bat_from_input(reverse, input, is_source, &output);
    entries.all++;
    if (found == AN_BAT_GONE) {
        entries.gone++;
    } else if (found == AN_BAT_OUTSIDE || !search_input(output, is_source, &back)) {
        complain("an entry leads nowhere", input, output, 0);
    } else if (back == input) {
        entries.back++;
    } else if (an_bat_from_input(reverse, back, is_source, &again) == AN_BAT_FOUND &&
               again == output) {
        entries.shadowed++;
    } else {
        complain("an entry does not come back", input, output, back);
    }
}

static void check_entries(void)
{
    for (size_t i = 0; i < bat->function_count; i++) {
        const struct an_bat_function *function = &bat->functions[i];
        const struct an_funcmap_record *record = an_funcmap_find(map, function->address);
        while (record && record->flags & AN_FUNCMAP_FOLDED)
            record++;
        if (!record)
            complain("no record", function->address, 0, 0);
        for (uint32_t k = 0; record && k < function->entry_count; k++)
            check_entry(record, an_bat_entries(bat, function)[k]);
    }
}

/* Targets in the original lead to the same block as the entry they count to. */
static size_t check_stretches(void)
{
    size_t count = 0;
    for (size_t i = 0; i < reverse->function_count; i++) {
        const struct an_bat_reverse_function *function = &reverse->functions[i];
        for (uint32_t offset = 0; function->entry_count && offset < function->size; offset++) {
            uint64_t output = 0, source = 0, a = 0, b = 0;
            if (an_bat_from_input(reverse, function->input + offset, false, &output) !=
                    AN_BAT_FOUND ||
                an_bat_from_input(reverse, function->input + offset, true, &source) != AN_BAT_FOUND)
                continue;
            count++;
            if (!search_input(output, true, &a) || !search_input(source, true, &b) || a != b)
                complain("a target leaves its block", function->input + offset, output, source);
        }
    }
    return count;
}

static void unload(void)
{
    an_bat_reverse_free(reverse);
    an_funcmap_free(map);
    an_bat_free(bat);
    an_elf_close(bolted);
    an_elf_close(original);
}

int main(int argc, char **argv)
{
    struct an_error error;
    char text[2048];
    if (argc != 3)
        return 2;
    if (!load(argv, &error)) {
        fprintf(stderr, "%s\n", an_error_format(&error, text, sizeof text));
        unload();
        return 1;
    }
    check_entries();
    printf("entries %zu back %zu shadowed %zu gone %zu\n", entries.all, entries.back,
           entries.shadowed, entries.gone);
    printf("targets %zu\n", check_stretches());
    unload();
    return failures != 0;
}
