/* Adding up the counts of two runs; see gcda.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gcc/gcda.h"
#include "gcc/top.h"

/* ---- whether both are of the same object ---- */

static enum an_code differ(struct an_error *error, size_t number,
                           const struct an_gcda_function *function, const char *what)
{
    an_fail(error, AN_MISMATCH, "function %zu (ident %" PRIu32 ") has %s", number, function->ident,
            what);
    return an_error_hint(error, "they are not of the same build of that source file");
}

static enum an_code differ_in_sum(struct an_error *error, const char *which, size_t number,
                                  const struct an_gcda_function *one,
                                  const struct an_gcda_function *other)
{
    bool lines = one->line_sum != other->line_sum;
    an_fail(error, AN_MISMATCH,
            "coverage mismatch: the %s of function %zu (ident %" PRIu32 ") is %#010" PRIx32
            ", and %#010" PRIx32 " in those before",
            which, number, one->ident, lines ? other->line_sum : other->flow_sum,
            lines ? one->line_sum : one->flow_sum);
    return an_error_hint(error, "the source was changed between the builds; merge profiles of one");
}

static bool are_alike(const struct an_gcda *one, const struct an_gcda_counters *a,
                      const struct an_gcda *other, const struct an_gcda_counters *b)
{
    if (a->kind != b->kind)
        return false;
    if (an_gcc_kind_of(a->kind)->rule != AN_GCC_TOP)
        return a->count == b->count;
    return an_top_places(one->values.items + a->first, a->count) ==
           an_top_places(other->values.items + b->first, b->count);
}

static enum an_code check_function(const struct an_gcda *one, const struct an_gcda *other,
                                   size_t number, struct an_error *error)
{
    const struct an_gcda_function *a = &one->functions.items[number];
    const struct an_gcda_function *b = &other->functions.items[number];
    if (!a->is_present || !b->is_present)
        return AN_OK;
    if (a->ident != b->ident)
        return differ(error, number, a, "another number in the later file");
    if (a->line_sum != b->line_sum)
        return differ_in_sum(error, "checksum of the lines", number, a, b);
    if (a->flow_sum != b->flow_sum)
        return differ_in_sum(error, "checksum of the control flow", number, a, b);
    if (a->kinds != b->kinds)
        return differ(error, number, a, "other kinds of counters in the later file");
    for (unsigned i = 0; i < a->kinds; i++)
        if (!are_alike(one, &one->counters.items[a->first + i], other,
                       &other->counters.items[b->first + i]))
            return differ(error, number, a, "other counters in the later file");
    return AN_OK;
}

enum an_code an_gcda_same_object(const struct an_gcda *one, const struct an_gcda *other,
                                 struct an_error *error)
{
    if (one->version.word != other->version.word || one->big != other->big)
        return an_fail(error, AN_MISMATCH, "GCC %u.%u wrote it, and GCC %u.%u those before",
                       other->version.major, other->version.minor, one->version.major,
                       one->version.minor);
    if (one->functions.count != other->functions.count)
        return an_fail(error, AN_MISMATCH, "it has %zu functions, and those before %zu",
                       other->functions.count, one->functions.count);
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < one->functions.count; i++)
        code = check_function(one, other, i, error);
    if (code != AN_OK)
        return code;
    if (one->stamp == other->stamp && one->checksum == other->checksum)
        return AN_OK;
    an_fail(error, AN_MISMATCH, "its stamp is %#010" PRIx32 ", that of those before %#010" PRIx32,
            other->stamp, one->stamp);
    return an_error_hint(error, "the source file was compiled anew in between; merge what ran with "
                                "one build");
}

/* ---- adding ---- */

static void add_values(uint64_t *to, const uint64_t *from, size_t count, enum an_gcc_rule rule)
{
    for (size_t i = 0; rule == AN_GCC_ADD && i < count; i++)
        to[i] += from[i];
    for (size_t i = 0; rule == AN_GCC_OR && i < count; i++)
        to[i] |= from[i];
    for (size_t i = 0; rule == AN_GCC_FIRST && i < count; i++)
        if (from[i] && (!to[i] || (int64_t)from[i] < (int64_t)to[i]))
            to[i] = from[i];
}

/* The counters become those of another file. */
static bool take(struct an_gcda *into, struct an_gcda_counters *counters, const uint64_t *values,
                 size_t count)
{
    if (count > counters->capacity) {
        size_t first = into->values.count;
        if (!an_gcda_extend(into, count))
            return false;
        counters->first = first;
        counters->capacity = count;
    }
    if (count)
        memcpy(into->values.items + counters->first, values, 8 * count);
    counters->count = count;
    counters->are_zero = false;
    return true;
}

static bool merge_lists(struct an_gcda *into, struct an_gcda_counters *counters,
                        const uint64_t *later, size_t count, enum an_gcda_order order)
{
    const uint64_t *own = into->values.items + counters->first;
    size_t places = an_top_places(later, count);
    uint64_t *merged = an_alloc(counters->count + count + 1, sizeof *merged);
    if (!merged)
        return false;
    size_t size = order == AN_GCDA_LATER_FIRST ? an_top_merge(later, own, places, merged)
                                               : an_top_merge(own, later, places, merged);
    bool done = take(into, counters, merged, size);
    free(merged);
    return done;
}

static bool merge_counters(struct an_gcda *into, struct an_gcda_counters *counters,
                           const struct an_gcda *later, const struct an_gcda_counters *from,
                           enum an_gcda_order order)
{
    enum an_gcc_rule rule = an_gcc_kind_of(from->kind)->rule;
    const uint64_t *values = later->values.items + from->first;
    if (from->are_zero)
        return true;
    if (counters->are_zero)
        return take(into, counters, values, from->count);
    if (rule == AN_GCC_TOP)
        return merge_lists(into, counters, values, from->count, order);
    add_values(into->values.items + counters->first, values, from->count, rule);
    return true;
}

/* A function that only the later run had. */
static bool adopt(struct an_gcda *into, struct an_gcda_function *function,
                  const struct an_gcda *later, const struct an_gcda_function *from)
{
    *function = *from;
    function->first = into->counters.count;
    for (unsigned i = 0; i < from->kinds; i++) {
        const struct an_gcda_counters *model = &later->counters.items[from->first + i];
        struct an_gcda_counters *counters = an_vector_push(&into->counters);
        if (!counters)
            return false;
        *counters =
            (struct an_gcda_counters){.kind = model->kind, .are_zero = true, .count = model->count};
        if (!model->are_zero &&
            !take(into, counters, later->values.items + model->first, model->count))
            return false;
    }
    return true;
}

static bool merge_function(struct an_gcda *into, struct an_gcda_function *function,
                           const struct an_gcda *later, const struct an_gcda_function *from,
                           enum an_gcda_order order)
{
    if (!from->is_present)
        return true;
    if (!function->is_present)
        return adopt(into, function, later, from);
    for (unsigned i = 0; i < from->kinds; i++)
        if (!merge_counters(into, &into->counters.items[function->first + i], later,
                            &later->counters.items[from->first + i], order))
            return false;
    return true;
}

enum an_code an_gcda_merge(struct an_gcda *into, const struct an_gcda *later,
                           enum an_gcda_order order, struct an_error *error)
{
    enum an_code code = an_gcda_same_object(into, later, error);
    if (code != AN_OK)
        return code;
    for (size_t i = 0; i < into->functions.count; i++)
        if (!merge_function(into, &into->functions.items[i], later, &later->functions.items[i],
                            order))
            return an_fail_memory(error);
    into->runs += later->runs;
    into->sum_max += later->sum_max;
    return AN_OK;
}
