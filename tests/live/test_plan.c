/*
 * Plans, carried out in a made-up memory, byte by byte of the places: whatever the process was in, and
 * wherever the writing ends, each way into a function has to end in that function's code. (No
 * generation comes into force a second time; that is not promised.)
 *
 *     1000 + 40 k   function k of the original: "55", which all versions begin with, and "b8 k 0 0 0"; 16 bytes from its begin
 *                   a block, "53" and "b9 k 0 0 0"
 *     2000          calls, of which number k leads to function k
 *     3000          a virtual table: word k is function k
 *     10000 g       generation g: the functions that it has, 32 bytes each: "55", "b8 k g 0 0", and blocks likewise
 */
#include "live/plan.h"

#include "support/elf_build.h"
#include "support/test.h"

enum {
    FUNCTIONS = 6,
    BEGINS_WITH_CALL = 5, /* behind "55" an "e8" to function 0 instead, and "b8" behind */
    FIRST = 1,            /* the length of "55", and of "53" */
    BLOCK = 0x10,
    GENERATIONS = 3,
    CODE = 0x1000,
    CALLS = 0x2000,
    TABLE = 0x3000,
    BIAS = 0x40000,
    SPACE = 0x50000,
};

/* What each generation has: function 0 always; 1 is dropped by the second, 2 comes with it... */
static const bool has[GENERATIONS][FUNCTIONS] = {{true, true, false, true, false, true},
                                                 {true, false, true, true, false, true},
                                                 {true, true, true, false, false, false}};

/* And where a thread can go over in the middle. */
static const bool has_block[GENERATIONS][FUNCTIONS] = {{true, true, false, true, false, false},
                                                       {true, false, true, false, false, true},
                                                       {false, true, true, false, false, false}};

struct scene {
    struct an_elf *original;
    struct an_generation generations[GENERATIONS];
    struct an_patches patches[GENERATIONS];
    struct an_plan_source sources[GENERATIONS];
    uint8_t memory[SPACE];
};

static uint64_t entry_of(unsigned function)
{
    return CODE + 0x40u * function;
}

static uint64_t new_entry(unsigned generation, unsigned function)
{
    return 0x10000u * (generation + 1) + 0x20u * function;
}

static void put32(uint8_t *to, uint64_t value)
{
    memcpy(to, &(uint32_t){(uint32_t)value}, 4);
}

static void put_function(uint8_t *to, unsigned function, unsigned version)
{
    const uint8_t code[] = {0x55, 0xb8, (uint8_t)function, (uint8_t)version, 0, 0, 0xc3};
    memcpy(to, code, sizeof code);
}

static void put_block(uint8_t *to, unsigned function, unsigned version)
{
    const uint8_t code[] = {0x53, 0xb9, (uint8_t)function, (uint8_t)version, 0, 0, 0xc3};
    memcpy(to + BLOCK, code, sizeof code);
}

/* From behind the first instruction of one version to behind that of another. */
static void make_jump(uint8_t *bytes, uint64_t from, uint64_t to)
{
    an_patch_jump(bytes, from + FIRST, to + FIRST);
}

static void add_patch(struct an_patches *patches, enum an_patch_kind kind, uint64_t address,
                      const uint8_t *original, const uint8_t *patched, unsigned size)
{
    struct an_patch *patch = an_vector_push(&patches->list);
    assert_non_null(patch);
    *patch = (struct an_patch){.address = address, .kind = (uint8_t)kind, .size = (uint8_t)size};
    memcpy(patch->original, original, size);
    memcpy(patch->patched, patched, size);
    patches->counts[kind]++;
}

static void make_original(struct scene *scene)
{
    struct elf_builder b = {0};
    static uint8_t code[FUNCTIONS * 0x40], calls[FUNCTIONS * 8], table[FUNCTIONS * 8];
    for (unsigned k = 0; k < FUNCTIONS; k++) {
        uint8_t *to = code + 0x40 * k;
        put_function(to, k, 0);
        if (k == BEGINS_WITH_CALL) {
            put_function(to + 5, k, 0);
            to[FIRST] = 0xe8;
            put32(to + FIRST + 1, entry_of(0) - (entry_of(k) + FIRST + 5));
        }
        put_block(to, k, 0);
        calls[8 * k] = 0xe8;
        put32(calls + 8 * k + 1, entry_of(k) - (CALLS + 8 * k + 5));
        memcpy(table + 8 * k, &(uint64_t){entry_of(k) + BIAS}, 8);
    }
    elf_section(&b, ".text", CODE, SHF_EXECINSTR, code, sizeof code);
    elf_section(&b, ".calls", CALLS, SHF_EXECINSTR, calls, sizeof calls);
    elf_section(&b, ".data", TABLE, SHF_WRITE, table, sizeof table);
    scene->original = elf_open(&b);
    memcpy(scene->memory + CODE, code, sizeof code);
    memcpy(scene->memory + CALLS, calls, sizeof calls);
    memcpy(scene->memory + TABLE, table, sizeof table);
}

static void make_patches(struct scene *scene, unsigned g, unsigned k)
{
    struct an_patches *patches = &scene->patches[g];
    const uint8_t *memory = scene->memory;
    uint8_t bytes[8];
    uint64_t call = CALLS + 8 * k + 1;
    uint64_t place = entry_of(k) + FIRST;
    make_jump(bytes, entry_of(k), new_entry(g, k));
    add_patch(patches, AN_PATCH_ENTRY, place, memory + place, bytes, 5);
    if (k == BEGINS_WITH_CALL) {
        put32(bytes, new_entry(g, 0) - (place + 5));
        add_patch(patches, AN_PATCH_CALL, place + 1, memory + place + 1, bytes, 4);
    }
    if (has_block[g][k]) {
        place = entry_of(k) + BLOCK + FIRST;
        make_jump(bytes, entry_of(k) + BLOCK, new_entry(g, k) + BLOCK);
        add_patch(patches, AN_PATCH_BLOCK, place, memory + place, bytes, 5);
    }
    put32(bytes, new_entry(g, k) - (call + 4));
    add_patch(patches, AN_PATCH_CALL, call, memory + call, bytes, 4);
    memcpy(bytes, &(uint64_t){new_entry(g, k) + BIAS}, 8);
    add_patch(patches, AN_PATCH_VTABLE, TABLE + 8 * k, memory + TABLE + 8 * k, bytes, 8);
}

static int by_address(const void *one, const void *other)
{
    const struct an_patch *a = one, *b = other;
    return a->address < b->address ? -1 : a->address > b->address;
}

static void make_generation(struct scene *scene, unsigned g)
{
    struct an_generation *generation = &scene->generations[g];
    struct elf_builder b = {0};
    uint8_t code[FUNCTIONS * 0x20] = {0};
    *generation = (struct an_generation){.number = g + 1};
    for (unsigned k = 0; k < FUNCTIONS; k++) {
        if (!has[g][k])
            continue;
        put_function(code + 0x20 * k, k, g + 1);
        put_block(code + 0x20 * k, k, g + 1);
        struct an_moved *moved = an_vector_push(&generation->moved);
        assert_non_null(moved);
        *moved = (struct an_moved){entry_of(k), new_entry(g, k), 0x40, 0x20, FIRST};
        if (has_block[g][k]) {
            struct an_moved *block = an_vector_push(&generation->blocks);
            assert_non_null(block);
            *block = (struct an_moved){entry_of(k) + BLOCK, new_entry(g, k) + BLOCK, 0x40 - BLOCK,
                                       0x20 - BLOCK, FIRST};
        }
        make_patches(scene, g, k);
    }
    elf_section(&b, ".text", new_entry(g, 0), SHF_EXECINSTR, code, sizeof code);
    generation->elf = elf_open(&b);
    memcpy(scene->memory + new_entry(g, 0), code, sizeof code);
    qsort(scene->patches[g].list.items, scene->patches[g].list.count, sizeof(struct an_patch),
          by_address);
    scene->sources[g] = (struct an_plan_source){generation, &scene->patches[g]};
}

static struct scene *make_scene(void)
{
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    make_original(scene);
    for (unsigned g = 0; g < GENERATIONS; g++)
        make_generation(scene, g);
    return scene;
}

static void free_scene(struct scene *scene)
{
    an_elf_close(scene->original);
    for (unsigned g = 0; g < GENERATIONS; g++) {
        an_elf_close(scene->generations[g].elf);
        an_vector_free(&scene->generations[g].moved);
        an_vector_free(&scene->generations[g].blocks);
        an_patches_free(&scene->patches[g]);
    }
    free(scene);
}

/* ---- what is executed ---- */

/* Where a way that begins at an address, an entry or a block, ends: the version of the function's code. */
static int follow(const struct scene *scene, uint64_t at, unsigned function, uint64_t *end)
{
    const uint8_t *memory = scene->memory;
    const uint8_t body = memory[at] == 0x53 ? 0xb9 : 0xb8;
    check(memory[at] == 0x55 || memory[at] == 0x53, "function %u: %#x at %#llx", function,
          memory[at], (unsigned long long)at);
    at += FIRST;
    for (unsigned hops = 0; hops < 10; hops++) {
        int32_t distance;
        assert_true(at + 16 < SPACE);
        memcpy(&distance, memory + at + 1, 4);
        *end = at;
        if (memory[at] == body && memory[at + 1] == function)
            return memory[at + 2];
        if (memory[at] == 0xe8 && at == entry_of(BEGINS_WITH_CALL) + FIRST &&
            function == BEGINS_WITH_CALL) {
            uint64_t ignored; /* the original: a call of function 0 */
            follow(scene, at + 5 + (uint64_t)(int64_t)distance, 0, &ignored);
            return 0;
        }
        check(memory[at] == 0xe9, "function %u: %#x at %#llx", function, memory[at],
              (unsigned long long)at);
        at += 5 + (uint64_t)(int64_t)distance;
    }
    check(false, "function %u: an endless loop at %#llx", function, (unsigned long long)at);
    return -1;
}

static void check_ways(const struct scene *scene, size_t mapped)
{
    uint64_t end;
    for (unsigned k = 0; k < FUNCTIONS; k++) {
        int32_t distance;
        uint64_t word;
        follow(scene, entry_of(k), k, &end);
        memcpy(&distance, scene->memory + CALLS + 8 * k + 1, 4);
        follow(scene, CALLS + 8 * k + 5 + (uint64_t)(int64_t)distance, k, &end);
        memcpy(&word, scene->memory + TABLE + 8 * k, 8);
        follow(scene, word - BIAS, k, &end);
        follow(scene, entry_of(k) + BLOCK, k, &end);
        for (unsigned g = 0; g < mapped; g++)
            if (has[g][k]) {
                follow(scene, new_entry(g, k), k, &end);
                follow(scene, new_entry(g, k) + BLOCK, k, &end);
            }
    }
}

/* Everything leads to the generation in force (0: the original) at once. */
static void check_wanted(const struct scene *scene, size_t mapped, size_t in_force)
{
    for (unsigned k = 0; k < FUNCTIONS; k++) {
        bool moved = in_force && has[in_force - 1][k];
        uint64_t home = moved ? new_entry((unsigned)in_force - 1, k) : entry_of(k), end, word;
        int version = moved ? (int)in_force : 0;
        int32_t distance;
        assert_int_equal(follow(scene, entry_of(k), k, &end), version);
        assert_int_equal(end, home + FIRST);
        memcpy(&distance, scene->memory + CALLS + 8 * k + 1, 4);
        assert_int_equal(CALLS + 8 * k + 5 + (int64_t)distance, home);
        memcpy(&word, scene->memory + TABLE + 8 * k, 8);
        assert_int_equal(word, home + BIAS);
        for (unsigned g = 0; g < mapped; g++)
            if (has[g][k])
                assert_int_equal(follow(scene, new_entry(g, k), k, &end), version);
        version = in_force && has_block[in_force - 1][k] ? (int)in_force : 0;
        assert_int_equal(follow(scene, entry_of(k) + BLOCK, k, &end), version);
        for (unsigned g = 0; g < mapped; g++)
            if (has_block[g][k])
                assert_int_equal(follow(scene, new_entry(g, k) + BLOCK, k, &end), version);
    }
}

/* ---- carrying out ---- */

static struct an_plan plan_for(const struct scene *scene, size_t mapped, size_t in_force)
{
    struct an_plan plan;
    struct an_error error;
    assert_int_equal(an_plan_make(scene->sources, mapped, in_force, &plan, &error), AN_OK);
    for (size_t i = 1; i < plan.places.count; i++)
        assert_true(plan.places.items[i].address >=
                    plan.places.items[i - 1].address + plan.places.items[i - 1].size);
    return plan;
}

static uint32_t state_of(const struct an_plan *plan, const struct an_patch_site *place,
                         const uint8_t *bytes)
{
    uint32_t i = 0;
    while (i < place->state_count && memcmp(an_plan_state(plan, place, i), bytes, place->size) != 0)
        i++;
    return i;
}

/* Writes what changes in the first `most` of the places that do; how many these were. */
static size_t carry_out(struct scene *scene, const struct an_plan *plan, size_t mapped, size_t most)
{
    size_t written = 0;
    check_ways(scene, mapped);
    for (size_t i = 0; i < plan->places.count && written < most; i++) {
        const struct an_patch_site *place = &plan->places.items[i];
        uint8_t *bytes = scene->memory + place->address;
        uint32_t now = state_of(plan, place, bytes);
        check(now < place->state_count, "%#llx holds something unknown",
              (unsigned long long)place->address);
        if (now == 0)
            continue;
        memcpy(bytes, an_plan_state(plan, place, 0), place->size);
        written++;
        check_ways(scene, mapped);
    }
    return written;
}

static size_t change(struct scene *scene, size_t mapped, size_t in_force, size_t most)
{
    struct an_plan plan = plan_for(scene, mapped, in_force);
    size_t written = carry_out(scene, &plan, mapped, most);
    an_plan_free(&plan);
    return written;
}

static void goes_through_generations(void **state)
{
    (void)state;
    struct scene *scene = make_scene();
    uint8_t *before = malloc(SPACE);
    assert_non_null(before);
    memcpy(before, scene->memory, SPACE);
    for (size_t i = 1; i <= GENERATIONS; i++) {
        assert_true(change(scene, i, i, SIZE_MAX) > 0);
        check_wanted(scene, i, i);
        assert_int_equal(change(scene, i, i, SIZE_MAX), 0);
    }
    change(scene, GENERATIONS, 0, SIZE_MAX);
    check_wanted(scene, GENERATIONS, 0);
    assert_memory_equal(before, scene->memory, 0x10000); /* the original, to the last byte */
    assert_int_equal(change(scene, GENERATIONS, 0, SIZE_MAX), 0);
    free(before);
    free_scene(scene);
}

/* To the second generation, back, and on to the third, which is how a layout without gain is left. */
static void goes_on_from_the_original(void **state)
{
    (void)state;
    struct scene *scene = make_scene();
    change(scene, 1, 1, SIZE_MAX);
    change(scene, 2, 2, SIZE_MAX);
    change(scene, 2, 0, SIZE_MAX);
    check_wanted(scene, 2, 0);
    change(scene, 3, 3, SIZE_MAX);
    check_wanted(scene, 3, 3);
    free_scene(scene);
}

/* anneal is killed after any number of writes of a change; then another change is made, killed as
 * well, and a third one. check_ways() looks after every write. */
static void survives_any_interruption(void **state)
{
    (void)state;
    static const struct {
        size_t first, mapped, second;
    } cases[] = {{1, 1, 0}, {2, 2, 0}, {2, 3, 3}, {0, 3, 3}, {0, 2, 0}};
    struct scene *scene = make_scene();
    uint8_t *saved = malloc(SPACE), *half = malloc(SPACE);
    assert_true(saved && half);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *fresh = make_scene();
        memcpy(scene->memory, fresh->memory, SPACE);
        free_scene(fresh);
        if (cases[i].first != 1)
            change(scene, 1, 1, SIZE_MAX);
        if (cases[i].first == 0)
            change(scene, 2, 2, SIZE_MAX);
        memcpy(saved, scene->memory, SPACE);
        size_t mapped = cases[i].first ? cases[i].first : 2;
        size_t all = change(scene, mapped, cases[i].first, SIZE_MAX);
        assert_true(all > 5);
        for (size_t most = 0; most <= all; most++) {
            memcpy(scene->memory, saved, SPACE);
            change(scene, mapped, cases[i].first, most);
            memcpy(half, scene->memory, SPACE);
            for (size_t then = 0; then < 12; then++) {
                memcpy(scene->memory, half, SPACE);
                change(scene, cases[i].mapped, cases[i].second, then);
                change(scene, cases[i].mapped, 0, SIZE_MAX);
                check_wanted(scene, cases[i].mapped, 0);
            }
            memcpy(scene->memory, half, SPACE);
            change(scene, cases[i].mapped, cases[i].second, SIZE_MAX);
            check_wanted(scene, cases[i].mapped, cases[i].second);
        }
    }
    free(saved);
    free(half);
    free_scene(scene);
}

static const struct an_patch_site *place_at(const struct an_plan *plan, uint64_t address)
{
    for (size_t i = 0; i < plan->places.count; i++)
        if (plan->places.items[i].address == address)
            return &plan->places.items[i];
    return NULL;
}

/* Every state in which a place may be found, and no other. */
static void knows_all_states(void **state)
{
    (void)state;
    struct scene *scene = make_scene();
    struct an_plan plan = plan_for(scene, 2, 2);
    uint8_t bytes[AN_PATCH_SITE_MOST];
    const struct an_patch_site *place = place_at(&plan, entry_of(0) + FIRST);
    assert_non_null(place);
    assert_true(place->is_entry && place->is_code && place->size == 5);
    assert_int_equal(place->state_count, 3); /* the original, to the first, to the second */
    assert_true(state_of(&plan, place, scene->memory + entry_of(0) + FIRST) < 3);
    make_jump(bytes, entry_of(0), new_entry(0, 0));
    assert_true(state_of(&plan, place, bytes) < 3);
    make_jump(bytes, entry_of(0), new_entry(1, 0));
    assert_int_equal(state_of(&plan, place, bytes), 0);
    place = place_at(&plan, new_entry(0, 0) + FIRST); /* an older generation */
    assert_non_null(place);
    assert_true(place->is_entry);
    assert_int_equal(place->state_count, 3); /* to the second, its own code, to the original */
    make_jump(bytes, new_entry(0, 0), new_entry(1, 0));
    assert_int_equal(state_of(&plan, place, bytes), 0);
    assert_true(state_of(&plan, place, scene->memory + new_entry(0, 0) + FIRST) < 3);
    make_jump(bytes, new_entry(0, 0), entry_of(0));
    assert_true(state_of(&plan, place, bytes) < 3);
    place = place_at(&plan, new_entry(0, 1) + FIRST); /* of what the second does not have */
    assert_non_null(place);
    make_jump(bytes, new_entry(0, 1), entry_of(1));
    assert_int_equal(state_of(&plan, place, bytes), 0);
    assert_false(place->is_block);
    place = place_at(&plan, entry_of(0) + BLOCK + FIRST);
    assert_non_null(place);
    assert_true(place->is_entry && place->is_block && place->size == 5);
    assert_int_equal(state_of(&plan, place, scene->memory + place->address), place->own_state);
    assert_int_not_equal(place->own_state, 0);
    place = place_at(&plan, new_entry(1, 0) + BLOCK + FIRST); /* in force */
    assert_non_null(place);
    assert_true(place->is_block);
    assert_int_equal(place->own_state, 0);
    place = place_at(&plan, TABLE);
    assert_non_null(place);
    assert_false(place->is_entry || place->is_code);
    assert_int_equal(place->size, 8);
    place = place_at(&plan, CALLS + 1);
    assert_non_null(place);
    assert_true(!place->is_entry && place->is_code && place->size == 4);
    assert_null(place_at(&plan, entry_of(4) + FIRST)); /* nobody has moved it */
    an_plan_free(&plan);
    free_scene(scene);
}

/* A breakpoint, somebody else's jump, one bit: none of them is ours to change. */
static void leaves_foreign_bytes(void **state)
{
    (void)state;
    struct scene *scene = make_scene();
    change(scene, 1, 1, SIZE_MAX);
    struct an_plan plan = plan_for(scene, 2, 2);
    for (size_t i = 0; i < plan.places.count; i++) {
        const struct an_patch_site *place = &plan.places.items[i];
        uint8_t bytes[AN_PATCH_SITE_MOST];
        memcpy(bytes, scene->memory + place->address, place->size);
        assert_true(state_of(&plan, place, bytes) < place->state_count);
        bytes[0] ^= 0xcc;
        assert_int_equal(state_of(&plan, place, bytes), place->state_count);
        bytes[0] ^= 0xcc;
        bytes[place->size - 1] ^= 0x80;
        assert_int_equal(state_of(&plan, place, bytes), place->state_count);
    }
    an_plan_free(&plan);
    free_scene(scene);
}

/* The jump to new code takes the place of a call there, whose distance would be in its way. */
static void puts_entries_above_calls(void **state)
{
    (void)state;
    struct scene *scene = make_scene();
    struct an_plan plan = plan_for(scene, 1, 1);
    const struct an_patch_site *place = place_at(&plan, entry_of(BEGINS_WITH_CALL) + FIRST);
    uint8_t jump[5];
    assert_non_null(place);
    assert_true(place->is_entry);
    make_jump(jump, entry_of(BEGINS_WITH_CALL), new_entry(0, BEGINS_WITH_CALL));
    assert_memory_equal(an_plan_state(&plan, place, 0), jump, sizeof jump);
    an_plan_free(&plan);
    free_scene(scene);
}

/* A version that begins otherwise is not led to from behind the first instruction of others. */
static void keeps_to_the_same_first_instruction(void **state)
{
    (void)state;
    struct scene *scene = make_scene();
    uint8_t jump[5];
    scene->generations[1].moved.items[0].first = 0;
    struct an_plan plan = plan_for(scene, 2, 2);
    const struct an_patch_site *old = place_at(&plan, new_entry(0, 0) + FIRST);
    assert_non_null(old);
    make_jump(jump, new_entry(0, 0), entry_of(0));
    assert_memory_equal(an_plan_state(&plan, old, 0), jump, sizeof jump);
    assert_null(place_at(&plan, new_entry(1, 0)));
    assert_null(place_at(&plan, new_entry(1, 0) + FIRST));
    an_plan_free(&plan);
    free_scene(scene);
}

/* Of two blocks of new code that are one instruction apart, the one that the other leads to has a jump. */
static void keeps_the_latter_of_neighbours(void **state)
{
    (void)state;
    struct scene *scene = make_scene();
    struct an_generation *old = &scene->generations[0];
    uint64_t first = new_entry(0, 3) + BLOCK;
    *an_vector_push(&old->blocks) =
        (struct an_moved){entry_of(3) + 0x20, first + FIRST, 0x20, 0x20 - BLOCK - FIRST, FIRST};
    struct an_plan plan = plan_for(scene, 1, 0);
    assert_null(place_at(&plan, first + FIRST));
    const struct an_patch_site *place = place_at(&plan, first + 2 * FIRST);
    assert_non_null(place);
    assert_int_equal(place->leads_to, entry_of(3) + 0x20 + FIRST);
    assert_ptr_equal(an_plan_at(&plan, place->address + 4), place);
    assert_ptr_not_equal(an_plan_at(&plan, place->address + 5), place);
    assert_ptr_equal(an_plan_around(&plan, place->address + 4), place);
    assert_null(an_plan_around(&plan, place->address));
    an_plan_free(&plan);
    free_scene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_through_generations),
        cmocka_unit_test(goes_on_from_the_original),
        cmocka_unit_test(survives_any_interruption),
        cmocka_unit_test(knows_all_states),
        cmocka_unit_test(leaves_foreign_bytes),
        cmocka_unit_test(puts_entries_above_calls),
        cmocka_unit_test(keeps_to_the_same_first_instruction),
        cmocka_unit_test(keeps_the_latter_of_neighbours),
    };
    return RUN_TESTS(tests);
}
