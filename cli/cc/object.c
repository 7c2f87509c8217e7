/* What anneal cc knows of objects that a compiler has written. */
#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "base/file.h"
#include "cc.h"
#include "elf/elf.h"
#include "fdo/bitcode.h"

struct counting {
    cc_counts_function *counts;
    void *context;
    size_t functions;
};

static void count(void *context, const char *name, size_t length)
{
    struct counting *counting = context;
    counting->functions += !counting->counts || counting->counts(counting->context, name, length);
}

/* GCC's -flto: the functions are in sections of its own. */
static bool is_for_linker(const struct an_elf *elf)
{
    static const char start[] = ".gnu.lto_";
    size_t number;
    const struct an_elf_section *sections = an_elf_sections(elf, &number);
    for (size_t i = 0; i < number; i++)
        if (strncmp(sections[i].name, start, sizeof start - 1) == 0)
            return true;
    return false;
}

static bool count_in_elf(struct counting *counting, struct an_elf *elf)
{
    struct an_error error = {0};
    const struct an_elf_symbol *symbols;
    size_t number;
    if (is_for_linker(elf))
        return false;
    if (an_elf_symbols(elf, &symbols, &number, &error) != AN_OK)
        number = 0;
    for (size_t i = 0; i < number; i++)
        if (symbols[i].type == STT_FUNC && symbols[i].section != SHN_UNDEF)
            count(counting, symbols[i].name, strlen(symbols[i].name));
    return true;
}

static bool count_in_bitcode(struct counting *counting, const char *object)
{
    struct an_error error = {0};
    struct an_file file = {0};
    bool is_counted = an_file_load(&file, object, &error) == AN_OK &&
                      an_fdo_bitcode_functions(file.bytes, count, counting);
    an_file_close(&file);
    return is_counted;
}

size_t cc_functions(const char *object, cc_counts_function *counts, void *context)
{
    struct counting counting = {counts, context, 0};
    struct an_error error = {0};
    struct an_elf *elf;
    bool is_counted;
    if (!*object)
        return SIZE_MAX;
    if (an_elf_open(object, &elf, &error) == AN_OK) {
        is_counted = count_in_elf(&counting, elf);
        an_elf_close(elf);
    } else {
        is_counted = count_in_bitcode(&counting, object);
    }
    return is_counted ? counting.functions : SIZE_MAX;
}
