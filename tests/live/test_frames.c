/*
 * The dynamic linker's record of a program, and tables of frames: those of this program, as the C library says them, and
 * as GCC's unwinder reads them.
 *
 *     this program | ... | code 256 | .eh_frame 256 | ... | a table
 *                          the generation: nobody calls it, but its frames are found
 */
#include "support/test.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/find_object.h"
#include "live/frame_table.h"
#include "process.h"
#include "support/elf_build.h"

enum { CODE_SIZE = 256, FRAMES_SIZE = 256, ROOM = 1 << 20, PAGE = 4096 };

/* ---- this process ---- */

static int take_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
    (void)size;
    *(uint64_t *)bias = info->dlpi_addr;
    return 1; /* the first is the program */
}

static void open_self(struct an_target *target)
{
    struct an_error error;
    *target = open_process(getpid());
    assert_int_equal(an_elf_open("/proc/self/exe", &target->elf, &error), AN_OK);
    dl_iterate_phdr(take_bias, &target->bias);
}

/* ---- those who know ---- */

struct found_object { /* struct dl_find_object, which this C library may not have */
    unsigned long long flags;
    void *map_start, *map_end;
    struct link_map *link_map;
    void *table;
    unsigned long long reserved[7];
};

struct bases {
    void *text, *data, *function;
};

static int (*find_object)(void *address, struct found_object *found);
static const void *(*find_fde)(void *address, struct bases *bases);

/* False: skipped, and said so. */
static bool know_peers(void)
{
    void *unwinder = dlopen("libgcc_s.so.1", RTLD_NOW);
    *(void **)&find_object = dlsym(RTLD_DEFAULT, "_dl_find_object");
    *(void **)&find_fde = unwinder ? dlsym(unwinder, "_Unwind_Find_FDE") : NULL;
    if (find_object && find_fde)
        return true;
    print_message("# glibc before 2.35, or no libgcc_s: install libgcc-s1\n");
    return false;
}

static void record_is_found(void **state)
{
    (void)state;
    struct an_target target;
    struct an_find_object record;
    struct found_object found;
    if (!know_peers())
        skip();
    open_self(&target);
    assert_true(an_find_object_record(&target, &record));
    assert_int_equal(find_object((void *)record_is_found, &found), 0);
    assert_int_equal(record.table, (uintptr_t)found.table);
    assert_int_equal(record.end, (uintptr_t)found.map_end);
    assert_int_equal(record.program_table, record.table);
    assert_int_equal(record.program_end, record.end);
    close_process(&target);
}

/* Without the dynamic section it cannot be told from others; without a table there is nothing to search. */
static void no_record(void **state)
{
    (void)state;
    static const uint8_t table[AN_TABLE_HEAD] = {1, 0x1b, 3, 0x3b},
                         other[AN_TABLE_HEAD] = {1, 0x1b, 3, 0x1b};
    struct an_target target;
    struct an_find_object record;
    open_self(&target);
    for (unsigned i = 0; i < 3; i++) {
        struct elf_builder b = {.independent = true};
        an_elf_close(target.elf);
        elf_section(&b, ".text", 0x1000, SHF_EXECINSTR, table, sizeof table);
        if (i < 2)
            elf_section(&b, ".dynamic", 0x2000, SHF_WRITE, table, sizeof table);
        if (i)
            elf_section(&b, ".eh_frame_hdr", 0x3000, 0, i == 1 ? other : table, sizeof table);
        target.elf = elf_open(&b);
        assert_false(an_find_object_record(&target, &record));
    }
    close_process(&target);
}

/* ---- tables ---- */

struct near { /* what lies within reach of this program */
    uint8_t *code, *frames, *table;
};

static struct near map_near(const struct an_target *target)
{
    uint64_t end = 0;
    size_t count;
    const struct an_elf_segment *segments = an_elf_segments(target->elf, &count);
    for (size_t i = 0; i < count; i++)
        end = segments[i].address + segments[i].memory_size + target->bias;
    uint8_t *room = MAP_FAILED;
    for (uint64_t at = (end / PAGE + 1) * PAGE; room == MAP_FAILED; at += (uint64_t)1 << 24)
        room = mmap((void *)at, ROOM, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    return (struct near){room, room + CODE_SIZE, room + PAGE};
}

static void put32(uint8_t *to, uint64_t value)
{
    uint32_t word = (uint32_t)value;
    memcpy(to, &word, sizeof word);
}

/* A CIE, and FDEs of two functions, of which the first begins the code; behind them, one that was dropped. */
static void make_frames(const struct near *near)
{
    static const uint8_t cie[] = {16, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b};
    const uint8_t *begins[] = {near->code, near->code + 128, near->frames + 68};
    memcpy(near->frames, cie, sizeof cie);
    for (unsigned i = 0; i < 3; i++) {
        uint8_t *fde = near->frames + 20 + (size_t)20 * i;
        put32(fde, 16);
        put32(fde + 4, (uint64_t)(fde + 4 - near->frames));
        put32(fde + 8, (uint64_t)(begins[i] - (fde + 8)));
        put32(fde + 12, 64);
    }
}

static void begin_generation(const struct an_target *target, const struct near *near,
                             struct an_generation *generation)
{
    struct elf_builder b = {.independent = true};
    struct an_error error;
    make_frames(near);
    uint64_t code = (uintptr_t)near->code - target->bias;
    uint64_t frames = (uintptr_t)near->frames - target->bias;
    *generation = (struct an_generation){
        .start = code, .code_end = code + 192, .end = frames + FRAMES_SIZE, .frames = frames};
    elf_section(&b, ".text", code, SHF_EXECINSTR, near->code, CODE_SIZE);
    elf_section(&b, ".eh_frame", frames, 0, near->frames, FRAMES_SIZE);
    int file = elf_file(&b);
    snprintf(generation->path, sizeof generation->path, "/proc/self/fd/%d", file);
    assert_int_equal(an_elf_open(generation->path, &generation->elf, &error), AN_OK);
    close(file);
}

static void make_table(const struct an_target *target, const struct an_generation *generation,
                       const struct near *near, size_t *size)
{
    struct an_buffer table = {0};
    struct an_error error;
    assert_int_equal(an_frame_table_make(target->elf, target->bias, &generation, 1,
                                         (uintptr_t)near->table, &table, &error),
                     AN_OK);
    assert_true(table.size < ROOM - PAGE);
    memcpy(near->table, table.data, table.size);
    *size = table.size;
    an_buffer_free(&table);
}

static const void *fde_at(const uint8_t *address)
{
    struct bases bases;
    /* the unwinder looks for the code before a return address */
    return find_fde((void *)(uintptr_t)address, &bases);
}

/* What the program's own table says of the middle of each of its functions is what ours says. */
static size_t note_own(const struct an_target *target, const struct an_find_object *record,
                       const void **fdes, size_t most)
{
    uint32_t count;
    const uint8_t *own = (const uint8_t *)(uintptr_t)record->program_table;
    (void)target;
    memcpy(&count, own + 8, sizeof count);
    for (uint32_t i = 0; i < count && i < most; i++) {
        int32_t begin;
        memcpy(&begin, own + AN_TABLE_HEAD + (size_t)8 * i, sizeof begin);
        fdes[i] = fde_at(own + begin + 1);
    }
    return count < most ? count : most;
}

static void table_is_read(void **state)
{
    (void)state;
    enum { MOST = 10000 };
    static const void *before[MOST], *after[MOST];
    struct an_target target;
    struct an_generation generation;
    struct an_find_object_change change;
    size_t size;
    if (!know_peers())
        skip();
    open_self(&target);
    struct near near = map_near(&target);
    assert_true(an_find_object_record(&target, &change.record));
    begin_generation(&target, &near, &generation);
    make_table(&target, &generation, &near, &size);
    size_t count = note_own(&target, &change.record, before, MOST);
    assert_true(count > 20);
    assert_null(fde_at(near.code + 10));

    change.table = (uintptr_t)near.table;
    change.end = generation.code_end + target.bias;
    assert_true(an_find_object_make(&target, &change));
    assert_false(an_find_object_make(&target, &change)); /* it says something else now */
    assert_int_equal(note_own(&target, &change.record, after, MOST), count);
    assert_memory_equal(before, after, count * sizeof *before);
    assert_ptr_equal(fde_at(near.code + 10), near.frames + 20);
    assert_ptr_equal(fde_at(near.code + 130), near.frames + 40);
    assert_null(fde_at(near.code + 70)); /* between the two */
    struct an_find_object again;
    assert_true(an_find_object_record(&target, &again));
    assert_int_equal(again.table, change.table);
    assert_int_equal(again.program_end, change.record.end);

    /* the layout goes, and its frames are not read any more, wherever its code was */
    assert_true(an_frame_table_blank(near.table, size, change.table, generation.start + target.bias,
                                     generation.end + target.bias));
    mprotect(near.code, PAGE, PROT_NONE);
    assert_null(fde_at(near.code + 10));
    assert_null(fde_at(near.code + 130));
    assert_int_equal(note_own(&target, &change.record, after, MOST), count);
    assert_memory_equal(before, after, count * sizeof *before);

    assert_true(an_find_object_take_back(&target, &change));
    assert_true(an_find_object_record(&target, &again));
    assert_int_equal(again.table, change.record.table);
    an_elf_close(generation.elf);
    munmap(near.code, ROOM);
    close_process(&target);
}

/* What lies behind a layout's code, and before its frames, is not looked for in its last function. */
static void nothing_behind(void **state)
{
    (void)state;
    struct an_target target;
    struct an_generation generation;
    size_t size;
    open_self(&target);
    struct near near = map_near(&target);
    begin_generation(&target, &near, &generation);
    make_table(&target, &generation, &near, &size);
    uint32_t count;
    memcpy(&count, near.table + 8, sizeof count);
    const uint8_t *last = near.table + AN_TABLE_HEAD + (size_t)8 * (count - 1);
    int32_t begin, frame;
    memcpy(&begin, last, sizeof begin);
    memcpy(&frame, last + 4, sizeof frame);
    assert_ptr_equal(near.table + begin, near.code + 192);
    assert_ptr_equal(near.table + frame, near.table + AN_TABLE_HEAD + (size_t)8 * count + 20);
    assert_int_equal(size, AN_TABLE_HEAD + 8 * count + 44);
    an_elf_close(generation.elf);
    munmap(near.code, ROOM);
    close_process(&target);
}

static enum an_code table_of(const void *own, size_t size, uint64_t address)
{
    struct elf_builder b = {0};
    struct an_buffer table = {0};
    struct an_error error;
    elf_section(&b, ".eh_frame", 0x400000, 0, own, size);
    elf_section(&b, ".eh_frame_hdr", 0x401000, 0, own, size);
    struct an_elf *elf = elf_open(&b);
    enum an_code code = an_frame_table_make(elf, 0, NULL, 0, address, &table, &error);
    an_buffer_free(&table);
    an_elf_close(elf);
    return code;
}

static void no_table(void **state)
{
    (void)state;
    uint8_t own[20] = {1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 1};
    assert_int_equal(table_of(own, sizeof own, 0x500000), AN_OK);
    assert_int_equal(table_of(own, sizeof own, 0x500000 + ((uint64_t)1 << 31)), AN_UNSUPPORTED);
    own[8] = 2; /* more entries than there are */
    assert_int_equal(table_of(own, sizeof own, 0x500000), AN_UNSUPPORTED);
    own[8] = 1;
    own[3] = 0x1b; /* in another encoding */
    assert_int_equal(table_of(own, sizeof own, 0x500000), AN_UNSUPPORTED);
    assert_int_equal(table_of(own, 8, 0x500000), AN_UNSUPPORTED);
    assert_false(an_frame_table_blank(own, sizeof own, 0, 0, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(record_is_found), cmocka_unit_test(no_record),
        cmocka_unit_test(table_is_read),   cmocka_unit_test(nothing_behind),
        cmocka_unit_test(no_table),
    };
    return RUN_TESTS(tests);
}
