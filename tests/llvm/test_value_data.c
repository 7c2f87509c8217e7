/* lib/llvm/value_data: blocks of values in both byte orders, and every way for them not to fit. */
#include "llvm/value_data.h"

#include "support/test.h"

/* Two kinds: calls with sites of 2, 0 and 1 values, sizes with one site of 1. */
static struct an_llvm_value calls_first[] = {{0x1111, 10}, {0x2222, 20}}, calls_last[] = {{3, 30}},
                            sizes[] = {{64, 7}};

static struct an_llvm_values two_kinds(struct an_llvm_site call_sites[3],
                                       struct an_llvm_site size_sites[1])
{
    call_sites[0] = (struct an_llvm_site){calls_first, 2, 2};
    call_sites[1] = (struct an_llvm_site){NULL, 0, 0};
    call_sites[2] = (struct an_llvm_site){calls_last, 1, 1};
    size_sites[0] = (struct an_llvm_site){sizes, 1, 1};
    return (struct an_llvm_values){
        .site_count = {[AN_LLVM_INDIRECT_CALL] = 3, [AN_LLVM_MEMOP_SIZE] = 1},
        .sites = {[AN_LLVM_INDIRECT_CALL] = call_sites, [AN_LLVM_MEMOP_SIZE] = size_sites}};
}

static struct an_buffer block_of_two_kinds(void)
{
    struct an_llvm_site call_sites[3], size_sites[1];
    struct an_llvm_values values = two_kinds(call_sites, size_sites);
    struct an_buffer buffer = {0};
    assert_int_equal(an_value_block_size(&values, AN_LLVM_VALUE_KINDS), 8 + 16 + 48 + 16 + 16);
    an_value_block_write(&buffer, &values, AN_LLVM_VALUE_KINDS);
    assert_int_equal(buffer.size, 104);
    return buffer;
}

static enum an_code read_block(const struct an_buffer *buffer, size_t size,
                               struct value_block *block)
{
    struct an_error error;
    return an_value_block_read(block, (struct an_bytes){buffer->data, size}, 0, size, false,
                               &error);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct an_buffer buffer = block_of_two_kinds();
    struct value_scratch scratch = {0};
    struct value_block block;
    assert_int_equal(read_block(&buffer, buffer.size, &block), AN_OK);
    assert_int_equal(block.size, 104);
    assert_int_equal(block.kind_number, 2);
    const struct an_llvm_values *values =
        an_value_block_decode(&block, false, NULL, NULL, &scratch);
    assert_int_equal(values->site_count[AN_LLVM_INDIRECT_CALL], 3);
    assert_int_equal(values->sites[AN_LLVM_INDIRECT_CALL][0].count, 2);
    assert_int_equal(values->sites[AN_LLVM_INDIRECT_CALL][0].values[1].value, 0x2222);
    assert_int_equal(values->sites[AN_LLVM_INDIRECT_CALL][1].count, 0);
    assert_int_equal(values->sites[AN_LLVM_INDIRECT_CALL][2].values[0].count, 30);
    assert_int_equal(values->sites[AN_LLVM_MEMOP_SIZE][0].values[0].value, 64);
    assert_int_equal(values->site_count[AN_LLVM_VTABLE], 0);
    an_value_scratch_free(&scratch);
    an_buffer_free(&buffer);
}

/* A version that knows only the first kind gets only that. */
static void fewer_kinds(void **state)
{
    (void)state;
    struct an_llvm_site call_sites[3], size_sites[1];
    struct an_llvm_values values = two_kinds(call_sites, size_sites);
    struct an_buffer buffer = {0};
    struct value_block block;
    an_value_block_write(&buffer, &values, AN_LLVM_MEMOP_SIZE);
    assert_int_equal(buffer.size, an_value_block_size(&values, AN_LLVM_MEMOP_SIZE));
    assert_int_equal(read_block(&buffer, buffer.size, &block), AN_OK);
    assert_int_equal(block.kind_number, 1);
    an_buffer_free(&buffer);
    an_value_block_write(&buffer, NULL, AN_LLVM_VALUE_KINDS); /* no values at all */
    assert_int_equal(buffer.size, 8);
    assert_int_equal(read_block(&buffer, buffer.size, &block), AN_OK);
    assert_int_equal(block.kind_number, 0);
    an_buffer_free(&buffer);
}

static uint64_t doubled(const void *context, enum an_llvm_value_kind kind, uint64_t value)
{
    return kind == *(const enum an_llvm_value_kind *)context ? 2 * value : value;
}

static void big_endian_and_mapped(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0,
                                    0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 5};
    struct value_scratch scratch = {0};
    struct value_block block;
    struct an_error error;
    enum an_llvm_value_kind kind = AN_LLVM_MEMOP_SIZE;
    assert_int_equal(an_value_block_read(&block, (struct an_bytes){bytes, sizeof bytes}, 0,
                                         sizeof bytes, true, &error),
                     AN_OK);
    const struct an_llvm_values *values =
        an_value_block_decode(&block, true, doubled, &kind, &scratch);
    assert_int_equal(values->sites[AN_LLVM_MEMOP_SIZE][0].values[0].value, 2 * 0x102);
    assert_int_equal(values->sites[AN_LLVM_MEMOP_SIZE][0].values[0].count, 5);
    an_value_scratch_free(&scratch);
}

/* Any other value of any byte of the structure is refused or reads nothing from outside. */
static void damaged_structure(void **state)
{
    (void)state;
    struct an_buffer buffer = block_of_two_kinds();
    struct value_block block;
    for (size_t size = 0; size < buffer.size; size++)
        assert_int_not_equal(read_block(&buffer, size, &block), AN_OK);
    static const struct {
        size_t at;
        uint8_t value;
    } damages[] = {
        {0, 105},  {0, 96},  {0, 0},    {3, 0xff}, {4, 3},    {4, 4},  {4, 255}, {8, 3},    {8, 1},
        {11, 128}, {12, 99}, {15, 255}, {16, 3},   {16, 255}, {72, 0}, {72, 9},  {76, 200}, {80, 2},
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        uint8_t kept = buffer.data[damages[i].at];
        buffer.data[damages[i].at] = damages[i].value;
        enum an_code code = read_block(&buffer, buffer.size, &block);
        check(code == AN_MALFORMED || code == AN_TRUNCATED, "damage %zu: %s", i,
              an_code_name(code));
        buffer.data[damages[i].at] = kept;
    }
    an_buffer_free(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(fewer_kinds),
        cmocka_unit_test(big_endian_and_mapped),
        cmocka_unit_test(damaged_structure),
    };
    return RUN_TESTS(tests);
}
