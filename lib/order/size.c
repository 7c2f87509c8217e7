/* Sizes of functions, from the symbols that they were matched with. */
#include "order/size.h"

#include "order/image.h"

uint64_t an_order_size(const struct an_order_options *options, uint32_t function,
                       uint64_t alignment)
{
    const struct an_matches *matches = options->matches;
    uint64_t size = 0;
    if (!matches)
        return AN_GUESSED_SIZE;
    for (uint32_t m = matches->first[function]; m < matches->first[function + 1]; m++) {
        uint64_t bytes = options->image->functions.items[matches->images[m]].size;
        size += (bytes + alignment - 1) / alignment * alignment;
    }
    return size;
}
