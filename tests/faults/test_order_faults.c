/*
 * Orders while every allocation and read fails in turn (-Dfaults=true; lib/base/memory.h): from profiles and a binary to
 * linkers' files and pages, all calls say so or give what they would have given, and nothing leaks (the address
 * sanitizer sees to that).
 */
#include <anneal/order.h>

#include <linux/perf_event.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "support/elf_build.h"
#include "support/perf_build.h"
#include "support/test.h"

/* f calls g; the two helpers are of two files; two functions run before all others. */
static int make_binary(void)
{
    static uint8_t code[0x3000] = {0xe8, 0xfb, 0x0f, 0, 0, 0xc3, [0x1000] = 0xc3};
    struct elf_builder b = {0};
    unsigned text = elf_section(&b, ".text", 0x10000, SHF_EXECINSTR, code, sizeof code);
    static const uint64_t constructors[] = {0x12020};
    unsigned table = elf_section(&b, ".init_array", 0x20000, 0, constructors, sizeof constructors);
    b.sections[table - 1].type = SHT_INIT_ARRAY;
    b.entry = 0x12040;
    elf_symbol(&b, "one.c", STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
    elf_symbol(&b, "helper", STB_LOCAL, STT_FUNC, text, 0x12000, 16);
    elf_symbol(&b, "two.c", STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
    elf_symbol(&b, "helper", STB_LOCAL, STT_FUNC, text, 0x12010, 16);
    elf_symbol(&b, "construct", STB_LOCAL, STT_FUNC, text, 0x12020, 16);
    elf_symbol(&b, "_start", STB_GLOBAL, STT_FUNC, text, 0x12040, 16);
    elf_symbol(&b, "f", STB_GLOBAL, STT_FUNC, text, 0x10000, 6);
    elf_symbol(&b, "g", STB_GLOBAL, STT_FUNC, text, 0x11000, 1);
    elf_symbol(&b, "g.constprop.0", STB_GLOBAL, STT_FUNC, text, 0x11010, 1);
    return elf_file(&b);
}

/* Two processes that were sampled, with branches from f to g. */
static int make_recording(const char *name)
{
    struct perf_builder b = {0};
    perf_event(&b, &(struct perf_event_spec){.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                                            PERF_SAMPLE_TIME |
                                                            PERF_SAMPLE_BRANCH_STACK});
    for (unsigned pid = 7; pid < 9; pid++)
        perf_mmap2(
            &b, &(struct perf_mapping_spec){
                    .pid = pid, .time = 1, .start = 0x10000, .length = 0x3000, .filename = name});
    for (unsigned i = 0; i < 6; i++) {
        struct perf_branch branches[] = {{0x11000, 0x10005, 1}, {0x10000, 0x11000, 1}};
        perf_sample(&b, &(struct perf_sample_spec){.ip = 0x12000 + 16 * (i % 2),
                                                   .time = 10 + i,
                                                   .pid = 7 + i % 2,
                                                   .tid = 7 + i % 2,
                                                   .branches = branches,
                                                   .branch_count = 2});
    }
    return perf_file(&b);
}

static const char names[] = "# a run\nf\none.c;helper\ng\nunknown\n";
static const char profile[] = ":ir\n:temporal_prof_traces\n2\n2\n1\ng,one.c;helper,f\n3\nf,g,\n"
                              "f\n1\n2\n10\n7\n1\n0\n1\n2\ng:5\none.c;helper:2\n\n"
                              "g\n2\n1\n9\n\none.c;helper\n3\n1\n2\n\n";
static const char branches[] = "1 f 0 1 g 0 0 5\n1 g 0 1 f 5 0 5\n1 f 5 1 helper/one.c/1 0 0 2\n";

struct inputs {
    char binary[40], recording[40];
};

/* All that an order is made from. */
static enum an_code gather(struct an_behaviour *behaviour, const struct an_image *image,
                           const struct inputs *inputs, struct an_error *error)
{
    const struct an_recording_options options = {.size = sizeof options, .threads = 1};
    enum an_code code = an_behaviour_add_names(behaviour, names, sizeof names - 1, error);
    if (code == AN_OK)
        code = an_behaviour_add_llvm(behaviour, profile, sizeof profile - 1, error);
    if (code == AN_OK)
        code = an_behaviour_add_llvm_counts(behaviour, profile, sizeof profile - 1, error);
    if (code == AN_OK)
        code = an_behaviour_add_fdata(behaviour, branches, sizeof branches - 1, error);
    if (code == AN_OK)
        code = an_behaviour_add_heat(behaviour, "two.c;helper", 3, error);
    if (code == AN_OK)
        code = an_behaviour_add_recording(behaviour, image, inputs->recording, &options, error);
    if (code == AN_OK)
        code = an_behaviour_add_calls_of(behaviour, image, error);
    if (code == AN_OK)
        code = an_behaviour_add_entry(behaviour, image, error);
    return code;
}

static enum an_code judge(const struct an_behaviour *behaviour, struct an_pages_layout *layout,
                          struct an_buffer *result, struct an_error *error)
{
    const struct an_pages_kernel kernel = {4096, 16, 0, 32, 5};
    struct an_pages_heat heat;
    enum an_code code = AN_OK;
    for (size_t r = 0; code == AN_OK && r < an_behaviour_runs(behaviour); r++) {
        struct an_behaviour_run run = an_behaviour_run(behaviour, r);
        struct an_pages_cost cost;
        code = an_pages_touch(layout, &run, &kernel, NULL, &cost, error);
        if (code == AN_OK)
            an_buffer_print(result, "%llu %llu %g\n", (unsigned long long)cost.pages,
                            (unsigned long long)cost.faults, cost.area);
    }
    if (code == AN_OK)
        code = an_pages_heat(behaviour, layout, 4096, &heat, error);
    if (code == AN_OK)
        an_buffer_print(result, "%llu %g\n", (unsigned long long)heat.pages[2], heat.calls_within);
    an_pages_layout_free(layout);
    return code;
}

static enum an_code lay_out(const struct an_behaviour *behaviour, const struct an_matches *matches,
                            const struct an_image *image, const struct an_order *order,
                            struct an_buffer *result, struct an_error *error)
{
    struct an_pages_layout layout;
    struct an_order placed;
    enum an_code code = an_pages_layout_guess(behaviour, order, &layout, error);
    if (code == AN_OK)
        code = judge(behaviour, &layout, result, error);
    if (code == AN_OK)
        code = an_pages_layout_now(behaviour, matches, image, &layout, error);
    if (code == AN_OK)
        code = judge(behaviour, &layout, result, error);
    if (code != AN_OK || (code = an_order_place(order, matches, image, &placed, error)) != AN_OK)
        return code;
    code = an_pages_layout_new(behaviour, matches, image, &placed, &layout, error);
    if (code == AN_OK)
        code = judge(behaviour, &layout, result, error);
    an_order_free(&placed);
    return code;
}

static enum an_code write_down(const struct an_behaviour *behaviour,
                               const struct an_matches *matches, const struct an_order *order,
                               struct an_buffer *result, struct an_error *error)
{
    enum an_code code = AN_OK;
    for (int format = AN_ORDER_LLD; code == AN_OK && format <= AN_ORDER_LD64; format++) {
        char *text;
        size_t size;
        code = an_order_write(behaviour, order, matches, (enum an_order_format)format, &text, &size,
                              error);
        if (code == AN_OK) {
            an_buffer_put(result, text, size);
            free(text);
        }
    }
    return code;
}

static enum an_code order_all(const struct an_behaviour *behaviour, const struct an_image *image,
                              const struct an_matches *matches, struct an_buffer *result,
                              struct an_error *error)
{
    const struct an_order_options options = {
        .size = sizeof options, .matches = matches, .image = image, .threads = 1};
    enum an_code code = AN_OK;
    for (int way = 0; code == AN_OK && way < 3; way++) {
        struct an_order order;
        code = way == 0   ? an_order_startup(behaviour, &options, &order, error)
               : way == 1 ? an_order_hot(behaviour, &options, &order, error)
                          : an_order_blend(behaviour, &options, 0.5, &order, error);
        if (code != AN_OK)
            break;
        code = lay_out(behaviour, matches, image, &order, result, error);
        if (code == AN_OK)
            code = write_down(behaviour, matches, &order, result, error);
        an_order_free(&order);
    }
    return code;
}

static enum an_code whole(const struct inputs *inputs, struct an_buffer *result,
                          struct an_error *error)
{
    struct an_image *image;
    struct an_matches *matches = NULL;
    enum an_code code = an_image_open(&image, inputs->binary, error);
    if (code != AN_OK)
        return code;
    struct an_behaviour *behaviour = an_behaviour_new();
    code = behaviour ? gather(behaviour, image, inputs, error) : an_fail_memory(error);
    if (code == AN_OK)
        code = an_matches_find(behaviour, image, &matches, error);
    if (code == AN_OK) {
        code = order_all(behaviour, image, matches, result, error);
        an_matches_free(matches);
    }
    an_behaviour_free(behaviour);
    an_image_close(image);
    return code;
}

static void every_call_fails_in_turn(void **state)
{
    (void)state;
    struct inputs inputs;
    char name[16];
    struct an_buffer expected = {0};
    struct an_error error = {0};
    int binary = make_binary();
    snprintf(name, sizeof name, "%d", binary);
    snprintf(inputs.binary, sizeof inputs.binary, "/proc/self/fd/%d", binary);
    int recording = make_recording(name);
    snprintf(inputs.recording, sizeof inputs.recording, "/proc/self/fd/%d", recording);
    enum an_code code = whole(&inputs, &expected, &error);
    check(code == AN_OK, "%s", error.what);
    assert_true(expected.size > 300);
    long calls = 0;
    for (bool failed = true; failed; calls++) {
        struct an_buffer result = {0};
        error = (struct an_error){0};
        an_fault_countdown = calls;
        code = whole(&inputs, &result, &error);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        if (code == AN_OK && !result.failed)
            check(result.size == expected.size &&
                      memcmp(result.data, expected.data, expected.size) == 0,
                  "call %ld: another result", calls);
        else if (code != AN_OK)
            check(failed && (code == AN_NO_MEMORY || code == AN_SYSTEM) && error.what[0],
                  "call %ld: %s (%s)", calls, an_code_name(code), error.what);
        an_buffer_free(&result);
    }
    check(calls > 1000, "%ld calls", calls);
    an_buffer_free(&expected);
    close(binary);
    close(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call_fails_in_turn)};
    return RUN_TESTS(tests);
}
