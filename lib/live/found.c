/* Finding layouts in the mappings; see found.h. */
#include "live/found.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "live/folder.h"

static bool is_named(const struct an_target_mapping *mapping, const char *name)
{
    size_t length = an_file_linked_length(mapping->path);
    return length == strlen(name) && strncmp(mapping->path, name, length) == 0;
}

/* Without a mapping, the file must have its name still: else it was given up before it was mapped. */
static enum an_code add(struct an_found_list *list, const struct an_target *target, unsigned number,
                        const char *name, const struct an_target_mapping *mapping,
                        struct an_error *error)
{
    if (!mapping && access(name, F_OK) != 0)
        return AN_OK;
    if (list->count == AN_STATE_MOST)
        return an_fail(error, AN_UNSUPPORTED, "process %d has more than %d layouts", target->pid,
                       AN_STATE_MOST);
    struct an_found *to = an_vector_push(list);
    if (!to)
        return an_fail_memory(error);
    to->number = number;
    to->mapping = mapping;
    to->is_link = mapping && mapping->path[strlen(name)];
    if (to->is_link)
        snprintf(to->path, sizeof to->path, "/proc/%d/map_files/%llx-%llx", target->living,
                 (unsigned long long)mapping->start, (unsigned long long)mapping->end);
    else
        snprintf(to->path, sizeof to->path, "%s", name);
    return AN_OK;
}

static const struct an_target_mapping *find(const struct an_target *target, const char *name)
{
    size_t i = 0;
    while (i < target->maps.count && !is_named(&target->maps.items[i], name))
        i++;
    return i < target->maps.count ? &target->maps.items[i] : NULL;
}

/* Whether it is code, or the page behind code: a process can have the page alone, if it was forked while the
 * other one was about to get the layout. */
static bool is_code(const struct an_target *target, size_t i)
{
    const struct an_target_mapping *at = &target->maps.items[i];
    return (at->flags & AN_MAP_EXECUTE) ||
           (i && at[-1].end == at->start && (at[-1].flags & AN_MAP_EXECUTE));
}

static bool is_listed(const struct an_found_list *list, const struct an_target_mapping *mapping)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].mapping && strcmp(list->items[i].mapping->path, mapping->path) == 0)
            return true;
    return false;
}

static int by_number(const void *one, const void *other)
{
    unsigned a = ((const struct an_found *)one)->number,
             b = ((const struct an_found *)other)->number;
    return (a > b) - (a < b);
}

enum an_code an_found_layouts(const struct an_target *target, const struct an_state *state,
                              struct an_found_list *list, struct an_error *error)
{
    enum an_code code = AN_OK;
    *list = (struct an_found_list){0};
    for (size_t i = 0; code == AN_OK && i < state->generations.count; i++) {
        const struct an_state_generation *known = &state->generations.items[i];
        code = add(list, target, known->number, known->path, find(target, known->path), error);
    }
    for (size_t i = 0; code == AN_OK && i < target->maps.count; i++) {
        const struct an_target_mapping *mapping = &target->maps.items[i];
        struct an_folder ignored;
        char name[PATH_MAX];
        snprintf(name, sizeof name, "%.*s", (int)an_file_linked_length(mapping->path),
                 mapping->path);
        unsigned number = an_folder_layout(name, &ignored);
        if (number && is_code(target, i) && !is_listed(list, mapping))
            code = add(list, target, number, name, mapping, error);
    }
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, by_number);
    return code;
}
