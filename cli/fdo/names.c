/* See names.h. */
#include "names.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"

const char *fdo_shown(const struct an_fdo_store *store, const char *path)
{
    size_t folder = (size_t)(an_file_name(store->root) - store->root);
    return folder && strncmp(path, store->root, folder) == 0 ? path + folder : path;
}

const char *fdo_build_name(const struct an_fdo_build *build, char name[PATH_MAX])
{
    bool is_known = build->compiler[0] != 0;
    snprintf(name, PATH_MAX, "%.*s%s%s%s", (int)build->folder_length, build->folder,
             is_known ? " (" : "", build->compiler, is_known ? ")" : "");
    return name;
}
