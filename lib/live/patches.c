/* Finding what to patch; see patches.h. */
#include "live/patches.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/map.h"
#include "record/memory.h"

struct finder {
    struct an_elf *original;
    const struct an_functions *functions;
    const struct an_reach *reach;
    const struct an_generation *generation;
    uint64_t bias;
    struct an_patches *patches;
};

void an_withhold(struct an_withheld *withheld, const char *reason, size_t count)
{
    size_t i = 0;
    while (i < withheld->count && strcmp(withheld->items[i].reason, reason) != 0)
        i++;
    if (i == AN_REASONS || count == 0)
        return;
    if (i == withheld->count) {
        withheld->items[i].reason = reason;
        withheld->items[i].count = 0;
        withheld->count++;
    }
    withheld->items[i].count += count;
}

void an_patch_jump(uint8_t bytes[AN_JUMP_SIZE], uint64_t from, uint64_t to)
{
    uint32_t distance = (uint32_t)(to - (from + AN_JUMP_SIZE));
    bytes[0] = 0xe9;
    for (unsigned i = 0; i < 4; i++)
        bytes[1 + i] = (uint8_t)(distance >> (8 * i));
}

static void put_number(uint8_t *bytes, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

/* The caller fills what it was and what it becomes. NULL when memory runs out. */
static struct an_patch *add(struct finder *finder, enum an_patch_kind kind, uint64_t address,
                            unsigned size)
{
    struct an_patch *patch = an_vector_push(&finder->patches->list);
    if (!patch)
        return NULL;
    *patch = (struct an_patch){.address = address, .kind = (uint8_t)kind, .size = (uint8_t)size};
    finder->patches->counts[kind]++;
    return patch;
}

/* ---- entries, and blocks ---- */

/* Jumps behind the first instructions of all that have room for them. Who finds none at a block goes on to the next one. */
static bool find_jumps(struct finder *finder, enum an_patch_kind kind,
                       const struct an_moved_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct an_moved *moved = &list->items[i];
        uint64_t place = moved->original + moved->first;
        const uint8_t *here = an_elf_at(finder->original, place, AN_JUMP_SIZE);
        const char *objection = here ? an_reach_objection(finder->reach, moved->original,
                                                          moved->original_size, moved->first)
                                     : "not in the file";
        if (objection && kind == AN_PATCH_ENTRY)
            an_withhold(&finder->patches->withheld, objection, 1);
        if (objection)
            continue;
        struct an_patch *patch = add(finder, kind, place, AN_JUMP_SIZE);
        if (!patch)
            return false;
        memcpy(patch->original, here, AN_JUMP_SIZE);
        an_patch_jump(patch->patched, place, moved->address + moved->first);
    }
    return true;
}

/* ---- calls ---- */

/*
 * Two witnesses: the code was read so here, and the linker has put the distance there or llvm-bolt has made the same
 * call lead to the new code in its copy of the old one. (Where neither has, the entry does.) llvm-bolt leaves alone the
 * old code of functions that it has moved, in which threads go on that are in it, such as loops that never end, and
 * of those that it has given up late. What the linker has put behind e8, e9 or 0f 80 to 8f is no address that
 * is taken: that is a ModRM byte of another kind.
 */
static bool bolt_agrees(const struct finder *finder, const struct an_reach_call *call,
                        uint64_t address)
{
    const uint8_t *there = an_elf_at(finder->generation->elf, call->distance, 4);
    return there && call->distance + 4 + (uint64_t)(int32_t)an_get32(there, false) == address;
}

static bool find_calls(struct finder *finder)
{
    for (size_t i = 0; i < finder->reach->calls.count; i++) {
        const struct an_reach_call *call = &finder->reach->calls.items[i];
        const struct an_moved *moved = an_generation_find(finder->generation, call->target);
        if (!moved || (!an_reach_is_linked(finder->reach, call) &&
                       !bolt_agrees(finder, call, moved->address)))
            continue;
        if (call->distance / AN_PAGE != (call->distance + 3) / AN_PAGE) {
            an_withhold(&finder->patches->withheld, "a call across two pages", 1);
            continue;
        }
        const uint8_t *here = an_elf_at(finder->original, call->distance, 4);
        struct an_patch *patch = here ? add(finder, AN_PATCH_CALL, call->distance, 4) : NULL;
        if (!patch)
            return false;
        memcpy(patch->original, here, 4);
        put_number(patch->patched, moved->address - (call->distance + 4), 4);
    }
    return true;
}

/* ---- virtual tables ---- */

static bool is_vtable(const struct an_object *object)
{
    return object && strncmp(object->name, "_ZTV", 4) == 0;
}

static bool add_word(struct finder *finder, uint64_t address, uint64_t value)
{
    const struct an_moved *moved = an_generation_find(finder->generation, value);
    if (!moved)
        return true;
    struct an_patch *patch = add(finder, AN_PATCH_VTABLE, address, 8);
    if (!patch)
        return false;
    put_number(patch->original, value + finder->bias, 8);
    put_number(patch->patched, moved->address + finder->bias, 8);
    return true;
}

/* Words that the loader sets to an address in this binary: a Rela entry is address 8, type 4, symbol 4,
 * addend 8. */
static bool find_relocated_words(struct finder *finder, struct an_map *known)
{
    enum { RELA = 24 };
    const struct an_arch *arch = an_arch_of(an_elf_machine(finder->original));
    size_t count;
    const struct an_elf_section *sections = an_elf_sections(finder->original, &count);
    for (size_t i = 0; arch && i < count; i++) {
        if (sections[i].type != SHT_RELA || !(sections[i].flags & SHF_ALLOC))
            continue;
        struct an_bytes bytes = an_elf_section_bytes(finder->original, &sections[i]);
        for (size_t at = 0; at + RELA <= bytes.size; at += RELA) {
            uint64_t address = an_get64(bytes.data + at, false);
            bool is_new;
            if (address % 8 || !is_vtable(an_functions_object(finder->functions, address)))
                continue;
            if (!an_map_insert(known, address, &is_new))
                return false;
            if (is_new &&
                arch->relocation(an_get32(bytes.data + at + 8, false)).form == AN_RELOCATION_BASE &&
                !add_word(finder, address, an_get64(bytes.data + at + 16, false)))
                return false;
        }
    }
    return true;
}

/* Words that are in the file. */
static bool find_plain_words(struct finder *finder, const struct an_map *known)
{
    for (size_t i = 0; i < finder->functions->object_count; i++) {
        const struct an_object *object = &finder->functions->objects[i];
        uint64_t address = (object->address + 7) / 8 * 8;
        for (; is_vtable(object) && address + 8 <= object->address + object->size; address += 8) {
            const uint8_t *here = an_elf_at(finder->original, address, 8);
            if (here && !an_map_find(known, address) &&
                !add_word(finder, address, an_get64(here, false)))
                return false;
        }
    }
    return true;
}

static bool find_words(struct finder *finder)
{
    struct an_map known = {0};
    bool done = find_relocated_words(finder, &known) && find_plain_words(finder, &known);
    an_map_free(&known);
    return done;
}

/* ---- all ---- */

static int by_address(const void *one, const void *other)
{
    const struct an_patch *a = one, *b = other;
    return a->address < b->address ? -1 : a->address > b->address;
}

/* Objects may have several names, and then their words come several times. */
static void drop_doubles(struct an_patches *patches)
{
    size_t kept = 0;
    for (size_t i = 0; i < patches->list.count; i++) {
        const struct an_patch *patch = &patches->list.items[i];
        if (kept && patches->list.items[kept - 1].address == patch->address)
            patches->counts[patch->kind]--;
        else
            patches->list.items[kept++] = *patch;
    }
    patches->list.count = kept;
}

enum an_code an_patches_find(struct an_elf *original, const struct an_functions *functions,
                             const struct an_reach *reach, const struct an_generation *generation,
                             uint64_t bias, struct an_patches *patches, struct an_error *error)
{
    struct finder finder = {original, functions, reach, generation, bias, patches};
    *patches = (struct an_patches){0};
    if (!find_jumps(&finder, AN_PATCH_ENTRY, &generation->moved) ||
        !find_jumps(&finder, AN_PATCH_BLOCK, &generation->blocks) || !find_calls(&finder) ||
        !find_words(&finder))
        return an_fail_memory(error);
    if (patches->list.count)
        qsort(patches->list.items, patches->list.count, sizeof *patches->list.items, by_address);
    drop_doubles(patches);
    return AN_OK;
}

void an_patches_free(struct an_patches *patches)
{
    an_vector_free(&patches->list);
    *patches = (struct an_patches){0};
}
