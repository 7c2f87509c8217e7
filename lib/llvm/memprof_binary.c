/* Programs that leave raw memory profiles; see memprof_binary.h. What debug information says is for memprof_dwarf.c. */
#include "llvm/memprof_binary.h"

#include <anneal/llvm.h>

#include <stdlib.h>
#include <string.h>

/* LLVM takes the one executable segment that linkers make for granted. */
static enum an_code find_text(struct memprof_binary *binary, struct an_error *error)
{
    size_t count, found = 0;
    const struct an_elf_segment *segments = an_elf_segments(binary->elf, &count);
    for (size_t i = 0; i < count; i++)
        if (segments[i].flags & PF_X) {
            binary->text = segments[i].address;
            found++;
        }
    if (found == 1)
        return AN_OK;
    return an_fail(error, AN_UNSUPPORTED, "program with %zu executable segments, expected 1",
                   found);
}

static enum an_code check(struct memprof_binary *binary, struct an_error *error)
{
    binary->build_id = an_elf_build_id(binary->elf);
    if (binary->build_id.size)
        return find_text(binary, error);
    an_fail(error, AN_MISMATCH, "program without a build-id");
    return an_error_hint(error, "link it with --build-id");
}

struct memprof_binary *an_memprof_binary_open(const char *path, struct an_error *error)
{
    struct memprof_binary *binary = an_alloc_zero(1, sizeof *binary);
    if (!binary || pthread_mutex_init(&binary->lock, NULL) != 0) {
        free(binary);
        an_fail_memory(error);
        return NULL;
    }
    if (an_elf_open(path, &binary->elf, error) == AN_OK && check(binary, error) == AN_OK)
        return binary;
    an_memprof_binary_free(binary);
    return NULL;
}

void an_memprof_binary_free(struct memprof_binary *binary)
{
    if (!binary)
        return;
    an_elf_close(binary->elf);
    an_vector_free(&binary->frames);
    an_vector_free(&binary->places);
    an_map_free(&binary->place_of);
    an_arena_free(&binary->arena);
    pthread_mutex_destroy(&binary->lock);
    free(binary);
}

/* ---- frames ---- */

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

bool an_memprof_binary_add(struct memprof_binary *binary, const char *name, uint32_t line,
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

/* ---- addresses ---- */

uint32_t an_memprof_binary_place(const struct memprof_binary *binary, uint64_t address)
{
    return (uint32_t)(*an_map_find(&binary->place_of, address) - 1);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

/* The addresses that are not known yet, each once, ascending. */
static bool find_new(struct memprof_binary *binary, const uint64_t *addresses, size_t count,
                     uint64_t *fresh, size_t *fresh_count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_new = false;
        uint64_t *place = an_map_insert(&binary->place_of, addresses[i], &is_new);
        if (!place)
            return false;
        if (is_new)
            fresh[kept++] = addresses[i];
    }
    if (kept)
        qsort(fresh, kept, sizeof *fresh, by_value);
    for (size_t i = 0; i < kept; i++)
        *an_map_find(&binary->place_of, fresh[i]) = binary->places.count + i + 1;
    *fresh_count = kept;
    return binary->places.count + kept < MEMPROF_NONE;
}

enum an_code an_memprof_binary_locate(struct memprof_binary *binary, const uint64_t *addresses,
                                      size_t count, struct an_error *error)
{
    size_t fresh_count = 0;
    uint64_t *fresh = an_alloc(count, sizeof *fresh);
    bool found = fresh && find_new(binary, addresses, count, fresh, &fresh_count);
    enum an_code code = found ? AN_OK : an_fail_memory(error);
    if (found && fresh_count)
        code = an_memprof_dwarf_locate(binary, fresh, fresh_count, error);
    if (code != AN_OK) { /* what is there by half must not be taken for known */
        an_map_free(&binary->place_of);
        an_vector_free(&binary->places);
    }
    free(fresh);
    return code;
}
