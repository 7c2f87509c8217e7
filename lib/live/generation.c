/* Reading what llvm-bolt wrote; see generation.h. */
#include "live/generation.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bolt/funcmap.h"
#include "elf/instructions.h"
#include "live/moved_blocks.h"
#include "record/memory.h"

static enum an_code other_shape(const struct an_generation *generation, const char *what,
                                struct an_error *error)
{
    an_fail(error, AN_UNSUPPORTED, "%s", what);
    an_error_in(error, generation->path);
    return an_error_hint(error,
                         "expected the output of llvm-bolt 19 for a binary linked with -Wl,-q");
}

static bool is_of_original(const struct an_elf *original, uint64_t address)
{
    size_t count;
    const struct an_elf_segment *segments = an_elf_segments(original, &count);
    for (size_t i = 0; i < count; i++)
        if (address >= segments[i].address &&
            address < segments[i].address + segments[i].memory_size)
            return true;
    return false;
}

static enum an_code find_segment(struct an_generation *generation, const struct an_elf *original,
                                 struct an_error *error)
{
    size_t count, found = 0;
    const struct an_elf_segment *segments = an_elf_segments(generation->elf, &count);
    for (size_t i = 0; i < count; i++) {
        const struct an_elf_segment *segment = &segments[i];
        uint64_t pages;
        if (is_of_original(original, segment->address))
            continue;
        found++;
        if ((segment->flags & PF_W) || !(segment->flags & PF_X) || segment->address % AN_PAGE ||
            segment->offset % AN_PAGE || segment->file_size != segment->memory_size ||
            __builtin_add_overflow(segment->file_size, (uint64_t)AN_PAGE - 1, &pages) ||
            pages > (uint64_t)1 << 31)
            return other_shape(generation, "a new segment with more than code", error);
        generation->start = segment->address;
        generation->end = segment->address + pages / AN_PAGE * AN_PAGE;
        generation->file_offset = segment->offset;
        generation->file_size = segment->file_size;
    }
    if (found != 1)
        return other_shape(generation, found ? "more than one new segment" : "no new segment",
                           error);
    return AN_OK;
}

/* ---- functions ---- */

static enum an_code find_moved(struct an_generation *generation, struct an_elf *original,
                               struct an_error *error)
{
    struct an_funcmap *map;
    struct an_funcmap_account account;
    const struct an_arch *arch;
    enum an_code code = an_elf_arch(original, &arch, error);
    generation->originals =
        an_alloc_zero(generation->bat->function_count + 1, sizeof *generation->originals);
    if (code == AN_OK && !generation->originals)
        code = an_fail_memory(error);
    if (code == AN_OK)
        code = an_funcmap_make(original, generation->elf, generation->bat, &map, &account, error);
    if (code != AN_OK)
        return code;
    for (size_t i = 0; i < map->count; i++) {
        const struct an_funcmap_record *record = &map->records[i];
        const struct an_bat_function *fragment = an_bat_find(generation->bat, record->output);
        if ((record->flags & (AN_FUNCMAP_COLD | AN_FUNCMAP_FOLDED)) || !fragment ||
            record->output < generation->start || record->output >= generation->end)
            continue;
        struct an_moved *moved = an_vector_push(&generation->moved);
        if (!moved) {
            an_funcmap_free(map);
            return an_fail_memory(error);
        }
        *moved = (struct an_moved){record->input, record->output, record->size, fragment->size,
                                   an_elf_same_instruction(arch, original, record->input,
                                                           generation->elf, record->output)};
        generation->originals[fragment - generation->bat->functions] = record->input;
        generation->new_code += fragment->size;
    }
    an_funcmap_free(map);
    if (generation->moved.count == 0)
        return other_shape(generation, "llvm-bolt moved no function", error);
    an_moved_sort(&generation->moved);
    return AN_OK;
}

const struct an_moved *an_generation_find(const struct an_generation *generation, uint64_t original)
{
    return an_moved_find(&generation->moved, original);
}

const struct an_moved *an_generation_around(const struct an_generation *generation,
                                            uint64_t address)
{
    const struct an_moved *moved = an_moved_last_until(&generation->moved, address);
    return moved && address - moved->original < moved->original_size ? moved : NULL;
}

void an_generation_lead(const struct an_generation *generation, struct an_reach *original)
{
    const struct an_bat *bat = generation->bat;
    for (size_t i = 0; i < bat->function_count; i++) {
        const struct an_bat_function *fragment = &bat->functions[i];
        const struct an_bat_entry *entries = an_bat_entries(bat, fragment);
        uint64_t function = generation->originals[fragment->parent];
        for (uint32_t k = 0; function && k < fragment->entry_count; k++)
            if (!an_bat_entry_is_branch(entries[k]))
                an_reach_lead(original, function + an_bat_entry_input(entries[k]));
    }
}

/* ---- the whole ---- */

static enum an_code open_file(struct an_generation *generation, const struct an_foreign *expected,
                              struct an_error *error)
{
    char name[AN_FOREIGN_NAME];
    int file = an_foreign_open(generation->path, expected, error);
    if (file < 0)
        return error->code;
    enum an_code code = an_elf_open(an_foreign_name(file, name), &generation->elf, error);
    close(file);
    return code;
}

enum an_code an_generation_open(struct an_generation *generation, const char *path, unsigned number,
                                const struct an_foreign *expected, struct an_elf *original,
                                struct an_error *error)
{
    *generation = (struct an_generation){.number = number};
    if (strlen(path) >= sizeof generation->path)
        return an_fail(error, AN_USAGE, "path too long");
    strcpy(generation->path, path);
    enum an_code code = open_file(generation, expected, error);
    if (code == AN_OK)
        code = find_segment(generation, original, error);
    if (code == AN_OK)
        code = an_bat_open(generation->elf, &generation->bat, error);
    if (code == AN_OK)
        code = find_moved(generation, original, error);
    if (code == AN_OK)
        code = an_moved_blocks_find(generation, original, error);
    for (size_t i = 0; code == AN_OK && i < generation->bat->function_count; i++) {
        const struct an_bat_function *fragment = &generation->bat->functions[i];
        uint64_t end = fragment->address + fragment->size;
        if (fragment->address >= generation->start && end <= generation->end &&
            end > generation->code_end)
            generation->code_end = end;
    }
    if (code == AN_OK)
        code = an_reach_of_layout(generation->elf, generation->bat, generation->start,
                                  generation->end, &generation->reach, error);
    if (code != AN_OK)
        an_error_in(error, path);
    const struct an_elf_section *frames =
        code == AN_OK ? an_elf_section(generation->elf, ".eh_frame") : NULL;
    if (frames && frames->address >= generation->start && frames->address < generation->end)
        generation->frames = frames->address;
    return code;
}

void an_generation_close(struct an_generation *generation)
{
    an_bat_free(generation->bat);
    an_elf_close(generation->elf);
    an_vector_free(&generation->moved);
    an_vector_free(&generation->blocks);
    free(generation->originals);
    an_reach_free(&generation->reach);
    *generation = (struct an_generation){0};
}
