/* What an order places; see image.h. */
#include <stdlib.h>

#include "base/error.h"
#include "order/image.h"

struct placing {
    const struct an_image *image;
    struct an_order *placed;
    bool *is_placed; /* functions */
    bool *is_named;  /* symbols: their name has been in the order */
};

/* The function and what else is in its section. */
static void place_section(struct placing *placing, uint32_t function)
{
    const struct an_image *image = placing->image;
    uint32_t first = function;
    if (placing->is_placed[function])
        return;
    while (first && image->is_joined[first - 1])
        first--;
    for (uint32_t f = first; f < image->functions.count; f++) {
        if (!placing->is_placed[f])
            placing->placed->functions[placing->placed->count++] = f;
        placing->is_placed[f] = true;
        if (!image->is_joined[f])
            break;
    }
}

static void place_name(struct placing *placing, uint32_t symbol)
{
    const struct an_image *image = placing->image;
    if (placing->is_named[symbol])
        return;
    for (uint32_t s = image->first_alike[symbol]; s != AN_NO_SYMBOL; s = image->next_alike[s]) {
        placing->is_named[s] = true;
        place_section(placing, image->symbols.items[s].function);
    }
}

enum an_code an_image_place(const struct an_image *image, const struct an_matches *matches,
                            const struct an_order *order, struct an_order *placed, uint32_t *ends,
                            struct an_error *error)
{
    *placed = (struct an_order){
        .functions = an_alloc(image->functions.count + 1, sizeof *placed->functions)};
    struct placing placing = {
        .image = image,
        .placed = placed,
        .is_placed = an_alloc_zero(image->functions.count + 1, sizeof *placing.is_placed),
        .is_named = an_alloc_zero(image->symbols.count + 1, sizeof *placing.is_named),
    };
    bool has_memory = placed->functions && placing.is_placed && placing.is_named;
    for (size_t i = 0; has_memory && i < order->count; i++) {
        uint32_t function = order->functions[i];
        for (uint32_t m = matches->first[function]; m < matches->first[function + 1]; m++)
            place_name(&placing, matches->symbols[m]);
        if (ends)
            ends[i] = (uint32_t)placed->count;
    }
    free(placing.is_placed);
    free(placing.is_named);
    if (has_memory)
        return AN_OK;
    an_order_free(placed);
    return an_fail_memory(error);
}

enum an_code an_order_place(const struct an_order *order, const struct an_matches *matches,
                            const struct an_image *image, struct an_order *placed,
                            struct an_error *error)
{
    return an_image_place(image, matches, order, placed, NULL, error);
}

bool an_image_moves(const struct an_image *image, uint32_t function)
{
    return image->functions.items[function].address >= image->start;
}
