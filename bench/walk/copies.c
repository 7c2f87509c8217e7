/* Pairing functions with their copies; see copies.h. */
#include "copies.h"

#include <stdlib.h>
#include <string.h>

/* ---- by name ---- */

/* Symbols of one name and binding together, file by file, in the order of the symbol tables. */
static int by_name(const void *a, const void *b)
{
    const struct image_symbol *left = a, *right = b;
    int names = strcmp(left->name, right->name);
    if (names != 0)
        return names;
    if (left->local != right->local)
        return left->local - right->local;
    if (left->file != right->file)
        return left->file - right->file;
    return (left->number > right->number) - (left->number < right->number);
}

static bool same_name(const struct image_symbol *left, const struct image_symbol *right)
{
    return left->local == right->local && strcmp(left->name, right->name) == 0;
}

static uint32_t function_at(const struct image *image, uint64_t address)
{
    const struct image_function *function = image_function_at(image, address);
    return function && function->start == address ? (uint32_t)(function - image->functions)
                                                  : NO_FUNCTION;
}

static void pair(struct copies *copies, const struct image_symbol *own,
                 const struct image_symbol *copied)
{
    const struct image *image = copies->graph->image;
    if (own->address == copied->address)
        return;
    uint32_t original = function_at(image, own->address);
    uint32_t copy = function_at(image, copied->address);
    if (original == NO_FUNCTION || copy == NO_FUNCTION || image->functions[copy].file == 0)
        return;
    copies->original[copy] = original;
    for (size_t layouts = copied->file; layouts < image->file_number; layouts++)
        copies->newest[layouts * image->own_function_number + original] = copy;
}

/* The symbols of one name: the first of a layout is a copy of the first of the program. */
static void pair_group(struct copies *copies, const struct image_symbol *symbols, size_t number)
{
    size_t own = 0;
    while (own < number && symbols[own].file == 0)
        own++;
    for (size_t i = own; i < number;) {
        size_t count = 1;
        while (i + count < number && symbols[i + count].file == symbols[i].file)
            count++;
        for (size_t j = 0; count == own && j < count; j++)
            pair(copies, &symbols[j], &symbols[i + j]);
        i += count;
    }
}

static void pair_all(struct copies *copies, struct image *image)
{
    qsort(image->symbols, image->symbol_number, sizeof *image->symbols, by_name);
    for (size_t i = 0; i < image->symbol_number;) {
        size_t count = 1;
        while (i + count < image->symbol_number &&
               same_name(&image->symbols[i], &image->symbols[i + count]))
            count++;
        pair_group(copies, &image->symbols[i], count);
        i += count;
    }
}

/* ---- entries ---- */

/* A branch leads there: not into the bytes of a jump at an entry? */
static void reach(struct copies *copies, uint32_t address)
{
    const struct image *image = copies->graph->image;
    const struct image_function *function = image_function_at(image, address + image->low);
    if (function && address + image->low != function->start &&
        address + image->low < function->start + ENTRY_JUMP)
        copies->fixed[function - image->functions] = true;
}

static void find_fixed(struct copies *copies)
{
    const struct graph *graph = copies->graph;
    const struct image *image = graph->image;
    for (size_t i = 0; i < image->function_number; i++)
        copies->fixed[i] = image->functions[i].linkage ||
                           image->functions[i].end - image->functions[i].start < ENTRY_JUMP;
    for (size_t i = 0; i < graph->site_number; i++) {
        const struct site *site = &graph->sites[i];
        if (site->target != NO_SITE)
            reach(copies, site->target_address);
        if (site->kind == SITE_CALL || site->kind == SITE_INDIRECT_CALL ||
            site->kind == SITE_EXTERNAL_CALL)
            reach(copies, site->address + site->length);
    }
    for (size_t i = 0; i < graph->target_number; i++)
        reach(copies, graph->targets[i].address);
}

uint32_t copies_newest(const struct copies *copies, unsigned layouts, uint32_t function)
{
    return copies->newest[layouts * copies->graph->image->own_function_number + function];
}

uint32_t copies_entry(const struct copies *copies, uint32_t address, uint32_t site)
{
    const struct image *image = copies->graph->image;
    uint32_t function = copies->entry[site];
    return function != NO_FUNCTION && image->functions[function].start == image->low + address
               ? function
               : NO_FUNCTION;
}

uint32_t copies_led_on(const struct copies *copies, unsigned layouts, uint32_t function)
{
    if (copies->original[function] == NO_FUNCTION || copies->fixed[function])
        return NO_FUNCTION;
    uint32_t newest = copies_newest(copies, layouts, copies->original[function]);
    return newest != function ? newest : NO_FUNCTION;
}

/* ---- the whole ---- */

struct copies *copies_of(const struct graph *graph)
{
    struct image *image = graph->image;
    struct copies *copies = must_alloc(1, sizeof *copies);
    size_t own = image->own_function_number;
    copies->graph = graph;
    copies->original = must_alloc(image->function_number, sizeof *copies->original);
    copies->newest = must_alloc(image->file_number * own, sizeof *copies->newest);
    copies->fixed = must_alloc(image->function_number, sizeof *copies->fixed);
    copies->entry = must_alloc(graph->site_number, sizeof *copies->entry);
    for (size_t i = 0; i < graph->site_number; i++)
        copies->entry[i] = NO_FUNCTION;
    for (uint32_t i = 0; i < image->function_number; i++) {
        copies->original[i] = i < own ? i : NO_FUNCTION;
        copies->entry[image->functions[i].first_site] = i;
    }
    for (size_t i = 0; i < image->file_number * own; i++)
        copies->newest[i] = (uint32_t)(i % own);
    pair_all(copies, image);
    find_fixed(copies);
    return copies;
}

void copies_free(struct copies *copies)
{
    free(copies->original);
    free(copies->newest);
    free(copies->fixed);
    free(copies->entry);
    free(copies);
}
