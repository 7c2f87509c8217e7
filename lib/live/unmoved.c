/* Functions that stay where they are; see unmoved.h. */
#include "live/unmoved.h"

#include <stdlib.h>
#include <string.h>

#include "live/weights.h"

struct profile {
    struct an_names names;
    struct an_weights weights;
};

static bool add(struct an_unmoved *unmoved, const struct profile *profile, const char *name,
                bool is_refused)
{
    double share = an_weights_share(&profile->weights, &profile->names, name, strlen(name));
    if (share == 0 && !is_refused)
        return true;
    struct an_live_unmoved *function = an_vector_push(unmoved);
    if (function)
        *function = (struct an_live_unmoved){name, is_refused, share};
    return function != NULL;
}

static int by_share(const void *one, const void *other)
{
    const struct an_live_unmoved *a = one, *b = other;
    return a->share != b->share ? (a->share < b->share ? 1 : -1) : strcmp(a->name, b->name);
}

static bool add_all(struct an_unmoved *unmoved, const struct profile *profile,
                    const char *const *left_out, size_t left_out_count)
{
    const char *name = (const char *)unmoved->names.data;
    bool done = !unmoved->names.failed;
    for (size_t at = 0; done && at < unmoved->names.size; at += strlen(name + at) + 1)
        done = add(unmoved, profile, name + at, true);
    for (size_t i = 0; done && i < left_out_count; i++)
        done = add(unmoved, profile, left_out[i], false);
    if (unmoved->count)
        qsort(unmoved->items, unmoved->count, sizeof *unmoved->items, by_share);
    return done;
}

enum an_code an_unmoved_find(struct an_unmoved *unmoved, const char *path,
                             const char *const *left_out, size_t left_out_count,
                             struct an_error *error)
{
    struct profile profile = {.weights = {.total = 0}};
    unmoved->count = 0;
    if (unmoved->names.size == 0 && left_out_count == 0)
        return AN_OK;
    enum an_code code = an_weights_read(path, &profile.names, &profile.weights, error);
    if (code == AN_OK && !add_all(unmoved, &profile, left_out, left_out_count))
        code = an_fail_memory(error);
    an_names_free(&profile.names);
    an_weights_free(&profile.weights);
    return code;
}

void an_unmoved_free(struct an_unmoved *unmoved)
{
    an_vector_free(unmoved);
    an_buffer_free(&unmoved->names);
}
