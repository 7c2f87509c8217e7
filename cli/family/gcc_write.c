/* Writing the files of modules; see gcc_write.h. */
#include "gcc_write.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/core/command.h"
#include "cli/core/output.h"

bool gcc_write_module(const char *folder, const struct an_name *name, const void *bytes,
                      size_t size)
{
    char *path = NULL;
    if (asprintf(&path, "%s%s%.*s", folder, *folder ? "/" : "", (int)name->length, name->text) <
        0) {
        say_error("out of memory");
        return false;
    }
    bool done = make_folders(path) && write_result(path, bytes, size, false);
    free(path);
    return done;
}
