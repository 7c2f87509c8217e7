/* The list that debuggers read; see debugger.h. */
#include "live/debugger.h"

#include <stdio.h>
#include <string.h>

enum {
    VERSION = 0, /* of a struct r_debug */
    MAP = 8,
    NEXT = 40,
    R_DEBUG_SIZE = 48,
    LINK_MAP_SIZE = 40,
    WITH_NEXT = 2, /* the version from which on there is a next one */
    PLACE = 1024,  /* in a generation's page */
    NAME = PLACE + R_DEBUG_SIZE + LINK_MAP_SIZE,
    LONGEST_CHAIN = 1000,
};

/* The entry for debuggers in the program's dynamic section, which the dynamic linker has filled in. */
static uint64_t find_list(const struct an_target *target)
{
    const struct an_elf_section *dynamic = an_elf_section(target->elf, ".dynamic");
    for (uint64_t at = 0; dynamic && at + 16 <= dynamic->size; at += 16) {
        uint64_t entry = dynamic->address + target->bias + at;
        if (an_target_word(target, entry) == DT_DEBUG)
            return an_target_word(target, entry + 8);
    }
    return 0;
}

/* Whether the dynamic linker is one whose list has a next one: glibc names its versions. */
static bool has_next(const struct an_target *target, uint64_t list)
{
    static const char version[] = "GLIBC_2.35";
    const struct an_target_mapping *mapping = an_target_mapping_at(target, list);
    struct an_elf *elf = mapping ? an_target_open_mapped(target, mapping) : NULL;
    if (!elf)
        return false;
    const struct an_elf_section *names = an_elf_section(elf, ".dynstr");
    struct an_bytes text = names ? an_elf_section_bytes(elf, names) : (struct an_bytes){0};
    bool found = text.size && memmem(text.data, text.size, version, sizeof version);
    an_elf_close(elf);
    return found;
}

static uint64_t node_of(const struct an_target *target, const struct an_generation *generation)
{
    return generation->end + target->bias + PLACE;
}

/* Where the address of this node is kept, or 0. */
static uint64_t find_link(const struct an_target *target, uint64_t list, uint64_t node)
{
    uint64_t link = list + NEXT;
    for (unsigned i = 0; i < LONGEST_CHAIN; i++) {
        uint64_t next = an_target_word(target, link);
        if (next == node)
            return link;
        if (!next)
            return 0;
        link = next + NEXT;
    }
    return 0;
}

static void put(uint8_t *to, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

void an_debugger_add(const struct an_target *target, const struct an_generation *generation,
                     const char *path)
{
    const struct an_elf_section *dynamic = an_elf_section(generation->elf, ".dynamic");
    uint64_t list = find_list(target), node = node_of(target, generation);
    uint8_t bytes[R_DEBUG_SIZE + LINK_MAP_SIZE] = {WITH_NEXT};
    uint32_t version = WITH_NEXT;
    if (!list || !dynamic || !has_next(target, list) || find_link(target, list, node) ||
        strlen(path) >= AN_GENERATION_EXTRA - NAME)
        return;
    uint64_t map = node + R_DEBUG_SIZE;
    put(bytes + MAP, map);
    put(bytes + NEXT, an_target_word(target, list + NEXT));
    put(bytes + R_DEBUG_SIZE, target->bias);
    put(bytes + R_DEBUG_SIZE + 8, node - PLACE + NAME);
    put(bytes + R_DEBUG_SIZE + 16, dynamic->address + target->bias);
    if (an_target_write(target, node - PLACE + NAME, path, strlen(path) + 1) &&
        an_target_write(target, node, bytes, sizeof bytes) &&
        an_target_write(target, list + VERSION, &version, sizeof version))
        an_target_write(target, list + NEXT, &node, sizeof node);
}

void an_debugger_remove(const struct an_target *target, const struct an_generation *generation)
{
    uint64_t list = find_list(target), node = node_of(target, generation);
    uint64_t link = list && has_next(target, list) ? find_link(target, list, node) : 0;
    uint64_t next = an_target_word(target, node + NEXT);
    if (link)
        an_target_write(target, link, &next, sizeof next);
}
