/*
 * How alike two profiles are, function by function: whether a process still does what its layout was
 * made for.
 *
 *     overlap = sum over functions of the smaller one of its two shares
 *
 * Shares of functions, not of branches: a sample of some thousand branches tells these well, and a
 * layout for the right functions is most of what there is to be won.
 */
#include <anneal/fdata.h>
#include <anneal/live.h>

#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "base/vector.h"

enum { NO_SYMBOL = 0 }; /* a location's kind */

struct shares {
    struct an_names names;
    struct {
        AN_VECTOR(double);
    } counts[2]; /* by the number of the name */
    double totals[2];
};

static bool count(struct shares *shares, unsigned which, const char *name, size_t length,
                  uint64_t number)
{
    bool is_new;
    size_t index = an_names_insert(&shares->names, name, length, &is_new);
    if (index == AN_NO_NAME)
        return false;
    while (shares->counts[which].count <= index) {
        double *added = an_vector_push(&shares->counts[which]);
        if (!added)
            return false;
        *added = 0;
    }
    shares->counts[which].items[index] += (double)number;
    shares->totals[which] += (double)number;
    return true;
}

static enum an_code read_profile(struct shares *shares, unsigned which, const struct an_file *file,
                                 const char *path, struct an_error *error)
{
    struct an_fdata_reader *reader;
    struct an_fdata_record record;
    enum an_code code = an_fdata_reader_open(&reader, file->bytes.data, file->bytes.size, error);
    if (code != AN_OK)
        return an_error_in(error, path);
    while (code == AN_OK && an_fdata_reader_next(reader, &record))
        if (record.from.kind != NO_SYMBOL &&
            !count(shares, which, record.from.name, record.from.name_length, record.count))
            code = an_fail_memory(error);
    an_fdata_reader_close(reader);
    return code;
}

static double overlap_of(const struct shares *shares)
{
    double overlap = 0;
    for (size_t i = 0; i < shares->counts[0].count && i < shares->counts[1].count; i++) {
        double one = shares->counts[0].items[i] / shares->totals[0];
        double other = shares->counts[1].items[i] / shares->totals[1];
        overlap += one < other ? one : other;
    }
    return overlap;
}

enum an_code an_live_overlap(const char *one, const char *other, double *overlap,
                             struct an_error *error)
{
    struct shares shares = {0};
    const char *paths[] = {one, other};
    struct an_file files[2] = {{.capacity = 0}, {.capacity = 0}};
    enum an_code code = AN_OK;
    for (unsigned i = 0; code == AN_OK && i < 2; i++) {
        code = an_file_load(&files[i], paths[i], error);
        if (code == AN_OK)
            code = read_profile(&shares, i, &files[i], paths[i], error);
    }
    *overlap = shares.totals[0] > 0 && shares.totals[1] > 0 ? overlap_of(&shares) : 0;
    an_names_free(&shares.names);
    for (unsigned i = 0; i < 2; i++) {
        an_vector_free(&shares.counts[i]);
        an_file_close(&files[i]);
    }
    return code;
}
