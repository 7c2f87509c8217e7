/*
 * What is patched for a generation: entries, calls that the linker has made or llvm-bolt has changed in its copy
 * too, and words of virtual tables; nothing else.
 *
 *     1000 + 40 k   function k of the original, k < 4; 0, 1 and 2 have new code at 600000 + 40 k
 *     1100          a caller
 *     5000          data
 */
#include "live/patches.h"

#include <unistd.h>

#include "support/elf_build.h"
#include "support/test.h"

enum { TEXT = 0x1000, SIZE = 0x40, CALLER = 0x1100, DATA = 0x5000, NEW = 0x600000, MOVED = 3 };

struct made {
    bool independent;
    uint8_t code[0x200], copy[0x200], data[0x80];
    uint64_t data_address;
    const char *table; /* the name of the object that is the data */
    struct {           /* of a relocation of the loader */
        uint64_t address, value;
    } word;
    uint64_t linked[3]; /* where the linker has put the distance to function 1 */
    uint64_t bias;
    struct an_elf *original;
    struct an_functions functions;
    struct an_reach reach;
    struct an_generation generation;
    struct an_moved moved[MOVED];
    uint8_t first[MOVED]; /* lengths of their first instructions */
    struct an_moved blocks[3];
    size_t block_count;
    struct an_patches patches;
};

static uint64_t entry_of(unsigned k)
{
    return TEXT + SIZE * k;
}

static uint64_t new_entry(unsigned k)
{
    return NEW + SIZE * k;
}

static void put(uint8_t *to, uint64_t value, size_t size)
{
    memcpy(to, &value, size);
}

static void begin(struct made *made)
{
    *made = (struct made){.data_address = DATA, .table = "_ZTV1A", .first = {1, 1, 1}};
    memset(made->code, 0x90, sizeof made->code);
    for (unsigned k = 0; k < 5; k++)
        made->code[SIZE * (k + 1) - 1] = 0xc3;
    memcpy(made->copy, made->code, sizeof made->code);
}

/* A call in the caller; in llvm-bolt's copy it leads to `copied`. */
static void put_call(struct made *made, uint64_t address, uint64_t target, uint64_t copied)
{
    made->code[address - TEXT] = made->copy[address - TEXT] = 0xe8;
    put(made->code + (address - TEXT) + 1, target - (address + 5), 4);
    put(made->copy + (address - TEXT) + 1, copied - (address + 5), 4);
}

/* The file of a builder, opened with its relocations as those that the loader makes. */
static struct an_elf *open_for_loader(const struct elf_builder *b)
{
    char path[40];
    struct an_elf *elf;
    struct an_error error;
    Elf64_Ehdr head;
    Elf64_Shdr section;
    int file = elf_file(b);
    assert_int_equal(pread(file, &head, sizeof head, 0), sizeof head);
    for (unsigned i = 0; i < head.e_shnum; i++) {
        off_t at = (off_t)(head.e_shoff + i * sizeof section);
        assert_int_equal(pread(file, &section, sizeof section, at), sizeof section);
        if (section.sh_type == SHT_RELA)
            section.sh_flags |= SHF_ALLOC;
        assert_int_equal(pwrite(file, &section, sizeof section, at), sizeof section);
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    assert_int_equal(an_elf_open(path, &elf, &error), AN_OK);
    close(file);
    return elf;
}

static void find(struct made *made)
{
    struct elf_builder b = {.independent = made->independent}, copy = {0};
    static const uint8_t code[MOVED * SIZE];
    struct an_error error;
    static const char *const names[] = {"f", "g", "h", "k"};
    unsigned text = elf_section(&b, ".text", TEXT, SHF_EXECINSTR, made->code, sizeof made->code);
    unsigned data = elf_section(&b, ".data.rel.ro", made->data_address, SHF_WRITE, made->data,
                                sizeof made->data);
    unsigned symbols[4];
    for (unsigned k = 0; k < 4; k++)
        symbols[k] = elf_symbol(&b, names[k], STB_GLOBAL, STT_FUNC, text, entry_of(k), SIZE);
    for (unsigned i = 0; i < 3 && made->linked[i]; i++)
        elf_relocation(&b, text, made->linked[i], R_X86_64_PLT32, symbols[1], (uint64_t)-4);
    elf_symbol(&b, "caller", STB_GLOBAL, STT_FUNC, text, CALLER, 0x100);
    elf_symbol(&b, made->table, STB_GLOBAL, STT_OBJECT, data, made->data_address,
               sizeof made->data / 2);
    if (made->word.address)
        elf_relocation(&b, data, made->word.address, R_X86_64_RELATIVE, 0, made->word.value);
    made->original = open_for_loader(&b);
    elf_section(&copy, ".bolt.org.text", TEXT, SHF_EXECINSTR, made->copy, sizeof made->copy);
    elf_section(&copy, ".text", NEW, SHF_EXECINSTR, code, sizeof code);
    made->generation.elf = elf_open(&copy);
    for (unsigned k = 0; k < MOVED; k++)
        made->moved[k] = (struct an_moved){entry_of(k), new_entry(k), SIZE, SIZE, made->first[k]};
    made->generation.moved.items = made->moved;
    made->generation.moved.count = MOVED;
    made->generation.blocks.items = made->blocks;
    made->generation.blocks.count = made->block_count;
    assert_int_equal(an_functions_find(made->original, &made->functions, &error), AN_OK);
    assert_int_equal(an_reach_of_original(made->original, &made->functions, &made->reach, &error),
                     AN_OK);
    assert_int_equal(an_patches_find(made->original, &made->functions, &made->reach,
                                     &made->generation, made->bias, &made->patches, &error),
                     AN_OK);
    for (size_t i = 1; i < made->patches.list.count; i++)
        assert_true(made->patches.list.items[i - 1].address < made->patches.list.items[i].address);
}

static void end(struct made *made)
{
    an_patches_free(&made->patches);
    an_reach_free(&made->reach);
    an_functions_free(&made->functions);
    an_elf_close(made->original);
    an_elf_close(made->generation.elf);
}

static const struct an_patch *patch_at(const struct made *made, uint64_t address)
{
    for (size_t i = 0; i < made->patches.list.count; i++)
        if (made->patches.list.items[i].address == address)
            return &made->patches.list.items[i];
    return NULL;
}

static size_t withheld(const struct made *made, const char *word)
{
    size_t count = 0;
    for (size_t i = 0; i < made->patches.withheld.count; i++)
        if (strstr(made->patches.withheld.items[i].reason, word))
            count += made->patches.withheld.items[i].count;
    return count;
}

static void makes_jumps(void **state)
{
    (void)state;
    uint8_t bytes[AN_JUMP_SIZE];
    static const uint8_t forth[] = {0xe9, 0xfb, 0xff, 0x0f, 0x00};
    static const uint8_t back[] = {0xe9, 0xfb, 0xff, 0xef, 0xff};
    an_patch_jump(bytes, 0x400000, 0x500000);
    assert_memory_equal(bytes, forth, sizeof bytes);
    an_patch_jump(bytes, 0x500000, 0x400000);
    assert_memory_equal(bytes, back, sizeof bytes);
}

static void patches_entries(void **state)
{
    (void)state;
    struct made made;
    begin(&made);
    made.code[SIZE + 1] = 0xff; /* a call of two bytes is the second instruction of g */
    made.code[SIZE + 2] = 0xd0;
    find(&made);
    assert_int_equal(made.patches.counts[AN_PATCH_ENTRY], 2);
    for (unsigned k = 0; k < MOVED; k += 2) {
        const struct an_patch *patch = patch_at(&made, entry_of(k) + 1);
        uint8_t jump[AN_JUMP_SIZE];
        assert_non_null(patch);
        assert_int_equal(patch->kind, AN_PATCH_ENTRY);
        assert_int_equal(patch->size, AN_JUMP_SIZE);
        assert_memory_equal(patch->original, made.code + SIZE * k + 1, AN_JUMP_SIZE);
        an_patch_jump(jump, entry_of(k) + 1, new_entry(k) + 1);
        assert_memory_equal(patch->patched, jump, AN_JUMP_SIZE);
    }
    assert_null(patch_at(&made, entry_of(1) + 1));
    assert_null(patch_at(&made, entry_of(3) + 1)); /* it has no new code */
    assert_int_equal(withheld(&made, "call"), 1);
    end(&made);
}

/* A probe may be put on an entry at any time: nothing but the bytes behind the first instruction may change. */
static void leaves_first_instructions(void **state)
{
    (void)state;
    for (uint8_t first = 0; first <= SIZE; first++) {
        struct made made;
        begin(&made);
        made.first[0] = first;
        find(&made);
        for (size_t i = 0; i < made.patches.list.count; i++) {
            uint64_t address = made.patches.list.items[i].address;
            assert_true(address >= entry_of(1) || address == entry_of(0) + first);
        }
        bool fits = first && first + AN_JUMP_SIZE <= SIZE;
        assert_int_equal(patch_at(&made, entry_of(0) + first) != NULL, fits);
        assert_int_equal(withheld(&made, first ? "short" : "first instruction"), !fits);
        end(&made);
    }
}

/* In the middle of functions; where there is no room for a jump, the thread goes on to the next one. */
static void patches_blocks(void **state)
{
    (void)state;
    struct made made;
    uint8_t jump[AN_JUMP_SIZE];
    begin(&made);
    for (unsigned i = 0; i < 3; i++)
        made.blocks[i] =
            (struct an_moved){entry_of(0) + 0x10 * (i + 1), new_entry(0) + 0x30 - 0x10 * i,
                              SIZE - 0x10 * (i + 1), 0x10 + 0x10 * i, 2};
    made.block_count = 3;
    made.code[0x24] = 0xff; /* a call that returns into it */
    made.code[0x25] = 0xd0;
    made.blocks[2].original_size = 6;
    find(&made);
    assert_int_equal(made.patches.counts[AN_PATCH_ENTRY], 3);
    assert_int_equal(made.patches.counts[AN_PATCH_BLOCK], 1);
    assert_int_equal(made.patches.withheld.count, 0);
    const struct an_patch *patch = patch_at(&made, entry_of(0) + 0x12);
    assert_non_null(patch);
    assert_int_equal(patch->kind, AN_PATCH_BLOCK);
    assert_int_equal(patch->size, AN_JUMP_SIZE);
    assert_memory_equal(patch->original, made.code + 0x12, AN_JUMP_SIZE);
    an_patch_jump(jump, entry_of(0) + 0x12, new_entry(0) + 0x32);
    assert_memory_equal(patch->patched, jump, AN_JUMP_SIZE);
    assert_true(an_patch_is_jump(patch));
    end(&made);
}

static void patches_calls_that_bolt_changed(void **state)
{
    (void)state;
    struct made made;
    begin(&made);
    put_call(&made, CALLER, entry_of(0), new_entry(0));
    put_call(&made, CALLER + 0x10, entry_of(1), entry_of(1));      /* as it was */
    put_call(&made, CALLER + 0x20, entry_of(2), new_entry(1));     /* to something else */
    put_call(&made, CALLER + 0x30, entry_of(3), entry_of(3));      /* not moved */
    put_call(&made, CALLER + 0x40, entry_of(0) + 8, new_entry(0)); /* into the middle */
    find(&made);
    assert_int_equal(made.patches.counts[AN_PATCH_CALL], 1);
    const struct an_patch *patch = patch_at(&made, CALLER + 1);
    assert_non_null(patch);
    assert_int_equal(patch->kind, AN_PATCH_CALL);
    assert_int_equal(patch->size, 4);
    assert_memory_equal(patch->original, made.code + (CALLER + 1 - TEXT), 4);
    assert_memory_equal(patch->patched, made.copy + (CALLER + 1 - TEXT), 4);
    end(&made);
}

/* Code that llvm-bolt leaves as it was: what an old function goes on with, or one that it has given up. */
static void patches_calls_that_were_linked(void **state)
{
    (void)state;
    struct made made;
    begin(&made);
    put_call(&made, CALLER, entry_of(1), entry_of(1));
    put_call(&made, CALLER + 0x10, entry_of(0),
             entry_of(0)); /* the linker has put something else there */
    put_call(&made, CALLER + 0x20, entry_of(1), entry_of(1)); /* an assembler did */
    put(made.code + (CALLER + 0x30 - TEXT), 0x0d8d48, 3);     /* lea, of its address */
    put(made.code + (CALLER + 0x33 - TEXT), entry_of(1) - (CALLER + 0x37), 4);
    made.linked[0] = CALLER + 1;
    made.linked[1] = CALLER + 0x11;
    made.linked[2] = CALLER + 0x33;
    find(&made);
    assert_int_equal(made.patches.counts[AN_PATCH_CALL], 1);
    const struct an_patch *patch = patch_at(&made, CALLER + 1);
    uint32_t distance;
    assert_non_null(patch);
    memcpy(&distance, patch->patched, 4);
    assert_int_equal(distance, (uint32_t)(new_entry(1) - (CALLER + 5)));
    assert_memory_equal(patch->original, made.code + (CALLER + 1 - TEXT), 4);
    end(&made);
}

static void patches_virtual_tables(void **state)
{
    (void)state;
    static const char *const names[] = {"_ZTV1A", "_ZTI1A", "_ZTC1A0_1B", "_ZTT1A", "table"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct made made;
        begin(&made);
        made.table = names[i];
        put(made.data + 0x10, entry_of(0), 8);
        put(made.data + 0x18, entry_of(3), 8);     /* not moved */
        put(made.data + 0x20, entry_of(1) + 1, 8); /* no entry */
        put(made.data + 0x2c, entry_of(1), 8);     /* not where words are */
        put(made.data + 0x48, entry_of(1), 8);     /* behind the object */
        find(&made);
        assert_int_equal(made.patches.counts[AN_PATCH_VTABLE], i == 0);
        const struct an_patch *patch = patch_at(&made, DATA + 0x10);
        assert_int_equal(patch != NULL, i == 0);
        if (patch) {
            uint64_t word;
            assert_int_equal(patch->size, 8);
            memcpy(&word, patch->original, 8);
            assert_int_equal(word, entry_of(0));
            memcpy(&word, patch->patched, 8);
            assert_int_equal(word, new_entry(0));
        }
        end(&made);
    }
}

/* What the loader writes counts, not what is in the file; and where the process has it. */
static void follows_the_loader(void **state)
{
    (void)state;
    struct made made;
    uint64_t word;
    begin(&made);
    made.independent = true;
    made.bias = 0x555555554000;
    put(made.data + 0x10, entry_of(0), 8);
    made.word.address = DATA + 0x10;
    made.word.value = entry_of(1);
    find(&made);
    const struct an_patch *patch = patch_at(&made, DATA + 0x10);
    assert_non_null(patch);
    memcpy(&word, patch->original, 8);
    assert_int_equal(word, entry_of(1) + made.bias);
    memcpy(&word, patch->patched, 8);
    assert_int_equal(word, new_entry(1) + made.bias);
    assert_int_equal(made.patches.counts[AN_PATCH_VTABLE], 1);
    end(&made);
}

/* A distance on two pages would be written in two steps. */
static void leaves_calls_across_pages(void **state)
{
    (void)state;
    for (uint64_t at = 0xff8; at < 0x1004; at++) {
        struct an_reach_call call = {.distance = 0x2000 - 0x1000 + at, .target = 0x9000};
        static uint8_t code[0x2000];
        struct elf_builder b = {0}, copy = {0};
        struct an_functions functions = {0};
        struct an_reach reach = {.calls = {.items = &call, .count = 1}};
        struct an_moved moved = {0x9000, NEW, SIZE, SIZE, 1};
        struct an_generation generation = {.moved = {.items = &moved, .count = 1}};
        struct an_patches patches;
        struct an_error error;
        put(code + at, NEW - (call.distance + 4), 4);
        elf_section(&b, ".text", 0x1000, SHF_EXECINSTR, code, sizeof code);
        elf_section(&copy, ".text", 0x1000, SHF_EXECINSTR, code, sizeof code);
        struct an_elf *original = elf_open(&b);
        generation.elf = elf_open(&copy);
        assert_int_equal(
            an_patches_find(original, &functions, &reach, &generation, 0, &patches, &error), AN_OK);
        bool is_across = at > 0xffc && at < 0x1000;
        assert_int_equal(patches.counts[AN_PATCH_CALL], !is_across);
        an_patches_free(&patches);
        an_elf_close(original);
        an_elf_close(generation.elf);
    }
}

static void counts_reasons(void **state)
{
    (void)state;
    static char names[AN_REASONS + 3][8];
    struct an_withheld withheld_ones = {0};
    an_withhold(&withheld_ones, "nothing", 0);
    assert_int_equal(withheld_ones.count, 0);
    for (unsigned i = 0; i < AN_REASONS + 3; i++) {
        snprintf(names[i], sizeof names[i], "%u", i);
        an_withhold(&withheld_ones, names[i], 1);
        an_withhold(&withheld_ones, "0", 2);
    }
    assert_int_equal(withheld_ones.count, AN_REASONS);
    assert_int_equal(withheld_ones.items[0].count, 1 + 2 * (AN_REASONS + 3));
    assert_int_equal(withheld_ones.items[AN_REASONS - 1].count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_jumps),
        cmocka_unit_test(patches_entries),
        cmocka_unit_test(leaves_first_instructions),
        cmocka_unit_test(patches_blocks),
        cmocka_unit_test(patches_calls_that_bolt_changed),
        cmocka_unit_test(patches_calls_that_were_linked),
        cmocka_unit_test(patches_virtual_tables),
        cmocka_unit_test(follows_the_loader),
        cmocka_unit_test(leaves_calls_across_pages),
        cmocka_unit_test(counts_reasons),
    };
    return RUN_TESTS(tests);
}
