/*
 * Feeds control flow and counts to the coverage: the first file is the gcno, the others are gcda. If the gcno is
 * good, it gets counts that fit, made of the bytes. Claims: lines, blocks and branches add up, totals are what
 * lines say, and several threads find the same.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <anneal/coverage.h>

#include "gcc/flow.h"
#include "gcc/gcda_walk.h"
#include "harness.h"

const bool takes_several_files = true;

enum { MOST_FILES = FUZZ_MOST_FILES + 1, NAME = 32 };

struct inputs {
    int fds[MOST_FILES];
    char names[MOST_FILES][NAME];
    const char *paths[MOST_FILES];
    size_t count;
};

/* The library reads files: these have no place on a disk. */
static void add(struct inputs *inputs, struct an_bytes bytes)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    claim(fd >= 0 && write(fd, bytes.data, bytes.size) == (ssize_t)bytes.size);
    snprintf(inputs->names[inputs->count], NAME, "/proc/self/fd/%d", fd);
    inputs->paths[inputs->count] = inputs->names[inputs->count];
    inputs->fds[inputs->count++] = fd;
}

static void split(struct inputs *inputs, struct an_bytes bytes)
{
    size_t separator = sizeof FUZZ_SEPARATOR - 1;
    while (inputs->count + 2 < MOST_FILES) {
        const uint8_t *next = memmem(bytes.data, bytes.size, FUZZ_SEPARATOR, separator);
        size_t size = next ? (size_t)(next - bytes.data) : bytes.size;
        add(inputs, (struct an_bytes){bytes.data, size});
        if (!next)
            return;
        bytes.data += size + separator;
        bytes.size -= size + separator;
    }
}

/* ---- counts that fit ---- */

static void put(struct an_buffer *to, const struct an_gcno *gcno, uint32_t word)
{
    uint8_t *room = an_buffer_extend(to, 4);
    claim(room != NULL);
    word = gcno->big == AN_HOST_BIG ? word : __builtin_bswap32(word);
    memcpy(room, &word, 4);
}

static void put_counts(struct an_buffer *to, const struct an_gcno *gcno,
                       const struct an_gcno_function *function, struct an_bytes bytes)
{
    uint32_t count = an_flow_counters(gcno, function);
    uint32_t unit = gcno->version.unit == 1 ? 4 : 1;
    put(to, gcno, AN_GCC_FUNCTION);
    put(to, gcno, 3 * unit);
    put(to, gcno, function->ident);
    put(to, gcno, function->line_sum);
    put(to, gcno, function->flow_sum);
    put(to, gcno, AN_GCC_COUNTERS);
    put(to, gcno, 2 * count * unit);
    for (uint32_t i = 0; i < count; i++) {
        put(to, gcno, bytes.data[(function->ident + i) % bytes.size]);
        put(to, gcno, 0);
    }
}

static void make_counts(struct inputs *inputs, struct an_bytes bytes)
{
    size_t size = bytes.size;
    const uint8_t *end = memmem(bytes.data, size, FUZZ_SEPARATOR, sizeof FUZZ_SEPARATOR - 1);
    struct an_bytes file = {bytes.data, end ? (size_t)(end - bytes.data) : size};
    struct an_buffer made = {0};
    struct an_gcno gcno;
    struct an_error error;
    if (an_gcno_read(&gcno, file, &error) != AN_OK)
        return;
    put(&made, &gcno, AN_GCDA_MAGIC);
    put(&made, &gcno, gcno.version.word);
    put(&made, &gcno, gcno.stamp);
    if (gcno.version.has_checksum)
        put(&made, &gcno, gcno.checksum);
    for (size_t i = 0; i < gcno.functions.count; i++)
        put_counts(&made, &gcno, &gcno.functions.items[i], file);
    put(&made, &gcno, 0);
    add(inputs, (struct an_bytes){made.data, made.size});
    an_buffer_free(&made);
    an_gcno_free(&gcno);
}

/* ---- claims ---- */

static void claim_line(const struct an_coverage_line *line)
{
    uint32_t branches = 0;
    if (!line->exists) {
        claim(line->count == 0 && line->number == 0 && line->block_count == 0);
        return;
    }
    for (uint32_t i = 0; i < line->block_count; i++)
        for (uint32_t k = 0; k < line->blocks[i].branch_count; k++) {
            claim(line->branches[branches].block == line->blocks[i].number);
            claim(line->branches[branches].block_count == line->blocks[i].count);
            branches++;
        }
    claim(branches == line->branch_count);
}

static void claim_source(const struct an_coverage_source *source)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < source->line_count; i++) {
        claim(source->lines[i].number == (source->lines[i].exists ? i : 0));
        claim_line(&source->lines[i]);
        lines += source->lines[i].exists;
    }
    claim(lines == source->totals.lines && source->totals.lines_executed <= lines);
    claim(source->totals.functions <= source->function_count);
    claim((source->totals.functions == 0) == (source->function_count == 0));
    for (size_t i = 0; i < source->function_count; i++) {
        const struct an_coverage_function *function = &source->functions[i];
        claim(i == 0 || source->functions[i - 1].line <= function->line);
        claim(function->is_instance == (function->line_count != 0));
        for (size_t k = 0; k < function->line_count; k++)
            claim_line(&function->lines[k]);
    }
}

static void claim_same(const struct an_coverage *one, const struct an_coverage *other)
{
    claim(one->source_count == other->source_count && one->runs == other->runs);
    claim(memcmp(&one->totals, &other->totals, sizeof one->totals) == 0);
    for (size_t i = 0; i < one->source_count; i++) {
        claim(one->sources[i].line_count == other->sources[i].line_count);
        for (size_t k = 0; k < one->sources[i].line_count; k++)
            claim(one->sources[i].lines[k].count == other->sources[i].lines[k].count);
    }
}

static struct an_coverage *read_all(const struct inputs *inputs, unsigned threads)
{
    struct an_coverage_options options = {.size = sizeof options, .threads = threads};
    /* Twice the same: what is inline in one is in the other, too. */
    struct an_coverage_input objects[] = {
        {inputs->paths[0], inputs->paths + 1, inputs->count - 1},
        {inputs->paths[0], inputs->paths + 1, inputs->count - 1},
    };
    struct an_coverage *coverage;
    struct an_ledger *ledger;
    struct an_error error;
    enum an_code code = an_coverage_read(&options, objects, 2, &coverage, &ledger, &error);
    if (code == AN_OK)
        claim(ledger->count == 2 * inputs->count);
    else
        claim(code == AN_UNSUPPORTED && error.code == code && error.what[0] && !ledger);
    an_ledger_free(ledger);
    return coverage;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct inputs inputs = {.count = 0};
    split(&inputs, (struct an_bytes){bytes, size});
    make_counts(&inputs, (struct an_bytes){bytes, size});
    struct an_coverage *coverage = read_all(&inputs, 1), *again = read_all(&inputs, 2);
    claim((coverage == NULL) == (again == NULL));
    for (size_t i = 0; coverage && i < coverage->source_count; i++)
        claim_source(&coverage->sources[i]);
    if (coverage)
        claim_same(coverage, again);
    an_coverage_free(coverage);
    an_coverage_free(again);
    for (size_t i = 0; i < inputs.count; i++)
        close(inputs.fds[i]);
    return 0;
}
