/*
 * Every allocation, read, write and synchronisation fails once, each in a run of its own
 * (-Dfaults=true; lib/base/memory.h). Then the call must fail as documented, nothing may leak (the
 * leak sanitizer looks at the end), and an old output file must be as it was.
 */
#include <anneal/fdata.h>
#include <anneal/llvm.h>

#include <dirent.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "bolt/fdata_table.h"
#include "support/profiles.h"
#include "support/test.h"
#include "llvm/names.h"

enum { MOST_INPUTS = 8 };

struct scenario {
    const char *name;
    const char *inputs[MOST_INPUTS];
    struct an_llvm_merge_options merge;
    struct an_llvm_write_options write;
    bool rejects; /* one of the inputs is damaged */
};

static char folder[64];

static const char *output_path(void)
{
    static char path[80];
    snprintf(path, sizeof path, "%s/output", folder);
    return path;
}

/* Everything that anneal merge does with its files. */
static enum an_code merge_and_write(const struct scenario *scenario, struct an_error *error)
{
    struct an_llvm_input inputs[MOST_INPUTS];
    static char paths[MOST_INPUTS][1024];
    struct an_llvm_profile *profile = NULL;
    struct an_ledger *ledger = NULL;
    struct an_llvm_merge_options merge = scenario->merge;
    struct an_llvm_write_options write = scenario->write;
    size_t count = 0;
    merge.size = sizeof merge;
    write.size = sizeof write;
    for (; count < MOST_INPUTS && scenario->inputs[count]; count++) {
        strcpy(paths[count], scenario->inputs[count][0] == '/'
                                 ? scenario->inputs[count]
                                 : corpus_path(scenario->inputs[count]));
        inputs[count] = (struct an_llvm_input){paths[count], 1};
    }
    enum an_code code = an_llvm_merge(&merge, inputs, count, &profile, &ledger, error);
    assert_int_equal(profile != NULL, code == AN_OK);
    if (code == AN_OK) {
        void *bytes = NULL;
        size_t size = 0;
        write.partial = merge.partial ? ledger : NULL;
        code = an_llvm_profile_write(profile, &write, &bytes, &size, NULL, error);
        if (code == AN_OK) {
            code = an_file_replace(output_path(), (struct an_bytes){bytes, size}, error);
            free(bytes);
        }
    }
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    return code;
}

static void put_old_output(void)
{
    FILE *file = fopen(output_path(), "wb");
    assert_non_null(file);
    fputs("old", file);
    assert_int_equal(fclose(file), 0);
}

static size_t files_in_folder(void)
{
    DIR *directory = opendir(folder);
    size_t count = 0;
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

static bool is_output(struct an_bytes expected)
{
    struct an_bytes bytes = load_file(output_path());
    bool same = bytes.size == expected.size && memcmp(bytes.data, expected.data, bytes.size) == 0;
    free_bytes(bytes);
    return same;
}

/* Lets the first, the second, the third... call fail until a run gets by without. */
static void fail_everywhere(const struct scenario *scenario)
{
    struct an_error error = {0};
    const struct an_bytes old = {(const uint8_t *)"old", 3};
    an_fault_countdown = -1;
    put_old_output();
    enum an_code code = merge_and_write(scenario, &error);
    check((code == AN_OK) == !scenario->rejects, "%s: %s", scenario->name, error.what);
    enum an_code without_fault = code;
    struct an_bytes expected = load_file(output_path());
    long calls = 0;
    for (bool failed = true; failed; calls++) {
        put_old_output();
        error = (struct an_error){0};
        an_fault_countdown = calls;
        code = merge_and_write(scenario, &error);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        if (code == AN_OK) { /* the fault was made good, or there was none */
            check(is_output(expected), "%s, call %ld: succeeds with another result", scenario->name,
                  calls);
        } else {
            check(code == AN_NO_MEMORY || code == AN_SYSTEM || code == without_fault ||
                      (scenario->rejects && code == AN_MALFORMED), /* several were rejected */
                  "%s, call %ld: %s (%s)", scenario->name, calls, an_code_name(code), error.what);
            check(error.code == code && error.what[0], "%s, call %ld", scenario->name, calls);
            check(is_output(old), "%s, call %ld: the old output is gone", scenario->name, calls);
        }
        check(files_in_folder() == 1, "%s, call %ld: a temporary file is left", scenario->name,
              calls);
    }
    check(calls > 30, "%s: only %ld calls", scenario->name, calls);
    free_bytes(expected);
}

static void raw_profiles_of_one_layout(void **state)
{
    (void)state;
    fail_everywhere(&(struct scenario){.name = "one layout",
                                       .inputs = {"raw/c-ir-clang19-run1.profraw",
                                                  "raw/c-ir-clang19-run2.profraw",
                                                  "raw/c-ir-clang19-run3-aslr.profraw"},
                                       .merge = {.threads = 1}});
}

static void raw_profiles_of_many_layouts(void **state)
{
    (void)state;
    fail_everywhere(&(struct scenario){
        .name = "many layouts",
        .inputs = {"raw/c-fe-clang13-run1.profraw", "raw/c-fe-clang16-run1.profraw",
                   "raw/c-fe-i386-clang19-run1.profraw", "raw/c-fe-s390x-clang14-run1.profraw",
                   "raw/lib-fe-concat-clang19.profraw"},
        .merge = {.threads = 1}});
}

static void indexed_profiles(void **state)
{
    (void)state;
    fail_everywhere(&(struct scenario){.name = "indexed",
                                       .inputs = {"indexed/c-ir-clang13.merged.profdata",
                                                  "indexed/c-ir-clang16.merged.profdata",
                                                  "indexed/c-base-and-csir-clang19.profdata"},
                                       .merge = {.threads = 1},
                                       .write = {.format_version = 9}});
}

static void text_profiles(void **state)
{
    (void)state;
    fail_everywhere(
        &(struct scenario){.name = "text",
                           .inputs = {"proftext/ir_values.proftext", "proftext/mismatch.proftext",
                                      "proftext/hashes.proftext"},
                           .merge = {.threads = 1},
                           .write = {.text = true}});
}

static void traces(void **state)
{
    (void)state;
    fail_everywhere(&(struct scenario){.name = "traces",
                                       .inputs = {"raw/c-ir-temporal-clang19-run1.profraw",
                                                  "raw/c-ir-temporal-clang19-run2.profraw",
                                                  "indexed/c-ir-temporal-twice.profdata",
                                                  "proftext/temporal.proftext"},
                                       .merge = {.threads = 1, .trace_reservoir = 2}});
}

static void virtual_tables_and_bitmaps(void **state)
{
    (void)state;
    fail_everywhere(&(struct scenario){.name = "virtual tables",
                                       .inputs = {"raw/cxx-ir-vtable-clang19-run1.profraw",
                                                  "indexed/cxx-ir-vtable-clang19.keep.profdata",
                                                  "proftext/vtable.proftext"},
                                       .merge = {.threads = 1, .keep_vtable_names = true}});
    fail_everywhere(&(struct scenario){.name = "bitmaps",
                                       .inputs = {"raw/cond-fe-mcdc-clang19-run1.profraw",
                                                  "raw/cond-fe-mcdc-clang19-run2.profraw",
                                                  "proftext/bitmap.proftext"},
                                       .merge = {.threads = 1},
                                       .write = {.sparse = true}});
}

/* An input that cannot be used for want of memory must not pass for one that is damaged. */
static void partial_results(void **state)
{
    (void)state;
    fail_everywhere(&(struct scenario){
        .name = "a partial result",
        .inputs = {"raw/c-ir-clang19-run1.profraw", "raw/c-ir-temporal-clang19-run2.profraw",
                   "proftext/hashes.proftext", "raw/c-ir-clang19-run1.profraw"},
        .merge = {.threads = 1, .partial = true}});
    fail_everywhere(&(struct scenario){
        .name = "of partial results",
        .inputs = {"../partial/values.partial", "raw/c-ir-clang19-run3-aslr.profraw",
                   "../partial/traces.partial", "raw/c-ir-clang19-run1.profraw"},
        .merge = {.threads = 1, .trace_reservoir = 1}});
    fail_everywhere(
        &(struct scenario){.name = "one of others",
                           .inputs = {"../partial/values.partial", "../partial/traces.partial",
                                      "../partial/vtables.partial"},
                           .merge = {.threads = 1, .partial = true}});
}

static void damaged_inputs(void **state)
{
    (void)state;
    struct an_bytes whole = corpus("raw/c-fe-clang19-run2.profraw");
    struct memory_file cut = memory_file(whole.data, whole.size - 8), empty = memory_file("", 0);
    fail_everywhere(&(struct scenario){.name = "damaged",
                                       .inputs = {"raw/c-fe-clang19-run1.profraw", cut.path,
                                                  empty.path, "raw/c-fe-clang19-run1.profraw"},
                                       .merge = {.threads = 1, .failure_mode = AN_FAIL_ANY},
                                       .rejects = true});
    memory_file_close(&cut);
    memory_file_close(&empty);
    free_bytes(whole);
}

/* ---- the other entries ---- */

static void reading_a_file(void **state)
{
    (void)state;
    static const char *const names[] = {
        "raw/lib-fe-concat-clang19.profraw", "raw/cxx-ir-vtable-clang19-run1.profraw",
        "raw/c-ir-temporal-block-clang19-run1.profraw", "indexed/c-ir-temporal-twice.profdata",
        "proftext/temporal.proftext"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct an_bytes file = corpus(names[i]);
        long calls = 0;
        for (bool failed = true; failed; calls++) {
            struct an_llvm_reader *reader = NULL;
            struct an_llvm_record record;
            struct an_error error = {0};
            size_t length, records = 0;
            an_fault_countdown = calls;
            enum an_code code = an_llvm_reader_open(&reader, file.data, file.size, &error);
            if (code == AN_OK) {
                for (; an_llvm_reader_next(reader, &record); records++)
                    an_llvm_reader_symbol(reader, record.hash, &length);
                check(records == an_llvm_reader_info(reader)->functions ||
                          an_llvm_reader_failed(reader),
                      "%s, call %ld: %zu records, and no failure", names[i], calls, records);
                an_llvm_reader_close(reader);
            } else {
                check(code == AN_NO_MEMORY, "%s, call %ld: %s", names[i], calls,
                      an_code_name(code));
            }
            failed = an_fault_countdown < 0;
            an_fault_countdown = -1;
        }
        assert_true(calls > 3);
        free_bytes(file);
    }
}

static void report_nothing(void *context, const struct an_llvm_overlap_function *function)
{
    (void)function;
    ++*(size_t *)context;
}

static void comparing(void **state)
{
    (void)state;
    char base[1024], test[1024];
    strcpy(base, corpus_path("raw/c-ir-clang19-run1.profraw"));
    strcpy(test, corpus_path("indexed/c-ir-clang13.merged.profdata"));
    long calls = 0;
    for (bool failed = true; failed; calls++) {
        size_t reported = 0;
        struct an_llvm_overlap_options options = {
            .size = sizeof options, .report = report_nothing, .context = &reported};
        struct an_llvm_overlap overlap;
        struct an_error error = {0};
        an_fault_countdown = calls;
        enum an_code code = an_llvm_overlap(base, test, &options, &overlap, &error);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        check(failed ? code == AN_NO_MEMORY || code == AN_SYSTEM : code == AN_OK, "call %ld: %s",
              calls, an_code_name(code));
    }
    assert_true(calls > 20);
}

static void summing_up(void **state)
{
    (void)state;
    uint64_t counts[200];
    for (uint64_t i = 0; i < 200; i++)
        counts[i] = i;
    long calls = 0;
    for (bool failed = true; failed; calls++) {
        struct an_llvm_record record = record_of("f", 1, counts, 200);
        struct an_llvm_summary summary;
        struct an_error error;
        an_fault_countdown = calls;
        struct an_llvm_summary_builder *builder = an_llvm_summary_builder_new();
        bool added = builder && an_llvm_summary_builder_add(builder, &record);
        enum an_code code = added
                                ? an_llvm_summary_builder_finish(builder, NULL, 0, &summary, &error)
                                : AN_NO_MEMORY;
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        assert_int_equal(code, failed ? AN_NO_MEMORY : AN_OK);
        if (code == AN_OK)
            an_llvm_summary_clear(&summary);
        an_llvm_summary_builder_free(builder);
    }
    assert_true(calls > 4);
}

/*
 * A caller who was told that memory ran out may free something, go on adding, and write: what was
 * added before must be there, and the profile must not be broken.
 */
static void a_profile_survives_a_failed_addition(void **state)
{
    (void)state;
    struct an_bytes file = corpus("raw/c-ir-clang19-run1.profraw");
    long calls = 0;
    for (bool failed = true; failed; calls++) {
        struct an_llvm_profile *profile = an_llvm_profile_new();
        struct an_llvm_reader *reader;
        struct an_llvm_record record;
        struct an_error error;
        unsigned warnings = 0;
        long left = calls;
        failed = false;
        assert_int_equal(an_llvm_reader_open(&reader, file.data, file.size, &error), AN_OK);
        while (an_llvm_reader_next(reader, &record)) {
            an_fault_countdown = left;
            enum an_code code = an_llvm_profile_add(profile, &record, 1, &warnings, &error);
            left = an_fault_countdown;
            an_fault_countdown = -1;
            if (code == AN_OK)
                continue;
            assert_int_equal(code, AN_NO_MEMORY);
            failed = true;
            assert_int_equal(an_llvm_profile_add(profile, &record, 1, &warnings, &error), AN_OK);
        }
        size_t functions = an_llvm_reader_info(reader)->functions;
        an_llvm_reader_close(reader);
        struct an_bytes bytes = written(profile, 0);
        assert_int_equal(an_llvm_reader_open(&reader, bytes.data, bytes.size, &error), AN_OK);
        assert_int_equal(an_llvm_reader_info(reader)->functions, functions);
        an_llvm_reader_close(reader);
        free_bytes(bytes);
        an_llvm_profile_free(profile);
    }
    free_bytes(file);
}

/* ---- BOLT's text profiles ---- */

/* Enough records for a table to grow, to be put in order, and to have variants. */
static struct memory_file fdata_file(unsigned first, const char *end)
{
    struct an_buffer text = {0};
    for (unsigned i = first; i < first + 3000; i += 1 + (i % 5 == 0))
        an_buffer_print(&text, "1 function%u %x 1 other 0 %u 7\n", i / 9, i, i % 3 ? 0 : first + 1);
    an_buffer_print(&text, "1 main 1C 1 main 0 0 1\n%s", end);
    assert_false(text.failed);
    struct memory_file file = memory_file(text.data, text.size);
    an_buffer_free(&text);
    return file;
}

/* Merges, filters nothing and writes. */
static enum an_code merge_fdata(const struct an_fdata_input *inputs, size_t count, bool whole_lines,
                                struct an_bytes *result, struct an_error *error)
{
    struct an_fdata_merge_options options = {.size = sizeof options,
                                             .threads = 1,
                                             .failure_mode = AN_FAIL_ALL,
                                             .whole_lines = whole_lines};
    struct an_fdata_profile *profile;
    struct an_ledger *ledger;
    void *bytes = NULL;
    enum an_code code = an_fdata_merge(&options, inputs, count, &profile, &ledger, error);
    assert_int_equal(profile != NULL, code == AN_OK);
    if (code == AN_OK)
        code = an_fdata_profile_write(profile, &bytes, &result->size, error);
    result->data = bytes;
    an_fdata_profile_free(profile);
    an_ledger_free(ledger);
    return code;
}

/* The same, by a partial result, which is refused or whole. */
static enum an_code merge_fdata_partially(const struct an_fdata_input *inputs, size_t count,
                                          struct an_bytes *result, struct an_error *error)
{
    struct an_fdata_merge_options options = {.size = sizeof options, .threads = 1, .partial = true};
    struct an_fdata_profile *profile;
    struct an_ledger *ledger;
    void *bytes = NULL;
    enum an_code code = an_fdata_merge(&options, inputs, count, &profile, &ledger, error);
    if (code == AN_OK)
        code = an_fdata_profile_write_partial(profile, ledger, &bytes, &result->size, error);
    result->data = bytes;
    an_fdata_profile_free(profile);
    an_ledger_free(ledger);
    return code;
}

static void partial_results_of_fdata(void **state)
{
    (void)state;
    struct memory_file files[] = {fdata_file(0, ""), fdata_file(1, ""), {0}};
    struct an_fdata_input inputs[3] = {{files[0].path, 1}, {files[1].path, 2}};
    struct an_bytes partial, result;
    struct an_error error;
    an_fault_countdown = -1;
    assert_int_equal(merge_fdata_partially(inputs, 2, &partial, &error), AN_OK);
    files[2] = memory_file(partial.data, partial.size);
    inputs[2] = (struct an_fdata_input){files[2].path, 1};
    long calls = 0;
    for (bool failed = true; failed; calls++) {
        an_fault_countdown = calls;
        enum an_code code = merge_fdata_partially(inputs, 3, &result, &error);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        check(code == AN_OK || (failed && error.what[0]), "call %ld", calls);
        if (code == AN_OK) /* the two are in the partial result */
            assert_true(result.size == partial.size &&
                        memcmp(result.data, partial.data, result.size) == 0);
        free_bytes(result);
    }
    assert_true(calls > 50);
    free_bytes(partial);
    for (size_t i = 0; i < 3; i++)
        memory_file_close(&files[i]);
}

static void merging_fdata(void **state)
{
    (void)state;
    struct memory_file files[] = {fdata_file(0, ""), fdata_file(1, "torn"), fdata_file(1500, "")};
    struct an_fdata_input inputs[3];
    for (size_t i = 0; i < 3; i++)
        inputs[i] = (struct an_fdata_input){files[i].path, 1 + i};
    for (int whole_lines = 0; whole_lines < 2; whole_lines++) {
        struct an_bytes expected, result;
        struct an_error error;
        an_fault_countdown = -1;
        assert_int_equal(merge_fdata(inputs, 3, whole_lines, &expected, &error), AN_OK);
        long calls = 0;
        for (bool failed = true; failed; calls++) {
            error = (struct an_error){0};
            an_fault_countdown = calls;
            enum an_code code = merge_fdata(inputs, 3, whole_lines, &result, &error);
            failed = an_fault_countdown < 0;
            an_fault_countdown = -1;
            if (code != AN_OK) {
                check(failed && code == AN_NO_MEMORY && error.what[0], "call %ld: %s", calls,
                      an_code_name(code));
                continue;
            }
            /* A file that could not be read is rejected: then there is less. */
            bool same = result.size == expected.size &&
                        memcmp(result.data, expected.data, expected.size) == 0;
            check(same || (failed && result.size < expected.size), "call %ld", calls);
            free_bytes(result);
        }
        assert_true(calls > 50);
        free_bytes(expected);
    }
    for (size_t i = 0; i < 3; i++)
        memory_file_close(&files[i]);
}

static void reading_fdata(void **state)
{
    (void)state;
    static const char text[] = "no_lbr a b\nboltedcollection\n1 main 4 5\n1 other  4 5\n";
    long calls = 0;
    for (bool failed = true; failed; calls++) {
        struct an_fdata_reader *reader = NULL;
        struct an_fdata_profile *profile = NULL;
        struct an_error error;
        an_fault_countdown = calls;
        enum an_code code = an_fdata_reader_open(&reader, text, strlen(text), &error);
        if (code == AN_OK)
            code = an_fdata_profile_read(&profile, text, strlen(text), &error);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        assert_int_equal(code, failed ? AN_NO_MEMORY : AN_OK);
        an_fdata_reader_close(reader);
        an_fdata_profile_free(profile);
    }
    assert_true(calls > 15);
}

/* What threads do at the end; they themselves would take each other's faults. */
static void absorbing_a_table(void **state)
{
    (void)state;
    long calls = 0;
    for (bool failed = true; failed; calls++) {
        struct fdata_table table = {0}, part = {0};
        bool made = true;
        an_fault_countdown = calls;
        for (unsigned i = 0; made && i < 1500; i++) {
            char key[40];
            size_t length = (size_t)sprintf(key, "1 function%u %x 1 b 0", i / 7, i);
            struct fdata_table *into = i % 3 ? &table : &part;
            made = an_fdata_table_insert(into, key, length, key + 2, strcspn(key + 2, " "), 0) &&
                   (i % 50 || an_fdata_table_variant(into, 0, i + 1));
        }
        an_fdata_table_arrange(&part);
        bool done = made && an_fdata_table_absorb(&table, &part);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        check(done || failed, "call %ld", calls);
        an_fdata_table_free(&table);
        an_fdata_table_free(&part);
    }
    assert_true(calls > 30);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/anneal-test.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    an_fault_countdown = -1;
    unlink(output_path());
    return rmdir(folder);
}

#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_folder(raw_profiles_of_one_layout),
        in_a_folder(raw_profiles_of_many_layouts),
        in_a_folder(indexed_profiles),
        in_a_folder(text_profiles),
        in_a_folder(traces),
        in_a_folder(virtual_tables_and_bitmaps),
        in_a_folder(partial_results),
        in_a_folder(damaged_inputs),
        in_a_folder(reading_a_file),
        in_a_folder(comparing),
        in_a_folder(summing_up),
        in_a_folder(a_profile_survives_a_failed_addition),
        in_a_folder(merging_fdata),
        in_a_folder(partial_results_of_fdata),
        in_a_folder(reading_fdata),
        in_a_folder(absorbing_a_table),
    };
    return RUN_TESTS(tests);
}
