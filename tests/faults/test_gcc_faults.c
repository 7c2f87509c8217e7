/*
 * Every allocation and every read fails in turn (-Dfaults=true; lib/base/memory.h) while GCC's files are read,
 * looked at and converted: the call must say so, hand out nothing, and leak nothing (the address sanitizer sees
 * to that).
 */
#include <anneal/gcc.h>

#include "base/file.h"
#include "base/memory.h"
#include "gcc/gcno.h"
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

static void load(const char *name)
{
    struct an_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", GCC_CORPUS, name);
    assert_int_equal(an_file_load(&file, path, &error), AN_OK);
}

static enum an_code read_flow(struct an_error *error)
{
    struct an_gcno gcno;
    enum an_code code = an_gcno_read(&gcno, file.bytes, error);
    if (code == AN_OK)
        an_gcno_free(&gcno);
    return code;
}

static void reading_flow(void **state)
{
    static const char *const names[] = {"gcc-15/flow.gcno", "clang-19/flow-408.gcno"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        load(names[i]);
        fail_everywhere(read_flow);
    }
    an_file_close(&file);
}

/* Without memory for the gcno there are no names; all the rest is there. */
static enum an_code look(struct an_error *error)
{
    struct an_gcc_profile *profile;
    enum an_code code = an_gcc_profile_read(file.bytes.data, file.bytes.size,
                                            GCC_CORPUS "/gcc-14/values.gcno", &profile, error);
    if (code != AN_OK) {
        assert_null(profile);
        return code;
    }
    assert_int_equal(profile->count, 7);
    assert_true(profile->names == AN_GCC_NAMES || profile->names == AN_GCC_BAD_NAMES);
    assert_true(profile->names != AN_GCC_BAD_NAMES || profile->names_error.what[0] != '\0');
    an_gcc_profile_free(profile);
    return AN_OK;
}

static void looking(void **state)
{
    (void)state;
    load("gcc-14/values-all.gcda");
    fail_everywhere(look);
    an_file_close(&file);
}

static struct an_gcc_convert_options way;

static enum an_code convert(struct an_error *error)
{
    struct an_gcc_converted converted;
    enum an_code code = an_gcc_convert(&way, file.bytes.data, file.bytes.size, &converted, error);
    assert_true((code == AN_OK) == (converted.bytes != NULL));
    free(converted.bytes);
    return code;
}

static void converting(void **state)
{
    (void)state;
    load("gcc-15/values-all.gcda");
    way = (struct an_gcc_convert_options){
        .size = sizeof way, .major = 10, .minor = 2, .order = AN_GCC_BIG_ENDIAN};
    fail_everywhere(convert);
    load("gcc-10/values-all.gcda");
    way = (struct an_gcc_convert_options){
        .size = sizeof way, .major = 12, .minor = 2, .order = AN_GCC_ORDER_KEPT};
    fail_everywhere(convert);
    an_file_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_flow),
        cmocka_unit_test(looking),
        cmocka_unit_test(converting),
    };
    return RUN_TESTS(tests);
}
