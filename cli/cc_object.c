/* What anneal cc knows of objects that a compiler has written. */
#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "cc.h"
#include "elf/elf.h"

/* GCC's -flto: the functions are in sections of its own. */
static bool is_for_linker(const struct an_elf *elf)
{
    static const char start[] = ".gnu.lto_";
    size_t count;
    const struct an_elf_section *sections = an_elf_sections(elf, &count);
    for (size_t i = 0; i < count; i++)
        if (strncmp(sections[i].name, start, sizeof start - 1) == 0)
            return true;
    return false;
}

size_t cc_functions(const char *object, bool (*counts)(const void *context, const char *name),
                    const void *context)
{
    struct an_error error = {0};
    const struct an_elf_symbol *symbols;
    struct an_elf *elf;
    size_t count, functions = 0;
    if (!*object || an_elf_open(object, &elf, &error) != AN_OK)
        return SIZE_MAX;
    if (is_for_linker(elf)) {
        an_elf_close(elf);
        return SIZE_MAX;
    }
    if (an_elf_symbols(elf, &symbols, &count, &error) != AN_OK)
        count = 0;
    for (size_t i = 0; i < count; i++)
        if (symbols[i].type == STT_FUNC && symbols[i].section != SHN_UNDEF)
            functions += !counts || counts(context, symbols[i].name);
    an_elf_close(elf);
    return functions;
}
