/* Writing the content of partial results; see partial.h. */
#include <stdlib.h>

#include "gcc/partial.h"
#include "partial/digest.h"
#include "partial/numbers.h"

static int by_digest(const void *a, const void *b)
{
    return an_digest_compare(a, b);
}

static void put_inputs(struct an_buffer *buffer, const struct an_input_numbers *numbers,
                       struct an_gcc_build *build)
{
    size_t before = 0;
    qsort(build->inputs.items, build->inputs.count, sizeof *build->inputs.items, by_digest);
    an_buffer_uleb128(buffer, build->inputs.count);
    for (size_t i = 0; i < build->inputs.count; i++) {
        size_t number = an_input_number(numbers, &build->inputs.items[i]);
        an_buffer_uleb128(buffer, number - before);
        before = number;
    }
}

/* By their words, with the histogram, whose map tells how many there are. */
static int compare_programs(const struct an_gcc_program *left, const struct an_gcc_program *right)
{
    static const struct an_gcc_version all = {.has_histogram = true};
    uint32_t words[2][AN_GCC_PROGRAM_MOST_WORDS] = {{0}};
    an_gcc_program_words(left, &all, words[0]);
    an_gcc_program_words(right, &all, words[1]);
    return memcmp(words[0], words[1], sizeof words[0]);
}

static int by_input(const void *a, const void *b)
{
    const struct an_gcc_origin *left = a, *right = b;
    int order = an_digest_compare(&left->input, &right->input);
    return order ? order : compare_programs(&left->program, &right->program);
}

static void put_programs(struct an_buffer *buffer, const struct an_input_numbers *numbers,
                         struct an_gcc_build *build)
{
    uint32_t words[AN_GCC_PROGRAM_MOST_WORDS];
    if (build->origins.count)
        qsort(build->origins.items, build->origins.count, sizeof *build->origins.items, by_input);
    an_buffer_uleb128(buffer, build->origins.count);
    for (size_t i = 0; i < build->origins.count; i++) {
        const struct an_gcc_origin *origin = &build->origins.items[i];
        size_t count = an_gcc_program_words(&origin->program, &build->gcda.header.version, words);
        an_buffer_uleb128(buffer, an_input_number(numbers, &origin->input));
        an_buffer_uleb128(buffer, count);
        for (size_t k = 0; k < count; k++)
            an_buffer_uleb128(buffer, words[k]);
    }
}

static void put_tally(struct an_buffer *buffer, const struct an_tally *tally)
{
    uint64_t before = 0;
    an_buffer_uleb128(buffer, (tally->lost ? 1 : 0) | (tally->last ? 2 : 0));
    an_buffer_uleb128(buffer, tally->total);
    if (tally->last)
        an_buffer_uleb128(buffer, tally->last);
    an_buffer_uleb128(buffer, tally->values.count);
    for (size_t i = 0; i < tally->values.count; i++) {
        an_buffer_uleb128(buffer, tally->values.items[i].value - before);
        an_buffer_uleb128(buffer, tally->values.items[i].count);
        before = tally->values.items[i].value;
    }
}

static void put_tallies(struct an_buffer *buffer, const struct an_gcda *gcda)
{
    for (size_t i = 0; i < gcda->functions.count; i++) {
        const struct an_gcda_function *function = &gcda->functions.items[i];
        for (size_t k = function->first; k < function->first + function->kinds; k++) {
            const struct an_tallies *tallies = &gcda->tallies.items[k];
            if (!an_gcc_has_tallies(an_gcda_rule(gcda, &gcda->counters.items[k])))
                continue;
            size_t places = an_tallies_are_zero(tallies) ? 0 : tallies->count;
            an_buffer_uleb128(buffer, places);
            for (size_t place = 0; place < places; place++)
                put_tally(buffer, &tallies->places[place]);
        }
    }
}

static void put_file(struct an_buffer *buffer, const struct an_gcda *gcda)
{
    struct an_buffer file = {0};
    an_gcda_write(gcda, &file);
    an_buffer_uleb128(buffer, file.size);
    an_buffer_put(buffer, file.data, file.size);
    buffer->failed |= file.failed;
    an_buffer_free(&file);
}

static int compare(uint64_t one, uint64_t other)
{
    return (one > other) - (one < other);
}

static int by_name_and_build(const void *a, const void *b)
{
    const struct an_gcc_part *left = a, *right = b;
    const struct an_gcda_header *one = &left->build.gcda.header, *other = &right->build.gcda.header;
    size_t shorter =
        left->name.length < right->name.length ? left->name.length : right->name.length;
    int order = shorter ? memcmp(left->name.text, right->name.text, shorter) : 0;
    if (!order)
        order = compare(left->name.length, right->name.length);
    if (!order)
        order = compare(one->version.word, other->version.word);
    if (!order)
        order = compare(one->big, other->big);
    if (!order)
        order = compare(one->stamp, other->stamp);
    return order ? order : compare(one->checksum, other->checksum);
}

enum an_code an_gcc_partial_write(struct an_gcc_part *parts, size_t count,
                                  const struct an_ledger *ledger, struct an_buffer *buffer,
                                  struct an_error *error)
{
    struct an_input_numbers numbers;
    if (!an_input_numbers_make(&numbers, ledger))
        return an_fail_memory(error);
    if (count)
        qsort(parts, count, sizeof *parts, by_name_and_build);
    an_buffer_uleb128(buffer, count);
    for (size_t i = 0; i < count; i++) {
        struct an_gcc_part *part = &parts[i];
        an_buffer_uleb128(buffer, part->name.length);
        an_buffer_put(buffer, part->name.text, part->name.length);
        put_inputs(buffer, &numbers, &part->build);
        put_file(buffer, &part->build.gcda);
        put_programs(buffer, &numbers, &part->build);
        put_tallies(buffer, &part->build.gcda);
    }
    an_input_numbers_free(&numbers);
    return buffer->failed ? an_fail_memory(error) : AN_OK;
}
