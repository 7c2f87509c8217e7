/*
 * gcda files of one release of GCC as those of another; see anneal/gcc.h.
 *
 *     counters of 12        of 10                    conditions of 14      of 12
 *     topn (lists)    ─►    topn (four values)       conditions      ─►    none: left out, and told
 *
 * A release takes files of its own version only, down to the minor one, although layouts change but every
 * few years.
 */
#include <anneal/gcc.h>

#include <string.h>

#include "base/options.h"
#include "gcc/gcda.h"

enum { OLDEST_MAJOR = 4, OLDEST_MINOR = 7, NEWEST_MAJOR = 16, FOUR = 4, FOUR_SIZE = 9 };

/* No object file has that many; and as bytes, more could not be told (format.h). */
enum { MOST_ZEROS = 1 << 22 };

struct conversion {
    struct an_gcda *gcda;
    struct an_gcc_version to;
    struct an_gcc_converted *converted;
    struct {
        AN_VECTOR(struct an_gcda_counters);
    } counters;
    size_t zeros; /* that the file only claims */
    struct an_error *error;
};

/* ---- what is possible ---- */

static enum an_code refuse(const struct conversion *conversion, const char *why)
{
    return an_fail(conversion->error, AN_UNSUPPORTED, "cannot convert to GCC %u.%u: %s",
                   conversion->to.major, conversion->to.minor, why);
}

static enum an_code check_summaries(const struct conversion *conversion)
{
    const struct an_gcda *gcda = conversion->gcda;
    const struct an_gcc_version *from = &gcda->header.version, *to = &conversion->to;
    const unsigned first_unlike_clang = 12;
    if (gcda->is_clang && to->major >= first_unlike_clang)
        return refuse(conversion, "clang wrote it, in a layout no later than GCC 11's");
    if (gcda->is_clang)
        return AN_OK;
    if (to->has_programs && gcda->has_summary)
        return refuse(conversion, "that GCC requires program summaries, which this file lacks");
    if (to->has_programs && to->has_histogram != from->has_histogram && gcda->programs.count)
        return refuse(conversion, "only one of them has histograms in its summaries");
    return AN_OK;
}

/* Of programs' summaries, what is left in later releases. */
static void merge_programs(struct an_gcda *gcda)
{
    uint64_t runs = 0, sum_max = 0;
    for (size_t i = 0; i < gcda->programs.count; i++) {
        runs += gcda->programs.items[i].runs;
        if (__builtin_add_overflow(sum_max, gcda->programs.items[i].sum_max, &sum_max))
            sum_max = UINT64_MAX;
    }
    gcda->has_summary = true;
    gcda->runs = runs < UINT32_MAX ? (uint32_t)runs : UINT32_MAX;
    gcda->sum_max = sum_max < UINT32_MAX ? (uint32_t)sum_max : UINT32_MAX;
    gcda->programs.count = 0;
}

/* ---- counters ---- */

static bool find_kind(const struct an_gcc_version *version, const char *name, unsigned *kind)
{
    for (*kind = 0; *kind < version->kind_count; ++*kind)
        if (strcmp(version->kinds[*kind].name, name) == 0)
            return true;
    return false;
}

static void leave_out(struct an_gcc_converted *converted, const char *kind)
{
    struct an_gcc_left_out *left_out = converted->left_out;
    size_t i = 0;
    while (i < converted->left_out_count && strcmp(left_out[i].kind, kind) != 0)
        i++;
    if (i == converted->left_out_count)
        left_out[converted->left_out_count++] = (struct an_gcc_left_out){kind, 0};
    left_out[i].functions++;
}

/* Older releases have all zeros in their files. */
static enum an_code write_zeros(struct conversion *conversion, struct an_gcda_counters *counters)
{
    size_t first = conversion->gcda->values.count;
    uint64_t *values = an_gcda_extend(conversion->gcda, counters->count);
    if (!values)
        return an_fail_memory(conversion->error);
    memset(values, 0, counters->count * sizeof *values);
    counters->first = first;
    counters->are_zero = false;
    return AN_OK;
}

/* Four values with counts, of which those of a count of 0 are none, as a list. */
static size_t list_of_four(const uint64_t *place, uint64_t *list)
{
    uint64_t *to = list + 2;
    for (size_t i = 1; i < FOUR_SIZE; i += 2)
        if (place[i + 1]) {
            *to++ = place[i];
            *to++ = place[i + 1];
        }
    list[0] = place[0];
    list[1] = (uint64_t)(to - list - 2) / 2;
    return (size_t)(to - list);
}

/* The four most frequent ones of a list. A negative total says that there were others. */
static size_t four_of_list(const uint64_t *list, uint64_t *place)
{
    size_t count = 0;
    memset(place, 0, FOUR_SIZE * sizeof *place);
    for (size_t i = 0; i < list[1]; i++) {
        const uint64_t *pair = list + 2 + 2 * i;
        size_t at = count < FOUR ? count++ : FOUR;
        while (at > 0 && (int64_t)place[2 * at] < (int64_t)pair[1]) {
            if (at < FOUR)
                memcpy(place + 1 + 2 * at, place + 1 + 2 * (at - 1), 2 * sizeof *place);
            at--;
        }
        if (at < FOUR)
            memcpy(place + 1 + 2 * at, pair, 2 * sizeof *place);
    }
    bool has_others = (int64_t)list[0] < 0 || list[1] > FOUR;
    place[0] = has_others && (int64_t)list[0] > 0 ? -list[0] : list[0];
    return FOUR_SIZE;
}

/* How many values there are when each place has become as large as it may. */
static size_t room_for(const struct an_gcda_counters *counters, enum an_gcc_rule to)
{
    const size_t list = 2 + 2 * FOUR;
    return to == AN_GCC_TOP ? counters->count / FOUR_SIZE * list
                            : (size_t)counters->places * FOUR_SIZE;
}

static enum an_code change_places(struct conversion *conversion, struct an_gcda_counters *counters,
                                  enum an_gcc_rule to)
{
    struct an_gcda *gcda = conversion->gcda;
    size_t first = gcda->values.count, room = room_for(counters, to);
    uint64_t *out = an_gcda_extend(gcda, room);
    if (!out)
        return an_fail_memory(conversion->error);
    const uint64_t *in = gcda->values.items + counters->first, *end = in + counters->count;
    size_t size = 0, places = 0;
    for (; in < end; places++) {
        size += to == AN_GCC_TOP ? list_of_four(in, out + size) : four_of_list(in, out + size);
        in += to == AN_GCC_TOP ? FOUR_SIZE : 2 + 2 * (size_t)in[1];
    }
    gcda->values.count = first + size;
    counters->first = first;
    counters->count = (uint32_t)size;
    counters->places = (uint32_t)places;
    return AN_OK;
}

static bool is_convertible(enum an_gcc_rule from, enum an_gcc_rule to)
{
    return from == to || (from == AN_GCC_TOP && to == AN_GCC_FOUR) ||
           (from == AN_GCC_FOUR && to == AN_GCC_TOP);
}

static enum an_code convert_counters(struct conversion *conversion,
                                     const struct an_gcda_counters *from, unsigned *kept)
{
    const char *name = conversion->gcda->header.version.kinds[from->kind].name;
    enum an_gcc_rule rule = an_gcda_rule(conversion->gcda, from);
    struct an_gcda_counters to = *from;
    unsigned kind;
    bool is_there = find_kind(&conversion->to, name, &kind) &&
                    is_convertible(rule, conversion->to.kinds[kind].rule);
    if (!is_there && from->count)
        leave_out(conversion->converted, name);
    if (!is_there)
        return AN_OK;
    enum an_code code = AN_OK;
    conversion->zeros += to.are_zero ? to.count : 0;
    if (conversion->zeros > MOST_ZEROS)
        code = refuse(conversion, "it claims more counters of 0 than an object file can have");
    else if (to.are_zero && !conversion->to.has_zeros)
        code = write_zeros(conversion, &to);
    else if (conversion->to.kinds[kind].rule != rule)
        code = change_places(conversion, &to, conversion->to.kinds[kind].rule);
    to.kind = (uint8_t)kind;
    struct an_gcda_counters *place = an_vector_push(&conversion->counters);
    if (!place)
        return an_fail_memory(conversion->error);
    *place = to;
    ++*kept;
    return code;
}

static enum an_code convert_functions(struct conversion *conversion)
{
    struct an_gcda *gcda = conversion->gcda;
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < gcda->functions.count; i++) {
        struct an_gcda_function *function = &gcda->functions.items[i];
        size_t first = conversion->counters.count;
        unsigned kept = 0;
        for (unsigned k = 0; code == AN_OK && k < function->kinds; k++)
            code = convert_counters(conversion, &gcda->counters.items[function->first + k], &kept);
        function->first = first;
        function->kinds = kept;
    }
    return code;
}

/* ---- all together ---- */

static enum an_code change_version(struct conversion *conversion)
{
    struct an_gcda *gcda = conversion->gcda;
    enum an_code code = check_summaries(conversion);
    if (code == AN_OK)
        code = convert_functions(conversion);
    if (code != AN_OK)
        return code;
    free(gcda->counters.items);
    gcda->counters.items = conversion->counters.items;
    gcda->counters.count = conversion->counters.count;
    gcda->counters.capacity = conversion->counters.capacity;
    conversion->counters.items = NULL;
    if (gcda->header.version.has_programs && !conversion->to.has_programs && gcda->programs.count)
        merge_programs(gcda);
    gcda->header.version = conversion->to;
    return AN_OK;
}

static enum an_code find_version(struct conversion *conversion, unsigned major, unsigned minor)
{
    bool is_old = major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR);
    if (is_old || major > NEWEST_MAJOR || minor > 9)
        return an_fail(conversion->error, AN_UNSUPPORTED,
                       "GCC %u.%u is not a version from 4.7 to %d", major, minor, NEWEST_MAJOR);
    return an_gcc_version_of(an_gcc_version_word(major, minor), &conversion->to, conversion->error);
}

static enum an_code convert(struct an_gcda *gcda, const struct an_gcc_convert_options *options,
                            struct an_gcc_converted *converted, struct an_error *error)
{
    struct conversion conversion = {.gcda = gcda, .converted = converted, .error = error};
    enum an_code code = AN_OK;
    if (options->major) {
        code = find_version(&conversion, options->major, options->minor);
        if (code == AN_OK && conversion.to.word != gcda->header.version.word)
            code = change_version(&conversion);
        an_vector_free(&conversion.counters);
    }
    if (options->order != AN_GCC_ORDER_KEPT)
        gcda->header.big = options->order == AN_GCC_BIG_ENDIAN;
    converted->major = gcda->header.version.major;
    converted->minor = gcda->header.version.minor;
    return code;
}

enum an_code an_gcc_convert(const struct an_gcc_convert_options *options, const void *bytes,
                            size_t size, struct an_gcc_converted *converted, struct an_error *error)
{
    struct an_gcda gcda;
    struct an_buffer buffer = {0};
    struct an_gcc_convert_options full;
    *converted = (struct an_gcc_converted){.size = 0};
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code == AN_OK)
        code = an_gcda_read(&gcda, (struct an_bytes){bytes, size}, error);
    if (code != AN_OK)
        return code;
    code = convert(&gcda, &full, converted, error);
    if (code == AN_OK)
        an_gcda_write(&gcda, &buffer);
    an_gcda_free(&gcda);
    if (buffer.failed) {
        an_buffer_free(&buffer);
        return an_fail_memory(error);
    }
    converted->bytes = buffer.data;
    converted->size = buffer.size;
    return code;
}
