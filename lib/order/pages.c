/*
 * What a layout costs at the start: the pages that a run touches as it enters one function after the
 * other.
 *
 *     faults                       ____
 *       |               ___-------'      area under the curve: the objective of
 *       |       __------                 orders for the start, for pages that come
 *       |  _---'                         late delay little
 *       |-'__________________________
 *         functions entered
 */
#include <string.h>

#include "base/error.h"
#include "order/behaviour.h"
#include "order/image.h"
#include "order/touching.h"

static bool layout_make(struct an_pages_layout *layout, const struct an_behaviour *behaviour,
                        const struct an_matches *matches)
{
    size_t functions = behaviour->functions.count;
    size_t places = matches ? matches->first[functions] : functions;
    uint32_t *first = an_alloc(functions + 1, sizeof *first);
    *layout = (struct an_pages_layout){.first = first};
    layout->places = an_alloc_zero(places + 1, sizeof *layout->places);
    if (!first || !layout->places) {
        an_pages_layout_free(layout);
        return false;
    }
    for (size_t f = 0; f <= functions; f++)
        first[f] = matches ? matches->first[f] : (uint32_t)f;
    return true;
}

void an_pages_layout_free(struct an_pages_layout *layout)
{
    free((void *)layout->first);
    free(layout->places);
    *layout = (struct an_pages_layout){0};
}

/* The text of an image, to the end of its last function. */
static void set_bounds(struct an_pages_layout *layout, const struct an_image *image)
{
    layout->start = image->start;
    for (size_t i = 0; i < image->functions.count; i++) {
        const struct an_image_function *function = &image->functions.items[i];
        if (function->address + function->size > layout->end)
            layout->end = function->address + function->size;
    }
}

/* Gives each place what is known of its function of the image. */
static void fill_places(struct an_pages_layout *layout, const struct an_matches *matches,
                        const struct an_image *image, const uint64_t *addresses)
{
    for (uint32_t i = 0; i < matches->first[matches->count]; i++) {
        uint32_t function = matches->images[i];
        uint64_t size = image->functions.items[function].size;
        layout->places[i] = (struct an_pages_place){addresses[function], size ? size : 1};
    }
}

enum an_code an_pages_layout_now(const struct an_behaviour *behaviour,
                                 const struct an_matches *matches, const struct an_image *image,
                                 struct an_pages_layout *layout, struct an_error *error)
{
    uint64_t *addresses = an_alloc(image->functions.count + 1, sizeof *addresses);
    *layout = (struct an_pages_layout){0};
    if (!addresses || !layout_make(layout, behaviour, matches)) {
        free(addresses);
        return an_fail_memory(error);
    }
    for (size_t i = 0; i < image->functions.count; i++)
        addresses[i] = image->functions.items[i].address;
    fill_places(layout, matches, image, addresses);
    set_bounds(layout, image);
    free(addresses);
    return AN_OK;
}

/* ---- a layout that is yet to be made ---- */

static uint64_t aligned(uint64_t address, uint64_t alignment)
{
    return (address + alignment - 1) & -alignment;
}

struct placing {
    const struct an_image *image;
    uint64_t *addresses;
    bool *is_placed;
    uint64_t at;
};

static void place(struct placing *placing, uint32_t function)
{
    const struct an_image_function *it = &placing->image->functions.items[function];
    uint64_t alignment = it->alignment < 16 ? it->alignment : 16;
    placing->at = aligned(placing->at, alignment);
    placing->addresses[function] = placing->at;
    placing->at += it->size;
    placing->is_placed[function] = true;
}

/* Ordered ones that can be moved, in order; then all others in theirs. What lies in front of the text stays there. */
static void place_all(struct placing *placing, const struct an_order *placed)
{
    const struct an_image *image = placing->image;
    const struct an_image_function *items = image->functions.items;
    for (size_t i = 0; i < placed->count; i++)
        if (an_image_moves(image, placed->functions[i]))
            place(placing, placed->functions[i]);
    for (uint32_t i = 0; i < image->functions.count; i++) {
        if (items[i].address < image->start)
            placing->addresses[i] = items[i].address; /* .init and the like */
        else if (!placing->is_placed[i])
            place(placing, i);
    }
}

enum an_code an_pages_layout_new(const struct an_behaviour *behaviour,
                                 const struct an_matches *matches, const struct an_image *image,
                                 const struct an_order *placed, struct an_pages_layout *layout,
                                 struct an_error *error)
{
    struct placing placing = {
        .image = image,
        .addresses = an_alloc(image->functions.count + 1, sizeof *placing.addresses),
        .is_placed = an_alloc_zero(image->functions.count + 1, sizeof *placing.is_placed),
        .at = image->start,
    };
    *layout = (struct an_pages_layout){0};
    bool has_memory =
        placing.addresses && placing.is_placed && layout_make(layout, behaviour, matches);
    if (has_memory) {
        place_all(&placing, placed);
        fill_places(layout, matches, image, placing.addresses);
        layout->start = image->start;
        layout->end = placing.at;
    }
    free(placing.addresses);
    free(placing.is_placed);
    return has_memory ? AN_OK : an_fail_memory(error);
}

enum an_code an_pages_layout_guess(const struct an_behaviour *behaviour,
                                   const struct an_order *order, struct an_pages_layout *layout,
                                   struct an_error *error)
{
    if (!layout_make(layout, behaviour, NULL))
        return an_fail_memory(error);
    for (size_t i = 0; i < order->count; i++)
        layout->places[order->functions[i]] =
            (struct an_pages_place){i * AN_GUESSED_SIZE, AN_GUESSED_SIZE};
    layout->end = order->count * AN_GUESSED_SIZE;
    return AN_OK;
}

/* ---- a run ---- */

static bool enter(struct touching *touching, const struct an_pages_layout *layout,
                  uint32_t function)
{
    bool is_there = false;
    for (uint32_t i = layout->first[function]; i < layout->first[function + 1]; i++) {
        const struct an_pages_place *place = &layout->places[i];
        if (!place->size)
            continue;
        is_there = true;
        for (uint64_t page = place->address / touching->kernel.page_size;
             page <= (place->address + place->size - 1) / touching->kernel.page_size; page++)
            page_touch(touching, page - touching->first_page);
    }
    return is_there;
}

/* The pages that any place is on: places may lie in front of the text, in .init. */
static void find_pages(struct touching *touching, const struct an_pages_layout *layout)
{
    touching->first_page = layout->start / touching->kernel.page_size;
    touching->page_count = layout->end / touching->kernel.page_size + 1 - touching->first_page;
}

static uint64_t count_bits(const uint64_t *bits, uint64_t pages)
{
    uint64_t count = 0;
    for (uint64_t i = 0; bits && i < pages / 64 + 1; i++)
        count += (uint64_t)__builtin_popcountll(bits[i]);
    return count;
}

enum an_code an_pages_touch(const struct an_pages_layout *layout,
                            const struct an_behaviour_run *run,
                            const struct an_pages_kernel *kernel, uint32_t *curve,
                            struct an_pages_cost *cost, struct an_error *error)
{
    struct touching touching = {.kernel = *kernel};
    find_pages(&touching, layout);
    size_t words = (size_t)(touching.page_count / 64 + 1);
    touching.mapped = an_alloc_zero(words, 8);
    touching.in_memory = kernel->ahead ? an_alloc_zero(words, 8) : NULL;
    *cost = (struct an_pages_cost){0};
    bool has_memory = touching.mapped && (touching.in_memory || !kernel->ahead);
    for (size_t i = 0; has_memory && i < run->count; i++) {
        if (enter(&touching, layout, run->functions[i])) {
            cost->entered++;
            cost->area += (double)touching.faults;
        }
        if (curve)
            curve[i] = (uint32_t)touching.faults;
    }
    if (has_memory) {
        cost->pages = count_bits(touching.mapped, touching.page_count);
        cost->read = count_bits(touching.in_memory, touching.page_count);
        cost->faults = touching.faults;
        cost->major = touching.major;
    }
    free(touching.mapped);
    free(touching.in_memory);
    return has_memory ? AN_OK : an_fail_memory(error);
}
