/*
 * Expanding what the user named. Folders are searched in alphabetical order, so that the same
 * command gives the same result anywhere; what is found there counts as an input when its name or
 * its first bytes say that it is a profile.
 */
#include "inputs.h"

#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/core/command.h"
#include "family.h"

static void fail(struct inputs *inputs, const char *path, const char *why)
{
    say_error("%s%s%s", path, *path ? ": " : "", why);
    inputs->failed = true;
}

static bool make_room(struct inputs *inputs)
{
    if (inputs->count < inputs->capacity)
        return true;
    size_t capacity = inputs->capacity ? 2 * inputs->capacity : 64;
    struct an_llvm_input *items = realloc(inputs->items, capacity * sizeof *items);
    if (items)
        inputs->items = items;
    size_t *roots = realloc(inputs->roots, capacity * sizeof *roots);
    if (roots)
        inputs->roots = roots;
    if (items && roots)
        inputs->capacity = capacity;
    return items && roots;
}

static void append(struct inputs *inputs, const char *path, size_t root, unsigned long long weight)
{
    char *copy = make_room(inputs) ? strdup(path) : NULL;
    if (!copy) {
        fail(inputs, path, "out of memory");
        return;
    }
    inputs->roots[inputs->count] = root;
    inputs->items[inputs->count++] = (struct an_llvm_input){copy, weight};
}

void inputs_free(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        free((char *)inputs->items[i].path);
    free(inputs->items);
    free(inputs->roots);
    *inputs = (struct inputs){0};
}

static bool looks_like_a_profile(const char *path)
{
    if (family_has_name(path))
        return true;
    char start[1024] = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return true; /* to be reported as an input that cannot be read */
    size_t got = fread(start, 1, sizeof start, file);
    fclose(file);
    return family_has_start(start, got);
}

/* Where the name of a file below a folder begins in its path. */
static size_t root_of(const char *path, const char *folder)
{
    size_t root = strlen(folder);
    while (path[root] == '/')
        root++;
    return root;
}

static void add_found(struct inputs *inputs, const char *folder, const FTSENT *found,
                      unsigned long long weight, const struct stat *output)
{
    if (!inputs->take_everything) {
        if (found->fts_statp->st_dev == output->st_dev &&
            found->fts_statp->st_ino == output->st_ino)
            return; /* what an earlier run wrote there */
        if (!looks_like_a_profile(found->fts_accpath)) {
            if (inputs->ignored++ == 0)
                snprintf(inputs->ignored_example, sizeof inputs->ignored_example, "%s",
                         found->fts_path);
            return;
        }
    }
    append(inputs, found->fts_path, root_of(found->fts_path, folder), weight);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void search(struct inputs *inputs, const char *folder, unsigned long long weight)
{
    char *roots[] = {(char *)folder, NULL};
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    size_t before = inputs->count;
    const FTSENT *found;
    struct stat output = {0};
    if (inputs->output && stat(inputs->output, &output) != 0)
        output = (struct stat){0};
    if (!walk) {
        fail(inputs, folder, strerror(errno));
        return;
    }
    while ((found = fts_read(walk)) && !inputs->failed) {
        if (found->fts_info == FTS_DNR || found->fts_info == FTS_ERR || found->fts_info == FTS_NS)
            fail(inputs, found->fts_path, strerror(found->fts_errno));
        else if (found->fts_info == FTS_F)
            add_found(inputs, folder, found, weight, &output);
    }
    fts_close(walk);
    if (inputs->count == before && !inputs->failed && !inputs->take_everything)
        say_warning("%s: no profiles in this folder", folder);
}

void inputs_add(struct inputs *inputs, const char *path, unsigned long long weight)
{
    struct stat info;
    if (strcmp(path, "-") == 0)
        append(inputs, path, 0, weight);
    else if (stat(path, &info) != 0)
        fail(inputs, path, strerror(errno));
    else if (S_ISDIR(info.st_mode))
        search(inputs, path, weight);
    else
        append(inputs, path, 0, weight);
}

/* Where the path begins; NULL after a message. */
static const char *take_weight(const char *weight_and_path, unsigned long long *weight)
{
    char *end;
    errno = 0;
    *weight = strtoull(weight_and_path, &end, 10);
    if (!errno && isdigit((unsigned char)*weight_and_path) && *end == ',' && *weight > 0)
        return end + 1;
    if (says_as_llvm)
        say_error("input weight must be a positive integer");
    else
        say_error("%s: expected WEIGHT,FILE with a weight of at least 1", weight_and_path);
    return NULL;
}

bool inputs_weight_is_right(const char *weight_and_path)
{
    unsigned long long weight;
    return take_weight(weight_and_path, &weight);
}

void inputs_add_weighted(struct inputs *inputs, const char *weight_and_path)
{
    unsigned long long weight;
    const char *path = take_weight(weight_and_path, &weight);
    if (path)
        inputs_add(inputs, path, weight);
    else
        inputs->failed = true;
}

static char *trimmed(char *line)
{
    while (isspace((unsigned char)*line))
        line++;
    char *end = line + strlen(line);
    while (end > line && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return line;
}

void inputs_add_list(struct inputs *inputs, const char *list_path)
{
    bool standard = strcmp(list_path, "-") == 0;
    FILE *file = standard ? stdin : fopen(list_path, "r");
    char *line = NULL;
    size_t size = 0;
    if (!file) {
        fail(inputs, list_path, strerror(errno));
        return;
    }
    while (!inputs->failed && getline(&line, &size, file) >= 0) {
        char *entry = trimmed(line);
        if (*entry == '\0' || *entry == '#')
            continue;
        if (strchr(entry, ','))
            inputs_add_weighted(inputs, entry);
        else
            inputs_add(inputs, entry, 1);
    }
    if (ferror(file) && !inputs->failed)
        fail(inputs, list_path, strerror(errno));
    free(line);
    if (!standard)
        fclose(file);
}
