/* Finding places that other code names; see inner_places.h. */
#include "branch/inner_places.h"

#include "elf/fragments.h"

size_t an_inner_place(const struct an_functions *functions, size_t from, uint64_t place)
{
    size_t number = an_functions_containing(functions, place);
    if (from == AN_NO_FUNCTION || number == AN_NO_FUNCTION || functions->items[number].in_plt)
        return AN_NO_FUNCTION;
    uint64_t inside = place - functions->items[number].address;
    bool is_inner = inside > 0 && inside < functions->items[number].size &&
                    an_fragments_root(functions, number) != an_fragments_root(functions, from);
    return is_inner ? number : AN_NO_FUNCTION;
}

void an_inner_places_each(const struct an_elf *elf, const struct an_functions *functions,
                          const struct an_arch *arch, void (*mark)(void *context, size_t function),
                          void *context)
{
    for (size_t i = 0; i < functions->count; i++) {
        const struct an_function *function = &functions->items[i];
        const uint8_t *bytes =
            function->in_plt ? NULL : an_elf_at(elf, function->address, function->size);
        for (uint64_t at = 0; bytes && at < function->size;) {
            struct an_instruction instruction;
            bool is_one =
                arch->decode(bytes + at, function->size - at, function->address + at, &instruction);
            size_t named = is_one && instruction.has_address
                               ? an_inner_place(functions, i, instruction.address)
                               : AN_NO_FUNCTION;
            if (named != AN_NO_FUNCTION)
                mark(context, named);
            at += is_one ? instruction.length : 1;
        }
    }
}
