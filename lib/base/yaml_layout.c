/* LLVM's layout of YAML; see yaml_layout.h. */
#include "base/yaml_layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { KEY_WIDTH = 17 };

void an_yaml_put(struct yaml_layout *layout, const char *text)
{
    an_buffer_put(layout->buffer, text, strlen(text));
}

static void put_blanks(struct yaml_layout *layout, size_t count)
{
    uint8_t *blanks = an_buffer_extend(layout->buffer, count);
    if (blanks)
        memset(blanks, ' ', count);
}

static void begin_line(struct yaml_layout *layout)
{
    an_yaml_put(layout, "\n");
    layout->line = layout->buffer->size;
}

static size_t column(const struct yaml_layout *layout)
{
    return layout->buffer->size - layout->line;
}

static void begin_entry(struct yaml_layout *layout, unsigned indent, bool dash)
{
    begin_line(layout);
    put_blanks(layout, dash ? indent - 2 : indent);
    an_yaml_put(layout, dash ? "- " : "");
}

void an_yaml_put_dash(struct yaml_layout *layout, unsigned indent)
{
    begin_entry(layout, indent, true);
}

void an_yaml_put_group(struct yaml_layout *layout, unsigned indent, bool dash, const char *key)
{
    begin_entry(layout, indent, dash);
    an_yaml_put(layout, key);
    an_yaml_put(layout, ":");
}

void an_yaml_put_key(struct yaml_layout *layout, unsigned indent, bool dash, const char *key)
{
    size_t length = strlen(key) + 1;
    an_yaml_put_group(layout, indent, dash, key);
    put_blanks(layout, length < KEY_WIDTH ? KEY_WIDTH - length : 1);
}

void an_yaml_put_number(struct yaml_layout *layout, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    an_yaml_put(layout, text);
}

void an_yaml_put_hex(struct yaml_layout *layout, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIX64, value);
    an_yaml_put(layout, text);
}

/* Goes on in the next line, behind the bracket in that column, where this one is too long. */
static void break_line(struct yaml_layout *layout, size_t bracket)
{
    if (column(layout) <= layout->widest)
        return;
    begin_line(layout);
    put_blanks(layout, bracket + 2);
}

void an_yaml_begin_list(struct yaml_layout *layout)
{
    layout->list = column(layout);
    layout->has_items = false;
    an_yaml_put(layout, "[ ");
}

void an_yaml_next_item(struct yaml_layout *layout)
{
    an_yaml_put(layout, layout->has_items ? ", " : "");
    break_line(layout, layout->list);
    layout->has_items = true;
}

void an_yaml_end_list(struct yaml_layout *layout)
{
    an_yaml_put(layout, " ]");
}

void an_yaml_begin_map(struct yaml_layout *layout)
{
    layout->map = column(layout);
    layout->has_keys = false;
    an_yaml_put(layout, "{ ");
}

void an_yaml_put_map_key(struct yaml_layout *layout, const char *key)
{
    an_yaml_put(layout, layout->has_keys ? ", " : "");
    break_line(layout, layout->map);
    layout->has_keys = true;
    an_yaml_put(layout, key);
    an_yaml_put(layout, ": ");
}

void an_yaml_end_map(struct yaml_layout *layout)
{
    an_yaml_put(layout, " }");
}
