/* Layouts are found by what is mapped, whoever mapped it. */
#include "live/found.h"

#include <fcntl.h>
#include <unistd.h>

#include "support/test.h"

enum { CODE = AN_MAP_READ | AN_MAP_EXECUTE, DATA = AN_MAP_READ | AN_MAP_WRITE };

static void add(struct an_target *target, uint64_t start, uint64_t end, unsigned flags,
                const char *path)
{
    struct an_target_mapping *to = an_vector_push(&target->maps);
    assert_non_null(to);
    *to = (struct an_target_mapping){.start = start, .end = end, .flags = flags, .path = path};
}

static struct an_found_list find(const struct an_target *target, const struct an_state *state)
{
    struct an_found_list list;
    struct an_error error;
    assert_int_equal(an_found_layouts(target, state, &list, &error), AN_OK);
    return list;
}

static void expect(const struct an_found *found, unsigned number, const char *path, bool is_link,
                   const struct an_target_mapping *mapping)
{
    assert_int_equal(found->number, number);
    assert_string_equal(found->path, path);
    assert_int_equal(found->is_link, is_link);
    assert_ptr_equal(found->mapping, mapping);
}

/* Of this process and of one that it was forked from, in the order of their numbers, each once; in huge pages, by
 * the page behind them. */
static void finds_all(void **unused)
{
    (void)unused;
    struct an_target target = {.pid = 9, .living = 9};
    struct an_state state = {.lock = -1};
    add(&target, 0x1000, 0x2000, CODE, "/bin/program");
    add(&target, 0x10000, 0x20000, CODE, "/s/4-9-8/c3");
    add(&target, 0x20000, 0x21000, DATA, "/s/4-9-8/c3");
    add(&target, 0x30000, 0x40000, CODE, "");
    add(&target, 0x40000, 0x41000, DATA, "/else where/4-5-6/c2");
    add(&target, 0x50000, 0x60000, CODE, "/s/4-5-6/c1 (deleted)");
    add(&target, 0x60000, 0x61000, DATA, "/s/4-5-6/c1 (deleted)");
    struct an_found_list list = find(&target, &state);
    assert_int_equal(list.count, 3);
    expect(&list.items[0], 1, "/proc/9/map_files/50000-60000", true, &target.maps.items[5]);
    expect(&list.items[1], 2, "/else where/4-5-6/c2", false, &target.maps.items[4]);
    expect(&list.items[2], 3, "/s/4-9-8/c3", false, &target.maps.items[1]);
    an_vector_free(&list);
    an_vector_free(&target.maps);
}

/* What is not code, and names that only look alike */
static void finds_nothing_else(void **unused)
{
    (void)unused;
    struct an_target target = {.pid = 9, .living = 9};
    struct an_state state = {.lock = -1};
    add(&target, 0x10000, 0x20000, CODE, "/s/9-8/c3");
    add(&target, 0x30000, 0x40000, CODE, "");
    add(&target, 0x41000, 0x42000, DATA, "/s/4-9-8/c3"); /* not right behind it */
    add(&target, 0x50000, 0x60000, CODE, "/s/4-9-8/c1.input");
    add(&target, 0x70000, 0x80000, CODE, "/s/4-9-8/c1 (delete)");
    add(&target, 0x90000, 0xa0000, CODE, "[vdso]");
    struct an_found_list list = find(&target, &state);
    assert_int_equal(list.count, 0);
    an_vector_free(&list);
    an_vector_free(&target.maps);
}

static void know(struct an_state *state, unsigned number, const char *path)
{
    struct an_state_generation *to = an_vector_push(&state->generations);
    assert_non_null(to);
    to->number = number;
    snprintf(to->path, sizeof to->path, "%s", path);
}

/* The state knows of one that has no mapping of its name, of one that is mapped, and of one that never was. */
static void asks_the_state(void **unused)
{
    (void)unused;
    struct an_target target = {.pid = 9, .living = 9};
    struct an_state state = {.lock = -1};
    char path[] = "/tmp/anneal-found-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    add(&target, 0x10000, 0x20000, CODE, "/s/4-9-8/c3");
    know(&state, 7, path);
    know(&state, 3, "/s/4-9-8/c3");
    know(&state, 4, "/s/4-9-8/c4");
    struct an_found_list list = find(&target, &state);
    assert_int_equal(list.count, 2);
    expect(&list.items[0], 3, "/s/4-9-8/c3", false, &target.maps.items[0]);
    expect(&list.items[1], 7, path, false, NULL);
    an_vector_free(&list);
    an_vector_free(&state.generations);
    an_vector_free(&target.maps);
    unlink(path);
}

/* More than anybody could have made, as a process may have them that wants to take our time */
static void has_an_end(void **unused)
{
    (void)unused;
    static char names[AN_STATE_MOST + 1][32];
    struct an_target target = {.pid = 9, .living = 9};
    struct an_state state = {.lock = -1};
    struct an_found_list list;
    struct an_error error;
    for (unsigned i = 0; i <= AN_STATE_MOST; i++) {
        snprintf(names[i], sizeof names[i], "/s/4-9-8/c%u", i + 1);
        add(&target, 0x10000 + 0x1000 * i, 0x11000 + 0x1000 * i, CODE, names[i]);
    }
    assert_int_equal(an_found_layouts(&target, &state, &list, &error), AN_UNSUPPORTED);
    assert_int_equal(list.count, AN_STATE_MOST);
    an_vector_free(&list);
    target.maps.count--;
    list = find(&target, &state);
    assert_int_equal(list.count, AN_STATE_MOST);
    an_vector_free(&list);
    an_vector_free(&target.maps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all),
        cmocka_unit_test(finds_nothing_else),
        cmocka_unit_test(asks_the_state),
        cmocka_unit_test(has_an_end),
    };
    return RUN_TESTS(tests);
}
