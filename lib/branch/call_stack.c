/* Reading names of functions; see call_stack.h. */
#include "branch/call_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static int by_name(const void *a, const void *b)
{
    const struct an_function *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

/* A name may stand for itself, or for all local functions of that name. */
static void mark_named(const struct an_functions *functions, bool *on_stack,
                       const struct an_function **sorted, const char *name, size_t length)
{
    size_t low = 0, high = functions->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strncmp(sorted[middle]->name, name, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < functions->count && strncmp(sorted[low]->name, name, length) == 0; low++)
        if (sorted[low]->name[length] == '\0' || sorted[low]->name[length] == '/')
            on_stack[sorted[low] - functions->items] = true;
}

static void mark_lines(const struct an_functions *functions, bool *on_stack,
                       const struct an_function **sorted, struct an_bytes bytes)
{
    const char *text = (const char *)bytes.data, *end = text + bytes.size;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);
        if (length && *text != '#')
            mark_named(functions, on_stack, sorted, text, length);
        text += length + (stop != NULL);
    }
}

/* No name has a byte 0, and no program so many functions that a count has none. */
static bool is_binary(struct an_bytes bytes)
{
    return bytes.size && memchr(bytes.data, 0, bytes.size);
}

static enum an_code mark_addresses(const struct an_functions *functions, bool *on_stack,
                                   struct an_bytes bytes, const char *path, struct an_error *error)
{
    if (bytes.size % 8 || an_get64(bytes.data, false) != bytes.size / 8 - 1) {
        an_fail_at(error, AN_MALFORMED, 0,
                   "expected names of functions, one a line, or their number and addresses in "
                   "words of 8 bytes, as Ocolos writes them");
        return an_error_in(error, path);
    }
    for (size_t at = 8; at < bytes.size; at += 8) {
        size_t index = an_functions_at(functions, an_get64(bytes.data + at, false));
        if (index != AN_NO_FUNCTION)
            on_stack[index] = true;
    }
    return AN_OK;
}

enum an_code an_call_stack_read(const char *path, const struct an_functions *functions,
                                bool **on_stack, struct an_error *error)
{
    struct an_file file = {0};
    enum an_code code = an_file_load(&file, path, error);
    const struct an_function **sorted = an_alloc(functions->count, sizeof(struct an_function *));
    *on_stack = an_alloc_zero(functions->count + 1, sizeof **on_stack);
    if (code == AN_OK && (!sorted || !*on_stack))
        code = an_fail_memory(error);
    if (code == AN_OK && functions->count) {
        for (size_t i = 0; i < functions->count; i++)
            sorted[i] = &functions->items[i];
        qsort(sorted, functions->count, sizeof *sorted, by_name);
        if (is_binary(file.bytes))
            code = mark_addresses(functions, *on_stack, file.bytes, path, error);
        else
            mark_lines(functions, *on_stack, sorted, file.bytes);
    }
    free(sorted);
    an_file_close(&file);
    return code;
}
