/*
 * Recognising the files that lie about in build trees. The readers decide what they can read; this
 * table only names what they cannot.
 */
#include "base/kind.h"

#include <ctype.h>

static const struct {
    const char *magic;
    size_t length;
    const char *what;
} kinds[] = {
    {"adcg", 4, "a GCC counter file (gcda)"},
    {"gcda", 4, "a big-endian GCC counter file (gcda)"},
    {"oncg", 4, "a GCC notes file (gcno)"},
    {"gcno", 4, "a big-endian GCC notes file (gcno)"},
    {"PERFILE2", 8, "a Linux perf recording (perf.data)"},
    {"2ELIFREP", 8, "a big-endian Linux perf recording (perf.data)"},
    {"\x81rforpm\xff", 8, "a raw memory profile (memprof)"},
    {"\x7f"
     "ELF",
     4, "an ELF program or object file, not its profile"},
    {"BC\xc0\xde", 4, "LLVM bitcode"},
    {"\x1f\x8b", 2, "a gzip file; decompress it first"},
    {"\x28\xb5\x2f\xfd", 4, "a zstd file; decompress it first"},
    {"\xfd"
     "7zXZ",
     5, "an xz file; decompress it first"},
    {"!<arch>\n", 8, "an archive"},
};

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
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (file.size >= kinds[i].length && memcmp(file.data, kinds[i].magic, kinds[i].length) == 0)
            return kinds[i].what;
    if (is_sample_profile(file))
        return "a sample profile (AutoFDO)";
    if (is_fdata(file))
        return "a BOLT profile (fdata)";
    return NULL;
}
