/* Builds of LLVM's profiles; see build.h. */
#include "build.h"

#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <anneal/llvm.h>

#include "base/file.h"

enum { SHOWN = 20 }; /* bytes of a build-id */

/* Of a program with libraries, that of the program comes first. */
static void name_by_ids(const struct an_llvm_info *info, char build[PARTS_BUILD])
{
    char text[2 * SHOWN + 1] = "";
    const struct an_llvm_binary_id *first = info->binary_ids;
    for (size_t i = 0; i < first->size && i < SHOWN; i++)
        snprintf(text + 2 * i, 3, "%02x", first->bytes[i]);
    XXH64_hash_t rest = 0;
    for (size_t i = 1; i < info->binary_id_count; i++)
        rest = XXH3_64bits_withSeed(first[i].bytes, first[i].size, rest);
    if (info->binary_id_count > 1)
        snprintf(build, PARTS_BUILD, "llvm-%s-%08x", text, (unsigned)rest);
    else
        snprintf(build, PARTS_BUILD, "llvm-%s", text);
}

static void name_by_functions(struct an_llvm_reader *reader, const char *folder,
                              char build[PARTS_BUILD])
{
    struct an_llvm_record record;
    XXH64_hash_t sum = 0;
    while (an_llvm_reader_next(reader, &record))
        sum +=
            XXH3_64bits_withSeed(record.name, record.name_length, record.hash); /* in any order */
    snprintf(build, PARTS_BUILD, "llvm-%.60s-%016llx", folder, (unsigned long long)sum);
}

void build_of_llvm(const char *path, const char *folder, char build[PARTS_BUILD])
{
    struct an_file file = {0};
    struct an_llvm_reader *reader;
    struct an_error error;
    snprintf(build, PARTS_BUILD, "llvm-%.60s-unreadable", folder);
    if (an_file_load(&file, path, &error) == AN_OK &&
        an_llvm_reader_open(&reader, file.bytes.data, file.bytes.size, &error) == AN_OK) {
        const struct an_llvm_info *info = an_llvm_reader_info(reader);
        if (info->binary_id_count && info->binary_ids[0].size)
            name_by_ids(info, build);
        else
            name_by_functions(reader, folder, build);
        an_llvm_reader_close(reader);
    }
    an_file_close(&file);
}
