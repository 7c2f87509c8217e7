/* The list of files; see found.h. */
#include "console/found.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The next file has this name. */
static bool note_name(struct an_console *console, const char *name, size_t size)
{
    bool is_new;
    size_t index = an_names_insert(&console->index, name, size, &is_new);
    if (index == AN_NO_NAME || (is_new && !an_vector_push(&console->latest)))
        return false;
    console->latest.items[index] = console->count;
    return true;
}

/* Where the next file goes. */
static struct an_found *next_place(struct an_console *console, const char *name, size_t size)
{
    if (console->count == AN_CONSOLE_MOST_FILES) {
        console->left_out++;
        free(console->spill.bytes);
        return &console->spill;
    }
    if (!note_name(console, name, size))
        return NULL;
    console->prefixes[console->count % AN_FOUND_RECENT].size = 0;
    return an_vector_push(console);
}

struct an_found *an_found_add(struct an_console *console, const char *name, size_t name_size,
                              enum an_console_form form, struct an_buffer *bytes)
{
    bool is_full = console->count == AN_CONSOLE_MOST_FILES;
    const char *copy = is_full ? "" : an_arena_copy(&console->texts.arena, name, name_size);
    struct an_found *found = copy ? next_place(console, copy, name_size) : NULL;
    if (!found)
        return NULL;
    *found = (struct an_found){
        .file = {.name = copy,
                 .bytes = bytes ? bytes->data : NULL,
                 .size = bytes ? bytes->size : 0,
                 .mode = 0644,
                 .core = -1,
                 .form = form,
                 .status = AN_CONSOLE_UNVERIFIED,
                 .copies = 1,
                 .problem = "",
                 .doubt = ""},
        .texts = is_full ? NULL : &console->texts,
        .bytes = bytes ? bytes->data : NULL,
    };
    if (bytes)
        *bytes = (struct an_buffer){0};
    return found;
}

void an_found_behind(struct an_console *console, struct an_found *found,
                     const struct an_prefix *prefix)
{
    found->file.core = an_prefix_core(prefix);
    if (found->texts)
        console->prefixes[(size_t)(found - console->items) % AN_FOUND_RECENT] = *prefix;
}

/* A text that lasts; nothing is kept of what is said about a file that is left out. */
static const char *keep(struct an_texts *texts, const char *what, va_list arguments)
{
    char text[160];
    int length = vsnprintf(text, sizeof text, what, arguments);
    if (!texts || length < 0)
        return "?";
    size_t size = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    const char *copy = an_arena_copy(&texts->arena, text, size);
    texts->failed |= !copy;
    return copy ? copy : "?";
}

void an_found_blame(struct an_found *found, uint64_t line, const char *what, ...)
{
    struct an_console_file *file = &found->file;
    if (file->status == AN_CONSOLE_DAMAGED)
        return;
    va_list arguments;
    va_start(arguments, what);
    file->problem = keep(found->texts, what, arguments);
    va_end(arguments);
    file->status = AN_CONSOLE_DAMAGED;
    file->proof = AN_CONSOLE_NO_PROOF;
    file->problem_line = line;
}

void an_found_doubt(struct an_found *found, const char *what, ...)
{
    va_list arguments;
    if (found->file.doubt[0])
        return;
    va_start(arguments, what);
    found->file.doubt = keep(found->texts, what, arguments);
    va_end(arguments);
}

struct an_found *an_found_latest(struct an_console *console, const char *name, size_t size)
{
    size_t index = an_names_find(&console->index, name, size);
    return index == AN_NO_NAME ? NULL : &console->items[console->latest.items[index]];
}

void an_found_sweep(struct an_console *console)
{
    size_t kept = 0;
    for (size_t i = 0; i < console->count; i++)
        if (console->items[i].is_dropped)
            free(console->items[i].bytes);
        else
            console->items[kept++] = console->items[i];
    console->count = kept;
}
