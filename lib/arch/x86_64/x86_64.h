/* What the parts of x86-64 share. Zydis decodes; this sorts. See arch/arch.h for what each function is for. */
#ifndef AN_ARCH_X86_64_X86_64_H
#define AN_ARCH_X86_64_X86_64_H

#include <Zydis/Zydis.h>

#include "arch/arch.h"

/* Of 64-bit code. It is made before anybody gets the instruction set, and not changed any more: threads share it. */
extern ZydisDecoder an_x86_64_decoder;
void an_x86_64_make_decoder(void);

bool an_x86_64_decode(const uint8_t *bytes, size_t size, uint64_t address,
                      struct an_instruction *instruction);
uint8_t an_x86_64_same(const struct an_bytes_at *one, const struct an_bytes_at *other);
struct an_jump_source an_x86_64_jump_source(const struct an_bytes_at *function,
                                            const struct an_site *sites, uint32_t site);
uint8_t an_x86_64_address_fields(const struct an_bytes_at *code,
                                 struct an_address_field fields[AN_MOST_ADDRESS_FIELDS],
                                 size_t *count);

#endif
