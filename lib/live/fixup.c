/* Fixing up what llvm-bolt wrote; see fixup.h. */
#include "live/fixup.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "elf/instructions.h"
#include "live/frame_entry.h"
#include "live/skip.h"

struct mender {
    const struct an_generation *generation;
    struct an_map originals; /* by new entry: the original one, + 1 */
    struct an_map unknown;   /* entries without one that operands name: symbols there */
    bool failed;             /* no memory for another one */
    int file;
    struct an_buffer *skip;
    struct an_fixups *fixups;
    struct an_error *error;
};

/* Replaces bytes of the new segment. */
static enum an_code edit(struct mender *mender, uint64_t address, uint64_t value, size_t size)
{
    const struct an_generation *generation = mender->generation;
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    off_t at = (off_t)(address - generation->start + generation->file_offset);
    if (pwrite(mender->file, bytes, size, at) != (ssize_t)size)
        return an_fail_errno(mender->error, generation->path, "writing");
    return AN_OK;
}

/* ---- operands ---- */

enum { UNKNOWN = 0 }; /* of a function with new code it is not known which it was */

static bool original_of(struct mender *mender, uint64_t address, uint64_t *original)
{
    const uint64_t *found = an_map_find(&mender->originals, address);
    bool is_new;
    if (found && *found == UNKNOWN && !an_map_insert(&mender->unknown, address, &is_new))
        mender->failed = true;
    if (!found || *found == UNKNOWN)
        return false;
    *original = *found - 1;
    return true;
}

/* Takes the address of a function back to its original entry. */
static enum an_code mend_field(struct mender *mender, uint64_t address,
                               const struct an_address_field *field)
{
    uint64_t original;
    if (!original_of(mender, field->value, &original))
        return AN_OK;
    mender->fixups->operands++;
    return edit(mender, address + field->at, original - field->base, field->size);
}

/* *length is 0 when there is no instruction. */
static enum an_code mend_instruction(struct mender *mender, const struct an_arch *arch,
                                     const struct an_bytes_at *code, size_t *length)
{
    struct an_address_field fields[AN_MOST_ADDRESS_FIELDS];
    size_t count;
    *length = arch->address_fields(code, fields, &count);
    for (size_t i = 0; i < count; i++)
        if (mend_field(mender, code->address, &fields[i]) != AN_OK)
            return mender->error->code;
    return AN_OK;
}

/* Any function of a name that is there may be the one that is not known. Without a name, it is one of those
 * that llvm-bolt has found by their frames, and named itself. */
static enum an_code skip_unknown(struct mender *mender)
{
    const struct an_elf_symbol *symbols;
    size_t count, named = 0;
    enum an_code code = an_elf_symbols(mender->generation->elf, &symbols, &count, mender->error);
    for (size_t i = 0; code == AN_OK && i < count; i++) {
        uint64_t *there = an_map_find(&mender->unknown, symbols[i].address);
        if (!there || symbols[i].type != STT_FUNC || !*symbols[i].name)
            continue; /* llvm-bolt puts symbols of its own there, as __hot_start */
        named += *there == 0;
        ++*there;
        an_skip_add(mender->skip, symbols[i].name, strlen(symbols[i].name), "(/.*)?");
    }
    if (named < mender->fixups->unknown)
        an_skip_add(mender->skip, "__BOLT_FDE_FUNCat", strlen("__BOLT_FDE_FUNCat"), ".*");
    return mender->skip->failed ? an_fail_memory(mender->error) : code;
}

static enum an_code refuse_unknown(struct mender *mender)
{
    if (mender->failed)
        return an_fail_memory(mender->error);
    mender->fixups->unknown = mender->unknown.used + mender->unknown.has_zero;
    if (mender->fixups->unknown == 0)
        return AN_OK;
    enum an_code code = skip_unknown(mender);
    if (code != AN_OK)
        return code;
    an_fail(mender->error, AN_UNSUPPORTED,
            "new code takes the address of %zu function%s with unknown original",
            mender->fixups->unknown, mender->fixups->unknown == 1 ? "" : "s");
    return an_error_in(mender->error, mender->generation->path);
}

static enum an_code mend_code(struct mender *mender)
{
    const struct an_generation *generation = mender->generation;
    const struct an_arch *arch;
    enum an_code code = an_elf_arch(generation->elf, &arch, mender->error);
    for (size_t i = 0; code == AN_OK && i < generation->bat->function_count; i++) {
        const struct an_bat_function *function = &generation->bat->functions[i];
        if (function->address < generation->start || function->address >= generation->end)
            continue;
        const uint8_t *bytes = an_elf_at(generation->elf, function->address, function->size);
        size_t length;
        for (size_t at = 0; bytes && at < function->size && code == AN_OK;
             at += length ? length : 1)
            code = mend_instruction(
                mender, arch,
                &(struct an_bytes_at){bytes + at, function->size - at, function->address + at},
                &length);
    }
    if (code != AN_OK)
        return code;
    return refuse_unknown(mender);
}

/* ---- frames ---- */

/* The new code lies between the first and the last byte of sections that begin with .text. */
static bool is_new_code(const struct an_generation *generation, uint64_t address)
{
    return address >= generation->start && address < generation->end;
}

static enum an_code mend_frames(struct mender *mender)
{
    const struct an_generation *generation = mender->generation;
    const struct an_elf_section *section = an_elf_section(generation->elf, ".eh_frame");
    if (!generation->frames || !section)
        return AN_OK;
    struct an_bytes bytes = an_elf_section_bytes(generation->elf, section);
    struct an_frame_entry entry;
    uint64_t last = section->address;
    struct an_cursor cursor = an_cursor_at(bytes, 0, false);
    while (an_frame_entry_read(&cursor, section->address, &entry)) {
        if (entry.location && is_new_code(generation, entry.begin))
            last = entry.next;
    }
    cursor = an_cursor_at(bytes, 0, false);
    while (an_frame_entry_read(&cursor, section->address, &entry) && entry.next <= last) {
        bool drop = entry.location && !is_new_code(generation, entry.begin);
        mender->fixups->frames_dropped += drop;
        mender->fixups->frames_kept += entry.location && !drop;
        if (drop && edit(mender, entry.location, 0, 4) != AN_OK)
            return mender->error->code;
    }
    if (last + 4 <= section->address + bytes.size)
        return edit(mender, last, 0, 4);
    an_fail(mender->error, AN_UNSUPPORTED, "no room for the end of .eh_frame");
    return an_error_in(mender->error, generation->path);
}

/* ---- the whole ---- */

static bool know_originals(struct mender *mender)
{
    const struct an_generation *generation = mender->generation;
    const struct an_bat *bat = generation->bat;
    bool is_new;
    for (size_t i = 0; i < bat->function_count; i++)
        if (!bat->functions[i].is_cold && bat->functions[i].address >= generation->start &&
            !an_map_insert(&mender->originals, bat->functions[i].address, &is_new))
            return false;
    for (size_t i = 0; i < generation->moved.count; i++) {
        const struct an_moved *moved = &generation->moved.items[i];
        uint64_t *value = an_map_insert(&mender->originals, moved->address, &is_new);
        if (!value)
            return false;
        *value = moved->original + 1;
    }
    return true;
}

enum an_code an_fixup_file(const struct an_generation *generation, struct an_buffer *skip,
                           struct an_fixups *fixups, struct an_error *error)
{
    struct mender mender = {
        .generation = generation, .skip = skip, .fixups = fixups, .error = error};
    *fixups = (struct an_fixups){0};
    mender.file = open(generation->path, O_WRONLY | O_CLOEXEC);
    if (mender.file < 0)
        return an_fail_errno(error, generation->path, "opening");
    enum an_code code = know_originals(&mender) ? AN_OK : an_fail_memory(error);
    if (code == AN_OK)
        code = mend_code(&mender);
    if (code == AN_OK)
        code = mend_frames(&mender);
    if (close(mender.file) != 0 && code == AN_OK)
        code = an_fail_errno(error, generation->path, "writing");
    an_map_free(&mender.originals);
    an_map_free(&mender.unknown);
    return code;
}
