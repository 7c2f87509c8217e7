/*
 * See objects.h. An archive is "!<arch>\n" and its members, each behind 60 bytes of text: the name in the first 16, the
 * size in ten from the 49th on (ar(5)). A name of more than 15 characters is "/" and its place in the member "//". A thin
 * archive, "!<thin>\n", has the names only, relative to its own folder.
 */
#include "fdo/objects.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

enum { MAGIC = 8, HEAD = 60, NAME = 16, SIZE_AT = 48, SIZE_LENGTH = 10 };

static bool begins(struct an_bytes bytes, const char magic[MAGIC + 1])
{
    return bytes.size >= MAGIC && memcmp(bytes.data, magic, MAGIC) == 0;
}

struct archive {
    const char *path;
    struct an_bytes bytes, names; /* names: the member "//" */
    bool is_thin;
};

static size_t number(const uint8_t *digits, size_t length)
{
    size_t value = 0;
    for (size_t i = 0; i < length && isdigit(digits[i]); i++)
        value = value * 10 + (size_t)(digits[i] - '0');
    return value;
}

/* Without the slash at its end. */
static struct an_bytes name_of(const struct archive *archive, const uint8_t *head)
{
    struct an_bytes name = {head, NAME};
    if (head[0] == '/' && isdigit(head[1])) {
        size_t at = number(head + 1, NAME - 1);
        if (at >= archive->names.size)
            return (struct an_bytes){head, 0};
        name = (struct an_bytes){archive->names.data + at, archive->names.size - at};
    }
    const uint8_t *end = memchr(name.data, '\n', name.size);
    size_t size = end ? (size_t)(end - name.data) : name.size;
    while (size && (name.data[size - 1] == ' ' || name.data[size - 1] == '/'))
        size--;
    return (struct an_bytes){name.data, size};
}

/* Regular files only: a pipe is the linker's. */
static bool load(struct an_file *file, const char *path)
{
    struct an_error ignored;
    struct stat is;
    return stat(path, &is) == 0 && S_ISREG(is.st_mode) &&
           an_file_load(file, path, &ignored) == AN_OK;
}

/* The file that a thin archive means. */
static bool take_beside(const struct archive *archive, struct an_fdo_object *object,
                        an_fdo_take take, void *context)
{
    char path[PATH_MAX];
    struct an_file file = {0};
    size_t folder = object->name_length && object->name[0] == '/'
                        ? 0
                        : (size_t)(an_file_name(archive->path) - archive->path);
    bool is_there = snprintf(path, sizeof path, "%.*s%.*s", (int)folder, archive->path,
                             (int)object->name_length, object->name) < PATH_MAX &&
                    load(&file, path);
    object->bytes = file.bytes;
    object->is_beside = true;
    bool is_last = is_there && take(context, object);
    an_file_close(&file);
    return is_last;
}

static bool each_member(struct archive *archive, an_fdo_take take, void *context)
{
    size_t at = MAGIC;
    while (archive->bytes.size - at >= HEAD) {
        const uint8_t *head = archive->bytes.data + at;
        size_t size = number(head + SIZE_AT, SIZE_LENGTH);
        bool is_table = head[0] == '/' && !isdigit(head[1]);
        at += HEAD;
        struct an_bytes member = {archive->bytes.data + at, 0};
        if (!archive->is_thin || is_table)
            member.size = size < archive->bytes.size - at ? size : archive->bytes.size - at;
        at += member.size;
        at += at < archive->bytes.size && (at & 1);
        if (is_table && head[1] == '/')
            archive->names = member;
        if (is_table)
            continue;
        struct an_bytes name = name_of(archive, head);
        struct an_fdo_object object = {archive->path, (const char *)name.data, name.size, false,
                                       member};
        if (archive->is_thin ? take_beside(archive, &object, take, context)
                             : take(context, &object))
            return true;
    }
    return false;
}

bool an_fdo_objects_in(const char *path, struct an_bytes bytes, an_fdo_take take, void *context)
{
    struct archive archive = {.path = path, .bytes = bytes};
    const struct an_fdo_object itself = {NULL, path, strlen(path), false, bytes};
    archive.is_thin = begins(bytes, "!<thin>\n");
    if (archive.is_thin || begins(bytes, "!<arch>\n"))
        return each_member(&archive, take, context);
    return take(context, &itself);
}

bool an_fdo_objects_of(const char *path, an_fdo_take take, void *context)
{
    struct an_file file = {0};
    bool is_last = load(&file, path) && an_fdo_objects_in(path, file.bytes, take, context);
    an_file_close(&file);
    return is_last;
}
