/* Programs that leave raw memory profiles; see memprof_binary.h. What debug information says is for memprof_dwarf.c. */
#include "llvm/memprof_binary.h"

#include <stdlib.h>

#include "llvm/memprof_dwarf.h"

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
    an_memprof_dwarf_close(binary->debug);
    an_elf_close(binary->elf);
    an_vector_free(&binary->frames);
    an_vector_free(&binary->places);
    an_map_free(&binary->place_of);
    an_arena_free(&binary->arena);
    pthread_mutex_destroy(&binary->lock);
    free(binary);
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
