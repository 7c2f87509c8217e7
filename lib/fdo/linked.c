/* See linked.h. */
#include "fdo/linked.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "fdo/instrumented.h"
#include "fdo/linker_map.h"

static bool is_bitcode(struct an_bytes bytes)
{
    return bytes.size >= 4 && memcmp(bytes.data, "BC\xc0\xde", 4) == 0;
}

/* True: no memory. */
static bool take(void *context, const struct an_fdo_object *object)
{
    struct an_fdo_linked *linked = context;
    struct an_fdo_linked_object *place = an_vector_push(&linked->objects);
    if (!place)
        return true;
    place->name = an_arena_copy(&linked->arena, object->name, object->name_length);
    place->is_member = object->archive != NULL;
    place->is_beside = object->is_beside;
    place->is_bitcode = is_bitcode(object->bytes);
    if (place->is_member)
        place->archive = an_arena_copy(&linked->arena, object->archive, strlen(object->archive));
    linked->has_members |= place->is_member;
    place->size = object->bytes.size;
    if (!linked->instrumented[0])
        an_fdo_name_instrumented(linked->instrumented, object);
    return place->name == NULL || (place->is_member && !place->archive);
}

static bool read_file(struct an_fdo_linked *linked, const char *path)
{
    return !an_fdo_objects_of(path, take, linked);
}

/* FOLDER/libNAME.ENDING, or FOLDER/FILE of -l:FILE. */
static bool is_in(const char *folder, const char *name, const char *ending, char path[PATH_MAX])
{
    int size = name[0] == ':' ? snprintf(path, PATH_MAX, "%s/%s", folder, name + 1)
                              : snprintf(path, PATH_MAX, "%s/lib%s%s", folder, name, ending);
    return size < PATH_MAX && access(path, F_OK) == 0;
}

/* As the linker looks for it: in each folder for a shared one first. */
static bool read_library(struct an_fdo_linked *linked, const struct an_fdo_arguments *arguments,
                         const struct an_fdo_library *library)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < arguments->link_folders.count; i++) {
        const char *folder = arguments->link_folders.items[i];
        if (!library->is_static && library->name[0] != ':' &&
            is_in(folder, library->name, ".so", path))
            return true;
        if (is_in(folder, library->name, ".a", path))
            return read_file(linked, path);
    }
    return true;
}

bool an_fdo_linked_read(struct an_fdo_linked *linked, const struct an_fdo_arguments *arguments)
{
    bool fits = true;
    *linked = (struct an_fdo_linked){.instrumented = ""};
    for (size_t i = 0; fits && i < arguments->linked.count; i++)
        fits = read_file(linked, arguments->linked.items[i]);
    for (size_t i = 0; fits && i < arguments->libraries.count; i++)
        fits = read_library(linked, arguments, &arguments->libraries.items[i]);
    return fits;
}

void an_fdo_linked_keep_taken(struct an_fdo_linked *linked, const char *path)
{
    struct an_fdo_linker_map map;
    size_t kept = 0;
    bool is_known = an_fdo_linker_map_read(&map, path);
    for (size_t i = 0; is_known && i < linked->objects.count; i++) {
        const struct an_fdo_linked_object object = linked->objects.items[i];
        if (!object.is_member || object.is_bitcode ||
            an_fdo_linker_map_has(&map, object.archive, object.is_beside, object.name,
                                  strlen(object.name)))
            linked->objects.items[kept++] = object;
    }
    if (is_known)
        linked->objects.count = kept;
    an_fdo_linker_map_free(&map);
}

/* The same path, which may be a relative one. */
static bool is_file(const char *path, const char *object, const char *folder)
{
    if (path[0] == '/')
        return strcmp(path, object) == 0;
    const char *rest = object + strlen(folder);
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    return strncmp(object, folder, strlen(folder)) == 0 && rest[0] == '/' &&
           strcmp(rest + 1, path) == 0;
}

bool an_fdo_linked_has(const struct an_fdo_linked *linked, const char *object, const char *folder)
{
    const char *name = an_file_name(object);
    struct stat is;
    size_t size = stat(object, &is) == 0 ? (size_t)is.st_size : SIZE_MAX;
    for (size_t i = 0; i < linked->objects.count; i++) {
        const struct an_fdo_linked_object *other = &linked->objects.items[i];
        if (other->is_member ? other->size == size && strcmp(an_file_name(other->name), name) == 0
                             : is_file(other->name, object, folder))
            return true;
    }
    return false;
}

void an_fdo_linked_free(struct an_fdo_linked *linked)
{
    an_vector_free(&linked->objects);
    an_arena_free(&linked->arena);
}
