/*
 * YAML in LLVM's layout: where its values stand, where it breaks lines, and what it quotes. llvm-bolt breaks no lines; merge-fdata
 * and llvm-profdata do.
 *
 *     header:
 *       profile-version: 1              values stand in one column behind the keys of a map
 *     functions:
 *       - name:            main         items of a list are maps, and their maps stand four columns further
 *         calls:           [ { off: 0xB, fid: 89, cnt: 28 }, { off: 0x16, fid: 90, cnt: 3 }, ...
 *                              { ...    lists and maps within a line are broken where it is too long
 */
#ifndef AN_BASE_YAML_LAYOUT_H
#define AN_BASE_YAML_LAYOUT_H

#include "base/bytes.h"

struct yaml_layout {
    struct an_buffer *buffer;
    /* Columns of a line behind which nothing new begins: 70 in merge-fdata, 80 in llvm-profdata */
    size_t widest;
    size_t line;      /* where it starts in the buffer */
    size_t list, map; /* the columns of those within the line */
    bool has_items, has_keys;
};

/* A key of a map, on a line of its own, this many columns in; the first one of an item with its dash. The value comes next. */
void an_yaml_put_key(struct yaml_layout *layout, unsigned indent, bool dash, const char *key);

/* The same of a key whose value is a map or a list, on the next lines. */
void an_yaml_put_group(struct yaml_layout *layout, unsigned indent, bool dash, const char *key);

/* An item of a list, on a line of its own, that is a text or a map within the line; it comes next. */
void an_yaml_put_dash(struct yaml_layout *layout, unsigned indent);

void an_yaml_put(struct yaml_layout *layout, const char *text);
void an_yaml_put_number(struct yaml_layout *layout, uint64_t value);
void an_yaml_put_hex(struct yaml_layout *layout, uint64_t value);

/* In quotes if it needs them. */
void an_yaml_put_text(struct yaml_layout *layout, const char *text, size_t length);

/* A list within a line: in front of each item, an_yaml_next_item(). */
void an_yaml_begin_list(struct yaml_layout *layout);
void an_yaml_next_item(struct yaml_layout *layout);
void an_yaml_end_list(struct yaml_layout *layout);

/* A map within a line. */
void an_yaml_begin_map(struct yaml_layout *layout);
void an_yaml_put_map_key(struct yaml_layout *layout, const char *key);
void an_yaml_end_map(struct yaml_layout *layout);

#endif
