/* Finding which counter files belong together; see gcc_modules.h. */
#include "gcc_modules.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/core/command.h"

/* ---- cores ---- */

size_t gcc_modules_stem(const char *path)
{
    size_t length = strlen(path);
    while (length > 0 && isdigit((unsigned char)path[length - 1]))
        length--;
    return length;
}

/* Whether a name is that of a core's file: MODULE.gcdaNUMBER. */
static int is_core(const struct dirent *entry)
{
    static const char ending[] = ".gcda";
    enum { ENDING = sizeof ending - 1, MOST_DIGITS = 6 };
    struct stat info;
    size_t stem = gcc_modules_stem(entry->d_name), digits = strlen(entry->d_name) - stem;
    return digits > 0 && digits <= MOST_DIGITS && stem > ENDING &&
           memcmp(entry->d_name + stem - ENDING, ending, ENDING) == 0 &&
           stat(entry->d_name, &info) == 0 && S_ISREG(info.st_mode);
}

static size_t core_of(const char *path)
{
    return strtoul(path + gcc_modules_stem(path), NULL, 10);
}

static int by_name_and_core(const struct dirent **a, const struct dirent **b)
{
    const char *one = (*a)->d_name, *other = (*b)->d_name;
    size_t first = gcc_modules_stem(one), second = gcc_modules_stem(other);
    int order = memcmp(one, other, first < second ? first : second);
    if (order || first != second)
        return order ? order : first < second ? -1 : 1;
    return core_of(one) < core_of(other) ? -1 : core_of(one) > core_of(other);
}

void gcc_modules_add_cores(struct inputs *inputs)
{
    struct dirent **found;
    int count = scandir(".", &found, is_core, by_name_and_core);
    if (count < 0) {
        say_error(".: %s", strerror(errno));
        inputs->failed = true;
        return;
    }
    inputs->are_cores = true;
    for (int i = 0; i < count; i++) {
        if (!inputs->failed)
            inputs_add(inputs, found[i]->d_name, 1);
        free(found[i]);
    }
    free(found);
}

/* ---- modules ---- */

/* Counter files are many, and have names that say so: they are not looked into. */
static bool is_partial(struct an_file *file, const struct inputs *inputs, size_t number)
{
    enum { START = 16 };
    const char *path = inputs->items[number].path;
    size_t length = strlen(path), size = strlen(".gcda");
    struct an_error unused;
    if (inputs->are_cores || (length > size && strcmp(path + length - size, ".gcda") == 0))
        return false;
    return an_file_peek(file, strcmp(path, "-") == 0 ? "/dev/stdin" : path, START, &unused) ==
               AN_OK &&
           an_gcc_is_partial(file->bytes.data, file->bytes.size);
}

static void add_partial(struct gcc_modules *modules, const struct inputs *inputs, size_t number)
{
    modules->list[number] = (struct an_gcc_input){.path = inputs->items[number].path,
                                                  .weight = inputs->items[number].weight,
                                                  .module = AN_NO_NAME};
    modules->has_partials = true;
}

static bool is_new_folder(const struct inputs *inputs, size_t number)
{
    size_t root = inputs->roots[number];
    return number == 0 || inputs->roots[number - 1] != root ||
           strncmp(inputs->items[number - 1].path, inputs->items[number].path, root) != 0;
}

static size_t module_of(struct gcc_modules *modules, const struct inputs *inputs, size_t number)
{
    const char *path = inputs->items[number].path;
    bool is_new, in_folder = inputs->roots[number] != 0;
    const char *name = in_folder ? path + inputs->roots[number] : inputs->are_cores ? path : "";
    size_t length = inputs->are_cores ? gcc_modules_stem(name) : strlen(name);
    return an_names_insert(&modules->names, name, length, &is_new);
}

static bool add(struct gcc_modules *modules, const struct inputs *inputs, size_t number)
{
    bool in_folder = inputs->roots[number] != 0;
    const char *path = inputs->items[number].path;
    size_t module = module_of(modules, inputs, number);
    if (module == AN_NO_NAME) {
        say_error("out of memory");
        return false;
    }
    modules->folders += in_folder && is_new_folder(inputs, number);
    modules->list[number] = (struct an_gcc_input){
        .path = path, .weight = inputs->items[number].weight, .module = module};
    if (modules->inputs[module]++ == 0)
        modules->first[module] = number;
    modules->runs[number] = in_folder           ? modules->folders - 1
                            : inputs->are_cores ? core_of(path)
                                                : number;
    return true;
}

static bool add_all(struct gcc_modules *modules, const struct inputs *inputs, struct an_file *file)
{
    size_t first = inputs->count; /* that is no partial result */
    for (size_t i = 0; i < inputs->count; i++) {
        if (is_partial(file, inputs, i)) {
            add_partial(modules, inputs, i);
            continue;
        }
        first = first < i ? first : i;
        if ((inputs->roots[i] != 0) != (inputs->roots[first] != 0)) {
            say_error("%s: cannot mix files and folders", inputs->items[i].path);
            return false;
        }
        if (!add(modules, inputs, i))
            return false;
    }
    return true;
}

bool gcc_modules_find(struct gcc_modules *modules, const struct inputs *inputs)
{
    struct an_file file = {0};
    *modules = (struct gcc_modules){.count = inputs->count};
    modules->list = calloc(inputs->count + 1, sizeof *modules->list);
    modules->inputs = calloc(inputs->count + 1, sizeof *modules->inputs);
    modules->runs = calloc(inputs->count + 1, sizeof *modules->runs);
    modules->first = calloc(inputs->count + 1, sizeof *modules->first);
    if (!modules->first || !modules->list || !modules->inputs || !modules->runs) {
        say_error("out of memory");
        return false;
    }
    bool good = add_all(modules, inputs, &file);
    an_file_close(&file);
    modules->has_names = modules->folders || inputs->are_cores;
    return good;
}

void gcc_modules_free(struct gcc_modules *modules)
{
    an_names_free(&modules->names);
    free(modules->inputs);
    free(modules->list);
    free(modules->runs);
    free(modules->first);
}
