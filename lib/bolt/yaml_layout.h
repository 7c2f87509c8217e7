/*
 * YAML in LLVM's layout: where its values stand, where it breaks lines, and what it quotes. llvm-bolt breaks no lines, merge-fdata
 * does.
 *
 *     header:
 *       profile-version: 1              values stand in one column behind the keys of a map
 *     functions:
 *       - name:            main         items of a list are maps, and their maps stand four columns further
 *         calls:           [ { off: 0xB, fid: 89, cnt: 28 }, { off: 0x16, fid: 90, cnt: 3 }, ...
 *                              { ...    lists within a line are broken where it is longer than 70 columns
 */
#ifndef AN_BOLT_YAML_LAYOUT_H
#define AN_BOLT_YAML_LAYOUT_H

#include "base/bytes.h"

struct yaml_layout {
    struct an_buffer *buffer;
    size_t line;      /* where it starts in the buffer */
    size_t list, map; /* the columns of those within the line */
    bool has_items, has_keys;
};

/* A key of a map, on a line of its own, this many columns in; the first one of an item with its dash. The value comes next. */
void an_yaml_put_key(struct yaml_layout *layout, unsigned indent, bool dash, const char *key);

/* A key whose value is a map or a list of them, on the next lines. */
void an_yaml_put_group(struct yaml_layout *layout, unsigned indent, const char *key);

void an_yaml_put(struct yaml_layout *layout, const char *text);
void an_yaml_put_number(struct yaml_layout *layout, uint64_t value);
void an_yaml_put_hex(struct yaml_layout *layout, uint64_t value);

/* In quotes if it needs them. */
void an_yaml_put_text(struct yaml_layout *layout, const char *text, size_t length);

/* A list within a line, and maps as its items. */
void an_yaml_begin_list(struct yaml_layout *layout);
void an_yaml_begin_item(struct yaml_layout *layout);
void an_yaml_put_item_key(struct yaml_layout *layout, const char *key);
void an_yaml_end_item(struct yaml_layout *layout);
void an_yaml_end_list(struct yaml_layout *layout);

#endif
