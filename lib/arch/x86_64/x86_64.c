/* x86-64, as one of the instruction sets. */
#include "arch/x86_64/x86_64.h"

#include <elf.h>

static struct an_relocation relocation(uint32_t type)
{
    const uint32_t converted = 0x80; /* GNU ld's bit, on relocations that it relaxed */
    switch (type & ~converted) {
    case R_X86_64_64:
        return (struct an_relocation){AN_RELOCATION_ADDRESS, 8};
    case R_X86_64_32:
    case R_X86_64_32S:
        return (struct an_relocation){AN_RELOCATION_ADDRESS, 4};
    case R_X86_64_PC64:
        return (struct an_relocation){AN_RELOCATION_DISTANCE, 8};
    case R_X86_64_PC32:
        return (struct an_relocation){AN_RELOCATION_DISTANCE, 4};
    case R_X86_64_PLT32:
        return (struct an_relocation){AN_RELOCATION_BRANCH, 4};
    case R_X86_64_RELATIVE:
        return (struct an_relocation){AN_RELOCATION_BASE, 8};
    case R_X86_64_JUMP_SLOT:
        return (struct an_relocation){AN_RELOCATION_SLOT, 8};
    case R_X86_64_IRELATIVE:
        return (struct an_relocation){AN_RELOCATION_RESOLVER, 8};
    default:
        return (struct an_relocation){AN_RELOCATION_OTHER, 0};
    }
}

const struct an_arch *an_arch_x86_64(void)
{
    static const struct an_arch arch = {
        .name = "x86-64",
        .machine = EM_X86_64,
        .longest = ZYDIS_MAX_INSTRUCTION_LENGTH,
        .decode = an_x86_64_decode,
        .same = an_x86_64_same,
        .jump_source = an_x86_64_jump_source,
        .address_fields = an_x86_64_address_fields,
        .relocation = relocation,
    };
    an_x86_64_make_decoder();
    return &arch;
}
