/* What boards compress is what zlib takes for gzip, whatever the bytes are and in whatever parts they come. */
#include "bare/gzip.h"

#include <stdlib.h>
#include <zlib.h>

#include "support/random.h"
#include "support/test.h"

enum { LARGEST = 200000, ROOM = 300000 };

struct packed {
    uint8_t bytes[ROOM];
    size_t size;
};

static void put(void *context, uint8_t byte)
{
    struct packed *packed = context;
    assert_true(packed->size < ROOM);
    packed->bytes[packed->size++] = byte;
}

/* Bytes of four kinds: any; few different ones; runs; words with small numbers, as counters are. */
static void fill(uint64_t *state, uint8_t *bytes, size_t size, unsigned kind)
{
    uint8_t last = 0;
    for (size_t i = 0; i < size; i++) {
        uint64_t number = next_number(state);
        switch (kind) {
        case 0:
            bytes[i] = (uint8_t)number;
            break;
        case 1:
            bytes[i] = (uint8_t)(number % 3);
            break;
        case 2:
            last = number % 400 ? last : (uint8_t)(number >> 32);
            bytes[i] = last;
            break;
        default:
            bytes[i] = i % 8 < 2 && number % 3 == 0 ? (uint8_t)(number >> 20) : 0;
        }
    }
}

static void compress_in_parts(uint64_t *state, struct packed *packed, const uint8_t *bytes,
                              size_t size, size_t largest)
{
    struct an_gzip gzip;
    packed->size = 0;
    an_gzip_begin(&gzip, put, packed);
    for (size_t at = 0; at < size;) {
        size_t part = largest ? 1 + next_number(state) % largest : size;
        part = part < size - at ? part : size - at;
        an_gzip_put(&gzip, bytes + at, part);
        at += part;
    }
    an_gzip_end(&gzip);
}

static void check_with_zlib(struct packed *packed, const uint8_t *bytes, size_t size)
{
    static uint8_t again[LARGEST + 1];
    z_stream stream = {.next_in = packed->bytes,
                       .avail_in = (uInt)packed->size,
                       .next_out = again,
                       .avail_out = sizeof again};
    assert_int_equal(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.avail_in, 0);
    assert_int_equal(stream.total_out, size);
    assert_memory_equal(again, bytes, size);
    inflateEnd(&stream);
}

static void test_peer(void **context)
{
    static const size_t sizes[] = {0,   1,   2,    3,    4,     5,     257,   258,
                                   259, 300, 1000, 5000, 32768, 32771, 65540, LARGEST};
    static const size_t parts[] = {0, 1, 70, 5000};
    static struct packed packed;
    static uint8_t bytes[LARGEST];
    uint64_t state = 7;
    (void)context;
    for (unsigned kind = 0; kind < 4; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
                size_t size = parts[k] == 1 && sizes[i] > 5000 ? 5000 : sizes[i];
                fill(&state, bytes, size, kind);
                compress_in_parts(&state, &packed, bytes, size, parts[k]);
                check_with_zlib(&packed, bytes, size);
            }
}

/* Counters shrink: what is mostly zeros to less than a third. */
static void test_shrinks(void **context)
{
    static struct packed packed;
    static uint8_t bytes[20000];
    uint64_t state = 9;
    (void)context;
    fill(&state, bytes, sizeof bytes, 3);
    compress_in_parts(&state, &packed, bytes, sizeof bytes, 0);
    check(packed.size < sizeof bytes / 3, "%zu of %zu bytes", packed.size, sizeof bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_peer),
        cmocka_unit_test(test_shrinks),
    };
    return RUN_TESTS(tests);
}
