/* Looking at single instructions of a binary; see instructions.h. */
#include "elf/instructions.h"

enum an_code an_elf_arch(const struct an_elf *elf, const struct an_arch **arch,
                         struct an_error *error)
{
    *arch = an_arch_of(an_elf_machine(elf));
    if (*arch)
        return AN_OK;
    an_fail(error, AN_UNSUPPORTED, "code for a processor other than x86-64");
    return an_error_in(error, an_elf_path(elf));
}

/* What the binary has at an address, as many bytes as an instruction may have; fewer at an end, NULL beyond. */
static struct an_bytes_at code_at(const struct an_arch *arch, const struct an_elf *elf,
                                  uint64_t address)
{
    struct an_bytes_at code = {.size = arch->longest, .address = address};
    while (code.size && !(code.bytes = an_elf_at(elf, address, code.size)))
        code.size--;
    return code;
}

uint8_t an_elf_same_instruction(const struct an_arch *arch, const struct an_elf *one,
                                uint64_t first, const struct an_elf *other, uint64_t second)
{
    struct an_bytes_at here = code_at(arch, one, first), there = code_at(arch, other, second);
    return here.bytes && there.bytes ? arch->same(&here, &there) : 0;
}

bool an_elf_is_return(const struct an_arch *arch, const struct an_elf *elf, uint64_t address)
{
    struct an_instruction instruction;
    struct an_bytes_at code = code_at(arch, elf, address);
    return code.bytes && arch->decode(code.bytes, code.size, address, &instruction) &&
           instruction.kind == AN_RETURN;
}
