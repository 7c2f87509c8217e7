/*
 * lib/order: orders for the start have what they are made from, do not depend on threads, and lay
 * together what runs together; layouts and curves by hand.
 */
#include <anneal/order.h>

#include "order/arrange.h"
#include "order/behaviour.h"
#include "support/elf_build.h"
#include "support/test.h"

enum { GROUPS = 32, MEMBERS = 32, RUNS = 24 };

static void add_run(struct an_behaviour *behaviour, const char *text)
{
    struct an_error error;
    assert_int_equal(an_behaviour_add_names(behaviour, text, strlen(text), &error), AN_OK);
}

/* Runs that have whole groups, a third of all each; their members are numbered without order. */
static struct an_behaviour *grouped(void)
{
    struct an_behaviour *behaviour = an_behaviour_new();
    uint64_t seed = 11;
    for (int r = 0; r < RUNS; r++) {
        static char text[GROUPS * MEMBERS * 16];
        size_t size = 0;
        for (unsigned g = 0; g < GROUPS; g++) {
            if (number_below(&seed, 3) != 0)
                continue;
            for (unsigned m = 0; m < MEMBERS; m++)
                size += (size_t)sprintf(text + size, "f%u\n",
                                        (m * GROUPS + g) * 7919 % (GROUPS * MEMBERS));
        }
        text[size] = '\0';
        add_run(behaviour, text);
    }
    return behaviour;
}

static struct an_order order_of(const struct an_behaviour *behaviour, unsigned threads)
{
    struct an_order_options options = {.size = sizeof options, .threads = threads};
    struct an_order order;
    struct an_error error;
    assert_int_equal(an_order_startup(behaviour, &options, &order, &error), AN_OK);
    return order;
}

static void has_each_function_once(void **state)
{
    (void)state;
    struct an_behaviour *behaviour = grouped();
    struct an_order order = order_of(behaviour, 2);
    static bool seen[GROUPS * MEMBERS];
    memset(seen, 0, sizeof seen);
    assert_int_equal(order.count, an_behaviour_functions(behaviour));
    for (size_t i = 0; i < order.count; i++) {
        assert_true(order.functions[i] < order.count);
        assert_false(seen[order.functions[i]]);
        seen[order.functions[i]] = true;
    }
    an_order_free(&order);
    an_behaviour_free(behaviour);
}

static void is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    struct an_behaviour *behaviour = grouped();
    struct an_order one = order_of(behaviour, 1);
    for (unsigned threads = 2; threads <= 9; threads += 7) {
        struct an_order other = order_of(behaviour, threads);
        assert_int_equal(one.count, other.count);
        assert_memory_equal(one.functions, other.functions, one.count * sizeof *one.functions);
        an_order_free(&other);
    }
    an_order_free(&one);
    an_behaviour_free(behaviour);
}

static double area_of(const struct an_behaviour *behaviour, const struct an_order *order,
                      uint64_t *pages)
{
    struct an_pages_layout layout;
    struct an_error error;
    double area = 0;
    *pages = 0;
    assert_int_equal(an_pages_layout_guess(behaviour, order, &layout, &error), AN_OK);
    for (size_t r = 0; r < an_behaviour_runs(behaviour); r++) {
        struct an_behaviour_run run = an_behaviour_run(behaviour, r);
        struct an_pages_cost cost;
        assert_int_equal(an_pages_touch(&layout, &run, &(struct an_pages_kernel){4096, 1, 0, 0, 0},
                                        NULL, &cost, &error),
                         AN_OK);
        area += cost.area;
        *pages += cost.pages;
    }
    an_pages_layout_free(&layout);
    return area;
}

/* 32 functions are a page by the model, and a group: each run could have no page with a foreign function on it. */
static void keeps_together_what_runs_together(void **state)
{
    (void)state;
    struct an_behaviour *behaviour = grouped();
    struct an_order order = order_of(behaviour, 2), by_number = {0};
    uint64_t pages, scattered_pages, least = 0;
    by_number.count = order.count;
    by_number.functions = malloc(order.count * sizeof *by_number.functions);
    for (uint32_t i = 0; i < order.count; i++) /* far from each other */
        by_number.functions[i * 37 % order.count] = i;
    for (size_t r = 0; r < an_behaviour_runs(behaviour); r++)
        least += an_behaviour_run(behaviour, r).count / MEMBERS;
    double area = area_of(behaviour, &order, &pages);
    double scattered = area_of(behaviour, &by_number, &scattered_pages);
    check(pages <= 2 * least, "%llu pages, %llu would do", (unsigned long long)pages,
          (unsigned long long)least);
    check(2 * pages <= scattered_pages, "%llu pages, %llu without order", (unsigned long long)pages,
          (unsigned long long)scattered_pages);
    check(2 * area < scattered, "area %g, %g without order", area, scattered);
    free(by_number.functions);
    an_order_free(&order);
    an_behaviour_free(behaviour);
}

/* A function that a file has twice in a run is entered once. */
static void takes_repetitions_for_one(void **state)
{
    (void)state;
    static const char *const twice[] = {"a", "b", "a", "c", "b", "a"};
    struct an_behaviour *behaviour = an_behaviour_new();
    struct an_error error;
    for (int r = 0; r < 5; r++)
        assert_int_equal(an_behaviour_add_run(behaviour, twice, 6, 1, &error), AN_OK);
    add_run(behaviour, "# comment\n b \n\nc\nfile.c;a\n");
    struct an_order order = order_of(behaviour, 1);
    assert_int_equal(order.count, 4);
    assert_string_equal(an_behaviour_function(behaviour, 3).file, "file.c");
    assert_string_equal(an_behaviour_function(behaviour, 3).name, "a");
    assert_null(an_behaviour_function(behaviour, 0).file);
    an_order_free(&order);
    an_behaviour_free(behaviour);
}

static void names_that_are_none_are_refused(void **state)
{
    (void)state;
    struct an_behaviour *behaviour = an_behaviour_new();
    struct an_error error;
    assert_int_equal(an_behaviour_add_names(behaviour, "main\nf\001g\n", 9, &error), AN_MALFORMED);
    assert_int_equal(error.offset, 6);
    assert_int_equal(an_behaviour_runs(behaviour), 0);
    add_run(behaviour, "main\n");
    assert_int_equal(an_behaviour_run(behaviour, 0).count, 1);
    an_behaviour_free(behaviour);
}

/* ---- binaries ---- */

static uint8_t code[0x6000];

/* Six functions of 4096 bytes; `helper` is there twice, from two files. */
static struct an_image *image_of(struct elf_builder *b)
{
    static const struct {
        const char *name;
        unsigned binding;
    } symbols[] = {
        {"helper", STB_LOCAL}, {"helper", STB_LOCAL},           {"one", STB_GLOBAL},
        {"two", STB_GLOBAL},   {"one.constprop.0", STB_GLOBAL}, {"two.cold", STB_GLOBAL}};
    unsigned text = elf_section(b, ".text", 0x10000, SHF_EXECINSTR, code, sizeof code);
    for (unsigned s = 0; s < 6; s++) {
        if (s < 2)
            elf_symbol(b, s ? "src/second.c" : "src/first.c", STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
        elf_symbol(b, symbols[s].name, symbols[s].binding, STT_FUNC, text, 0x10000 + s * 0x1000,
                   0x1000);
    }
    struct an_image *image;
    struct an_error error;
    char path[64];
    int file = elf_file(b);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    assert_int_equal(an_image_open(&image, path, &error), AN_OK);
    return image;
}

static void functions_are_found_in_a_binary(void **state)
{
    (void)state;
    struct elf_builder b = {0};
    struct an_image *image = image_of(&b);
    struct an_behaviour *behaviour = an_behaviour_new();
    struct an_matches *matches;
    struct an_error error;
    size_t count;
    an_image_functions(image, &count);
    assert_int_equal(count, 6);
    add_run(behaviour, "one\ntwo\nsecond.c;helper\nthird.c;helper\nnone\nhelper\n");
    assert_int_equal(an_matches_find(behaviour, image, &matches, &error), AN_OK);
    const uint32_t *first = matches->first;
    assert_int_equal(first[1] - first[0], 2); /* one, and its copy */
    assert_int_equal(matches->images[first[0]], 2);
    assert_int_equal(matches->images[first[0] + 1], 4);
    assert_string_equal(matches->names[first[0] + 1], "one.constprop.0");
    assert_int_equal(first[2] - first[1], 1); /* without the cold part */
    assert_int_equal(first[3] - first[2], 1); /* that of its file */
    assert_int_equal(matches->images[first[2]], 1);
    assert_int_equal(first[4] - first[3], 0); /* of another file */
    assert_int_equal(first[5] - first[4], 0);
    assert_int_equal(first[6] - first[5], 2); /* nobody said of which file */
    an_matches_free(matches);
    an_behaviour_free(behaviour);
    an_image_close(image);
}

/* The entry point, which is `one`, and three constructors, of which the table has the first and a relocation the others. */
static void runs_begin_with_the_entry(void **state)
{
    (void)state;
    static const uint64_t constructors[] = {0x11000, 0, 0, 0x99};
    static const Elf64_Rela relocations[] = {
        {0x20010, ELF64_R_INFO(0, R_X86_64_RELATIVE), 0x10000},
        {0x20008, ELF64_R_INFO(0, R_X86_64_RELATIVE), 0x13000},
        {0x20018, ELF64_R_INFO(3, R_X86_64_64), 0x14000},
        {0x20020, ELF64_R_INFO(0, R_X86_64_RELATIVE), 0x14000}};
    struct elf_builder b = {.entry = 0x12000};
    unsigned table = elf_section(&b, ".init_array", 0x20000, 0, constructors, sizeof constructors);
    unsigned relocated = elf_section(&b, ".rela.dyn", 0x30000, 0, relocations, sizeof relocations);
    b.sections[table - 1].type = SHT_INIT_ARRAY;
    b.sections[relocated - 1].type = SHT_RELA;
    struct an_image *image = image_of(&b);
    struct an_behaviour *behaviour = an_behaviour_new();
    struct an_error error;
    add_run(behaviour, "first\nlast\n");
    add_run(behaviour, "last\ntwo\n");
    assert_int_equal(an_behaviour_add_entry(behaviour, image, &error), AN_OK);
    assert_int_equal(an_behaviour_runs(behaviour), 2);
    static const char *const expected[2][5] = {{"one", "helper", "helper", "first", "last"},
                                               {"one", "helper", "helper", "last", "two"}};
    static const char *const files[] = {NULL, "src/second.c", "src/first.c", NULL, NULL};
    for (size_t r = 0; r < 2; r++) {
        struct an_behaviour_run run = an_behaviour_run(behaviour, r);
        assert_int_equal(run.count, 5);
        for (size_t i = 0; i < 5; i++) {
            struct an_behaviour_function it = an_behaviour_function(behaviour, run.functions[i]);
            assert_string_equal(it.name, expected[r][i]);
            assert_string_equal(it.file ? it.file : "", files[i] ? files[i] : "");
        }
    }
    /* now the runs have all of them */
    assert_int_equal(an_behaviour_add_entry(behaviour, image, &error), AN_OK);
    assert_int_equal(an_behaviour_run(behaviour, 1).count, 5);
    an_behaviour_free(behaviour);
    an_image_close(image);
}

/* What the options leave out is the usual; runs that were not there cannot be kept aside. */
static void an_evaluation_has_the_usual_pages(void **state)
{
    (void)state;
    struct elf_builder b = {0};
    struct an_image *image = image_of(&b);
    struct an_behaviour *behaviour = an_behaviour_new();
    struct an_matches *matches;
    struct an_order placed;
    struct an_error error;
    struct an_order_evaluation usual, told;
    add_run(behaviour, "two\nsecond.c;helper\nnone\n");
    struct an_behaviour_run run = an_behaviour_run(behaviour, 0);
    struct an_order order = {(uint32_t *)run.functions, run.count};
    assert_int_equal(an_matches_find(behaviour, image, &matches, &error), AN_OK);
    assert_int_equal(an_order_place(&order, matches, image, &placed, &error), AN_OK);
    struct an_order_evaluate_options options = {
        .size = sizeof options, .matches = matches, .image = image, .placed = &placed};
    assert_int_equal(an_order_evaluate(behaviour, &options, &usual, &error), AN_OK);
    options.page_size = 4096;
    options.around = 16;
    assert_int_equal(an_order_evaluate(behaviour, &options, &told, &error), AN_OK);
    assert_int_equal(usual.text_pages, told.text_pages);
    assert_true(usual.before.faults == told.before.faults);
    assert_true(usual.after.faults == told.after.faults);
    assert_true(usual.before.cold == told.before.cold);
    assert_int_equal(usual.runs, 1);
    assert_int_equal(usual.text_pages, 6);
    assert_true(usual.before.pages == 2 && usual.after.pages == 2);
    options.around = 1;
    assert_int_equal(an_order_evaluate(behaviour, &options, &told, &error), AN_OK);
    assert_true(told.before.faults == 2 && usual.before.faults < 2);
    options.tests = 2;
    assert_int_equal(an_order_evaluate(behaviour, &options, &told, &error), AN_USAGE);
    an_order_free(&placed);
    an_matches_free(matches);
    an_behaviour_free(behaviour);
    an_image_close(image);
}

/* Pages by hand: six pages of one function each. */
static void layouts_and_curves_are_those_of_a_linker(void **state)
{
    (void)state;
    struct elf_builder b = {0};
    struct an_image *image = image_of(&b);
    struct an_behaviour *behaviour = an_behaviour_new();
    struct an_matches *matches;
    struct an_order placed;
    struct an_error error;
    struct an_pages_layout now, new;
    struct an_pages_cost cost;
    uint32_t curve[3];
    add_run(behaviour, "two\nsecond.c;helper\nnone\n");
    struct an_behaviour_run run = an_behaviour_run(behaviour, 0);
    struct an_order order = {(uint32_t *)run.functions, run.count};
    assert_int_equal(an_matches_find(behaviour, image, &matches, &error), AN_OK);
    assert_int_equal(an_order_place(&order, matches, image, &placed, &error), AN_OK);
    assert_int_equal(placed.count, 3); /* a linker takes both helpers */
    assert_int_equal(placed.functions[0], 3);
    assert_int_equal(placed.functions[1], 0);
    assert_int_equal(placed.functions[2], 1);
    assert_int_equal(an_pages_layout_now(behaviour, matches, image, &now, &error), AN_OK);
    assert_int_equal(now.places[0].address, 0x13000);
    assert_int_equal(now.places[1].address, 0x11000);
    assert_int_equal(now.end, 0x16000);
    assert_int_equal(an_pages_layout_new(behaviour, matches, image, &placed, &new, &error), AN_OK);
    assert_int_equal(new.places[0].address, 0x10000);
    assert_int_equal(new.places[1].address, 0x12000);
    assert_int_equal(new.end, 0x16000);
    assert_int_equal(an_pages_touch(&now, &run, &(struct an_pages_kernel){4096, 1, 0, 0, 0}, curve,
                                    &cost, &error),
                     AN_OK);
    assert_int_equal(cost.entered, 2);
    assert_int_equal(cost.pages, 2);
    assert_true(cost.area == 1 + 2);
    assert_int_equal(curve[0], 1);
    assert_int_equal(curve[2], 2);
    assert_int_equal(an_pages_touch(&new, &run, &(struct an_pages_kernel){4096, 4, 0, 0, 0}, curve,
                                    &cost, &error),
                     AN_OK);
    assert_int_equal(curve[1], 1); /* 0x10000 and 0x12000 come together */
    assert_int_equal(an_pages_touch(&now, &run, &(struct an_pages_kernel){4096, 2, 0, 0, 0}, curve,
                                    &cost, &error),
                     AN_OK);
    assert_int_equal(curve[1], 2);
    assert_int_equal(cost.pages, 4);
    an_pages_layout_free(&now);
    an_pages_layout_free(&new);
    an_order_free(&placed);
    an_matches_free(matches);
    an_behaviour_free(behaviour);
    an_image_close(image);
}

/* A run that touches pages 0, 2 and 5 of eight, which have 32 functions each. */
static void pages_are_read_as_kernels_do(void **state)
{
    (void)state;
    static const struct {
        struct an_pages_kernel kernel;
        uint64_t faults, major, mapped, read;
    } cases[] = {
        {{4096, 1, 0, 0, 0}, 3, 0, 3, 0}, /* all in memory */
        {{4096, 4, 0, 0, 0}, 2, 0, 8, 0},
        {{4096, 1, 0, 1, 0}, 3, 3, 3, 3},
        {{4096, 1, 0, 4, 0}, 3, 2, 3, 7}, /* 0 to 3; 5 to 7, where the text ends */
        {{4096, 4, 0, 4, 0}, 2, 2, 7, 7},
        {{4096, 1, 2, 2, 0}, 3, 3, 3, 7}, /* 0, 1; 0 to 3; 3 to 6 */
        {{4096, 8, 0, 6, 0}, 1, 1, 6, 6},
        {{4096, 4, 0, 0, 2}, 2, 0, 6, 0}, /* 0, 1; 2 to 5 */
        {{4096, 4, 0, 0, 3}, 3, 0, 8, 0}, /* 0; 1 to 4; 5 to 7 */
    };
    struct an_behaviour *behaviour = an_behaviour_new();
    struct an_pages_layout layout;
    struct an_error error;
    char text[32 * 8 * 8] = "";
    for (int f = 0; f < 32 * 8; f++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "f%d\n", f);
    add_run(behaviour, text);
    add_run(behaviour, "f1\nf70\nf3\nf161\n");
    struct an_behaviour_run all = an_behaviour_run(behaviour, 0);
    struct an_behaviour_run run = an_behaviour_run(behaviour, 1);
    struct an_order order = {(uint32_t *)all.functions, all.count};
    assert_int_equal(an_pages_layout_guess(behaviour, &order, &layout, &error), AN_OK);
    layout.end = 8 * 4096 - 1; /* not one page more */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct an_pages_cost cost;
        assert_int_equal(an_pages_touch(&layout, &run, &cases[i].kernel, NULL, &cost, &error),
                         AN_OK);
        assert_int_equal(cost.faults, cases[i].faults);
        assert_int_equal(cost.major, cases[i].major);
        assert_int_equal(cost.pages, cases[i].mapped);
        assert_int_equal(cost.read, cases[i].read);
    }
    an_pages_layout_free(&layout);
    an_behaviour_free(behaviour);
}

/* Faults of all runs when nothing is in memory, as a recent Linux reads. */
static uint64_t cold_faults(const struct an_behaviour *behaviour, const struct an_order *order)
{
    struct an_pages_layout layout;
    struct an_error error;
    uint64_t faults = 0;
    assert_int_equal(an_pages_layout_guess(behaviour, order, &layout, &error), AN_OK);
    for (size_t r = 0; r < an_behaviour_runs(behaviour); r++) {
        struct an_behaviour_run run = an_behaviour_run(behaviour, r);
        struct an_pages_cost cost;
        assert_int_equal(an_pages_touch(&layout, &run,
                                        &(struct an_pages_kernel){4096, 16, 0, 32, 0}, NULL, &cost,
                                        &error),
                         AN_OK);
        faults += cost.faults;
    }
    an_pages_layout_free(&layout);
    return faults;
}

/*
 * Four groups of 32 pages, of which each run has one. In the order that is given, groups take turns every four pages, so
 * that a run takes a fault for each of its eight pieces at least; brought together they take two to four.
 */
static void pieces_lie_where_faults_are_few(void **state)
{
    (void)state;
    enum { PIECES = 32, MEMBERS_OF_PIECE = 4 * 32 };
    struct an_behaviour *behaviour = an_behaviour_new();
    char *text = malloc(PIECES * MEMBERS_OF_PIECE * 8);
    for (int run = 0; run < 4; run++) {
        size_t used = 0;
        for (int piece = 0; piece < PIECES / 4; piece++)
            for (int f = 0; f < MEMBERS_OF_PIECE; f++)
                used +=
                    (size_t)sprintf(text + used, "f%d\n",
                                    (piece * 5 % (PIECES / 4) * 4 + run) * MEMBERS_OF_PIECE + f);
        add_run(behaviour, text);
    }
    struct an_order given = {malloc(PIECES * MEMBERS_OF_PIECE * sizeof(uint32_t)),
                             PIECES * MEMBERS_OF_PIECE};
    struct an_order arranged = {malloc(given.count * sizeof(uint32_t)), given.count};
    for (uint32_t f = 0; f < given.count; f++) {
        char name[16];
        int length = snprintf(name, sizeof name, "f%u", f);
        given.functions[f] = an_behaviour_number_of(behaviour, name, (size_t)length);
    }
    struct an_order_options options = {.size = sizeof options};
    bool changed;
    assert_true(an_arrange_order(behaviour, &options, 4, &given, 1, arranged.functions, &changed));
    assert_true(changed);
    assert_true(cold_faults(behaviour, &given) >= 4 * 8);
    assert_in_range(cold_faults(behaviour, &arranged), 4 * 2, 4 * 4);
    free(text);
    an_order_free(&given);
    an_order_free(&arranged);
    an_behaviour_free(behaviour);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_each_function_once),
        cmocka_unit_test(is_the_same_for_any_number_of_threads),
        cmocka_unit_test(keeps_together_what_runs_together),
        cmocka_unit_test(takes_repetitions_for_one),
        cmocka_unit_test(names_that_are_none_are_refused),
        cmocka_unit_test(functions_are_found_in_a_binary),
        cmocka_unit_test(runs_begin_with_the_entry),
        cmocka_unit_test(an_evaluation_has_the_usual_pages),
        cmocka_unit_test(layouts_and_curves_are_those_of_a_linker),
        cmocka_unit_test(pages_are_read_as_kernels_do),
        cmocka_unit_test(pieces_lie_where_faults_are_few),
    };
    return RUN_TESTS(tests);
}
