/*
 * Recognising the files that lie about in build trees. The readers decide what they can read; this
 * table only names what they cannot.
 */
#include "base/kind.h"

#include <ctype.h>

#define RECORDING "anneal aggregate makes a profile of a recording and its binary"
#define NOTES "the counts are in gcda files; anneal cov reads both"
#define MEMORY "anneal merge and anneal show --memory read it by --profiled-binary=PROGRAM"
#define PROGRAM "name the profiles that the program left when it ran"

static const struct kind {
    const char *magic;
    size_t length;
    const char *what;
    const char *hint; /* for those who expected a profile; NULL: it is one, of another family */
} kinds[] = {
    {"adcg", 4, "a GCC counter file (gcda)", NULL},
    {"gcda", 4, "a big-endian GCC counter file (gcda)", NULL},
    {"oncg", 4, "a GCC notes file (gcno)", NOTES},
    {"gcno", 4, "a big-endian GCC notes file (gcno)", NOTES},
    {"PERFILE2", 8, "a Linux perf recording (perf.data)", RECORDING},
    {"2ELIFREP", 8, "a big-endian Linux perf recording (perf.data)", RECORDING},
    {"\x89"
     "ANPART\n",
     8, "a partial result of anneal merge", "anneal merge makes a profile of it"},
    {"---\nheader:", 11, "a BOLT profile (YAML)", NULL},
    {"\x81rforpm\xff", 8, "a raw memory profile (memprof)", MEMORY},
    {"\x7f"
     "ELF",
     4, "an ELF program or object file, not its profile", PROGRAM},
    {"BC\xc0\xde", 4, "LLVM bitcode", PROGRAM},
    {"\x1f\x8b", 2, "a gzip file; decompress it first", "gzip -d"},
    {"\x28\xb5\x2f\xfd", 4, "a zstd file; decompress it first", "zstd -d"},
    {"\xfd"
     "7zXZ",
     5, "an xz file; decompress it first", "xz -d"},
    {"!<arch>\n", 8, "an archive", PROGRAM},
};

static const struct kind *find(struct an_bytes file)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (file.size >= kinds[i].length && memcmp(file.data, kinds[i].magic, kinds[i].length) == 0)
            return &kinds[i];
    return NULL;
}

/* BOLT's text profile: lines of "1 main 0 1 main 1c 0 12". */
static bool is_fdata(struct an_bytes file)
{
    size_t end = 0, fields = 1;
    while (end < file.size && end < 4096 && file.data[end] != '\n') {
        fields += file.data[end] == ' ';
        end++;
    }
    return end > 2 && isdigit(file.data[0]) && file.data[1] == ' ' && fields >= 4;
}

/* Sample profiles in binary form start with ULEB128 of "SPROF42" and a format byte. */
static bool is_sample_profile(struct an_bytes file)
{
    struct an_cursor cursor = an_cursor_at(file, 0, false);
    uint64_t magic = an_cursor_uleb128(&cursor);
    return !cursor.short_read && magic >> 8 == (uint64_t)0x5350524f463432;
}

const char *an_kind_describe(struct an_bytes file)
{
    const struct kind *kind = find(file);
    if (kind)
        return kind->what;
    if (is_sample_profile(file))
        return "a sample profile (AutoFDO)";
    if (is_fdata(file))
        return "a BOLT profile (fdata)";
    return NULL;
}

const char *an_kind_hint(struct an_bytes file)
{
    const struct kind *kind = find(file);
    return kind ? kind->hint : NULL;
}
