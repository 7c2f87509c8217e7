/* Versions and kinds of counters; see format.h. */
#include "gcc/format.h"

#include <anneal/gcc.h>
#include <ctype.h>

/* Kinds are numbered by their places here, and by the tags in files; four generations. */
static const struct an_gcc_kind with_lists[] = {
    {"arcs", AN_GCC_ADD}, {"interval", AN_GCC_ADD},           {"pow2", AN_GCC_ADD},
    {"topn", AN_GCC_TOP}, {"indirect_call", AN_GCC_TOP},      {"average", AN_GCC_ADD},
    {"ior", AN_GCC_OR},   {"time_profiler", AN_GCC_EARLIEST}, {"conditions", AN_GCC_OR},
    {"paths", AN_GCC_OR},
};
static const struct an_gcc_kind with_four[] = {
    {"arcs", AN_GCC_ADD},  {"interval", AN_GCC_ADD},           {"pow2", AN_GCC_ADD},
    {"topn", AN_GCC_FOUR}, {"indirect_call", AN_GCC_FOUR},     {"average", AN_GCC_ADD},
    {"ior", AN_GCC_OR},    {"time_profiler", AN_GCC_EARLIEST},
};
static const struct an_gcc_kind with_single[] = {
    {"arcs", AN_GCC_ADD},
    {"interval", AN_GCC_ADD},
    {"pow2", AN_GCC_ADD},
    {"single", AN_GCC_SINGLE},
    {"indirect_call", AN_GCC_SINGLE},
    {"average", AN_GCC_ADD},
    {"ior", AN_GCC_OR},
    {"time_profiler", AN_GCC_EARLIEST},
    {"indirect_call_topn", AN_GCC_CALLS},
};
static const struct an_gcc_kind with_delta[] = {
    {"arcs", AN_GCC_ADD},
    {"interval", AN_GCC_ADD},
    {"pow2", AN_GCC_ADD},
    {"single", AN_GCC_SINGLE},
    {"delta", AN_GCC_DELTA},
    {"indirect_call", AN_GCC_SINGLE},
    {"average", AN_GCC_ADD},
    {"ior", AN_GCC_OR},
    {"time_profiler", AN_GCC_EARLIEST},
    {"indirect_call_topn", AN_GCC_CALLS},
};

/* From which release on there are which kinds; the last one that is not newer than a file counts. */
static const struct {
    unsigned major, minor;
    const struct an_gcc_kind *kinds;
    unsigned count;
} generations[] = {
    {4, 7, with_delta, 8}, {4, 9, with_delta, 9},  {5, 0, with_delta, 10}, {7, 0, with_single, 9},
    {10, 0, with_four, 8}, {11, 0, with_lists, 8}, {14, 0, with_lists, 9}, {15, 0, with_lists, 10},
};

static bool is_older(const struct an_gcc_version *version, unsigned major, unsigned minor)
{
    return version->major < major || (version->major == major && version->minor < minor);
}

/* Releases before 5 are called by two digits for the minor one. */
static bool parse(uint32_t word, struct an_gcc_version *version)
{
    const uint8_t text[] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16), (uint8_t)(word >> 8)};
    if (!isdigit(text[1]) || !isdigit(text[2]))
        return false;
    if (isdigit(text[0])) {
        version->major = text[0] - '0';
        version->minor = 10u * (text[1] - '0') + (text[2] - '0');
    } else if (isupper(text[0])) {
        version->major = 10u * (text[0] - 'A') + (text[1] - '0');
        version->minor = text[2] - '0';
    }
    return isalnum(text[0]) != 0;
}

enum an_code an_gcc_version_of(uint32_t word, struct an_gcc_version *version,
                               struct an_error *error)
{
    *version = (struct an_gcc_version){.word = word};
    if (!parse(word, version))
        return an_fail(error, AN_UNSUPPORTED, "0x%08x is not a version of GCC", word);
    if (is_older(version, 4, 7)) {
        an_fail(error, AN_UNSUPPORTED, "written by GCC %u.%u", version->major, version->minor);
        return an_error_hint(error, "anneal reads files of GCC 4.7 and later");
    }
    version->unit = is_older(version, 12, 0) ? 4 : 1;
    version->has_checksum = !is_older(version, 12, 0);
    version->has_zeros = !is_older(version, 11, 0);
    version->has_programs = is_older(version, 9, 0);
    version->has_histogram = version->has_programs && !is_older(version, 4, 8);
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++)
        if (!is_older(version, generations[i].major, generations[i].minor)) {
            version->kinds = generations[i].kinds;
            version->kind_count = generations[i].count;
        }
    return AN_OK;
}

uint32_t an_gcc_version_word(unsigned major, unsigned minor)
{
    enum { OLDEST_BY_LETTER = 5 };
    bool is_old = major < OLDEST_BY_LETTER;
    uint32_t first = is_old ? '0' + major : 'A' + major / 10;
    uint32_t second = '0' + (is_old ? minor / 10 : major % 10), third = '0' + minor % 10;
    return first << 24 | second << 16 | third << 8 | '*';
}

size_t an_gcc_place_size(enum an_gcc_rule rule)
{
    switch (rule) {
    case AN_GCC_SINGLE:
        return 3;
    case AN_GCC_DELTA:
        return 4;
    case AN_GCC_CALLS:
    case AN_GCC_FOUR:
        return 9;
    default:
        return 0;
    }
}

bool an_gcc_recognise(struct an_bytes file, uint32_t magic, bool *big)
{
    if (file.size < 4)
        return false;
    *big = an_get32(file.data, true) == magic;
    return *big || an_get32(file.data, false) == magic;
}

bool an_gcc_is_gcda(const void *bytes, size_t size)
{
    bool big;
    return an_gcc_recognise((struct an_bytes){bytes, size}, AN_GCDA_MAGIC, &big);
}

enum an_gcc_kind_of_file an_gcc_identify(const void *bytes, size_t size, uint32_t *stamp)
{
    enum { STAMP = 8, START = 12 };
    const struct an_bytes file = {bytes, size};
    bool big, is_counts = an_gcc_recognise(file, AN_GCDA_MAGIC, &big);
    *stamp = 0;
    if (size < START || (!is_counts && !an_gcc_recognise(file, AN_GCNO_MAGIC, &big)))
        return AN_GCC_NO_FILE;
    *stamp = an_get32(file.data + STAMP, big);
    return is_counts ? AN_GCC_COUNTS : AN_GCC_NOTES;
}
