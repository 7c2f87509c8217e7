/*
 * The words of response files, which stand on a command line as @FILE. The two families of tools part them by
 * rules that agree on what is usual, and differ at the edges:
 *
 *                              GCC (libiberty)             LLVM (the GNU style)
 *     white space              as isspace() has it         space, tab, new line, carriage return
 *     '' or "" alone           an empty word               nothing
 *     a backslash at the end   is dropped                  stays
 *     a mark of UTF-8 (BOM)    a part of the first word    is skipped
 *     from a byte 0 on         the rest of the file is     the rest of the word is dropped
 *                              dropped
 *
 * In both, quotes of either kind keep white space, and a backslash keeps what is behind it, between quotes, too.
 */
#ifndef AN_BASE_RESPONSE_H
#define AN_BASE_RESPONSE_H

#include <stdbool.h>

#include "base/bytes.h"

enum an_response_rules { AN_RESPONSE_GCC, AN_RESPONSE_LLVM };

/* A file's words: begin with its bytes, and take one word after the other. */
struct an_response {
    enum an_response_rules rules;
    const char *at, *end;
};

struct an_response an_response_of(enum an_response_rules rules, struct an_bytes text);

/* Puts the next word, ended by a 0, where there is room for one byte more than is left; false: there is none. */
bool an_response_next(struct an_response *response, char *word);

#endif
