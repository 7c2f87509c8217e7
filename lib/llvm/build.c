/* Which build a profile is of; see anneal/llvm.h. Raw profiles are not decoded for it: names are where the time would go. */
#include <anneal/llvm.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "llvm/memprof_raw.h"
#include "llvm/raw.h"

/* The first one is shown, others go into a number. */
static void add_id(struct an_llvm_build *build, const uint8_t *bytes, size_t size)
{
    if (build->id.bytes)
        build->others = XXH3_64bits_withSeed(bytes, size, build->others);
    else
        build->id = (struct an_llvm_binary_id){bytes, size};
}

/* In any order: counts of a function change, its name and its hash do not. */
static void add_function(struct an_llvm_build *build, uint64_t name, uint64_t hash)
{
    const uint64_t both[] = {name, hash};
    build->functions += XXH3_64bits(both, sizeof both);
}

static enum an_code add_image(struct an_llvm_build *build, struct raw_image *image,
                              struct an_error *error)
{
    struct an_bytes ids = {image->binary_ids.data, (size_t)image->binary_ids.size};
    struct an_cursor cursor = an_cursor_at(ids, 0, image->big);
    uint64_t total = 0;
    enum an_code code = an_raw_check(image, &total, error);
    if (code != AN_OK)
        return code;
    while (an_cursor_left(&cursor)) {
        uint64_t size;
        const uint8_t *bytes =
            an_cursor_block(&cursor, an_raw_pads_binary_ids(image->version), &size);
        add_id(build, bytes, (size_t)size);
    }
    for (uint64_t i = 0; !ids.size && i < image->data_number; i++) {
        struct raw_record record;
        an_raw_record(image, i, &record);
        add_function(build, record.name_hash, record.hash);
    }
    return AN_OK;
}

static enum an_code look_at_raw(struct an_llvm_build *build, struct an_bytes file,
                                struct an_error *error)
{
    uint64_t at = 0;
    bool more = true;
    enum an_code code = AN_OK;
    while (code == AN_OK && more) {
        struct raw_image image;
        code = an_raw_open(&image, file, at, error);
        if (code == AN_OK)
            code = add_image(build, &image, error);
        if (code == AN_OK)
            code = an_raw_next(&image, &at, &more, error);
    }
    return code;
}

static enum an_code look_at_memory(struct an_llvm_build *build, struct an_bytes file,
                                   struct an_error *error)
{
    struct memprof_raw raw = {0};
    enum an_code code = an_memprof_raw_read(&raw, file, error);
    for (size_t i = 0; code == AN_OK && i < raw.segments.count; i++)
        if (raw.segments.items[i].build_id.size)
            add_id(build, raw.segments.items[i].build_id.data, raw.segments.items[i].build_id.size);
    an_memprof_raw_free(&raw);
    return code;
}

/* Ids of other kinds of profiles lie in the file, too. */
static enum an_code look_at_other(struct an_llvm_build *build, struct an_bytes file,
                                  struct an_error *error)
{
    struct an_llvm_reader *reader;
    struct an_llvm_record record;
    enum an_code code = an_llvm_reader_open(&reader, file.data, file.size, error);
    if (code != AN_OK)
        return code;
    const struct an_llvm_info *info = an_llvm_reader_info(reader);
    for (size_t i = 0; i < info->binary_id_count; i++)
        add_id(build, info->binary_ids[i].bytes, info->binary_ids[i].size);
    while (!info->binary_id_count && an_llvm_reader_next(reader, &record))
        add_function(build, an_llvm_name_hash(record.name, record.name_length), record.hash);
    bool failed = an_llvm_reader_failed(reader);
    an_llvm_reader_close(reader);
    return failed ? an_fail_memory(error) : AN_OK;
}

enum an_code an_llvm_build_find(const void *bytes, size_t size, struct an_llvm_build *build,
                                struct an_error *error)
{
    struct an_bytes file = {bytes, size};
    *build = (struct an_llvm_build){0};
    if (an_raw_recognise(file))
        return look_at_raw(build, file, error);
    return an_memprof_raw_recognise(file) ? look_at_memory(build, file, error)
                                          : look_at_other(build, file, error);
}
