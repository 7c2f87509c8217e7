/* What lies at an address when a fault is taken: lib/faults/replay.c, fed by hand. */
#include "support/test.h"

#include "faults/replay.h"

enum { PAGE = 4096, FILES = 2 };

struct fed {
    struct an_replay replay;
    struct an_faults_text files[FILES];
};

static void begin(struct fed *fed)
{
    memset(fed, 0, sizeof *fed);
    fed->replay.page_size = PAGE;
    fed->replay.files = fed->files;
}

static void feed(struct fed *fed, struct an_fault_event event)
{
    assert_true(an_replay_take(&fed->replay, &event));
}

static void map_file(struct fed *fed, uint32_t pid, int32_t file, uint64_t page, uint64_t pages,
                     uint64_t offset_pages)
{
    feed(fed, (struct an_fault_event){.kind = AN_FAULT_MAP,
                                      .pid = pid,
                                      .address = page * PAGE,
                                      .length = pages * PAGE,
                                      .offset = offset_pages * PAGE,
                                      .file = file});
}

static void fault(struct fed *fed, uint32_t pid, bool is_major, uint64_t address)
{
    feed(fed, (struct an_fault_event){.kind = is_major ? AN_FAULT_MAJOR : AN_FAULT_MINOR,
                                      .pid = pid,
                                      .address = address,
                                      .file = AN_NOT_WATCHED});
}

static void fork_of(struct fed *fed, uint32_t parent, uint32_t pid)
{
    feed(fed, (struct an_fault_event){
                  .kind = AN_FAULT_FORK, .pid = pid, .parent = parent, .file = AN_NOT_WATCHED});
}

static void exec(struct fed *fed, uint32_t pid)
{
    feed(fed, (struct an_fault_event){.kind = AN_FAULT_EXEC, .pid = pid, .file = AN_NOT_WATCHED});
}

static void expect_text(const struct an_faults_text *text, uint64_t major, uint64_t minor,
                        uint64_t major_pages, uint64_t fault_pages)
{
    assert_int_equal(text->major, major);
    assert_int_equal(text->minor, minor);
    assert_int_equal(text->major_pages, major_pages);
    assert_int_equal(text->fault_pages, fault_pages);
}

static void counts_text(void **state)
{
    struct fed fed;
    (void)state;
    begin(&fed);
    map_file(&fed, 7, 0, 100, 10, 3);
    fault(&fed, 7, true, 100 * PAGE);             /* the first byte */
    fault(&fed, 7, false, 110 * PAGE - 1);        /* the last one */
    fault(&fed, 7, false, 110 * PAGE);            /* behind it */
    fault(&fed, 7, true, 100 * PAGE - 1);         /* before it */
    fault(&fed, 7, false, 100 * PAGE + PAGE - 1); /* the first page again */
    fault(&fed, 8, false, 105 * PAGE);            /* another process has nothing there */
    expect_text(&fed.files[0], 1, 2, 1, 2);
    expect_text(&fed.replay.total, 1, 2, 1, 2);
    assert_int_equal(fed.replay.major, 2);
    assert_int_equal(fed.replay.minor, 4);
    an_replay_free(&fed.replay);
}

/* Pages are those of the file, wherever and however often they are mapped. */
static void pages_are_of_the_file(void **state)
{
    struct fed fed;
    (void)state;
    begin(&fed);
    map_file(&fed, 7, 0, 100, 10, 0);
    map_file(&fed, 7, 0, 300, 10, 5);
    map_file(&fed, 9, 1, 100, 10, 0);
    fault(&fed, 7, true, 106 * PAGE);
    fault(&fed, 7, false, 301 * PAGE); /* the same one */
    fault(&fed, 9, false, 106 * PAGE); /* the same place in another file */
    expect_text(&fed.files[0], 1, 1, 1, 1);
    expect_text(&fed.files[1], 0, 1, 0, 1);
    expect_text(&fed.replay.total, 1, 2, 1, 2);
    an_replay_free(&fed.replay);
}

static void new_mappings_replace_old_ones(void **state)
{
    struct fed fed;
    (void)state;
    begin(&fed);
    map_file(&fed, 7, 0, 100, 10, 0);
    map_file(&fed, 7, AN_NOT_WATCHED, 103, 2, 0);
    map_file(&fed, 7, 1, 108, 4, 0);
    for (uint64_t page = 99; page < 113; page++)
        fault(&fed, 7, false, page * PAGE);
    expect_text(&fed.files[0], 0, 6, 0, 6); /* 100 to 102, 105 to 107 */
    expect_text(&fed.files[1], 0, 4, 0, 4);
    map_file(&fed, 7, AN_NOT_WATCHED, 0, 1000, 0); /* all of them */
    fault(&fed, 7, false, 100 * PAGE);
    expect_text(&fed.files[0], 0, 6, 0, 6);
    an_replay_free(&fed.replay);
}

/* Behind a hole, what is left keeps its place in the file. */
static void offsets_behind_holes(void **state)
{
    struct fed fed;
    (void)state;
    begin(&fed);
    map_file(&fed, 7, 0, 100, 10, 20);
    map_file(&fed, 7, AN_NOT_WATCHED, 103, 2, 0);
    fault(&fed, 7, false, 107 * PAGE); /* page 27 */
    map_file(&fed, 7, 0, 500, 1, 27);
    fault(&fed, 7, false, 500 * PAGE);
    expect_text(&fed.files[0], 0, 2, 0, 1);
    an_replay_free(&fed.replay);
}

static void forks_inherit(void **state)
{
    struct fed fed;
    (void)state;
    begin(&fed);
    map_file(&fed, 7, 0, 100, 10, 0);
    fork_of(&fed, 7, 7); /* a thread */
    fork_of(&fed, 7, 8);
    fault(&fed, 7, false, 100 * PAGE);
    fault(&fed, 8, false, 101 * PAGE);
    expect_text(&fed.files[0], 0, 2, 0, 2);
    map_file(&fed, 8, AN_NOT_WATCHED, 100, 10, 0); /* of the child only */
    fault(&fed, 8, false, 102 * PAGE);
    fault(&fed, 7, false, 103 * PAGE);
    expect_text(&fed.files[0], 0, 3, 0, 3);
    fork_of(&fed, 6, 7); /* the number is used again, by one who has nothing */
    fault(&fed, 7, false, 104 * PAGE);
    expect_text(&fed.files[0], 0, 3, 0, 3);
    an_replay_free(&fed.replay);
}

static void execs_forget(void **state)
{
    struct fed fed;
    (void)state;
    begin(&fed);
    exec(&fed, 7); /* of which nothing was known */
    map_file(&fed, 7, 0, 100, 10, 0);
    fork_of(&fed, 7, 8);
    exec(&fed, 8);
    fault(&fed, 8, true, 100 * PAGE);
    expect_text(&fed.files[0], 0, 0, 0, 0);
    map_file(&fed, 8, 0, 700, 10, 0);
    fault(&fed, 8, true, 700 * PAGE);
    fault(&fed, 7, false, 100 * PAGE);
    expect_text(&fed.files[0], 1, 1, 1, 1);
    an_replay_free(&fed.replay);
}

/* Lengths come from outside: none of them may wrap around. */
static void mappings_at_the_end(void **state)
{
    struct fed fed;
    (void)state;
    begin(&fed);
    feed(&fed, (struct an_fault_event){.kind = AN_FAULT_MAP,
                                       .pid = 7,
                                       .address = UINT64_MAX - PAGE,
                                       .length = UINT64_MAX,
                                       .file = 0});
    fault(&fed, 7, false, UINT64_MAX - 1);
    fault(&fed, 7, false, 0);
    expect_text(&fed.files[0], 0, 1, 0, 1);
    an_replay_free(&fed.replay);
}

/* Thousands of random mappings, beside a table of pages that is filled in the simplest way. */
static void agrees_with_a_table(void **state)
{
    enum { PAGES = 200, STEPS = 20000 };
    int8_t at[PAGES];
    uint64_t expected[FILES] = {0}, random = 88172645463325252u;
    struct fed fed;
    (void)state;
    begin(&fed);
    memset(at, AN_NOT_WATCHED, sizeof at);
    for (int step = 0; step < STEPS; step++) {
        uint64_t page = number_below(&random, PAGES);
        if (number_below(&random, 3)) {
            fault(&fed, 7, false, page * PAGE + number_below(&random, PAGE));
            if (at[page] != AN_NOT_WATCHED)
                expected[at[page]]++;
            continue;
        }
        uint64_t pages = 1 + number_below(&random, PAGES - page);
        int32_t file = (int32_t)number_below(&random, FILES + 1) - 1;
        map_file(&fed, 7, file, page, pages, 1000 + page);
        for (uint64_t i = page; i < page + pages; i++)
            at[i] = (int8_t)file;
    }
    for (int i = 0; i < FILES; i++)
        assert_int_equal(fed.files[i].minor, expected[i]);
    assert_true(fed.files[0].fault_pages <= PAGES); /* all at one place in the file */
    an_replay_free(&fed.replay);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_text),
        cmocka_unit_test(pages_are_of_the_file),
        cmocka_unit_test(new_mappings_replace_old_ones),
        cmocka_unit_test(offsets_behind_holes),
        cmocka_unit_test(forks_inherit),
        cmocka_unit_test(execs_forget),
        cmocka_unit_test(mappings_at_the_end),
        cmocka_unit_test(agrees_with_a_table),
    };
    return RUN_TESTS(tests);
}
