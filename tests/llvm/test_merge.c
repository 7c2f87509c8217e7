/*
 * lib/llvm/merge and raw_merge: the result never depends on threads or on which way through the
 * code an input takes, an input counts whole or not at all, and the ledger tells what became of it.
 */
#include <anneal/llvm.h>

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "support/profiles.h"
#include "support/test.h"
#include "llvm/profile.h"
#include "llvm/raw.h"
#include "llvm/value_data.h"

/* ---- inputs ---- */

enum { MOST = 64 };

struct list {
    char paths[MOST][1024];
    size_t count;
};

/* The raw profiles of the corpus whose kinds contain one word and none of the others. */
static struct list *raw_profiles(const char *with, const char *const *without)
{
    struct list *list = calloc(1, sizeof *list);
    struct an_bytes manifest = corpus("MANIFEST");
    char *text = strndup((const char *)manifest.data, manifest.size), *rest = text, *line;
    while ((line = strsep(&rest, "\n"))) {
        char name[256], kinds[256];
        bool wanted = sscanf(line, "%255[^\t]\t%*[^\t]\t%255[^\t]", name, kinds) == 2 &&
                      strstr(line, "\taccept\t") && strstr(kinds, with);
        for (size_t i = 0; without[i]; i++)
            wanted = wanted && !strstr(kinds, without[i]);
        if (wanted && list->count < MOST)
            strcpy(list->paths[list->count++], corpus_path(name));
    }
    assert_true(list->count > 10);
    free(text);
    free_bytes(manifest);
    return list;
}

/* Without those that only tell what ran (single_byte), which are not mixed with counts. */
static struct list *ir_profiles(void)
{
    static const char *const without[] = {"function_entry", "entry_first", "fe,", "single_byte",
                                          NULL};
    return raw_profiles("ir", without);
}

static struct list *frontend_profiles(void)
{
    static const char *const without[] = {"ir", "single_byte", NULL};
    return raw_profiles("fe", without);
}

/* ---- merging with an account of warnings ---- */

struct heard {
    char text[1 << 16];
    size_t length;
};

static void hear(void *context, const char *path, const char *name, size_t length,
                 enum an_llvm_warning warning)
{
    struct heard *heard = context;
    int wrote = snprintf(heard->text + heard->length, sizeof heard->text - heard->length,
                         "%s %.*s %d\n", strrchr(path, '/'), (int)length, name, (int)warning);
    heard->length += (size_t)wrote;
    assert_true(heard->length < sizeof heard->text);
}

static struct an_bytes merged(const struct an_llvm_merge_options *options,
                              const struct an_llvm_input *inputs, size_t count)
{
    struct an_llvm_profile *profile;
    struct an_ledger *ledger;
    struct an_error error = {0};
    enum an_code code = an_llvm_merge(options, inputs, count, &profile, &ledger, &error);
    check(code == AN_OK, "%s", error.what);
    struct an_bytes bytes = written(profile, 0);
    an_llvm_profile_free(profile);
    an_ledger_free(ledger);
    return bytes;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The order in which functions of one file are complained of may differ, the complaints may not. */
static void sort_lines(struct heard *heard)
{
    static char copy[sizeof heard->text];
    static char *lines[4096];
    size_t count = 0;
    char *rest = strcpy(copy, heard->text), *line;
    while ((line = strsep(&rest, "\n")) && count < 4096)
        lines[count++] = line;
    qsort(lines, count, sizeof *lines, by_text);
    heard->text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        if (lines[i][0])
            strcat(strcat(heard->text, lines[i]), "\n");
}

/* Raw profiles are merged as arrays; with keep_vtable_names they go through the general reader. */
static void compare_ways(const struct an_llvm_input *inputs, size_t count, bool warnings,
                         const char *what)
{
    static struct heard by_array, by_reader;
    by_array.length = by_reader.length = 0;
    by_array.text[0] = by_reader.text[0] = '\0';
    struct an_llvm_merge_options array = {
        .size = sizeof array, .threads = 1, .warn = hear, .context = &by_array};
    struct an_llvm_merge_options reader = {.size = sizeof reader,
                                           .threads = 1,
                                           .keep_vtable_names = true,
                                           .warn = hear,
                                           .context = &by_reader};
    struct an_bytes a = merged(&array, inputs, count), b = merged(&reader, inputs, count);
    check(a.size == b.size && memcmp(a.data, b.data, a.size) == 0, "%s: other bytes", what);
    sort_lines(&by_array);
    sort_lines(&by_reader);
    check(!warnings || strcmp(by_array.text, by_reader.text) == 0, "%s: warnings\n%sversus\n%s",
          what, by_array.text, by_reader.text);
    free_bytes(a);
    free_bytes(b);
}

static void compare_threads(const struct list *list, uint64_t seed)
{
    enum { INPUTS = 64 * 7 + 5 }; /* enough for eight threads */
    struct an_llvm_input inputs[INPUTS];
    for (size_t i = 0; i < INPUTS; i++)
        inputs[i] = (struct an_llvm_input){list->paths[number_below(&seed, list->count)], 1};
    struct an_bytes expected = {0};
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct an_llvm_merge_options options = {
            .size = sizeof options, .threads = threads, .trace_reservoir = 5};
        struct an_bytes bytes = merged(&options, inputs, INPUTS);
        if (threads == 1) {
            expected = bytes;
            continue;
        }
        check(bytes.size == expected.size && memcmp(bytes.data, expected.data, bytes.size) == 0,
              "%u threads", threads);
        free_bytes(bytes);
    }
    free_bytes(expected);
}

static void any_number_of_threads(void **state)
{
    (void)state;
    struct list *ir = ir_profiles(), *frontend = frontend_profiles();
    for (uint64_t seed = 1; seed <= 12; seed++)
        compare_threads(seed % 3 ? ir : frontend, seed);
    free(ir);
    free(frontend);
}

static void compare_random_inputs(bool warnings)
{
    static const char *const without[] = {"function_entry", "entry_first", "fe,",
                                          "vtable",         "single_byte", NULL};
    static const uint64_t weights[] = {1, 2, 1000, 1ull << 33, UINT64_MAX / 5, UINT64_MAX};
    struct list *lists[2] = {raw_profiles("ir", without), frontend_profiles()};
    uint64_t seed = 1;
    for (int round = 0; round < 200; round++) {
        const struct list *list = lists[round % 2];
        struct an_llvm_input inputs[9];
        char what[64];
        size_t count = 1 + number_below(&seed, 9), from = number_below(&seed, list->count);
        for (size_t i = 0; i < count; i++) {
            /* neighbours in the list are often runs of one program */
            size_t which =
                round % 4 < 2 ? (from + i % 3) % list->count : number_below(&seed, list->count);
            inputs[i].path = list->paths[which];
            inputs[i].weight = round % 5 ? 1 : weights[number_below(&seed, 6)];
        }
        snprintf(what, sizeof what, "round %d", round);
        compare_ways(inputs, count, warnings, what);
    }
    free(lists[0]);
    free(lists[1]);
}

static void arrays_or_records(void **state)
{
    (void)state;
    compare_random_inputs(false);
}

/* One warning for each function and file, as in llvm-profdata. */
static void warnings_are_the_same_either_way(void **state)
{
    (void)state;
    compare_random_inputs(true);
}

/* ---- profiles made for one purpose ---- */

/* A run of a program in which every counter is large, 2^56, the most that is believed. */
static struct an_bytes with_large_counts(const char *name)
{
    struct an_bytes file = corpus(name);
    uint64_t data = an_get64(file.data + 24, false), counters = an_get64(file.data + 40, false);
    uint64_t ids = an_get64(file.data + 16, false);
    uint8_t *at = (uint8_t *)file.data + 128 + ids + 64 * data;
    assert_int_equal(file.data[8], 10);
    for (uint64_t i = 0; i < counters; i++)
        memcpy(at + 8 * i, &(uint64_t){1ull << 56}, 8);
    return file;
}

static void overflow_is_the_same_either_way(void **state)
{
    (void)state;
    struct an_bytes large = with_large_counts("raw/c-fe-clang19-run1.profraw");
    struct an_bytes usual = corpus("raw/c-fe-clang19-run2.profraw");
    struct memory_file files[2] = {memory_file(large.data, large.size),
                                   memory_file(usual.data, usual.size)};
    for (uint64_t weight = 1; weight < 300; weight += 13) {
        struct an_llvm_input inputs[40];
        for (int i = 0; i < 40; i++)
            inputs[i] = (struct an_llvm_input){files[i % 5 == 4].path, i % 7 ? weight : 1};
        compare_ways(inputs, 40, true, "overflow");
    }
    memory_file_close(&files[0]);
    memory_file_close(&files[1]);
    free_bytes(large);
    free_bytes(usual);
}

/* Makes the second value of every site the same as the first. */
static struct an_bytes with_repeated_values(const char *name)
{
    struct an_bytes file = corpus(name);
    struct raw_image image;
    struct an_error error;
    uint64_t total = 0, at;
    assert_int_equal(an_raw_open(&image, file, 0, &error), AN_OK);
    assert_int_equal(an_raw_check(&image, &total, &error), AN_OK);
    at = image.values_at;
    for (uint64_t i = 0; i < image.data_number; i++) {
        struct raw_record record;
        struct value_block block;
        an_raw_record(&image, i, &record);
        if (!an_raw_has_values(&record))
            continue;
        assert_int_equal(an_value_block_read(&block, file, at, image.end, false, &error), AN_OK);
        for (unsigned k = 0; k < block.kind_number; k++) {
            uint8_t *pairs = (uint8_t *)block.kinds[k].pairs;
            for (uint32_t s = 0; s < block.kinds[k].sites; s++) {
                if (block.kinds[k].counts[s] > 1)
                    memcpy(pairs + 16, pairs, 8);
                pairs += 16 * block.kinds[k].counts[s];
            }
        }
        at += block.size;
    }
    return file;
}

/* No runtime writes a value twice at one site, but LLVM has an answer to it. */
static void a_value_twice_at_one_site(void **state)
{
    (void)state;
    struct an_bytes odd = with_repeated_values("raw/c-ir-clang19-run2.profraw");
    struct memory_file file = memory_file(odd.data, odd.size);
    for (unsigned mix = 0; mix < 16; mix++) {
        struct an_llvm_input inputs[4];
        for (unsigned i = 0; i < 4; i++)
            inputs[i] = (struct an_llvm_input){
                mix >> i & 1 ? file.path : corpus_path("raw/c-ir-clang19-run2.profraw"), 1};
        compare_ways(inputs, 4, false, "a value twice");
    }
    memory_file_close(&file);
    free_bytes(odd);
}

/* A sum of 2^56 in 300 files overflows nowhere near the start: threads have to notice it as well. */
static void overflow_is_the_same_with_threads(void **state)
{
    (void)state;
    struct an_bytes large = with_large_counts("raw/c-fe-clang19-run1.profraw"), expected = {0};
    struct memory_file file = memory_file(large.data, large.size);
    static struct an_llvm_input inputs[300];
    for (int i = 0; i < 300; i++)
        inputs[i] = (struct an_llvm_input){file.path, 1};
    for (unsigned threads = 1; threads <= 8; threads *= 2) {
        static struct heard heard;
        heard.length = 0;
        struct an_llvm_merge_options options = {
            .size = sizeof options, .threads = threads, .warn = hear, .context = &heard};
        struct an_bytes bytes = merged(&options, inputs, 300);
        assert_true(heard.length > 0);
        if (threads == 1) {
            expected = bytes;
            continue;
        }
        assert_int_equal(bytes.size, expected.size);
        assert_memory_equal(bytes.data, expected.data, bytes.size);
        free_bytes(bytes);
    }
    free_bytes(expected);
    memory_file_close(&file);
    free_bytes(large);
}

static void a_weight_is_a_repetition(void **state)
{
    (void)state;
    struct an_llvm_input five[5], weighted = {NULL, 5};
    char *path = corpus_path("raw/cxx-fe-clang19-run2.profraw");
    for (int i = 0; i < 5; i++)
        five[i] = (struct an_llvm_input){path, 1};
    weighted.path = path;
    struct an_llvm_merge_options options = {.size = sizeof options, .threads = 1};
    struct an_bytes a = merged(&options, five, 5), b = merged(&options, &weighted, 1);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    free_bytes(a);
    free_bytes(b);
}

/* ---- the ledger ---- */

/* The last bytes are value data: damage there must not leave the counts before it behind. */
static void an_input_counts_whole_or_not_at_all(void **state)
{
    (void)state;
    struct an_bytes good = corpus("raw/c-ir-clang19-run1.profraw");
    struct an_bytes bad = corpus("raw/c-ir-clang19-run2.profraw");
    struct memory_file files[] = {memory_file(good.data, good.size),
                                  memory_file(bad.data, bad.size - 8), memory_file(bad.data, 100),
                                  memory_file("", 0),
                                  memory_file("\x7f"
                                              "ELF....",
                                              8)};
    for (unsigned keep = 0; keep < 2; keep++) {
        struct an_llvm_merge_options options = {.size = sizeof options,
                                                .threads = 1,
                                                .failure_mode = AN_FAIL_ALL,
                                                .keep_vtable_names = keep};
        struct an_llvm_input inputs[] = {
            {files[0].path, 1}, {files[1].path, 1},   {files[2].path, 1}, {files[3].path, 1},
            {files[4].path, 1}, {"/no/such/file", 1}, {files[0].path, 3}};
        struct an_llvm_input alone[] = {{files[0].path, 1}, {files[0].path, 3}};
        struct an_llvm_profile *profile;
        struct an_ledger *ledger;
        struct an_error error;
        assert_int_equal(an_llvm_merge(&options, inputs, 7, &profile, &ledger, &error), AN_OK);
        struct an_bytes bytes = written(profile, 0), expected = merged(&options, alone, 2);
        assert_int_equal(bytes.size, expected.size);
        assert_memory_equal(bytes.data, expected.data, bytes.size);

        static const enum an_input_status statuses[] = {
            AN_INPUT_USED,     AN_INPUT_REJECTED, AN_INPUT_REJECTED, AN_INPUT_EMPTY,
            AN_INPUT_REJECTED, AN_INPUT_REJECTED, AN_INPUT_USED};
        static const enum an_code codes[] = {AN_OK,      AN_TRUNCATED, AN_TRUNCATED, AN_OK,
                                             AN_UNKNOWN, AN_SYSTEM,    AN_OK};
        assert_int_equal(ledger->count, 7);
        for (size_t i = 0; i < 7; i++) {
            const struct an_ledger_entry *entry = &ledger->entries[i];
            assert_string_equal(entry->path, inputs[i].path);
            assert_int_equal(entry->status, statuses[i]);
            assert_int_equal(entry->error ? entry->error->code : AN_OK, codes[i]);
            if (entry->error)
                assert_string_equal(entry->error->file, inputs[i].path);
        }
        assert_int_equal(ledger->used, 2);
        assert_int_equal(ledger->rejected, 4);
        assert_int_equal(ledger->empty, 1);
        assert_int_equal(ledger->repeated, 1);
        assert_true(ledger->entries[6].repeated);
        assert_int_equal(ledger->total_count, 4 * ledger->entries[0].total_count);
        assert_string_equal(ledger->entries[0].format, "raw");
        assert_int_equal(ledger->entries[0].version, 10);
        assert_int_equal(ledger->entries[0].bytes, good.size);
        assert_non_null(strstr(ledger->entries[4].error->what, "ELF"));
        an_ledger_free(ledger);
        an_llvm_profile_free(profile);
        free_bytes(bytes);
        free_bytes(expected);
    }
    for (size_t i = 0; i < 5; i++)
        memory_file_close(&files[i]);
    free_bytes(good);
    free_bytes(bad);
}

/* What a file brought must not depend on which other file of its kind came before. */
static void totals_are_the_same_whatever_came_before(void **state)
{
    (void)state;
    struct list *lists[2] = {ir_profiles(), frontend_profiles()};
    for (int l = 0; l < 2; l++) {
        struct an_llvm_input inputs[2 * MOST];
        struct an_llvm_merge_options options = {.size = sizeof options, .threads = 1};
        struct an_llvm_profile *profile;
        struct an_ledger *ledger;
        struct an_error error;
        size_t count = lists[l]->count;
        for (size_t i = 0; i < 2 * count; i++)
            inputs[i] = (struct an_llvm_input){lists[l]->paths[i % count], 1};
        assert_int_equal(an_llvm_merge(&options, inputs, 2 * count, &profile, &ledger, &error),
                         AN_OK);
        for (size_t i = 0; i < 2 * count; i++) {
            const struct an_ledger_entry *entry = &ledger->entries[i];
            struct an_bytes file = load_file(inputs[i].path);
            struct an_llvm_reader *reader;
            assert_int_equal(an_llvm_reader_open(&reader, file.data, file.size, &error), AN_OK);
            const struct an_llvm_info *info = an_llvm_reader_info(reader);
            check(entry->total_count == info->total_count, "%s: %llu", inputs[i].path,
                  (unsigned long long)entry->total_count);
            assert_int_equal(entry->functions, info->functions);
            assert_int_equal(entry->unnamed, info->unnamed);
            assert_int_equal(entry->version, info->version);
            assert_int_equal(entry->variants, info->variants);
            assert_int_equal(entry->repeated, i >= count);
            an_llvm_reader_close(reader);
            free_bytes(file);
        }
        an_ledger_free(ledger);
        an_llvm_profile_free(profile);
        free(lists[l]);
    }
}

static void failure_modes(void **state)
{
    (void)state;
    static const struct {
        bool good, bad, empty;
        bool fails[3]; /* any, all, warn */
    } cases[] = {
        {true, false, false, {false, false, false}}, {true, true, false, {true, false, false}},
        {false, true, false, {true, true, false}},   {false, true, true, {true, false, false}},
        {false, false, true, {false, false, false}},
    };
    struct memory_file bad = memory_file("\x81rforpl\xff", 8), empty = memory_file("", 0);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int mode = 0; mode < 3; mode++) {
            struct an_llvm_input inputs[3];
            size_t count = 0;
            if (cases[c].good)
                inputs[count++] =
                    (struct an_llvm_input){corpus_path("raw/tiny-fe-clang19.profraw"), 1};
            if (cases[c].bad)
                inputs[count++] = (struct an_llvm_input){bad.path, 1};
            if (cases[c].empty)
                inputs[count++] = (struct an_llvm_input){empty.path, 1};
            struct an_llvm_merge_options options = {
                .size = sizeof options, .threads = 1, .failure_mode = (enum an_failure_mode)mode};
            struct an_llvm_profile *profile;
            struct an_ledger *ledger;
            struct an_error error = {0};
            enum an_code code = an_llvm_merge(&options, inputs, count, &profile, &ledger, &error);
            check((code != AN_OK) == cases[c].fails[mode], "case %zu, mode %d: %s", c, mode,
                  an_code_name(code));
            assert_int_equal(profile != NULL, code == AN_OK);
            if (code != AN_OK)
                assert_string_equal(error.file, bad.path);
            assert_int_equal(ledger->rejected, cases[c].bad);
            an_llvm_profile_free(profile);
            an_ledger_free(ledger);
        }
    memory_file_close(&bad);
    memory_file_close(&empty);
}

static void kinds_that_cannot_be_combined(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"raw/c-fe-clang19-run1.profraw", "raw/c-ir-clang19-run1.profraw"},
        {"raw/c-ir-clang19-run1.profraw", "raw/c-fe-clang13-run1.profraw"},
        {"indexed/c-fe-clang19.merged.profdata", "raw/c-ir-clang19-run1.profraw"},
        {"raw/c-ir-clang19-run1.profraw", "proftext/basic_fe.proftext"},
        {"raw/c-ir-entry-clang19-run1.profraw", "raw/c-ir-functionentry-clang19-run1.profraw"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (unsigned threads = 1; threads <= 8; threads += 7) {
            /* the second kind comes late, in the share of another thread */
            struct an_llvm_input inputs[9];
            for (int n = 0; n < 9; n++)
                inputs[n] = (struct an_llvm_input){corpus_path(pairs[i][n == 8]), 1};
            struct an_llvm_merge_options options = {.size = sizeof options, .threads = threads};
            struct an_llvm_profile *profile;
            struct an_ledger *ledger;
            struct an_error error;
            /* corpus_path() has eight places: the ninth took the first one's */
            inputs[0].path = inputs[1].path;
            assert_int_equal(an_llvm_merge(&options, inputs, 9, &profile, &ledger, &error),
                             AN_MISMATCH);
            assert_string_equal(error.file, inputs[8].path);
            assert_true(error.hint[0]);
            assert_int_equal(ledger->rejected, 1);
            assert_int_equal(ledger->entries[8].status, AN_INPUT_REJECTED);
            an_ledger_free(ledger);
        }
}

static void a_weight_must_be_at_least_1(void **state)
{
    (void)state;
    struct an_llvm_input input = {corpus_path("raw/tiny-fe-clang19.profraw"), 0};
    struct an_llvm_merge_options options = {.size = sizeof options, .threads = 1};
    struct an_llvm_profile *profile;
    struct an_ledger *ledger;
    struct an_error error;
    assert_int_equal(an_llvm_merge(&options, &input, 1, &profile, &ledger, &error), AN_USAGE);
    assert_null(profile);
    an_ledger_free(ledger);
}

static void the_same_file_under_another_name(void **state)
{
    (void)state;
    char folder[] = "/tmp/anneal-test.XXXXXX", copy[64], hard[64], soft[64];
    assert_non_null(mkdtemp(folder));
    snprintf(copy, sizeof copy, "%s/copy", folder);
    snprintf(hard, sizeof hard, "%s/hard", folder);
    snprintf(soft, sizeof soft, "%s/soft", folder);
    struct an_bytes bytes = corpus("raw/tiny-fe-clang19.profraw");
    FILE *file = fopen(copy, "wb");
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
    assert_int_equal(link(copy, hard), 0);
    assert_int_equal(symlink("copy", soft), 0);
    struct an_llvm_input inputs[] = {
        {copy, 1}, {corpus_path("raw/tiny-fe-clang19.profraw"), 1}, {hard, 1}, {soft, 1}};
    struct an_llvm_merge_options options = {.size = sizeof options, .threads = 1};
    struct an_llvm_profile *profile;
    struct an_ledger *ledger;
    struct an_error error;
    assert_int_equal(an_llvm_merge(&options, inputs, 4, &profile, &ledger, &error), AN_OK);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(ledger->entries[i].repeated, i >= 2);
    an_ledger_free(ledger);
    an_llvm_profile_free(profile);
    free_bytes(bytes);
    unlink(copy);
    unlink(hard);
    unlink(soft);
    rmdir(folder);
}

/* ---- pipes ---- */

struct feed {
    int fd;
    struct an_bytes bytes;
};

static void *feed(void *argument)
{
    const struct feed *feed = argument;
    for (size_t done = 0; done < feed->bytes.size;) {
        ssize_t now = write(feed->fd, feed->bytes.data + done, feed->bytes.size - done);
        if (now <= 0)
            break;
        done += (size_t)now;
    }
    close(feed->fd);
    return NULL;
}

/*
 * A pipe can be read only once. With several threads a mismatch among the inputs makes the merge
 * begin again, and the pipe's content must still be there.
 */
static void a_pipe_is_there_for_the_second_round(void **state)
{
    (void)state;
    struct an_bytes piped = corpus("proftext/mismatch.proftext");
    char *usual = strdup(corpus_path("proftext/ir_values.proftext"));
    char *same = strdup(corpus_path("proftext/mismatch.proftext"));
    struct an_bytes expected = {0};
    for (int round = 0; round < 2; round++) {
        int ends[2];
        char path[40];
        pthread_t thread;
        assert_int_equal(pipe(ends), 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
        struct an_llvm_input inputs[12];
        for (int i = 0; i < 12; i++)
            inputs[i] = (struct an_llvm_input){usual, 1};
        inputs[9].path = round ? path : same;
        struct feed from = {ends[1], piped};
        if (round)
            assert_int_equal(pthread_create(&thread, NULL, feed, &from), 0);
        else
            close(ends[1]);
        struct an_llvm_merge_options options = {.size = sizeof options, .threads = 3};
        struct an_bytes bytes = merged(&options, inputs, 12);
        if (round) {
            pthread_join(thread, NULL);
            assert_int_equal(bytes.size, expected.size);
            assert_memory_equal(bytes.data, expected.data, bytes.size);
            free_bytes(bytes);
        } else {
            expected = bytes;
        }
        close(ends[0]);
    }
    free_bytes(expected);
    free_bytes(piped);
    free(usual);
    free(same);
}

/* ---- callbacks ---- */

static const char *rename_main(void *context, const char *name, size_t length)
{
    ++*(size_t *)context;
    return length == 4 && memcmp(name, "main", 4) == 0 ? "renamed_main" : NULL;
}

static void functions_can_be_renamed(void **state)
{
    (void)state;
    static const char *const files[] = {"raw/c-fe-clang19-run1.profraw",
                                        "indexed/c-fe-clang19.merged.profdata",
                                        "text/c-fe-clang19-run1.profraw.text"};
    for (size_t i = 0; i < 3; i++)
        for (unsigned keep = 0; keep < 2; keep++) {
            size_t calls = 0;
            struct an_llvm_merge_options options = {.size = sizeof options,
                                                    .threads = 1,
                                                    .keep_vtable_names = keep,
                                                    .rename = rename_main,
                                                    .context = &calls};
            const char *path = corpus_path(files[i]);
            struct an_llvm_profile *profile = merge_paths(&options, &path, 1);
            assert_true(an_names_find(&profile->names, "renamed_main", 12) != AN_NO_NAME);
            assert_true(an_names_find(&profile->names, "main", 4) == AN_NO_NAME);
            assert_int_equal(calls, an_llvm_profile_functions(profile));
            char *text = written_text(profile);
            assert_non_null(strstr(text, "\nrenamed_main\n# Func Hash:"));
            free(text);
            an_llvm_profile_free(profile);
        }
}

static void warnings_name_file_function_and_kind(void **state)
{
    (void)state;
    static struct heard heard;
    heard.length = 0;
    struct an_llvm_merge_options options = {
        .size = sizeof options, .threads = 1, .warn = hear, .context = &heard};
    struct an_llvm_input inputs[] = {{corpus_path("proftext/ir_values.proftext"), 1},
                                     {corpus_path("proftext/mismatch.proftext"), 1}};
    struct an_bytes bytes = merged(&options, inputs, 2);
    free_bytes(bytes);
    /* the peer's words about the same two files */
    struct an_bytes peer = corpus("show/mixed.mismatch.txt");
    char *text = strndup((const char *)peer.data, peer.size), *line, *rest = text;
    size_t told = 0;
    for (const char *c = heard.text; *c; c++)
        told += *c == '\n';
    while ((line = strsep(&rest, "\n"))) {
        char function[128], expected[160];
        if (sscanf(line, "proftext/mismatch.proftext: %127[^:]: function", function) != 1)
            continue;
        snprintf(expected, sizeof expected, "/mismatch.proftext %s ", function);
        check(strstr(heard.text, expected), "%s is not in\n%s", expected, heard.text);
        told--;
    }
    assert_int_equal(told, 0);
    free(text);
    free_bytes(peer);
}

struct progress {
    size_t calls, total;
    bool good;
};

static void note(void *context, size_t done, size_t total)
{
    struct progress *progress = context;
    progress->good &= done >= 1 && done <= total;
    progress->total = total;
    progress->calls++;
}

static void progress_is_told(void **state)
{
    (void)state;
    struct list *list = frontend_profiles();
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct progress progress = {.good = true};
        struct an_llvm_input inputs[MOST];
        for (size_t i = 0; i < list->count; i++)
            inputs[i] = (struct an_llvm_input){list->paths[i], 1};
        struct an_llvm_merge_options options = {
            .size = sizeof options, .threads = threads, .progress = note, .context = &progress};
        struct an_bytes bytes = merged(&options, inputs, list->count);
        free_bytes(bytes);
        assert_true(progress.good);
        assert_true(progress.calls >= 1);
        assert_int_equal(progress.total, list->count);
    }
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(arrays_or_records),
        cmocka_unit_test(warnings_are_the_same_either_way),
        cmocka_unit_test(overflow_is_the_same_either_way),
        cmocka_unit_test(overflow_is_the_same_with_threads),
        cmocka_unit_test(a_value_twice_at_one_site),
        cmocka_unit_test(a_weight_is_a_repetition),
        cmocka_unit_test(an_input_counts_whole_or_not_at_all),
        cmocka_unit_test(totals_are_the_same_whatever_came_before),
        cmocka_unit_test(failure_modes),
        cmocka_unit_test(kinds_that_cannot_be_combined),
        cmocka_unit_test(a_weight_must_be_at_least_1),
        cmocka_unit_test(the_same_file_under_another_name),
        cmocka_unit_test(a_pipe_is_there_for_the_second_round),
        cmocka_unit_test(functions_can_be_renamed),
        cmocka_unit_test(warnings_name_file_function_and_kind),
        cmocka_unit_test(progress_is_told),
    };
    return RUN_TESTS(tests);
}
