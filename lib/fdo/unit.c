/* See unit.h. */
#include "fdo/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file.h"

bool an_fdo_folder(char folder[PATH_MAX])
{
    struct stat here, named;
    const char *pwd = getenv("PWD");
    if (pwd && pwd[0] == '/' && strlen(pwd) < PATH_MAX && stat(pwd, &named) == 0 &&
        stat(".", &here) == 0 && here.st_ino == named.st_ino && here.st_dev == named.st_dev) {
        memcpy(folder, pwd, strlen(pwd) + 1);
        return true;
    }
    return getcwd(folder, PATH_MAX) != NULL;
}

static bool absolute(const char *path, const char *folder, char to[PATH_MAX])
{
    int size = path[0] == '/' ? snprintf(to, PATH_MAX, "%s", path)
                              : snprintf(to, PATH_MAX, "%s/%s", folder, path);
    return size >= 0 && size < PATH_MAX;
}

/* Where the suffix of the last part begins, or its end. */
static size_t without_suffix(const char *path)
{
    const char *name = an_file_name(path), *dot = strrchr(name, '.');
    return dot && dot != name ? (size_t)(dot - path) : strlen(path);
}

/* a.out has its name from nobody: GCC leaves it off, and ".exe", too. */
static size_t without_program_suffix(const char *path)
{
    size_t length = without_suffix(path);
    const char *suffix = path + length;
    bool goes = strcmp(suffix, ".exe") == 0 || strcmp(an_file_name(path), "a.out") == 0;
    return goes ? length : strlen(path);
}

/* The only source of a program that is called like it gives it no second name. */
static bool is_called_alike(const struct an_fdo_arguments *arguments, const char *base,
                            size_t base_length, const char *program)
{
    const char *name = an_file_name(program);
    size_t length = without_program_suffix(program) - (size_t)(name - program);
    return arguments->sources.count == 1 && arguments->inputs == 1 && length == base_length &&
           memcmp(name, base, length) == 0;
}

static bool name_of(const struct an_fdo_arguments *arguments, const char *source,
                    const char *folder, char name[PATH_MAX])
{
    const char *base = an_file_name(source), *output = arguments->output;
    size_t base_length = without_suffix(base);
    char relative[PATH_MAX];
    int size;
    if (arguments->job == AN_FDO_BOTH) {
        const char *program = output ? output : "a.out";
        bool is_alike = is_called_alike(arguments, base, base_length, program);
        size =
            snprintf(relative, sizeof relative, "%.*s%s%.*s", (int)without_program_suffix(program),
                     program, is_alike ? "" : "-", is_alike ? 0 : (int)base_length, base);
    } else if (output) {
        size = snprintf(relative, sizeof relative, "%.*s", (int)without_suffix(output), output);
    } else {
        size = snprintf(relative, sizeof relative, "%.*s", (int)base_length, base);
    }
    return size >= 0 && size < PATH_MAX && absolute(relative, folder, name);
}

static bool object_of(const struct an_fdo_arguments *arguments, const struct an_fdo_unit *unit,
                      const char *folder, char object[PATH_MAX])
{
    object[0] = 0;
    if (arguments->job == AN_FDO_BOTH)
        return true;
    if (arguments->output)
        return absolute(arguments->output, folder, object);
    int size = snprintf(object, PATH_MAX, "%s.o", unit->name);
    return size >= 0 && size < PATH_MAX;
}

bool an_fdo_unit_of(struct an_fdo_unit *unit, const struct an_fdo_arguments *arguments,
                    const struct an_fdo_source *source, const char *folder)
{
    char path[PATH_MAX];
    const char *output = arguments->output;
    unit->is_absolute = output && output[0] == '/';
    if (!absolute(source->path, folder, path))
        return false;
    if (!realpath(path, unit->source))
        memcpy(unit->source, path, sizeof path);
    return name_of(arguments, source->path, folder, unit->name) &&
           object_of(arguments, unit, folder, unit->object);
}

bool an_fdo_unit_gcda(const struct an_fdo_unit *unit, char name[PATH_MAX])
{
    static const char suffix[] = ".gcda";
    size_t to = 0;
    if (unit->is_absolute)
        return snprintf(name, PATH_MAX, "%s%s", unit->name, suffix) < PATH_MAX;
    for (const char *at = unit->name; *at;) {
        size_t length = strcspn(at, "/");
        if (to + length + 1 + sizeof suffix > PATH_MAX)
            return false;
        if (length == 2 && at[0] == '.' && at[1] == '.') {
            name[to++] = '^';
        } else {
            memcpy(name + to, at, length);
            to += length;
        }
        at += length;
        if (*at) {
            name[to++] = '#';
            at++;
        }
    }
    memcpy(name + to, suffix, sizeof suffix);
    return true;
}

bool an_fdo_unit_dump_folder(const struct an_fdo_unit *unit, const struct an_fdo_source *source,
                             const char *folder, char to[PATH_MAX])
{
    const char *name = unit->name, *base = an_file_name(source->path);
    size_t length = without_suffix(base);
    if (!unit->is_absolute)
        name += strlen(folder) + 1;
    size_t whole = strlen(name);
    if (whole <= length || memcmp(name + whole - length, base, length) != 0)
        return false;
    snprintf(to, PATH_MAX, "%.*s", (int)(whole - length), name);
    return true;
}

uint64_t an_fdo_hash(const char *path)
{
    return XXH64(path, strlen(path), 0);
}

uint64_t an_fdo_unit_number(const struct an_fdo_unit *unit)
{
    char name[PATH_MAX];
    return an_fdo_unit_gcda(unit, name) ? an_fdo_hash(name) : 0;
}
