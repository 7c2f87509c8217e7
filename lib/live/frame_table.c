/* Tables of frames; see frame_table.h. */
#include "live/frame_table.h"

#include <stdlib.h>
#include <string.h>

#include "live/find_object.h"
#include "live/frame_entry.h"

enum { COUNT = 8, ENTRY_SIZE = 8 };

/* A CIE (version 1, "zR", alignments 1 and -8, return address in register 16, DW_EH_PE_pcrel | sdata4) and an FDE of no
 * bytes; then the end. */
static const uint8_t no_code[] = {
    0x10, 0, 0, 0, 0,    0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0, 0, 0, /* CIE */
    0x10, 0, 0, 0, 0x18, 0, 0, 0, 0, 0,   0,   0, 0, 0,    0,  0, 0,    0, 0, 0, /* FDE */
    0,    0, 0, 0,
};
enum { NO_CODE_FDE = 20 };

struct entry {
    uint64_t begin, frame; /* as the process has them; frame 0: of no code */
};

struct maker {
    struct an_elf *program;
    uint64_t bias;
    struct {
        AN_VECTOR(struct entry);
    } entries;
    bool failed; /* no memory */
};

static void add(struct maker *maker, uint64_t begin, uint64_t frame)
{
    struct entry *entry = an_vector_push(&maker->entries);
    if (entry)
        *entry = (struct entry){begin, frame};
    else
        maker->failed = true;
}

/* ---- what there is ---- */

/* The program's own table. */
static bool add_program(struct maker *maker)
{
    const struct an_elf_section *section = an_elf_section(maker->program, ".eh_frame_hdr");
    struct an_bytes bytes =
        section ? an_elf_section_bytes(maker->program, section) : (struct an_bytes){0};
    if (bytes.size < AN_TABLE_HEAD || !an_find_object_is_table(bytes.data))
        return false;
    struct an_cursor cursor = an_cursor_at(bytes, COUNT, false);
    uint64_t base = section->address + maker->bias, count = an_cursor_u32(&cursor);
    if (count > an_cursor_left(&cursor) / ENTRY_SIZE)
        return false;
    while (count--) {
        uint64_t begin = base + (uint64_t)(int32_t)an_cursor_u32(&cursor);
        uint64_t frame = base + (uint64_t)(int32_t)an_cursor_u32(&cursor);
        add(maker, begin, frame);
    }
    return true;
}

static void add_generation(struct maker *maker, const struct an_generation *generation)
{
    const struct an_elf_section *section = an_elf_section(generation->elf, ".eh_frame");
    if (!section || !generation->frames)
        return;
    struct an_cursor cursor =
        an_cursor_at(an_elf_section_bytes(generation->elf, section), 0, false);
    struct an_frame_entry frame;
    while (an_frame_entry_read(&cursor, section->address, &frame))
        if (frame.location && frame.begin >= generation->start &&
            frame.begin < generation->code_end)
            add(maker, frame.begin + maker->bias, frame.address + maker->bias);
    add(maker, generation->code_end + maker->bias, 0);
}

/* ---- the table ---- */

static int by_begin(const void *one, const void *other)
{
    const struct entry *a = one, *b = other;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static bool is_near(uint64_t base, uint64_t address)
{
    int64_t distance = (int64_t)(address - base);
    return distance == (int32_t)distance;
}

static bool are_near(const struct maker *maker, uint64_t base)
{
    for (size_t i = 0; i < maker->entries.count; i++) {
        const struct entry *entry = &maker->entries.items[i];
        if (!is_near(base, entry->begin) || (entry->frame && !is_near(base, entry->frame)))
            return false;
    }
    return true;
}

/* Where the program's frames begin; unwinders that find nothing by the table may go through all of them. */
static uint64_t frames_of(const struct maker *maker)
{
    const struct an_elf_section *section = an_elf_section(maker->program, ".eh_frame");
    return section ? section->address + maker->bias : 0;
}

static void write(const struct maker *maker, uint64_t base, struct an_buffer *table)
{
    static const uint8_t head[] = {1, 0x1b, 3, 0x3b};
    size_t count = maker->entries.count;
    uint64_t nothing = base + AN_TABLE_HEAD + ENTRY_SIZE * count + NO_CODE_FDE;
    an_buffer_put(table, head, sizeof head);
    an_buffer_le(table, frames_of(maker) - (base + sizeof head), 4);
    an_buffer_le(table, count, 4);
    for (size_t i = 0; i < count; i++) {
        const struct entry *entry = &maker->entries.items[i];
        an_buffer_le(table, entry->begin - base, 4);
        an_buffer_le(table, (entry->frame ? entry->frame : nothing) - base, 4);
    }
    an_buffer_put(table, no_code, sizeof no_code);
}

enum an_code an_frame_table_make(struct an_elf *program, uint64_t bias,
                                 const struct an_generation *const *generations, size_t count,
                                 uint64_t address, struct an_buffer *table, struct an_error *error)
{
    struct maker maker = {.program = program, .bias = bias};
    bool is_known = add_program(&maker);
    for (size_t i = 0; i < count; i++)
        add_generation(&maker, generations[i]);
    if (maker.entries.count)
        qsort(maker.entries.items, maker.entries.count, sizeof *maker.entries.items, by_begin);
    enum an_code code = AN_OK;
    if (maker.failed)
        code = an_fail_memory(error);
    else if (!is_known || !are_near(&maker, address) || !is_near(address, frames_of(&maker)))
        code = an_fail(error, AN_UNSUPPORTED, "no table of frames can be made for new code");
    else
        write(&maker, address, table);
    an_vector_free(&maker.entries);
    return code == AN_OK && table->failed ? an_fail_memory(error) : code;
}

bool an_frame_table_blank(void *table, size_t size, uint64_t address, uint64_t start, uint64_t end)
{
    uint8_t *bytes = table;
    if (size < AN_TABLE_HEAD + sizeof no_code || !an_find_object_is_table(bytes))
        return false;
    uint64_t count = an_get32(bytes + COUNT, false);
    if (count > (size - AN_TABLE_HEAD - sizeof no_code) / ENTRY_SIZE)
        return false;
    uint32_t nothing = (uint32_t)(AN_TABLE_HEAD + ENTRY_SIZE * count + NO_CODE_FDE);
    for (uint64_t i = 0; i < count; i++) {
        uint8_t *frame = bytes + AN_TABLE_HEAD + ENTRY_SIZE * i + 4;
        uint64_t there = address + (uint64_t)(int32_t)an_get32(frame, false);
        if (there >= start && there < end)
            memcpy(frame, &nothing, sizeof nothing);
    }
    return true;
}
