/*
 * Feeds counter files of GCC to the reader. Claims: what it accepts is written so that it reads as the same
 * and is written as the same again; merged with itself it has twice the runs, in either order.
 */
#include <string.h>

#include "gcc/gcda_add.h"
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
    claim(an_gcda_add(&into, file, order, &added, &error) == AN_OK);
    claim(added.total == an_gcda_total(gcda));
    claim(into.runs == 2 * runs && into.functions.count == gcda->functions.count);
    claim_comes_back(&into);
    an_gcda_free(&into);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct an_bytes file = {bytes, size};
    struct an_gcda gcda;
    struct an_error error;
    enum an_code code = an_gcda_read(&gcda, file, &error);
    if (code != AN_OK) {
        claim(code != AN_NO_MEMORY && error.code == code && error.what[0]);
        claim(error.offset == AN_NO_OFFSET || error.offset <= size);
        return 0;
    }
    claim_comes_back(&gcda);
    claim_doubles(file, &gcda, AN_GCDA_LATER_FIRST);
    claim_doubles(file, &gcda, AN_GCDA_EARLIER_FIRST);
    an_gcda_free(&gcda);
    return 0;
}
