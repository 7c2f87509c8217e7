/* Finding blocks at which threads can change over; see moved_blocks.h. */
#include "live/moved_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "elf/instructions.h"
#include "record/memory.h"

struct finder {
    struct an_generation *generation;
    const struct an_elf *original;
    const struct an_arch *arch;
    struct an_bytes_at code; /* of a function, as it was */
    /* A bit for each of its bytes: a branch leads back there; nothing falls through to there; loops come by. */
    uint64_t *heads, *islands, *taken;
    uint64_t room; /* bytes that there are bits for */
    bool jumps_anywhere;
};

static void free_room(struct finder *finder)
{
    free(finder->heads);
    free(finder->islands);
    free(finder->taken);
}

static bool make_room(struct finder *finder, uint64_t size)
{
    size_t words = (size_t)(size / 64 + 1);
    if (size >= finder->room) {
        free_room(finder);
        finder->heads = an_alloc(words, sizeof *finder->heads);
        finder->islands = an_alloc(words, sizeof *finder->islands);
        finder->taken = an_alloc(words, sizeof *finder->taken);
        finder->room = finder->heads && finder->islands && finder->taken ? words * 64 : 0;
    }
    if (!finder->room)
        return false;
    memset(finder->heads, 0, words * sizeof *finder->heads);
    memset(finder->islands, 0, words * sizeof *finder->islands);
    memset(finder->taken, 0, words * sizeof *finder->taken);
    return true;
}

static bool falls_through(const struct an_instruction *instruction)
{
    return instruction->kind != AN_JUMP && instruction->kind != AN_INDIRECT_JUMP &&
           instruction->kind != AN_RETURN && instruction->kind != AN_STOP;
}

static bool decode(const struct finder *finder, uint64_t at, struct an_instruction *instruction)
{
    const struct an_bytes_at *code = &finder->code;
    return finder->arch->decode(code->bytes + at, code->size - at, code->address + at, instruction);
}

/* Reads a function's old code for what leads where. False when it cannot be read to its end: then nothing is known. */
static bool read_function(struct finder *finder)
{
    bool is_reached = true;
    finder->jumps_anywhere = false;
    for (uint64_t at = 0; at < finder->code.size;) {
        struct an_instruction now;
        if (!decode(finder, at, &now))
            return false;
        if (!is_reached && !now.is_nop)
            an_bit_set(finder->islands, at);
        if ((now.kind == AN_JUMP || now.kind == AN_CONDITIONAL_JUMP) &&
            now.target - finder->code.address <= at)
            an_bit_set(finder->heads, now.target - finder->code.address);
        finder->jumps_anywhere = finder->jumps_anywhere || now.kind == AN_INDIRECT_JUMP;
        if (!now.is_nop) /* padding is no end of a line, and begins none */
            is_reached = falls_through(&now);
        at += now.length;
    }
    return true;
}

/*
 * Which places are to be taken, whatever llvm-bolt makes of them: in all layouts the same. The jump stands behind the first
 * instruction of a block; where another one is to begin there, or the entry's jump is, that would be in its middle: of two
 * that are only one instruction apart the first is taken.
 */
static void choose(struct finder *finder)
{
    struct an_instruction now;
    bool is_behind = false; /* the first instruction of one that is taken leads to what comes now */
    for (uint64_t at = 0; at < finder->code.size && decode(finder, at, &now); at += now.length) {
        bool takes = !is_behind && (at == 0 || an_bit(finder->heads, at) ||
                                    (finder->jumps_anywhere && an_bit(finder->islands, at)));
        if (takes)
            an_bit_set(finder->taken, at);
        is_behind = now.is_nop ? is_behind || takes : takes && falls_through(&now);
    }
}

/* What llvm-bolt says of a function's blocks, in the order of the new code. */
static bool take_blocks(struct finder *finder, const struct an_moved *moved,
                        const struct an_bat_function *fragment)
{
    struct an_generation *generation = finder->generation;
    const struct an_bat_entry *entries = an_bat_entries(generation->bat, fragment);
    for (uint32_t i = 0; i < fragment->entry_count; i++) {
        uint64_t input = an_bat_entry_input(entries[i]), output = entries[i].output;
        if (an_bat_entry_is_branch(entries[i]) || input == 0 || input >= moved->original_size ||
            output >= fragment->size || !an_bit(finder->taken, input))
            continue;
        uint8_t first =
            an_elf_same_instruction(finder->arch, finder->original, moved->original + input,
                                    generation->elf, moved->address + output);
        if (!first)
            continue;
        struct an_moved *block = an_vector_push(&generation->blocks);
        if (!block)
            return false;
        *block = (struct an_moved){moved->original + input, moved->address + output,
                                   moved->original_size - input, fragment->size - output, first};
    }
    return true;
}

enum an_code an_moved_blocks_find(struct an_generation *generation, const struct an_elf *original,
                                  struct an_error *error)
{
    struct finder finder = {.generation = generation, .original = original};
    bool done = true;
    enum an_code code = an_elf_arch(original, &finder.arch, error);
    for (size_t i = 0; code == AN_OK && done && i < generation->moved.count; i++) {
        const struct an_moved *moved = &generation->moved.items[i];
        const struct an_bat_function *fragment = an_bat_find(generation->bat, moved->address);
        finder.code =
            (struct an_bytes_at){an_elf_at(original, moved->original, moved->original_size),
                                 moved->original_size, moved->original};
        if (!fragment || !finder.code.bytes)
            continue;
        done = make_room(&finder, finder.code.size);
        if (done && read_function(&finder)) {
            choose(&finder);
            done = take_blocks(&finder, moved, fragment);
        }
    }
    free_room(&finder);
    an_moved_sort(&generation->blocks);
    return code == AN_OK && !done ? an_fail_memory(error) : code;
}
