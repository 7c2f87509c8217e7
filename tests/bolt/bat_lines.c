/*
 * What anneal makes of every address of a BOLTed binary's fragments, in the form of bat_peer.cpp:
 *
 *     bat_lines list BINARY           "ADDRESS SIZE" of each fragment
 *     bat_lines translate BINARY      for each its translations, and the fall-throughs of traces
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bolt/bat_runs.h"

/* The same numbers as in bat_peer.cpp. */
static uint64_t step(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static bool print_pair(void *context, uint32_t owner, const struct an_bat_fallthrough *pair,
                       uint64_t count)
{
    (void)context, (void)owner, (void)count;
    printf(" %" PRIx32 "-%" PRIx32 "=%" PRIx32 "-%" PRIx32, pair->from_output, pair->to_output,
           pair->from_input, pair->to_input);
    return true;
}

static void print_traces(const struct an_bat *bat, const struct an_bat_function *function)
{
    uint64_t state = function->address + 1;
    for (int i = 0; i < 8; i++) {
        uint64_t from = step(&state) % function->size, to = step(&state) % function->size;
        struct an_bat_runs *runs = an_bat_runs_new(bat);
        printf("trace %" PRIx64 " %" PRIx64, from, to);
        if (runs) {
            an_bat_runs_add(runs, function, 0, from, to, 1);
            an_bat_runs_each(runs, print_pair, NULL);
        }
        an_bat_runs_free(runs);
        printf("\n");
    }
}

static void print_translations(const struct an_bat *bat, const struct an_bat_function *function)
{
    printf("fragment %" PRIx64 "\n", function->address);
    for (uint64_t offset = 0; offset < function->size; offset++)
        printf("%" PRIx64 " %" PRIx64 "\n", an_bat_to_input(bat, function, offset, false),
               an_bat_to_input(bat, function, offset, true));
    if (function->size)
        print_traces(bat, function);
}

int main(int argc, char **argv)
{
    struct an_error error;
    struct an_elf *elf = NULL;
    struct an_bat *bat = NULL;
    char text[2048];
    if (argc != 3)
        return 2;
    if (an_elf_open(argv[2], &elf, &error) != AN_OK || an_bat_open(elf, &bat, &error) != AN_OK) {
        fprintf(stderr, "%s\n", an_error_format(&error, text, sizeof text));
        an_elf_close(elf);
        return 1;
    }
    for (size_t i = 0; i < bat->function_count; i++) {
        const struct an_bat_function *function = &bat->functions[i];
        if (strcmp(argv[1], "list") == 0)
            printf("%" PRIx64 " %" PRIx32 "\n", function->address, function->size);
        else
            print_translations(bat, function);
    }
    an_bat_free(bat);
    an_elf_close(elf);
    return 0;
}
