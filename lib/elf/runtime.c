/* Recognising runtimes that keep tables about code; see runtime.h. */
#include "elf/runtime.h"

#include <string.h>

/* Position-independent programs have it among data that is relocated. */
static bool has_go_table(const struct an_elf *elf)
{
    return an_elf_section(elf, ".gopclntab") || an_elf_section(elf, ".data.rel.ro.gopclntab") ||
           an_elf_section(elf, ".note.go.buildid");
}

enum an_code an_elf_runtime_find(struct an_elf *elf, enum an_elf_runtime *runtime,
                                 struct an_error *error)
{
    static const struct {
        const char *symbol;
        enum an_elf_runtime runtime;
    } known[] = {{"caml_frametable", AN_RUNTIME_OCAML}, {"stg_upd_frame_info", AN_RUNTIME_HASKELL}};
    const struct an_elf_symbol *symbols;
    size_t count;
    *runtime = has_go_table(elf) ? AN_RUNTIME_GO : AN_RUNTIME_NONE;
    enum an_code code = an_elf_symbols(elf, &symbols, &count, error);
    for (size_t i = 0; code == AN_OK && *runtime == AN_RUNTIME_NONE && i < count; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (strcmp(symbols[i].name, known[k].symbol) == 0)
                *runtime = known[k].runtime;
    return code;
}

const char *an_elf_runtime_name(enum an_elf_runtime runtime)
{
    static const char *const names[] = {
        [AN_RUNTIME_NONE] = "",
        [AN_RUNTIME_GO] = "Go",
        [AN_RUNTIME_OCAML] = "OCaml",
        [AN_RUNTIME_HASKELL] = "Haskell",
    };
    return names[runtime];
}

bool an_elf_runtime_forbids_bolt(enum an_elf_runtime runtime)
{
    return runtime == AN_RUNTIME_GO;
}
