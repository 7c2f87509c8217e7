/* Leaving functions where they are; see left_out.h. */
#include "live/left_out.h"

#include <stdlib.h>
#include <string.h>

#include "live/skip.h"

enum an_code an_left_out_find(const struct an_elf *elf, const struct an_functions *functions,
                              struct an_left_out *left_out, struct an_error *error)
{
    *left_out = (struct an_left_out){0};
    enum an_code code = an_return_tables_find(elf, functions, &left_out->functions, error);
    if (code != AN_OK)
        return code;
    left_out->names = an_alloc(left_out->functions.count + 1, sizeof *left_out->names);
    if (!left_out->names)
        return an_fail_memory(error);
    for (size_t i = 0; i < left_out->functions.count; i++)
        left_out->names[i] = functions->items[left_out->functions.items[i]].name;
    return AN_OK;
}

void an_left_out_free(struct an_left_out *left_out)
{
    an_vector_free(&left_out->functions);
    free(left_out->names);
    *left_out = (struct an_left_out){0};
}

void an_left_out_skip(const struct an_left_out *left_out, struct an_buffer *arguments)
{
    for (size_t i = 0; i < left_out->functions.count; i++)
        an_skip_add(arguments, left_out->names[i], strlen(left_out->names[i]), "");
}

enum an_code an_left_out_check(const struct an_left_out *left_out,
                               const struct an_functions *functions,
                               const struct an_generation *generation, struct an_error *error)
{
    for (size_t i = 0; i < left_out->functions.count; i++) {
        uint64_t address = functions->items[left_out->functions.items[i]].address;
        if (!an_generation_find(generation, address))
            continue;
        an_fail(error, AN_UNSUPPORTED,
                "llvm-bolt has moved %.100s, within which the program names a place",
                left_out->names[i]);
        return an_error_in(error, generation->path);
    }
    return AN_OK;
}
