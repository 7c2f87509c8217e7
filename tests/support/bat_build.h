/*
 * Sections of BAT, put together by hand: what a test says, in the encoding it names. Independent of
 * the reader; that real sections look like this is checked against BOLT (golden/test_bat.sh).
 */
#ifndef AN_TEST_BAT_BUILD_H
#define AN_TEST_BAT_BUILD_H

#include "bolt/bat.h"

struct built_entry {
    uint32_t output, input;
    bool is_branch;
    uint64_t hash;  /* AN_BAT_HASHES, blocks only */
    uint32_t index; /* likewise */
};

struct built_function {
    uint64_t address;
    uint64_t parent; /* address of the hot fragment; 0: this is one */
    uint64_t hash;
    uint32_t blocks;
    size_t secondary_count;
    uint32_t secondary[4];
    size_t count;
    const struct built_entry *entries;
};

/*
 * The section of some functions, sorted by address. With AN_BAT_HASHES `places_among_all` numbers
 * the functions of cold fragments as LLVM 19 does, else as later ones do. The caller frees the buffer.
 */
struct an_buffer bat_build(enum an_bat_encoding encoding, const struct built_function *functions,
                           size_t count, bool places_among_all);

void bat_build_sleb128(struct an_buffer *buffer, int64_t value);

/* The path of a file in tests/data/bat. */
#define BAT_FILE(name) bat_file("/../bat/" name)
const char *bat_file(const char *name);

/* The note around a description. */
struct an_buffer bat_build_note(const struct an_buffer *description);

#endif
