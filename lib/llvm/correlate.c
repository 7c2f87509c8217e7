/* Completing raw profiles; see correlated.h. */
#include <stdlib.h>
#include <string.h>

#include "llvm/correlated.h"
#include "llvm/format.h"
#include "llvm/names.h"
#include "llvm/profile.h"
#include "llvm/raw.h"

struct an_llvm_correlation {
    struct {
        AN_VECTOR(struct correlated);
    } files;
    struct {
        AN_VECTOR(struct memprof_binary *);
    } programs; /* of raw memory profiles */
};

struct an_llvm_correlation *an_llvm_correlation_new(void)
{
    return an_alloc_zero(1, sizeof(struct an_llvm_correlation));
}

void an_llvm_correlation_free(struct an_llvm_correlation *correlation)
{
    if (!correlation)
        return;
    for (size_t i = 0; i < correlation->files.count; i++)
        an_correlated_free(&correlation->files.items[i]);
    an_vector_free(&correlation->files);
    for (size_t i = 0; i < correlation->programs.count; i++)
        an_memprof_binary_free(correlation->programs.items[i]);
    an_vector_free(&correlation->programs);
    free(correlation);
}

static enum an_code add_program(struct an_llvm_correlation *correlation, const char *path,
                                struct an_error *error)
{
    struct memprof_binary *program = an_memprof_binary_open(path, error);
    if (!program)
        return an_error_in(error, path);
    struct memprof_binary **place = an_vector_push(&correlation->programs);
    if (!place) {
        an_memprof_binary_free(program);
        return an_fail_memory(error);
    }
    *place = program;
    return AN_OK;
}

static bool has_segment(const struct memprof_raw *raw, struct an_bytes id)
{
    for (size_t i = 0; i < raw->segments.count; i++) {
        struct an_bytes its = raw->segments.items[i].build_id;
        if (its.size == id.size && memcmp(its.data, id.data, id.size) == 0)
            return true;
    }
    return false;
}

struct memprof_binary *an_correlation_program(const struct an_llvm_correlation *correlation,
                                              const struct memprof_raw *raw)
{
    for (size_t i = 0; correlation && i < correlation->programs.count; i++)
        if (has_segment(raw, correlation->programs.items[i]->build_id))
            return correlation->programs.items[i];
    return NULL;
}

enum an_code an_llvm_correlation_add(struct an_llvm_correlation *correlation, const char *path,
                                     enum an_llvm_correlation_kind kind, struct an_error *error)
{
    struct correlated read;
    if (kind == AN_LLVM_MEMORY_OF)
        return add_program(correlation, path, error);
    enum an_code code = an_correlated_read(&read, path, kind, error);
    if (code != AN_OK)
        return an_error_in(error, path);
    struct correlated *place = an_vector_push(&correlation->files);
    if (!place) {
        an_correlated_free(&read);
        return an_fail_memory(error);
    }
    *place = read;
    return AN_OK;
}

uint64_t an_llvm_correlation_counters(const struct an_llvm_correlation *correlation)
{
    uint64_t sum = 0;
    for (size_t f = 0; f < correlation->files.count; f++)
        sum = an_saturating_add(sum, correlation->files.items[f].counters_size);
    return sum;
}

enum an_code an_llvm_correlation_names(const struct an_llvm_correlation *correlation,
                                       void (*each)(void *context, const char *name, size_t length),
                                       void *context, struct an_error *error)
{
    enum an_code code = AN_OK;
    for (size_t f = 0; code == AN_OK && f < correlation->files.count; f++) {
        const struct correlated *file = &correlation->files.items[f];
        struct an_symbols symbols = {0};
        code = an_symbols_read(&symbols, (struct an_bytes){file->names.data, file->names.size}, 0,
                               error);
        for (size_t i = 0; code == AN_OK && i < file->functions.count; i++) {
            const struct an_name *name =
                an_symbols_find(&symbols, file->functions.items[i].name_hash);
            if (name)
                each(context, name->text, name->length);
        }
        an_symbols_free(&symbols);
    }
    return code;
}

/* ---- which one ---- */

static bool has_id(struct an_bytes ids, const struct raw_image *image, struct an_bytes id)
{
    struct an_cursor cursor = an_cursor_at(ids, 0, image->big);
    while (an_cursor_left(&cursor)) {
        uint64_t size;
        const uint8_t *bytes =
            an_cursor_block(&cursor, an_raw_pads_binary_ids(image->version), &size);
        if (!bytes)
            return false;
        if (id.size && size == id.size && memcmp(bytes, id.data, id.size) == 0)
            return true;
    }
    return false;
}

static bool is_alike(const struct correlated *file, const struct raw_image *image)
{
    return file->big == image->big && file->wide == image->wide &&
           file->counters_size == image->counters.size;
}

/* By the build-id; where one of the two has none, by the size of the counters, if only one file has that. */
static enum an_code choose(const struct an_llvm_correlation *correlation,
                           const struct raw_image *image, const struct correlated **chosen,
                           struct an_error *error)
{
    struct an_bytes ids = {image->binary_ids.data, (size_t)image->binary_ids.size};
    size_t alike = 0;
    *chosen = NULL;
    for (size_t i = 0; i < correlation->files.count; i++) {
        const struct correlated *file = &correlation->files.items[i];
        if (ids.size && file->build_id.size) {
            if (!has_id(ids, image, file->build_id))
                continue;
            if (!is_alike(file, image))
                return an_fail_at(error, AN_MISMATCH, image->at,
                                  "raw profile of %llu bytes of counters, but %s, which has its "
                                  "build-id, has %llu",
                                  (unsigned long long)image->counters.size, file->path,
                                  (unsigned long long)file->counters_size);
            *chosen = file;
            return AN_OK;
        }
        if (is_alike(file, image)) {
            *chosen = file;
            alike++;
        }
    }
    if (alike == 1)
        return AN_OK;
    an_fail_at(error, AN_MISMATCH, image->at,
               alike
                   ? "raw profile without function data, and %zu of the files given may complete it"
                   : "raw profile without function data, which no file given completes",
               alike);
    return an_error_hint(error, alike ? "link the programs with --build-id"
                                      : "name the very binary that ran, or its debug information");
}

/* ---- completing ---- */

static void put(struct an_buffer *buffer, uint64_t value, size_t size, bool big)
{
    uint8_t *to = an_buffer_extend(buffer, size);
    for (size_t i = 0; to && i < size; i++) {
        size_t place = big ? size - 1 - i : i;
        to[i] = place < sizeof value ? (uint8_t)(value >> 8 * place) : 0;
    }
}

static void put_pair(struct an_buffer *buffer, const uint8_t *from, const uint8_t *to)
{
    an_buffer_put(buffer, from, (size_t)(to - from));
}

static void put_record(struct an_buffer *buffer, const struct raw_image *image,
                       const struct correlated_function *function, uint64_t index)
{
    const struct raw_fields *f = &image->fields;
    size_t start = buffer->size;
    uint64_t pointer = function->counters_at;
    if (image->version >= 8) /* is the distance from the record itself */
        pointer -= index * f->size;
    put(buffer, function->name_hash, 8, image->big);
    put(buffer, function->hash, 8, image->big);
    put(buffer, pointer, f->pointer, image->big);
    put(buffer, 0, start + f->counter_number - buffer->size, image->big);
    put(buffer, function->counters, 4, image->big);
    put(buffer, 0, start + f->size - buffer->size, image->big);
}

static void put_image(struct an_buffer *buffer, const struct raw_image *image,
                      const struct correlated *file)
{
    const uint8_t *counters = image->data.data; /* what is in front of them, and they */
    size_t header = buffer->size;
    put_pair(buffer, image->header.data, counters);
    if (!buffer->failed)
        an_raw_patch_header(buffer->data + header, image, file->functions.count, file->names.size);
    for (size_t i = 0; i < file->functions.count; i++)
        put_record(buffer, image, &file->functions.items[i], i);
    put_pair(buffer, counters, image->names.data);
    an_buffer_put(buffer, file->names.data, file->names.size);
    put(buffer, 0, -file->names.size & 7, false);
    put_pair(buffer, image->names.data, image->file.data + image->values_at);
}

enum an_code an_llvm_correlate(const struct an_llvm_correlation *correlation, struct an_bytes file,
                               struct an_buffer *complete, bool *is_needed, struct an_error *error)
{
    *is_needed = false;
    uint64_t at = 0;
    bool more = true;
    while (more) {
        struct raw_image image;
        enum an_code code = an_raw_open_bare(&image, file, at, error);
        const struct correlated *found = NULL;
        if (code == AN_OK && an_raw_lacks_data(&image)) {
            *is_needed = true;
            if (image.data_number) /* of other modules, whose counters would be taken for these */
                return an_fail_at(error, AN_UNSUPPORTED, at,
                                  "raw profile with the data of only some of its modules");
            code = choose(correlation, &image, &found, error);
        }
        if (code == AN_OK && found) {
            put_image(complete, &image, found);
            image.end = image.values_at;
        } else if (code == AN_OK) {
            uint64_t ignored = 0;
            code = an_raw_check(&image, &ignored, error);
            if (code == AN_OK)
                an_buffer_put(complete, image.header.data, (size_t)(image.end - image.at));
        }
        if (code == AN_OK)
            code = an_raw_next(&image, &at, &more, error);
        if (code == AN_OK && complete->failed)
            code = an_fail_memory(error);
        if (code != AN_OK)
            return code;
    }
    return AN_OK;
}
