/* How much of profiles each function has; see weights.h. */
#include "live/weights.h"

#include <anneal/fdata.h>

enum { NO_SYMBOL = 0 }; /* a location's kind */

static bool count(struct an_weights *weights, struct an_names *names,
                  const struct an_fdata_record *record)
{
    bool is_new;
    size_t index = an_names_insert(names, record->from.name, record->from.name_length, &is_new);
    if (index == AN_NO_NAME)
        return false;
    while (weights->count <= index) {
        double *added = an_vector_push(weights);
        if (!added)
            return false;
        *added = 0;
    }
    weights->items[index] += (double)record->count;
    weights->total += (double)record->count;
    return true;
}

static enum an_code count_all(const char *path, struct an_names *names, struct an_weights *weights,
                              struct an_error *error)
{
    struct an_fdata_reader *reader;
    struct an_fdata_record record;
    enum an_code code =
        an_fdata_reader_open(&reader, weights->file.bytes.data, weights->file.bytes.size, error);
    if (code != AN_OK)
        return an_error_in(error, path);
    while (code == AN_OK && an_fdata_reader_next(reader, &record))
        if (record.from.kind != NO_SYMBOL && !count(weights, names, &record))
            code = an_fail_memory(error);
    an_fdata_reader_close(reader);
    return code;
}

enum an_code an_weights_read(const char *path, struct an_names *names, struct an_weights *weights,
                             struct an_error *error)
{
    enum an_code code = an_file_load(&weights->file, path, error);
    if (code == AN_OK)
        code = count_all(path, names, weights, error);
    return code;
}

void an_weights_free(struct an_weights *weights)
{
    an_vector_free(weights);
    an_file_close(&weights->file);
}

double an_weights_share(const struct an_weights *weights, const struct an_names *names,
                        const char *name, size_t length)
{
    size_t index = an_names_find(names, name, length);
    return index != AN_NO_NAME && index < weights->count && weights->total > 0
               ? weights->items[index] / weights->total
               : 0;
}
