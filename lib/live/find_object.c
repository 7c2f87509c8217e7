/* The dynamic linker's record of the program; see find_object.h. */
#include "live/find_object.h"

#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#include "live/threads.h"
#include "record/memory.h"

enum { WORDS = 4, RECORD_SIZE = 8 * WORDS };

struct search {
    const struct an_target *target;
    uint64_t start, dynamic; /* of the program */
    struct an_find_object *record;
    size_t found;
};

bool an_find_object_is_table(const void *head)
{
    /* version 1; the address of .eh_frame, the count, and how entries are encoded: DW_EH_PE_pcrel | sdata4,
     * udata4, DW_EH_PE_datarel | sdata4 */
    static const uint8_t usual[] = {1, 0x1b, 3, 0x3b};
    return memcmp(head, usual, sizeof usual) == 0;
}

/* ---- the program ---- */

/* What glibc calculates of the program's segments (rtld_setup_main_map in elf/rtld.c). */
static bool know_program(struct search *search)
{
    const struct an_target *target = search->target;
    const struct an_elf_section *table = an_elf_section(target->elf, ".eh_frame_hdr");
    const struct an_elf_section *dynamic = an_elf_section(target->elf, ".dynamic");
    struct an_bytes head = table ? an_elf_section_bytes(target->elf, table) : (struct an_bytes){0};
    size_t count;
    const struct an_elf_segment *segments = an_elf_segments(target->elf, &count);
    uint64_t end = 0;
    if (!dynamic || !count || head.size < AN_TABLE_HEAD || !an_find_object_is_table(head.data))
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t segment_end = segments[i].address + segments[i].memory_size;
        end = segment_end > end ? segment_end : end;
    }
    uint64_t alignment = segments[0].alignment ? segments[0].alignment : 1;
    search->start = (segments[0].address & ~(alignment - 1)) + target->bias;
    search->dynamic = dynamic->address + target->bias;
    search->record->program_end = end + target->bias;
    search->record->program_table = table->address + target->bias;
    return true;
}

/* ---- the record ---- */

/* A link map begins with the bias, a name and the address of .dynamic: <link.h>. */
static bool is_link_map(const struct search *search, uint64_t address)
{
    uint64_t words[3];
    return address % 8 == 0 && an_target_read(search->target, address, words, sizeof words) &&
           words[0] == search->target->bias && words[2] == search->dynamic;
}

/* As it was at the start, or as another process of ours has left it. */
static bool is_known(const struct search *search, uint64_t end, uint64_t table)
{
    uint8_t head[AN_TABLE_HEAD];
    const struct an_find_object *record = search->record;
    if (table == record->program_table)
        return end == record->program_end;
    return end > record->program_end && table % AN_PAGE == 0 &&
           an_target_read(search->target, table, head, sizeof head) &&
           an_find_object_is_table(head);
}

/* A write within one page is done as a whole. */
static bool is_on_one_page(uint64_t address)
{
    return address % AN_PAGE + RECORD_SIZE <= AN_PAGE;
}

static void search_page(struct search *search, uint64_t address, const uint64_t *words,
                        size_t count)
{
    for (size_t i = 0; i + WORDS <= count; i++) {
        if (words[i] != search->start || !is_on_one_page(address + 8 * i) ||
            !is_known(search, words[i + 1], words[i + 3]) || !is_link_map(search, words[i + 2]))
            continue;
        search->found++;
        search->record->address = address + 8 * i;
        search->record->end = words[i + 1];
        search->record->table = words[i + 3];
    }
}

/* The linker's data that cannot be written: constants, and what it has protected at the start. It is some 50 pages; what
 * has many more is no linker. */
static void search_linker(struct search *search)
{
    enum { MOST_PAGES = 4096 };
    size_t pages = 0;
    const struct an_target *target = search->target;
    const struct an_target_mapping *linker =
        an_target_mapping_at(target, an_target_auxiliary(target, AT_BASE));
    uint64_t words[AN_PAGE / 8];
    for (size_t i = 0; linker && i < target->maps.count; i++) {
        const struct an_target_mapping *mapping = &target->maps.items[i];
        if (mapping->inode == 0 || mapping->inode != linker->inode ||
            mapping->device != linker->device ||
            (mapping->flags & (AN_MAP_READ | AN_MAP_WRITE | AN_MAP_EXECUTE)) != AN_MAP_READ)
            continue;
        for (uint64_t page = mapping->start; page < mapping->end && pages < MOST_PAGES;
             page += AN_PAGE, pages++)
            if (an_target_read(target, page, words, sizeof words))
                search_page(search, page, words, AN_PAGE / 8);
    }
}

bool an_find_object_record(const struct an_target *target, struct an_find_object *record)
{
    struct search search = {.target = target, .record = record};
    *record = (struct an_find_object){0};
    if (!know_program(&search))
        return false;
    search_linker(&search);
    return search.found == 1;
}

/* ---- changing it ---- */

struct said {
    uint64_t end, table;
};

/* From the end to the table; the link map between them stays. */
static bool write_record(const struct an_target *target, uint64_t address, struct said before,
                         struct said after)
{
    uint64_t words[WORDS - 1];
    if (!an_target_read(target, address + 8, words, sizeof words) || words[0] != before.end ||
        words[2] != before.table)
        return false;
    words[0] = after.end;
    words[2] = after.table;
    return an_target_write(target, address + 8, words, sizeof words);
}

bool an_find_object_make(const struct an_target *target, const struct an_find_object_change *change)
{
    return write_record(target, change->record.address,
                        (struct said){change->record.end, change->record.table},
                        (struct said){change->end, change->table});
}

bool an_find_object_take_back(const struct an_target *target,
                              const struct an_find_object_change *change)
{
    return write_record(target, change->record.address, (struct said){change->end, change->table},
                        (struct said){change->record.end, change->record.table});
}

static enum an_code attempt(struct an_threads *threads, const struct an_find_object_change *change,
                            uint64_t most, double *pause, struct an_error *error)
{
    const struct an_target *target = threads->target;
    enum an_code code = an_threads_stop(threads, most, error);
    if (code == AN_OK) {
        if (!an_target_is_there(target) || !an_find_object_make(target, change))
            code =
                an_fail(error, AN_SYSTEM,
                        "cannot tell the dynamic linker of process %d about frames", target->pid);
        an_threads_release(threads);
    }
    double seconds = (double)threads->pause * 1e-9;
    *pause = seconds > *pause ? seconds : *pause;
    return code;
}

enum an_code an_find_object_stop_and_make(const struct an_target *target,
                                          const struct an_find_object_change *change, uint64_t most,
                                          double *pause, struct an_error *error)
{
    enum { ATTEMPTS = 10, A_WHILE = 50000000 };
    const struct timespec wait = {0, A_WHILE};
    struct an_threads threads;
    an_threads_open(&threads, target);
    enum an_code code = attempt(&threads, change, most, pause, error);
    for (unsigned i = 1; i < ATTEMPTS && code == AN_SYSTEM && an_target_is_there(target); i++) {
        nanosleep(&wait, NULL);
        code = attempt(&threads, change, most, pause, error);
    }
    an_threads_close(&threads);
    return code;
}
