/* Versions and kinds of counters; see format.h. */
#include "gcc/format.h"

#include <ctype.h>

static const struct an_gcc_kind kinds[AN_GCC_MOST_KINDS] = {
    {"arcs", AN_GCC_ADD}, {"interval", AN_GCC_ADD},        {"pow2", AN_GCC_ADD},
    {"topn", AN_GCC_TOP}, {"indirect_call", AN_GCC_TOP},   {"average", AN_GCC_ADD},
    {"ior", AN_GCC_OR},   {"time_profiler", AN_GCC_FIRST}, {"conditions", AN_GCC_OR},
};

const struct an_gcc_kind *an_gcc_kind_of(unsigned kind)
{
    an_assert(kind < AN_GCC_MOST_KINDS);
    return &kinds[kind];
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
    enum { IN_BYTES = 12, WITH_CONDITIONS = 14 };
    *version = (struct an_gcc_version){.word = word};
    if (!parse(word, version))
        return an_fail(error, AN_UNSUPPORTED, "0x%08x is no version of GCC", word);
    if (version->major < AN_GCC_OLDEST) {
        an_fail(error, AN_UNSUPPORTED, "written by GCC %u.%u", version->major, version->minor);
        return an_error_hint(error, "anneal reads what GCC %d and newer write", AN_GCC_OLDEST);
    }
    version->unit = version->major >= IN_BYTES ? 1 : 4;
    version->has_checksum = version->major >= IN_BYTES;
    version->kinds = AN_GCC_MOST_KINDS - (version->major < WITH_CONDITIONS);
    return AN_OK;
}

bool an_gcc_recognise(struct an_bytes file, uint32_t magic, bool *big)
{
    if (file.size < 4)
        return false;
    *big = an_get32(file.data, true) == magic;
    return *big || an_get32(file.data, false) == magic;
}
