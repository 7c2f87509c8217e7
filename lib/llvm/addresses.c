/* From addresses to name hashes; see addresses.h. */
#include "llvm/addresses.h"

#include "base/std_sort.h"

static bool learn_functions(struct addresses *addresses, const struct raw_image *image)
{
    if (image->data_number == 0)
        return true;
    struct an_llvm_value *pairs = an_alloc(image->data_number, sizeof *pairs);
    size_t count = 0;
    if (!pairs)
        return false;
    for (uint64_t i = 0; i < image->data_number; i++) {
        struct raw_record record;
        an_raw_record(image, i, &record);
        if (record.function_address)
            pairs[count++] = (struct an_llvm_value){record.function_address, record.name_hash};
    }
    /* Functions can share an address (identical code folding): the first after LLVM's sort wins. */
    an_sort_by_value(pairs, count);
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        bool is_new;
        uint64_t *slot = an_map_insert(&addresses->functions, pairs[i].value, &is_new);
        done = slot != NULL;
        if (done && is_new)
            *slot = pairs[i].count;
    }
    free(pairs);
    return done;
}

static int by_address(const void *a, const void *b)
{
    const struct raw_vtable *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static bool learn_vtables(struct addresses *addresses, const struct raw_image *image)
{
    if (image->vtable_number == 0)
        return true;
    addresses->vtables = an_alloc(image->vtable_number, sizeof *addresses->vtables);
    if (!addresses->vtables)
        return false;
    for (uint64_t i = 0; i < image->vtable_number; i++) {
        struct raw_vtable *vtable = &addresses->vtables[addresses->vtable_number];
        an_raw_vtable(image, i, vtable);
        if (vtable->address)
            addresses->vtable_number++;
    }
    qsort(addresses->vtables, addresses->vtable_number, sizeof *addresses->vtables, by_address);
    return true;
}

bool an_addresses_learn(struct addresses *addresses, const struct raw_image *image)
{
    *addresses = (struct addresses){0};
    return learn_functions(addresses, image) && learn_vtables(addresses, image);
}

void an_addresses_free(struct addresses *addresses)
{
    an_map_free(&addresses->functions);
    free(addresses->vtables);
    *addresses = (struct addresses){0};
}

static uint64_t find_vtable(const struct addresses *addresses, uint64_t address)
{
    size_t low = 0, high = addresses->vtable_number;
    while (low < high) { /* the first table that begins behind the address */
        size_t middle = low + (high - low) / 2;
        if (addresses->vtables[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    const struct raw_vtable *vtable = &addresses->vtables[low - 1];
    return address - vtable->address < vtable->size ? vtable->name_hash : 0;
}

uint64_t an_addresses_map(const void *context, enum an_llvm_value_kind kind, uint64_t value)
{
    const struct addresses *addresses = context;
    if (kind == AN_LLVM_INDIRECT_CALL) {
        const uint64_t *hash = an_map_find(&addresses->functions, value - addresses->load_delta);
        return hash ? *hash : 0;
    }
    if (kind == AN_LLVM_VTABLE)
        return find_vtable(addresses, value - addresses->load_delta);
    return value;
}
