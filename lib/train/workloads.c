/* The list of workloads: from a command line, from files, from folders. */
#include <anneal/train.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/vector.h"

static enum an_code add_copy(struct an_train_workloads *list, char *copy, uint64_t weight,
                             struct an_error *error)
{
    struct an_train_workload *workload = an_vector_push(list);
    if (!workload) {
        free(copy);
        return an_fail_memory(error);
    }
    *workload = (struct an_train_workload){copy, weight};
    return AN_OK;
}

enum an_code an_train_workloads_add(struct an_train_workloads *list, const char *text,
                                    uint64_t weight, struct an_error *error)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        return an_fail_memory(error);
    if (weight > 0)
        return add_copy(list, copy, weight, error);
    free(copy);
    return an_fail(error, AN_USAGE, "'%s': expected a weight of at least 1", text ? text : "");
}

void an_train_workloads_free(struct an_train_workloads *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].text);
    an_vector_free(list);
}

/* The number at the start of a text, if `after` follows it; returns what comes then, or NULL. */
static const char *take_weight(const char *text, char after, uint64_t *weight)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    *weight = number;
    return errno == 0 && *end == after ? end + 1 : NULL;
}

enum an_code an_train_workloads_add_weighted(struct an_train_workloads *list,
                                             const char *weight_and_text, struct an_error *error)
{
    uint64_t weight;
    const char *text = take_weight(weight_and_text, ',', &weight);
    if (!text || weight == 0)
        return an_fail(error, AN_USAGE,
                       "'%s': expected WEIGHT,WORKLOAD with a weight of at least 1",
                       weight_and_text);
    return an_train_workloads_add(list, text, weight, error);
}

/* ---- files ---- */

/* A line without its end. */
static enum an_code add_line(struct an_train_workloads *list, const char *line, uint64_t at,
                             struct an_error *error)
{
    uint64_t weight;
    const char *text = take_weight(line, '\t', &weight);
    if (*line == '\0' || *line == '#')
        return AN_OK;
    if (text && weight == 0)
        return an_fail_at(error, AN_MALFORMED, at, "'%s': expected a weight of at least 1", line);
    return an_train_workloads_add(list, text ? text : line, text ? weight : 1, error);
}

static enum an_code add_entry(struct an_train_workloads *list, const uint8_t *bytes, size_t size,
                              uint64_t at, bool is_exact, struct an_error *error)
{
    if (!is_exact && size && bytes[size - 1] == '\r')
        size--;
    if (memchr(bytes, '\0', size))
        return an_fail_at(error, AN_MALFORMED, at, "a line with a NUL byte");
    char *entry = strndup((const char *)bytes, size);
    if (!entry)
        return an_fail_memory(error);
    if (is_exact)
        return add_copy(list, entry, 1, error);
    enum an_code code = add_line(list, entry, at, error);
    free(entry);
    return code;
}

static enum an_code add_entries(struct an_train_workloads *list, struct an_bytes bytes,
                                bool is_exact, struct an_error *error)
{
    const char end = is_exact ? '\0' : '\n';
    for (size_t at = 0; at < bytes.size;) {
        const uint8_t *start = bytes.data + at, *found = memchr(start, end, bytes.size - at);
        size_t size = found ? (size_t)(found - start) : bytes.size - at;
        enum an_code code = add_entry(list, start, size, at, is_exact, error);
        if (code != AN_OK) {
            if (code == AN_MALFORMED && !is_exact)
                an_error_hint(error, "use -0 for NUL-terminated entries");
            return code;
        }
        at += size + 1;
    }
    return AN_OK;
}

enum an_code an_train_workloads_read(struct an_train_workloads *list, const char *path,
                                     bool is_exact, struct an_error *error)
{
    struct an_file file = {0};
    enum an_code code = an_file_load(&file, path, error);
    if (code == AN_OK) {
        code = add_entries(list, file.bytes, is_exact, error);
        if (code != AN_OK && code != AN_NO_MEMORY)
            an_error_in(error, strcmp(path, "-") == 0 ? "<stdin>" : path);
    }
    an_file_close(&file);
    return code;
}

/* ---- folders ---- */

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* In the order of bytes, which is the same everywhere. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum an_code add_file(struct an_train_workloads *list, const char *folder, const char *name,
                             struct an_error *error)
{
    size_t length = strlen(folder);
    struct stat info;
    char *path;
    if (asprintf(&path, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/", name) < 0)
        return an_fail_memory(error);
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode))
        return add_copy(list, path, 1, error);
    free(path);
    return AN_OK;
}

enum an_code an_train_workloads_add_folder(struct an_train_workloads *list, const char *path,
                                           struct an_error *error)
{
    struct dirent **found;
    int count = scandir(path, &found, is_shown, by_bytes);
    enum an_code code = AN_OK;
    if (count < 0)
        return an_fail_errno(error, path, "cannot list");
    for (int i = 0; i < count; i++) {
        if (code == AN_OK)
            code = add_file(list, path, found[i]->d_name, error);
        free(found[i]);
    }
    free(found);
    return code;
}
