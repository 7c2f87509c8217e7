/* Frames of raw memory profiles, as indexed ones have them; see memprof_frame.h. */
#include "llvm/memprof_frame.h"

#include <string.h>

#include <anneal/llvm.h>

/* Compilers append these, with more behind the second dot, to the names of functions that they make of others. */
static size_t length_without_suffixes(const char *name)
{
    static const char *const suffixes[] = {".llvm.", ".part."};
    size_t length = strlen(name);
    for (int i = 0; i < 2; i++) {
        size_t at = length;
        while (at && name[at - 1] != '.')
            at--;
        size_t size = strlen(suffixes[i]); /* what is behind it has no dot */
        if (at >= size && memcmp(name + at - size, suffixes[i], size) == 0)
            length = at - size;
    }
    return length;
}

static void put_le32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

bool an_memprof_frame_add(struct memprof_binary *binary, const char *name, uint32_t line,
                          uint32_t column, bool is_inlined)
{
    size_t length = length_without_suffixes(name);
    struct memprof_located *located = an_vector_push(&binary->frames);
    const char *copy = located ? an_arena_copy(&binary->arena, name, length) : NULL;
    if (!copy)
        return false;
    uint64_t function = an_llvm_name_hash(copy, length);
    put_le32(located->frame, (uint32_t)function);
    put_le32(located->frame + 4, (uint32_t)(function >> 32));
    put_le32(located->frame + 8, line);
    put_le32(located->frame + 12, column);
    located->frame[16] = is_inlined;
    located->name = copy;
    binary->places.items[binary->places.count - 1].count++;
    return true;
}
