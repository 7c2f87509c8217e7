/* Translation between two layouts while every allocation and read fails in turn. */
#include <anneal/branch.h>

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "support/bat_build.h"
#include "support/elf_build.h"
#include "support/perf_build.h"
#include "support/test.h"

enum { ORIGINAL = 0x1000, MOVED = 0x8000, G = 0x1013, SAMPLES = 20 };

/* f calls g, which jumps back into it; in the layout, f has moved. */
static const uint8_t instructions[] = {
    0x48, 0x31, 0xc0, 0x48, 0x31, 0xdb, /* 0 */
    0x90, 0x90,                         /* 6 */
    0x90,                               /* 8 */
    0xe8, 5,    0,    0,    0,          /* 9 call g */
    0x74, 0xf8,                         /* 14 je 8 */
    0xc3,                               /* 16 */
    0x90, 0x90,                         /* padding */
    0xeb, 0xf3,                         /* 19: g jmp 8 */
};

static int make_original(void)
{
    struct elf_builder b = {0};
    unsigned text =
        elf_section(&b, ".text", ORIGINAL, SHF_EXECINSTR, instructions, sizeof instructions);
    elf_symbol(&b, "f", STB_GLOBAL, STT_FUNC, text, ORIGINAL, 17);
    unsigned g = elf_symbol(&b, "g", STB_GLOBAL, STT_FUNC, text, G, 2);
    elf_relocation(&b, text, ORIGINAL + 10, R_X86_64_PLT32, g, (uint64_t)-4);
    return elf_file(&b);
}

static int make_layout(void)
{
    static const struct built_entry entries[] = {
        {0, 0, false, 0, 0}, {8, 8, false, 0, 0}, {9, 9, true, 0, 0}, {16, 16, false, 0, 0}};
    static const struct built_function moved = {.address = MOVED, .count = 4, .entries = entries};
    struct an_buffer note = bat_build(AN_BAT_WORDS, &moved, 1, false);
    struct elf_builder b = {0};
    unsigned old = elf_section(&b, ".bolt.org.text", ORIGINAL, SHF_EXECINSTR, instructions,
                               sizeof instructions);
    unsigned text = elf_section(&b, ".text", MOVED, SHF_EXECINSTR, instructions, 17);
    elf_section(&b, AN_BAT_SECTION, 0x20000, 0, note.data, note.size);
    elf_symbol(&b, "f", STB_GLOBAL, STT_FUNC, text, MOVED, 17);
    elf_symbol(&b, "g", STB_GLOBAL, STT_FUNC, old, G, 2);
    int fd = elf_file(&b);
    an_buffer_free(&note);
    return fd;
}

static int keep(const void *bytes, size_t size)
{
    int fd = memfd_create("made", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), (ssize_t)size);
    return fd;
}

static int make_recording(const char *name)
{
    struct perf_builder b = {0};
    struct an_buffer bytes = {0};
    perf_event(&b, &(struct perf_event_spec){.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                                            PERF_SAMPLE_TIME |
                                                            PERF_SAMPLE_BRANCH_STACK});
    perf_mmap2(&b, &(struct perf_mapping_spec){
                       .pid = 7, .time = 1, .start = ORIGINAL, .length = 0x1000, .filename = name});
    for (unsigned i = 0; i < SAMPLES; i++) {
        struct perf_branch branches[] = {
            {0x1009, G, 2},         /* in old code, which somebody was in: f calls g */
            {G, 0x1008, 1},         /* g jumps into old f */
            {MOVED + 9, G, 2},      /* new f calls g */
            {ORIGINAL, MOVED, 2},   /* the entry jump */
            {0x5000, ORIGINAL, 2}}; /* from elsewhere to f */
        perf_sample(&b, &(struct perf_sample_spec){.ip = G,
                                                   .time = 10 + i,
                                                   .pid = 7,
                                                   .tid = 7,
                                                   .branches = branches,
                                                   .branch_count = 5});
    }
    perf_finish(&b, &bytes);
    assert_false(bytes.failed);
    int fd = keep(bytes.data, bytes.size);
    an_buffer_free(&bytes);
    perf_builder_free(&b);
    return fd;
}

struct paths {
    char original[40], layout[40], recording[40], stack[40];
    int fds[4];
};

static void make_all(struct paths *paths)
{
    static const char names[] = "# were active\nf\n\ng\n";
    char *const texts[] = {paths->original, paths->layout, paths->stack, paths->recording};
    char name[16];
    paths->fds[0] = make_original();
    paths->fds[1] = make_layout();
    paths->fds[2] = keep(names, sizeof names - 1);
    snprintf(name, sizeof name, "%d", paths->fds[0]);
    paths->fds[3] = make_recording(name);
    for (int i = 0; i < 4; i++)
        snprintf(texts[i], sizeof paths->original, "/proc/self/fd/%d", paths->fds[i]);
}

struct result {
    void *bytes;
    size_t size;
    struct an_translate_counts counts;
};

static enum an_code translate(const struct paths *paths, bool into_layout, struct result *result,
                              struct an_error *error)
{
    struct an_translation *made;
    struct an_translate_layout layout = {.path = paths->layout};
    struct an_translate_options options = {.size = sizeof options,
                                           .threads = 1,
                                           .original = paths->original,
                                           .layouts = &layout,
                                           .layout_count = 1,
                                           .call_stack = paths->stack,
                                           .target = into_layout ? paths->layout : NULL};
    enum an_code code = an_translate_run(&options, paths->recording, &made, error);
    if (code != AN_OK) {
        assert_null(made);
        return code;
    }
    result->counts = *an_translation_counts(made);
    code = an_translation_write(made, into_layout ? AN_AGGREGATE_PREAGGREGATED : AN_AGGREGATE_FDATA,
                                &result->bytes, &result->size, error);
    an_translation_free(made);
    return code;
}

static void check_counts(const struct an_translate_counts *counts)
{
    assert_int_equal(counts->samples, SAMPLES);
    assert_int_equal(counts->branches, 5 * SAMPLES);
    assert_int_equal(counts->entry_jumps, SAMPLES);
    assert_int_equal(counts->translated, 4 * SAMPLES);
    assert_int_equal(counts->returns + counts->elsewhere, 0);
    assert_int_equal(counts->runs, 3 * SAMPLES);
    assert_int_equal(counts->runs_translated, 3 * SAMPLES);
    assert_int_equal(counts->old_code, SAMPLES);
    assert_int_equal(counts->old_code_unexpected, 0);
}

static void every_call_fails_in_turn(void **state)
{
    (void)state;
    struct paths paths;
    make_all(&paths);
    for (int into_layout = 0; into_layout < 2; into_layout++) {
        struct result expected, result;
        struct an_error error = {0};
        an_fault_countdown = -1;
        enum an_code code = translate(&paths, into_layout, &expected, &error);
        check(code == AN_OK, "%s (%s)", error.what, error.file);
        check_counts(&expected.counts);
        long calls = 0;
        for (bool failed = true; failed; calls++) {
            error = (struct an_error){0};
            an_fault_countdown = calls;
            code = translate(&paths, into_layout, &result, &error);
            failed = an_fault_countdown < 0;
            an_fault_countdown = -1;
            if (code != AN_OK) {
                check(failed && error.what[0], "call %ld", calls);
                continue;
            }
            check(result.size == expected.size &&
                      memcmp(result.bytes, expected.bytes, expected.size) == 0,
                  "call %ld: another result", calls);
            free(result.bytes);
        }
        assert_true(calls > 40);
        free(expected.bytes);
    }
    for (int i = 0; i < 4; i++)
        close(paths.fds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call_fails_in_turn)};
    return RUN_TESTS(tests);
}
