/* Builds of LLVM's profiles; see build.h. */
#include "build.h"

#include <stdio.h>
#include <string.h>

#include <anneal/llvm.h>

enum { SHOWN = 20 }; /* bytes of a build-id */

/* Of a program with libraries, that of the program comes first. */
static void name_by_id(const struct an_llvm_build *found, char build[PARTS_BUILD])
{
    char text[2 * SHOWN + 1] = "";
    for (size_t i = 0; i < found->id.size && i < SHOWN; i++)
        snprintf(text + 2 * i, 3, "%02x", found->id.bytes[i]);
    if (found->others)
        snprintf(build, PARTS_BUILD, "llvm-%s-%016llx", text, (unsigned long long)found->others);
    else
        snprintf(build, PARTS_BUILD, "llvm-%s", text);
}

void build_of_llvm(struct an_file *file, const char *path, const char *folder,
                   char build[PARTS_BUILD])
{
    struct an_llvm_build found;
    struct an_error error;
    if (an_file_load(file, path, &error) != AN_OK ||
        an_llvm_build_find(file->bytes.data, file->bytes.size, &found, &error) != AN_OK)
        snprintf(build, PARTS_BUILD, "llvm-%.60s-unreadable", folder);
    else if (found.id.size)
        name_by_id(&found, build);
    else
        snprintf(build, PARTS_BUILD, "llvm-%.60s-%016llx", folder,
                 (unsigned long long)found.functions);
}
