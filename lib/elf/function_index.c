/* Looking up functions by their addresses; see functions.h and function_index.h. */
#include "elf/function_index.h"

/* About four places in the index for each function. */
bool an_functions_make_index(struct an_functions *found)
{
    if (!found->count || found->count > UINT32_MAX / 8)
        return true;
    uint64_t first = found->items[0].address;
    uint64_t span = found->items[found->count - 1].address - first;
    while (span >> found->shift > 4 * found->count)
        found->shift++;
    size_t count = (size_t)(span >> found->shift) + 2;
    uint32_t *index = an_alloc(count, sizeof *index);
    if (!index)
        return false;
    for (size_t place = 0, at = 0; place < count; place++) {
        while (at < found->count && (found->items[at].address - first) >> found->shift < place)
            at++;
        index[place] = (uint32_t)at;
    }
    found->index = index;
    found->index_count = count;
    return true;
}

/* The last one that begins at or below the address. */
static size_t last_from(const struct an_functions *functions, uint64_t address)
{
    size_t low = 0, high = functions->count;
    if (functions->index && address >= functions->items[0].address) {
        uint64_t place = (address - functions->items[0].address) >> functions->shift;
        if (place + 1 >= functions->index_count)
            return functions->count - 1;
        low = functions->index[place];
        high = functions->index[place + 1];
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (functions->items[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : AN_NO_FUNCTION;
}

size_t an_functions_containing(const struct an_functions *functions, uint64_t address)
{
    size_t at = last_from(functions, address);
    if (at == AN_NO_FUNCTION)
        return at;
    const struct an_function *function = &functions->items[at];
    return address - function->address < function->reach ? at : AN_NO_FUNCTION;
}

size_t an_functions_with_code(const struct an_functions *functions, uint64_t address)
{
    size_t at = last_from(functions, address);
    return at != AN_NO_FUNCTION &&
                   address - functions->items[at].address < functions->items[at].size
               ? at
               : AN_NO_FUNCTION;
}

size_t an_functions_at(const struct an_functions *functions, uint64_t address)
{
    size_t at = last_from(functions, address);
    return at != AN_NO_FUNCTION && functions->items[at].address == address ? at : AN_NO_FUNCTION;
}

const struct an_object *an_functions_object(const struct an_functions *functions, uint64_t address)
{
    size_t low = 0, high = functions->object_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (functions->objects[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct an_object *object = low ? &functions->objects[low - 1] : NULL;
    return object && address - object->address < object->size ? object : NULL;
}
