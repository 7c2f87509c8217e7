/*
 * Order files, for each linker in its own language:
 *
 *     lld    main                gold   .text.main           GNU ld   SECTIONS
 *            next_token                 .text.hot.main                {
 *                                       ...                               .text.ordered : { *(.text.main ...) }
 *     ld64   _main                                                    }
 *                                                                     INSERT BEFORE .text;
 *
 * gold and GNU ld know sections only: GCC puts a function into .text.NAME, or by its profile into
 * .text.hot.NAME, .text.unlikely.NAME, .text.startup.NAME or .text.exit.NAME. What comes with the C library
 * and the compiler is in a section .text as others are, but GNU ld can be told of which file.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "order/behaviour.h"

static const char *const sections[] = {".text.", ".text.hot.", ".text.startup.", ".text.unlikely.",
                                       ".text.exit."};
enum { SECTIONS = sizeof sections / sizeof *sections };

struct writing {
    struct an_buffer text;
    enum an_order_format format;
    struct an_names written; /* each name once */
};

/* In the patterns of gold and GNU ld these characters have a meaning. */
static void put_pattern(struct an_buffer *text, const char *name)
{
    for (; *name; name++)
        if (strchr("*?[]\\", *name))
            an_buffer_print(text, "?"); /* any one character */
        else
            an_buffer_put(text, name, 1);
}

/* The file of the functions that every program begins with, for GNU ld; NULL: the function is of another one. */
static const char *file_of(const char *name)
{
    if (strcmp(name, "_start") == 0)
        return "*crt1.o";
    return strcmp(name, "frame_dummy") == 0 ? "*crtbegin*.o" : NULL;
}

static void put_sections(struct writing *writing, const char *name)
{
    const char *file = writing->format == AN_ORDER_GNU ? file_of(name) : NULL;
    if (file) {
        an_buffer_print(&writing->text, "        %s(.text)\n", file);
        return;
    }
    for (size_t s = 0; s < SECTIONS; s++) {
        if (writing->format == AN_ORDER_GNU)
            an_buffer_print(&writing->text, s ? " " : "        *(");
        an_buffer_print(&writing->text, "%s", sections[s]);
        put_pattern(&writing->text, name);
        if (writing->format == AN_ORDER_GOLD)
            an_buffer_print(&writing->text, "\n");
    }
    if (writing->format == AN_ORDER_GNU)
        an_buffer_print(&writing->text, ")\n");
}

/* False when memory runs out. */
static bool put(struct writing *writing, const char *name)
{
    bool is_new;
    if (an_names_insert(&writing->written, name, strlen(name), &is_new) == AN_NO_NAME)
        return false;
    if (!is_new)
        return true;
    if (writing->format == AN_ORDER_LLD)
        an_buffer_print(&writing->text, "%s\n", name);
    else if (writing->format == AN_ORDER_LD64)
        an_buffer_print(&writing->text, "%s%s\n", name[0] == '-' || name[0] == '+' ? "" : "_",
                        name);
    else
        put_sections(writing, name);
    return !writing->text.failed;
}

static bool put_function(struct writing *writing, const struct an_behaviour *behaviour,
                         const struct an_matches *matches, uint32_t function)
{
    if (!matches)
        return put(writing, behaviour->functions.items[function].name);
    for (uint32_t s = matches->first[function]; s < matches->first[function + 1]; s++)
        if (!put(writing, matches->names[s]))
            return false;
    return true;
}

enum an_code an_order_write(const struct an_behaviour *behaviour, const struct an_order *order,
                            const struct an_matches *matches, enum an_order_format format,
                            char **text, size_t *size, struct an_error *error)
{
    struct writing writing = {.format = format};
    bool done = true;
    if (format == AN_ORDER_GNU)
        an_buffer_print(&writing.text, "SECTIONS\n{\n    .text.ordered :\n    {\n");
    for (size_t i = 0; done && i < order->count; i++)
        done = put_function(&writing, behaviour, matches, order->functions[i]);
    if (format == AN_ORDER_GNU)
        an_buffer_print(&writing.text, "    }\n}\nINSERT BEFORE .text;\n");
    size_t names = writing.written.count;
    an_names_free(&writing.written);
    if (!done || writing.text.failed) {
        an_buffer_free(&writing.text);
        return an_fail_memory(error);
    }
    if (!names) {
        an_buffer_free(&writing.text);
        return an_fail(error, AN_EMPTY, "nothing written: no function to order");
    }
    *text = (char *)writing.text.data;
    *size = writing.text.size;
    return AN_OK;
}
