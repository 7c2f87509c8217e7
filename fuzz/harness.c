/* Claims about any input; see harness.h. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void claim_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, condition);
    abort();
}

void claim_good_error(enum an_code code, const struct an_error *error)
{
    char text[2048];
    claim(code == error->code);
    claim(code != AN_OK && code != AN_NO_MEMORY && code != AN_USAGE);
    an_error_format(error, text, sizeof text);
    claim(text[0]);
    for (const char *c = text; *c; c++)
        claim((unsigned char)*c >= 0x20);
}

void claim_refusal(enum an_code code, const struct an_error *error, size_t size)
{
    claim_good_error(code, error);
    claim(error->offset == AN_NO_OFFSET || error->offset <= size);
}

/* Reads every byte, so that the sanitizers see where it lies. */
static volatile uint64_t sink;

static void look_at(const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sink += ((const uint8_t *)bytes)[i];
}

static void look_at_symbol(struct an_llvm_reader *reader, uint64_t hash)
{
    size_t length;
    const char *name = an_llvm_reader_symbol(reader, hash, &length);
    if (name)
        look_at(name, length);
}

static void look_at_record(struct an_llvm_reader *reader, const struct an_llvm_record *record)
{
    claim(record->count_number > 0);
    look_at(record->name, record->name_length);
    look_at(record->counts, record->count_number * sizeof *record->counts);
    look_at(record->bitmap, record->bitmap_bytes);
    for (int kind = 0; record->values && kind < AN_LLVM_VALUE_KINDS; kind++)
        for (uint32_t s = 0; s < record->values->site_count[kind]; s++) {
            const struct an_llvm_site *site = &record->values->sites[kind][s];
            look_at(site->values, site->count * sizeof *site->values);
            for (uint32_t v = 0; v < site->count && v < 8; v++)
                look_at_symbol(reader, site->values[v].value);
        }
}

static void look_at_info(struct an_llvm_reader *reader, const struct an_llvm_info *info)
{
    for (size_t i = 0; i < info->binary_id_count; i++)
        look_at(info->binary_ids[i].bytes, info->binary_ids[i].size);
    for (size_t i = 0; i < info->trace_count; i++)
        for (size_t f = 0; f < info->traces[i].function_count; f++)
            look_at_symbol(reader, info->traces[i].functions[f]);
}

static enum an_llvm_format format_of(const uint8_t *bytes, size_t size)
{
    if (size >= 8 && memcmp(bytes, "\xfflprofi\x81", 8) == 0)
        return AN_LLVM_INDEXED;
    if (size >= 2 && ((bytes[0] == 0x81 && (bytes[1] == 'r' || bytes[1] == 'R')) ||
                      (bytes[0] == 0xff && bytes[1] == 'l')))
        return AN_LLVM_RAW;
    return AN_LLVM_TEXT;
}

bool fuzz_reader(const uint8_t *bytes, size_t size, enum an_llvm_format format)
{
    if (format_of(bytes, size) != format)
        return false;
    uint8_t *copy = malloc(size ? size : 1); /* its end is where the sanitizer looks */
    if (size)
        memcpy(copy, bytes, size);
    struct an_llvm_reader *reader = NULL;
    struct an_error error = {0};
    enum an_code code = an_llvm_reader_open(&reader, copy, size, &error);
    if (code != AN_OK) {
        claim(!reader);
        claim_refusal(code, &error, size);
    } else {
        const struct an_llvm_info *info = an_llvm_reader_info(reader);
        struct an_llvm_record record;
        size_t records = 0;
        claim(info->format == format);
        look_at_info(reader, info);
        for (; an_llvm_reader_next(reader, &record); records++)
            look_at_record(reader, &record);
        claim(!an_llvm_reader_failed(reader));
        claim(records == info->functions);
        claim(!an_llvm_reader_next(reader, &record));
        an_llvm_reader_close(reader);
    }
    free(copy);
    return code == AN_OK;
}

/* ---- merging ---- */

struct fuzz_file fuzz_file_make(const uint8_t *bytes, size_t size)
{
    struct fuzz_file file = {.bytes = malloc(size ? size : 1), .size = size};
    file.fd = memfd_create("fuzz", MFD_CLOEXEC);
    claim(file.bytes && file.fd >= 0 && write(file.fd, bytes, size) == (ssize_t)size);
    if (size)
        memcpy(file.bytes, bytes, size);
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

void fuzz_file_close(struct fuzz_file *file)
{
    close(file->fd);
    free(file->bytes);
}

size_t fuzz_files_make(const uint8_t *bytes, size_t size, struct fuzz_file files[FUZZ_MOST_FILES])
{
    size_t count = 0;
    const uint8_t *from = bytes, *end = bytes + size;
    while (count < FUZZ_MOST_FILES) {
        const uint8_t *next = memmem(from, (size_t)(end - from), FUZZ_SEPARATOR, 4);
        files[count++] = fuzz_file_make(from, (size_t)((next ? next : end) - from));
        if (!next)
            break;
        from = next + 4;
    }
    return count;
}

struct merged {
    enum an_code code;
    struct an_llvm_profile *profile;
    struct an_ledger *ledger;
    struct an_error error;
};

static struct merged merge(const struct an_llvm_input *inputs, size_t count, unsigned threads,
                           bool by_records, unsigned choice)
{
    struct an_llvm_merge_options options = {
        .size = sizeof options,
        .threads = threads,
        .failure_mode = choice & 1 ? AN_FAIL_ANY : AN_FAIL_WARN,
        .keep_vtable_names = by_records,
        .trace_reservoir = choice & 2 ? 2 : 0,
        .trace_length = choice & 4 ? 3 : 0,
    };
    struct merged merged = {0};
    merged.code =
        an_llvm_merge(&options, inputs, count, &merged.profile, &merged.ledger, &merged.error);
    claim(merged.ledger && merged.ledger->count == count);
    claim((merged.code == AN_OK) == (merged.profile != NULL));
    if (merged.code != AN_OK)
        claim_good_error(merged.code, &merged.error);
    for (size_t i = 0; i < count; i++) {
        const struct an_ledger_entry *entry = &merged.ledger->entries[i];
        claim(entry->status != AN_INPUT_PENDING);
        claim((entry->status == AN_INPUT_REJECTED) == (entry->error != NULL));
        if (entry->error)
            claim_good_error(entry->error->code, entry->error);
    }
    return merged;
}

static void free_merged(struct merged *merged)
{
    an_llvm_profile_free(merged->profile);
    an_ledger_free(merged->ledger);
}

struct result {
    void *bytes;
    size_t size;
};

static struct result write_profile(struct an_llvm_profile *profile, unsigned version, bool text,
                                   bool sparse)
{
    struct an_llvm_write_options options = {
        .size = sizeof options, .format_version = version, .text = text, .sparse = sparse};
    struct result result = {0};
    struct an_error error = {0};
    claim(an_llvm_profile_write(profile, &options, &result.bytes, &result.size, NULL, &error) ==
          AN_OK);
    return result;
}

/* What anneal writes, anneal reads. (Text cannot hold every name that a binary file can.) */
static void claim_readable(const struct result *result, size_t records)
{
    struct an_llvm_reader *reader;
    struct an_error error;
    claim(an_llvm_reader_open(&reader, result->bytes, result->size, &error) == AN_OK);
    claim(an_llvm_reader_info(reader)->functions == records);
    an_llvm_reader_close(reader);
}

static struct result as_text(const struct result *indexed)
{
    struct fuzz_file file = fuzz_file_make(indexed->bytes, indexed->size);
    struct an_llvm_input input = {file.path, 1};
    struct merged merged = merge(&input, 1, 1, false, 0);
    claim(merged.code == AN_OK && merged.ledger->used == 1);
    struct result text = write_profile(merged.profile, 12, true, false);
    free_merged(&merged);
    fuzz_file_close(&file);
    return text;
}

/* Up to version 11 nobody knows of loop entries. */
static unsigned oldest_version(const struct an_llvm_profile *profile)
{
    return an_llvm_profile_variants(profile) & AN_LLVM_LOOP_ENTRIES ? 12 : 5;
}

static void claim_same(struct merged *one, struct merged *other)
{
    /* A file with two things wrong may be refused for either. */
    claim((one->code == AN_OK) == (other->code == AN_OK));
    claim(one->ledger->used == other->ledger->used);
    for (size_t i = 0; i < one->ledger->count; i++) {
        const struct an_ledger_entry *a = &one->ledger->entries[i], *b = &other->ledger->entries[i];
        claim(a->status == b->status);
        claim(a->functions == b->functions && a->unnamed == b->unnamed);
        claim(a->version == b->version && a->variants == b->variants);
    }
    if (!one->profile)
        return;
    /* Without the names of virtual tables, which only one of the two keeps: in version 11, or as text. */
    bool text = oldest_version(one->profile) > 11;
    struct result a = write_profile(one->profile, text ? 12 : 11, text, false);
    struct result b = write_profile(other->profile, text ? 12 : 11, text, false);
    if (a.size != b.size || memcmp(a.bytes, b.bytes, a.size) != 0) {
        /* A damaged file can have several records of one name: these may change places. */
        struct result text_a = as_text(&a), text_b = as_text(&b);
        claim(a.size == b.size);
        claim(text_a.size == text_b.size && memcmp(text_a.bytes, text_b.bytes, text_a.size) == 0);
        free(text_a.bytes);
        free(text_b.bytes);
    }
    free(a.bytes);
    free(b.bytes);
}

static void write_all_versions(struct an_llvm_profile *profile)
{
    for (unsigned version = oldest_version(profile); version <= 14; version++) {
        struct result whole = write_profile(profile, version, false, false);
        claim_readable(&whole, an_llvm_profile_records(profile));
        free(whole.bytes);
    }
    struct result sparse = write_profile(profile, 12, false, true);
    struct result text = write_profile(profile, 12, true, false);
    free(sparse.bytes);
    free(text.bytes);
}

void fuzz_merge(const uint8_t *bytes, size_t size)
{
    static const uint64_t weights[] = {1, 2, 1000, 1ull << 40, UINT64_MAX};
    struct an_llvm_input inputs[FUZZ_MOST_FILES];
    struct fuzz_file files[FUZZ_MOST_FILES];
    unsigned choice = (unsigned)(size ^ size >> 8);
    size_t count = fuzz_files_make(bytes, size, files);
    for (size_t i = 0; i < count; i++) {
        inputs[i].path = files[i].path;
        inputs[i].weight = choice & 8 ? weights[(choice >> 4) * (i + 1) % 5] : 1;
    }
    struct merged by_arrays = merge(inputs, count, 1, false, choice);
    struct merged by_records = merge(inputs, count, 1, true, choice);
    claim_same(&by_arrays, &by_records);
    free_merged(&by_records);
    struct merged by_threads = merge(inputs, count, 3, false, choice);
    claim_same(&by_arrays, &by_threads);
    free_merged(&by_threads);
    if (by_arrays.profile)
        write_all_versions(by_arrays.profile);
    free_merged(&by_arrays);
    for (size_t i = 0; i < count; i++)
        fuzz_file_close(&files[i]);
}
