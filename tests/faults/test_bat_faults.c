/*
 * Every allocation and every read fails in turn (-Dfaults=true; lib/base/memory.h) while address
 * translation is read and reversed: the call must say so, hand out nothing, and leak
 * nothing (the address sanitizer sees to that).
 */
#include "base/file.h"
#include "base/memory.h"
#include "bolt/bat_reverse.h"
#include "support/bat_build.h"
#include "support/test.h"

/* One attempt; frees what it made. */
typedef enum an_code attempt(struct an_error *error);

static void fail_everywhere(attempt *try_it)
{
    struct an_error error;
    an_fault_countdown = -1;
    assert_int_equal(try_it(&error), AN_OK);
    long calls = 0;
    for (bool failed = true; failed; calls++) {
        an_fault_countdown = calls;
        enum an_code code = try_it(&error);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        if (code == AN_OK)
            continue; /* done without */
        assert_true(failed);
        assert_true(code == AN_NO_MEMORY || code == AN_SYSTEM);
        assert_int_equal(error.code, code);
        assert_true(error.what[0] != '\0');
        assert_in_range(calls, 0, 100000);
    }
    assert_in_range(calls, 2, 100000);
}

static struct an_file file;

static enum an_code parse(struct an_error *error)
{
    struct an_bat *bat;
    enum an_code code = an_bat_parse(file.bytes, NULL, &bat, error);
    assert_true((code == AN_OK) == (bat != NULL));
    an_bat_free(bat);
    return code;
}

static void reading_sections(void **state)
{
    (void)state;
    static const char *const names[] = {"/../bat/sections/shapes-llvm17.bat",
                                        "/../bat/sections/shapes-llvm18.bat",
                                        "/../bat/sections/shapes-llvm19.bat"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct an_error error;
        assert_int_equal(an_file_load(&file, bat_file(names[i]), &error), AN_OK);
        fail_everywhere(parse);
    }
    an_file_close(&file);
}

static enum an_code open_binary(struct an_error *error)
{
    struct an_elf *elf = NULL;
    struct an_bat *bat = NULL;
    enum an_code code = an_elf_open(BAT_FILE("shapes-llvm18.elf"), &elf, error);
    if (code == AN_OK) {
        code = an_bat_open(elf, &bat, error);
        assert_true((code == AN_OK) == (bat != NULL));
    }
    an_bat_free(bat);
    an_elf_close(elf);
    return code;
}

static void opening_a_binary(void **state)
{
    (void)state;
    fail_everywhere(open_binary);
}

static struct an_elf *before, *after;
static struct an_bat *table;
static struct an_funcmap *map;

static enum an_code make_map(struct an_error *error)
{
    struct an_funcmap_account account;
    struct an_funcmap *made;
    enum an_code code = an_funcmap_make(before, after, NULL, &made, &account, error);
    assert_true((code == AN_OK) == (made != NULL));
    an_funcmap_free(made);
    return code;
}

static void making_a_map(void **state)
{
    (void)state;
    struct an_error error;
    assert_int_equal(an_elf_open("/proc/self/exe", &before, &error), AN_OK);
    assert_int_equal(an_elf_open("/proc/self/exe", &after, &error), AN_OK);
    fail_everywhere(make_map);
    an_elf_close(before);
    an_elf_close(after);
}

static enum an_code write_map(struct an_error *error)
{
    struct an_buffer note = {0}, binary = {0};
    struct an_funcmap *read = NULL;
    an_funcmap_write(map, &note);
    struct an_bytes bytes = {note.data, note.size};
    enum an_code code =
        note.failed ? an_fail_memory(error) : an_funcmap_embed(before, bytes, &binary, error);
    if (code == AN_OK)
        code = an_funcmap_parse(bytes, &read, error);
    an_funcmap_free(read);
    an_buffer_free(&note);
    an_buffer_free(&binary);
    return code;
}

static enum an_code reverse_map(struct an_error *error)
{
    struct an_bat_reverse *reverse;
    enum an_code code = an_bat_reverse_build(table, map, &reverse, error);
    assert_true((code == AN_OK) == (reverse != NULL));
    an_bat_reverse_free(reverse);
    return code;
}

/* Functions one behind the other in an original of which only that is known. */
static void writing_and_reversing(void **state)
{
    (void)state;
    struct an_error error;
    static struct an_funcmap_record records[256];
    struct an_funcmap all = {.records = records};
    assert_int_equal(an_elf_open(BAT_FILE("shapes-llvm18.elf"), &before, &error), AN_OK);
    assert_int_equal(an_bat_open(before, &table, &error), AN_OK);
    for (size_t i = 0; i < table->function_count && all.count < 256; i++)
        if (!table->functions[i].is_cold)
            records[all.count++] = (struct an_funcmap_record){table->functions[i].address,
                                                              0x1000 * (i + 1), 0x1000, 0};
    map = &all;
    fail_everywhere(write_map);
    fail_everywhere(reverse_map);
    an_bat_free(table);
    an_elf_close(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_sections),
        cmocka_unit_test(opening_a_binary),
        cmocka_unit_test(making_a_map),
        cmocka_unit_test(writing_and_reversing),
    };
    return RUN_TESTS(tests);
}
