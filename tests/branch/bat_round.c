/*
 * Whether the translations of a BOLTed binary agree with each other:
 *
 *     bat_round ORIGINAL BOLTED
 *
 * Makes the function map and the reverse, and checks that
 * - every entry of BAT that has a place leads from the original to that place or to a copy of it,
 *   and from there back to the same original address;
 * - what is found at any address of either binary by the dense index is what a search finds;
 * - a target never leaves the stretch of the entry it belongs to.
 * Prints what it counted; complains and fails when something does not hold.
 */
#include <inttypes.h>
#include <stdio.h>

#include "branch/bat_index.h"

static struct an_elf *original, *bolted;
static struct an_bat *bat;
static struct an_funcmap *map;
static struct an_bat_reverse *reverse;
static struct an_bat_index *from_input, *to_input;
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
           an_bat_reverse_build(bat, map, &reverse, error) == AN_OK &&
           an_bat_index_to_input(bat, map, &to_input, error) == AN_OK &&
           an_bat_index_from_input(reverse, &from_input, error) == AN_OK;
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

static size_t check_inputs(void)
{
    size_t count = 0;
    for (uint64_t at = from_input->base - 1; at <= from_input->base + from_input->size; at++)
        for (int is_source = 0; is_source < 2; is_source++, count++) {
            uint64_t here = 0, there = 0;
            bool found = an_bat_from_input(reverse, at, is_source, &here) == AN_BAT_FOUND;
            if (an_bat_index_find(from_input, at, is_source, &there) != found ||
                (found && here != there))
                complain("the index from the original differs", at, here, there);
        }
    return count;
}

static size_t check_outputs(void)
{
    size_t count = 0;
    for (uint64_t at = to_input->base; at < to_input->base + to_input->size; at++)
        for (int is_source = 0; is_source < 2; is_source++) {
            uint64_t here = 0, there = 0;
            if (!search_input(at, is_source, &here)) /* code that was not translated */
                continue;
            count++;
            if (!an_bat_index_find(to_input, at, is_source, &there) || here != there)
                complain("the index to the original differs", at, here, there);
        }
    return count;
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
    an_bat_index_free(from_input);
    an_bat_index_free(to_input);
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
    printf("addresses of the original %zu, of the new code %zu, targets %zu\n", check_inputs(),
           check_outputs(), check_stretches());
    unload();
    return failures != 0;
}
