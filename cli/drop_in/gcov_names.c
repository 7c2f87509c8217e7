/* Names of gcov's files; see gcov_names.h. */
#include "gcov_names.h"
#include "base/folder.h"

#include <md5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* Takes off what follows the last dot of the name. */
static void cut_ending(char *path)
{
    char *dot = strrchr((char *)an_file_name(path), '.');
    if (dot)
        *dot = '\0';
}

char *gcov_stem(const char *named, const char *object)
{
    char *stem = NULL;
    bool has_object = object && *object;
    bool in_folder = has_object && an_is_folder(object);
    const char *slash = in_folder && object[strlen(object) - 1] != '/' ? "/" : "";
    const char *name = in_folder ? an_file_name(named) : has_object ? "" : named;
    if (asprintf(&stem, "%s%s%s", has_object ? object : "", slash, name) < 0)
        return NULL;
    cut_ending(stem);
    return stem;
}

/* Folders are told apart by #, and .. becomes ^. */
static char *mangle_path(const char *path)
{
    char *mangled = malloc(strlen(path) + 1);
    char *to = mangled;
    while (mangled && *path) {
        size_t size = strcspn(path, "/");
        if (size == 2 && memcmp(path, "..", 2) == 0)
            *to++ = '^';
        else
            to = (char *)memcpy(to, path, size) + size;
        path += size;
        if (*path) {
            *to++ = '#';
            path++;
        }
    }
    if (mangled)
        *to = '\0';
    return mangled;
}

static char *mangle(const struct gcov_naming *naming, const char *path)
{
    return naming->preserve_paths ? mangle_path(path) : strdup(an_file_name(path));
}

static void checksum(char text[33], const char *path)
{
    MD5_CTX context;
    uint8_t digest[16];
    MD5Init(&context);
    MD5Update(&context, (const uint8_t *)path, strlen(path));
    MD5Final(digest, &context);
    for (int i = 0; i < 16; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

char *gcov_text_name(const struct gcov_naming *naming, const char *named, const char *source)
{
    bool is_long = naming->long_names && !naming->hash && strcmp(source, named) != 0;
    char *name = NULL, sum[33] = "";
    char *first = is_long ? mangle(naming, named) : strdup("");
    char *second = mangle(naming, source);
    if (naming->hash)
        checksum(sum, source);
    if (first && second &&
        asprintf(&name, "%s%s%s%s%s.gcov", first, is_long ? "##" : "", second,
                 naming->hash ? "##" : "", sum) < 0)
        name = NULL;
    free(first);
    free(second);
    return name;
}

char *gcov_json_name(const struct gcov_naming *naming, const char *named)
{
    const char *base = an_file_name(named);
    char *stem = strdup(base), *name = NULL, *path = NULL, sum[33] = "";
    bool has_path = !naming->hash && naming->preserve_paths && base != named;
    if (stem)
        cut_ending(stem);
    if (naming->hash)
        checksum(sum, named);
    if (has_path) {
        path = mangle_path(named);
        if (path)
            cut_ending(path);
    }
    if (stem && (path || !has_path) &&
        asprintf(&name, "%s%s%s.gcov.json.gz", stem, naming->hash || has_path ? "##" : "",
                 has_path ? path : sum) < 0)
        name = NULL;
    free(stem);
    free(path);
    return name;
}
