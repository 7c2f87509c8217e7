/*
 * The function map: which function of the original binary each fragment of the BOLTed one comes
 * from, and how large it was there. BAT tells offsets within functions, but not where a function
 * was; with the map, whole addresses can be translated, in both directions.
 *
 * It is kept as an ELF note, in the section .note.anneal.funcmap of the BOLTed binary or in a file
 * of its own that holds the same bytes. All numbers are little-endian:
 *
 *     u32  size of the name, 7
 *     u32  size of the description
 *     u32  type, 0x616e0001
 *     ...  "anneal", two zeros
 *     and the description:
 *     u32  version, 1
 *     u32  size of a record, 24; readers skip what is beyond these
 *     u64  number of records
 *     u32  size of the original binary's build-id, at most 64
 *     u32  0
 *     ...  the build-id, zeros up to a multiple of 8
 *     for each record, sorted by output entry, then by input entry:
 *         u64  output entry: the address in the BOLTed binary
 *         u64  input entry: the address of the function in the original binary
 *         u32  size of the function in the original binary, 0 if not known
 *         u32  flags: 1 a cold fragment, 2 a function folded into an identical one, of which
 *              there is another record at the same output entry
 */
#ifndef AN_BOLT_FUNCMAP_H
#define AN_BOLT_FUNCMAP_H

#include "bolt/bat.h"

#define AN_FUNCMAP_SECTION ".note.anneal.funcmap"

enum {
    AN_FUNCMAP_COLD = 1,   /* a cold fragment; input entry and size are the whole function's */
    AN_FUNCMAP_FOLDED = 2, /* its code is that of another function at the same output entry */
};

struct an_funcmap_record {
    uint64_t output;
    uint64_t input;
    uint32_t size;
    uint32_t flags;
};

enum { AN_FUNCMAP_ID_SIZE = 64 };

struct an_funcmap {
    struct an_funcmap_record *records; /* sorted by output, then by input; none twice */
    size_t count;
    uint8_t build_id[AN_FUNCMAP_ID_SIZE]; /* of the original binary */
    size_t build_id_size;                 /* 0: it has none */
};

/* What became of the functions when a map was made. */
struct an_funcmap_account {
    size_t functions;    /* of the original binary that have a place in the new one */
    size_t moved;        /* of these, not where they were */
    size_t cold;         /* records of cold fragments */
    size_t folded;       /* functions that are now another, identical one */
    size_t lost;         /* of the original binary, without a symbol in the new one */
    size_t ambiguous;    /* of a name that the new binary has more or less often */
    size_t contradicted; /* whose translation names offsets that the function did not have */
    size_t unmapped;     /* fragments with a translation whose function was not found */
};

/*
 * Makes the map of two binaries. `bat` is the translation of the BOLTed one; without it (NULL) the
 * map has no cold fragments. AN_MISMATCH when hardly any function is found. The caller frees *map.
 */
enum an_code an_funcmap_make(struct an_elf *original, struct an_elf *bolted,
                             const struct an_bat *bat, struct an_funcmap **map,
                             struct an_funcmap_account *account, struct an_error *error);

/* Reads the bytes of the section or of a file. */
enum an_code an_funcmap_parse(struct an_bytes bytes, struct an_funcmap **map,
                              struct an_error *error);

/* Reads the map embedded in a binary. AN_UNSUPPORTED when there is none. */
enum an_code an_funcmap_open(const struct an_elf *elf, struct an_funcmap **map,
                             struct an_error *error);
void an_funcmap_free(struct an_funcmap *map);

/* Appends the bytes of the section. Memory that runs out shows in buffer->failed. */
void an_funcmap_write(const struct an_funcmap *map, struct an_buffer *buffer);

/*
 * Appends a copy of the binary that has the map's bytes as a section; one that it had before gives
 * way. All other bytes stay where they are, but for the header, the section headers and their
 * names, which go to the end of the file.
 */
enum an_code an_funcmap_embed(const struct an_elf *elf, struct an_bytes note,
                              struct an_buffer *buffer, struct an_error *error);

/* The first record of the output entry, or NULL; others of it follow. */
const struct an_funcmap_record *an_funcmap_find(const struct an_funcmap *map, uint64_t output);

#endif
