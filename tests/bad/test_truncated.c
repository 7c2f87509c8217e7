/*
 * A file cut at any of its bytes is refused with a message, or, where what is left is a shorter
 * file of its own, read as that. Never is anything else read out of it.
 */
#include <anneal/llvm.h>

#include "support/profiles.h"
#include "support/raw_build.h"
#include "support/test.h"
#include "llvm/profile.h"

/* Opens the first `size` bytes, in memory of just that size. */
static enum an_code open_cut(struct an_bytes file, size_t size, size_t *functions,
                             struct an_error *error)
{
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, file.data, size);
    struct an_llvm_reader *reader;
    enum an_code code = an_llvm_reader_open(&reader, copy, size, error);
    if (code == AN_OK) {
        struct an_llvm_record record;
        *functions = 0;
        while (an_llvm_reader_next(reader, &record))
            ++*functions;
        assert_false(an_llvm_reader_failed(reader));
        an_llvm_reader_close(reader);
    } else {
        check(error->what[0], "no message");
        check(error->offset == AN_NO_OFFSET || error->offset <= size, "at %llu of %zu",
              (unsigned long long)error->offset, size);
    }
    free(copy);
    return code;
}

/* The offsets at which the start of the file is a whole one, and what may be missing behind. */
struct whole {
    size_t from, to; /* cut at from .. to is accepted */
    size_t functions;
};

/* Cuts everywhere: accepted only where it may be, refused elsewhere and with the right code. */
static void cut_everywhere(const char *what, struct an_bytes file, const struct whole *wholes,
                           size_t whole_number)
{
    for (size_t size = 0; size <= file.size; size++) {
        struct an_error error = {0};
        size_t functions = 0;
        const struct whole *whole = NULL;
        for (size_t w = 0; w < whole_number; w++)
            if (size >= wholes[w].from && size <= wholes[w].to)
                whole = &wholes[w];
        enum an_code code = open_cut(file, size, &functions, &error);
        if (whole) {
            check(code == AN_OK, "%s, cut at %zu: %s", what, size, error.what);
            check(functions == whole->functions, "%s, cut at %zu: %zu functions", what, size,
                  functions);
        } else if (size == 0) {
            assert_int_equal(code, AN_EMPTY);
        } else {
            check(code == AN_TRUNCATED || code == AN_MALFORMED || code == AN_UNKNOWN,
                  "%s, cut at %zu of %zu: %s (%s)", what, size, file.size, an_code_name(code),
                  error.what);
        }
    }
}

static size_t functions_of(struct an_bytes file)
{
    size_t functions;
    struct an_error error = {0};
    check(open_cut(file, file.size, &functions, &error) == AN_OK, "%s", error.what);
    return functions;
}

static void cut_whole_file(const char *name)
{
    struct an_bytes file = corpus(name);
    struct whole all = {file.size, file.size, functions_of(file)};
    cut_everywhere(name, file, &all, 1);
    free_bytes(file);
}

static void raw_profiles(void **state)
{
    (void)state;
    static const char *const names[] = {
        "raw/tiny-fe-clang13.profraw",           "raw/tiny-fe-clang16.profraw",
        "raw/tiny-fe-clang19.profraw",           "raw/c-ir-clang13-run1.profraw",
        "raw/c-ir-clang16-run1.profraw",         "raw/c-ir-clang19-run1.profraw",
        "raw/c-ir-i386-clang13-run1.profraw",    "raw/c-ir-i386-clang19-run1.profraw",
        "raw/c-ir-s390x-clang19-run1.profraw",   "raw/c-ir-powerpc-clang14-run1.profraw",
        "raw/c-ir-block-clang19-run1.profraw",   "raw/c-ir-temporal-block-clang19-run1.profraw",
        "raw/cond-fe-mcdc-clang19-run1.profraw", "raw/cxx-ir-vtable-clang19-run1.profraw",
        "raw/empty-fe-clang19.profraw"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cut_whole_file(names[i]);
}

/* Versions that no compiler here writes. */
static void raw_profiles_of_other_versions(void **state)
{
    (void)state;
    struct an_bytes file = corpus("raw/c-ir-clang19-run1.profraw");
    for (unsigned version = 5; version <= 9; version++) {
        struct an_buffer buffer = {0};
        assert_true(raw_transcode(
            file, (struct raw_target){version, version % 2 == 0, version % 3 == 0, 8}, &buffer));
        struct an_bytes other = {buffer.data, buffer.size};
        struct whole all = {other.size, other.size, functions_of(other)};
        cut_everywhere("transcoded", other, &all, 1);
        an_buffer_free(&buffer);
    }
    free_bytes(file);
}

/* A file of two profiles is whole after the first, and while only zeros follow. */
static void several_profiles_in_one_file(void **state)
{
    (void)state;
    struct an_bytes one = corpus("raw/c-ir-clang19-run1.profraw");
    struct an_bytes two = corpus("raw/c-ir-clang19-run2.profraw");
    struct an_buffer both = {0};
    an_buffer_put(&both, one.data, one.size);
    an_buffer_put(&both, "\0\0\0\0\0\0\0\0", 8);
    an_buffer_put(&both, two.data, two.size);
    size_t functions = functions_of(one);
    struct whole wholes[] = {{one.size, one.size + 8, functions},
                             {both.size, both.size, 2 * functions}};
    cut_everywhere("joined", (struct an_bytes){both.data, both.size}, wholes, 2);
    an_buffer_free(&both);
    free_bytes(one);
    free_bytes(two);
}

/*
 * Sections are found by their offsets, so a file is whole only with its last byte; what stands
 * behind the last section (padding of the virtual tables' names) is not looked at.
 */
static void indexed_profiles(void **state)
{
    (void)state;
    static const char *const names[] = {"indexed/c-ir-clang13.merged.profdata",
                                        "indexed/c-ir-clang15.merged.profdata",
                                        "indexed/c-ir-clang16.merged.profdata",
                                        "indexed/c-ir-temporal-clang19.previous.profdata",
                                        "indexed/c-ir-temporal-clang19.merged.profdata",
                                        "indexed/c-base-and-csir-clang19.profdata",
                                        "indexed/all-fe-clang19.profdata",
                                        "indexed/cond-fe-mcdc-clang19.merged.profdata",
                                        "indexed/cxx-fe-clang13.merged.profdata"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cut_whole_file(names[i]);
}

/* Any line can be the last one of a text, so what is read must be a prefix of what is there. */
static void text_profiles(void **state)
{
    (void)state;
    static const char *const names[] = {"proftext/ir_values.proftext", "proftext/bitmap.proftext",
                                        "proftext/temporal.proftext", "proftext/csir.proftext"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct an_bytes file = corpus(names[i]);
        size_t all = functions_of(file), last = 0, accepted = 0, refused = 0;
        for (size_t size = 1; size < file.size; size++) {
            struct an_error error = {0};
            size_t functions = 0;
            enum an_code code = open_cut(file, size, &functions, &error);
            if (code == AN_OK) {
                check(functions >= last && functions <= all, "%s, cut at %zu", names[i], size);
                last = functions;
                accepted++;
            } else {
                check(code == AN_TRUNCATED || code == AN_MALFORMED, "%s, cut at %zu: %s", names[i],
                      size, an_code_name(code));
                refused++;
            }
        }
        assert_true(accepted > 10 && refused > 50);
        free_bytes(file);
    }
}

/* The same through a merge, by arrays and by records: nothing of a cut file is in the result. */
static void merging_cut_files(void **state)
{
    (void)state;
    struct an_bytes good = corpus("raw/c-ir-clang19-run1.profraw");
    struct an_bytes bad = corpus("raw/c-ir-clang19-run2.profraw");
    struct an_llvm_profile *alone = merge_bytes(NULL, &good, 1);
    struct an_bytes expected = written(alone, 0);
    struct memory_file first = memory_file(good.data, good.size);
    for (size_t size = 1; size < bad.size; size += 7) {
        struct memory_file cut = memory_file(bad.data, size);
        struct an_llvm_input inputs[] = {{first.path, 1}, {cut.path, 1}};
        struct an_llvm_merge_options options = {
            .size = sizeof options, .threads = 1, .failure_mode = AN_FAIL_ALL};
        struct an_llvm_profile *profile;
        struct an_ledger *ledger;
        struct an_error error;
        assert_int_equal(an_llvm_merge(&options, inputs, 2, &profile, &ledger, &error), AN_OK);
        assert_int_equal(ledger->entries[1].status, AN_INPUT_REJECTED);
        struct an_bytes bytes = written(profile, 0);
        check(bytes.size == expected.size && memcmp(bytes.data, expected.data, bytes.size) == 0,
              "cut at %zu", size);
        free_bytes(bytes);
        an_llvm_profile_free(profile);
        an_ledger_free(ledger);
        memory_file_close(&cut);
    }
    memory_file_close(&first);
    an_llvm_profile_free(alone);
    free_bytes(expected);
    free_bytes(good);
    free_bytes(bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_profiles),
        cmocka_unit_test(raw_profiles_of_other_versions),
        cmocka_unit_test(several_profiles_in_one_file),
        cmocka_unit_test(indexed_profiles),
        cmocka_unit_test(text_profiles),
        cmocka_unit_test(merging_cut_files),
    };
    return RUN_TESTS(tests);
}
