/*
 * BOLT address translation (BAT): what llvm-bolt --enable-bat leaves in a binary so that a profile
 * of the new code can be told in terms of the old code.
 *
 * The binary that BOLT read is the *input*, the one it wrote the *output*. BOLT rearranges the
 * blocks of a function and may put those that never ran into a second, cold fragment. For each
 * fragment there is a list of entries, sorted by output offset:
 *
 *     output offset   from the fragment's first byte
 *     input offset    from the first byte of the function in the input binary: also in cold
 *                     fragments, whose entries belong to the function they were cut from
 *     branch?         whether it is an instruction that may leave the straight line (a branch, a
 *                     call); else it is the begin of a block
 *
 * The rule of translation is BOLT's: the last entry at or below an offset counts. An instruction
 * that was the source of a branch is where the entry says; a target is as far behind the entry in
 * the input as it is in the output.
 */
#ifndef AN_BOLT_BAT_H
#define AN_BOLT_BAT_H

#include "elf/elf.h"

#define AN_BAT_SECTION ".note.bolt_bat"

/* How the section was written; it does not say so itself (see bat_read.c). */
enum an_bat_encoding {
    AN_BAT_WORDS,  /* LLVM 13 to 17: words of 32 and 64 bits */
    AN_BAT_DELTAS, /* LLVM 18: LEB128 numbers, mostly differences */
    AN_BAT_HASHES, /* LLVM 19 and later: the same with hashes, indexes, secondary entries */
};

struct an_bat_entry {
    uint32_t output; /* offset in the fragment; for a stray (bat_read.c) outside of it */
    uint32_t input;  /* offset in the input function, doubled, + 1 for a branch */
};

static inline uint32_t an_bat_entry_input(struct an_bat_entry entry)
{
    return entry.input >> 1;
}

static inline bool an_bat_entry_is_branch(struct an_bat_entry entry)
{
    return entry.input & 1;
}

struct an_bat_function { /* a fragment: a function, or the cold part of one */
    uint64_t address;    /* in the output binary */
    uint64_t hash;       /* of the input function; AN_BAT_HASHES, hot fragments only */
    uint32_t size;       /* bytes that belong to it; an estimate until an_bat_open() set it */
    uint32_t blocks;     /* of the input function; AN_BAT_HASHES, hot fragments only */
    uint32_t parent;     /* index of the hot fragment; its own if it is that, or if the hot
                            fragment of a cold one is not known (LLVM 18, without symbols) */
    uint32_t first_entry, entry_count;
    uint32_t first_secondary, secondary_count; /* entry points besides the first byte */
    bool is_cold;
};

struct an_bat {
    enum an_bat_encoding encoding;
    struct an_bat_function *functions; /* sorted by address, no address twice */
    size_t function_count;
    size_t cold_count;
    struct an_bat_entry *entries; /* those of a fragment together, sorted by output offset */
    size_t entry_count;
    uint64_t *block_hash;  /* for each entry that is a block; NULL unless AN_BAT_HASHES */
    uint32_t *block_index; /* the block's number in the input function; likewise */
    uint32_t *secondary;   /* input offsets */
    size_t secondary_count;
};

/* Where functions may be; what lies outside makes a section malformed. */
struct an_bat_range {
    uint64_t start, end; /* the first address, and the one behind the last */
};

/*
 * Reads the bytes of a section. `text` is where code may be, NULL when that is not known. The
 * caller frees *bat with an_bat_free(). Nothing of the bytes is kept. On failure *bat is NULL and
 * the error's offset is in the section.
 */
enum an_code an_bat_parse(struct an_bytes section, const struct an_bat_range *text,
                          struct an_bat **bat, struct an_error *error);

/*
 * Reads the section of a binary, and the sizes of its fragments from the symbols. AN_UNSUPPORTED
 * when there is no section.
 */
enum an_code an_bat_open(struct an_elf *elf, struct an_bat **bat, struct an_error *error);
void an_bat_free(struct an_bat *bat);

/* The fragment that begins at the address, or NULL. */
const struct an_bat_function *an_bat_find(const struct an_bat *bat, uint64_t address);

/* The fragment that contains the address, or NULL. */
const struct an_bat_function *an_bat_function_at(const struct an_bat *bat, uint64_t address);

/* The hot fragment of a cold one; the fragment itself if it is hot, or nothing better is known. */
static inline const struct an_bat_function *an_bat_parent(const struct an_bat *bat,
                                                          const struct an_bat_function *function)
{
    return &bat->functions[function->parent];
}

static inline const struct an_bat_entry *an_bat_entries(const struct an_bat *bat,
                                                        const struct an_bat_function *function)
{
    return &bat->entries[function->first_entry];
}

/* How many of a fragment's entries begin at or below the offset. */
size_t an_bat_entries_at_or_below(const struct an_bat_entry *entries, size_t count,
                                  uint64_t offset);

/*
 * The offset in the input function (that of the parent, for a cold fragment) that an offset in the
 * fragment stands for. `is_source`: it is the instruction that branches. An offset before the
 * first entry is left as it is. (BOLT's BoltAddressTranslation::translate().)
 */
uint64_t an_bat_to_input(const struct an_bat *bat, const struct an_bat_function *function,
                         uint64_t offset, bool is_source);

/*
 * The number of a secondary entry point among those of a function, counted from 1, by its input
 * offset; 0 when it is none. `function` must be a hot fragment.
 */
unsigned an_bat_secondary_id(const struct an_bat *bat, const struct an_bat_function *function,
                             uint32_t input_offset);

/*
 * Appends what llvm-bat-dump prints of all tables, or of one fragment. Memory that runs out shows
 * in buffer->failed.
 */
void an_bat_dump(const struct an_bat *bat, struct an_buffer *buffer);
void an_bat_dump_function(const struct an_bat *bat, const struct an_bat_function *function,
                          struct an_buffer *buffer);

/* "LLVM 16" and the like, for people. */
const char *an_bat_encoding_name(enum an_bat_encoding encoding);

#endif
