/* What boards print is what uudecode takes for the same file, and the checksum is zlib's. */
#include "bare/uuencode.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "boards/host_board.h"
#include "support/random.h"
#include "support/test.h"

enum { LARGEST = 1000 };

/* Prints so many random bytes, in parts of any size. */
static void print_random(uint64_t *state, uint8_t *bytes, size_t size)
{
    struct an_uuencode file;
    host_board_reset();
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(next_number(state) % 3 ? next_number(state) : 0);
    an_uuencode_begin(&file, "decoded", "");
    for (size_t at = 0; at < size;) {
        size_t part = next_number(state) % 60;
        part = part < size - at ? part : size - at;
        an_uuencode_put(&file, bytes + at, part);
        at += part;
    }
    an_uuencode_end(&file);
}

static size_t decode(uint8_t *bytes)
{
    FILE *pipe = popen("uudecode", "w");
    assert_non_null(pipe);
    assert_int_equal(fwrite(host_board.printed, 1, host_board.length, pipe), host_board.length);
    assert_int_equal(pclose(pipe), 0);
    FILE *file = fopen("decoded", "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, LARGEST, file);
    fclose(file);
    return size;
}

static void test_peer(void **context)
{
    uint64_t state = 5;
    char folder[] = "/tmp/test_uuencode.XXXXXX";
    (void)context;
    if (system("command -v uudecode >/dev/null") != 0)
        skip();
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    for (size_t size = 0; size <= LARGEST; size += size < 140 ? 1 : 43) {
        uint8_t sent[LARGEST], received[LARGEST];
        print_random(&state, sent, size);
        assert_int_equal(decode(received), size);
        assert_memory_equal(received, sent, size);
    }
    remove("decoded");
    rmdir(folder);
}

static void test_checksum(void **context)
{
    uint64_t state = 6;
    (void)context;
    for (size_t size = 0; size <= LARGEST; size += 1 + size / 4) {
        uint8_t bytes[LARGEST];
        char expected[80];
        print_random(&state, bytes, size);
        int length = snprintf(expected, sizeof expected, "\n`\nend\ncrc32 %08lx %zu decoded\n",
                              crc32(0, bytes, (uInt)size), size);
        assert_true(host_board.length >= (size_t)length);
        assert_string_equal(host_board.printed + host_board.length - length, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_peer),
                                       cmocka_unit_test(test_checksum)};
    return RUN_TESTS(tests);
}
