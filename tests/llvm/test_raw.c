/*
 * lib/llvm/raw: every version, byte order and pointer size, from files of the corpus that are taken
 * apart and put together in another layout (support/raw_build.h); and damaged headers and records.
 */
#include "llvm/raw.h"
#include "llvm/raw_layout.h"

#include "support/profiles.h"
#include "support/raw_build.h"
#include "support/test.h"

/* Calls visit for every raw profile of the corpus that is to be accepted. */
static void each_raw_profile(void (*visit)(const char *name, struct an_bytes file))
{
    struct an_bytes manifest = corpus("MANIFEST");
    char *text = malloc(manifest.size + 1), *rest = text, *line;
    memcpy(text, manifest.data, manifest.size);
    text[manifest.size] = '\0';
    size_t visited = 0;
    while ((line = strsep(&rest, "\n"))) {
        char name[256];
        if (*line == '#' || !strstr(line, "\taccept\t") || sscanf(line, "%255s", name) != 1)
            continue;
        struct an_bytes file = corpus(name);
        visit(name, file);
        free_bytes(file);
        visited++;
    }
    assert_true(visited > 100);
    free(text);
    free_bytes(manifest);
}

static size_t compared;

static void compare(const char *name, struct an_bytes file)
{
    char *expected = text_of(file);
    for (unsigned version = 5; version <= 11; version++)
        for (unsigned layout = 0; layout < 4; layout++) {
            struct raw_target target = {version, layout & 1, layout & 2, layout == 3 ? 16 : 0};
            struct an_buffer buffer = {0};
            if (raw_transcode(file, target, &buffer)) {
                char *text = text_of((struct an_bytes){buffer.data, buffer.size});
                check(strcmp(text, expected) == 0, "%s as version %u, %s-endian, %s bits", name,
                      version, target.big ? "big" : "little", target.wide ? "64" : "32");
                free(text);
                compared++;
            }
            an_buffer_free(&buffer);
        }
    free(expected);
}

static void all_versions_and_layouts_say_the_same(void **state)
{
    (void)state;
    compared = 0;
    each_raw_profile(compare);
    assert_true(compared > 3500);
}

static void what_the_header_says(void **state)
{
    (void)state;
    struct an_bytes file = corpus("raw/c-ir-clang19-run1.profraw");
    for (unsigned version = 5; version <= 11; version++)
        for (unsigned layout = 0; layout < 4; layout++) {
            struct raw_target target = {version, layout & 1, layout & 2, 0};
            struct an_buffer buffer = {0};
            struct an_llvm_reader *reader;
            struct an_error error;
            assert_true(raw_transcode(file, target, &buffer));
            assert_int_equal(an_llvm_reader_open(&reader, buffer.data, buffer.size, &error), AN_OK);
            const struct an_llvm_info *info = an_llvm_reader_info(reader);
            assert_int_equal(info->format, AN_LLVM_RAW);
            assert_int_equal(info->version, version);
            assert_int_equal(info->wide, target.wide);
            assert_int_equal(info->big_endian, target.big);
            assert_int_equal(info->variants, AN_LLVM_IR);
            assert_int_equal(info->raw_profiles, 1);
            assert_int_equal(info->unnamed, 0);
            an_llvm_reader_close(reader);
            an_buffer_free(&buffer);
        }
    free_bytes(file);
}

/* Versions mixed in one merge: two runs of one program, written in two versions each. */
static void versions_mixed_in_a_merge(void **state)
{
    (void)state;
    struct an_bytes runs[2] = {corpus("raw/cxx-ir-clang19-run1.profraw"),
                               corpus("raw/cxx-ir-clang19-run2.profraw")};
    struct an_llvm_profile *profile = merge_bytes(NULL, runs, 2);
    char *expected = written_text(profile);
    an_llvm_profile_free(profile);
    for (unsigned version = 5; version <= 11; version++) {
        struct an_buffer first = {0}, second = {0};
        assert_true(raw_transcode(runs[0], (struct raw_target){version, true, false, 0}, &first));
        assert_true(raw_transcode(
            runs[1], (struct raw_target){16 - version, version % 2, version % 3 == 0, 8}, &second));
        struct an_bytes files[2] = {{first.data, first.size}, {second.data, second.size}};
        profile = merge_bytes(NULL, files, 2);
        char *text = written_text(profile);
        assert_string_equal(text, expected);
        free(text);
        an_llvm_profile_free(profile);
        an_buffer_free(&first);
        an_buffer_free(&second);
    }
    free(expected);
    free_bytes(runs[0]);
    free_bytes(runs[1]);
}

static void binary_ids_padded_or_not(void **state)
{
    (void)state;
    struct an_bytes file = corpus("raw/tiny-fe-clang19.profraw"); /* an id of five bytes */
    for (unsigned version = 5; version <= 11; version++) {
        struct an_buffer buffer = {0};
        struct an_llvm_reader *reader;
        struct an_error error;
        assert_true(raw_transcode(file, (struct raw_target){version, true, false, 0}, &buffer));
        assert_int_equal(an_llvm_reader_open(&reader, buffer.data, buffer.size, &error), AN_OK);
        const struct an_llvm_info *info = an_llvm_reader_info(reader);
        assert_int_equal(info->binary_id_count, version >= 6);
        if (version >= 6)
            assert_int_equal(info->binary_ids[0].size, 5);
        assert_int_equal(info->functions, 1);
        an_llvm_reader_close(reader);
        an_buffer_free(&buffer);
    }
    free_bytes(file);
}

/* ---- damage ---- */

static void refused(const uint8_t *bytes, size_t size, enum an_code code, const char *what)
{
    struct an_llvm_reader *reader;
    struct an_error error = {0};
    enum an_code got = an_llvm_reader_open(&reader, bytes, size, &error);
    check(got == code, "%s: %s (%s)", what, an_code_name(got), error.what);
    check(error.what[0], "%s: no message", what);
}

static void set(uint8_t *bytes, size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[at + i] = (uint8_t)(value >> (8 * i));
}

static void damaged_headers(void **state)
{
    (void)state;
    struct an_bytes file = corpus("raw/c-ir-clang19-run1.profraw");
    uint8_t *bytes = (uint8_t *)file.data;
    static const struct {
        size_t word;
        uint64_t value;
        enum an_code code;
    } damages[] = {
        {1, 4, AN_UNSUPPORTED},         {1, 12, AN_UNSUPPORTED},
        {2, 1ull << 40, AN_TRUNCATED},  {2, UINT64_MAX, AN_TRUNCATED},
        {3, UINT64_MAX, AN_MALFORMED},  {3, 1ull << 40, AN_TRUNCATED},
        {4, UINT64_MAX, AN_TRUNCATED},  {5, UINT64_MAX, AN_MALFORMED},
        {5, 1ull << 60, AN_TRUNCATED},  {6, UINT64_MAX - 7, AN_TRUNCATED},
        {7, UINT64_MAX, AN_TRUNCATED},  {8, UINT64_MAX, AN_TRUNCATED},
        {9, UINT64_MAX, AN_TRUNCATED},  {13, UINT64_MAX, AN_MALFORMED},
        {14, UINT64_MAX, AN_TRUNCATED}, {15, 3, AN_MALFORMED},
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        uint8_t kept[8];
        char what[40];
        memcpy(kept, bytes + 8 * damages[i].word, 8);
        set(bytes, 8 * damages[i].word, damages[i].value, damages[i].word == 1 ? 4 : 8);
        snprintf(what, sizeof what, "damage %zu", i);
        refused(bytes, file.size, damages[i].code, what);
        memcpy(bytes + 8 * damages[i].word, kept, 8);
    }
    free_bytes(file);
}

/* In version 10 with 64 bits a record has 64 bytes and begins behind a header of 128. */
enum { RECORD = 128, COUNTERS_POINTER = 16, SLOTS = 48, SITES = 52, BITMAP_BYTES = 60 };

static void damaged_records(void **state)
{
    (void)state;
    struct an_bytes file = corpus("raw/c-ir-clang19-run1.profraw");
    uint8_t *bytes = (uint8_t *)file.data;
    struct raw_image image;
    struct an_error error;
    assert_int_equal(an_raw_open(&image, file, 0, &error), AN_OK);
    assert_int_equal(image.data.at, RECORD);
    assert_int_equal(image.fields.size, 64);
    static const struct {
        size_t at;
        uint64_t value;
        size_t size;
        const char *what;
    } damages[] = {
        {SLOTS, 0, 4, "no counters"},
        {SLOTS, UINT32_MAX, 4, "more counters than there are"},
        {COUNTERS_POINTER, 1, 8, "counters elsewhere"},
        {COUNTERS_POINTER, UINT64_MAX, 8, "counters before the section"},
        {BITMAP_BYTES, 1, 4, "a bitmap that is not there"},
        {SITES, 0xffff, 2, "more value sites than there are values"},
        {SITES + 4, 1, 2, "sites of virtual tables"},
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        uint8_t kept[64];
        memcpy(kept, bytes + RECORD, sizeof kept);
        set(bytes, RECORD + damages[i].at, damages[i].value, damages[i].size);
        refused(bytes, file.size, AN_MALFORMED, damages[i].what);
        memcpy(bytes + RECORD, kept, sizeof kept);
    }
    /* A count that no run can reach; one that is just possible. */
    set(bytes, image.counters.at, (1ull << 56) + 1, 8);
    refused(bytes, file.size, AN_MALFORMED, "an absurd count");
    set(bytes, image.counters.at, 1ull << 56, 8);
    struct an_llvm_reader *reader;
    assert_int_equal(an_llvm_reader_open(&reader, bytes, file.size, &error), AN_OK);
    an_llvm_reader_close(reader);
    free_bytes(file);
}

static void damaged_value_data(void **state)
{
    (void)state;
    struct an_bytes file = corpus("raw/c-ir-clang19-run1.profraw");
    uint8_t *bytes = (uint8_t *)file.data;
    struct raw_image image;
    struct an_error error;
    assert_int_equal(an_raw_open(&image, file, 0, &error), AN_OK);
    size_t at = image.values_at;
    static const struct {
        size_t at;
        uint64_t value;
        enum an_code code;
        const char *what;
    } damages[] = {
        {0, UINT32_MAX, AN_TRUNCATED, "a block larger than the file"},
        {0, 0, AN_MALFORMED, "a block of no bytes"},
        {0, 9, AN_MALFORMED, "a block that is not a multiple of 8"},
        {0, 8, AN_MALFORMED, "a block of a head only"},
        {4, 4, AN_MALFORMED, "more kinds than there are"},
        {4, 0, AN_MALFORMED, "no kinds, but sites in the record"},
        {8, 3, AN_MALFORMED, "an unknown kind"},
        {8, 2, AN_MALFORMED, "another kind than in the record"},
        {12, UINT32_MAX, AN_MALFORMED, "sites beyond the block"},
        {12, 1000, AN_MALFORMED, "another number of sites"},
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        uint8_t kept[16];
        memcpy(kept, bytes + at, sizeof kept);
        set(bytes, at + damages[i].at, damages[i].value, 4);
        refused(bytes, file.size, damages[i].code, damages[i].what);
        memcpy(bytes + at, kept, sizeof kept);
    }
    free_bytes(file);
}

static void what_follows_a_profile(void **state)
{
    (void)state;
    struct an_bytes one = corpus("raw/c-fe-clang19-run1.profraw");
    struct an_bytes other = corpus("raw/c-fe-s390x-clang19-run1.profraw");
    struct an_buffer file = {0};
    struct an_llvm_reader *reader;
    struct an_error error;
    an_buffer_put(&file, one.data, one.size);
    for (int i = 0; i < 4096 - 8; i++)
        an_buffer_put(&file, "", 1); /* zeros, as continuous mode leaves them */
    assert_int_equal(an_llvm_reader_open(&reader, file.data, file.size, &error), AN_OK);
    an_llvm_reader_close(reader);
    size_t end = file.size;
    an_buffer_put(&file, one.data, one.size);
    assert_int_equal(an_llvm_reader_open(&reader, file.data, file.size, &error), AN_OK);
    assert_int_equal(an_llvm_reader_info(reader)->raw_profiles, 2);
    an_llvm_reader_close(reader);
    file.size = end;
    an_buffer_put(&file, other.data, other.size);
    refused(file.data, file.size, AN_MALFORMED, "another byte order");
    file.size = end;
    an_buffer_put(&file, "rubbish", 7);
    refused(file.data, file.size, AN_MALFORMED, "something else");
    an_buffer_free(&file);
    free_bytes(one);
    free_bytes(other);
}

/* Many records that share one counters section would make a small file count for much. */
static void shared_counters_are_limited(void **state)
{
    (void)state;
    struct an_bytes file = corpus("raw/tiny-fe-clang19.profraw");
    struct raw_image image;
    struct an_error error;
    assert_int_equal(an_raw_open(&image, file, 0, &error), AN_OK);
    struct an_buffer many = {0};
    an_buffer_put(&many, file.data, (size_t)image.data.at);
    an_buffer_patch_le64(&many, 24, 1000);
    for (int i = 0; i < 1000; i++) {
        uint8_t record[64];
        memcpy(record, image.data.data, sizeof record);
        set(record, COUNTERS_POINTER, an_get64(record + COUNTERS_POINTER, false) - 64 * (uint64_t)i,
            8);
        an_buffer_put(&many, record, sizeof record);
    }
    an_buffer_put(&many, file.data + image.counters.at, file.size - (size_t)image.counters.at);
    refused(many.data, many.size, AN_MALFORMED, "a thousand functions on one counter");
    an_buffer_free(&many);
    free_bytes(file);
}

enum { MOST_LAYOUTS = 300 };

static struct {
    struct an_bytes file;
    struct raw_image image;
    uint64_t hash;
} layouts[MOST_LAYOUTS];
static size_t layout_number;

static void keep_layout(const char *name, struct an_bytes file)
{
    struct raw_image *image = &layouts[layout_number].image;
    struct an_error error;
    struct an_bytes copy = corpus(name);
    (void)file;
    if (layout_number == MOST_LAYOUTS || !an_raw_recognise(copy) ||
        an_raw_open(image, copy, 0, &error) != AN_OK || image->big) {
        free_bytes(copy);
        return;
    }
    layouts[layout_number].file = copy;
    layouts[layout_number++].hash = an_raw_layout_hash(image, 1);
}

static bool same_layout(const struct raw_image *a, const struct raw_image *b)
{
    uint64_t probe = 0, delta;
    struct raw_record record = {0};
    for (; probe < a->data_number; probe++) {
        an_raw_record(a, probe, &record);
        if (record.function_address)
            break;
    }
    return an_raw_same_layout(a, b, record.function_address != 0, probe, &delta);
}

/* The corpus has several runs of one program, some of them loaded elsewhere, and many programs. */
static void equal_layouts_have_equal_hashes(void **state)
{
    (void)state;
    size_t same = 0;
    layout_number = 0;
    each_raw_profile(keep_layout);
    for (size_t i = 0; i < layout_number; i++)
        for (size_t k = 0; k < layout_number; k++) {
            bool is_same = same_layout(&layouts[i].image, &layouts[k].image);
            assert_int_equal(layouts[i].hash == layouts[k].hash, is_same);
            same += is_same && i != k;
        }
    assert_in_range(layout_number, 50, MOST_LAYOUTS - 1);
    assert_in_range(same, 20, layout_number * layout_number / 4);
    for (size_t i = 0; i < layout_number; i++)
        free_bytes(layouts[i].file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_versions_and_layouts_say_the_same),
        cmocka_unit_test(what_the_header_says),
        cmocka_unit_test(versions_mixed_in_a_merge),
        cmocka_unit_test(binary_ids_padded_or_not),
        cmocka_unit_test(damaged_headers),
        cmocka_unit_test(damaged_records),
        cmocka_unit_test(damaged_value_data),
        cmocka_unit_test(what_follows_a_profile),
        cmocka_unit_test(shared_counters_are_limited),
        cmocka_unit_test(equal_layouts_have_equal_hashes),
    };
    return RUN_TESTS(tests);
}
