/*
 * Feeds counter files of GCC to the reader. Claims: what it accepts is written so that it reads as the same
 * and is written as the same again; merged with itself it has twice the runs, in either order; of a damaged copy a
 * merge takes all or nothing; changed by a factor of one it stays what it is, and so it does when its greatest
 * count becomes what it is; compared with itself all functions are the same that can be found by their numbers;
 * what it becomes in another release can be read. What a stream is taken apart into are such files.
 */
#include <stdlib.h>
#include <string.h>

#include "../tests/support/gcda_add.h"
#include "gcc/compare.h"
#include "harness.h"

const bool takes_several_files = false;

static void claim_same(const struct an_gcda *one, const struct an_gcda *other)
{
    struct an_buffer a = {0}, b = {0};
    an_gcda_write(one, &a);
    an_gcda_write(other, &b);
    claim(a.failed || b.failed || (a.size == b.size && memcmp(a.data, b.data, a.size) == 0));
    an_buffer_free(&a);
    an_buffer_free(&b);
}

static void claim_comes_back(const struct an_gcda *gcda)
{
    struct an_buffer written = {0};
    struct an_gcda again;
    struct an_error error;
    an_gcda_write(gcda, &written);
    if (!written.failed) {
        claim(an_gcda_read(&again, (struct an_bytes){written.data, written.size}, &error) == AN_OK);
        claim_same(gcda, &again);
        an_gcda_free(&again);
    }
    an_buffer_free(&written);
}

static void claim_doubles(struct an_bytes file, const struct an_gcda *gcda,
                          enum an_gcda_order order)
{
    struct an_gcda into;
    struct an_error error;
    uint32_t runs = gcda->runs;
    claim(an_gcda_read(&into, file, &error) == AN_OK);
    struct an_gcda_added added;
    claim(gcda_add(&into, file, order, &added, &error) == AN_OK);
    claim(added.total == an_gcda_total(gcda));
    claim(into.runs == 2 * runs && into.functions.count == gcda->functions.count);
    claim_comes_back(&into);
    an_gcda_free(&into);
}

/* A later run whose file is damaged is taken only if it is a good file, and then as what it is. */
static void claim_takes_good_ones(struct an_bytes file, size_t at, uint8_t damage)
{
    struct an_gcda into, alone;
    struct an_gcda_added added;
    struct an_error error;
    uint8_t *copy = malloc(file.size);
    if (!copy)
        return;
    memcpy(copy, file.data, file.size);
    copy[at] ^= damage;
    struct an_bytes later = {copy, file.size};
    claim(an_gcda_read(&into, file, &error) == AN_OK);
    if (gcda_add(&into, later, AN_GCDA_LATER_FIRST, &added, &error) == AN_OK) {
        claim(an_gcda_read(&alone, later, &error) == AN_OK);
        claim(added.total == an_gcda_total(&alone));
        claim(into.functions.count == alone.functions.count);
        claim_comes_back(&into);
        an_gcda_free(&alone);
    }
    an_gcda_free(&into);
    free(copy);
}

static struct an_gcda rewritten(struct an_bytes file, struct an_gcc_scale scale)
{
    struct an_gcda gcda;
    struct an_error error;
    claim(an_gcda_read(&gcda, file, &error) == AN_OK);
    an_gcda_rewrite(&gcda, &scale);
    return gcda;
}

static void claim_stays(struct an_bytes file, const struct an_gcda *gcda, struct an_gcc_scale scale)
{
    struct an_gcda other = rewritten(file, scale);
    claim_same(gcda, &other);
    an_gcda_free(&other);
}

static void claim_scales(struct an_bytes file, const struct an_gcda *gcda)
{
    uint64_t greatest = an_gcda_greatest(gcda);
    claim_stays(file, gcda, (struct an_gcc_scale){AN_GCC_BY_FRACTION, 1, 1, 0});
    if (greatest)
        claim_stays(file, gcda, (struct an_gcc_scale){AN_GCC_TO_GREATEST, greatest, greatest, 0});
    struct an_gcda other = rewritten(file, (struct an_gcc_scale){AN_GCC_BY_FACTOR, 0, 0, 1e9f});
    claim(an_gcda_greatest(&other) >= greatest);
    claim_comes_back(&other);
    an_gcda_free(&other);
}

static void claim_overlaps(const struct an_gcda *gcda)
{
    struct an_gcc_overlap_module module = {.count = 0};
    struct an_gcc_side side;
    struct an_error error;
    an_gcc_side_of(&side, an_gcda_total(gcda), 0.005);
    claim(an_gcc_heat_of(&side, gcda) != AN_GCC_ABSENT);
    claim(an_gcc_compare(&side, gcda, &side, gcda, &module, &error) == AN_OK);
    claim(module.count <= 2 * gcda->functions.count);
    for (size_t i = 0; i < module.count; i++) {
        const struct an_gcc_overlap_function *function = &module.functions[i];
        if (!function->in_base || !function->in_test)
            continue;
        claim(!function->changed && function->overlap == function->base_share);
        claim(function->overlap == function->test_share);
    }
    free(module.functions);
}

/* Whatever it becomes in another release can be read. */
static void claim_converts(struct an_bytes file)
{
    static const struct {
        unsigned major, minor;
        enum an_gcc_order order;
    } ways[] = {
        {4, 8, AN_GCC_BIG_ENDIAN},  {9, 3, AN_GCC_ORDER_KEPT},     {10, 2, AN_GCC_BIG_ENDIAN},
        {11, 4, AN_GCC_ORDER_KEPT}, {12, 3, AN_GCC_LITTLE_ENDIAN}, {15, 1, AN_GCC_ORDER_KEPT},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct an_gcc_converted converted;
        struct an_gcda gcda;
        struct an_error error;
        const struct an_gcc_convert_options way = {
            .size = sizeof way,
            .major = ways[i].major,
            .minor = ways[i].minor,
            .order = ways[i].order,
        };
        enum an_code code = an_gcc_convert(&way, file.data, file.size, &converted, &error);
        claim(code == AN_OK || (code == AN_UNSUPPORTED && error.what[0]));
        if (code != AN_OK)
            continue;
        struct an_bytes bytes = {converted.bytes, converted.size};
        claim(an_gcda_read(&gcda, bytes, &error) == AN_OK);
        claim(gcda.header.version.major == ways[i].major);
        an_gcda_free(&gcda);
        free(converted.bytes);
    }
}

/* Whoever looks into it finds what the reader did, and no value outside of its counters. */
static void claim_walks(struct an_bytes file, const struct an_gcda *gcda)
{
    struct an_gcc_profile *profile;
    struct an_error error;
    claim(an_gcc_profile_read(file.data, file.size, NULL, &profile, &error) == AN_OK);
    claim(profile->count <= gcda->functions.count);
    for (size_t i = 0; i < profile->count; i++)
        for (uint32_t k = 0; k < profile->functions[i].kinds; k++) {
            const struct an_gcc_counters *counters = &profile->functions[i].counters[k];
            struct an_gcc_values at = an_gcc_values_of(counters);
            while (an_gcc_values_next(&at))
                claim(at.pairs >= counters->values &&
                      at.pairs + 2 * at.count <= counters->values + counters->count);
        }
    an_gcc_profile_free(profile);
}

/* The stream of a freestanding program, if it is one. */
static void claim_stream(struct an_bytes stream)
{
    struct an_gcc_file *files;
    struct an_error error;
    size_t count;
    enum an_code code = an_gcc_stream_read(stream.data, stream.size, &files, &count, &error);
    claim(code != AN_NO_MEMORY && (code == AN_OK || count == 0));
    for (size_t i = 0; i < count; i++)
        claim(files[i].name[0] && an_gcc_is_gcda(files[i].bytes, files[i].size));
    an_gcc_stream_free(files, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct an_bytes file = {bytes, size};
    struct an_gcda gcda;
    struct an_error error;
    claim_stream(file);
    enum an_code code = an_gcda_read(&gcda, file, &error);
    if (code != AN_OK) {
        claim(code != AN_NO_MEMORY && error.code == code && error.what[0]);
        claim(error.offset == AN_NO_OFFSET || error.offset <= size);
        return 0;
    }
    claim_comes_back(&gcda);
    claim_walks(file, &gcda);
    claim_doubles(file, &gcda, AN_GCDA_LATER_FIRST);
    claim_doubles(file, &gcda, AN_GCDA_EARLIER_FIRST);
    for (unsigned i = 1; i < 8; i++)
        claim_takes_good_ones(file, size * i / 8, (uint8_t)(1u << i));
    claim_scales(file, &gcda);
    claim_overlaps(&gcda);
    claim_converts(file);
    an_gcda_free(&gcda);
    return 0;
}
